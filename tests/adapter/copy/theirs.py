"""What PostgreSQL makes of the data of a COPY."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg import sql

from holdfast.adapter.copy.options import CopyOptions
from holdfast.plan.types import BPCHAR, TEXT, Type

Texts = list[tuple[str | None, ...]]


@dataclass(frozen=True)
class Failure:
    code: str
    message: str
    where: str | None


def options_text(options: CopyOptions, names: Sequence[str]) -> str:
    """The options as they stand in a statement."""
    given = [f"FORMAT {options.format}"]
    if options.format in ("text", "csv"):
        given += [f"DELIMITER {_quoted(options.delimiter)}", f"NULL {_quoted(options.null)}"]
        if options.header:
            given.append("HEADER match" if options.header == "match" else "HEADER")
    if options.format == "csv":
        given += [f"QUOTE {_quoted(options.quote)}", f"ESCAPE {_quoted(options.escape)}"]
        for name, columns in (
            ("FORCE_QUOTE", options.force_quote),
            ("FORCE_NOT_NULL", options.force_not_null),
            ("FORCE_NULL", options.force_null),
        ):
            if columns:
                given.append(f"{name} ({', '.join(names if columns == '*' else columns)})")
    return f"({', '.join(given)})"


def _quoted(text: str) -> str:
    return sql.Literal(text).as_string()


class Postgres:
    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    @contextmanager
    def _table(self, columns: Sequence[tuple[str, Type]]) -> Iterator[psycopg.Cursor]:
        listed = ", ".join(f"{name} {'bpchar' if type_ is BPCHAR else type_}" for name, type_ in columns)
        with self._connection.transaction(force_rollback=True), self._connection.cursor() as cursor:
            cursor.execute(f"CREATE TEMPORARY TABLE t ({listed})".encode())
            yield cursor

    def copied_in(self, columns: Sequence[tuple[str, Type]], options: CopyOptions, data: bytes) -> Texts | Failure:
        """The rows, each value as its text."""
        names = [name for name, _ in columns]
        try:
            with self._table(columns) as cursor:
                with cursor.copy(f"COPY t FROM STDIN {options_text(options, names)}".encode()) as copy:
                    copy.write(data)
                return self._texts(cursor, len(names))
        except psycopg.Error as error:
            where = error.diag.context
            return Failure(error.sqlstate or "", error.diag.message_primary or "", where)

    def copied_out(
        self, columns: Sequence[tuple[str, Type]], rows: Sequence[Sequence[str | None]], options: CopyOptions
    ) -> list[bytes]:
        """The messages for rows whose values are given as their texts."""
        names = [name for name, _ in columns]
        with self._table(columns) as cursor:
            with cursor.copy("COPY t FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            with cursor.copy(f"COPY t TO STDOUT {options_text(options, names)}".encode()) as copy:
                return [bytes(message) for message in copy]

    def refusal(self, statement: str) -> tuple[str, str] | None:
        """Code and message of the error that a COPY of the table `t (a text)` begins with, if it does."""
        try:
            with self._table((("a", TEXT),)) as cursor, cursor.copy(statement.encode()) as copy:
                if " TO " in statement:
                    list(copy)
        except psycopg.Error as error:
            return error.sqlstate or "", error.diag.message_primary or ""
        return None

    def _texts(self, cursor: psycopg.Cursor, width: int) -> Texts:
        result = cursor.connection.pgconn.exec_(b"TABLE t")
        cells = range(width)
        return [tuple(_decoded(result.get_value(row, column)) for column in cells) for row in range(result.ntuples)]


def _decoded(value: bytes | None) -> str | None:
    return None if value is None else value.decode()
