"""Random changes do to a table what they do in PostgreSQL, return the same rows, and fail alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from random import Random

import psycopg
import pytest

from tests.differential.answer import Answer, either
from tests.differential.ask import Tables, ask_postgres
from tests.differential.schema import Table
from tests.sql.change.apply import ChangedTables, Outcome, apply
from tests.sql.change.generate import DEFAULTS, Change, Changes, changed_tables

STATEMENTS, PART, TOGETHER = 1200, 300, 20
EITHER = 0.05
"""The part of statements for which it may be chance whether they fail, or how."""

Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def connection(postgres: str) -> Iterator[Connection]:
    with psycopg.connect(postgres, autocommit=True) as opened:
        opened.execute("CREATE SCHEMA changes")
        opened.execute("SET search_path = changes; SET timezone = 'UTC'; SET statement_timeout = '60s'")
        yield opened
        opened.execute("DROP SCHEMA changes CASCADE")


def fill(connection: Connection, tables: Iterable[Table]) -> None:
    for table in tables:
        connection.execute(f"DROP TABLE IF EXISTS {table.name}")
        connection.execute(table.create)
        if table.insert:
            connection.execute(table.insert)
    for (table_name, column), default in DEFAULTS.items():
        connection.execute(f"ALTER TABLE {table_name} ALTER COLUMN {column} SET DEFAULT {default}")


def apply_in_postgres(connection: Connection, change: Change) -> Outcome:
    """What it comes to, without leaving it so."""
    with connection.transaction(force_rollback=True):
        returned: Answer | None = None
        if " RETURNING " in change.text:
            returned = ask_postgres(connection, change.text)
            if returned.error is not None:
                return Outcome(error=returned.error)
        else:
            try:
                connection.execute(change.text)
            except psycopg.Error as error:
                return Outcome(error=error.sqlstate)
        return Outcome(ask_postgres(connection, f"SELECT * FROM {change.table}"), returned)


def difference(ours: Outcome, theirs: Outcome) -> str | None:
    if ours.table is None or theirs.table is None:
        return Answer(error=ours.error).differs(Answer(error=theirs.error), ordered=False)
    found = ours.table.differs(theirs.table, ordered=False)
    if found is not None:
        return f"table: {found}"
    if ours.returned is None or theirs.returned is None:
        return None if ours.returned is theirs.returned else "only one returned rows"
    found = ours.returned.differs(theirs.returned, ordered=False)
    return None if found is None else f"returned: {found}"


def compare(connection: Connection, seeds: Iterable[int]) -> Iterator[bool]:
    """For each statement whether the outcomes are the same, or were chance; an error if neither."""
    for first, together in groupby(seeds, key=lambda seed: seed - seed % TOGETHER):
        tables = changed_tables(Random(first))
        fill(connection, tables)
        catalog = ChangedTables(Tables(tables), DEFAULTS)
        for seed in together:
            change = Changes(Random(seed), tables).change()
            theirs = apply_in_postgres(connection, change)
            ours = apply(change.text, catalog)
            found = difference(ours, theirs)
            if found is not None:
                made = [text for table in tables for text in (table.create, table.insert) if text]
                report = "\n".join((f"seed {seed}: {found}", *(f"{text};" for text in made), f"{change.text};"))
                assert either(Answer(error=ours.error), Answer(error=theirs.error)), report
            yield found is None


@pytest.mark.parametrize("first", range(0, STATEMENTS, PART))
def test_random_changes_do_what_they_do_in_postgresql(first: int, connection: Connection) -> None:
    results = list(compare(connection, range(first, first + PART)))
    assert len(results) == PART
    assert results.count(False) <= EITHER * PART, f"{results.count(False)} of {PART} fail by chance"
