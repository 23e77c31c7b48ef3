"""The optimiser on one page: the passes, in order."""

from __future__ import annotations

from ir.operators import Sink
from ir.rewrite import Dump, Pass, expression_pass, operator_pass, run_passes
from ir.rules import (
    drop_true_filters,
    fold_constants,
    merge_filters,
    prune_columns,
    push_filters_below_projections,
    simplify_and,
    simplify_case_when,
    simplify_or,
)

PASSES = (
    # Filters go next to the source, where they drop rows before anything is computed.
    operator_pass("push_filters", push_filters_below_projections),
    operator_pass("merge_filters", merge_filters, drop_true_filters),
    # Behind the push, which brings literals of projections into predicates.
    expression_pass("fold", fold_constants, simplify_and, simplify_or, simplify_case_when),
    # Last, because the others take away reads of columns.
    Pass("prune_columns", prune_columns),
)


def optimize(plan: Sink, dump: Dump | None = None) -> Sink:
    """The plan that computes the same with less work; `dump` is told of every pass."""
    return run_passes(plan, PASSES, dump)
