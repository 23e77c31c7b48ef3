"""The driver of rewrite rules: bottom-up to a fixpoint, each pass reported and verified."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from ir.errors import IrError
from ir.expr import Expr
from ir.operators import (
    Aggregate,
    Filter,
    LookUp,
    Named,
    NamedAggregate,
    Operator,
    Project,
    Sink,
    Watermark,
)
from ir.verify import verify
from ir.windows import over_time, time_of

ExprRule: TypeAlias = Callable[[Expr], Expr | None]
OperatorRule: TypeAlias = Callable[[Operator], Operator | None]

# Rules only shrink plans or move filters down, so plans settle in a few rounds. The
# bound turns a rule that undoes another into a slow compilation instead of none.
MAX_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Pass:
    """A named step of the optimiser."""

    name: str
    run: Callable[[Sink], Sink]


@dataclass(frozen=True, slots=True)
class PassReport:
    """What a pass made of a plan."""

    name: str
    round: int
    changed: bool
    plan: Sink


Dump: TypeAlias = Callable[[PassReport], None]


def run_passes(plan: Sink, passes: Sequence[Pass], dump: Dump | None = None) -> Sink:
    """Run the passes in order, again and again until none changes the plan."""
    verify(plan)
    for round_ in range(1, MAX_ROUNDS + 1):
        before = plan
        for step in passes:
            plan = _run(step, plan, round_, dump)
        if plan == before:
            break
    return plan


def expression_pass(name: str, *rules: ExprRule) -> Pass:
    """A pass that applies rules to every expression of a plan, operands first."""

    def run(plan: Sink) -> Sink:
        def visit(node: Operator) -> Operator:
            return map_expressions(node, lambda expr: rewrite_expr(expr, rules))

        return _as_sink(name, _bottom_up(plan, visit))

    return Pass(name, run)


def operator_pass(name: str, *rules: OperatorRule) -> Pass:
    """A pass that applies rules to every operator of a plan, sources first."""

    def run(plan: Sink) -> Sink:
        return _as_sink(name, _bottom_up(plan, lambda node: _apply(node, rules)))

    return Pass(name, run)


def rewrite_expr(expr: Expr, rules: Sequence[ExprRule]) -> Expr:
    """The expression with the rules applied to it and all below it, operands first."""
    if expr.children:
        children = tuple(rewrite_expr(child, rules) for child in expr.children)
        if children != expr.children:
            expr = expr.with_children(children)
    for rule in rules:
        expr = rule(expr) or expr
    return expr


def with_source(node: Operator, source: Operator) -> Operator:
    """The same operator over another source."""
    match node:
        case Watermark() | LookUp() | Filter() | Project() | Aggregate() | Sink():
            return node if source is node.source else replace(node, source=source)
    raise IrError(f"{type(node).__name__} has no source; add it to ir.rewrite.with_source")


def map_expressions(node: Operator, change: Callable[[Expr], Expr]) -> Operator:
    """The operator with each of its expressions changed."""
    match node:
        case Filter(source, predicate):
            return Filter(source, change(predicate))
        case LookUp(keys=keys):
            return replace(node, keys=tuple(map(change, keys)))
        case Project(source, columns):
            return Project(source, _map_named(columns, change))
        case Aggregate(source, window, keys, aggregates):
            time = time_of(window)
            changed = window if window is None or time is None else over_time(window, change(time))
            made = tuple(_map_aggregate(one, change) for one in aggregates)
            return Aggregate(source, changed, _map_named(keys, change), made)
    return node


def _map_named(columns: tuple[Named, ...], change: Callable[[Expr], Expr]) -> tuple[Named, ...]:
    return tuple(Named(column.name, change(column.expr)) for column in columns)


def _map_aggregate(one: NamedAggregate, change: Callable[[Expr], Expr]) -> NamedAggregate:
    return NamedAggregate(one.name, one.call.map_arguments(change))


def _run(step: Pass, plan: Sink, round_: int, dump: Dump | None) -> Sink:
    after = step.run(plan)
    changed = after != plan
    if changed:
        _verify_after(step, after)
    if dump is not None:
        dump(PassReport(step.name, round_, changed, after))
    return after


def _verify_after(step: Pass, plan: Sink) -> None:
    try:
        verify(plan)
    except IrError as error:
        raise IrError(f"pass {step.name} made an illegal plan: {error}") from error


def _bottom_up(node: Operator, visit: Callable[[Operator], Operator]) -> Operator:
    for source in node.inputs:
        node = with_source(node, _bottom_up(source, visit))
    return visit(node)


def _apply(node: Operator, rules: Sequence[OperatorRule]) -> Operator:
    for rule in rules:
        node = rule(node) or node
    return node


def _as_sink(name: str, node: Operator) -> Sink:
    if not isinstance(node, Sink):
        raise IrError(f"pass {name} replaced the sink by {type(node).__name__}")
    return node
