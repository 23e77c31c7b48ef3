from __future__ import annotations

from adaptive.runtime.alarm import Alarm


def ring(alarm: Alarm) -> int:
    """Unusual morsels until it rings; then it rings until it stops."""
    waited = 0
    while not alarm.raised():
        waited += 1
    while alarm.rings:
        alarm.reported()
    return waited


def test_it_rings_for_some_reports() -> None:
    alarm = Alarm()
    assert not alarm.rings
    assert alarm.raised()
    reports = 0
    while alarm.rings:
        alarm.reported()
        reports += 1
    assert reports == 8


def test_rings_in_vain_let_it_rest_longer_and_longer_but_not_for_ever() -> None:
    alarm = Alarm()
    assert [ring(alarm) for _ in range(7)] == [0, 8, 16, 32, 64, 64, 64]


def test_it_rings_at_once_after_something_was_done() -> None:
    alarm = Alarm()
    for _ in range(4):
        ring(alarm)
    alarm.answered()
    assert ring(alarm) == 0
    assert ring(alarm) == 8


def test_usual_morsels_count_as_rest() -> None:
    alarm = Alarm()
    ring(alarm)
    for _ in range(8):
        alarm.usual()
    assert alarm.raised()
