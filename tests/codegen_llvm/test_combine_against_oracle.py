"""Groups that were made in pieces, combined and taken out again, are those of the evaluator."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive.runtime import PlanRunner
from adaptive.runtime.combine import WindowTable
from adaptive.runtime.state import GroupState
from codegen_llvm import slot_layout, unsupported
from ir import Aggregate, EvaluationError, NamedAggregate, Scalar, Sink, evaluate
from tests.arrow import canonical, from_table, to_batch
from tests.codegen_llvm.test_against_oracle import rounded_columns, source_of
from tests.strategies import plans, rows_for

Rows = list[dict[str, Scalar]]


class Piece:
    """The tables that kernels fill from some rows; a sum that leaves 64 bits makes two.

    `before` rows are in the pieces ahead: the last value of all is that of the greatest number.
    """

    def __init__(
        self, plan: Sink, rows: Rows, counts_rows: bool, most_slices: int, before: int = 0
    ) -> None:
        runner = PlanRunner(plan, most_slices=most_slices)
        layout = slot_layout(runner.program, False, counts_rows)
        runner.start_with(GroupState(layout, runner.generic.first_slice))
        runner._args.row_base = before
        runner.consume(to_batch(rows, source_of(plan).schema))
        self.rows, self.program, self._runner = rows, runner.program, runner
        self.tables = [*runner.generic.tables.values()]
        if runner._spilled is not None:
            self.tables.append(runner._spilled.table)


@st.composite
def pieces(draw: st.DrawFn, plan: Sink, counts_rows: bool) -> list[Piece]:
    """Rows for a plan in pieces, kept apart; empty where a row fails."""
    made = draw(st.lists(rows_for(source_of(plan).schema, max_size=15), min_size=1, max_size=4))
    most_slices = 1024 if counts_rows else draw(st.sampled_from((1, 1024)))
    try:
        before = accumulate((len(rows) for rows in made), initial=0)
        return [
            Piece(plan, rows, counts_rows, most_slices, base)
            for rows, base in zip(made, before, strict=False)
        ]
    except EvaluationError:
        return []


def check(plan: Sink, window: WindowTable, left: list[Piece]) -> None:
    """The window table has the groups of the pieces that are in it."""
    any_float = rounded_columns(plan)
    rows = [row for piece in left for row in piece.rows]
    try:
        expected = evaluate(plan, rows)
    except EvaluationError:
        with pytest.raises(EvaluationError):
            window.export()
        return
    made = from_table(window.export())
    assert canonical(made, any_float) == canonical(expected, any_float)


def window_table(piece: Piece) -> WindowTable:
    """An empty window table for pieces like this one."""
    return WindowTable(piece.program, slice_is_key=piece.program.window is not None)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_pieces_combine(data: st.DataObject) -> None:
    """Pieces, and window tables of pieces, add up to what all rows give."""
    plan = data.draw(plans().filter(lambda plan: not unsupported(plan)))
    made = data.draw(pieces(plan, data.draw(st.booleans())))
    if not made:
        return
    whole = window_table(made[0])
    cut = data.draw(st.integers(0, len(made)))
    for part in (made[:cut], made[cut:]):
        inner = window_table(made[0])
        for piece in part:
            for table in piece.tables:
                inner.add(table)
        whole.add(inner)
        inner.release()
    check(plan, whole, made)


@st.composite
def invertible_plans(draw: st.DrawFn) -> Sink:
    """Plans with counts and integer sums only."""
    plan = draw(plans().filter(lambda plan: not unsupported(plan)))
    node = plan.source
    assert isinstance(node, Aggregate)
    kept: tuple[NamedAggregate, ...] = tuple(a for a in node.aggregates if a.call.invertible)
    if not kept and not node.keys and node.window is None:
        return draw(invertible_plans())
    return Sink(Aggregate(node.source, node.window, node.keys, kept), "out")


@pytest.mark.long
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_pieces_are_taken_out_again(data: st.DataObject) -> None:
    """What stays in a window table does not know what was taken out."""
    plan = data.draw(invertible_plans())
    made = data.draw(pieces(plan, True))
    if not made:
        return
    window = window_table(made[0])
    for piece in made:
        for table in piece.tables:
            window.add(table)
    for piece in data.draw(st.lists(st.sampled_from(made), unique=True)):
        made.remove(piece)
        for table in piece.tables:
            window.remove(table)
    check(plan, window, made)
    assert window.groups == len({repr(row) for row in keys_of(plan, made)})


def keys_of(plan: Sink, left: list[Piece]) -> list[dict[str, Scalar]]:
    """The keys of the groups that have rows."""
    node = plan.source
    assert isinstance(node, Aggregate)
    rows = [row for piece in left for row in piece.rows]
    if not node.keys and node.window is None:
        source = Sink(node.source, "rows")
        return [{}] if evaluate(source, rows) else []
    return evaluate(Aggregate(node.source, node.window, node.keys, ()), rows)
