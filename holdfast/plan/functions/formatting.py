"""to_char, to_timestamp, to_date and to_number: values written and read by a template."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context, Decimal

from holdfast.plan.calendar import FIRST_DATE, LAST_DATE, MICROS_PER_DAY, MICROS_PER_SECOND, is_infinite
from holdfast.plan.date_arithmetic import checked_timestamp
from holdfast.plan.errors import DatetimeFieldOverflow
from holdfast.plan.format.date_input import read_by_template
from holdfast.plan.format.date_output import format_interval, format_timestamp
from holdfast.plan.format.number_input import read_number
from holdfast.plan.format.number_output import write_number, write_roman
from holdfast.plan.format.number_template import Template, parsed
from holdfast.plan.functions.function import Family, Function
from holdfast.plan.interval_arithmetic import is_finite
from holdfast.plan.types import (
    DATE,
    FLOAT4,
    FLOAT8,
    INT4,
    INT8,
    INTERVAL,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Interval,
)

_EXACT = Context(prec=120)


# As in PostgreSQL, what is infinite has no text by a template, and there is none by an empty one.


def _timestamp_to_char(micros: int, template: str) -> str | None:
    return format_timestamp(micros, template, zoned=False) if template and not is_infinite(micros) else None


def _timestamptz_to_char(micros: int, template: str) -> str | None:
    return format_timestamp(micros, template, zoned=True) if template and not is_infinite(micros) else None


def _interval_to_char(interval: Interval, template: str) -> str | None:
    return format_interval(interval, template) if template and is_finite(interval) else None


def _to_timestamp(text: str, template: str) -> int:
    days, micros, offset = read_by_template(text, template)
    return checked_timestamp(days * MICROS_PER_DAY + micros - offset * MICROS_PER_SECOND)


def _to_date(text: str, template: str) -> int:
    days = read_by_template(text, template)[0]
    if not FIRST_DATE <= days <= LAST_DATE:
        raise DatetimeFieldOverflow(f'date out of range: "{text}"')
    return days


def _numeric_to_char(value: Decimal, template_text: str) -> str:
    template = parsed(template_text)
    if template.exponent:
        return _scientific(value, template)
    if template.roman:
        return write_roman(int(value.quantize(Decimal(1), rounding=ROUND_HALF_UP, context=_EXACT)), template)
    scaled = value.scaleb(template.multiplied, context=_EXACT)
    rounded = scaled.quantize(Decimal(1).scaleb(-template.after), rounding=ROUND_HALF_UP, context=_EXACT)
    return write_number(f"{abs(rounded):f}", rounded < 0, template)


def _scientific(value: Decimal, template: Template) -> str:
    """With one digit before the point, whatever the template has; with two where it rounds up to ten, as PostgreSQL."""
    if value == 0:
        shown = f"{Decimal(0):.{template.after}f}e+00"
    else:
        exponent = value.adjusted()
        step = Decimal(1).scaleb(-template.after)
        mantissa = abs(value).scaleb(-exponent, context=_EXACT).quantize(step, rounding=ROUND_HALF_UP, context=_EXACT)
        shown = f"{mantissa:f}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"
    return ("-" if value < 0 else " ") + shown


def _int4_to_char(value: int, template: str) -> str:
    # PostgreSQL has a power of ten of a small integer by way of a float, which rounds halves to even.
    return _double_to_char(value, template) if parsed(template).exponent else _int8_to_char(value, template)


def _int8_to_char(value: int, template: str) -> str:
    return _numeric_to_char(Decimal(value), template)


def _float_to_char(precise: int, value: float, template_text: str) -> str:
    template = parsed(template_text)
    if template.exponent:
        if not math.isfinite(value):
            return f" {'#' * template.before}.{'#' * template.after}####"
        shown = f"{abs(value):.{template.after}e}"
        return ("-" if value < 0 else " ") + shown
    if template.roman:
        whole = round(value) if math.isfinite(value) else 0
        return write_roman(whole, template)
    value = value * 10.0**template.multiplied if template.multiplied else value
    if not math.isfinite(value):
        return write_number("NaN" if math.isnan(value) else "Infinity", value < 0, template)
    # A float has so many digits, and what follows them is not its own.
    length = len(f"{abs(value):.0f}")
    after = 0 if length >= precise else min(template.after, precise - length)
    return write_number(f"{abs(value):.{after}f}", math.copysign(1.0, value) < 0, template)


def _double_to_char(value: float, template: str) -> str:
    return _float_to_char(15, value, template)


def _real_to_char(value: float, template: str) -> str:
    return _float_to_char(6, value, template)


def _to_number(text: str, template: str) -> Decimal | None:
    return read_number(text, template) if template else None


_TO_CHAR = "The text of a value by a template: `to_char(t, 'YYYY-MM-DD')`."

FAMILY = Family(
    "to_char and to_timestamp",
    functions=(
        Function("to_char", (TIMESTAMP, TEXT), TEXT, _timestamp_to_char, makes_null=True, fails=True, doc=_TO_CHAR),
        Function("to_char", (TIMESTAMPTZ, TEXT), TEXT, _timestamptz_to_char, makes_null=True, fails=True, doc=_TO_CHAR),
        Function("to_char", (INTERVAL, TEXT), TEXT, _interval_to_char, makes_null=True, fails=True, doc=_TO_CHAR),
        Function("to_char", (NUMERIC, TEXT), TEXT, _numeric_to_char, fails=True, doc=_TO_CHAR),
        Function("to_char", (INT4, TEXT), TEXT, _int4_to_char, fails=True, doc=_TO_CHAR),
        Function("to_char", (INT8, TEXT), TEXT, _int8_to_char, fails=True, doc=_TO_CHAR),
        Function("to_char", (FLOAT4, TEXT), TEXT, _real_to_char, fails=True, doc=_TO_CHAR),
        Function("to_char", (FLOAT8, TEXT), TEXT, _double_to_char, fails=True, doc=_TO_CHAR),
        Function(
            "to_timestamp", (TEXT, TEXT), TIMESTAMPTZ, _to_timestamp, fails=True, doc="A moment read by a template."
        ),
        Function("to_date", (TEXT, TEXT), DATE, _to_date, fails=True, doc="A date read by a template."),
        Function(
            "to_number",
            (TEXT, TEXT),
            NUMERIC,
            _to_number,
            makes_null=True,
            fails=True,
            doc="A number read by a template.",
        ),
    ),
)
