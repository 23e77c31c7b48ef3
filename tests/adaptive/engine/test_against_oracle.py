"""The engine gives what the evaluator gives: any query, any disorder, any batches, any threads."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from adaptive import Engine
from adaptive.runtime.runner import UnsupportedPlan
from ir import EvaluationError, Scalar, StreamEvaluator, plan_text
from tests.arrow import canonical, from_table, to_batch
from tests.stream_strategies import Punctuation, Rows, Shape, StreamCase, stream_cases

# Where several rows fail, threads decide which one is first.
FAILED = "failed"
Outcome = tuple[list[str], int] | str


def wanted(case: StreamCase) -> Outcome:
    """All results and the number of late rows, or the condition of an error."""
    stream = StreamEvaluator(case.plan)
    made: list[dict[str, Scalar]] = []
    try:
        for step in case.steps:
            made += (
                stream.push(step.rows) if isinstance(step, Rows) else stream.punctuate(step.time_us)
            )
        made += stream.finish()
    except EvaluationError:
        return FAILED
    return canonical(made), stream.late_rows


def given_by_engine(
    case: StreamCase, threads: int, dictionary: frozenset[str], morsel_rows: int | None
) -> Outcome:
    """The same from an engine."""
    tables = []
    try:
        with Engine(case.plan, threads=threads, morsel_rows=morsel_rows) as engine:
            for step in case.steps:
                if isinstance(step, Punctuation):
                    if engine._time is not None:
                        tables.append(engine.punctuate(step.time_us))
                else:
                    tables.append(engine.push(to_batch(step.rows, case.source.schema, dictionary)))
            tables.append(engine.finish())
            late = engine.late_rows
    except EvaluationError:
        return FAILED
    return canonical(from_table(pa.concat_tables(tables))), late


EXACT = Shape(rounding=False)


@settings(
    max_examples=600,
    phases=(Phase.reuse, Phase.generate, Phase.shrink),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(case=stream_cases(EXACT), data=st.data())
def test_engine(case: StreamCase, data: st.DataObject) -> None:
    note(plan_text(case.plan))
    names = frozenset(f.name for f in case.source.schema if f.type.name == "string")
    dictionary = names if data.draw(st.booleans()) else frozenset()
    want = wanted(case)
    for threads, morsel_rows in ((0, None), (3, 2)):
        try:
            assert given_by_engine(case, threads, dictionary, morsel_rows) == want
        except UnsupportedPlan:
            return
