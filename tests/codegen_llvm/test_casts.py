"""Compiled casts give what the evaluator gives: all pairs of types, all modes, hostile texts.

Casts of one source and mode to all types are one kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive.runtime import Projection
from ir import (
    BINARY,
    BOOL,
    DATE,
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Call,
    Cast,
    Column,
    DataType,
    EvalMode,
    EvaluationError,
    Expr,
    Field,
    Literal,
    Named,
    Project,
    Scalar,
    Schema,
    Sink,
    Source,
    decimal,
    evaluate_expr,
)
from ir.casts import can_cast, cast_can_fail
from ir.conversion import to_text
from tests.arrow import canonical, from_table, to_batch
from tests.ir.cast_inputs import TEXTS, TODAY_TEXTS, inputs
from tests.strategies import ALL_MODES, values

VALUE, WHICH = "v", "which"
# Not all: a kernel takes a second to compile.
TYPES = (
    *(BOOL, INT8, INT64, FLOAT32, FLOAT64, STRING, BINARY, DATE, TIMESTAMP),
    *(decimal(10, 7), decimal(20, 4), decimal(38, 0), decimal(38, 38)),
)


@cache
def targets(source: DataType, mode: EvalMode, *, failing: bool) -> tuple[DataType, ...]:
    """The types that a source can be cast to, by whether that may fail."""
    possible = (t for t in TYPES if can_cast(source, t, mode))
    return tuple(t for t in possible if cast_can_fail(source, t, mode) is failing)


@cache
def quiet_projection(source: DataType, mode: EvalMode) -> tuple[Projection, Schema]:
    """All casts that cannot fail, side by side."""
    schema = Schema((Field(VALUE, source),))
    column = Column(VALUE, source)
    casts = [Cast(column, target, mode) for target in targets(source, mode, failing=False)]
    named = tuple(Named(f"c{place}", cast) for place, cast in enumerate(casts))
    return Projection(Sink(Project(Source("in", schema), named), "out")), schema


@cache
def failing_projection(source: DataType, mode: EvalMode) -> tuple[Projection, Schema]:
    """All casts that may fail as text, one of which is chosen by a column."""
    schema = Schema((Field(VALUE, source), Field(WHICH, INT32, nullable=False)))
    column, which = Column(VALUE, source), Column(WHICH, INT32, nullable=False)
    parts: list[Expr] = []
    for place, target in enumerate(targets(source, mode, failing=True)):
        shown: Expr = Cast(column, target, mode)
        shown = shown if target is STRING else Cast(shown, STRING)
        parts += (Call("eq", (which, Literal(place, INT32))), shown)
    made = Named("c", Call("case_when", (*parts, Literal(None, STRING))))
    return Projection(Sink(Project(Source("in", schema), (made,)), "out")), schema


def check_quiet(source: DataType, mode: EvalMode, found: list[Scalar]) -> None:
    projection, schema = quiet_projection(source, mode)
    rows = [{VALUE: value} for value in found]
    made = projection.run(to_batch(rows, schema))
    expected = [
        {c.name: evaluate_expr(c.expr, row) for c in projection.program.columns} for row in rows
    ]
    assert len(from_table(made)) == len(expected)
    for row, here, wanted in zip(rows, from_table(made), expected, strict=True):
        assert canonical([here]) == canonical([wanted]), (row, mode)


def check_failing(source: DataType, mode: EvalMode, value: Scalar) -> None:
    """Each value by itself, cast to each type: an error, or the same text."""
    projection, schema = failing_projection(source, mode)
    for place, target in enumerate(targets(source, mode, failing=True)):
        batch = to_batch([{VALUE: value, WHICH: place}], schema)
        cast = Cast(Column(VALUE, source), target, mode)
        wanted = outcome(lambda cast=cast: as_text(evaluate_expr(cast, {VALUE: value}), cast.type))
        made = outcome(lambda batch=batch: projection.run(batch).column(0).to_pylist()[0])
        assert made == wanted, (value, target, mode)


def as_text(value: Scalar, type_: DataType) -> str | None:
    return None if value is None else to_text(value, type_)


def outcome(compute: Callable[[], str | None]) -> tuple[str, str | None]:
    """What comes of a computation: its value, or the condition of its error."""
    try:
        return "value", compute()
    except EvaluationError as error:
        return "error", error.condition


@pytest.mark.long
@pytest.mark.parametrize("mode", ALL_MODES)
@pytest.mark.parametrize("source", TYPES, ids=str)
def test_edges(source: DataType, mode: EvalMode) -> None:
    found: list[Scalar] = [*inputs(source), None]
    if targets(source, mode, failing=False):
        check_quiet(source, mode, found)
    if targets(source, mode, failing=True):
        some = found if source is not STRING else [*found[mode is EvalMode.TRY :: 9], *TODAY_TEXTS]
        for value in some:
            check_failing(source, mode, value)


@st.composite
def spoiled_texts(draw: st.DrawFn) -> str:
    """A text that is right for some type, and then perhaps not any more."""
    if draw(st.booleans()):
        text = draw(st.sampled_from(TEXTS))
    else:
        type_ = draw(st.sampled_from([t for t in TYPES if not t.is_bytes]))
        text = to_text(draw(values(type_)), type_)
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 1))
        text = text[:place] + draw(st.sampled_from(SPOILERS)) + text[place + cut :]
    return text


SPOILERS = (
    *"0159+-.:eE TZxdf\x7f\x00é٣",
    "",
    "UTC",
    "+01:00",
    "00000",
    "99999999999999999999",
    "PST",
)
SPOILERS += ("Europe/Berlin", " America/New_York")


def sources(type_: DataType) -> st.SearchStrategy[Scalar]:
    """Values of a type; a binary of text, for Python has no other strings."""
    if type_ is STRING:
        return spoiled_texts()
    return values(STRING).map(lambda s: str(s).encode()) if type_ is BINARY else values(type_)


@pytest.mark.long
@pytest.mark.parametrize("source", TYPES, ids=str)
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_values(source: DataType, data: st.DataObject) -> None:
    found = data.draw(st.lists(st.one_of(sources(source), st.none()), min_size=1, max_size=30))
    for mode in ALL_MODES:
        if targets(source, mode, failing=False):
            check_quiet(source, mode, found)
        if targets(source, mode, failing=True):
            check_failing(source, mode, found[0])


def test_a_text_that_is_not_utf8_keeps_its_bytes() -> None:
    schema = Schema((Field(VALUE, BINARY),))
    back = Cast(Cast(Column(VALUE, BINARY), STRING), BINARY)
    plan = Sink(Project(Source("in", schema), (Named("r", back),)), "out")
    row = {VALUE: b"\xff\xfeA"}
    assert evaluate_expr(back, row) == b"\xff\xfeA"
    assert Projection(plan).run(to_batch([row], schema)).column(0).to_pylist() == [b"\xff\xfeA"]


def test_dates_too_far_for_timestamps_fail_in_legacy_mode_too() -> None:
    assert cast_can_fail(DATE, TIMESTAMP, EvalMode.LEGACY)
    with pytest.raises(EvaluationError, match="ARITHMETIC_OVERFLOW"):
        evaluate_expr(Cast(Literal(2**31 - 1, DATE), TIMESTAMP, EvalMode.LEGACY), {})
