"""Window definitions: how an aggregate cuts the stream into finite pieces."""

from __future__ import annotations

from dataclasses import dataclass

from ir.errors import IrError, IrTypeError
from ir.expr import Expr
from ir.types import TIMESTAMP


@dataclass(frozen=True, slots=True)
class TumblingWindow:
    """Event-time windows of `size_us` that do not overlap and start at `offset_us` + k * size.

    A row belongs to the window that holds its time; a row without a time to none.
    """

    time: Expr
    size_us: int
    offset_us: int = 0

    def __post_init__(self) -> None:
        if self.time.type is not TIMESTAMP:
            raise IrTypeError(f"a window needs a timestamp, got {self.time.type}; cast it first")
        if self.size_us <= 0:
            raise IrError(f"a window needs a positive size, got {self.size_us} microseconds")
        if not 0 <= self.offset_us < self.size_us:
            raise IrError(
                f"a window's offset must be in [0, {self.size_us}) microseconds,"
                f" got {self.offset_us}; take it modulo the size"
            )

    def start_of(self, time_us: int) -> int:
        """The start of the window that holds a time; floor division, also before 1970."""
        return time_us - (time_us - self.offset_us) % self.size_us

    def over(self, time: Expr) -> TumblingWindow:
        """The same windows over another time expression."""
        return TumblingWindow(time, self.size_us, self.offset_us)
