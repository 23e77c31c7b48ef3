"""The calendar against Python's, and against itself where Python has no years."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ir import DATE, INT32, INT64, STRING, TIMESTAMP, Call, EvalMode, Literal, Scalar, evaluate_expr
from ir.calendar import civil, days_of
from tests.strategies import FIRST_DAY, FIRST_US, LAST_DAY, LAST_US

EPOCH = date(1970, 1, 1)
START = datetime(1970, 1, 1, tzinfo=UTC)


def of_date(function: str, day: int) -> Scalar:
    return evaluate_expr(Call(function, (Literal(day, DATE),)), {})


def of_time(function: str, moment: int) -> Scalar:
    return evaluate_expr(Call(function, (Literal(moment, TIMESTAMP),)), {})


@given(st.integers(FIRST_DAY, LAST_DAY))
def test_parts_of_dates_are_pythons(day: int) -> None:
    known = EPOCH + timedelta(days=day)
    week = known.isocalendar()
    expected = {
        "year": known.year,
        "quarter": (known.month + 2) // 3,
        "month": known.month,
        "day": known.day,
        "dayofyear": known.timetuple().tm_yday,
        "weekday": known.weekday(),
        "dayofweek": known.isoweekday() % 7 + 1,
        "weekofyear": week.week,
        "yearofweek": week.year,
    }
    assert {name: of_date(name, day) for name in expected} == expected


@given(st.integers(FIRST_US, LAST_US))
def test_parts_of_timestamps_are_pythons(moment: int) -> None:
    known = START + timedelta(microseconds=moment)
    expected = {
        "hour": known.hour,
        "minute": known.minute,
        "second": known.second,
        "microsecond": known.microsecond,
        "second_with_fraction": known.second * 1_000_000 + known.microsecond,
        "unix_seconds": (known - START) // timedelta(seconds=1),
    }
    assert {name: of_time(name, moment) for name in expected} == expected
    hour = known.replace(minute=0, second=0, microsecond=0)
    made = evaluate_expr(
        Call("date_trunc", (Literal("hour", STRING), Literal(moment, TIMESTAMP))), {}
    )
    assert made == (hour - START) // timedelta(microseconds=1)


@given(st.integers(INT32.low, INT32.high))
def test_every_day_has_a_date(day: int) -> None:
    year, month, of_month = civil(day)
    assert days_of(year, month, of_month) == day
    before = civil(day - 1)
    follows = before[:2] == (year, month) and before[2] == of_month - 1
    assert follows or (of_month == 1 and before < (year, month, 1))


@given(st.integers(INT64.low, INT64.high), st.integers(-(10**9), 10**9))
def test_a_difference_undoes_a_sum(moment: int, count: int) -> None:
    """Of units of one length: months have several."""
    for unit in ("second", "hour", "day"):
        named, start = Literal(unit, STRING), Literal(moment, TIMESTAMP)
        added = Call("timestamp_add", (named, Literal(count, INT64), start))
        later = Literal(_or_none(added), TIMESTAMP)
        if later.value is not None:
            between = Call("timestamp_diff", (named, start, later))
            assert evaluate_expr(between, {}) == count


def _or_none(call: Call) -> Scalar:
    return evaluate_expr(Call(call.function, call.args, EvalMode.TRY), {})
