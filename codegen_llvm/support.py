"""What code generation cannot take, with the reason; everything else it compiles."""

from __future__ import annotations

from collections.abc import Iterator

from codegen_llvm.expressions import BRANCHING, LOWERINGS
from codegen_llvm.layout import MAX_TAG_BITS
from ir import Aggregate, Call, Expr, LookUp, Sink, TumblingWindow, UserAggregate
from ir.pipelines import ProjectionProgram, RowProgram, cut, flatten, flatten_projection
from ir.text_form import expr_text, window_text


def unsupported(plan: Sink) -> tuple[str, ...]:
    """The reasons why a plan cannot be compiled; empty if it can."""
    first, *rest = cut(plan)
    if not isinstance(first.end, Aggregate):
        return ("a query without an aggregate has no kernel yet",)
    reasons = list(_program_reasons(flatten(first)))
    if len(rest) > 1 or any(pipeline.steps for pipeline in rest):
        reasons.append("operators above the aggregate are not compiled")
    return tuple(reasons)


def unsupported_in_engine(plan: Sink) -> tuple[str, ...]:
    """The reasons why the engine's kernels cannot run a plan: it takes any window and any steps."""
    reasons: list[str] = []
    if any(isinstance(node, LookUp) for node in plan.walk()):
        reasons.append("the engine has no tables for look-ups")
    for pipeline in cut(plan):
        if isinstance(pipeline.end, Aggregate):
            reasons += _aggregate_reasons(flatten(pipeline))
        else:
            reasons += unsupported_projection(flatten_projection(pipeline))
    return tuple(reasons)


def unsupported_projection(program: ProjectionProgram) -> tuple[str, ...]:
    """The reasons why a projection cannot be compiled; empty if it can."""
    return tuple(r for expr in program.expressions() for r in _expression_reasons(expr))


def _program_reasons(program: RowProgram) -> Iterator[str]:
    if not isinstance(program.window, TumblingWindow | None):
        yield f"{window_text(program.window)} is not made of separate windows; use the engine"
    yield from _aggregate_reasons(program)


def _aggregate_reasons(program: RowProgram) -> Iterator[str]:
    if len(program.keys) + len(program.aggregates) > MAX_TAG_BITS:
        yield f"more than {MAX_TAG_BITS} keys and aggregates together; split the query"
    for expr in program.expressions():
        yield from _expression_reasons(expr)
    for aggregate in program.aggregates:
        if aggregate.call.definition is not None:
            yield from _definition_reasons(aggregate.call.definition)


def _definition_reasons(definition: UserAggregate) -> Iterator[str]:
    for field in definition.state:
        if field.type.is_bytes:
            yield f"{definition.name}: a state of type {field.type} is not compiled"
    for expr in (*definition.merge, *definition.inverse):
        if any(node.type.is_bytes for node in expr.walk()):
            yield f"{definition.name}: strings in `{expr_text(expr)}` are not compiled"
    exprs = (*definition.accumulate, *definition.merge, definition.result, *definition.inverse)
    for expr in exprs:
        yield from _expression_reasons(expr)


def _expression_reasons(expr: Expr) -> Iterator[str]:
    for node in expr.walk():
        if isinstance(node, Call) and node.function not in LOWERINGS.keys() | BRANCHING:
            yield f"function {node.function} in `{expr_text(expr)}` is not compiled"
