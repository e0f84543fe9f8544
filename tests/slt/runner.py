"""Runs files of sqllogictest over real connections, by the simple protocol, and says where answers differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import psycopg
from psycopg.pq import DiagnosticField, ExecStatus
from psycopg.pq.abc import PGresult

from tests.slt.records import Failure, Let, Pattern, Query, Record, Restart, Statement, records

Connection: TypeAlias = psycopg.Connection[tuple[object, ...]]

DEFAULT_USER = "materialize"
_NULL, _EMPTY, _NEWLINE = "NULL", "(empty)", "⏎"
_ANYTHING = "..."
_VARIABLE = re.compile(r"\$\{(\w+)\}")

_INTEGERS = {20, 21, 23, 26, 16460, 16462, 16464}
_NUMBERS = {700, 701, 1700}
_BOOLEAN = 16


class Difference(AssertionError):
    def __init__(self, path: Path, record: Record, what: str) -> None:
        super().__init__(f"{path.name}:{record.start + 1}: {what}\n{record.sql}")


@dataclass(frozen=True)
class Answer:
    """What came of a statement: its rows as a file has them, or its error, and the notices before either."""

    error: Pattern | None
    notices: tuple[Pattern, ...]
    count: int
    names: tuple[str, ...] = ()
    oids: tuple[int, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    def lines(self, record: Query) -> list[str]:
        if record.sort == "valuesort":
            return sorted(value for row in self.rows for value in row)
        lines = ["  ".join(row) for row in self.rows]
        return sorted(lines) if record.sort == "rowsort" else lines


@dataclass
class Runner:
    """`connect` opens a connection of a user, `restart` kills the server and starts it again."""

    connect: Callable[[str], Connection]
    restart: Callable[[], None]
    _connections: dict[str, Connection] = field(default_factory=dict)
    _notices: list[Pattern] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)

    def run(self, path: Path) -> None:
        """The first difference is raised."""
        for record, answer in self.answers(path):
            what = difference(record, answer, self.values)
            if what is not None:
                raise Difference(path, record, what)

    def answers(self, path: Path) -> Iterator[tuple[Record, Answer]]:
        """What comes of each record that asks something."""
        try:
            for record in records(path.read_text()):
                if isinstance(record, Restart):
                    self._close()
                    self.restart()
                    continue
                answer = self._ask(record)
                if isinstance(record, Let) and answer.error is None:
                    ((self.values[record.name],),) = answer.rows
                yield record, answer
        finally:
            self._close()

    def _close(self) -> None:
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _connection(self, record: Record) -> Connection:
        found = self._connections.get(record.connection)
        if found is None or record.user is not None:
            if found is not None:
                found.close()
            found = self._connections[record.connection] = self.connect(record.user or DEFAULT_USER)
            found.pgconn.notice_handler = lambda said: self._notices.append(_said(said))
        return found

    def _ask(self, record: Record) -> Answer:
        self._notices.clear()
        pgconn = self._connection(record).pgconn
        result = pgconn.exec_(_filled(record.sql, self.values).encode())
        copied: list[str] = []
        if result.status == ExecStatus.COPY_IN:
            data = record.data if isinstance(record, Statement | Failure) else None
            pgconn.put_copy_data("".join(f"{line}\n" for line in data or ()).encode())
            pgconn.put_copy_end()
        elif result.status == ExecStatus.COPY_OUT:
            while (chunk := pgconn.get_copy_data(0))[0] > 0:
                copied.append(bytes(chunk[1]).decode())
        while result.status in (ExecStatus.COPY_IN, ExecStatus.COPY_OUT):
            ended = pgconn.get_result()
            assert ended is not None, "a COPY has no end"
            result = ended
        while pgconn.get_result() is not None:
            pass
        return self._answer(result, "".join(copied))

    def _answer(self, result: PGresult, copied: str) -> Answer:
        notices = tuple(self._notices)
        if result.status == ExecStatus.FATAL_ERROR:
            return Answer(_said(result), notices, 0)
        count = int(result.command_tuples or 0)
        if copied:
            return Answer(None, notices, count, rows=tuple((_shown(line),) for line in copied.splitlines()))
        columns = range(result.nfields)
        oids = tuple(result.ftype(column) for column in columns)
        rows = tuple(
            tuple(_value(result.get_value(row, column), oids[column]) for column in columns)
            for row in range(result.ntuples)
        )
        names = tuple((result.fname(column) or b"").decode() for column in columns)
        return Answer(None, notices, count, names, oids, rows)


def difference(record: Record, answer: Answer, values: dict[str, str]) -> str | None:
    """How the answer is not what the record expects."""
    if isinstance(record, Failure):
        if answer.error is None:
            return "it did not fail"
        return None if _says(record.error, answer.error) else f"it failed: {answer.error}, not {record.error}"
    if answer.error is not None:
        return f"it failed: {answer.error}"
    if isinstance(record, Statement):
        if record.count is not None and answer.count != record.count:
            return f"{answer.count} rows changed, not {record.count}"
        if record.notice is not None and not any(_says(record.notice, said) for said in answer.notices):
            return f"it said {[str(said) for said in answer.notices]}, not {record.notice}"
    return _different(record, answer, values) if isinstance(record, Query) else None


def _different(record: Query, answer: Answer, values: dict[str, str]) -> str | None:
    if record.columns is not None and answer.names != record.columns:
        return f"the columns are {answer.names}, not {record.columns}"
    if answer.oids and len(record.types) != len(answer.oids):
        return f"there are {len(answer.oids)} columns, not {len(record.types)}"
    for letter, oid in zip(record.types, answer.oids, strict=False):
        if not _is_of(letter, oid):
            return f"a column is not {letter} but of type {oid}"
    found, expected = answer.lines(record), [_filled(line, values) for line in record.rows]
    if record.sort == "valuesort":
        expected = sorted(value for line in expected for value in line.split("  "))
    elif record.sort == "rowsort":
        expected.sort()
    if len(found) == len(expected) and all(map(_matches, expected, found)):
        return None
    return "the rows are\n" + "\n".join(found) + "\nnot\n" + "\n".join(expected)


def _is_of(letter: str, oid: int) -> bool:
    match letter:
        case "I":
            return oid in _INTEGERS
        case "R":
            return oid in _NUMBERS
        case "B":
            return oid == _BOOLEAN
        case "T":
            return True
    raise ValueError(f"{letter!r} is no type of a column")


def _filled(text: str, values: dict[str, str]) -> str:
    return _VARIABLE.sub(lambda found: values[found[1]], text)


def _says(expected: Pattern, said: Pattern) -> bool:
    """Of one that expects nothing in particular nobody would notice that it says something else."""
    return (
        str(expected) != ""
        and expected.code in (None, said.code)
        and _matches(f"{_ANYTHING}{expected.text}{_ANYTHING}", said.text)
    )


def _matches(expected: str, found: str) -> bool:
    if _ANYTHING not in expected:
        return expected == found
    return re.fullmatch(".*".join(map(re.escape, expected.split(_ANYTHING))), found, re.DOTALL) is not None


def _said(result: PGresult) -> Pattern:
    """The code and the message, and whatever is said to explain it."""
    fields = (DiagnosticField.MESSAGE_PRIMARY, DiagnosticField.MESSAGE_DETAIL, DiagnosticField.MESSAGE_HINT)
    parts = [found.decode() for each in fields if (found := result.error_field(each))]
    code = result.error_field(DiagnosticField.SQLSTATE)
    if not parts:
        return Pattern(None, result.get_error_message())
    return Pattern(code.decode() if code else None, _shown("\n".join(parts)))


def _value(value: bytes | None, oid: int) -> str:
    if value is None:
        return _NULL
    text = value.decode()
    return {"t": "true", "f": "false"}[text] if oid == _BOOLEAN else _shown(text)


def _shown(text: str) -> str:
    return text.replace("\n", _NEWLINE) or _EMPTY
