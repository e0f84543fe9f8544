"""Results as text: a table for people, CSV, or lines of JSON.

- A table is aligned as psql does it: numbers to the right, nulls empty.
- CSV is that of RFC 4180, with a plain line feed after each row. A null is an empty field, an empty text is `""`.
- Each row is an object of JSON on a line of its own. Numbers, booleans, nulls, arrays and jsonb are JSON's, all else is
  its text. Names that repeat get a number.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from unicodedata import category, east_asian_width

from holdfast.plan.text.codec import write_of
from holdfast.plan.types import Array, List, Map, Numeric, Record, Type

Row = tuple[Any, ...]  # values as `plan/types.py` lists them


def as_table(names: Sequence[str], types: Sequence[Type], rows: Sequence[Row]) -> Iterator[str]:
    """The lines of a table."""
    writers = [write_of(type_) for type_ in types]
    cells = [["" if value is None else write(value) for write, value in zip(writers, row, strict=True)] for row in rows]
    return text_table(names, [type_.category == "N" for type_ in types], cells)


def text_table(names: Sequence[str], right: Sequence[bool], cells: Sequence[Sequence[str]]) -> Iterator[str]:
    """The same of texts. Columns that are `right` are aligned there."""
    widths = [
        max(_width(line) for cell in (name, *(row[i] for row in cells)) for line in cell.split("\n"))
        for i, name in enumerate(names)
    ]
    yield _trimmed("|".join(f" {_centered(name, width)} " for name, width in zip(names, widths, strict=True)))
    yield "+".join("-" * (width + 2) for width in widths)
    for row in cells:
        yield from _lines(row, widths, right)
    yield f"({len(cells)} row{'' if len(cells) == 1 else 's'})"


def _lines(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> Iterator[str]:
    """The lines of one row: as many as its longest cell has, with a `+` where a cell goes on."""
    parts = [cell.split("\n") for cell in row]
    for number in range(max((len(part) for part in parts), default=1)):
        shown = []
        for part, width, to_right in zip(parts, widths, right, strict=True):
            text = part[number] if number < len(part) else ""
            padding = " " * (width - _width(text))
            more = "+" if number < len(part) - 1 else " "
            shown.append(f" {padding}{text}{more}" if to_right else f" {text}{padding}{more}")
        yield _trimmed("|".join(shown))


def _trimmed(line: str) -> str:
    return line.rstrip(" ")


def _centered(text: str, width: int) -> str:
    missing = width - _width(text)
    return f"{' ' * (missing // 2)}{text}{' ' * (missing - missing // 2)}"


def _width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def csv_head(names: Sequence[str]) -> str:
    return ",".join(_field(name) for name in names)


def as_csv(types: Sequence[Type], rows: Iterable[Row]) -> Iterator[str]:
    """The lines after the head."""
    writers = [write_of(type_) for type_ in types]
    for row in rows:
        yield ",".join("" if value is None else _field(write(value)) for write, value in zip(writers, row, strict=True))


def _field(text: str) -> str:
    if text and not any(character in text for character in ',"\r\n'):
        return text
    return '"' + text.replace('"', '""') + '"'


def as_json(names: Sequence[str], types: Sequence[Type], rows: Iterable[Row]) -> Iterator[str]:
    """The lines."""
    keys = [json.dumps(name, ensure_ascii=False) for name in _different(names)]
    writers = [_json_of(type_) for type_ in types]
    for row in rows:
        members = (
            f"{key}: {'null' if value is None else write(value)}"
            for key, write, value in zip(keys, writers, row, strict=True)
        )
        yield f"{{{', '.join(members)}}}"


def _different(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        number, new = 1, name
        while new in found:
            number += 1
            new = f"{name}_{number}"
        found.append(new)
    return found


def _json_of(type_: Type) -> Callable[[Any], str]:
    match type_:
        case Array() if type_.dimensions > 1:
            return _sequence(_json_of(Array(type_.base, type_.element, type_.dimensions - 1)))
        case Array() | List():
            return _sequence(_json_of(type_.element))
        case Map():
            item = _json_of(type_.value)
            return lambda value: _object((key, "null" if part is None else item(part)) for key, part in value)
        case Record():
            parts = [(name, _json_of(part)) for name, part in zip(type_.names, type_.types, strict=True)]
            return lambda value: _object(
                (name, "null" if part is None else write(part))
                for (name, write), part in zip(parts, value, strict=True)
            )
        case Numeric():
            return write_of(type_)
    if type_.base == "bool":
        return lambda value: "true" if value else "false"
    if type_.base in ("float4", "float8"):
        written = write_of(type_)
        return lambda value: written(value) if math.isfinite(value) else json.dumps(written(value))
    if type_.base == "jsonb" or (type_.category == "N" and not type_.base.startswith("reg")):
        return write_of(type_)
    write = write_of(type_)
    return lambda value: json.dumps(write(value), ensure_ascii=False)


def _sequence(element: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: f"[{', '.join('null' if part is None else element(part) for part in value)}]"


def _object(members: Iterable[tuple[str, str]]) -> str:
    return f"{{{', '.join(f'{json.dumps(key, ensure_ascii=False)}: {text}' for key, text in members)}}}"
