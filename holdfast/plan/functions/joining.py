"""Texts put together and taken apart: concatenation, and arrays from and to text.

Values that are not text are taken as their text. For `concat` and the like that is what a client would see; for `||` it
is a cast to text, which says `true` where a client sees `t`, and leaves out the blanks of a char(n).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from holdfast.plan.functions.function import Any, Family, Function, ResultColumns, TableFunction, Types
from holdfast.plan.text.codec import write_of
from holdfast.plan.text.strings import length_of
from holdfast.plan.types import TEXT, Array, Type, array_of

_ALREADY_TEXT = frozenset(("text", "varchar", "name", "char", "uuid", "jsonb", "unknown"))
_INTEGERS = frozenset(("int2", "int4", "int8", "uint2", "uint4", "uint8", "oid", "mz_timestamp"))


def spark_shown(text: str, type_: Type) -> str | None:
    """SQL of a value's text as a client sees it, for the types for which that is simple."""
    if type_.base in _ALREADY_TEXT:
        return text
    if type_.base in _INTEGERS:
        return f"CAST({text} AS STRING)"
    if type_.base == "bool":
        return f"CASE {text} WHEN true THEN 't' WHEN false THEN 'f' END"
    if type_.base == "bpchar":
        length = length_of(type_)
        return text if length is None else f"rpad({text}, {length}, ' ')"
    return None


def _spark_cast(text: str, type_: Type) -> str | None:
    """SQL of a value cast to text."""
    if type_.base in ("bool", "bpchar"):
        return f"CAST({text} AS STRING)"
    return spark_shown(text, type_)


def cast_to_text(value: object, type_: Type) -> str:
    if type_.base == "bool":
        return "true" if value else "false"
    written = write_of(type_)(value)
    return written.rstrip(" ") if type_.base == "bpchar" else written


def _joined(types: Types, left: object, right: object) -> str:
    return cast_to_text(left, types.arguments[0]) + cast_to_text(right, types.arguments[1])


def _spark_joined(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    texts = [_spark_cast(text, type_) for text, type_ in zip(arguments, types, strict=True)]
    return None if None in texts else f"concat({', '.join(text for text in texts if text is not None)})"


def _shown(values: Iterable[object], types: Iterable[Type]) -> Iterator[str]:
    """The texts of those that are not null."""
    return (write_of(type_)(value) for value, type_ in zip(values, types, strict=True) if value is not None)


def _concat(types: Types, *values: object) -> str:
    return "".join(_shown(values, types.arguments))


_EMPTY = "coalesce({}, '')"


def _spark_concat(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    texts = [spark_shown(text, type_) for text, type_ in zip(arguments, types, strict=True)]
    return None if None in texts else f"concat({', '.join(_EMPTY.format(text) for text in texts)})"


def _concat_ws(types: Types, separator: str | None, *values: object) -> str | None:
    return None if separator is None else separator.join(_shown(values, types.arguments[1:]))


def _spark_concat_ws(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    texts = [spark_shown(text, type_) for text, type_ in zip(arguments, types, strict=True)]
    return None if None in texts else f"concat_ws({', '.join(text for text in texts if text is not None)})"


def _string_to_array(text: str | None, separator: str | None, null: str | None = None) -> tuple[str | None, ...] | None:
    """Without a separator each character is an element; with an empty one the whole text is."""
    if text is None:
        return None
    if not text:
        return ()
    parts = list(text) if separator is None else text.split(separator) if separator else [text]
    return tuple(None if part == null else part for part in parts)


_SPARK_PARTS = (
    "CASE WHEN {0} IS NULL THEN NULL WHEN {0} = '' THEN CAST(array() AS ARRAY<STRING>) "
    "WHEN {1} IS NULL THEN split({0}, '') WHEN {1} = '' THEN array({0}) "
    r"ELSE split({0}, concat('\\Q', replace({1}, '\\E', '\\E\\\\E\\Q'), '\\E'), -1) END"
)


def _elements(value: object, dimensions: int) -> Iterator[object]:
    if dimensions == 0 or value is None:
        yield value
        return
    for element in cast(tuple[object, ...], value):
        yield from _elements(element, dimensions - 1)


def _array_to_string(
    types: Types, array: tuple[object, ...] | None, separator: str | None, null: str | None = None
) -> str | None:
    type_ = types.arguments[0]
    if array is None or separator is None or not isinstance(type_, Array):
        return None
    write = write_of(type_.element)
    texts = (null if value is None else write(value) for value in _elements(array, type_.dimensions))
    return separator.join(text for text in texts if text is not None)


def _spark_array_to_string(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    array = types[0]
    if not isinstance(array, Array) or array.dimensions > 1 or array.element.base not in _ALREADY_TEXT:
        return None
    skipped = f"array_join({arguments[0]}, {arguments[1]})"
    if len(arguments) == 2:
        return skipped
    return f"if({arguments[2]} IS NULL, {skipped}, array_join({', '.join(arguments)}))"


def _string_to_table(text: str | None, separator: str | None, null: str | None = None) -> Iterator[tuple[str | None]]:
    return ((part,) for part in _string_to_array(text, separator, null) or ())


_TEXTS = array_of(TEXT)
_ONE_COLUMN = ResultColumns(("string_to_table",), (TEXT,), (True,))

FAMILY = Family(
    "Joining and splitting text",
    functions=(
        Function(
            "concat",
            (Any.ANY,),
            TEXT,
            _concat,
            _spark_concat,
            strict=False,
            variadic=True,
            typed=True,
            doc="The texts of all values, one after the other; nulls are nothing.",
        ),
        Function(
            "concat_ws",
            (TEXT, Any.ANY),
            TEXT,
            _concat_ws,
            _spark_concat_ws,
            strict=False,
            makes_null=True,
            variadic=True,
            typed=True,
            doc="The texts of all values that are not null, with a separator between them.",
        ),
        Function(
            "string_to_array",
            (TEXT, TEXT),
            _TEXTS,
            _string_to_array,
            _SPARK_PARTS,
            strict=False,
            makes_null=True,
            doc="The parts between separators, as an array.",
        ),
        Function(
            "string_to_array",
            (TEXT, TEXT, TEXT),
            _TEXTS,
            _string_to_array,
            strict=False,
            makes_null=True,
            doc="The parts between separators, as an array.",
        ),
        Function(
            "array_to_string",
            (Any.ARRAY, TEXT),
            TEXT,
            _array_to_string,
            _spark_array_to_string,
            typed=True,
            doc="The elements as text, with a separator between them.",
        ),
        Function(
            "array_to_string",
            (Any.ARRAY, TEXT, TEXT),
            TEXT,
            _array_to_string,
            _spark_array_to_string,
            strict=False,
            makes_null=True,
            typed=True,
            doc="The elements as text, with a separator between them.",
        ),
    ),
    operators=(
        Function("||", (TEXT, TEXT), TEXT, str.__add__, "concat({0}, {1})", infix=True, doc="One after the other."),
        Function(
            "||", (TEXT, Any.NONARRAY), TEXT, _joined, _spark_joined, typed=True, infix=True, doc="One after the other."
        ),
        Function(
            "||", (Any.NONARRAY, TEXT), TEXT, _joined, _spark_joined, typed=True, infix=True, doc="One after the other."
        ),
    ),
    tables=(
        TableFunction(
            "string_to_table",
            (TEXT, TEXT),
            _ONE_COLUMN,
            _string_to_table,
            strict=False,
            doc="The parts between separators, as rows.",
        ),
        TableFunction(
            "string_to_table",
            (TEXT, TEXT, TEXT),
            _ONE_COLUMN,
            _string_to_table,
            strict=False,
            doc="The parts between separators, as rows.",
        ),
    ),
)
