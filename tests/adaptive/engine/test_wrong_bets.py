"""Whatever the engine bets on, and however often it changes its mind, results are exact.

Variants are drawn without a look at the data and take turns from morsel to morsel, in every
thread: guards fail all the time, on first and last rows, and slices have groups of several
forms when they end, some of them shared by all threads. Three kinds of windows, 20 queries,
3 streams and 6 ways are 1,080 cases; session and count windows add 216.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, note, seed, settings
from hypothesis import strategies as st

from adaptive.runtime.combine import Combiners
from codegen_llvm import CompiledCombine, SlotLayout, compile_combine
from ir import Aggregate, Sink, Source, plan_text
from tests.adaptive.engine.test_against_oracle import (
    StreamCase,
    Way,
    given_by_engine,
    plans_with_streams,
    quickly,
    wanted,
    ways,
)
from tests.bets import KEY_TYPES, Erratic, keyed_specs, specs
from tests.stream_strategies import Shape, Step

WAYS = 6


@pytest.fixture(autouse=True)
def arrays_take_groups_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of a window, as where a loop has compiled what that takes."""

    def known(self: Combiners, source: SlotLayout, target: SlotLayout) -> CompiledCombine:
        if (source, target) not in self._compiled:
            self._compiled[source, target] = compile_combine(self.program, source, target)
        return self._compiled[source, target]

    monkeypatch.setattr(Combiners, "known", known)


def shape(*windows: str) -> Shape:
    """Queries whose groups can lie in an array."""
    return Shape(windows=windows, most_rows=30, key_types=KEY_TYPES)


def first_keys(plan: Sink) -> int:
    """The number of keys of the lowest aggregate: the one that variants are of."""
    *_, lowest = (node for node in plan.walk() if isinstance(node, Aggregate))
    return len(lowest.keys)


@st.composite
def erratic_ways(draw: st.DrawFn, variants: tuple[object, ...]) -> Way:
    """Mostly several threads, and small morsels, so that there are many turns."""
    way = draw(ways())
    threads = draw(st.sampled_from((0, 1, 2, 2, 3, 3)))
    rows = draw(st.sampled_from((None, 1, 2, 5, 16)))
    policy = Erratic(variants=variants, seed=draw(st.integers(0, 99)))  # type: ignore[arg-type]
    return replace(way, threads=threads, strategy="auto", morsel_rows=rows, policy=policy)


def check(plan: Sink, streams: list[tuple[Step, ...]], data: st.DataObject) -> None:
    """Every stream in some ways, with the same variants."""
    check_with(tuple(data.draw(specs(first_keys(plan)))), plan, streams, data)


def check_keyed(plan: Sink, streams: list[tuple[Step, ...]], data: st.DataObject) -> None:
    """The same with bets on rows, not on groups."""
    columns = next(tuple(n.schema.names) for n in plan.walk() if isinstance(n, Source))
    check_with(tuple(data.draw(keyed_specs(columns))), plan, streams, data)


def check_with(
    variants: tuple[object, ...],
    plan: Sink,
    streams: list[tuple[Step, ...]],
    data: st.DataObject,
) -> None:
    note(plan_text(plan))
    for steps in streams:
        case = StreamCase(plan, steps)
        want = wanted(case)
        for _ in range(WAYS):
            way = data.draw(erratic_ways(variants))
            assert given_by_engine(case, way) == want, way


@pytest.mark.parametrize("window", ["tumbling", "sliding", "none"])
def test_a_wrong_guess_costs_time_never_rows(window: str) -> None:
    @settings(quickly, max_examples=20)
    @given(case=plans_with_streams(shape(window)), data=st.data())
    def run(case: tuple[Sink, list[tuple[Step, ...]]], data: st.DataObject) -> None:
        check(*case, data)

    run()


@pytest.mark.parametrize("window", ["session", "count"])
def test_a_wrong_guess_costs_no_row_of_a_key(window: str) -> None:
    """The order of a key's rows stays, whichever variant adds them, in every thread."""

    @settings(quickly, max_examples=6)
    @given(case=plans_with_streams(Shape(windows=(window,), most_rows=30)), data=st.data())
    def run(case: tuple[Sink, list[tuple[Step, ...]]], data: st.DataObject) -> None:
        check_keyed(*case, data)

    run()


@pytest.mark.fuzz
@pytest.mark.timeout(0)
def test_fuzz(fuzz_seeds: Iterator[int]) -> None:
    """The same with new seeds for as long as asked; a failure prints its seed."""
    for number in fuzz_seeds:

        @seed(number)
        @settings(quickly, max_examples=60, database=None, derandomize=False)
        @given(case=plans_with_streams(shape("tumbling", "sliding", "none")), data=st.data())
        def run(case: tuple[Sink, list[tuple[Step, ...]]], data: st.DataObject) -> None:
            check(*case, data)

        @seed(number)
        @settings(quickly, max_examples=40, database=None, derandomize=False)
        @given(case=plans_with_streams(Shape(windows=("session", "count"))), data=st.data())
        def run_keyed(case: tuple[Sink, list[tuple[Step, ...]]], data: st.DataObject) -> None:
            check_keyed(*case, data)

        run()
        run_keyed()
