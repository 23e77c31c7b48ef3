"""Threads that update the same groups at the same time give what the evaluator gives."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive.runtime import PlanRunner
from codegen_llvm import unsupported
from ir import GENERIC, EvaluationError, Scalar, SelectRows, Sink, Tier, VariantSpec, evaluate
from ir.pipelines import cut, flatten
from tests.arrow import canonical, from_table, to_batch
from tests.codegen_llvm.test_against_oracle import one_zero, rounded_columns, source_of
from tests.sharing import Morsels, Sharing
from tests.strategies import plans, rows_for

Rows = list[dict[str, Scalar]]
MANY = 150  # copies of some rows: a kernel is then busy for as long as threads take to start


def expected_of(plan: Sink, rows: Rows, copies: int) -> Rows:
    """By the evaluator; of many copies by one thread's kernel, which is tested against it."""
    if copies == 1:
        return evaluate(plan, rows)
    runner = PlanRunner(plan)
    runner.consume(to_batch(rows * copies, source_of(plan).schema))
    return from_table(runner.finish())


def made_by(sharing: Sharing, work: list[Morsels]) -> Rows:
    """The output rows of threads that do this work."""
    sharing.run(work)
    return from_table(pa.Table.from_batches([sharing.result()]))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_plans(data: st.DataObject) -> None:
    """Any plan, any rows, in any split among threads, in tables that are soon full."""
    plan = data.draw(plans().filter(lambda plan: not unsupported(plan)))
    schema = source_of(plan).schema
    parts = data.draw(st.lists(rows_for(schema, max_size=20), min_size=2, max_size=4))
    copies = data.draw(st.sampled_from((1, 1, MANY)))
    hints = data.draw(st.sampled_from(((), (SelectRows(7),), GENERIC.hints)))
    sharing = Sharing(
        flatten(cut(plan)[0]),
        VariantSpec(Tier.SPECULATIVE, (), hints),
        first_groups=data.draw(st.sampled_from((1, 2048))),
    )
    work: list[Morsels] = []
    base = 0
    for part in parts:
        work.append([(base, to_batch(part * copies, schema))])
        base += len(part) * copies
    try:
        # In the order of threads, as rows are numbered: the first of all is the first thread's.
        rows = [row for part in parts for row in part]
        expected = expected_of(plan, rows, copies)
    except EvaluationError:
        with pytest.raises(EvaluationError):
            made_by(sharing, work)
        return
    made = made_by(sharing, work)
    any_float = rounded_columns(plan)
    assert canonical(one_zero(made), any_float) == canonical(one_zero(expected), any_float)
