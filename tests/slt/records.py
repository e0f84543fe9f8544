"""Files of sqllogictest: what they say, record by record.

A record begins with a line that says what is expected, has the statement after it, and, after a line of four dashes,
rows. Records are separated by empty lines; `#` begins a comment. `docs/testing.md` says how to write one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Sort: TypeAlias = Literal["nosort", "rowsort", "valuesort"]
RULE = "----"


@dataclass(frozen=True)
class Pattern:
    """What a server says: a code, if one is given, and a text in which `...` stands for anything."""

    code: str | None
    text: str

    @classmethod
    def of(cls, words: str) -> Pattern:
        found = _CODE.match(words)
        return cls(found[1], words[found.end() :].strip()) if found else cls(None, words.strip())

    def __str__(self) -> str:
        return " ".join(part for part in (self.code, self.text) if part)


@dataclass(frozen=True)
class Record:
    """`start` is the line where the record begins, `end` the line after it, both counted from 0."""

    start: int
    end: int
    sql: str
    connection: str
    user: str | None


@dataclass(frozen=True)
class Statement(Record):
    """Something that succeeds. `count`: so many rows change. `notice`: it says this. `data`: what is copied in."""

    count: int | None = None
    notice: Pattern | None = None
    data: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Query(Record):
    """`types` is a letter a column: I integer, R number, B boolean, T any. `columns` are the names expected."""

    types: str
    sort: Sort
    columns: tuple[str, ...] | None
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Failure(Record):
    error: Pattern
    data: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Let(Record):
    """The one value of a query gets a name: `${name}` stands for it in what follows."""

    name: str


@dataclass(frozen=True)
class Restart(Record):
    """The server is killed, and started again on the same data. All connections are new afterwards."""


_CODE = re.compile(r"([0-9A-Z]{5})(?=\s|$)")
_OPTION = re.compile(r"\s+(conn|user)=(\w+)(?=\s|$)")


class Malformed(Exception):
    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line + 1}: {what}")


def records(text: str) -> Iterator[Record]:
    lines = [line.rstrip() for line in text.split("\n")]
    at = 0
    while at < len(lines):
        start = at
        at += 1
        if not lines[start] or lines[start].startswith("#"):
            continue
        while at < len(lines) and lines[at]:
            at += 1
        yield _record(start, at, lines[start], lines[start + 1 : at])


def _record(start: int, end: int, head: str, body: Sequence[str]) -> Record:
    options = dict(_OPTION.findall(head))
    head = _OPTION.sub("", head)
    cut = body.index(RULE) if RULE in body else len(body)
    sql, rows = "\n".join(body[:cut]), tuple(body[cut + 1 :]) if cut < len(body) else None
    about = (start, end, sql, options.get("conn", "default"), options.get("user"))
    words = head.split()
    match words:
        case ["restart"] if not body:
            return Restart(*about)
        case ["let", name] if rows is None:
            return Let(*about, name)
        case ["statement" | "query", "error", *_]:
            return Failure(*about, Pattern.of(head.split("error", 1)[1].strip()), rows)
        case ["statement", "ok"]:
            return Statement(*about, data=rows)
        case ["statement", "count", number] if number.isdecimal():
            return Statement(*about, count=int(number), data=rows)
        case ["statement", "notice", *_]:
            return Statement(*about, notice=Pattern.of(head.split("notice", 1)[1].strip()), data=rows)
        case ["query", types, *how] if rows is not None:
            sort: Sort = "nosort"
            for option in get_args(Sort):
                if option in how:
                    sort = option
            columns = tuple(shlex.split("".join(rows[:1]))) if "colnames" in how else None
            if set(how) <= {*get_args(Sort), "colnames"}:
                return Query(*about, types, sort, columns, rows if columns is None else rows[1:])
    raise Malformed(start, f"{head!r} begins no record of this shape")
