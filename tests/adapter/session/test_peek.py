from __future__ import annotations

import pytest

from holdfast.adapter.database import Database
from holdfast.adapter.plan_cache import Compiled
from holdfast.adapter.session.lookup import lookup_of
from holdfast.adapter.session.session import Session
from holdfast.adapter.tables import tables
from holdfast.sql import plan_query
from tests.adapter.asking import Answer, ask, prepared, refusal, rows, taken


@pytest.fixture(autouse=True)
async def table(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int, b text, c float8)")
    await ask(session, "INSERT INTO t SELECT g, 'row ' || g, g / 2.0 FROM generate_series(1, 3000) g")


async def quick(database: Database, session: Session, text: str, *parameters: object) -> bool:
    """Whether a query is answered without Spark."""
    state = session._state
    compiled = Compiled(plan_query(text, state.names))
    return database.shared.peeks.is_quick(compiled.prepared(state.knowing()), parameters)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1", True),
        ("SELECT count(*) FROM t", True),
        ("SELECT * FROM t WHERE a > 5 ORDER BY b LIMIT 3", True),
        ("SELECT count(*) FROM t JOIN t AS u USING (a)", True),
        ("SELECT count(*) FROM t JOIN t AS u ON t.a < u.a", False),
        ("SELECT (SELECT count(*) FROM t), (SELECT max(a) FROM t), (SELECT min(a) FROM t WHERE a > 2)", True),
        ("SELECT count(*) FROM generate_series(1, 1000)", True),
        ("SELECT count(*) FROM generate_series(1, 1000000000)", False),
        ("SELECT count(*) FROM t, generate_series(1, t.a)", False),
        ("SELECT count(*) FROM generate_series(0.5, 100, 0.1)", True),
        ("SELECT count(*) FROM generate_series(0.5, 100, 0.0001)", False),
        ("SELECT count(*) FROM generate_series(1, NULL)", True),
        ("SELECT count(*) FROM generate_series('2024-01-01'::timestamp, '2024-12-31', '1 day')", True),
        ("SELECT count(*) FROM generate_series('2024-01-01'::timestamp, '2024-12-31', '1 month')", True),
        ("SELECT count(*) FROM generate_series('2024-01-01'::timestamp, '2024-12-31', '1 second')", False),
        ("SELECT count(*) FROM pg_catalog.pg_class, generate_series(1, 3)", True),
    ],
)
async def test_what_is_little_is_answered_in_the_process(
    database: Database, session: Session, text: str, expected: bool
) -> None:
    assert await quick(database, session, text) is expected


async def test_a_large_table_for_which_memory_has_no_room_is_read_by_spark(
    database: Database, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, memory = "SELECT * FROM t WHERE a > 2990", database.shared.ledger.tables._memory
    monkeypatch.setattr(memory, "_limit", 0)
    assert await quick(database, session, text)  # it is not large
    monkeypatch.setattr(tables, "_READ_BACK", 0)
    assert not await quick(database, session, text)
    assert await quick(database, session, "SELECT 1 WHERE 2 > 1")
    monkeypatch.undo()
    assert len(await rows(session, text)) == 10
    monkeypatch.setattr(memory, "_limit", 0)
    monkeypatch.setattr(tables, "_READ_BACK", 0)
    assert await quick(database, session, text)  # it is in memory


async def test_how_long_a_series_is_may_be_said_by_parameters(database: Database, session: Session) -> None:
    text = "SELECT count(*) FROM generate_series($1::int, $2::int)"
    assert await quick(database, session, text, 1, 100)
    assert not await quick(database, session, text, 1, 1_000_000_000)
    assert await quick(database, session, text, None, 5)


@pytest.mark.parametrize("type_", ["smallint", "integer", "bigint"])
async def test_rows_are_found_by_integers_of_any_width(session: Session, type_: str) -> None:
    text = f"SELECT b FROM t WHERE a = 17::{type_}"
    ready = Compiled(plan_query(text, session._state.names)).ready
    assert ready is not None
    assert lookup_of(ready.plan, ()) is not None
    assert await rows(session, text) == [("row 17",)]


async def test_no_row_has_an_integer_that_its_column_cannot_hold(session: Session) -> None:
    assert await rows(session, "SELECT b FROM t WHERE a = 3000000000") == []
    assert await rows(session, "SELECT b FROM t WHERE a = 3000000000 AND b = 'row 3'") == []


async def test_rows_are_found_by_equality_of_one_or_more_columns(session: Session) -> None:
    assert await rows(session, "SELECT b FROM t WHERE a = 17") == [("row 17",)]
    assert await rows(session, "SELECT a FROM t WHERE b = 'row 3' AND a = 3") == [("3",)]
    assert await rows(session, "SELECT a FROM t WHERE b = 'row 3' AND a = 4") == []
    assert await rows(session, "SELECT upper(b) FROM t WHERE a = 5 AND c > 1 ORDER BY 1 LIMIT 1") == [("ROW 5",)]
    assert await rows(session, "SELECT b FROM t WHERE a = NULL") == []
    assert (await prepared(session, "SELECT b FROM t WHERE a = $1", (9,))).rows == (("row 9",),)


async def test_rows_are_found_by_an_expression_that_an_index_has(session: Session) -> None:
    text = "SELECT a FROM t WHERE upper(b) = 'ROW 17'"
    ready = Compiled(plan_query(text, session._state.names)).ready
    assert ready is not None
    peeks = session._state.shared.peeks
    assert peeks.lookup(ready) is None
    await ask(session, "CREATE INDEX i ON t (upper(b))")
    assert peeks.lookup(ready) is not None
    assert await rows(session, text) == [("17",)]
    assert await rows(session, "SELECT a FROM t WHERE upper(b) = 'ROW 17' AND c > 100") == []
    assert await rows(session, "SELECT c FROM t WHERE a = 3 AND upper(b) = 'ROW 3'") == [("1.5",)]
    assert await rows(session, "SELECT c FROM t WHERE a = 4 AND upper(b) = 'ROW 3'") == []
    await ask(session, "UPDATE t SET b = 'Row 17' WHERE a BETWEEN 17 AND 19")
    assert sorted(await rows(session, text)) == [("17",), ("18",), ("19",)]
    assert (await prepared(session, "SELECT a FROM t WHERE upper(b) = $1", ("ROW 20",))).rows == ((20,),)
    await ask(session, "DROP INDEX i")
    assert peeks.lookup(ready) is None
    assert sorted(await rows(session, text)) == [("17",), ("18",), ("19",)]


async def test_a_query_fails_by_a_row_for_which_the_expression_of_an_index_does(session: Session) -> None:
    await ask(session, "CREATE INDEX i ON t ((100 / a))")
    text = "SELECT a FROM t WHERE 100 / a = 50"
    assert await rows(session, text) == [("2",)]
    await ask(session, "INSERT INTO t VALUES (0, 'zero', 0)")
    assert (await refusal(session, text))[0] == "22012"
    await ask(session, "DELETE FROM t WHERE a = 0")
    assert await rows(session, text) == [("2",)]


async def test_what_is_found_at_once_is_what_would_be_found_otherwise(session: Session, other: Session) -> None:
    await session.prepare("p", "SELECT b, a FROM t WHERE a = $1", ())
    await session.sync()

    async def at_once(value: object) -> list[tuple[object, ...]] | None:
        statement = session.statement("p")
        found = session.find("p", statement, (value,))
        if found is None:
            await session.bind("", "p", (value,))
            assert isinstance(await taken(await session.execute("")), Answer)
            await session.sync()
        return None if found is None else list(found)

    assert await at_once(1) is None
    assert await at_once(2) == [("row 2", 2)]
    assert await at_once(None) == []
    await ask(other, "UPDATE t SET b = 'changed' WHERE a = 2")
    assert await at_once(2) == [("changed", 2)]
    await ask(other, "INSERT INTO t VALUES (2, 'again', 0)")
    assert sorted(await at_once(2) or ()) == [("again", 2), ("changed", 2)]
    await ask(other, "DELETE FROM t WHERE a = 2")
    assert await at_once(2) == []
    await ask(other, "CREATE TABLE elsewhere (a int)")
    assert await at_once(3) is None
    assert await at_once(3) == [("row 3", 3)]
    await ask(session, "BEGIN")
    assert await at_once(3) is None
