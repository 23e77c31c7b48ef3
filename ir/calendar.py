"""The proleptic Gregorian calendar over all years that dates and timestamps reach."""

from __future__ import annotations

SECOND_US = 1_000_000
DAY_US = 86_400 * SECOND_US
# Days from 0000-03-01, where the years of this arithmetic begin, to 1970-01-01.
EPOCH_SHIFT = 719_468
ERA_DAYS = 146_097  # of 400 years
_MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap(year: int) -> bool:
    """Whether a year has 366 days; year 0 is the one before year 1, and has."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_of(year: int, month: int, day: int) -> int | None:
    """Days since 1970-01-01, or None if there is no such day."""
    if not 1 <= month <= 12:
        return None
    length = _MONTH_DAYS[month - 1] + (month == 2 and is_leap(year))
    if not 1 <= day <= length:
        return None
    # Years that begin in March: the day that comes and goes is their last one.
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * ERA_DAYS + day_of_era - EPOCH_SHIFT


def civil(day: int) -> tuple[int, int, int]:
    """Year, month and day of a number of days since 1970-01-01."""
    era, day_of_era = divmod(day + EPOCH_SHIFT, ERA_DAYS)
    leap_days = day_of_era // 1460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leap_days) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    month = (month_from_march + 2) % 12 + 1
    year = year_of_era + era * 400 + (month <= 2)
    return year, month, day_of_year - (153 * month_from_march + 2) // 5 + 1
