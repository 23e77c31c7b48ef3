"""Whole runs on a simulated machine: what adapting costs and gains, added up."""

from __future__ import annotations

import pytest

from adaptive.loop.events import Compile
from ir import GENERIC, VariantSpec
from tests.adaptive.loop.simulated import Cost, Machine, Workload, machine
from tests.adaptive.loop.specs import NARROW, ORDERED, REVERSED, WIDER

SEEDS = range(3)
MORSELS = 1000
DISTURBED = pytest.mark.parametrize(
    ("seed", "threads", "noise"), [(0, 1, 0.03), (1, 1, 0.0), (2, 1, 0.1), (3, 4, 0.03)]
)


def stationary(spec: VariantSpec, factor: float) -> Workload:
    """A bet that takes so many times as long as generic, always."""
    return lambda index, running: Cost(2.0 * factor if running == spec else 2.0)


def flipping(spec: VariantSpec, period: int, bad: float) -> Workload:
    """A bet that pays for so many morsels and not for the next, of generic's time."""

    def cost(index: int, running: VariantSpec) -> Cost:
        right = index // period % 2 == 0
        passed = 0.5 if right else 0.3
        if running != spec:
            return Cost(1.0, passed)
        return Cost(0.67 if right else bad, passed, not right and bool(spec.assumptions))

    return cost


def two_phases(first: VariantSpec, second: VariantSpec, change: int) -> Workload:
    """Each of two variants is the best in one half; the other is slow or leaves."""

    def cost(index: int, running: VariantSpec) -> Cost:
        early = index < change
        passed = 0.5 if early else 0.3
        if running == first:
            return Cost(0.67 if early else 1.3, passed, not early and bool(first.assumptions))
        if running == second:
            return Cost(0.8 if early else 0.67, passed)
        return Cost(1.0, passed)

    return cost


@DISTURBED
@pytest.mark.parametrize("factor", [1.0, 1.05, 1.2, 1.5, 2.0])
def test_a_bet_that_does_not_pay_costs_little(
    factor: float, seed: int, threads: int, noise: float
) -> None:
    ran = machine(
        stationary(NARROW, factor), {0: NARROW}, seed=seed, threads=threads, noise=noise
    ).run(MORSELS)
    assert ran.ratio <= 1.03


@DISTURBED
@pytest.mark.parametrize("factor", [1 / 1.5, 0.85])
def test_a_bet_that_pays_is_found_and_kept(
    factor: float, seed: int, threads: int, noise: float
) -> None:
    ran = machine(
        stationary(NARROW, factor), {0: NARROW}, seed=seed, threads=threads, noise=noise
    ).run(MORSELS)
    after_warm_up = ran.spent[100:]
    assert sum(after_warm_up) / len(after_warm_up) <= 1.05 * 2.0 * factor
    assert ran.current == NARROW


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("period", [1, 2, 3, 5, 8, 13, 20, 40, 100])
@pytest.mark.parametrize(("spec", "bad"), [(NARROW, 1.3), (ORDERED, 1.5), (ORDERED, 2.0)])
def test_an_adversary_that_flips_costs_little(
    spec: VariantSpec, bad: float, period: int, seed: int
) -> None:
    ran = machine(flipping(spec, period, bad), {0: spec}, seed=seed).run(MORSELS)
    assert ran.ratio <= 1.10


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("period", [1, 3, 5, 20, 60])
def test_two_shapes_that_alternate_do_not_thrash(period: int, seed: int) -> None:
    def cost(index: int, running: VariantSpec) -> Cost:
        first = index // period % 2 == 0
        right = {ORDERED: first, REVERSED: not first}.get(running)
        ns = 1.0 if right is None else 0.67 if right else 2.0
        return Cost(ns, 0.5 if first else 0.3)

    specs = {0: ORDERED, 1: REVERSED}
    ran = machine(cost, specs, shape=lambda index: index // period % 2, seed=seed).run(MORSELS)
    assert ran.ratio <= 1.10
    assert len(ran.swaps()) < MORSELS / 20


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize(("first", "second"), [(NARROW, WIDER), (ORDERED, REVERSED)])
def test_drift_costs_little_more_than_an_oracle(
    first: VariantSpec, second: VariantSpec, threads: int, seed: int
) -> None:
    ran = machine(
        two_phases(first, second, 400),
        {0: first, 1: second},
        shape=lambda index: int(index >= 400),
        threads=threads,
        seed=seed,
    ).run(800)
    assert sum(ran.spent) <= 1.10 * 0.67 * 800
    assert ran.current == second


def test_the_history_tells_the_story_of_a_drift() -> None:
    ran = machine(
        two_phases(NARROW, WIDER, 400),
        {0: NARROW, 1: WIDER},
        shape=lambda index: int(index >= 400),
        disturbed=0.0,
    ).run(800)
    story = [(swap.spec, swap.signal) for _, swap in ran.swaps() if swap.signal != "profile"]
    signals = [signal for _, signal in story]
    assert signals[:2] == ["rows", "ns/row"]
    # Between, the bet is profiled now and then, and nothing has changed.
    left = signals.index("guard exits")
    assert set(signals[2:left]) <= {"rows"}
    assert signals[left : left + 3] == ["guard exits", "guard exits", "renewal"]
    assert story[left + 2][0] == WIDER
    assert ran.current == WIDER
    assert next(spec for spec, signal in story if signal == "ns/row") == NARROW
    left = next(at for at, swap in ran.swaps() if swap.signal == "guard exits")
    assert 400 <= left <= 405
    judged = [swap for _, swap in ran.swaps() if swap.signal == "ns/row"]
    assert all(swap.before_ns and swap.after_ns for swap in judged)
    assert all(swap.after_ns < swap.before_ns for swap in judged)


def test_a_variant_is_compiled_once_however_often_its_shape_comes_back() -> None:
    def shape(index: int) -> int:
        return index // 500 % 2

    def cost(index: int, running: VariantSpec) -> Cost:
        first = shape(index) == 0
        right = {ORDERED: first, REVERSED: not first}.get(running)
        ns = 1.0 if right is None else 0.67 if right else 1.4
        return Cost(ns, 0.5 if first else 0.3)

    ran = machine(cost, {0: ORDERED, 1: REVERSED}, shape=shape).run(3000)
    compiles = [action.spec for _, action in ran.history if isinstance(action, Compile)]
    assert len(compiles) == len(set(compiles)) == 3
    assert sum(ran.spent) <= 1.10 * 0.67 * 3000


def test_the_simulation_adds_up_what_it_runs() -> None:
    """A machine whose policy never bets runs generic but for its profiles."""
    ran = machine(stationary(NARROW, 0.1), {}, noise=0.0).run(100)
    assert isinstance(ran, Machine)
    assert ran.current == GENERIC
    assert {round(ns, 3) for ns in ran.spent} == {2.0, 2.16}
    assert 1.0 < ran.ratio < 1.01
