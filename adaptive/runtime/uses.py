"""How the variants of a pipeline have done."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from adaptive.loop.history import VariantUse
from adaptive.runtime.deopt import DeoptManager
from codegen_llvm import InputLayout
from ir import VariantSpec
from profiler.profile import Observation

_MOST_RECENT = 64  # variants whose counts are found by identity


class _Use:
    """How a variant has done, found by identity; hashing a spec takes as long as a small morsel."""

    __slots__ = ("elapsed_ns", "guard_exits", "layout", "reason", "rows", "spec")

    def __init__(self, spec: VariantSpec, layout: InputLayout, reason: str) -> None:
        self.spec, self.layout, self.reason = spec, layout, reason
        self.rows = self.elapsed_ns = self.guard_exits = 0

    def told(self) -> VariantUse:
        """The same as part of a history."""
        counts = (self.rows, self.elapsed_ns, self.guard_exits)
        return VariantUse(self.spec, self.layout, self.reason, *counts)


class Uses:
    """Adds up what variants have done; any thread may add to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._recent: dict[tuple[int, int], _Use] = {}
        self._all: dict[tuple[VariantSpec, InputLayout], VariantUse] = {}

    def add(self, spec: VariantSpec, layout: InputLayout, reason: str, seen: Observation) -> None:
        """A variant has run over some rows."""
        with self._lock:
            use = self._recent.get((id(spec), id(layout)))
            if use is None:
                if len(self._recent) >= _MOST_RECENT:
                    self._gather()
                use = self._recent[id(spec), id(layout)] = _Use(spec, layout, reason)
            use.rows += seen.rows
            use.elapsed_ns += seen.elapsed_ns
            use.guard_exits += seen.guard_exits

    def all(self, waiting: Iterable[DeoptManager] = (), reason: str = "") -> list[VariantUse]:
        """All variants, with what was done and nobody has taken yet."""
        with self._lock:
            self._gather()
            found = dict(self._all)
        for kernels in waiting:
            running, seen = kernels.running, kernels.peek()
            if running is not None and seen.rows:
                counts = (seen.rows, seen.elapsed_ns, seen.guard_exits)
                use = VariantUse(*running, reason, *counts)
                known = found.get(running)
                found[running] = use if known is None else known.plus(use)
        return list(found.values())

    def _gather(self) -> None:
        """Put the same variants together, by their value."""
        for use in self._recent.values():
            key = (use.spec, use.layout)
            known = self._all.get(key)
            self._all[key] = use.told() if known is None else known.plus(use.told())
        self._recent.clear()
