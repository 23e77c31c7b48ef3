"""Morsel sizes by recorded sequences of what arrived and what was done."""

from __future__ import annotations

import pytest

from adaptive.engine.morsels import MorselSizes

MS = 1_000_000
SECOND = 1000 * MS


def observed(
    sizes: MorselSizes, row_ns: float, morsels: int = 20, rows_per_s: float | None = None
) -> MorselSizes:
    """After morsels that cost so much a row, of batches that came at such a rate."""
    for _ in range(morsels):
        rows = sizes.rows(1 << 30)
        if rows_per_s is not None:
            sizes.arrived(rows, round(rows / rows_per_s * 1e9))
        sizes.done(rows, round(100_000 + rows * row_ns))
    return sizes


def test_before_anything_is_known() -> None:
    """A first morsel is small where somebody waits."""
    assert MorselSizes(2).rows(1 << 30) == 1 << 20
    assert MorselSizes(2, latency_s=0.01).rows(1 << 30) == 4_096


@pytest.mark.parametrize("row_ns", [1, 4, 200])
def test_without_a_target_every_thread_gets_its_share(row_ns: float) -> None:
    """Unless the batch is so small that taking a part costs more than doing it."""
    sizes = observed(MorselSizes(4), row_ns)
    assert sizes.rows(400_000) == 100_000
    assert sizes.rows(101) >= 101
    assert sizes.rows(400_000, waiting=4) == 400_000
    assert observed(MorselSizes(1), row_ns).rows(400_000) == 400_000


def test_small_morsels_do_not_look_like_dear_rows() -> None:
    """What a morsel costs beside its rows must not make the next one smaller still."""
    sizes = MorselSizes(2, latency_s=0.01)
    for _ in range(50):
        rows = sizes.rows(1 << 30)
        sizes.done(rows, 100_000 + 4 * rows)
    assert sizes.rows(1 << 30) == pytest.approx((2_500_000 - 100_000) / 4, rel=0.01)


@pytest.mark.parametrize("row_ns", [4, 50, 1000])
@pytest.mark.parametrize("latency_s", [0.001, 0.01, 0.1])
def test_morsels_are_short_for_a_latency(row_ns: float, latency_s: float) -> None:
    """A small batch behind a large one waits for a quarter of the target at most."""
    sizes = observed(MorselSizes(2, latency_s), row_ns, rows_per_s=1_000_000 / row_ns)
    assert sizes.rows(1 << 30) * row_ns <= 0.25 * latency_s * SECOND


def test_without_a_target_the_rate_does_not_matter() -> None:
    """Morsels are as large as throughput needs."""
    slow, fast = (observed(MorselSizes(2), 10, rows_per_s=rate) for rate in (1e3, 1e9))
    assert slow.rows(1 << 30) == fast.rows(1 << 30)


def test_threads_that_cannot_keep_up_take_more() -> None:
    """Rows in a queue wait longer than any morsel takes."""
    target = 0.001
    calm = observed(MorselSizes(2, target), 10, rows_per_s=1e6).rows(1 << 30)
    busy = observed(MorselSizes(2, target), 10, rows_per_s=1.5e8).rows(1 << 30)
    swamped = observed(MorselSizes(2, target), 10, rows_per_s=1e9).rows(1 << 30)
    assert calm < busy < swamped
    assert swamped == observed(MorselSizes(2), 10).rows(1 << 30)
    # With the cost of each morsel, two threads still do what comes in.
    assert 1.5e8 * (10 + 100_000 / busy) / 1e9 <= 2 * 0.9 + 0.001


def test_it_follows_a_change() -> None:
    """What came long ago counts little: after ten morsels, mostly what is now."""
    sizes = observed(MorselSizes(2, latency_s=0.01), 4)
    before = sizes.rows(1 << 30)
    observed(sizes, 400, morsels=10)
    after = sizes.rows(1 << 30)
    assert after < before / 20
    observed(sizes, 4, morsels=40)
    assert sizes.rows(1 << 30) == pytest.approx(before, rel=0.1)


def test_odd_observations() -> None:
    """Clocks that stand still, morsels without rows: sizes stay within bounds."""
    sizes = MorselSizes(2, latency_s=1e-9)
    sizes.done(0, 5 * MS)
    sizes.arrived(10, 0)
    assert sizes.rows(100) == 4_096
    sizes.done(1000, 0)
    assert 64 <= sizes.rows(1 << 30) <= 1 << 20
    sizes.done(1, 10 * SECOND)
    assert 64 <= sizes.rows(1 << 30) <= 1 << 20


@pytest.mark.parametrize("latency_s", [0.0, -1.0, float("nan")])
def test_a_latency_is_a_time(latency_s: float) -> None:
    """The error says what to do for none."""
    with pytest.raises(ValueError, match="leave it out"):
        MorselSizes(2, latency_s)
