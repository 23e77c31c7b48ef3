"""The random streams reach what they are for, and streams end with what all rows give at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from ir import (
    Aggregate,
    EvalMode,
    EvaluationError,
    Sink,
    StreamEvaluator,
    Watermark,
    evaluate,
    verify,
)
from tests.arrow import canonical
from tests.stream_strategies import Rows, Shape, StreamCase, expected, stream_cases

SAFE = Shape(modes=(EvalMode.LEGACY, EvalMode.TRY), most_rows=30)
quietly = settings(
    max_examples=100,
    deadline=None,
    database=None,
    derandomize=True,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)


@quietly
@given(case=stream_cases(SAFE))
def test_what_is_final_does_not_depend_on_the_batches(case: StreamCase) -> None:
    """One row at a time gives what the same rows in batches give."""
    verify(case.plan)
    results, late = expected(case)
    stream = StreamEvaluator(case.plan)
    single = []
    for step in case.steps:
        if isinstance(step, Rows):
            for row in step.rows:
                single += stream.push([row])
        else:
            single += stream.punctuate(step.time_us)
    single += stream.finish()
    assert list(map(repr, single)) == [repr(row) for some in results for row in some]
    assert stream.late_rows == late


@quietly
@given(case=stream_cases(replace(SAFE, windows=("tumbling", "count", "none"))))
def test_without_late_rows_a_stream_gives_what_all_rows_give(case: StreamCase) -> None:
    """In sliding windows a row may be late for some, and a session may go on after its end."""
    results, late = expected(case)
    if not late and sum(isinstance(node, Aggregate) for node in case.plan.walk()) == 1:
        made = [row for some in results for row in some]
        assert canonical(made) == canonical(evaluate(case.plan, case.rows))


@pytest.mark.long
def test_the_strategies_reach_the_interesting_cases() -> None:
    """Each of these must come up in a few hundred cases."""
    seen: Counter[str] = Counter()
    wanted = {"late rows", "results before the end", "results at the end", "errors"}
    wanted |= {"TumblingWindow", "SlidingWindow", "SessionWindow", "CountWindow", "NoneType"}
    wanted |= {"chained", "Watermark"}

    @settings(quietly, max_examples=300)
    @given(case=stream_cases())
    def look(case: StreamCase) -> None:
        if all(seen[name] for name in wanted):
            return
        try:
            results, late = expected(case)
        except EvaluationError:
            seen["errors"] += 1
            return
        seen["late rows"] += late > 0
        seen["results before the end"] += any(results[:-1])
        seen["results at the end"] += bool(results[-1])
        seen.update(kinds(case.plan))

    look()
    assert wanted <= {name for name, count in seen.items() if count}, seen


def kinds(plan: Sink) -> list[str]:
    """What a plan is made of."""
    aggregates = [node for node in plan.walk() if isinstance(node, Aggregate)]
    names = [type(node.window).__name__ for node in aggregates]
    names += ["Watermark" for node in plan.walk() if isinstance(node, Watermark)]
    return [*names, *(["chained"] if len(aggregates) > 1 else [])]


@pytest.mark.parametrize("window", ["tumbling", "sliding", "session", "count", "none"])
def test_a_shape_chooses_the_windows(window: str) -> None:
    @settings(quietly, max_examples=20)
    @given(case=stream_cases(Shape(windows=(window,), chained=False, rounding=False)))
    def look(case: StreamCase) -> None:
        [kind] = [name for name in kinds(case.plan) if name != "Watermark"]
        assert kind.lower().startswith(window)

    look()
