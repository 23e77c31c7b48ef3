"""Rows of hot keys are added up beside the table: for the same groups, whatever leaves between."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from adaptive.runtime import PlanRunner
from adaptive.runtime.binding import bind
from adaptive.runtime.group_kernels import GroupKernels
from adaptive.runtime.state import GroupState
from codegen_llvm import Encoding, InputLayout, slot_layout
from codegen_llvm.abi import Exit
from codegen_llvm.hot_keys import MOST_HOT_KEYS, usable_keys
from codegen_llvm.kernel import build_kernel
from ir import (
    BOOL,
    FLOAT64,
    INT8,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    EvalMode,
    Field,
    Filter,
    Hint,
    HotKeys,
    KeysInRange,
    Literal,
    Named,
    NamedAggregate,
    Operator,
    Prefetch,
    Scalar,
    Schema,
    SelectRows,
    Sink,
    Source,
    Tier,
    TumblingWindow,
    VariantSpec,
    evaluate,
)
from ir.pipelines import RowProgram, cut, flatten, narrow_nulls
from policies import Fixed
from tests.arrow import canonical, from_table, to_batch

SECOND_US = 1_000_000
SCHEMA = Schema(
    (
        Field("k", INT64, nullable=False),
        Field("b", INT8),
        Field("v", INT64),
        Field("x", FLOAT64, nullable=False),
        Field("s", STRING, nullable=False),
        Field("t", TIMESTAMP),
    )
)
Rows = list[dict[str, Scalar]]


def column(name: str) -> Column:
    """A column of the schema."""
    return Column(name, SCHEMA[name].type, SCHEMA[name].nullable)


COUNTED = (AggregateCall("count"), AggregateCall("count", column("v")))
SUMMED = (AggregateCall("sum", column("v")), AggregateCall("sum", column("b")))
WRAPPED = (AggregateCall("sum", column("v"), EvalMode.LEGACY),)
EXTREMES = (AggregateCall("min", column("v")), AggregateCall("max", column("x")))
JOINED = (AggregateCall("bit_and", column("v")), AggregateCall("bit_xor", column("b")))
AVERAGED = (AggregateCall("avg", column("b")), AggregateCall("sum", column("x")))


def plan_of(
    calls: tuple[AggregateCall, ...], keys: tuple[str, ...], *, filtered: bool, sliced: bool
) -> Sink:
    """Groups of keys, with the aggregates wanted."""
    node: Operator = Source("in", SCHEMA)
    if filtered:
        node = Filter(node, Call("ge", (column("b"), Literal(-1, INT8))))
    window = TumblingWindow(column("t"), 10 * SECOND_US) if sliced else None
    named = tuple(NamedAggregate(f"r{i}", call) for i, call in enumerate(calls))
    return Sink(
        Aggregate(node, window, tuple(Named(key, column(key)) for key in keys), named), "out"
    )


def some_rows(chance: Random, nulls: bool) -> Rows:
    """Rows of few keys and of many, in times that go on; now and then with very large values.

    With nulls, groups begin without a value, which later batches bring.
    """
    count, keys = chance.randrange(1, 200), chance.choice((3, 6, 200))
    large = chance.choice((0.0, 0.0, 0.01, 0.2))
    pace = chance.choice((0, 0, 100_000, 2 * SECOND_US))

    def row(number: int) -> dict[str, Scalar]:
        values = (2**63 - 1, -(2**63), 2**61, -(2**47), 2**40)
        wild = chance.random() < large
        return {
            "k": chance.choice((1, 2, chance.randrange(keys), chance.randrange(keys))),
            "b": None if nulls and number < 6 else chance.randrange(-2, 3),
            "v": chance.choice(values) if wild else chance.randrange(-50, 50),
            "x": chance.randrange(-8, 8) / 4,  # so that sums are exact in any order
            "s": "text",
            "t": number * pace,
        }

    return [row(number) for number in range(count)]


def any_spec(chance: Random, keys: int, hints: tuple[Hint, ...]) -> VariantSpec:
    """One of two codes: for arrays, of which many are too small, and for hash tables."""
    if chance.random() < 0.4:
        return VariantSpec(Tier.SPECULATIVE, (), hints)
    ranges = ((chance.choice((0, 0, 1, 2)), chance.choice((2, 5, 30, 70))), (-2, 2))[:keys]
    return VariantSpec(Tier.SPECULATIVE, (KeysInRange(ranges),), hints)


def made(plan: Sink, spec: VariantSpec, rows: Rows, chance: Random) -> Rows:
    """What a variant gives for rows in batches of any sizes."""
    runner = PlanRunner(plan, Fixed(spec), most_slices=chance.choice((2, 1024)))
    begin = 0
    while begin < len(rows):
        end = begin + chance.choice((6, chance.randrange(1, 120)))
        runner.consume(to_batch(rows[begin:end], SCHEMA))
        begin = end
    return from_table(runner.finish())


CALLS = {
    "counts": COUNTED,
    "sums": SUMMED,
    "wrapped": WRAPPED,
    "extremes": EXTREMES,
    "joined": JOINED,
    "averages": AVERAGED,
    "mixed": (*SUMMED, *COUNTED, *EXTREMES),
}
WAYS = 24


@pytest.mark.long
@pytest.mark.parametrize("sliced", [False, True], ids=["one slice", "slices"])
@pytest.mark.parametrize("filtered", [False, True], ids=["all rows", "filtered"])
@pytest.mark.parametrize("calls", CALLS)
def test_hot_rows_are_in_their_groups(calls: str, filtered: bool, sliced: bool) -> None:
    """24 ways through each of 28 programs: ranges that fail, tables that grow, sums that spill."""
    chance = Random(f"{calls} {filtered} {sliced}")
    keys = ("k", "b") if calls == "mixed" else ("k",)
    mode = EvalMode.TRY  # a sum that does not fit is null, so that there is always a result
    wanted = tuple(
        call if call.mode is EvalMode.LEGACY else replace(call, mode=mode) for call in CALLS[calls]
    )
    plan = plan_of(wanted, keys, filtered=filtered, sliced=sliced)
    hot = HotKeys(tuple((value, -1, 0)[: len(keys)] for value in (1, 77, 2)))
    ahead = (Prefetch(3),) if sliced else ()
    hints: tuple[Hint, ...] = (SelectRows(chance.choice((4, 7, 32))), hot, *ahead)
    for way in range(WAYS):
        rows = some_rows(chance, nulls="b" not in keys and way % 4 == 0)
        spec = any_spec(chance, len(keys), hints)
        expected = canonical(evaluate(plan, rows))
        assert canonical(made(plan, spec, rows, chance)) == expected, (way, spec, rows)


def program_of(calls: tuple[AggregateCall, ...], *keys: str) -> RowProgram:
    """A program over batches that have no nulls."""
    program = flatten(cut(plan_of(calls, keys, filtered=False, sliced=False))[0])
    return narrow_nulls(program, frozenset(program.input.names))


def test_rows_of_groups_are_counted() -> None:
    """Where windows overlap, a group's rows are counted beside its aggregates."""
    program = flatten(cut(plan_of(SUMMED, ("k",), filtered=True, sliced=False))[0])
    state = GroupState(slot_layout(program, False, counts_rows=True), 0)
    kernels = GroupKernels(program, state)
    rows = [{**row, "b": 1} for row in some_rows(Random(1), nulls=False)]
    kernels.begin(bind(to_batch(rows, SCHEMA), program.input), 0, len(rows))
    spec = VariantSpec(Tier.SPECULATIVE, (), (SelectRows(8), HotKeys(FITTING)))
    assert kernels.run(spec) == Exit.DONE
    groups = state.current.slots
    counted = {int(one["key0"]): int(one["rows"]) for one in groups[groups["tag"] != 0]}
    assert counted == Counter(row["k"] for row in rows)


FITTING = ((1,), (2,))
TEXT = (AggregateCall("max", column("s")),)
KEPT = (AggregateCall("first", column("v"), EvalMode.ANSI, (False,)),)
CASES = {
    "integer key": (program_of(SUMMED, "k"), FITTING, FITTING),
    "two keys": (program_of(COUNTED, "k", "b"), ((1, 2), (1,)), ((1, 2),)),
    "twice the same": (program_of(SUMMED, "k"), ((1,), (1,)), ((1,),)),
    "too large": (program_of(SUMMED, "b"), ((128,), (-128,), (127,)), ((-128,), (127,))),
    "too many": (
        program_of(SUMMED, "k"),
        tuple((n,) for n in range(9)),
        tuple((n,) for n in range(MOST_HOT_KEYS)),
    ),
    "float key": (program_of(SUMMED, "x"), FITTING, ()),
    "string key": (program_of(SUMMED, "s"), FITTING, ()),
    "no key": (program_of(SUMMED), ((),), ()),
    "strings": (program_of(TEXT, "k"), FITTING, ()),
    "order of rows": (program_of(KEPT, "k"), FITTING, ()),
}


@pytest.mark.parametrize("case", CASES)
def test_usable_keys(case: str) -> None:
    """A hint that does not fit the program is ignored."""
    program, keys, usable = CASES[case]
    assert usable_keys(program, slot_layout(program, False), HotKeys(keys)) == usable


def test_values_that_may_be_null_or_fail_are_not_hot() -> None:
    """What a row has for a group must be known before anything takes effect."""
    nullable = flatten(cut(plan_of(SUMMED, ("k",), filtered=False, sliced=False))[0])
    assert usable_keys(nullable, slot_layout(nullable, False), HotKeys(FITTING)) == ()
    inverse = Call("int_divide", (Literal(1, INT64), column("k")))
    failing = program_of((AggregateCall("sum", inverse),), "k")
    assert usable_keys(failing, slot_layout(failing, False), HotKeys(FITTING)) == ()
    is_one = Call("eq", (column("k"), Literal(1, INT64)))
    of_bool = replace(program_of(COUNTED, "k"), keys=(Named("k", is_one),))
    assert is_one.type == BOOL
    wanted = HotKeys(((1,), (2,)))
    assert usable_keys(of_bool, slot_layout(of_bool, False), wanted) == ((1,),)


@pytest.mark.parametrize("has_nulls", [False, True])
def test_the_pass_is_there_only_where_it_can_be(has_nulls: bool) -> None:
    """With nulls in the batch, the plan's sums go the plain way."""
    program = flatten(cut(plan_of(SUMMED, ("k",), filtered=True, sliced=False))[0])
    layout = InputLayout((Encoding.PLAIN,) * len(program.input.names), has_nulls)
    spec = VariantSpec(Tier.SPECULATIVE, (), (SelectRows(), HotKeys(FITTING)))
    module = str(build_kernel(program, layout, slot_layout(program, False), spec).module)
    assert ("hot.split" in module) is not has_nulls
