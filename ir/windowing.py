"""The meaning of windows and groups: which rows belong together, and when a result is final."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TypeAlias

from ir.accumulators import Accumulator, accumulator
from ir.aggregates import AggregateCall
from ir.arithmetic import normalize_key, order_key, wrap
from ir.evaluate import Row, evaluate_expr
from ir.expr import Scalar
from ir.operators import WINDOW_END, WINDOW_START, Aggregate, Named
from ir.types import INT64
from ir.windows import CountWindow, SessionWindow, TimeWindow

Key: TypeAlias = dict[str, Scalar]
Identity: TypeAlias = tuple[str, ...]
Emitted: TypeAlias = Iterator[dict[str, Scalar]]


class Group:
    """The key and the running aggregates of one group."""

    def __init__(self, node: Aggregate, key: Key) -> None:
        self.key = key
        self.aggregates: list[tuple[str, AggregateCall, Accumulator]] = [
            (one.name, one.call, accumulator(one.call)) for one in node.aggregates
        ]

    def add(self, row: Row) -> None:
        """Add a row to each aggregate."""
        for _, call, running in self.aggregates:
            values = [evaluate_expr(argument, row) for argument in call.arguments]
            if call.takes_nulls or None not in values:
                running.add(*values)

    def result(self, **bounds: int) -> dict[str, Scalar]:
        """The output row, with the window's bounds before the keys."""
        made = {name: running.result() for name, _, running in self.aggregates}
        return {**bounds, **self.key, **made}


def in_order(groups: Iterable[Group]) -> list[Group]:
    """Groups by their keys."""
    return sorted(groups, key=lambda group: order_of(group.key))


@dataclass
class Window:
    """The groups, or for a session the numbered rows, of one window that is still open."""

    start: int
    end: int
    rows: list[tuple[int, Row]] = field(default_factory=list)
    groups: dict[Identity, Group] = field(default_factory=dict)


def keys_of(keys: tuple[Named, ...], row: Row) -> Key:
    """The values of the keys in a row, equal ones made the same."""
    return {key.name: normalize_key(evaluate_expr(key.expr, row)) for key in keys}


def order_of(key: Key) -> tuple[tuple[bool, object], ...]:
    """Where a key stands among others: results of one window come in this order, null first."""
    return tuple((v is not None, 0 if v is None else order_key(v)) for v in key.values())


def identity_of(key: Key) -> Identity:
    """What equal keys have in common: NaN is not equal to itself, its text is."""
    return tuple(map(repr, key.values()))


class WindowedGroups:
    """The open windows of an aggregate; rows go in by arrival, results come out by window.

    `watermark` is None while nothing is known about time: nothing is late then,
    and only the end of the stream closes windows of time.
    """

    def __init__(self, node: Aggregate, lateness_us: int = 0) -> None:
        self.node = node
        self.lateness_us = lateness_us
        self.late_rows = 0
        match node.window:
            case None:
                self._windows: _NoWindow | _TimeWindows | _Sessions | _Counts = _NoWindow(node)
            case CountWindow():
                self._windows = _Counts(node, node.window)
            case SessionWindow():
                self._windows = _Sessions(node, node.window)
            case _:
                self._windows = _TimeWindows(node, node.window)

    def add(self, row: Row, watermark: int | None) -> Emitted:
        """Add a row; `watermark` is the one that held before it. Yields what is final by count."""
        closed_to = None if watermark is None else watermark - self.lateness_us
        taken, emitted = self._windows.add(row, closed_to)
        self.late_rows += not taken
        yield from emitted

    def advance(self, watermark: int) -> Emitted:
        """Yields the results of the windows that this watermark closes, the earliest first."""
        return self._windows.close(watermark - self.lateness_us)

    def finish(self) -> Emitted:
        """Yields the results of all windows that are still open."""
        return self._windows.close(None)


Added: TypeAlias = tuple[bool, list[dict[str, Scalar]]]


class _NoWindow:
    """Groups that only the end of the stream closes; without keys, there is always one."""

    def __init__(self, node: Aggregate) -> None:
        self.node = node
        self.groups: dict[Identity, Group] = {}
        if not node.keys:
            self.groups[()] = Group(node, {})

    def add(self, row: Row, closed_to: int | None) -> Added:
        key = keys_of(self.node.keys, row)
        self.groups.setdefault(identity_of(key), Group(self.node, key)).add(row)
        return True, []

    def close(self, closed_to: int | None) -> Emitted:
        if closed_to is None:
            yield from (group.result() for group in in_order(self.groups.values()))


class _TimeWindows:
    """Tumbling and sliding windows: a row goes into each of its windows that is still open."""

    def __init__(self, node: Aggregate, window: TimeWindow) -> None:
        self.node, self.window = node, window
        self.open: dict[int, Window] = {}

    def add(self, row: Row, closed_to: int | None) -> Added:
        time = evaluate_expr(self.window.time, row)
        if time is None:
            return True, []  # in no window, so not late for one
        assert isinstance(time, int)
        bounds = list(self.window.windows_of(time))
        still = [(s, e) for s, e in bounds if closed_to is None or e > closed_to]
        for start, end in still:
            self._group(start, end, keys_of(self.node.keys, row)).add(row)
        return bool(still) or not bounds, []

    def _group(self, start: int, end: int, key: Key) -> Group:
        window = self.open.setdefault(start, Window(start, end))
        return window.groups.setdefault(identity_of(key), Group(self.node, key))

    def close(self, closed_to: int | None) -> Emitted:
        for start, window in sorted(self.open.items()):
            if closed_to is None or window.end <= closed_to:
                del self.open[start]
                # Kernels count microseconds in 64 bits: beyond the year 294247, an end wraps.
                end = wrap(window.end, INT64)
                bounds = {WINDOW_START: wrap(window.start, INT64), WINDOW_END: end}
                yield from (group.result(**bounds) for group in in_order(window.groups.values()))


class _Sessions:
    """Session windows: a row joins the open sessions of its key that it reaches, or starts one."""

    def __init__(self, node: Aggregate, window: SessionWindow) -> None:
        self.node, self.window = node, window
        self.open: dict[Identity, tuple[Key, list[Window]]] = {}
        self.rows = 0  # how many came, which is the order of arrival

    def add(self, row: Row, closed_to: int | None) -> Added:
        time = evaluate_expr(self.window.time, row)
        if time is None:
            return True, []
        assert isinstance(time, int)
        self.rows += 1
        joined = Window(time, time + self.window.gap_us, [(self.rows, row)])
        if closed_to is not None and joined.end <= closed_to:
            return False, []
        key = keys_of(self.node.keys, row)
        _, sessions = self.open.setdefault(identity_of(key), (key, []))
        for other in [s for s in sessions if s.start <= joined.end and joined.start <= s.end]:
            sessions.remove(other)
            rows = sorted(other.rows + joined.rows, key=itemgetter(0))
            joined = Window(min(other.start, joined.start), max(other.end, joined.end), rows)
        sessions.append(joined)
        return True, []

    def close(self, closed_to: int | None) -> Emitted:
        closed: list[tuple[Window, Key]] = []
        for key, sessions in self.open.values():
            for session in list(sessions):
                if closed_to is None or session.end <= closed_to:
                    sessions.remove(session)
                    closed.append((session, key))
        for session, key in sorted(
            closed, key=lambda one: (one[0].end, one[0].start, order_of(one[1]))
        ):
            rows = [row for _, row in session.rows]
            yield _result_of(self.node, key, rows, session.start, session.end)


class _Counts:
    """Count windows: a window is final as soon as its last row is there."""

    def __init__(self, node: Aggregate, window: CountWindow) -> None:
        self.node, self.window = node, window
        self.rows: dict[Identity, tuple[Key, list[Row]]] = {}

    def add(self, row: Row, closed_to: int | None) -> Added:
        key = keys_of(self.node.keys, row)
        _, rows = self.rows.setdefault(identity_of(key), (key, []))
        rows.append(row)
        full = [b for b in self.window.windows_of(len(rows) - 1) if b[1] == len(rows)]
        return True, [_result_of(self.node, key, rows[s:e], s, e) for s, e in full]

    def close(self, closed_to: int | None) -> Emitted:
        if closed_to is not None:
            return
        for key, rows in sorted(self.rows.values(), key=lambda one: order_of(one[0])):
            for start in range(0, len(rows), self.window.slide):
                if start + self.window.size > len(rows):
                    end = start + self.window.size
                    yield _result_of(self.node, key, rows[start:], start, end)


def _result_of(node: Aggregate, key: Key, rows: list[Row], start: int, end: int) -> Key:
    group = Group(node, key)
    for row in rows:
        group.add(row)
    return group.result(**{WINDOW_START: start, WINDOW_END: end})
