"""Pieces of Spark SQL about dates and timestamps.

Spark's DATE and TIMESTAMP are our own counts of days and microseconds, and carry the least and greatest of them, our
infinities, untouched through columns, comparisons, sorting and casts between the two kinds of timestamps. Functions
would compute with them, so every text of ours asks first whether its argument is in the range that it is right for.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from holdfast.plan.calendar import (
    DATE_INFINITY,
    FIRST_TIMESTAMP,
    INFINITY,
    LAST_TIMESTAMP,
    MINUS_INFINITY,
)
from holdfast.plan.errors import DataError
from holdfast.plan.types import INTERVAL, Interval, Type, spark_type

_INTERVAL = re.compile(
    r"named_struct\('months', \(?(-?\d+)\)?, 'days', \(?(-?\d+)\)?, 'micros', \(?(-?\d+)L\)?\)", re.ASCII
)


def interval_literal(text: str) -> Interval | None:
    """The interval that a literal stands for, or None for other SQL."""
    match = _INTERVAL.fullmatch(text)
    return None if match is None else Interval(int(match[1]), int(match[2]), int(match[3]))


def long(value: int) -> str:
    """A literal. The least of all cannot be written as the negative of another."""
    if value == MINUS_INFINITY:
        return "(-9223372036854775807L - 1L)"
    return f"({value}L)" if value < 0 else f"{value}L"


def micros(text: str, type_: Type) -> str:
    """Microseconds since 1970 of a timestamp of either kind."""
    return f"unix_micros({text})" if type_.base == "timestamptz" else f"unix_micros(CAST({text} AS TIMESTAMP))"


def timestamp(micros_text: str, type_: Type) -> str:
    """A timestamp of either kind from its microseconds."""
    made = f"timestamp_micros({micros_text})"
    return made if type_.base == "timestamptz" else f"CAST({made} AS TIMESTAMP_NTZ)"


def is_infinite(micros_text: str) -> str:
    return f"{micros_text} IN ({long(INFINITY)}, {long(MINUS_INFINITY)})"


def is_infinite_date(days_text: str) -> str:
    return f"{days_text} IN ({DATE_INFINITY}, (-2147483647 - 1))"


def interval(text: str) -> str:
    """The struct with fields that may be null, as those of a null struct are for Arrow."""
    return f"CAST({text} AS {spark_type(INTERVAL)})"


def is_infinite_interval(text: str) -> str:
    """Whether an interval has the greatest value in all fields, or the least."""
    ints = "(2147483647, (-2147483647 - 1))"
    longs = f"({long(INFINITY)}, {long(MINUS_INFINITY)})"
    same = f"sign({text}.months) = sign({text}.days) AND sign({text}.days) = sign({text}.micros)"
    return f"{text}.micros IN {longs} AND {text}.months IN {ints} AND {text}.days IN {ints} AND {same}"


def infinite_timestamp_of_date(days_text: str, type_: Type) -> str:
    """Of a date that is infinite."""
    return timestamp(f"IF({days_text} = {DATE_INFINITY}, {long(INFINITY)}, {long(MINUS_INFINITY)})", type_)


def date_of_infinite_timestamp(micros_text: str) -> str:
    return f"date_from_unix_date(IF({micros_text} > 0, {DATE_INFINITY}, (-2147483647 - 1)))"


def bounds(function: Callable[[int], int], least: int, greatest: int) -> tuple[int, int] | None:
    """The arguments for which a function does not fail.

    It must be such that these lie side by side, as for any sum of monotonous steps, each with a range of its own.
    None if it fails at all of a few points.
    """
    for inside in (0, least, greatest):
        if not _fails(function, inside):
            return _edge(function, inside, least), _edge(function, inside, greatest)
    return None


def _fails(function: Callable[[int], int], argument: int) -> bool:
    try:
        function(argument)
    except DataError:
        return True
    return False


def _edge(function: Callable[[int], int], inside: int, outermost: int) -> int:
    """The last argument from `inside` towards `outermost` for which the function does not fail."""
    if not _fails(function, outermost):
        return outermost
    outside = outermost
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        if _fails(function, middle):
            outside = middle
        else:
            inside = middle
    return inside


def timestamp_bounds(function: Callable[[int], int]) -> tuple[int, int] | None:
    return bounds(function, FIRST_TIMESTAMP, LAST_TIMESTAMP)
