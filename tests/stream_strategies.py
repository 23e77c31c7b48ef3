"""Random streaming queries and streams of events for them: any window, any disorder.

A case is a plan and what happens to it in order: rows come, or time goes on by
itself. `expected` gives what the evaluator makes of it, step by step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from hypothesis import strategies as st

from ir import (
    TIMESTAMP,
    WINDOW_END,
    WINDOW_START,
    Aggregate,
    AggregateCall,
    Column,
    CountWindow,
    DataType,
    Expr,
    Field,
    Named,
    NamedAggregate,
    Operator,
    Project,
    Scalar,
    Schema,
    SessionWindow,
    Sink,
    SlidingWindow,
    Source,
    StreamEvaluator,
    TumblingWindow,
    Watermark,
    Window,
)
from tests.strategies import (
    ALL_TYPES,
    EXACT,
    MODE_MIXES,
    NAMES,
    Modes,
    _call,
    _filter,
    _steps,
    cells,
    expressions,
    timestamps,
)

Row: TypeAlias = dict[str, Scalar]

TIME = "event_time"
UNITS_US = (1, 1_000, 1_000_000, 60_000_000)
BASES_US = (0, 0, -7_000_003, 1_700_000_000_000_000, -1_000_000_000_000_000)


@dataclass(frozen=True)
class Rows:
    """Rows come, in this order, in one batch."""

    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Punctuation:
    """Time goes on to `time_us` without a row."""

    time_us: int


Step: TypeAlias = Rows | Punctuation


@dataclass(frozen=True)
class StreamCase:
    """A streaming query and what happens to it."""

    plan: Sink
    steps: tuple[Step, ...]

    @property
    def source(self) -> Source:
        """Where the rows come from."""
        *_, source = self.plan.walk()
        assert isinstance(source, Source)
        return source

    @property
    def rows(self) -> list[Row]:
        """All rows in order."""
        return [row for step in self.steps if isinstance(step, Rows) for row in step.rows]


def expected(case: StreamCase) -> tuple[list[list[Row]], int]:
    """What each step makes final, then what the end does; and how many rows were late."""
    stream = StreamEvaluator(case.plan)
    made = [
        stream.push(step.rows) if isinstance(step, Rows) else stream.punctuate(step.time_us)
        for step in case.steps
    ]
    return [*made, stream.finish()], stream.late_rows


@dataclass(frozen=True)
class Shape:
    """What random cases may have.

    Without `rounding`, sums of floats and averages of wide integers are left out:
    their last digits depend on the order of additions, which an engine may change.
    """

    modes: Modes | None = None
    rounding: bool = True
    windows: tuple[str, ...] = ("tumbling", "sliding", "session", "count", "none")
    most_rows: int = 60
    chained: bool = True
    steps_before: bool = True  # filters and projections between the source and the windows
    key_types: tuple[DataType, ...] = ()  # of one to three keys; none: any, of up to two


ANYTHING = Shape()


@st.composite
def stream_cases(draw: st.DrawFn, shape: Shape = ANYTHING) -> StreamCase:
    """A random streaming query with a random stream of events."""
    unit_us = draw(st.sampled_from(UNITS_US))
    plan = draw(stream_plans(shape, unit_us))
    schema = next(node.schema for node in plan.walk() if isinstance(node, Source))
    return StreamCase(plan, tuple(events(draw, schema, unit_us, shape.most_rows)))


@st.composite
def stream_plans(draw: st.DrawFn, shape: Shape = ANYTHING, unit_us: int = 1_000_000) -> Sink:
    """Source, watermark, steps, windows, perhaps a having, perhaps windows over these."""
    modes = shape.modes or draw(st.sampled_from(MODE_MIXES))
    node: Operator = Source("in", draw(stream_schemas(shape.key_types or ALL_TYPES)))
    if draw(st.integers(0, 7)):
        delay, lateness = (draw(st.sampled_from((0, 0, 1, 3, 10))) * unit_us for _ in range(2))
        node = Watermark(node, TIME, delay, lateness)
    if shape.steps_before:
        node = _steps_that_keep_time(draw, node, modes)
    node = _windowed(draw, node, _time(draw, node, modes), unit_us, replace(shape, modes=modes))
    if draw(st.booleans()):
        node = _filter(draw, node, modes)
    if shape.chained and WINDOW_END in node.schema and not draw(st.integers(0, 2)):
        node = _chained(draw, node, unit_us, replace(shape, modes=modes))
    return Sink(_steps(draw, node, modes) if draw(st.booleans()) else node, "out")


@st.composite
def stream_schemas(draw: st.DrawFn, first: tuple[DataType, ...] = ALL_TYPES) -> Schema:
    """A time, mostly with nulls, and a few columns of any type, one of them of these."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    types = [first, *[ALL_TYPES] * 3]
    fields = [
        Field(name, draw(st.sampled_from(among)), draw(st.booleans()))
        for name, among in zip(names, types, strict=False)
    ]
    return Schema((*fields, Field(TIME, TIMESTAMP, bool(draw(st.integers(0, 2))))))


def _steps_that_keep_time(draw: st.DrawFn, node: Operator, modes: Modes) -> Operator:
    """Steps, but none of which the time does not come through."""
    stepped = _steps(draw, node, modes)
    kept = stepped.schema[TIME].type is TIMESTAMP if TIME in stepped.schema else False
    return stepped if kept else node


def _time(draw: st.DrawFn, node: Operator, modes: Modes) -> Expr:
    """Mostly the time itself, which the watermark is about."""
    field = node.schema[TIME]
    if draw(st.integers(0, 5)):
        return Column(TIME, TIMESTAMP, field.nullable)
    return draw(expressions(node.schema, TIMESTAMP, 1, modes))


def _windowed(draw: st.DrawFn, node: Operator, time: Expr, unit_us: int, shape: Shape) -> Operator:
    assert shape.modes is not None
    window = _window(draw, draw(st.sampled_from(shape.windows)), time, unit_us)
    key_types = draw(st.lists(st.sampled_from(ALL_TYPES), max_size=2))
    if shape.key_types:
        key_types = draw(st.lists(st.sampled_from(shape.key_types), min_size=1, max_size=3))
    keys = tuple(Named(f"k{i}", _key(draw, node, t, shape)) for i, t in enumerate(key_types))
    count = draw(st.integers(0 if window or keys else 1, 3))
    made = (NamedAggregate(f"r{i}", _aggregate(draw, node, shape)) for i in range(count))
    return Aggregate(node, window, keys, tuple(made))


def _key(draw: st.DrawFn, node: Operator, type_: DataType, shape: Shape) -> Expr:
    """An expression of a type; where types of keys are given, mostly a column of one of them."""
    assert shape.modes is not None
    fields = [field for field in node.schema if field.type in shape.key_types]
    if fields and draw(st.integers(0, 3)):
        field = draw(st.sampled_from(fields))
        return Column(field.name, field.type, field.nullable)
    return draw(expressions(node.schema, type_, 1, shape.modes))


def _window(draw: st.DrawFn, kind: str, time: Expr, unit_us: int) -> Window | None:
    size = draw(st.integers(1, 12))
    slide = draw(st.integers(1, size))
    match kind:
        case "tumbling":
            offset_us = draw(st.sampled_from((0, 0, 1, size * unit_us // 3, size * unit_us - 1)))
            return TumblingWindow(time, size * unit_us, offset_us % (size * unit_us))
        case "sliding":
            # Also slides that do not divide the size, and slices of single microseconds.
            odd_us = draw(st.sampled_from((0, 0, 1)))
            size_us, slide_us = size * unit_us + odd_us, slide * unit_us
            offset_us = draw(st.sampled_from((0, 0, 1, slide_us // 3, slide_us - 1))) % slide_us
            return SlidingWindow(time, size_us, slide_us, offset_us)
        case "session":
            return SessionWindow(time, size * unit_us)
        case "count":
            return CountWindow(size, slide)
    return None


def _aggregate(draw: st.DrawFn, node: Operator, shape: Shape) -> AggregateCall:
    assert shape.modes is not None
    call = _call(draw, node, shape.modes)
    while not shape.rounding and rounds(call):
        call = _call(draw, node, shape.modes)
    return call


def rounds(call: AggregateCall) -> bool:
    """Whether the result may depend on the order of the rows in its last digits."""
    if call.argument is None or call.function in EXACT:
        return False
    type_ = call.argument.type
    if call.function == "avg":
        return not type_.is_integer or type_.bits > 32
    return call.type.is_float


def rounded_names(plan: Sink) -> frozenset[str]:
    """The result columns whose last digits may depend on the order of additions."""
    found: frozenset[str] = frozenset()
    for node in reversed(tuple(plan.walk())):
        match node:
            case Aggregate(_, _, keys, aggregates):
                reads = {k.name for k in keys if k.expr.columns() & found}
                reads |= {
                    a.name
                    for a in aggregates
                    if rounds(a.call)
                    or (a.call.argument is not None and a.call.argument.columns() & found)
                }
                found = frozenset(reads)
            case Project(_, columns):
                found = frozenset(c.name for c in columns if c.expr.columns() & found)
    return found


def _chained(draw: st.DrawFn, node: Operator, unit_us: int, shape: Shape) -> Operator:
    """Windows over the results of windows, by one of their bounds or by count."""
    times = [n for n in (WINDOW_END, WINDOW_START) if node.schema[n].type is TIMESTAMP]
    if not times:  # count windows have no time
        shape = replace(shape, windows=("count", "none"))
    bound = draw(st.sampled_from(times or [WINDOW_END]))
    field = node.schema[bound]
    return _windowed(draw, node, Column(bound, field.type, field.nullable), unit_us, shape)


def events(draw: st.DrawFn, schema: Schema, unit_us: int, most_rows: int) -> Iterator[Step]:
    """Batches of rows, some of them empty, with punctuations between."""
    times = draw(event_times(schema[TIME], unit_us, most_rows))
    others = {field.name: cells(field) for field in schema if field.name != TIME}
    rows = [{**draw(st.fixed_dictionaries(others)), TIME: time} for time in times]
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=5)))
    for begin, end in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        yield Rows(tuple(rows[begin:end]))
        if not draw(st.integers(0, 3)):
            seen = [time for time in times[:end] if time is not None] or [0]
            yield Punctuation(max(seen) + draw(st.integers(-20, 20)) * unit_us)


@st.composite
def event_times(draw: st.DrawFn, field: Field, unit_us: int, most_rows: int) -> list[int | None]:
    """Times in the order of arrival: in order, late by up to some units, or in any order."""
    base_us = draw(st.sampled_from(BASES_US))
    disorder = draw(st.sampled_from((0, 0, 1, 5, 30)))
    steps = st.sampled_from((0, 0, 0, 1, 1, 2, 5, 40))
    now, times = 0, list[int | None]()
    for _ in range(draw(st.integers(0, most_rows))):
        now += draw(steps)
        late = draw(st.integers(0, disorder)) if disorder else 0
        odd_us = draw(st.sampled_from((0, 0, 0, 1, -1, unit_us // 2)))
        time = base_us + (now - late) * unit_us + odd_us
        kind = draw(st.integers(0, 29))
        if kind == 0:
            time = draw(timestamps())
        times.append(None if kind in (1, 2) and field.nullable else time)
    return times
