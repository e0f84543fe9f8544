"""Where we differ from PostgreSQL on purpose, and why. `docs/reference/differences.md` tells users the same."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """Expressions that match `pattern` may have another answer."""

    pattern: str
    why: str

    def covers(self, expression: str) -> bool:
        return re.search(self.pattern, expression) is not None


_DIGITS = "A numeric has at most 38 digits, and is never NaN or infinite."
_SCALE = "Digits after the point of a numeric follow from types, not from values."
_TRAILING = "Numbers have no trailing zeros after the point, also in jsonb."
_CHARACTER = "A character value does not keep trailing spaces, also where the type has no length."
_INTERVALS = "Intervals compare field by field: months, then days, then the time."
_JSON = "The type json is jsonb."
_DIMENSIONS = "How many dimensions an array has is part of its type, so `array_fill` makes one dimension only."
_REGISTERED = "Without a catalog, as in `holdfast query`, they are shown by their number."
_TYPEOF = "`pg_typeof` returns text."
_PATHS = "A JSON path that cannot be read is an error only where it is used."
_CONVERSIONS = "`convert` takes any two encodings."
_TO_CHAR = "`to_char` shows # for every digit of a number that its pattern has no room for."
_ANY = "`any_value` returns the least value."
_WHICH = "Where several rows are wrong, it is open which of their errors is reported."

KNOWN: tuple[Difference, ...] = (
    Difference(r"\('(1e300|-?Infinity|NaN)'::float[48]\)::numeric", _DIGITS),
    Difference(r"'123456789.987654'::numeric \^ ", _DIGITS),
    Difference(r"::numeric / '(123456789.987654|-99999999999999.5)'::numeric", _SCALE),
    Difference(r"power\('0.001'::numeric, '2.5'::numeric\)", _SCALE),
    Difference(r"SELECT stddev\w*\(.*'32767'::int2", _SCALE),
    Difference(r"SELECT var\w+\(.*'9223372036854775807'::int8", _DIGITS),
    Difference(r"'1\.50'::jsonb", _TRAILING),
    Difference(r" '::bpchar| '::\w+\)::bpchar", _CHARACTER),
    Difference(r"::interval [<>]=? '.*'::interval", _INTERVALS),
    Difference(r"percentile_cont\(.*::interval", _INTERVALS),
    Difference(r"SELECT any_value\(", _ANY),
    Difference(r"SELECT array_agg\((DISTINCT )?c0 ORDER BY .*\[\]", _WHICH),
    Difference(r"array_to_json\(", _JSON),
    Difference(r"array_fill\(", _DIMENSIONS),
    Difference(r"jsonb_path_\w+\(.*null::|null::jsonb @[?@]", _PATHS),
    Difference(r"convert\(.*, '(LATIN1|WIN1252)'::name, 'abc'::name", _CONVERSIONS),
    Difference(r"to_char\('(9223372036854775807'::int8, '99V9|Infinity'::float4)", _TO_CHAR),
    Difference(r"\)::regproc", _REGISTERED),
    Difference(r"pg_typeof\(", _TYPEOF),
)
