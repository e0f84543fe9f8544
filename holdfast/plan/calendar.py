"""The calendar: days since 1970 and what they are called, in the Gregorian calendar carried back before its start.

Everything is a plain int, so that all years of PostgreSQL fit, from 4714 BC to 5874897. Years are numbered without gap:
0 is 1 BC, -1 is 2 BC.

Infinite values are the least and the greatest int of their width. Timestamps end in January 294247, where
microseconds since 1970 end: thirty years before PostgreSQL's, which counts from 2000.
"""

from __future__ import annotations

MICROS_PER_SECOND = 1_000_000
MICROS_PER_MINUTE = 60 * MICROS_PER_SECOND
MICROS_PER_HOUR = 60 * MICROS_PER_MINUTE
MICROS_PER_DAY = 24 * MICROS_PER_HOUR

JULIAN_OF_1970 = 2440588
"""Days from 24 November 4714 BC, where Julian days start, to 1970."""

DATE_INFINITY = 2**31 - 1
DATE_MINUS_INFINITY = -(2**31)
FIRST_DATE = -JULIAN_OF_1970
LAST_DATE = 2_145_042_905  # 31 December 5874897

INFINITY = 2**63 - 1
MINUS_INFINITY = -(2**63)
FIRST_TIMESTAMP = FIRST_DATE * MICROS_PER_DAY
LAST_TIMESTAMP = INFINITY - 1

_DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS_IN_ERA = 146_097
"""Days of 400 years, after which the calendar repeats, weekdays included."""


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    return 29 if month == 2 and is_leap(year) else _DAYS_IN_MONTH[month - 1]


def days_of(year: int, month: int, day: int) -> int:
    """Days since 1970 of a day by its name. A day beyond the end of the month counts on into the next."""
    # Years that start in March have their leap day at the end, so that months before it never move.
    shifted = year - (month <= 2)
    era, year_of_era = divmod(shifted, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * _DAYS_IN_ERA + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


def date_of(days: int) -> tuple[int, int, int]:
    """Year, month and day."""
    era, day_of_era = divmod(days + 719_468, _DAYS_IN_ERA)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + year_of_era + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def weekday(days: int) -> int:
    """0 is Sunday."""
    return (days + 4) % 7


def iso_weekday(days: int) -> int:
    """1 is Monday, 7 is Sunday."""
    return (days + 3) % 7 + 1


def day_of_year(days: int) -> int:
    return days - days_of(date_of(days)[0], 1, 1) + 1


def iso_week(days: int) -> tuple[int, int]:
    """Year and week as ISO 8601 has them: a week belongs to the year that its Thursday is in."""
    thursday = days - iso_weekday(days) + 4
    year = date_of(thursday)[0]
    return year, (thursday - days_of(year, 1, 1)) // 7 + 1


def start_of_iso_week(year: int, week: int) -> int:
    """The Monday of a week: the first has 4 January in it."""
    fourth = days_of(year, 1, 4)
    return fourth - iso_weekday(fourth) + 1 + 7 * (week - 1)


def add_months(days: int, months: int) -> int:
    """The same day of another month, or its last where it is shorter."""
    year, month, day = date_of(days)
    year, month = divmod(year * 12 + month - 1 + months, 12)
    return days_of(year, month + 1, min(day, days_in_month(year, month + 1)))


def is_infinite(micros: int) -> bool:
    """Of a timestamp."""
    return micros in (INFINITY, MINUS_INFINITY)


def is_infinite_date(days: int) -> bool:
    return days in (DATE_INFINITY, DATE_MINUS_INFINITY)


def shown_year(year: int) -> int:
    """The year as one says it: there is no year 0, and those before Christ are negative."""
    return year if year > 0 else year - 1
