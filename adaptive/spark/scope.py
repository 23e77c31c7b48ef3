"""What the attributes of a plan mean in terms of the columns of its files.

Projections are substituted as they are met, bottom up, and only where they are
used: a column that has no native form does no harm until something reads it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, class_name, expr_id, seq, walk
from adaptive.spark.sources import FileSource
from adaptive.spark.static_table import StaticTable
from adaptive.spark.translate_expr import ExprTranslator
from adaptive.spark.translate_window import (
    DELAY_KEY,
    SESSION_WINDOW_KEY,
    TIME_WINDOW_KEY,
    Window,
    expanded_struct,
    session_window,
    time_window,
)
from adaptive.spark.types import column_type
from ir import Call, Column, Expr


@dataclass(frozen=True, slots=True)
class Watermark:
    """The event-time column of a stream, how long Spark waits, and the filters so far."""

    time: Expr
    delay_ms: int
    filters_below: int


class Scope:
    """The meaning of every attribute seen on the way from the files to the aggregate."""

    def __init__(self, source: FileSource) -> None:
        self.source = source
        self.filters: list[Expr] = []
        self.watermark: Watermark | None = None
        self.tables: list[StaticTable] = []
        self.expressions = ExprTranslator(self.lookup)
        self._meanings: dict[int, Callable[[], Expr]] = {}
        self._windows: dict[int, Callable[[], Window]] = {}
        self._of_time: set[int] = set()  # attributes that are computed from event time
        for attribute in seq(source.leaf.output()):
            self._add_column(attribute)

    def _add_column(self, attribute: JavaObject) -> None:
        name = str(attribute.name())

        def meaning() -> Expr:
            type_ = column_type(attribute)
            if type_ is ir.BINARY and not self._has_bytes(name):
                raise StaysInSpark(f"column `{name}` is binary, which these files have as text")
            return Column(name, type_)

        self._meanings[expr_id(attribute)] = meaning

    def _has_bytes(self, name: str) -> bool:
        """Whether bytes are in the files as they are, and not as the text that stands for them."""
        return self.source.format in ("parquet", "arrow") and name not in self.source.partitions

    def lookup(self, attribute: JavaObject) -> Expr:
        """The expression over file columns that an attribute stands for."""
        number = expr_id(attribute)
        if number in self._windows:
            raise StaysInSpark(f"window `{attribute.name()}` is used as a value; group by it")
        if number not in self._meanings:
            raise StaysInSpark(f"`{attribute.name()}` is not a column of the files")
        meaning = self._meanings[number]()
        self._meanings[number] = lambda: meaning
        return meaning

    def define(self, attribute: JavaObject, meaning: Callable[[], Expr]) -> None:
        """Say what an attribute stands for; asked when something reads it."""
        self._meanings[expr_id(attribute)] = meaning

    def add_table(self, plan: JavaObject, once: bool) -> StaticTable:
        """A table whose columns rows get from here on."""
        number = len(self.tables)
        found, is_late = self.free_name(f"found{number}"), self.watermark is not None
        table = StaticTable(f"table{number}", found, plan, once, is_late)
        self.tables.append(table)
        return table

    def free_name(self, name: str) -> str:
        """The name, or one like it that no column of the files or of a table has."""
        taken = {str(attribute.name()).lower() for attribute in seq(self.source.leaf.output())}
        taken |= {column.lower() for table in self.tables for column in table.names}
        number, free = 0, name
        while free.lower() in taken:
            number += 1
            free = f"{name}_{number}"
        return free

    def window(self, grouping: JavaObject) -> Window | None:
        """The window that a grouping expression is, if it is one."""
        if class_name(grouping) != "AttributeReference":
            return None
        found = self._windows.get(expr_id(grouping))
        return None if found is None else found()

    def enter(self, node: JavaObject) -> None:
        """Take in one operator; called from the files upwards."""
        match class_name(node):
            case "Filter" if class_name(node.child()) == "Expand":
                self.filters.append(self._has_window(node.child()))
            case "Filter":
                self.filters.append(self.expressions.translate(node.condition()))
            case "Expand":
                self._expand(node)
            case "Project":
                for column in seq(node.projectList()):
                    self._project(column)
            case "EventTimeWatermark":
                self._set_watermark(node)

    @property
    def windows(self) -> frozenset[int]:
        """The ids of all attributes that are windows."""
        return frozenset(self._windows)

    def rename(self, inner: list[JavaObject], outer: list[JavaObject]) -> None:
        """Give attributes another id, as a reference to a common table expression does."""
        for old, new in zip(inner, outer, strict=True):
            if expr_id(old) != expr_id(new):
                self._alias(old, expr_id(new))

    def _project(self, column: JavaObject) -> None:
        if class_name(column) != "Alias":
            return  # an attribute passes through under its own id
        child, number = column.child(), expr_id(column)
        metadata = column.metadata()
        is_struct = class_name(child) == "CreateNamedStruct"
        if metadata.contains(SESSION_WINDOW_KEY) and is_struct:
            session = session_window(self.expressions, child)  # a filter on it may follow
            self._windows[number] = lambda: session
        elif metadata.contains(TIME_WINDOW_KEY) and is_struct:
            self._windows[number] = lambda: time_window(self.expressions, child)
        else:
            self._alias(child, number)

    def _expand(self, node: JavaObject) -> None:
        """A copy of each row for each sliding window that it is in."""
        struct = expanded_struct(node)
        number = expr_id(node.output().apply(0))
        self._windows[number] = lambda: time_window(self.expressions, struct)

    def _has_window(self, expand: JavaObject) -> Expr:
        """Spark drops copies whose window does not hold the row; a row without time has none."""
        window = self._windows[expr_id(expand.output().apply(0))]()
        return Call("is_not_null", (window.meaning.time,))

    def reads_event_time(self, node: JavaObject) -> bool:
        """Whether an expression is computed from the column of the watermark, above it.

        The same column under a name that it got below the watermark does not count for Spark.
        """
        read = (part for part in walk(node) if class_name(part) == "AttributeReference")
        return any(expr_id(attribute) in self._of_time for attribute in read)

    def _alias(self, child: JavaObject, number: int) -> None:
        if self.reads_event_time(child):
            self._of_time.add(number)
        if class_name(child) == "AttributeReference" and expr_id(child) in self._windows:
            self._windows[number] = self._windows[expr_id(child)]
        else:
            self._meanings[number] = lambda: self.expressions.translate(child)

    def _set_watermark(self, node: JavaObject) -> None:
        if self.watermark is not None:
            raise StaysInSpark("there are two watermarks below the aggregate; keep one")
        attribute = node.eventTime()
        [marked] = [a for a in seq(node.output()) if expr_id(a) == expr_id(attribute)]
        delay = int(marked.metadata().getLong(DELAY_KEY))
        time = self.expressions.translate(attribute)
        if time.type is not ir.TIMESTAMP:
            raise StaysInSpark(f"the watermark is on {time.type}; use a timestamp column")
        self.watermark = Watermark(time, delay, len(self.filters))
        self._of_time.add(expr_id(attribute))
