"""The experiment `adaptive`: its streams, the exactness of every run, and what it finds."""

from __future__ import annotations

import io
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from rich.console import Console

from adaptive.demo.ysb_data import START_US
from adaptive.loop.history import History, SwapRecord
from experiments import adaptive, adaptive_clock, drift_workloads
from experiments.adaptive_data import BLOCK_US
from experiments.adaptive_findings import findings
from experiments.adaptive_history import described, history_grid
from experiments.adaptive_reference import Sums, Tally
from experiments.adaptive_speeds import Measured
from experiments.adaptive_stream import BATCHES, Course, Passage, Size, blocks_of, course_of
from experiments.adaptive_variants import order_variants, spec_of, table_variants
from experiments.baselines import c_compiler
from experiments.drift_workloads import Drift, adversaries, drifts, stationary_workloads, ysb
from experiments.reference import WrongAnswer
from ir import GENERIC, FilterOrder, HotKeys, KeysInRange, NoNulls, Prefetch
from policies import Fixed

SMALL = Size(block_rows=8 << 10, blocks=4)
EVERY = (ysb(100, strings=True), *drifts(), *stationary_workloads(), *adversaries())


@pytest.mark.parametrize("drift", EVERY, ids=lambda drift: drift.name)
def test_every_stream_is_exact_with_every_policy(drift: Drift) -> None:
    """`course_of` compares each window with numpy's answer and raises where they differ."""
    blocks = blocks_of(drift, SMALL)
    passage = Passage(drift, blocks, 2)
    windows = {course_of("run", passage, policy).windows for policy in ("adaptive", "generic")}
    assert len(windows) == 1
    assert windows.pop() >= 2 * len(blocks) // drift.window_blocks


def test_a_static_choice_for_one_phase_is_exact_in_the_other() -> None:
    """The range of the first phase is left by most rows of the second."""
    drift = drift_workloads.growing_keys()
    narrow = Fixed(drift.phases[0].statics["dense"])
    course = course_of("narrow", Passage(drift, blocks_of(drift, SMALL), 2), narrow)
    assert sum(use.guard_exits for use in course.history) > 0


def tally_of(drift: Drift, *numbers: int) -> Tally:
    (block,) = blocks_of(drift, SMALL)
    tally = Tally(drift, START_US, "result")
    for number in numbers:
        tally.expect(number, block.sums)
    return tally


def results_of(drift: Drift, sums: Sums, number: int = 0) -> pa.Table:
    """The right answer for the window of a block."""
    keys = np.flatnonzero(sums.rows)
    start = pa.scalar(START_US + number * BLOCK_US, pa.int64()).cast(pa.timestamp("us", "UTC"))
    return pa.table(
        {
            "window_start": pa.repeat(start, len(keys)),
            drift.key: keys,
            "result": sums.total[keys],
        }
    )


def test_wrong_answers_are_found() -> None:
    drift = ysb(100, strings=False)
    (block,) = blocks_of(drift, SMALL)
    right = results_of(drift, block.sums[0])
    tally_of(drift, 0).take("right", right)
    wrong_sum = right.set_column(
        2, "result", pa.array(np.where(np.arange(right.num_rows) == 7, -1, right["result"]))
    )
    other_key = right.set_column(1, drift.key, pa.array(np.asarray(right[drift.key]) + 1))
    for wrong, message in (
        (wrong_sum, "wrong in 1 of 100"),
        (other_key, "other groups"),
        (right.slice(1), "other groups"),
        (pa.concat_tables([right, right.slice(3, 1)]), "other groups"),
        (results_of(drift, block.sums[0], number=5), "should not exist"),
    ):
        with pytest.raises(WrongAnswer, match=message):
            tally_of(drift, 0).take("wrong", wrong)
    twice = tally_of(drift, 0)
    twice.take("right", right)
    with pytest.raises(WrongAnswer, match="come out already"):
        twice.take("again", right)
    with pytest.raises(WrongAnswer, match="1 windows missing"):
        tally_of(drift, 0).end("early", 0)
    with pytest.raises(WrongAnswer, match="3 rows late"):
        tally_of(drift).end("late", 3)


def test_late_rows_count_for_the_block_before() -> None:
    drift = drift_workloads.appearing_disorder()
    calm, late = blocks_of(drift, SMALL)
    assert set(calm.sums) == {0}
    assert set(late.sums) == {-1, 0}
    assert sum(int(sums.rows.sum()) for sums in late.sums.values()) > SMALL.block_rows / 4


def course(*phases: list[int]) -> Course:
    times = tuple(ns for phase in phases for ns in phase)
    ended = tuple(int(ns) for ns in np.cumsum(times))
    delays = (0,) * len(times)
    return Course(1, times, delays, ended, len(phases[0]), windows=1, history=History())


def test_the_course_of_a_run() -> None:
    """A batch of each block takes longer, because it closes a window."""
    usual = [10, 10, 10, 50] * 6
    changed = [90, 90, 30, 60, 12, 10, 10, 50] + [10, 10, 10, 50] * 4
    taken = course(usual, changed)
    assert taken.steady_ns(0) == taken.steady_ns(1) == 20
    assert taken.phase_ns(1) == sum(changed)
    assert taken.drop(0) == (0, 0)
    assert taken.drop(1) == (90 + 90 + 30 + 60 + 12, 282)
    rest = taken.after(6)
    assert (rest.total_ns, rest.phase_batches) == (sum(changed), 24)
    assert rest.ended_ns[-1] == rest.total_ns


def test_a_phase_that_never_calms_down_is_slow_to_its_last_slow_batch() -> None:
    restless = [10, 10, 10, 50, 10, 99, 10, 50] * 4
    assert course(restless).drop(0)[0] == sum(restless[:-2])


def test_the_clock_leaves_out_what_others_took(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    schedule = tmp_path / "schedstat"
    schedule.write_text("900 30 4\n")
    monkeypatch.setattr(time, "perf_counter_ns", lambda: 1_000)
    with schedule.open("rb") as file:
        monkeypatch.setattr(adaptive_clock, "_schedule_file", lambda thread: file.fileno())
        assert adaptive_clock.own_time_ns() == 970
    monkeypatch.setattr(adaptive_clock, "_schedule_file", lambda thread: None)
    assert adaptive_clock.own_time_ns() == 1_000


def test_static_variants() -> None:
    tables = table_variants(99, hot=7)
    assert GENERIC not in tables.values()
    assert tables["dense, hot key, prefetch"] == spec_of(
        KeysInRange(((0, 99),)), HotKeys(((7,),)), Prefetch()
    )
    assert tables["hash, branches"].block_rows is None
    orders = order_variants((0.9, 0.1, 0.5, 0.3))
    assert orders["b together, then dca"].find(FilterOrder) == FilterOrder((1,), (3, 2, 0))
    assert orders["dc together, then ba"].find(FilterOrder) == FilterOrder((2, 3), (1, 0))


def test_a_history_says_who_swapped_when_and_why() -> None:
    spec = spec_of(KeysInRange(((0, 9), (5, 6))), NoNulls(("value",)))
    swaps = [SwapRecord(3_000_000, 1, spec, "it pays", "ns/row", 2.0, 1.5)]
    grid = history_grid("a run", History(swaps=swaps), ("first", "second"), 2_000_000)
    assert grid.rows == (("3.0", "second", 1, described(spec), "ns/row", 2.0, 1.5, "it pays"),)
    assert described(spec) == "dense 0..9 x 5..6, no nulls in value"
    assert described(GENERIC) == "generic"
    assert described(spec_of(select=False)) == "branches"
    many = history_grid("a run", History(swaps=swaps * 50), ("first",), 1)
    assert many.rows[-1][-1] == "and 10 more"


def made(
    drift: Drift, adaptive_ns: list[int], generic_ns: list[int], static_ns: list[int]
) -> Measured:
    """A run in which all batches of a phase took the same time."""

    def flat(times: list[int]) -> tuple[Course, ...]:
        return (course(*([ns] * 8 for ns in times)),)

    statics = tuple({"dense": flat([ns])} for ns in static_ns)
    return Measured(drift, 8, flat(adaptive_ns), flat(generic_ns), statics, ())


def test_targets_compare_with_generic_and_with_the_best_static_choice() -> None:
    skew, flips = drift_workloads.appearing_skew(), adversaries()[0]
    found = findings(
        {
            "ysb": (),
            "drift": (made(skew, [12, 10], [20, 9], [10, 15]),),
            "stationary": (),
            "adversary": (made(flips, [11], [10], [99]),),
        }
    )
    assert [(target.measured, target.holds) for target in found.targets] == [
        (pytest.approx(10 / 12), False),  # the dense variant takes 10
        (pytest.approx(0.9), True),  # the generic one takes 9
        (pytest.approx(10 / 11), True),
        (pytest.approx(22 / 19), False),  # the regret
    ]
    assert found.ratios["skew appears, uniform: adaptive / generic"] == pytest.approx(20 / 12)
    phases = found.grids[1]
    assert [row[4] for row in phases.rows] == ["dense", "generic"]


def test_the_regret_of_shorter_phases_is_that_of_their_beginnings() -> None:
    """A phase that is slow at first costs more, the shorter it is."""
    drift = drift_workloads.appearing_skew()
    slow_at_first = [30] * BATCHES + [10] * BATCHES
    one = made(drift, [1, 1], [20, 20], [10, 10])
    one = replace(one, adaptive=(course(slow_at_first, slow_at_first),))
    assert one.beginnings(1) == (2 * sum(slow_at_first), 2 * 10 * one.phase_rows)
    assert one.beginnings(0.5) == (2 * 30 * BATCHES, 10 * one.phase_rows)
    assert one.beginnings(0.01) == one.beginnings(0.5)  # a block at least
    grid = next(grid for grid in findings(of_drifts(one)).grids if "length" in grid.title)
    assert [row[1] for row in grid.rows] == pytest.approx([2, 3, 3, 3, 3, 3])


def of_drifts(one: Measured) -> dict[str, tuple[Measured, ...]]:
    return {"ysb": (), "drift": (one,), "stationary": (), "adversary": ()}


def test_parts_of_the_experiment_have_the_names_of_its_workloads() -> None:
    assert len(set(adaptive.workload_names())) == 20
    assert {drift.name for drift in EVERY} <= set(adaptive.workload_names())


def test_sizes_follow_the_scale() -> None:
    assert adaptive.size_of(1) == adaptive.FULL
    assert adaptive.size_of(2).block_rows == adaptive.FULL.block_rows
    assert adaptive.size_of(1e-6) == adaptive.LEAST
    assert adaptive.size_of(0.0213).block_rows % BATCHES == 0


def test_the_experiment_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One workload of each family; every result is checked on the way, histories are printed."""
    try:
        c_compiler.library()
    except c_compiler.CompilerError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(adaptive, "ysb_workloads", lambda: (ysb(10_000, strings=False),))
    monkeypatch.setattr(adaptive, "drifts", lambda: (drift_workloads.growing_keys(),))
    monkeypatch.setattr(adaptive, "stationary_workloads", lambda: stationary_workloads()[:1])
    monkeypatch.setattr(adaptive, "adversaries", lambda: adversaries()[:1])
    record = adaptive.run(0.01, Console(quiet=True))
    record.write(tmp_path / "record.json")
    written = json.loads((tmp_path / "record.json").read_text())
    ysb_grid, phases, change, lengths, whole, *histories = written["grids"]
    assert ysb_grid["rows"][0][0] == "ysb, 10,000 keys, codes"
    assert all(cell is not None for cell in ysb_grid["rows"][0])
    assert [row[1] for row in phases["rows"]] == ["10,000 keys", "100,000 keys"]
    assert [row[0] for row in change["rows"]] == ["keys grow to 100,000", "all"]
    assert lengths["rows"][0][1] == change["rows"][-1][5]
    assert len(whole["rows"]) == 3
    assert len(histories) == 4
    assert {sample["name"] for sample in written["samples"]} >= {
        "ysb, 10,000 keys, codes: C dense-select",
        "ysb, 10,000 keys, codes: plain sum",
        "keys grow to 100,000: adaptive",
        "keys grow to 100,000: generic",
    }
    assert all(target["measured"] > 0 for target in written["targets"][:3])
    console = Console(width=200, record=True, file=io.StringIO())
    record.show(console)
    assert console.export_text().count("history: ") == len(histories)
