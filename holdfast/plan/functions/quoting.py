"""SQL in text: identifiers and literals quoted, and `format`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from holdfast.plan.errors import InvalidParameterValue, NullValueNotAllowed, NumericValueOutOfRange
from holdfast.plan.functions.function import Any, Family, Function, Types
from holdfast.plan.functions.joining import cast_to_text
from holdfast.plan.text.codec import read_of, write_of
from holdfast.plan.types import BOOL, INT4, TEXT, Type, array_of

_KEYWORDS = (
    "all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both "
    "case cast char character check coalesce collate collation column concurrently constraint create cross "
    "current_catalog current_date current_role current_schema current_time current_timestamp current_user dec "
    "decimal default deferrable desc distinct do else end except exists extract false fetch float for foreign "
    "freeze from full grant greatest group grouping having ilike in initially inner inout int integer "
    "intersect interval into is isnull join json json_array json_arrayagg json_exists json_object "
    "json_objectagg json_query json_scalar json_serialize json_table json_value lateral leading least left "
    "like limit localtime localtimestamp merge_action national natural nchar none normalize not notnull null "
    "nullif numeric offset on only or order out outer overlaps overlay placing position precision primary real "
    "references returning right row select session_user setof similar smallint some substring symmetric "
    "system_user table tablesample then time timestamp to trailing treat trim true union unique user using "
    "values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists "
    "xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable"
)
"""The words of PostgreSQL 18 that are not names by themselves."""

KEYWORDS = frozenset(_KEYWORDS.split())

_PLAIN_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]*")


def quote_ident(text: str) -> str:
    if _PLAIN_IDENTIFIER.fullmatch(text) and text not in KEYWORDS:
        return text
    return '"' + text.replace('"', '""') + '"'


def quote_literal(text: str) -> str:
    quoted = "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
    return f"E{quoted}" if "\\" in text else quoted


def _quote_nullable(text: str | None) -> str:
    return "NULL" if text is None else quote_literal(text)


def _quote_literal_of_any(types: Types, value: object) -> str:
    return quote_literal(cast_to_text(value, types.arguments[0]))


def _quote_nullable_of_any(types: Types, value: object) -> str:
    return "NULL" if value is None else _quote_literal_of_any(types, value)


def _wrong_specifier(message: str) -> InvalidParameterValue:
    error = InvalidParameterValue(message)
    error.hint = 'For a single "%" use "%%".'
    return error


_SPECIFIER = re.compile(
    r"%(?:(?P<percent>%)|(?:(?P<position>[0-9]+)\$)?(?P<left>-*)"
    r"(?:(?P<width>[0-9]+)|\*(?:(?P<width_position>[0-9]+)\$)?(?P<star>))?(?P<type>.?))",
    re.DOTALL,
)


class _Arguments:
    """The arguments of `format`: by position, or the next after the last that was taken."""

    def __init__(self, types: Sequence[Type], values: Sequence[object]) -> None:
        self._types, self._values, self._last = types, values, 0

    def take(self, position: str | None) -> tuple[object, Type]:
        if position is None:
            self._last += 1
        else:
            self._last = _small(position)
            if self._last == 0:
                raise InvalidParameterValue("format specifies argument 0, but arguments are numbered from 1")
        if self._last > len(self._values):
            raise InvalidParameterValue("too few arguments for format()")
        return self._values[self._last - 1], self._types[self._last - 1]


def _small(digits: str) -> int:
    value = int(digits)
    if value > 2147483647:
        raise NumericValueOutOfRange("number is out of range")
    return value


def _width(match: re.Match[str], arguments: _Arguments) -> int:
    """Negative where the text stands at the left."""
    if match["width"] is not None:
        width = _small(match["width"])
    elif match["star"] is not None:
        value, type_ = arguments.take(match["width_position"])
        width = 0 if value is None else int(read_of(INT4)(write_of(type_)(value)))
    else:
        return 0
    return -abs(width) if match["left"] else width


def _converted(kind: str, value: object, type_: Type) -> str:
    if value is None:
        if kind == "I":
            raise NullValueNotAllowed("null values cannot be formatted as an SQL identifier")
        return "NULL" if kind == "L" else ""
    text = write_of(type_)(value)
    return quote_ident(text) if kind == "I" else quote_literal(text) if kind == "L" else text


def _format(types: Types, template: str | None, *values: object) -> str | None:
    if template is None:
        return None
    arguments = _Arguments(types.arguments[1:], values)

    def filled(match: re.Match[str]) -> str:
        if match["percent"]:
            return "%"
        kind = match["type"]
        if not kind:
            raise _wrong_specifier("unterminated format() type specifier")
        width = _width(match, arguments)
        if kind not in ("s", "I", "L"):
            raise _wrong_specifier(f'unrecognized format() type specifier "{kind}"')
        text = _converted(kind, *arguments.take(match["position"]))
        return text.ljust(-width) if width < 0 else text.rjust(width)

    return _SPECIFIER.sub(filled, template)


_SPACES = " \n\t\r\f\v"
_IDENTIFIER = re.compile(r"[A-Za-z_\x80-\U0010ffff][A-Za-z0-9_$\x80-\U0010ffff]*")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


def _lowered(text: str) -> str:
    return "".join(c.lower() if c.isascii() else c for c in text)


def _parts(text: str, strict: bool) -> Iterator[str]:
    def wrong(detail: str | None = None) -> InvalidParameterValue:
        error = InvalidParameterValue(f'string is not a valid identifier: "{text}"')
        error.detail = detail
        return error

    rest, after_dot = text.lstrip(_SPACES), False
    while True:
        if rest.startswith('"'):
            found = _QUOTED.match(rest)
            if found is None:
                raise wrong("String has unclosed double quotes.")
            if not found[1]:
                raise wrong("Quoted identifier must not be empty.")
            yield found[1].replace('""', '"')
        else:
            found = _IDENTIFIER.match(rest)
            if found is None:
                if rest.startswith("."):
                    raise wrong('No valid identifier before ".".')
                raise wrong('No valid identifier after ".".' if after_dot else None)
            yield _lowered(found[0])
        rest, after_dot = rest[found.end() :].lstrip(_SPACES), True
        if not rest.startswith("."):
            break
        rest = rest[1:].lstrip(_SPACES)
    if rest and strict:
        raise wrong()


def _parse_ident(text: str, strict: bool = True) -> tuple[str, ...]:
    return tuple(_parts(text, strict))


_TEXTS = array_of(TEXT)

FAMILY = Family(
    "SQL in text",
    functions=(
        Function("quote_ident", (TEXT,), TEXT, quote_ident, doc="As an identifier in SQL."),
        Function("quote_literal", (TEXT,), TEXT, quote_literal, doc="As a literal in SQL."),
        Function("quote_literal", (Any.ELEMENT,), TEXT, _quote_literal_of_any, typed=True, doc="As a literal in SQL."),
        Function("quote_nullable", (TEXT,), TEXT, _quote_nullable, strict=False, doc="As a literal in SQL, or NULL."),
        Function(
            "quote_nullable",
            (Any.ELEMENT,),
            TEXT,
            _quote_nullable_of_any,
            strict=False,
            typed=True,
            doc="As a literal in SQL, or NULL.",
        ),
        Function(
            "format",
            (TEXT,),
            TEXT,
            _format,
            strict=False,
            makes_null=True,
            fails=True,
            typed=True,
            doc="A template with values in the places that it marks.",
        ),
        Function(
            "format",
            (TEXT, Any.ANY),
            TEXT,
            _format,
            strict=False,
            makes_null=True,
            fails=True,
            variadic=True,
            typed=True,
            doc="A template with values in the places that it marks.",
        ),
        Function("parse_ident", (TEXT,), _TEXTS, _parse_ident, fails=True, doc="The parts of a qualified identifier."),
        Function(
            "parse_ident", (TEXT, BOOL), _TEXTS, _parse_ident, fails=True, doc="The parts of a qualified identifier."
        ),
    ),
)
