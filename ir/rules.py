"""The rewrite rules: each keeps the result of every row, and every error that is reached.

One thing decides much here: a filter tests the parts of a conjunction one by
one, while `and` as a value evaluates its right side also where the left is null.
So a rule must not bring an `and` that can fail to the top of a predicate.
"""

from __future__ import annotations

from dataclasses import replace

from ir.errors import EvaluationError, IrTypeError
from ir.evaluate import evaluate_expr
from ir.expr import Call, Cast, Expr, Literal, conjuncts, substitute
from ir.functions import function_named
from ir.operators import Aggregate, Filter, LookUp, Operator, Project, Sink, Source, Watermark
from ir.parsing_times import needs_today
from ir.rewrite import with_source
from ir.types import BOOL, TIMESTAMP, Schema


def merge_filters(node: Operator) -> Operator | None:
    """filter(filter(s, p), q)  ->  filter(s, p and q)

    Safe when q can fail: it sees exactly the rows for which p is true.
    """
    match node:
        case Filter(Filter(source, inner), outer):
            return Filter(source, Call("and", (inner, outer)))
    return None


def drop_true_filters(node: Operator) -> Operator | None:
    """filter(s, true)  ->  s"""
    match node:
        case Filter(source, Literal(True)):
            return source
    return None


def push_filters_below_projections(node: Operator) -> Operator | None:
    """filter(project(s, c), p)  ->  project(filter(s, p over c), c)

    Projections are lazy, so the predicate computes what it did before.
    """
    match node:
        case Filter(Project(source, columns), predicate):
            mapping = {column.name: column.expr for column in columns}
            if not all(is_pure(mapping[name]) for name in predicate.columns()):
                return None
            parts = [substitute(part, mapping) for part in conjuncts(predicate)]
            if any(_is_failing_and(part) for part in parts):
                return None
            return Project(Filter(source, substitute(predicate, mapping)), columns)
    return None


_MOST_REPEATS = 1000


def fold_constants(expr: Expr) -> Expr | None:
    """f(literals)  ->  literal, unless it fails: then it is left to fail if a row reaches it.

    A time without a date is one of the day on which a row is read, and stays. A text that is not
    UTF-8, which a cast of a binary may give, is no literal either, nor is one so long that a plan
    should not carry it.
    """
    if not isinstance(expr, Call | Cast) or not is_pure(expr):
        return None
    if not all(isinstance(child, Literal) for child in expr.children):
        return None
    if expr.type is TIMESTAMP and _needs_today(expr.children[-1]):
        return None
    if expr.type.is_bytes and any(_is_large(child) for child in expr.children):
        return None
    try:
        return Literal(evaluate_expr(expr, {}), expr.type)
    except (EvaluationError, IrTypeError):
        return None


def _needs_today(child: Expr) -> bool:
    match child:
        case Literal(str() as value):
            return needs_today(value)
    return False


def _is_large(child: Expr) -> bool:
    """Whether a literal may be the length of a text that takes too much memory to make."""
    match child:
        case Literal(int() as value, type_) if type_.is_integer:
            return value > _MOST_REPEATS
    return False


def simplify_and(expr: Expr) -> Expr | None:
    """true and x -> x;  false and x -> false;  x and true -> x;  x and false -> false

    The last one only where x cannot fail. A null decides nothing on either side.
    """
    match expr:
        case Call("and", (Literal(True), other)) | Call("and", (other, Literal(True))):
            return other
        case Call("and", (Literal(False), _)):
            return Literal(False, BOOL)
        case Call("and", (left, Literal(False))) if not left.can_fail:
            return Literal(False, BOOL)
    return None


def simplify_or(expr: Expr) -> Expr | None:
    """false or x -> x;  true or x -> true;  x or false -> x;  x or true -> true"""
    match expr:
        case Call("or", (Literal(False), other)) | Call("or", (other, Literal(False))):
            return None if _is_failing_and(other) else other
        case Call("or", (Literal(True), _)):
            return Literal(True, BOOL)
        case Call("or", (left, Literal(True))) if not left.can_fail:
            return Literal(True, BOOL)
    return None


def simplify_case_when(expr: Expr) -> Expr | None:
    """Drop branches whose condition is false or null; end at one that is true."""
    match expr:
        case Call("case_when", args, mode):
            kept = _reachable_branches(args)
            if len(kept) == len(args):
                return None
            if len(kept) > 1:
                return Call("case_when", kept, mode)
            return None if _is_failing_and(kept[0]) else kept[0]
    return None


def prune_columns(plan: Sink) -> Sink:
    """Compute and scan only the columns that something above reads."""
    return Sink(_pruned(plan.source, frozenset(plan.schema.names)), plan.name)


def is_pure(expr: Expr) -> bool:
    """Whether evaluating again, or not at all, makes no difference but errors."""
    calls = (node for node in expr.walk() if isinstance(node, Call))
    return all(function_named(call.function).pure for call in calls)


def _is_failing_and(expr: Expr) -> bool:
    """Whether a filter could hide an error of this expression by splitting it."""
    return isinstance(expr, Call) and expr.function == "and" and expr.can_fail


def _reachable_branches(args: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The conditions and values that can be reached, and the value that ends them."""
    kept: list[Expr] = []
    for condition, value in zip(args[0:-1:2], args[1:-1:2], strict=True):
        match condition:
            case Literal(True):
                return (*kept, value)
            case Literal():
                continue
        kept += (condition, value)
    return (*kept, args[-1])


def _pruned(node: Operator, needed: frozenset[str]) -> Operator:
    match node:
        case Source(name, schema):
            return Source(name, Schema(tuple(f for f in schema if f.name in needed)))
        case Watermark(source, column):
            return with_source(node, _pruned(source, needed | {column}))
        case LookUp():
            return _pruned_look_up(node, needed)
        case Filter(source, predicate):
            return with_source(node, _pruned(source, needed | predicate.columns()))
        case Project(source, columns):
            kept = tuple(column for column in columns if column.name in needed)
            read = frozenset().union(*(column.expr.columns() for column in kept))
            return Project(_pruned(source, read), kept)
        case Aggregate(source):
            # All its groups and aggregates stay: an aggregate that nobody reads can still fail.
            read = frozenset().union(*(expr.columns() for _, expr in node.expressions()))
            return with_source(node, _pruned(source, read))
    raise TypeError(f"{type(node).__name__} cannot be pruned; add it to ir.rules")


def _pruned_look_up(node: LookUp, needed: frozenset[str]) -> LookUp:
    """Without the table's columns that nobody reads; how many partners a row has still counts."""
    kept = Schema(tuple(column for column in node.columns if column.name in needed))
    read = needed.union(*(key.columns() for key in node.keys))
    return replace(node, source=_pruned(node.source, read), columns=kept)
