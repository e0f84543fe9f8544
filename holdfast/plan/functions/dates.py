"""Dates and times: their sums and differences.

Where an interval is a literal, the timestamps that it can be added to are known beforehand, so that on Spark a sum
costs one comparison. An interval that is computed is added by Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from holdfast.plan.calendar import (
    FIRST_DATE,
    FIRST_TIMESTAMP,
    LAST_DATE,
    LAST_TIMESTAMP,
    MICROS_PER_DAY,
    is_infinite,
    is_infinite_date,
)
from holdfast.plan.date_arithmetic import (
    DATE_OUT_OF_RANGE,
    DATE_OUT_OF_RANGE_FOR_TIMESTAMP,
    INFINITE_DATES,
    LAST_DATE_OF_TIMESTAMPS,
    TIMESTAMP_OUT_OF_RANGE,
    age,
    checked_timestamp,
    date_difference,
    date_plus_days,
    timestamp_difference,
    timestamp_minus,
    timestamp_of_date,
    timestamp_plus,
)
from holdfast.plan.errors import DataError, DatetimeFieldOverflow
from holdfast.plan.functions import date_spark as spark
from holdfast.plan.functions.function import Family, Function, SparkText
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.interval_arithmetic import is_finite, negated
from holdfast.plan.types import BOOL, DATE, INT4, INTERVAL, TIME, TIMESTAMP, TIMESTAMPTZ, Interval, Modified, Type

_SAFE_LAST = 9_000_000_000_000_000_000
"""Timestamps up to here, in the year 287168, differ by no more than 64 bits hold."""


def _turned(function: Callable[..., object]) -> Callable[[object, object], object]:
    """With its two arguments in the other order."""
    return lambda left, right: function(right, left)


def _turned_spark(text: Callable[[Sequence[str], Sequence[Type], Type], str | None]) -> SparkText:
    return lambda texts, types, result: text((texts[1], texts[0]), (types[1], types[0]), result)


# Dates and numbers of days.


def _date_minus_days(days: int, count: int) -> int:
    return date_plus_days(days, -count)


def _spark_date_plus(sign: str) -> Callable[[Sequence[str], Sequence[Type], Type], str]:
    def text(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
        date, count = texts
        moved = f"CAST(unix_date({date}) AS BIGINT) {sign} {count}"
        outside = f"{moved} NOT BETWEEN {spark.long(FIRST_DATE)} AND {spark.long(LAST_DATE)}"
        return (
            f"CASE WHEN {spark.is_infinite_date(f'unix_date({date})')} AND {count} IS NOT NULL THEN {date} "
            f"WHEN {outside} THEN {failure(DatetimeFieldOverflow, DATE_OUT_OF_RANGE)} "
            f"ELSE date_from_unix_date(CAST({moved} AS INT)) END"
        )

    return text


def _spark_date_difference(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    left, right = (f"unix_date({text})" for text in texts)
    inside = f"BETWEEN ({FIRST_DATE}) AND {LAST_DATE}"
    return (
        f"CASE WHEN {left} NOT {inside} AND {right} IS NOT NULL OR {right} NOT {inside} AND {left} IS NOT NULL "
        f"THEN {failure(DatetimeFieldOverflow, INFINITE_DATES)} ELSE {left} - {right} END"
    )


# Timestamps and intervals.


@lru_cache(maxsize=1024)
def _bounds(interval: Interval) -> tuple[int, int] | None:
    """Of the timestamps that the interval can be added to."""
    return spark.timestamp_bounds(lambda micros: timestamp_plus(micros, interval))


def _literal(text: str, *, subtract: bool) -> Interval | None:
    interval = spark.interval_literal(text)
    if interval is None or not is_finite(interval):
        return None
    try:
        return negated(interval) if subtract else interval
    except DataError:
        return None


def moved_text(timestamp: str, micros: str, interval: Interval, type_: Type) -> str:
    """A timestamp plus an interval, which it is known to have room for."""
    rest = interval.days * MICROS_PER_DAY + interval.micros
    if not interval.months:
        return spark.timestamp(f"{micros} + {spark.long(rest)}", type_)
    moved = f"timestampadd(MONTH, {interval.months}, {timestamp})"
    return f"timestampadd(MICROSECOND, {spark.long(rest)}, {moved})" if rest else moved


def _spark_plus(*, subtract: bool) -> Callable[[Sequence[str], Sequence[Type], Type], str | None]:
    def text(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str | None:
        interval = _literal(texts[1], subtract=subtract)
        room = None if interval is None else _bounds(interval)
        if interval is None or room is None:
            return None
        micros = spark.micros(texts[0], types[0])
        infinite = (
            f"IF({spark.is_infinite(micros)}, {texts[0]}, {failure(DatetimeFieldOverflow, TIMESTAMP_OUT_OF_RANGE)})"
        )
        return (
            f"CASE WHEN {micros} NOT BETWEEN {spark.long(room[0])} AND {spark.long(room[1])} THEN {infinite} "
            f"ELSE {moved_text(texts[0], micros, interval, types[0])} END"
        )

    return text


def _spark_difference(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str:
    left, right = (spark.micros(text, type_) for text, type_ in zip(texts, types, strict=True))
    difference = f"{left} - {right}"
    usual = (
        f"named_struct('months', 0, 'days', CAST(({difference}) DIV {MICROS_PER_DAY}L AS INT), "
        f"'micros', ({difference}) % {MICROS_PER_DAY}L)"
    )
    infinite = (
        "named_struct('months', 2147483647, 'days', 2147483647, 'micros', 9223372036854775807L)",
        "named_struct('months', -2147483647 - 1, 'days', -2147483647 - 1, 'micros', -9223372036854775807L - 1L)",
    )
    exactly = f"CAST({left} AS DECIMAL(20, 0)) - CAST({right} AS DECIMAL(20, 0))"
    too_large = f"{exactly} NOT BETWEEN -9223372036854775808 AND 9223372036854775807"
    least, greatest = spark.long(-(2**63)), spark.long(2**63 - 1)
    out_of_range = failure(DatetimeFieldOverflow, "interval out of range")
    inside = f"BETWEEN {spark.long(FIRST_TIMESTAMP)} AND {spark.long(_SAFE_LAST)}"
    return spark.interval(
        f"CASE WHEN {left} {inside} AND {right} {inside} THEN {usual} "
        f"WHEN {left} IS NULL OR {right} IS NULL THEN NULL "
        f"WHEN {left} = {right} AND {spark.is_infinite(left)} THEN {out_of_range} "
        f"WHEN {left} = {greatest} OR {right} = {least} THEN {infinite[0]} "
        f"WHEN {left} = {least} OR {right} = {greatest} THEN {infinite[1]} "
        f"WHEN {too_large} THEN {out_of_range} ELSE {usual} END"
    )


# Dates and intervals.


def _date_plus_interval(days: int, interval: Interval) -> int:
    return timestamp_plus(timestamp_of_date(days), interval)


def _date_minus_interval(days: int, interval: Interval) -> int:
    return timestamp_minus(timestamp_of_date(days), interval)


@lru_cache(maxsize=1024)
def _date_bounds(interval: Interval) -> tuple[int, int] | None:
    return spark.bounds(lambda days: _date_plus_interval(days, interval), FIRST_DATE, LAST_DATE)


def _spark_date_plus_interval(*, subtract: bool) -> Callable[[Sequence[str], Sequence[Type], Type], str | None]:
    def text(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str | None:
        interval = _literal(texts[1], subtract=subtract)
        room = None if interval is None else _date_bounds(interval)
        if interval is None or room is None:
            return None
        days = f"unix_date({texts[0]})"
        timestamp = f"CAST({texts[0]} AS TIMESTAMP_NTZ)"
        rest = interval.days * MICROS_PER_DAY + interval.micros
        moved = f"timestampadd(MONTH, {interval.months}, {timestamp})" if interval.months else timestamp
        moved = f"timestampadd(MICROSECOND, {spark.long(rest)}, {moved})" if rest else moved
        return (
            f"CASE WHEN {days} BETWEEN {room[0]} AND {room[1]} THEN {moved} "
            f"WHEN {spark.is_infinite_date(days)} THEN {spark.infinite_timestamp_of_date(days, result)} "
            f"WHEN {days} > {LAST_DATE_OF_TIMESTAMPS} "
            f"THEN {failure(DatetimeFieldOverflow, DATE_OUT_OF_RANGE_FOR_TIMESTAMP)} "
            f"WHEN {days} IS NOT NULL THEN {failure(DatetimeFieldOverflow, TIMESTAMP_OUT_OF_RANGE)} END"
        )

    return text


# Times of day.


def _date_plus_time(days: int, time: int) -> int:
    start = timestamp_of_date(days)
    return start if is_infinite(start) else checked_timestamp(start + time)


def _spark_date_plus_time(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str:
    date, time = texts
    days = f"unix_date({date})"
    # The last day that timestamps have is not a whole one.
    return (
        f"CASE WHEN {days} < {LAST_DATE_OF_TIMESTAMPS} AND {days} >= ({FIRST_DATE}) "
        f"THEN timestampadd(MICROSECOND, time_to_micros({time}), CAST({date} AS TIMESTAMP_NTZ)) "
        f"WHEN {date} IS NULL OR {time} IS NULL THEN NULL "
        f"WHEN {spark.is_infinite_date(days)} THEN {spark.infinite_timestamp_of_date(days, result)} "
        f"WHEN {days} > {LAST_DATE_OF_TIMESTAMPS} "
        f"THEN {failure(DatetimeFieldOverflow, DATE_OUT_OF_RANGE_FOR_TIMESTAMP)} "
        f"WHEN time_to_micros({time}) > {LAST_TIMESTAMP - LAST_DATE_OF_TIMESTAMPS * MICROS_PER_DAY}L "
        f"THEN {failure(DatetimeFieldOverflow, TIMESTAMP_OUT_OF_RANGE)} "
        f"ELSE timestampadd(MICROSECOND, time_to_micros({time}), CAST({date} AS TIMESTAMP_NTZ)) END"
    )


def _time_plus_interval(time: int, interval: Interval) -> int:
    if not is_finite(interval):
        raise DatetimeFieldOverflow("cannot add infinite interval to time")
    return (time + interval.micros) % MICROS_PER_DAY


def _time_minus_interval(time: int, interval: Interval) -> int:
    if not is_finite(interval):
        raise DatetimeFieldOverflow("cannot subtract infinite interval from time")
    return (time - interval.micros) % MICROS_PER_DAY


def _spark_time_plus_interval(*, subtract: bool) -> Callable[[Sequence[str], Sequence[Type], Type], str | None]:
    def text(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str | None:
        interval = spark.interval_literal(texts[1])
        if interval is None or not is_finite(interval):
            return None
        rest = (-interval.micros if subtract else interval.micros) % MICROS_PER_DAY
        return f"time_from_micros((time_to_micros({texts[0]}) + {rest}L) % {MICROS_PER_DAY}L)"

    return text


def _time_difference(left: int, right: int) -> Interval:
    return Interval(0, 0, left - right)


# Other functions of two points.


def _spark_time_difference(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    left, right = texts
    difference = f"time_to_micros({left}) - time_to_micros({right})"
    made = f"named_struct('months', 0, 'days', 0, 'micros', {difference})"
    return spark.interval(f"IF({left} IS NULL OR {right} IS NULL, NULL, {made})")


def _isfinite(value: int) -> bool:
    return not is_infinite(value)


def _isfinite_date(value: int) -> bool:
    return not is_infinite_date(value)


def _spark_isfinite(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str:
    if types[0].base == "date":
        return f"NOT ({spark.is_infinite_date(f'unix_date({texts[0]})')})"
    return f"NOT ({spark.is_infinite(spark.micros(texts[0], types[0]))})"


def _overlap(start: int | None, end: int | None, other_start: int | None, other_end: int | None) -> bool | None:
    """Whether two stretches of time, each without its end, have a moment in common."""
    first, second = _ordered(start, end), _ordered(other_start, other_end)
    if first is None or second is None:
        return None
    if first[0] > second[0]:
        first, second = second, first
    if first[0] == second[0]:
        return None if first[1] is None or second[1] is None else True
    if first[1] is None:
        return None
    return True if second[0] < first[1] else None if second[1] is None else False


def _ordered(start: int | None, end: int | None) -> tuple[int, int | None] | None:
    if start is None or end is None:
        known = end if start is None else start
        return None if known is None else (known, None)
    return min(start, end), max(start, end)


def _overlaps(*forms: str, move: Callable[[int, Interval], int]) -> Callable[..., bool | None]:
    """For each stretch, whether its second part is an `end` or a `length`."""

    def end_of(form: str, start: int | None, second: object) -> int | None:
        if form == "end":
            assert second is None or isinstance(second, int)
            return second
        if start is None or second is None:
            return None
        assert isinstance(second, Interval)
        return move(start, second)

    def overlaps(start: int | None, second: object, other_start: int | None, other_second: object) -> bool | None:
        end, other_end = end_of(forms[0], start, second), end_of(forms[1], other_start, other_second)
        return _overlap(start, end, other_start, other_end)

    return overlaps


def _overlaps_functions(type_: Modified, move: Callable[[int, Interval], int]) -> list[Function]:
    return [
        Function(
            "overlaps",
            (type_, type_ if form == "end" else INTERVAL, type_, type_ if other == "end" else INTERVAL),
            BOOL,
            _overlaps(form, other, move=move),
            strict=False,
            makes_null=True,
            fails=(form, other) != ("end", "end"),
            doc="Whether two stretches of time, each given by its ends or its start and length, overlap.",
        )
        for form in ("end", "length")
        for other in ("end", "length")
    ]


def _operator(
    name: str,
    arguments: tuple[Type, ...],
    result: Type,
    python: Callable[..., object],
    text: SparkText | None,
    *,
    fails: bool = True,
) -> Function:
    return Function(name, arguments, result, python, text, fails=fails, infix=True)


_TIMESTAMPS = (TIMESTAMP, TIMESTAMPTZ)

_OPERATORS = (
    _operator("+", (DATE, INT4), DATE, date_plus_days, _spark_date_plus("+")),
    _operator("+", (INT4, DATE), DATE, _turned(date_plus_days), _turned_spark(_spark_date_plus("+"))),
    _operator("-", (DATE, INT4), DATE, _date_minus_days, _spark_date_plus("-")),
    _operator("-", (DATE, DATE), INT4, date_difference, _spark_date_difference),
    _operator("+", (DATE, TIME), TIMESTAMP, _date_plus_time, _spark_date_plus_time),
    _operator("+", (TIME, DATE), TIMESTAMP, _turned(_date_plus_time), _turned_spark(_spark_date_plus_time)),
    _operator("+", (DATE, INTERVAL), TIMESTAMP, _date_plus_interval, _spark_date_plus_interval(subtract=False)),
    _operator(
        "+",
        (INTERVAL, DATE),
        TIMESTAMP,
        _turned(_date_plus_interval),
        _turned_spark(_spark_date_plus_interval(subtract=False)),
    ),
    _operator("-", (DATE, INTERVAL), TIMESTAMP, _date_minus_interval, _spark_date_plus_interval(subtract=True)),
    *(
        operator
        for type_ in _TIMESTAMPS
        for operator in (
            _operator("+", (type_, INTERVAL), type_, timestamp_plus, _spark_plus(subtract=False)),
            _operator(
                "+", (INTERVAL, type_), type_, _turned(timestamp_plus), _turned_spark(_spark_plus(subtract=False))
            ),
            _operator("-", (type_, INTERVAL), type_, timestamp_minus, _spark_plus(subtract=True)),
            _operator("-", (type_, type_), INTERVAL, timestamp_difference, _spark_difference),
        )
    ),
    _operator("+", (TIME, INTERVAL), TIME, _time_plus_interval, _spark_time_plus_interval(subtract=False)),
    _operator(
        "+",
        (INTERVAL, TIME),
        TIME,
        _turned(_time_plus_interval),
        _turned_spark(_spark_time_plus_interval(subtract=False)),
    ),
    _operator("-", (TIME, INTERVAL), TIME, _time_minus_interval, _spark_time_plus_interval(subtract=True)),
    _operator("-", (TIME, TIME), INTERVAL, _time_difference, _spark_time_difference, fails=False),
)

_FUNCTIONS = (
    *(
        Function(
            "age", (type_, type_), INTERVAL, age, fails=True, doc="The difference in years, months, days and time."
        )
        for type_ in _TIMESTAMPS
    ),
    *(
        Function("age", (type_,), INTERVAL, stability="stable", fails=True, doc="The age at the start of today.")
        for type_ in _TIMESTAMPS
    ),
    *(
        Function("isfinite", (type_,), BOOL, _isfinite, _spark_isfinite, doc="Whether it is not infinite.")
        for type_ in _TIMESTAMPS
    ),
    Function("isfinite", (DATE,), BOOL, _isfinite_date, _spark_isfinite, doc="Whether it is not infinite."),
    Function(
        "date_add",
        (TIMESTAMPTZ, INTERVAL),
        TIMESTAMPTZ,
        timestamp_plus,
        _spark_plus(subtract=False),
        fails=True,
        doc="Adds an interval.",
    ),
    Function(
        "date_subtract",
        (TIMESTAMPTZ, INTERVAL),
        TIMESTAMPTZ,
        timestamp_minus,
        _spark_plus(subtract=True),
        fails=True,
        doc="Subtracts an interval.",
    ),
    *_overlaps_functions(TIMESTAMP, timestamp_plus),
    *_overlaps_functions(TIMESTAMPTZ, timestamp_plus),
    *_overlaps_functions(TIME, _time_plus_interval),
)

FAMILY = Family("Dates and times", functions=_FUNCTIONS, operators=_OPERATORS)
