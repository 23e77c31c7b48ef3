"""What code generation cannot take, with the reason; everything else it compiles."""

from __future__ import annotations

from collections.abc import Iterator

from codegen_llvm.expressions import BRANCHING, LOWERINGS
from codegen_llvm.layout import MAX_TAG_BITS
from ir import Aggregate, Call, EvalMode, Expr, Sink
from ir.pipelines import RowProgram, cut, flatten
from ir.text_form import expr_text


def unsupported(plan: Sink) -> tuple[str, ...]:
    """The reasons why a plan cannot be compiled; empty if it can."""
    first, *rest = cut(plan)
    if not isinstance(first.end, Aggregate):
        return ("a query without an aggregate has no kernel yet",)
    reasons = list(_program_reasons(flatten(first)))
    if len(rest) > 1 or any(pipeline.steps for pipeline in rest):
        reasons.append("operators above the aggregate are not compiled")
    return tuple(reasons)


def _program_reasons(program: RowProgram) -> Iterator[str]:
    if len(program.keys) + len(program.aggregates) > MAX_TAG_BITS:
        yield f"more than {MAX_TAG_BITS} keys and aggregates together; split the query"
    for aggregate in program.aggregates:
        call = aggregate.call
        if call.function == "sum" and call.mode is EvalMode.TRY and call.type.is_integer:
            yield f"try_sum ({aggregate.name}) is not compiled; use sum"
    for expr in program.expressions():
        yield from _expression_reasons(expr)


def _expression_reasons(expr: Expr) -> Iterator[str]:
    for node in expr.walk():
        if isinstance(node, Call) and node.function not in LOWERINGS.keys() | BRANCHING:
            yield f"function {node.function} in `{expr_text(expr)}` is not compiled"
