"""What an adaptive loop has done: which variants ran, which were swapped, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import pyarrow as pa

from codegen_llvm import InputLayout
from ir import (
    Assumption,
    FilterOrder,
    Hint,
    HotKeys,
    KeysInRange,
    NoNulls,
    Prefetch,
    SelectRows,
    ValuesInRange,
    VariantSpec,
)
from ir.json_form import spec_to_json


@dataclass(frozen=True, slots=True)
class VariantUse:
    """How one variant has done on batches that lie in memory in one way."""

    spec: VariantSpec
    layout: InputLayout
    reason: str  # why it was first chosen
    rows: int = 0
    elapsed_ns: int = 0
    guard_exits: int = 0

    @property
    def ns_per_row(self) -> float:
        """The time that a row took in one thread."""
        return self.elapsed_ns / self.rows if self.rows else 0.0

    def plus(self, other: VariantUse) -> Self:
        """What both did; all else is that of this one."""
        return replace(
            self,
            rows=self.rows + other.rows,
            elapsed_ns=self.elapsed_ns + other.elapsed_ns,
            guard_exits=self.guard_exits + other.guard_exits,
        )


@dataclass(frozen=True, slots=True)
class SwapRecord:
    """One change of variant: when, by which thread's report, from what to what, and why.

    `before_ns` and `after_ns` are the times of a row that it was judged by, where it was.
    """

    at_rows: int
    worker: int
    spec: VariantSpec
    reason: str
    signal: str
    before_ns: float | None = None
    after_ns: float | None = None


class History(list[VariantUse]):
    """The variants that ran, in the order of their first use; `swaps` are the changes."""

    def __init__(
        self,
        uses: Iterable[VariantUse] = (),
        swaps: Sequence[SwapRecord] = (),
        events: Sequence[str] = (),
    ) -> None:
        super().__init__(uses)
        self.swaps = tuple(swaps)
        self.events = tuple(events)  # what was not as expected: lost counters, banned variants

    @classmethod
    def joined(cls, histories: Iterable[History]) -> History:
        """Those of several pipelines, one after the other."""
        parts = list(histories)
        return cls(
            [use for part in parts for use in part],
            [swap for part in parts for swap in part.swaps],
            [event for part in parts for event in part.events],
        )

    def to_arrow(self) -> pa.Table:
        """A row for each variant and way to lie in memory."""
        return pa.Table.from_pylist([_use_row(use) for use in self], schema=_USES)

    def swaps_to_arrow(self) -> pa.Table:
        """A row for each change of variant."""
        rows: list[dict[str, Any]] = [
            {
                "at_rows": swap.at_rows,
                "worker": swap.worker,
                "tier": swap.spec.tier.value,
                "spec": spec_to_json(swap.spec),
                "reason": swap.reason,
                "signal": swap.signal,
                "before_ns": swap.before_ns,
                "after_ns": swap.after_ns,
            }
            for swap in self.swaps
        ]
        return pa.Table.from_pylist(rows, schema=_SWAPS)


def described(spec: VariantSpec) -> str:
    """A variant in words: what it bets on."""
    claims = [*map(_claim, spec.assumptions), *map(_claim, spec.hints)]
    if spec.block_rows is None:
        claims.append("branches")
    return ", ".join(filter(None, claims)) or spec.tier.value


def _claim(claim: Assumption | Hint) -> str:
    match claim:
        case SelectRows():
            return ""
        case KeysInRange(ranges):
            return "dense " + " x ".join(f"{low}..{high}" for low, high in ranges)
        case ValuesInRange(column, low, high):
            return f"{column} in {low}..{high}"
        case NoNulls(columns):
            return f"no nulls in {', '.join(columns)}"
        case FilterOrder(first, then):
            return f"filters {list(first)}, then {list(then)}"
        case HotKeys(keys):
            return f"hot keys {', '.join(map(str, keys))}"
        case Prefetch(rows_ahead):
            return f"prefetch {rows_ahead}"
    return type(claim).__name__


def _use_row(use: VariantUse) -> dict[str, Any]:
    return {
        "tier": use.spec.tier.value,
        "spec": spec_to_json(use.spec),
        "encodings": [encoding.value for encoding in use.layout.encodings],
        "has_nulls": use.layout.has_nulls,
        "reason": use.reason,
        "rows": use.rows,
        "ns_per_row": use.ns_per_row,
        "guard_exits": use.guard_exits,
    }


_USES = pa.schema(
    [
        ("tier", pa.string()),
        ("spec", pa.string()),
        ("encodings", pa.list_(pa.string())),
        ("has_nulls", pa.bool_()),
        ("reason", pa.string()),
        ("rows", pa.int64()),
        ("ns_per_row", pa.float64()),
        ("guard_exits", pa.int64()),
    ]
)
_SWAPS = pa.schema(
    [
        ("at_rows", pa.int64()),
        ("worker", pa.int64()),
        ("tier", pa.string()),
        ("spec", pa.string()),
        ("reason", pa.string()),
        ("signal", pa.string()),
        ("before_ns", pa.float64()),
        ("after_ns", pa.float64()),
    ]
)
