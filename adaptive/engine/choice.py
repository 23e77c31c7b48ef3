"""Which variant the threads of an engine run, by a policy, and how each has done."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pyarrow as pa

from adaptive.runtime.binding import BoundBatch
from codegen_llvm import InputLayout
from ir import GENERIC, Tier, VariantSpec
from policies import Decision, Policy, Specialize
from profiler import Profile


@dataclass(frozen=True, slots=True)
class VariantUse:
    """How one variant has done on batches that lie in memory in one way."""

    spec: VariantSpec
    layout: InputLayout
    reason: str  # the policy's, when it was first chosen
    rows: int = 0
    elapsed_ns: int = 0

    @property
    def ns_per_row(self) -> float:
        """The time that a row took in one thread."""
        return self.elapsed_ns / self.rows if self.rows else 0.0


class History(list[VariantUse]):
    """The variants that ran, in the order of their first use."""

    def to_arrow(self) -> pa.Table:
        """A row for each variant and way to lie in memory."""
        rows = [
            {
                "tier": use.spec.tier.value,
                "encodings": [encoding.value for encoding in use.layout.encodings],
                "has_nulls": use.layout.has_nulls,
                "reason": use.reason,
                "rows": use.rows,
                "ns_per_row": use.ns_per_row,
            }
            for use in self
        ]
        return pa.Table.from_pylist(rows, schema=_SCHEMA)


_SCHEMA = pa.schema(
    [
        ("tier", pa.string()),
        ("encodings", pa.list_(pa.string())),
        ("has_nulls", pa.bool_()),
        ("reason", pa.string()),
        ("rows", pa.int64()),
        ("ns_per_row", pa.float64()),
    ]
)


class VariantChoice:
    """A profile that all threads add to, and what the policy decides by it."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._lock = threading.Lock()
        self._uses: dict[tuple[VariantSpec, InputLayout], VariantUse] = {}
        self._rows = 0

    @property
    def history(self) -> History:
        """The variants that ran."""
        with self._lock:
            return History(self._uses.values())

    @contextmanager
    def variant(self, bound: BoundBatch, rows: int) -> Iterator[VariantSpec]:
        """The variant for a morsel of a batch; the work on it is within."""
        decision = self._policy.decide(Profile(self._rows))
        spec = _spec(decision)
        begin = time.perf_counter_ns()
        yield spec
        elapsed_ns = time.perf_counter_ns() - begin
        with self._lock:
            self._rows += rows
            key = (spec, bound.layout)
            use = self._uses.get(key) or VariantUse(spec, bound.layout, decision.reason)
            self._uses[key] = replace(
                use, rows=use.rows + rows, elapsed_ns=use.elapsed_ns + elapsed_ns
            )


def _spec(decision: Decision) -> VariantSpec:
    if not isinstance(decision, Specialize):
        return GENERIC
    hints = GENERIC.hints if decision.hints is None else decision.hints
    return VariantSpec(Tier.SPECULATIVE, decision.assumptions, hints)
