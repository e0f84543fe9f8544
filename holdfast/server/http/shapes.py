"""Results as JSON.

Numbers are texts, so that none is rounded by a reader that knows only floats. Booleans, arrays, lists, records, maps
and jsonb are JSON's own; all else is its text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from holdfast.adapter.catalog.builtin.type_facts import length_of, modifier_of
from holdfast.adapter.results import Notice, Row
from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import Array, List, Map, Record, Type
from holdfast.sql import OutputColumn

Write = Callable[[Any], str]  # of a value of the type


def encoded(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def description(columns: Sequence[OutputColumn]) -> dict[str, object]:
    return {
        "columns": [
            {
                "name": column.name,
                "type_oid": column.type.oid,
                "type_len": length_of(column.type),
                "type_mod": modifier_of(column.type),
            }
            for column in columns
        ]
    }


def error_object(error: HoldfastError) -> dict[str, object]:
    said: dict[str, object] = {"message": str(error), "code": sqlstate(error)}
    said |= {name: text for name, text in (("detail", error.detail), ("hint", error.hint)) if text}
    position = getattr(error, "position", 0)
    return {**said, "position": position} if position else said


def notice_object(notice: Notice) -> dict[str, object]:
    said: dict[str, object] = {
        "message": notice.message,
        "code": notice.code,
        "severity": notice.severity.lower(),
    }
    return said | {name: text for name, text in (("detail", notice.detail), ("hint", notice.hint)) if text}


@lru_cache(maxsize=4096)
def rows_writer(types: tuple[Type, ...]) -> Callable[[Iterable[Row]], list[str]]:
    """How rows of these types become arrays of JSON."""
    writers = [_writer(type_) for type_ in types]

    def write(rows: Iterable[Row]) -> list[str]:
        return [
            "["
            + ",".join("null" if value is None else each(value) for each, value in zip(writers, row, strict=True))
            + "]"
            for row in rows
        ]

    return write


def _writer(type_: Type) -> Write:
    match type_:
        case Array() if type_.dimensions > 1:
            return _sequence(_writer(Array(type_.base, type_.element, type_.dimensions - 1)))
        case Array() | List():
            return _sequence(_writer(type_.element))
        case Map():
            write = _writer(type_.value)
            return lambda value: _members((key, "null" if part is None else write(part)) for key, part in value)
        case Record():
            parts = [(name, _writer(part)) for name, part in zip(type_.names, type_.types, strict=True)]
            return lambda value: _members(
                (name, "null" if part is None else write(part))
                for (name, write), part in zip(parts, value, strict=True)
            )
    if type_.base == "bool":
        return lambda value: "true" if value else "false"
    written = write_of(type_)
    if type_.base == "jsonb":
        return written
    return lambda value: encoded(written(value))


def _sequence(element: Write) -> Write:
    return lambda value: f"[{','.join('null' if part is None else element(part) for part in value)}]"


def _members(members: Iterable[tuple[str, str]]) -> str:
    return f"{{{','.join(f'{encoded(key)}:{text}' for key, text in members)}}}"
