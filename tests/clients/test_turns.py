"""A statement that takes long to plan, to decide or to evaluate does not keep other clients waiting."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event, Thread
from time import perf_counter

import psycopg
import pytest

from tests.serving import ServerProcess

Connection = psycopg.Connection[tuple[object, ...]]

MANY = ", ".join(map(str, range(10_000)))
LONG = f"SELECT a FROM t WHERE a IN ({MANY})"
STATEMENTS = {
    "a long list": LONG,
    "the same again": LONG,
    "a list that depends on the time of day": f"SELECT a FROM t WHERE now() > '2024-01-01' AND a IN ({MANY})",
    "the plan of one": f"EXPLAIN {LONG}",
    "a view": f"CREATE VIEW v AS {LONG}",
    "a view that is used": "SELECT count(*) FROM v",
    "a table that a view reads": "ALTER TABLE t ADD COLUMN b integer",
    "a change": f"UPDATE t SET a = a + 1 WHERE a IN ({MANY})",
}


@pytest.fixture(scope="module")
def schema(server: ServerProcess) -> Iterator[str]:
    """One for all, since they follow from one another."""
    with server.connect() as connection:
        connection.execute("CREATE SCHEMA turns")
        connection.execute("CREATE TABLE turns.t (a integer)")
        connection.execute("INSERT INTO turns.t VALUES (1)")
    yield "turns"
    with server.connect() as connection:
        connection.execute("DROP SCHEMA turns CASCADE")


def waits(server: ServerProcess, over: Event, found: list[float]) -> None:
    """How long another client waits for each of its answers, until all is over."""
    with server.connect() as connection:
        while not over.is_set():
            began = perf_counter()
            connection.execute("SELECT 1").fetchall()
            found.append(perf_counter() - began)


@pytest.mark.parametrize("statement", [*STATEMENTS.values(), "many parameters"], ids=[*STATEMENTS, "many parameters"])
def test_others_have_their_turns(server: ServerProcess, schema: str, statement: str) -> None:
    over, found = Event(), list[float]()
    other = Thread(target=waits, args=(server, over, found))
    other.start()
    with psycopg.connect(server.dsn, autocommit=True, options=f"-c search_path={schema}") as connection:
        while not found:
            pass
        began = perf_counter()
        if statement == "many parameters":
            places = ", ".join(["(%s)"] * 10_000)
            connection.execute(f"INSERT INTO t (a) VALUES {places}", list(range(10_000)))
        else:
            connection.execute(statement)
        took = perf_counter() - began
    over.set()
    other.join()
    assert max(found) < max(took / 3, 0.25)
