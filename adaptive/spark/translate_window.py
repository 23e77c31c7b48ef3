"""The windows of a plan: what Spark's analyzer makes of window(), read back as numbers."""

from __future__ import annotations

from dataclasses import dataclass

from py4j.java_gateway import get_field

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, children, class_name, seq, sql_text, walk
from adaptive.spark.translate_expr import ExprTranslator
from ir import SessionWindow, SlidingWindow, TumblingWindow

TIME_WINDOW_KEY = "spark.timeWindow"
SESSION_WINDOW_KEY = "spark.sessionWindow"
DELAY_KEY = "spark.watermarkDelayMs"


@dataclass(frozen=True, slots=True)
class Window:
    """A window in the plan: the time that it is of, and its meaning."""

    time: JavaObject
    meaning: TumblingWindow | SlidingWindow | SessionWindow

    @property
    def is_on_watermark(self) -> bool:
        """Whether Spark derives the life of the window's state from a watermark."""
        is_attribute = class_name(self.time) == "AttributeReference"
        return is_attribute and bool(self.time.metadata().contains(DELAY_KEY))

    @property
    def slices(self) -> TumblingWindow:
        """The pieces of time that the native code groups by.

        Each is within or outside a window. Two rows of a key that are less than a gap
        apart are in one session, so pieces as long as the gap are within one.
        """
        if isinstance(self.meaning, SessionWindow):
            return TumblingWindow(self.meaning.time, self.meaning.gap_us)
        return self.meaning.slices


def time_window(expressions: ExprTranslator, struct: JavaObject) -> Window:
    """Size, slide and offset from the arithmetic that Spark makes of window()."""
    _, start, _, end = children(struct)
    remainder = next(n for n in walk(start) if class_name(n) == "Remainder")
    time = remainder.left().left().child()
    slide = int(remainder.right().value())
    size = int(children(children(end)[0])[0].right().value())
    offset = int(remainder.left().right().value()) % slide
    meaning = expressions.translate(time)
    if meaning.type is not ir.TIMESTAMP:
        raise StaysInSpark(f"the window is over {meaning.type} `{sql_text(time)}`")
    if size == slide:
        return Window(time, TumblingWindow(meaning, size, offset))
    return Window(time, SlidingWindow(meaning, size, slide, offset))


def session_window(expressions: ExprTranslator, struct: JavaObject) -> Window:
    """The gap from the interval that Spark adds to the time of a row."""
    added = next(n for n in walk(struct) if class_name(n) == "TimestampAddInterval")
    time, gap = children(added)
    if not all(class_name(part) in ("Cast", "Literal") for part in walk(gap)):
        raise StaysInSpark(
            f"`{sql_text(gap)}`: a gap that differs from row to row has no native form;"
            " use a constant one"
        )
    interval = gap.eval(None)
    parts = [int(get_field(interval, name)) for name in ("months", "days", "microseconds")]
    if any(parts[:2]) or parts[2] <= 0:
        raise StaysInSpark(
            f"a gap of `{sql_text(gap)}` has no native form: days and months have no fixed length;"
            " use one of hours, minutes or seconds"
        )
    return Window(time, SessionWindow(expressions.translate(time), parts[2]))


def expanded_struct(expand: JavaObject) -> JavaObject:
    """The latest window of a row, where Spark makes a copy of each row for each of its windows."""
    first = expand.projections().apply(0).apply(0)
    copied = seq(expand.output())
    is_window = copied[0].metadata().contains(TIME_WINDOW_KEY)
    if not is_window or class_name(first) != "CreateNamedStruct":
        raise StaysInSpark(
            "Expand is between the files and the aggregate: rollup, cube and grouping sets have no"
            " native form; write one query for each set of keys and unite them"
        )
    return first
