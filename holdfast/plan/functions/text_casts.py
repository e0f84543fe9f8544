"""Casts among the kinds of text, and between text and what is read from it.

A cast to varchar(n) or char(n) cuts what is too long, as an explicit cast does.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.errors import InvalidTextRepresentation, NumericValueOutOfRange
from holdfast.plan.functions.function import Cast, CastContext, Family, Function, Types
from holdfast.plan.functions.spark_text import failure_of, quoted
from holdfast.plan.text.strings import (
    byte_of_char,
    bytea_of,
    char_of,
    char_of_byte,
    length_of,
    name_of,
    text_of_bytea,
    uuid_of,
)
from holdfast.plan.types import BPCHAR, BYTEA, CHAR, INT4, NAME, TEXT, UUID, VARCHAR, Type


def _to_varchar(types: Types, value: str) -> str:
    return value[: length_of(types.result)]


def _to_bpchar(types: Types, value: str) -> str:
    return value[: length_of(types.result)].rstrip(" ")


def _spark_to_varchar(arguments: Sequence[str], _: Sequence[Type], result: Type) -> str:
    length = length_of(result)
    return arguments[0] if length is None else f"left({arguments[0]}, {length})"


def _spark_to_bpchar(arguments: Sequence[str], types: Sequence[Type], result: Type) -> str:
    return f"rtrim({_spark_to_varchar(arguments, types, result)})"


_VARCHAR = Function("varchar", (VARCHAR,), VARCHAR, _to_varchar, _spark_to_varchar, typed=True)


def _bpchar(source: Type) -> Function:
    return Function("bpchar", (source,), BPCHAR, _to_bpchar, _spark_to_bpchar, typed=True)


def _int_to_char(value: int) -> str:
    if not -128 <= value <= 127:
        raise NumericValueOutOfRange('"char" out of range')
    return char_of_byte(value & 255)


def _char_to_int(value: str) -> int:
    byte = byte_of_char(value)
    return byte - 256 if byte > 127 else byte


_HEX4 = "[0-9a-fA-F]{4}"
_UUID_DIGITS = f"({_HEX4}-?){{7}}{_HEX4}"


def _spark_to_uuid(arguments: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    value = arguments[0]
    accepted = quoted(rf"^({_UUID_DIGITS}|\{{{_UUID_DIGITS}\}})\z")
    wrong = failure_of(
        InvalidTextRepresentation,
        f"concat({quoted('invalid input syntax for type uuid: ' + chr(34))}, {value}, {quoted(chr(34))})",
    )
    digits = f"lower(regexp_replace({value}, '[{{}}-]', ''))"
    groups = f"regexp_replace({digits}, '^(.{{8}})(.{{4}})(.{{4}})(.{{4}})', '$1-$2-$3-$4-')"
    return f"CASE WHEN NOT ({value} RLIKE {accepted}) THEN {wrong} ELSE {groups} END"


_NAME = Function("name", (TEXT,), NAME, name_of)
_CHAR = Function("char", (TEXT,), CHAR, char_of)
_UUID = Function("uuid", (TEXT,), UUID, uuid_of, _spark_to_uuid, fails=True)
_BYTEA = Function("bytea", (TEXT,), BYTEA, bytea_of, fails=True)
_TEXT_OF_BYTEA = Function("text", (BYTEA,), TEXT, text_of_bytea, "concat('\\\\x', lower(hex({0})))")


def _casts() -> list[Cast]:
    found = [
        Cast("varchar", "text", "implicit"),
        Cast("bpchar", "text", "implicit"),
        Cast("name", "text", "implicit"),
        Cast("char", "text", "implicit"),
        Cast("int4", "char", "explicit", Function("char", (INT4,), CHAR, _int_to_char, fails=True)),
        Cast("char", "int4", "explicit", Function("int4", (CHAR,), INT4, _char_to_int)),
        Cast("uuid", "text", "assignment"),
        Cast("bytea", "text", "assignment", _TEXT_OF_BYTEA),
    ]
    lengths: list[tuple[Type, CastContext]] = [
        (TEXT, "implicit"),
        (VARCHAR, "implicit"),
        (BPCHAR, "implicit"),
        (NAME, "assignment"),
        (CHAR, "assignment"),
        (UUID, "assignment"),
    ]
    for source, context in lengths:
        # A modifier of varchar is applied by its cast to itself; a char(n) has no blanks at its end even without one.
        found.append(Cast(source.base, "varchar", context, _VARCHAR if source is VARCHAR else None))
        found.append(Cast(source.base, "bpchar", context, _bpchar(source)))
    for base in ("text", "varchar", "bpchar"):
        found += [
            Cast(base, "name", "implicit", _NAME),
            Cast(base, "char", "assignment", _CHAR),
            Cast(base, "uuid", "explicit", _UUID),
            Cast(base, "bytea", "explicit", _BYTEA),
        ]
    return found


FAMILY = Family("Casts of text", casts=tuple(_casts()))
