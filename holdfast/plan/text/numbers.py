"""Text of numbers and booleans."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction

from holdfast.errors import UsageError
from holdfast.plan import real
from holdfast.plan.errors import InvalidTextRepresentation, NumericValueOutOfRange
from holdfast.plan.functions.numeric_types import fitted
from holdfast.plan.text.contract import Read, TextCodec
from holdfast.plan.types import MAX_PRECISION, NUMERIC, REGISTERED, TIMESTAMPTZ, Numeric, Type

SPACE = " \t\n\v\f\r"
"""What PostgreSQL skips before and after a value."""

INTEGER_RANGES: Mapping[str, tuple[int, int]] = {
    "int2": (-(2**15), 2**15 - 1),
    "int4": (-(2**31), 2**31 - 1),
    "int8": (-(2**63), 2**63 - 1),
    "uint2": (0, 2**16 - 1),
    "uint4": (0, 2**32 - 1),
    "uint8": (0, 2**64 - 1),
    "oid": (0, 2**32 - 1),
    "mz_timestamp": (0, 2**63 - 1),
}

_INTEGER = re.compile(
    r"([+-]?)(?:0[xX]((?:_?[0-9a-fA-F])+)|0[oO]((?:_?[0-7])+)|0[bB]((?:_?[01])+)|([0-9](?:_?[0-9])*))"
)
_BASES = (16, 8, 2, 10)
_OID = re.compile(r"([+-]?)(?:0[xX]([0-9a-fA-F]+)|(0[0-7]*)|([1-9]\d*))")
_FLOAT = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|(?P<inf>inf(?:inity)?))", re.IGNORECASE | re.ASCII)
_HEX_FLOAT = re.compile(r"[+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_NAN = re.compile(r"[+-]?nan(?:\(\w*\))?", re.IGNORECASE | re.ASCII)
_DIGITS = r"\d(?:_?\d)*"
_NUMERIC = re.compile(
    rf"[+-]?(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?",
    re.ASCII,
)
_LEAST_EXPONENT, _GREATEST_EXPONENT = -17_000, 132_000
"""Beyond these PostgreSQL's own numeric ends."""

_FIXED_BELOW = 1e15
"""From here on PostgreSQL writes an exponent, and for small numbers where Python does."""

# Below this, no boundary between two floats is a decimal of 17 digits.
_EXACT_BELOW = 2.0**53


def invalid(type_name: str, text: str) -> InvalidTextRepresentation:
    return InvalidTextRepresentation(f'invalid input syntax for type {type_name}: "{text}"')


def _out_of_range(type_name: str, text: str) -> NumericValueOutOfRange:
    return NumericValueOutOfRange(f'value "{text}" is out of range for type {type_name}')


_TRUE = {"t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"}
_FALSE = {"f", "fa", "fal", "fals", "false", "n", "no", "of", "off", "0"}


def read_bool(text: str) -> bool:
    word = text.strip(SPACE).lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise invalid("boolean", text)


def write_bool(value: bool) -> str:
    return "t" if value else "f"


def read_integer(text: str) -> int | None:
    """Any integer in PostgreSQL's forms, or None."""
    found = _INTEGER.fullmatch(text.strip(SPACE))
    if found is None:
        return None
    digits, base = _digits_of(found)
    value = int(digits, base)
    return -value if found[1] == "-" else value


def _digits_of(found: re.Match[str]) -> tuple[str, int]:
    _, *forms = found.groups()
    return next((digits.replace("_", ""), base) for digits, base in zip(forms, _BASES, strict=True) if digits)


def _overflows_early(text: str, greatest: int) -> bool:
    """Whether PostgreSQL finds an integer too large before it comes to what is wrong after the digits."""
    found = _INTEGER.match(text.lstrip(SPACE))
    if found is None:
        return False
    digits, base = _digits_of(found)
    return int(digits[:-1] or "0", base) > (greatest + 1) // base


def _integer_reader(type_: Type) -> Callable[[str], int]:
    name, (least, greatest) = str(type_), INTEGER_RANGES[type_.base]

    def read(text: str) -> int:
        value = read_integer(text)
        if value is None:
            raise _out_of_range(name, text) if _overflows_early(text, greatest) else invalid(name, text)
        if not least <= value <= greatest:
            raise _out_of_range(name, text)
        return value

    return read


def read_oid(text: str) -> int:
    """As C reads unsigned integers: a leading zero is octal, and less than zero counts from the end."""
    found = _OID.fullmatch(text.strip(SPACE))
    if found is None or not text.isascii():
        raise invalid("oid", text)
    sign, sixteen, eight, ten = found.groups()
    value = int(sixteen, 16) if sixteen else int(eight, 8) if eight else int(ten)
    if sign == "-":
        value = -value
    if not -(2**31) <= value < 2**32:
        raise _out_of_range("oid", text)
    return value % 2**32


def is_oid(text: str) -> bool:
    """Whether the text of a reg* is a number, and not a name. `-` is none, which is zero."""
    return text == "-" or (text.isascii() and text.isdigit())


def _read_registered(text: str) -> int:
    return 0 if text == "-" else read_oid(text)


def _write_registered(value: int) -> str:
    """By number: names are the catalog's to know. Zero stands for none."""
    return str(value) if value else "-"


def read_float8(text: str) -> float:
    word = text.strip(SPACE)
    found = _FLOAT.fullmatch(word)
    if found is None:
        return _read_odd_float(word, text, "double precision")
    value = float(word)
    if found["inf"] is None and (math.isinf(value) or (value == 0 and _has_digits(word))):
        raise NumericValueOutOfRange(f'"{word}" is out of range for type double precision')
    return value


def read_float4(text: str) -> float:
    word = text.strip(SPACE)
    found = _FLOAT.fullmatch(word)
    if found is None:
        value = real.rounded(_read_odd_float(word, text, "real"))
    elif found["inf"] is not None:
        return float(word)
    else:
        value = _nearest_real(word)
        if math.isinf(value) or (value == 0 and _has_digits(word)):
            raise NumericValueOutOfRange(f'"{word}" is out of range for type real')
    return value


def _nearest_real(word: str) -> float:
    close = float(word)
    if close == 0 or math.isinf(close):
        return close
    return real.nearest(Fraction(word)) if _may_be_tie(close) else real.rounded(close)


def _may_be_tie(value: float) -> bool:
    """Whether it may be half-way between two reals, so that what stands beyond its digits decides."""
    mantissa, _ = math.frexp(value)
    return (mantissa * 2**25).is_integer() or abs(value) < 2.0**-126


def _has_digits(word: str) -> bool:
    """Whether any digit before the exponent is not 0."""
    return any(digit in "123456789" for digit in re.split("[eE]", word)[0])


def _read_odd_float(word: str, text: str, name: str) -> float:
    if _NAN.fullmatch(word):
        return math.nan
    if _HEX_FLOAT.fullmatch(word):
        try:
            return float.fromhex(word)
        except OverflowError:
            raise NumericValueOutOfRange(f'"{word}" is out of range for type {name}') from None
    raise invalid(name, text)


def write_float8(value: float) -> str:
    if -_FIXED_BELOW < value < _FIXED_BELOW and "e" not in (text := repr(value)):
        return text.removesuffix(".0")
    if abs(value) < _EXACT_BELOW or not math.isfinite(value):
        return _laid_out(repr(value), 15)
    size = abs(value)
    above = math.nextafter(size, math.inf)
    after = Fraction(above) if math.isfinite(above) else Fraction(2**1024)
    digits = _shortest(size, Fraction(math.nextafter(size, 0.0)), after, 17)
    return _laid_out(digits if value > 0 else f"-{digits}", 15)


def write_float4(value: float) -> str:
    if value == 0 or not math.isfinite(value):
        return _laid_out(repr(value), 6)
    size = abs(value)
    above = Fraction(real.successor(size)) if size < real.GREATEST else Fraction(2**128)
    digits = _shortest(size, Fraction(real.predecessor(size)), above, 9)
    return _laid_out(digits if value > 0 else f"-{digits}", 6)


def _shortest(value: float, below: Fraction, above: Fraction, most: int) -> str:
    """The fewest digits that are nearer to the value than to its neighbours, and not half-way either."""
    low, high = (Fraction(value) + below) / 2, (Fraction(value) + above) / 2
    tried = (f"{value:.{digits}e}" for digits in range(most))
    return next(text for text in tried if low < Fraction(text) < high)


def _laid_out(text: str, fixed_below: int) -> str:
    """Python's text of a float as PostgreSQL writes it: with an exponent below -4 and from `fixed_below` on."""
    if text in ("inf", "-inf", "nan"):
        return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}[text]
    sign, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)  # finite
    shown = "".join(map(str, digits)).rstrip("0")
    minus = "-" if sign else ""
    if not shown:
        return f"{minus}0"
    point = len(digits) + exponent  # where it stands, from the first digit
    if -4 < point <= fixed_below:
        if point <= 0:
            return f"{minus}0.{'0' * -point}{shown}"
        whole, rest = shown[:point].ljust(point, "0"), shown[point:]
        return f"{minus}{whole}.{rest}" if rest else f"{minus}{whole}"
    power = point - 1
    mantissa = f"{shown[0]}.{shown[1:]}" if len(shown) > 1 else shown
    return f"{minus}{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"


def read_numeric(text: str) -> Decimal:
    """A literal of at most 38 digits, with the scale it is written with where that fits.

    `numeric_types.numeric_of` is its type.
    """
    return within_digits(read_any_numeric(text))


def read_any_numeric(text: str) -> Decimal:
    """A number of any length."""
    word = text.strip(SPACE)
    if _NUMERIC.fullmatch(word):
        mantissa, _, exponent = word.replace("_", "").lower().partition("e")
        if exponent and not _LEAST_EXPONENT < int(exponent) < _GREATEST_EXPONENT:
            raise NumericValueOutOfRange("value overflows numeric format")
        return Decimal(f"{mantissa}e{exponent or 0}")
    integer = read_integer(word)
    if integer is None:
        raise invalid("numeric", text)
    return Decimal(integer)


def within_digits(value: Decimal) -> Decimal:
    """The number with at most 38 digits, which are as many as Arrow and Spark have."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)  # finite
    if not value:
        return Decimal((0, (0,), max(min(exponent, 0), -MAX_PRECISION)))
    kept = list(digits)
    while exponent < 0 and kept[-1] == 0 and (max(len(kept), -exponent) > MAX_PRECISION):
        kept.pop()
        exponent += 1
    if max(len(kept), len(kept) + exponent, -exponent) > MAX_PRECISION:
        raise NumericValueOutOfRange("value overflows numeric format")
    if exponent > 0:
        kept, exponent = kept + [0] * exponent, 0
    return Decimal((sign, tuple(kept), exponent))


def write_numeric(value: Decimal) -> str:
    if not value:
        return "0"
    text = str(value)
    if "E" in text:
        text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _numeric(type_: Type, _: object) -> TextCodec:
    if not isinstance(type_, Numeric):
        raise UsageError(f"{type_} is no numeric")
    if type_ is NUMERIC:
        # A literal: it has the digits it is written with, and the type that they need.
        return TextCodec(read_numeric, write_numeric)
    return TextCodec(lambda text: fitted(read_any_numeric(text), type_), write_numeric)


def _mz_timestamp(type_: Type, find: Callable[[Type], TextCodec]) -> TextCodec:
    """Milliseconds since 1970, or a date and time."""
    read_number = _integer_reader(type_)

    def read(text: str) -> int:
        if read_integer(text) is not None:
            return read_number(text)
        millis: int = find(TIMESTAMPTZ).read(text) // 1000
        if not 0 <= millis < 2**63 // 1000:
            raise _out_of_range("mz_timestamp", text)
        return millis

    return TextCodec(read, str)


def _plain(read: Read, write: Callable[..., str]) -> Callable[[Type, object], TextCodec]:
    codec = TextCodec(read, write)
    return lambda *_: codec


def _integer(type_: Type, _: object) -> TextCodec:
    return TextCodec(_integer_reader(type_), str)


CODECS: Mapping[str, Callable[[Type, Callable[[Type], TextCodec]], TextCodec]] = {
    "bool": _plain(read_bool, write_bool),
    **dict.fromkeys(("int2", "int4", "int8", "uint2", "uint4", "uint8"), _integer),
    "float4": _plain(read_float4, write_float4),
    "float8": _plain(read_float8, write_float8),
    "numeric": _numeric,
    "oid": _plain(read_oid, str),
    **{type_.base: _plain(_read_registered, _write_registered) for type_ in REGISTERED},
    "mz_timestamp": _mz_timestamp,
}
