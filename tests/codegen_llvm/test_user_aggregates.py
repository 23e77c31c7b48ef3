"""Users' aggregates by example: errors, nulls, states of no rows, and what is not compiled."""

from __future__ import annotations

import pyarrow as pa
import pytest

from adaptive.runtime import PlanRunner
from adaptive.runtime.combine import WindowTable
from codegen_llvm import can_subtract, slot_layout, unsupported
from ir import (
    INT64,
    STRING,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    EvaluationError,
    Expr,
    Field,
    IrError,
    IrTypeError,
    Literal,
    Named,
    NamedAggregate,
    Scalar,
    Schema,
    Sink,
    Source,
    UserAggregate,
    cut,
    evaluate,
    flatten,
    from_json,
    plan_text,
    to_json,
    verify,
)
from ir.user_aggregates import other_column
from tests.arrow import canonical, from_table, to_batch
from tests.user_aggregates import columns, fields, greatest, number_of_rows

SCHEMA = Schema((Field("k", INT64, False), Field("v", INT64), Field("s", STRING)))
V = Column("v", INT64)
KEY = (Named("k", Column("k", INT64, False)),)


def total(result: Expr | None = None) -> UserAggregate:
    """A sum that fails where it does not fit."""
    state = fields(total=INT64)
    (so_far,), value = columns(state), Column("value", INT64, False)
    return UserAggregate(
        "total",
        fields(value=INT64),
        state,
        (Literal(0, INT64),),
        (Call("add", (so_far, value)),),
        (Call("add", (so_far, other_column(state.fields[0]))),),
        so_far if result is None else result,
    )


def plan_of(definition: UserAggregate, *arguments: Expr, keys: tuple[Named, ...] = KEY) -> Sink:
    """One user's aggregate by key."""
    first = arguments[0] if arguments else None
    call = AggregateCall(definition.name, first, more=arguments[1:], definition=definition)
    return Sink(Aggregate(Source("in", SCHEMA), None, keys, (NamedAggregate("r", call),)), "out")


def batch_of(*values: int | None) -> pa.RecordBatch:
    """Rows of one key."""
    return to_batch([{"k": 1, "v": value, "s": None} for value in values], SCHEMA)


def test_a_row_that_fails_is_named() -> None:
    runner = PlanRunner(plan_of(total(), V))
    with pytest.raises(EvaluationError, match=r"total \+ value.*at row 2") as raised:
        runner.consume(batch_of(INT64.high, None, 1))
    assert raised.value.condition == "ARITHMETIC_OVERFLOW"


def test_a_merge_that_fails_is_named() -> None:
    runners = [PlanRunner(plan_of(total(), V)) for _ in range(2)]
    window = WindowTable(runners[0].program)
    for runner in runners:
        runner.consume(batch_of(INT64.high))
    window.add(runners[0].generic.current)
    with pytest.raises(EvaluationError, match=r"total \+ `other.total`"):
        window.add(runners[1].generic.current)


def test_a_result_that_fails_is_named() -> None:
    (so_far,) = columns(fields(total=INT64))
    runner = PlanRunner(plan_of(total(Call("int_divide", (Literal(1, INT64), so_far))), V))
    runner.consume(batch_of(3, -3))
    with pytest.raises(EvaluationError, match="1 div total"):
        runner.finish()


@pytest.mark.parametrize("keys", [KEY, ()], ids=["keyed", "global"])
@pytest.mark.parametrize("values", [(), (None,), (None, 5, None, -2)], ids=str)
def test_nulls_are_skipped(values: tuple[int | None, ...], keys: tuple[Named, ...]) -> None:
    """Also where computing with what lies behind a null would fail."""
    inverse = Call("int_divide", (Literal(100, INT64), Column("value", INT64, False)))
    definition = greatest(INT64)
    definition = UserAggregate(
        "top",
        definition.inputs,
        definition.state,
        definition.initial,
        (Call("greatest", (columns(definition.state)[0], inverse)),),
        definition.merge,
        definition.result,
    )
    plan = plan_of(definition, V, keys=keys)
    rows: list[dict[str, Scalar]] = [{"k": 1, "v": value, "s": None} for value in values]
    runner = PlanRunner(plan)
    runner.consume(to_batch(rows, SCHEMA))
    assert canonical(from_table(runner.finish())) == canonical(evaluate(plan, rows))


def test_a_definition_travels() -> None:
    """The plan is rebuilt from JSON, and its text has all that distinguishes definitions."""
    plan = plan_of(total(), V)
    verify(plan)
    assert from_json(to_json(plan)) == plan
    text = plan_text(plan)
    for part in ("initial total = 0", "accumulate total = total + value", "result total"):
        assert part in text
    assert text != plan_text(plan_of(total(Literal(1, INT64)), V))


def test_what_has_an_inverse_is_taken_out() -> None:
    for definition, wanted in ((number_of_rows(), True), (greatest(INT64), False)):
        arguments = [V] * len(definition.inputs)
        program = flatten(cut(plan_of(definition, *arguments))[0])
        layout = slot_layout(program, slice_is_key=False, counts_rows=True)
        assert can_subtract(program, layout) is wanted


def test_a_state_of_strings_is_refused() -> None:
    reasons = unsupported(plan_of(greatest(STRING), Column("s", STRING)))
    assert "top: a state of type string is not compiled" in reasons


def test_what_does_not_fit_is_refused() -> None:
    state = fields(total=INT64)
    start, kept = (Literal(0, INT64),), columns(state)[0]
    with pytest.raises(IrError, match="merge has 0 values for a state of 1; give one for each"):
        UserAggregate("u", Schema(()), state, start, (kept,), (), kept)
    text = (Literal("", STRING),)
    with pytest.raises(IrTypeError, match=r"accumulate of 'total' makes .*string.*; cast it"):
        UserAggregate("u", Schema(()), state, start, text, (kept,), kept)
    with pytest.raises(IrTypeError, match=r"total needs \(int64\), got \(string\); cast them"):
        plan_of(total(), Column("s", STRING))
    with pytest.raises(IrTypeError, match="must not be that of a built-in one"):
        AggregateCall("sum", V, definition=total())
