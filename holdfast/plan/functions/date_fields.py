"""extract and date_part: the fields of dates, times and intervals.

An infinite timestamp has no month or hour: those are null. Its year is infinite, which only a float can be: `date_part`
says so, `extract`, a numeric, is out of range. A numeric has as many digits as the fields of its type need. Only the
fraction of a Julian day would need more than any: it is rounded to 12 digits, less than a microsecond.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

from holdfast.plan.calendar import (
    INFINITY,
    JULIAN_OF_1970,
    MICROS_PER_DAY,
    MICROS_PER_HOUR,
    MICROS_PER_MINUTE,
    MICROS_PER_SECOND,
    date_of,
    day_of_year,
    is_infinite,
    is_infinite_date,
    iso_week,
    iso_weekday,
    shown_year,
    weekday,
)
from holdfast.plan.date_arithmetic import timestamp_of_date
from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.functions import date_spark as spark
from holdfast.plan.functions.date_units import field_of, not_recognized, not_supported
from holdfast.plan.functions.function import Family, Function, Types
from holdfast.plan.functions.spark_text import failure, unquoted
from holdfast.plan.interval_arithmetic import is_finite
from holdfast.plan.text.interval_text import INFINITE
from holdfast.plan.types import (
    DATE,
    FLOAT8,
    INTERVAL,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    Interval,
    Numeric,
    Type,
    numeric,
    spark_type,
)

DATE_FIELD = numeric(15, 0)
TIME_FIELD = numeric(14, 6)
TIMESTAMP_FIELD = numeric(25, 12)
INTERVAL_FIELD = numeric(22, 6)

NO_INFINITY = "cannot convert infinity to numeric"

_MICROS = Decimal(MICROS_PER_SECOND)
_EXACT = Context(prec=50)
_JULIAN_DIGITS = Decimal(1).scaleb(-TIMESTAMP_FIELD.scale)

_MONOTONOUS = frozenset(("year", "decade", "century", "millennium", "julian", "isoyear", "epoch"))
"""Fields that only grow, and so are infinite for what is infinite. The others come again and again."""

_ZONE_FIELDS = frozenset(("timezone", "timezone_hour", "timezone_minute"))


_OF_DAYS: Mapping[str, Callable[[int], int]] = {
    "day": lambda days: date_of(days)[2],
    "week": lambda days: iso_week(days)[1],
    "month": lambda days: date_of(days)[1],
    "quarter": lambda days: (date_of(days)[1] + 2) // 3,
    "year": lambda days: shown_year(date_of(days)[0]),
    "decade": lambda days: date_of(days)[0] // 10,
    "century": lambda days: _numbered(date_of(days)[0], 100),
    "millennium": lambda days: _numbered(date_of(days)[0], 1000),
    "julian": lambda days: days + JULIAN_OF_1970,
    "isoyear": lambda days: shown_year(iso_week(days)[0]),
    "dow": weekday,
    "isodow": iso_weekday,
    "doy": day_of_year,
}


def _numbered(year: int, length: int) -> int:
    """Which century or millennium: there is none with the number 0."""
    return shown_year((year - 1) // length + 1)


_OF_TIME: Mapping[str, tuple[int, int, int]] = {
    "microseconds": (MICROS_PER_MINUTE, 1, 0),
    "milliseconds": (MICROS_PER_MINUTE, 1000, 3),
    "second": (MICROS_PER_MINUTE, MICROS_PER_SECOND, 6),
    "minute": (MICROS_PER_HOUR, MICROS_PER_MINUTE, 0),
    "hour": (MICROS_PER_DAY, MICROS_PER_HOUR, 0),
}
"""The field of a time: the time modulo the first, divided by the second, with so many digits after the point."""


def _time_field(field: str, micros: int) -> Decimal:
    """Of a time that is not negative."""
    modulus, unit, digits = _OF_TIME[field]
    rest = micros % modulus
    return _EXACT.divide(Decimal(rest), Decimal(unit)) if digits else Decimal(rest // unit)


def _of_date(_types: Types, text: str, days: int) -> Decimal | None:
    field = field_of(text)
    if field is None:
        raise not_recognized(text, DATE)
    if field not in _OF_DAYS and field != "epoch":
        raise not_supported(text, DATE)
    if is_infinite_date(days):
        _refuse_infinity(field)
        return None
    return Decimal(days * 86_400 if field == "epoch" else _OF_DAYS[field](days))


def _refuse_infinity(field: str) -> None:
    if field in _MONOTONOUS:
        raise NumericValueOutOfRange(NO_INFINITY)


def _of_timestamp(types: Types, text: str, micros: int) -> Decimal | None:
    field = _timestamp_field(text, types.arguments[1], finite=not is_infinite(micros))
    if is_infinite(micros):
        _refuse_infinity(field)
        return None
    days, time = divmod(micros, MICROS_PER_DAY)
    if field == "julian":
        exactly = _EXACT.divide(Decimal((days + JULIAN_OF_1970) * MICROS_PER_DAY + time), Decimal(MICROS_PER_DAY))
        return exactly.quantize(_JULIAN_DIGITS, rounding=ROUND_HALF_UP, context=_EXACT)
    if field == "epoch":
        return _EXACT.divide(Decimal(micros), _MICROS)
    if field in _OF_DAYS:
        return Decimal(_OF_DAYS[field](days))
    return _time_field(field, time) if field in _OF_TIME else Decimal(0)


def _timestamp_field(text: str, type_: Type, *, finite: bool) -> str:
    field = field_of(text)
    if field is None:
        raise not_recognized(text, type_)
    # PostgreSQL does not look so closely where the timestamp is infinite.
    if field in _ZONE_FIELDS and type_.base == "timestamp" and finite:
        raise not_supported(text, type_)
    return field


def _of_time(types: Types, text: str, micros: int) -> Decimal:
    field = field_of(text)
    if field is None:
        raise not_recognized(text, types.arguments[1])
    if field == "epoch":
        return _EXACT.divide(Decimal(micros), _MICROS)
    if field not in _OF_TIME:
        raise not_supported(text, types.arguments[1])
    # 24:00:00 has an hour of its own.
    return Decimal(24) if field == "hour" and micros == MICROS_PER_DAY else _time_field(field, micros)


_OF_INTERVAL: Mapping[str, Callable[[Interval], int]] = {
    "day": lambda interval: interval.days,
    "week": lambda interval: _quotient(interval.days, 7),
    "month": lambda interval: _remainder(interval.months, 12),
    "quarter": lambda interval: _quarter(interval.months),
    "year": lambda interval: _quotient(interval.months, 12),
    "decade": lambda interval: _quotient(interval.months, 120),
    "century": lambda interval: _quotient(interval.months, 1200),
    "millennium": lambda interval: _quotient(interval.months, 12_000),
}


def _quotient(value: int, unit: int) -> int:
    """Towards zero."""
    return value // unit if value >= 0 else -(-value // unit)


def _remainder(value: int, unit: int) -> int:
    return value - _quotient(value, unit) * unit


def _quarter(months: int) -> int:
    return months % 12 // 3 + 1 if months >= 0 else -(-months % 12 // 3 + 1)


def _of_interval(types: Types, text: str, interval: Interval) -> Decimal | None:
    field = field_of(text)
    if field is None:
        raise not_recognized(text, types.arguments[1])
    if not is_finite(interval):
        _refuse_infinite_interval(field, text, types.arguments[1])
        return None
    if field == "epoch":
        return _EXACT.divide(Decimal(_epoch_micros(interval)), _MICROS)
    if field in _OF_INTERVAL:
        return Decimal(_OF_INTERVAL[field](interval))
    if field not in _OF_TIME:
        raise not_supported(text, types.arguments[1])
    if field == "hour":
        return Decimal(_quotient(interval.micros, MICROS_PER_HOUR))
    found = _time_field(field, abs(interval.micros))
    return -found if interval.micros < 0 else found


_GROWING = frozenset(("hour", "day", "year", "decade", "century", "millennium", "epoch"))
"""The fields of intervals that are infinite for an infinite one."""


def _refuse_infinite_interval(field: str, text: str, type_: Type) -> None:
    if field in _GROWING:
        raise NumericValueOutOfRange(NO_INFINITY)
    if field not in _OF_INTERVAL and field not in _OF_TIME:
        raise not_supported(text, type_)


def _epoch_micros(interval: Interval) -> int:
    """With years of 365.25 days and months of 30."""
    years, months = _quotient(interval.months, 12), _remainder(interval.months, 12)
    return (years * 31_557_600 + (months * 30 + interval.days) * 86_400) * MICROS_PER_SECOND + interval.micros


# Floats: as PostgreSQL computes them, since sums of floats show their order.


def _float_of_timestamp(types: Types, text: str, micros: int) -> float | None:
    field = _timestamp_field(text, types.arguments[1], finite=not is_infinite(micros))
    if is_infinite(micros):
        if field not in _MONOTONOUS:
            return None
        return math.inf if micros == INFINITY else -math.inf
    days, time = divmod(micros, MICROS_PER_DAY)
    if field == "epoch":
        return micros / 1e6
    if field == "julian":
        seconds, fraction = divmod(time, MICROS_PER_SECOND)
        return days + JULIAN_OF_1970 + (seconds + fraction / 1e6) / 86_400.0
    if field in _OF_DAYS:
        return float(_OF_DAYS[field](days))
    return _float_of_clock(field, time) if field in _OF_TIME else 0.0


def _float_of_clock(field: str, micros: int) -> float:
    seconds, fraction = divmod(micros % MICROS_PER_MINUTE, MICROS_PER_SECOND)
    if field == "second":
        return seconds + fraction / 1e6
    if field == "milliseconds":
        return seconds * 1000.0 + fraction / 1000.0
    return float(_time_field(field, micros))


def _float_of_date(types: Types, text: str, days: int) -> float | None:
    return _float_of_timestamp(Types((TEXT, TIMESTAMP), types.result), text, timestamp_of_date(days))


def _float_of_time(types: Types, text: str, micros: int) -> float:
    field = field_of(text)
    if field in ("second", "milliseconds"):
        return _float_of_clock(field, micros)
    return float(_of_time(types, text, micros))


def _float_of_interval(types: Types, text: str, interval: Interval) -> float | None:
    field = field_of(text)
    if not is_finite(interval) and field in _GROWING:
        return math.inf if interval == INFINITE else -math.inf
    if is_finite(interval) and field in ("second", "milliseconds"):
        found = _float_of_clock(field, abs(interval.micros))
        return -found if interval.micros < 0 else found
    if is_finite(interval) and field == "epoch":
        return _float_epoch(interval)
    value = _of_interval(types, text, interval)
    return None if value is None else float(value)


def _float_epoch(interval: Interval) -> float:
    result = interval.micros / 1e6
    result += 31_557_600.0 * _quotient(interval.months, 12)
    result += 2_592_000.0 * _remainder(interval.months, 12)
    return result + 86_400.0 * interval.days


# Spark.

_SPARK_DAYS = {
    "day": "day({0})",
    "week": "weekofyear({0})",
    "month": "month({0})",
    "quarter": "quarter({0})",
    "year": "year({0}) - IF(year({0}) > 0, 0, 1)",
    "decade": "CAST(floor(year({0}) / 10) AS INT)",
    "dow": "dayofweek({0}) - 1",
    "isodow": "weekday({0}) + 1",
    "doy": "dayofyear({0})",
    "julian": f"unix_date({{0}}) + {JULIAN_OF_1970}",
}


def _spark_date_field(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str | None:
    shown = unquoted(texts[0])
    field = None if shown is None else field_of(shown)
    if field is None:
        return None
    if field == "epoch":
        value = f"unix_date({texts[1]}) * 86400L"
    elif field in _SPARK_DAYS:
        value = _SPARK_DAYS[field].format(texts[1])
    else:
        return None
    return _guarded(field, spark.is_infinite_date(f"unix_date({texts[1]})"), value, result)


def _spark_timestamp_field(texts: Sequence[str], types: Sequence[Type], result: Type) -> str | None:
    shown = unquoted(texts[0])
    field = None if shown is None else field_of(shown)
    micros = spark.micros(texts[1], types[1])
    if field is None or field == "julian":
        return None
    if field == "epoch":
        value = _scaled(micros, MICROS_PER_SECOND, result)
    elif field in _SPARK_DAYS:
        value = _SPARK_DAYS[field].format(f"CAST({texts[1]} AS DATE)")
    elif field in _OF_TIME:
        value = _spark_clock(field, micros, result)
    else:
        return None
    return _guarded(field, spark.is_infinite(micros), value, result)


def _spark_clock(field: str, micros: str, result: Type) -> str:
    modulus, unit, digits = _OF_TIME[field]
    rest = f"pmod({micros}, {modulus}L)"
    return _scaled(rest, unit, result) if digits else f"{rest} DIV {unit}L"


def _scaled(micros: str, unit: int, result: Type) -> str:
    """A count of microseconds in another unit, with all its digits."""
    if isinstance(result, Numeric):
        digits = len(str(unit)) - 1
        return f"CAST({micros} AS DECIMAL(19, 0)) * CAST({Decimal(1).scaleb(-digits):f} AS DECIMAL({digits}, {digits}))"
    return f"{micros} / {unit}D"


def _guarded(field: str, infinite: str, value: str, result: Type) -> str:
    if field not in _MONOTONOUS:
        end = "NULL"
    elif isinstance(result, Numeric):
        end = failure(NumericValueOutOfRange, NO_INFINITY)
    else:
        end = f"IF({value} > 0, double('Infinity'), double('-Infinity'))"
    return f"CASE WHEN {infinite} THEN {end} ELSE CAST({value} AS {spark_type(result)}) END"


def _spark_time_field(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str | None:
    shown = unquoted(texts[0])
    field = None if shown is None else field_of(shown)
    micros = f"time_to_micros({texts[1]})"
    if field == "epoch":
        return f"CAST({_scaled(micros, MICROS_PER_SECOND, result)} AS {spark_type(result)})"
    if field is None or field not in _OF_TIME:
        return None
    return f"CAST({_spark_clock(field, micros, result)} AS {spark_type(result)})"


def _spark_interval_field(texts: Sequence[str], _types: Sequence[Type], result: Type) -> str | None:
    """Of the fields only those that an interval has as such, or come to: a finite one is by far the usual."""
    shown = unquoted(texts[0])
    field = None if shown is None else field_of(shown)
    interval = texts[1]
    value = {
        "epoch": (
            f"CAST(({interval}.months DIV 12) * 31557600L "
            f"+ (({interval}.months % 12) * 30L + {interval}.days) * 86400L AS DECIMAL(16, 0)) "
            f"+ {_scaled(f'{interval}.micros', MICROS_PER_SECOND, result)}"
        ),
        "day": f"{interval}.days",
        "hour": f"{interval}.micros DIV {MICROS_PER_HOUR}L",
        "minute": f"({interval}.micros % {MICROS_PER_HOUR}L) DIV {MICROS_PER_MINUTE}L",
        "second": _scaled(f"({interval}.micros % {MICROS_PER_MINUTE}L)", MICROS_PER_SECOND, result),
        "month": f"{interval}.months % 12",
        "year": f"{interval}.months DIV 12",
    }.get(field or "")
    if value is None:
        return None
    infinite = spark.is_infinite_interval(interval)
    end = failure(NumericValueOutOfRange, NO_INFINITY) if field in _GROWING else "NULL"
    return f"CASE WHEN {infinite} THEN {end} ELSE CAST({value} AS {spark_type(result)}) END"


_EXTRACT = "A field as a numeric: `extract(epoch FROM t)`."
_PART = "A field as a float: `date_part('epoch', t)`."


def _field_function(
    name: str, type_: Type, result: Type, python: Callable[..., object], text: Callable[..., str | None] | None
) -> Function:
    doc = _EXTRACT if name == "extract" else _PART
    return Function(
        name, (TEXT, type_), result, python, text, makes_null=type_ is not TIME, fails=True, typed=True, doc=doc
    )


def _float_text(
    text: Callable[[Sequence[str], Sequence[Type], Type], str | None], fields: frozenset[str]
) -> Callable[[Sequence[str], Sequence[Type], Type], str | None]:
    """The same text for some fields."""

    def limited(texts: Sequence[str], types: Sequence[Type], result: Type) -> str | None:
        shown = unquoted(texts[0])
        return text(texts, types, result) if shown is not None and field_of(shown) in fields else None

    return limited


_AS_FLOAT = frozenset(("minute", "hour", "day", "week", "month", "quarter", "year", "dow", "isodow", "doy", "epoch"))
"""Fields whose float needs no rounding, or one."""

FAMILY = Family(
    "Fields of dates and times",
    functions=(
        _field_function("extract", DATE, DATE_FIELD, _of_date, _spark_date_field),
        _field_function("extract", TIME, TIME_FIELD, _of_time, _spark_time_field),
        _field_function("extract", TIMESTAMP, TIMESTAMP_FIELD, _of_timestamp, _spark_timestamp_field),
        _field_function("extract", TIMESTAMPTZ, TIMESTAMP_FIELD, _of_timestamp, _spark_timestamp_field),
        _field_function("extract", INTERVAL, INTERVAL_FIELD, _of_interval, _spark_interval_field),
        _field_function("date_part", DATE, FLOAT8, _float_of_date, None),
        _field_function("date_part", TIME, FLOAT8, _float_of_time, _float_text(_spark_time_field, _AS_FLOAT)),
        _field_function(
            "date_part", TIMESTAMP, FLOAT8, _float_of_timestamp, _float_text(_spark_timestamp_field, _AS_FLOAT)
        ),
        _field_function(
            "date_part", TIMESTAMPTZ, FLOAT8, _float_of_timestamp, _float_text(_spark_timestamp_field, _AS_FLOAT)
        ),
        _field_function("date_part", INTERVAL, FLOAT8, _float_of_interval, None),
    ),
)
