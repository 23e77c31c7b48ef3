"""What the controller wants of whoever looks for change in the signals of a variant."""

from __future__ import annotations

from typing import Protocol

from profiler.profile import Observation

# Signals that depend on the rows and the code alone, or nearly so.
OF_DATA = frozenset(
    (
        "selectivity",
        "probes/row",
        "guard exits",
        "instructions/row",
        "branch misses/row",
        "cache misses/row",
    )
)


class Change(Protocol):
    """What a monitor found: a signal, and its level before and after."""

    @property
    def signal(self) -> str: ...

    @property
    def before(self) -> float: ...

    @property
    def after(self) -> float: ...


class Monitor(Protocol):
    """Looks for change in what morsels of one variant show."""

    def add(self, observation: Observation, /) -> Change | None:
        """Take a morsel; the change, once there is one."""

    def reset(self) -> None:
        """Forget all: from now on another variant runs."""
