"""Intervals: their sums and multiples, and intervals made of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from holdfast.plan.errors import DatetimeFieldOverflow
from holdfast.plan.functions import date_spark as spark
from holdfast.plan.functions.function import Family, Function
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.interval_arithmetic import (
    divided,
    interval_of,
    is_finite,
    justify_days,
    justify_hours,
    justify_interval,
    minus,
    negated,
    out_of_range,
    plus,
    times,
)
from holdfast.plan.types import BOOL, FLOAT8, INT4, INTERVAL, Interval, Type


def _times(factor: float, interval: Interval) -> Interval:
    return times(interval, factor)


def _is_int(value: int) -> bool:
    return -(2**31) <= value < 2**31


def _make_interval(
    years: int = 0,
    months: int = 0,
    weeks: int = 0,
    days: int = 0,
    hours: int = 0,
    minutes: int = 0,
    seconds: float = 0.0,
) -> Interval:
    if not math.isfinite(seconds) or abs(seconds) >= 2**63 / 1e6:
        raise out_of_range()
    if not (_is_int(years * 12) and _is_int(weeks * 7)):
        raise out_of_range()
    micros = round(seconds * 1e6)
    return interval_of(years * 12 + months, weeks * 7 + days, hours * 3_600_000_000 + minutes * 60_000_000 + micros)


def _spark_isfinite(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    return f"NOT ({spark.is_infinite_interval(texts[0])})"


def _spark_negated(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    """Where no field is an extreme. Those can neither be negated nor told from infinity without looking closer."""
    value = texts[0]
    extreme = (
        f"abs(CAST({value}.months AS BIGINT)) >= 2147483647L OR abs(CAST({value}.days AS BIGINT)) >= 2147483647L "
        f"OR {value}.micros IN (9223372036854775807L, (-9223372036854775807L - 1L))"
    )
    infinite = f"named_struct('months', ~{value}.months, 'days', ~{value}.days, 'micros', ~{value}.micros)"
    out = failure(DatetimeFieldOverflow, "interval out of range")
    least = (
        f"{value}.months = (-2147483647 - 1) OR {value}.days = (-2147483647 - 1) "
        f"OR {value}.micros = (-9223372036854775807L - 1L)"
    )
    usual = f"named_struct('months', -{value}.months, 'days', -{value}.days, 'micros', -{value}.micros)"
    return spark.interval(
        f"CASE WHEN {value} IS NULL THEN NULL WHEN NOT ({extreme}) THEN {usual} "
        f"WHEN {spark.is_infinite_interval(value)} THEN {infinite} WHEN {least} THEN {out} ELSE {usual} END"
    )


_MAKE_ARGUMENTS = (INT4, INT4, INT4, INT4, INT4, INT4, FLOAT8)

FAMILY = Family(
    "Intervals",
    functions=(
        Function("isfinite", (INTERVAL,), BOOL, is_finite, _spark_isfinite, doc="Whether it is not infinite."),
        Function("justify_days", (INTERVAL,), INTERVAL, justify_days, fails=True, doc="Every 30 days as a month."),
        Function("justify_hours", (INTERVAL,), INTERVAL, justify_hours, fails=True, doc="Every 24 hours as a day."),
        Function(
            "justify_interval",
            (INTERVAL,),
            INTERVAL,
            justify_interval,
            fails=True,
            doc="Every 24 hours as a day and every 30 days as a month, all of one sign.",
        ),
        *(
            Function(
                "make_interval",
                _MAKE_ARGUMENTS[:count],
                INTERVAL,
                _make_interval,
                fails=True,
                doc="From years, months, weeks, days, hours, minutes and seconds.",
            )
            for count in range(len(_MAKE_ARGUMENTS) + 1)
        ),
    ),
    operators=(
        Function("+", (INTERVAL, INTERVAL), INTERVAL, plus, fails=True, infix=True),
        Function("-", (INTERVAL, INTERVAL), INTERVAL, minus, fails=True, infix=True),
        Function("-", (INTERVAL,), INTERVAL, negated, _spark_negated, fails=True, infix=True),
        Function("*", (INTERVAL, FLOAT8), INTERVAL, times, fails=True, infix=True),
        Function("*", (FLOAT8, INTERVAL), INTERVAL, _times, fails=True, infix=True),
        Function("/", (INTERVAL, FLOAT8), INTERVAL, divided, fails=True, infix=True),
    ),
)
