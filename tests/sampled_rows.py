"""What a probe should write of a row, by the evaluator."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hypothesis import strategies as st

from codegen_llvm import unsupported
from codegen_llvm.expressions import needs_branch
from codegen_llvm.probe import tested_form
from ir import Column, EvaluationError, Expr, Scalar, Sink, Source, evaluate_expr
from ir.pipelines import RowProgram, cut, flatten
from ir.windows import time_of
from tests.strategies import plans, rows_for

Row = dict[str, Scalar]


@dataclass(frozen=True)
class Expected:
    """A sampled row; `time` is None where it is null or not computed, `keys` without a group."""

    outcome: int
    time: int | None
    keys: tuple[Scalar, ...] | None


@st.composite
def programs(draw: st.DrawFn, max_size: int = 40) -> tuple[RowProgram, list[Row]]:
    """A program that code generation takes, and rows for its input."""
    plan: Sink = draw(plans().filter(lambda plan: not unsupported(plan)))
    *_, source = plan.walk()
    assert isinstance(source, Source)
    program = flatten(cut(plan)[0])
    rows = draw(rows_for(source.schema, max_size))
    return program, [{name: row[name] for name in program.input.names} for row in rows]


def expect(program: RowProgram, row: Row) -> Expected | None:
    """What a row shows, or None if it fails."""
    try:
        return _expect(program, row)
    except EvaluationError:
        return None


def _expect(program: RowProgram, row: Row) -> Expected:
    outcome, passed = 0, True
    for number, predicate in enumerate(map(tested_form, program.filters)):
        if passed or not predicate.can_fail:
            met = evaluate_expr(predicate, row) is True
            outcome |= met << number
            passed = passed and met
    time = time_expr(program)
    at = evaluate_expr(time, row) if time is not None and (passed or not time.can_fail) else None
    if at is None and time_of(program.window) is not None:
        passed = False
    keys = tuple(evaluate_expr(key.expr, row) for key in program.keys) if passed else None
    assert at is None or isinstance(at, int)
    return Expected(outcome, at, keys)


def time_expr(program: RowProgram) -> Expr | None:
    """The time by which rows are in order or not."""
    if program.watermark is None or time_of(program.window) is not None:
        return time_of(program.window)
    field = program.input[program.watermark]
    return Column(field.name, field.type, field.nullable)


def may_outgrow_scratch(program: RowProgram) -> bool:
    """Whether strings are made, so that a row may be left out for their size."""
    return any(needs_branch(expr) for expr in program.expressions())


def comparable(value: Scalar) -> object:
    """A key so that keys of the same group are equal, and others not."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    return value
