"""The pieces of the experiment `kernel-ysb`."""

from __future__ import annotations

import pyarrow as pa
import pytest
from rich.console import Console

import ir
from experiments import kernel_ysb
from experiments.baselines import c_compiler, c_programs
from experiments.measure import Samples, measure

try:
    PROGRAMS = c_programs.available_programs()
except c_compiler.CompilerError as error:
    pytest.skip(f"the C programs cannot be compiled: {error}", allow_module_level=True)


def test_the_c_programs_give_the_reference_answer() -> None:
    batches = kernel_ysb.both_encodings(20_000)
    expected = kernel_ysb.reference_answer(batches[0])
    assert expected.num_rows > 1_000
    contestants = [
        kernel_ysb.c_contestant(program, encoding, batch)
        for encoding, batch in zip(kernel_ysb.ENCODINGS, batches, strict=True)
        for program in PROGRAMS
    ]
    check = kernel_ysb.agrees_with(expected)
    assert len(measure(contestants, rounds=1, check=check)) == 2 * len(PROGRAMS)


def test_one_wrong_sum_is_an_error() -> None:
    batch, _ = kernel_ysb.both_encodings(1_000)
    expected = kernel_ysb.reference_answer(batch)
    sums = pa.array([expected["revenue"][0].as_py() + 1, *expected["revenue"].to_pylist()[1:]])
    wrong = expected.set_column(2, "revenue", sums)
    with pytest.raises(kernel_ysb.WrongAnswer, match="kodiak is wrong"):
        kernel_ysb.agrees_with(expected)("kodiak", wrong)


def test_the_order_of_groups_does_not_matter() -> None:
    batch, _ = kernel_ysb.both_encodings(1_000)
    expected = kernel_ysb.reference_answer(batch)
    backwards = expected.sort_by([("campaign_id", "descending")])
    kernel_ysb.agrees_with(expected)("kodiak", backwards)


def test_the_plan_gives_the_columns_that_are_compared() -> None:
    names = kernel_ysb.ysb_plan().schema.names
    assert set(c_programs.RESULT_SCHEMA.names) <= set(names)
    assert kernel_ysb.ysb_plan().schema["revenue"].type is ir.INT64


def test_ratios_compare_speed_with_the_best_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_ysb, "POLICIES", dict.fromkeys(("kodiak slow", "kodiak fast")))
    times_ns = {"c hash-row": 400, "c window-hash-simd": 100, "c window-hash-select": 150}
    times_ns |= {"c dense-select": 50, "kodiak slow": 200, "kodiak fast": 100}
    samples = tuple(
        Samples(f"{name} {encoding}", (best_ns,))
        for encoding in kernel_ysb.ENCODINGS
        for name, best_ns in times_ns.items()
    )
    found = list(dict(kernel_ysb.ratios(samples)).values())
    assert found == [0.5, 0.75, 0.25] * 2 + [1.0, 1.5, 0.5] * 2


def test_the_experiment_runs() -> None:
    """All contestants agree on 20,000 rows, or `run` raises."""
    record = kernel_ysb.run(0.02, Console(quiet=True))
    assert record.rows == 20_000
    hashing = sum(program.hashes for program in PROGRAMS)
    expected = 2 * len(PROGRAMS) + hashing + 3 * len(kernel_ysb.POLICIES)
    assert len(record.samples) == expected
    assert all(len(s.elapsed_ns) == kernel_ysb.ROUNDS for s in record.samples)
