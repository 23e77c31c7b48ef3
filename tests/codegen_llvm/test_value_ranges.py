"""Ranges of values that are assumed: what is in them is computed unchecked, what is not leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pyarrow as pa
import pytest

from adaptive.runtime import PlanRunner, Projection
from codegen_llvm.filter_order import ordered_filters
from codegen_llvm.value_ranges import assumed_ranges
from ir import (
    DATE,
    GENERIC,
    INT8,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Column,
    EvaluationError,
    Expr,
    Field,
    Filter,
    FilterOrder,
    Hint,
    Literal,
    Named,
    NamedAggregate,
    Operator,
    Project,
    Scalar,
    Schema,
    SelectRows,
    Sink,
    Source,
    Tier,
    TumblingWindow,
    ValuesInRange,
    VariantSpec,
    decimal,
    evaluate,
)
from ir.pipelines import cut, flatten
from ir.text_form import expr_text
from policies import Fixed
from tests.arrow import canonical, from_table, to_batch

Rows = list[dict[str, Scalar]]
SECOND_US = 1_000_000
MONEY = decimal(12, 2)
FIELDS = {"a": INT64, "b": INT64, "i": INT32, "s": INT8, "d": DATE, "t": TIMESTAMP, "p": MONEY}
BLOCKS: dict[str, tuple[Hint, ...]] = {
    "branches": (),
    "one": (SelectRows(1),),
    "seven": (SelectRows(7),),
    "blocks": GENERIC.hints,
}
MOST = 1000  # of `a` and `b`, whose product with SCALE leaves 64 bits just beyond
SCALE = (2**63 - 1) // MOST**2


def schema_of(*, nullable: bool) -> Schema:
    """Decimals and nulls are looked at by themselves, other columns while filters are tested."""
    names = [name for name in FIELDS if nullable or name != "p"]
    return Schema(tuple(Field(name, FIELDS[name], nullable) for name in names))


def columns_of(schema: Schema) -> dict[str, Column]:
    return {field.name: Column(field.name, field.type, field.nullable) for field in schema}


def call(function: str, *args: Expr) -> Call:
    return Call(function, args)


def of(value: int) -> Literal:
    return Literal(value, INT64)


def product(schema: Schema) -> Call:
    """Fits exactly up to MOST * MOST."""
    made = columns_of(schema)
    return call("multiply", call("multiply", made["a"], made["b"]), of(SCALE))


def filters_of(schema: Schema) -> list[Expr]:
    """Arithmetic of every kind, each of which fails for some values of the types."""
    made = columns_of(schema)
    short = decimal(6, 2)
    steps = Call("timestamp_add", (Literal("hour", STRING), of(1), made["t"]))
    return [
        call("gt", product(schema), of(-(2**62))),
        call("ge", call("abs", call("subtract", made["a"], made["b"])), of(0)),
        call("ge", Cast(call("add", made["a"], made["b"]), INT32), Literal(-1500, INT32)),
        call("ge", call("add", made["i"], made["i"]), Literal(-1900, INT32)),
        call("ge", call("negate", made["s"]), Literal(-100, INT8)),
        call("ge", Cast(made["d"], TIMESTAMP), Literal(0, TIMESTAMP)),
        call("ge", steps, Literal(0, TIMESTAMP)),
        call("ge", call("int_divide", of(9), call("add", made["b"], of(MOST + 1))), of(0)),
        *([call("ge", Cast(made["p"], short), Literal(-900_00, short))] if "p" in made else []),
    ]


HOLDS = (
    ValuesInRange("a", -MOST, MOST),
    ValuesInRange("b", -MOST, MOST),
    ValuesInRange("i", -MOST, MOST),
    ValuesInRange("s", -100, 100),
    ValuesInRange("d", 0, 20_000),
    ValuesInRange("t", 0, 10**15),
    ValuesInRange("p", -999_999, 999_999),
)
LIMITS = {claim.column: (claim.low, claim.high) for claim in HOLDS}


def rows_of(schema: Schema, chance: Random, count: int, nulls: float) -> Rows:
    """Values in the ranges, often at their ends."""

    def cell(field: Field) -> Scalar:
        if field.nullable and chance.random() < nulls:
            return None
        low, high = LIMITS[field.name]
        return chance.choice((low, high, chance.randint(low, high), chance.randint(low, high)))

    return [{field.name: cell(field) for field in schema} for _ in range(count)]


def grouped(filters: Sequence[Expr], schema: Schema, *, window: bool = False) -> Sink:
    node: Operator = Source("in", schema)
    for predicate in filters:
        node = Filter(node, predicate)
    made = columns_of(schema)
    calls = (
        AggregateCall("count", None),
        AggregateCall("sum", Cast(product(schema), decimal(38, 0))),
        AggregateCall("max", call("subtract", made["a"], made["b"])),
    )
    named = tuple(NamedAggregate(f"r{i}", one) for i, one in enumerate(calls))
    slices = TumblingWindow(made["t"], 10**14) if window else None
    key = Named("k", call("pmod", made["i"], Literal(5, INT32)))
    return Sink(Aggregate(node, slices, (key,), named), "out")


def projected(filters: Sequence[Expr], schema: Schema) -> Sink:
    node: Operator = Source("in", schema)
    for predicate in filters:
        node = Filter(node, predicate)
    made = columns_of(schema)
    exprs = (made["a"], product(schema), Cast(made["d"], TIMESTAMP), Cast(product(schema), STRING))
    return Sink(Project(node, tuple(Named(f"c{i}", e) for i, e in enumerate(exprs))), "out")


def run(plan: Sink, spec: VariantSpec, batch: pa.RecordBatch) -> tuple[object, int]:
    """The rows or the error of a plan, with the row that it names; and how often guards failed."""
    kind = Projection if isinstance(plan.inputs[0], Project) else PlanRunner
    runner = kind(plan, Fixed(spec))
    try:
        if isinstance(runner, Projection):
            made: object = canonical(from_table(runner.run(batch)))
            runner.leave()
        else:
            runner.consume(batch)
            made = canonical(from_table(runner.finish()))
    except EvaluationError as error:
        return str(error), 1
    return made, sum(use.guard_exits for use in runner.history)


def spec_of(blocks: str, *more: Hint, claims: Sequence[ValuesInRange] = HOLDS) -> VariantSpec:
    return VariantSpec(Tier.SPECULATIVE, tuple(claims), (*BLOCKS[blocks], *more))


def plan_of(kind: str, schema: Schema) -> Sink:
    if kind == "rows":
        return projected(filters_of(schema), schema)
    return grouped(filters_of(schema), schema, window=kind == "slices")


CASES = [
    (kind, blocks, nullable)
    for kind in ("rows", "groups", "slices")
    for blocks in BLOCKS
    for nullable in (False, True)
    if blocks in ("branches", "blocks") or not (nullable or kind == "slices")
]


@pytest.mark.parametrize(("kind", "blocks", "nullable"), CASES)
def test_what_is_in_the_ranges_is_not_checked_and_what_is_not_leaves_at_its_row(
    kind: str, blocks: str, nullable: bool
) -> None:
    """Also on the first and the last row of a block; where Spark fails, at the very row."""
    schema, chance = schema_of(nullable=nullable), Random(7)
    plan, rows = plan_of(kind, schema), rows_of(schema, chance, 29, 0.1)
    expected = canonical(evaluate(plan, rows))
    assert run(plan, spec_of(blocks), to_batch(rows, schema)) == (expected, 0)
    for at in (0, 6, 7, 28):
        for column, beyond in (("a", MOST + 1), ("s", -128), ("d", 2**31 - 1), ("p", 10**6)):
            passes = {**dict.fromkeys(schema.names, 0), "b": MOST}
            if column not in passes:
                continue
            wrong = [*rows[:at], {**passes, column: beyond}, *rows[at + 1 :]]
            batch = to_batch(wrong, schema)
            failed, _ = run(plan, GENERIC, batch)
            assert run(plan, spec_of(blocks), batch) == (failed, 1)
            assert f"at row {at} of the batch." in str(failed)


@pytest.mark.parametrize("kind", ["rows", "groups"])
@pytest.mark.parametrize("claims", [HOLDS[:2], HOLDS[:4]], ids=["64 bits", "also narrow"])
def test_ranges_are_looked_at_while_sixteen_rows_are_tested(
    kind: str, claims: tuple[ValuesInRange, ...]
) -> None:
    """And in the few rows behind the last sixteen."""
    schema = schema_of(nullable=False)
    filters = filters_of(schema)[: 2 if len(claims) == 2 else 5]
    plan = (projected if kind == "rows" else grouped)(filters, schema)
    rows = rows_of(schema, Random(11), 100, 0.0)
    spec = spec_of("blocks", claims=claims)
    assert run(plan, spec, to_batch(rows, schema)) == (canonical(evaluate(plan, rows)), 0)
    for at in (0, 1, 15, 16, 50, 95, 96, 99):
        passes = {**dict.fromkeys(schema.names, 0), "b": MOST, "a": MOST + 1}
        batch = to_batch([*rows[:at], passes, *rows[at + 1 :]], schema)
        made, exits = run(plan, spec, batch)
        assert (made, exits) == (run(plan, GENERIC, batch)[0], 1)
        assert f"`a * b * {SCALE}` at row {at} of the batch." in str(made)


@pytest.mark.parametrize("blocks", ["branches", "seven", "blocks"])
def test_a_row_that_is_dropped_costs_an_exit_and_no_error(blocks: str) -> None:
    schema = schema_of(nullable=True)
    keep = call("ne", columns_of(schema)["i"], Literal(77, INT32))
    rows = rows_of(schema, Random(3), 40, 0.0)
    rows[13] |= {"i": 77, "a": INT64.high}
    for plan in (projected([keep, *filters_of(schema)], schema), grouped([keep], schema)):
        made = run(plan, spec_of(blocks), to_batch(rows, schema))
        assert made == (canonical(evaluate(plan, rows)), 1)


@pytest.mark.parametrize("kind", ["rows", "groups"])
def test_what_is_behind_a_null_is_in_no_range(kind: str) -> None:
    """Arrow lets anything stand there; with it, products overflow, and nobody minds."""
    schema = schema_of(nullable=True)
    plan, rows = plan_of(kind, schema), rows_of(schema, Random(5), 40, 0.3)
    batch = to_batch(rows, schema)
    values = np.array([INT64.low if r["a"] is None else r["a"] for r in rows], np.int64)
    array = pa.Array.from_buffers(
        pa.int64(), 40, [batch.column("a").buffers()[0], pa.py_buffer(values.tobytes())]
    )
    batch = batch.set_column(batch.schema.get_field_index("a"), "a", array)
    assert run(plan, spec_of("blocks"), batch) == (canonical(evaluate(plan, rows)), 0)


def test_many_rows_outside_go_on_with_the_generic_variant() -> None:
    """Each exit doubles what the generic variant does, so that a wrong bet costs few of them."""
    schema = Schema((Field("a", INT64, False), Field("b", INT64, False)))
    made = columns_of(schema)
    predicate = call("gt", call("add", made["a"], made["b"]), of(0))
    rows: Rows = [{"a": n % 3, "b": 2**62 if n % 500 == 499 else 1} for n in range(20_000)]
    plan = Sink(Project(Filter(Source("in", schema), predicate), (Named("a", made["a"]),)), "out")
    spec = spec_of("seven", claims=[ValuesInRange(name, 0, 10**9) for name in "ab"])
    result, exits = run(plan, spec, to_batch(rows, schema))
    assert result == canonical(evaluate(plan, rows))
    assert 3 <= exits <= 5


SCHEMA = schema_of(nullable=False)
MADE = columns_of(SCHEMA)
USED: list[tuple[Expr, tuple[ValuesInRange, ...], set[str]]] = [
    (call("add", MADE["a"], of(1)), HOLDS, {"a"}),
    (product(SCHEMA), HOLDS, {"a", "b"}),
    (product(SCHEMA), HOLDS[:1], set()),
    (product(SCHEMA), (ValuesInRange("a", 0, 2**40), HOLDS[1]), {"a", "b"}),
    (call("add", MADE["a"], of(1)), (ValuesInRange("a", INT64.low, INT64.high),), set()),
    (call("add", MADE["i"], MADE["i"]), (ValuesInRange("i", 2**40, 2**41),), set()),
    (call("add", MADE["a"], of(1)), (ValuesInRange("none", 0, 1),), set()),
    (call("bit_and", MADE["a"], of(1)), HOLDS, set()),
    # What the types say needs no guard.
    (call("add", Cast(MADE["i"], INT64), of(1)), HOLDS, set()),
]


@pytest.mark.parametrize(("expr", "claims", "columns"), USED)
def test_only_ranges_that_prove_something_are_guarded(
    expr: Expr, claims: tuple[ValuesInRange, ...], columns: set[str]
) -> None:
    narrowed = flatten(cut(grouped([call("eq", expr, expr)], SCHEMA))[0])
    program = replace(narrowed, keys=(), aggregates=())
    assert set(assumed_ranges(program, VariantSpec(assumptions=claims))) == columns


def test_no_filter_is_a_barrier_where_its_range_proves_it() -> None:
    """A hint moves filters past those that are proven, and no further than the first other."""
    risky = call("gt", call("multiply", MADE["a"], MADE["b"]), of(0))
    other = call("gt", call("add", MADE["i"], MADE["i"]), Literal(0, INT32))
    plain = call("gt", MADE["b"], of(3))
    program = flatten(cut(grouped([risky, other, plain], SCHEMA))[0])
    order = FilterOrder((2,), (1, 0))

    def ordered(*claims: ValuesInRange) -> list[str]:
        spec = VariantSpec(assumptions=claims)
        proven = program.proven(assumed_ranges(program, spec))
        return [expr_text(expr) for expr in ordered_filters(proven, order).filters]

    first, second, third = map(expr_text, (risky, other, plain))
    assert ordered() == [first, second, third]
    assert ordered(*HOLDS[:2]) == [first, second, third]
    assert ordered(*HOLDS[:3]) == [third, second, first]
    assert ordered(HOLDS[2]) == [first, third, second]


def test_types_alone_make_no_barrier_and_need_no_guard() -> None:
    """In the generic variant, too: a product of an int32 that is computed as an int64."""
    known = call("gt", call("multiply", Cast(MADE["i"], INT64), of(1000)), of(0))
    program = flatten(cut(grouped([known], SCHEMA))[0])
    assert known.can_fail
    assert not any(predicate.can_fail for predicate in program.filters)
    assert assumed_ranges(program, GENERIC) == {}
