"""The windows of a plan: what Spark's analyzer makes of window(), read back as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, children, class_name, seq, sql_text, walk
from adaptive.spark.translate_expr import ExprTranslator
from ir import SlidingWindow, TumblingWindow

TIME_WINDOW_KEY = "spark.timeWindow"
SESSION_WINDOW_KEY = "spark.sessionWindow"
DELAY_KEY = "spark.watermarkDelayMs"


@dataclass(frozen=True, slots=True)
class Window:
    """A window in the plan: the time that it is of, and its meaning."""

    time: JavaObject
    meaning: TumblingWindow | SlidingWindow

    @property
    def is_on_watermark(self) -> bool:
        """Whether Spark derives the life of the window's state from a watermark."""
        is_attribute = class_name(self.time) == "AttributeReference"
        return is_attribute and bool(self.time.metadata().contains(DELAY_KEY))

    @property
    def slices(self) -> TumblingWindow:
        """The pieces of time that the native code groups by; each is within or outside a window."""
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
