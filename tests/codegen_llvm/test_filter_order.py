"""Which filters a variant tests first, whatever its hint says."""

from __future__ import annotations

import pytest
from llvmlite import ir as ll

from codegen_llvm import Encoding, InputLayout
from codegen_llvm.block_filter import BlockFilter
from codegen_llvm.builder import I32, PTR, new_function
from codegen_llvm.columns import Columns
from codegen_llvm.filter_order import ordered_filters
from ir import (
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    EvalMode,
    Expr,
    Field,
    Filter,
    FilterOrder,
    Literal,
    NamedAggregate,
    Operator,
    Schema,
    Sink,
    Source,
    TumblingWindow,
)
from ir.pipelines import RowProgram, cut, flatten

SCHEMA = Schema(
    (
        *(Field(name, INT64, nullable=False) for name in "abc"),
        Field("s", STRING, nullable=False),
        Field("t", TIMESTAMP),
    )
)
TIME = Column("t", TIMESTAMP)


def least(name: str) -> Expr:
    """A comparison that vectors make."""
    return Call("ge", (Column(name, INT64, False), Literal(0, INT64)))


A, B, C = map(least, "abc")
TEXT = Call("eq", (Column("s", STRING, False), Literal("view", STRING)))
PART = Call("contains", (Column("s", STRING, False), Literal("view", STRING)))
DIVIDED = Call(
    "gt", (Call("int_divide", (Literal(9, INT64), Column("a", INT64, False))), Literal(1, INT64))
)
MET = Call("is_not_null", (Column("a", INT64, False),))
TIMED = Call("is_not_null", (TIME,))


def program_of(*filters: Expr, sliced: bool = False) -> RowProgram:
    """A count of the rows that pass."""
    node: Operator = Source("in", SCHEMA)
    for predicate in filters:
        node = Filter(node, predicate)
    window = TumblingWindow(TIME, 1_000_000) if sliced else None
    counted = (NamedAggregate("n", AggregateCall("count")),)
    return flatten(cut(Sink(Aggregate(node, window, (), counted), "out"))[0])


def passes(program: RowProgram, order: FilterOrder | None) -> tuple[list[Expr], list[Expr]]:
    """What is tested for all rows together, and what then for those that are left."""
    made = ordered_filters(program, order)
    cx = new_function(ll.Module("test"), "test", I32, (PTR, PTR, PTR))
    layout = InputLayout((Encoding.PLAIN,) * len(program.input.names))
    columns = Columns(cx, program.input, layout, ())
    _, selection, mask = cx.function.args
    blocks = BlockFilter(cx, columns, made.filters, selection, mask, together=made.together)
    return [*blocks.tested, *blocks.lengths], blocks.refined


CASES: dict[str, tuple[tuple[Expr, ...], FilterOrder | None, list[Expr], list[Expr]]] = {
    "no hint": ((A, B, TEXT, C), None, [A, B, TEXT], [TEXT, C]),
    "no hint, text first": ((TEXT, A), None, [TEXT], [TEXT, A]),
    "one first": ((A, B, C), FilterOrder((2,), (0, 1)), [C], [A, B]),
    "two first": ((A, B, C), FilterOrder((1, 2), (0,)), [B, C], [A]),
    "none first": ((A, B, C), FilterOrder((), (2, 0, 1)), [C], [A, B]),
    "missing ones follow": ((A, B, C), FilterOrder((2,)), [C, A, B], []),
    "missing ones behind others": ((A, B, C), FilterOrder((2,), (1,)), [C], [B, A]),
    "unknown ones": ((A, B), FilterOrder((7, 1, -1), (9, 0)), [B], [A]),
    "twice the same": ((A, B), FilterOrder((1, 1), (0, 1)), [B], [A]),
    "behind costly ones": ((PART, A, B), FilterOrder((0, 2), (1,)), [B], [PART, A]),
    "text behind numbers": ((TEXT, A, B), FilterOrder((2,), (0, 1)), [B], [TEXT, A]),
    "text with numbers": ((TEXT, A, B), FilterOrder((0, 2), (1,)), [B, TEXT], [TEXT, A]),
    "text alone": ((A, TEXT), FilterOrder((), (1, 0)), [TEXT], [TEXT, A]),
    "protected": ((A, DIVIDED), FilterOrder((1,), (0,)), [A], [DIVIDED]),
    "past one that fails": ((A, DIVIDED, B), FilterOrder((2,), (1, 0)), [A], [DIVIDED, B]),
    "fails first": ((DIVIDED, A, B), FilterOrder((2, 1), (0,)), [], [DIVIDED, B, A]),
    "met ones keep their number": ((MET, A, B), FilterOrder((2,), (0, 1)), [B], [A]),
}


@pytest.mark.parametrize("case", CASES)
def test_passes(case: str) -> None:
    """A hint moves filters, but none past one that can fail."""
    filters, order, together, refined = CASES[case]
    assert passes(program_of(*filters), order) == (together, refined)


def test_the_time_of_a_row_is_tested_last() -> None:
    """It has no number that a hint could name."""
    program = program_of(A, B, sliced=True)
    assert passes(program, FilterOrder((1,), (0,))) == ([B], [A, TIMED])
    assert passes(program, FilterOrder((2, 1))) == ([B, A, TIMED], [])
    assert passes(program, None) == ([A, B, TIMED], [])


def test_modes_decide_what_can_fail() -> None:
    """A division that gives null instead may move."""
    number = Call("int_divide", (Literal(9, INT64), Column("a", INT64, False)), EvalMode.TRY)
    safe = Call("gt", (number, Literal(1, INT64)))
    assert passes(program_of(safe, A), FilterOrder((1,), (0,))) == ([A], [safe])
