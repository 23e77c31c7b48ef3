"""When what a thread sees is to be reported morsel by morsel."""

from __future__ import annotations

# Reports one by one behind an unusual morsel: a change is what several of them show. With 16 M rows
# in each, an order of filters that had become the worst one was kept for 36 M rows.
_REPORTS = 8
_MOST_DOUBLINGS = 3


class Alarm:
    """Rings for some reports when a morsel is unusual; in vain, it rests for a while.

    Data that flip all the time, or a machine that others use, show something unusual in every few
    morsels, and a report takes 80 us. Each ring that nothing comes of makes the next rest twice
    as long, up to 64 morsels, so that a change behind it is still noticed.
    """

    def __init__(self) -> None:
        self._left = 0  # reports to come one by one
        self._rest = 0  # morsels in which nothing is unusual
        self._vain = 0  # rings in a row that nothing came of

    @property
    def rings(self) -> bool:
        """Whether each morsel is to be reported."""
        return self._left > 0

    def raised(self) -> bool:
        """A morsel was unusual; whether that is to be told at once."""
        if self._rest:
            self._rest -= 1
            return False
        self._left = _REPORTS
        return True

    def usual(self) -> None:
        """A morsel was as usual."""
        self._rest = max(0, self._rest - 1)

    def reported(self) -> None:
        """A morsel was reported while it rang, or not."""
        if not self._left:
            return
        self._left -= 1
        if not self._left:
            self._vain += 1
            self._rest = _REPORTS << min(self._vain - 1, _MOST_DOUBLINGS)

    def answered(self) -> None:
        """Something was done: what comes now may be unusual in another way."""
        self._rest = self._vain = 0
