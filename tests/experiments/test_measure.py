"""Measurement and its record."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from experiments.measure import Contestant, Samples, measure
from experiments.record import Record
from profiler import Rung


def logged(name: str, log: list[str], *times_ns: int) -> Contestant[str]:
    remaining = iter(times_ns)

    def run() -> tuple[str, int]:
        log.append(name)
        return name, next(remaining)

    return Contestant(name, run)


def test_contestants_take_turns_and_another_one_starts_each_round() -> None:
    log: list[str] = []
    measure([logged("a", log, 1, 1, 1), logged("b", log, 1, 1, 1)], rounds=2, warmups=1)
    assert "".join(log) == "abbaab"


def test_warmups_are_not_samples() -> None:
    samples = measure([logged("a", [], 900, 3, 1, 2)], rounds=3, warmups=1)
    assert samples[0].elapsed_ns == (3, 1, 2)
    assert (samples[0].best_ns, samples[0].median_ns) == (1, 2)


def test_every_result_is_checked() -> None:
    seen: list[tuple[str, str]] = []
    contestants = [logged("a", [], 1, 1, 1), logged("b", [], 1, 1, 1)]
    measure(contestants, rounds=2, warmups=1, check=lambda *pair: seen.append(pair))
    assert sorted(seen) == [("a", "a")] * 3 + [("b", "b")] * 3


def test_a_wrong_result_ends_the_measurement() -> None:
    def check(name: str, result: str) -> None:
        raise AssertionError(f"{name} is wrong")

    with pytest.raises(AssertionError, match="a is wrong"):
        measure([logged("a", [], 1)], rounds=1, check=check)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measure([], rounds=1), "no contestants"),
        (lambda: measure([logged("a", [], 1)], rounds=0), "rounds >= 1"),
        (lambda: measure([logged("a", []), logged("a", [])], rounds=1), "distinct names"),
        (lambda: Samples("a", ()), "a has no samples"),
    ],
)
def test_what_cannot_be_measured_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_throughput_is_that_of_the_best_run() -> None:
    assert Samples("a", (4_000_000, 2_000_000)).million_rows_per_second(1_000_000) == 500


def record() -> Record:
    return Record("x", 1.0, 1_000_000, 42, (Samples("a", (2_000_000,)),), {"a / b": 0.5}, ("why",))


def test_the_record_keeps_samples_and_circumstances(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    record().write(path)
    read = json.loads(path.read_text())
    assert read["samples"][0]["elapsed_ns"] == [2_000_000]
    assert read["ratios"] == {"a / b": 0.5}
    assert read["seed"] == 42
    here = read["environment"]
    assert here["commit"]
    assert here["cores"] >= 1
    assert {"llvmlite", "pyarrow"} <= set(here["versions"])
    assert list(tmp_path.iterdir()) == [path]


def test_the_record_says_which_signal_the_machine_has() -> None:
    here = json.loads(record().to_json())["environment"]["counters"]
    assert here["rung"] in list(Rung)
    assert here["reason"]


def test_the_table_shows_throughput_and_ratio() -> None:
    console = Console(width=120, record=True, quiet=False, file=None, force_terminal=False)
    with console.capture() as captured:
        record().show(console)
    assert "500" in captured.get()
    assert "a / b: 0.50" in captured.get()
