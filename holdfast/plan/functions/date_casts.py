"""Casts between dates, times, timestamps and intervals, to and from text, and to the digits of seconds of a type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from holdfast.plan.calendar import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    FIRST_DATE,
    INFINITY,
    MICROS_PER_DAY,
    MINUS_INFINITY,
    is_infinite,
)
from holdfast.plan.date_arithmetic import (
    DATE_OUT_OF_RANGE_FOR_TIMESTAMP,
    LAST_DATE_OF_TIMESTAMPS,
    TIMESTAMP_OUT_OF_RANGE,
    checked_timestamp,
    timestamp_of_date,
)
from holdfast.plan.errors import DatetimeFieldOverflow, NumericValueOutOfRange
from holdfast.plan.functions import date_spark as spark
from holdfast.plan.functions.function import Cast, CastContext, Family, Function, SparkText, Types
from holdfast.plan.functions.spark_text import failure
from holdfast.plan.interval_arithmetic import is_finite
from holdfast.plan.text.codec import read_of, write_of
from holdfast.plan.text.datetimes import MAX_DIGITS, digits_of, fields_of, rounded, rounded_timestamp
from holdfast.plan.text.interval_text import read_interval, rounded_interval, truncated_to_fields
from holdfast.plan.text.strings import length_of
from holdfast.plan.types import (
    BPCHAR,
    DATE,
    INTERVAL,
    MZ_TIMESTAMP,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    VARCHAR,
    Interval,
    Type,
)

_YEAR_2000 = 946_684_800_000_000
_MZ_OUT_OF_RANGE = "mz_timestamp out of range"


def _checked(micros: int) -> int:
    return micros if is_infinite(micros) else checked_timestamp(micros)


# Dates and timestamps.


def _timestamp_of_date(_types: Types, days: int) -> int:
    return timestamp_of_date(days)


def _spark_timestamp_of_date(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str:
    date, days = texts[0], f"unix_date({texts[0]})"
    kind = "TIMESTAMP" if result.base == "timestamptz" else "TIMESTAMP_NTZ"
    outside = (
        f"IF({spark.is_infinite_date(days)}, {spark.infinite_timestamp_of_date(days, result)}, "
        f"{failure(DatetimeFieldOverflow, DATE_OUT_OF_RANGE_FOR_TIMESTAMP)})"
    )
    return (
        f"CASE WHEN {days} NOT BETWEEN ({FIRST_DATE}) AND {LAST_DATE_OF_TIMESTAMPS} THEN {outside} "
        f"ELSE CAST({date} AS {kind}) END"
    )


def _date_of_timestamp(_types: Types, micros: int) -> int:
    if is_infinite(micros):
        return DATE_INFINITY if micros == INFINITY else DATE_MINUS_INFINITY
    return micros // MICROS_PER_DAY


def _spark_date_of_timestamp(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str:
    micros = spark.micros(texts[0], types[0])
    return (
        f"CASE WHEN {spark.is_infinite(micros)} THEN {spark.date_of_infinite_timestamp(micros)} "
        f"ELSE CAST({texts[0]} AS DATE) END"
    )


def _time_of_timestamp(types: Types, micros: int) -> int | None:
    return None if is_infinite(micros) else rounded(micros % MICROS_PER_DAY, digits_of(types.result))


def _spark_time_of_timestamp(texts: Sequence[str], types: Sequence[Type], result: Type) -> str | None:
    if not _keeps_all(result):
        return None
    micros = spark.micros(texts[0], types[0])
    return f"CASE WHEN NOT ({spark.is_infinite(micros)}) THEN time_from_micros(pmod({micros}, {MICROS_PER_DAY}L)) END"


def _rounded_timestamp(types: Types, micros: int) -> int:
    return _checked(rounded_timestamp(micros, digits_of(types.result)))


def _spark_rounded_timestamp(texts: Sequence[str], types: Sequence[Type], result: Type) -> str:
    kind = "TIMESTAMP" if result.base == "timestamptz" else "TIMESTAMP_NTZ"
    value = texts[0] if types[0].base == result.base else f"CAST({texts[0]} AS {kind})"
    digits = digits_of(result)
    if digits is None or digits >= MAX_DIGITS:
        return value
    unit = 10 ** (MAX_DIGITS - digits)
    since = f"({spark.micros(texts[0], types[0])} - {_YEAR_2000}L)"
    # Rounding at the very end would run over it, where no microsecond of the last second is whole any more.
    last = rounded_timestamp(2**63 - 2 * 10**7, 0)
    rounded_text = f"IF({since} >= 0L, {since} + {unit // 2}L, {since} - {unit // 2}L) DIV {unit}L * {unit}L"
    micros = spark.micros(texts[0], types[0])
    return (
        f"CASE WHEN {micros} BETWEEN {spark.long(FIRST_DATE * MICROS_PER_DAY)} AND {last}L "
        f"THEN {spark.timestamp(f'{rounded_text} + {_YEAR_2000}L', result)} "
        f"WHEN {spark.is_infinite(micros)} THEN {value} "
        f"WHEN {micros} IS NOT NULL THEN {failure(DatetimeFieldOverflow, TIMESTAMP_OUT_OF_RANGE)} END"
    )


# Times and intervals.


def _keeps_all(type_: Type) -> bool:
    digits = digits_of(type_)
    return fields_of(type_) is None and (digits is None or digits >= MAX_DIGITS)


def _rounded_time(types: Types, micros: int) -> int:
    return rounded(micros, digits_of(types.result))


def _spark_same(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str | None:
    return texts[0] if _keeps_all(result) else None


def _interval_of_time(types: Types, micros: int) -> Interval:
    return _as_declared(Interval(0, 0, micros), types.result)


def _spark_interval_of_time(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str | None:
    if not _keeps_all(result):
        return None
    made = f"named_struct('months', 0, 'days', 0, 'micros', time_to_micros({texts[0]}))"
    return spark.interval(f"CASE WHEN {texts[0]} IS NOT NULL THEN {made} END")


def _time_of_interval(types: Types, interval: Interval) -> int:
    if not is_finite(interval):
        raise DatetimeFieldOverflow("cannot convert infinite interval to time")
    return rounded(interval.micros % MICROS_PER_DAY, digits_of(types.result))


def _spark_time_of_interval(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str | None:
    if not _keeps_all(result):
        return None
    infinite = failure(DatetimeFieldOverflow, "cannot convert infinite interval to time")
    return (
        f"CASE WHEN {spark.is_infinite_interval(texts[0])} THEN {infinite} "
        f"ELSE time_from_micros(pmod({texts[0]}.micros, {MICROS_PER_DAY}L)) END"
    )


def _rounded_interval(types: Types, interval: Interval) -> Interval:
    return _as_declared(interval, types.result)


def _as_declared(interval: Interval, type_: Type) -> Interval:
    return rounded_interval(truncated_to_fields(interval, fields_of(type_)), digits_of(type_))


# Text.


def _read(types: Types, text: str) -> object:
    if types.result.base == "interval":
        # As PostgreSQL, without the fields of the type: they say what a number counts in a literal only.
        return _as_declared(read_interval(text), types.result)
    return read_of(types.result)(text)


def _write(types: Types, value: object) -> str:
    return write_of(types.arguments[0])(value)[: length_of(types.result)]


def _spark_write_date(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str:
    return _cut(_spark_date_text(texts[0]), result)


def _spark_date_text(date: str) -> str:
    """Spark's own text is PostgreSQL's in the years of four digits."""
    days = f"unix_date({date})"
    rest = f"lpad(month({date}), 2, '0'), '-', lpad(day({date}), 2, '0')"
    return (
        f"CASE WHEN {date} BETWEEN DATE'0001-01-01' AND DATE'9999-12-31' THEN CAST({date} AS STRING) "
        f"WHEN {days} = {DATE_INFINITY} THEN 'infinity' WHEN {days} = (-2147483647 - 1) THEN '-infinity' "
        f"WHEN year({date}) > 0 THEN concat(year({date}), '-', {rest}) "
        f"ELSE concat(lpad(1 - year({date}), 4, '0'), '-', {rest}, ' BC') END"
    )


def _spark_write_timestamp(texts: Sequence[str], types: Sequence[Type], result: Type) -> str:
    value, zoned = texts[0], types[0].base == "timestamptz"
    zone = ", '+00'" if zoned else ""
    kind = "TIMESTAMP" if zoned else "TIMESTAMP_NTZ"
    first, last = f"{kind}'0001-01-01 00:00:00'", f"{kind}'9999-12-31 23:59:59.999999'"
    micros = spark.micros(value, types[0])
    date = f"CAST({value} AS DATE)"
    rest = (
        f"lpad(month({date}), 2, '0'), '-', lpad(day({date}), 2, '0'), ' ', "
        f"CAST(time_from_micros(pmod({micros}, {MICROS_PER_DAY}L)) AS STRING){zone}"
    )
    usual = f"concat(CAST({value} AS STRING){zone})" if zoned else f"CAST({value} AS STRING)"
    return _cut(
        f"CASE WHEN {value} BETWEEN {first} AND {last} THEN {usual} "
        f"WHEN {micros} = {spark.long(INFINITY)} THEN 'infinity' "
        f"WHEN {micros} = {spark.long(MINUS_INFINITY)} THEN '-infinity' "
        f"WHEN year({value}) > 0 THEN concat(year({value}), '-', {rest}) "
        f"ELSE concat(lpad(1 - year({value}), 4, '0'), '-', {rest}, ' BC') END",
        result,
    )


def _cut(text: str, result: Type) -> str:
    length = length_of(result)
    return text if length is None else f"left({text}, {length})"


def _spark_write_time(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str:
    # Spark has no text for the end of a day, though it keeps one that it read.
    return _cut(f"IF(time_to_micros({texts[0]}) = {MICROS_PER_DAY}L, '24:00:00', CAST({texts[0]} AS STRING))", result)


# mz_timestamp: milliseconds since 1970, none before.


def _mz_of_timestamp(_types: Types, micros: int) -> int:
    if micros < 0 or micros == INFINITY:
        raise NumericValueOutOfRange(_MZ_OUT_OF_RANGE)
    return micros // 1000


def _mz_of_date(types: Types, days: int) -> int:
    return _mz_of_timestamp(types, timestamp_of_date(days))


def _spark_mz_of_timestamp(texts: Sequence[str], types: Sequence[Type], _result: Type) -> str:
    micros = spark.micros(texts[0], types[0])
    return (
        f"CASE WHEN {micros} < 0L OR {micros} = {spark.long(INFINITY)} "
        f"THEN {failure(NumericValueOutOfRange, _MZ_OUT_OF_RANGE)} ELSE {micros} DIV 1000L END"
    )


def _timestamp_of_mz(types: Types, millis: int) -> int:
    return rounded_timestamp(checked_timestamp(millis * 1000), digits_of(types.result))


def _spark_timestamp_of_mz(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str | None:
    if not _keeps_all(result):
        return None
    return (
        f"CASE WHEN {texts[0]} > {(2**63 - 2) // 1000}L THEN {failure(DatetimeFieldOverflow, TIMESTAMP_OUT_OF_RANGE)} "
        f"ELSE {spark.timestamp(f'{texts[0]} * 1000L', result)} END"
    )


def _date_of_mz(_types: Types, millis: int) -> int:
    return checked_timestamp(millis * 1000) // MICROS_PER_DAY


def _cast(
    source: Type,
    target: Type,
    context: CastContext,
    python: Callable[..., object],
    text: SparkText | None = None,
    *,
    fails: bool = False,
    makes_null: bool = False,
) -> Cast:
    function = Function(target.base, (source,), target, python, text, fails=fails, makes_null=makes_null, typed=True)
    return Cast(source.base, target.base, context, function)


_OF_TIMESTAMPS = tuple(
    cast
    for source in (TIMESTAMP, TIMESTAMPTZ)
    for cast in (
        _cast(source, DATE, "assignment", _date_of_timestamp, _spark_date_of_timestamp),
        _cast(source, TIME, "assignment", _time_of_timestamp, _spark_time_of_timestamp, makes_null=True),
        _cast(source, source, "implicit", _rounded_timestamp, _spark_rounded_timestamp, fails=True),
        _cast(source, MZ_TIMESTAMP, "implicit", _mz_of_timestamp, _spark_mz_of_timestamp, fails=True),
        _cast(MZ_TIMESTAMP, source, "assignment", _timestamp_of_mz, _spark_timestamp_of_mz, fails=True),
        _cast(DATE, source, "implicit", _timestamp_of_date, _spark_timestamp_of_date, fails=True),
    )
)

_SPARK_WRITE: dict[str, SparkText] = {
    "date": _spark_write_date,
    "time": _spark_write_time,
    "timestamp": _spark_write_timestamp,
    "timestamptz": _spark_write_timestamp,
}

_TEXT = tuple(
    cast
    for type_ in (DATE, TIME, TIMESTAMP, TIMESTAMPTZ, INTERVAL)
    for string in (TEXT, VARCHAR, BPCHAR)
    for cast in (
        _cast(string, type_, "explicit", _read, fails=True),
        _cast(type_, string, "assignment", _write, _SPARK_WRITE.get(type_.base)),
    )
)

CASTS = (
    *_OF_TIMESTAMPS,
    _cast(TIMESTAMP, TIMESTAMPTZ, "implicit", _rounded_timestamp, _spark_rounded_timestamp, fails=True),
    _cast(TIMESTAMPTZ, TIMESTAMP, "assignment", _rounded_timestamp, _spark_rounded_timestamp, fails=True),
    _cast(TIME, TIME, "implicit", _rounded_time, _spark_same),
    _cast(TIME, INTERVAL, "implicit", _interval_of_time, _spark_interval_of_time),
    _cast(INTERVAL, TIME, "assignment", _time_of_interval, _spark_time_of_interval, fails=True),
    _cast(INTERVAL, INTERVAL, "implicit", _rounded_interval, _spark_same, fails=True),
    _cast(DATE, MZ_TIMESTAMP, "implicit", _mz_of_date, fails=True),
    _cast(MZ_TIMESTAMP, DATE, "assignment", _date_of_mz, fails=True),
    *_TEXT,
)

FAMILY = Family("Casts of dates and times", casts=CASTS)
