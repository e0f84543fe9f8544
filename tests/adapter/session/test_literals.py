"""INSERTs of literals: whichever way they take, they do the same."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from holdfast.adapter.database import Database
from holdfast.adapter.session.session import Session
from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.plan.types import INT4
from tests.adapter.asking import ask, ask_all, prepared, refusal, rows, taken

GENERAL = " --"
"""A comment: what has one is read by the grammar, and planned."""


@dataclass(frozen=True)
class Outcome:
    """What a statement returns and leaves in the table; or its error, as clients are told it."""

    tag: str | None
    table: tuple[tuple[str | None, ...], ...]
    error: tuple[str, str, str | None, str | None, int] | None = None


@pytest.fixture(autouse=True)
async def table(session: Session) -> None:
    columns = "a int NOT NULL, b varchar(3), c numeric(5, 2), d date, e int2, f bool, g text DEFAULT 'none', h int[]"
    await ask(session, f"CREATE TABLE t ({columns})")


async def outcome(session: Session, text: str) -> Outcome:
    try:
        (answer,) = await ask_all(session, text)
    except HoldfastError as error:
        place = getattr(error, "position", 0)
        told = (sqlstate(error), str(error), error.detail, error.hint, place)
        return Outcome(None, tuple(await rows(session, "SELECT * FROM t")), told)
    found = await rows(session, "SELECT * FROM t ORDER BY a, b, c")
    await ask(session, "DELETE FROM t")
    return Outcome(answer.tag, tuple(found))


async def is_read(session: Session, text: str) -> bool:
    """Whether the rows are known without a plan."""
    statement = await session.prepare("", text, ())
    await session.sync()
    return statement.inserted is not None


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES (1, 'abc', 1.25, '2020-02-29', -7, true)",
        "INSERT INTO t VALUES (1, 'abc', 1, NULL, '5', 'no'), ('2', NULL, '3', 'infinity', 1.5, FALSE);",
        "insert into T (e, c, a, g) values (1, 2.225, 3, 4), (NULL, NULL, -2147483648, true)",
        "INSERT INTO public.t (g, a) VALUES ('it''s ü', 1), ('', 2), ('NULL', 3)",
        "INSERT INTO t (a, h) VALUES (1, NULL)",
        "INSERT INTO t (a, d, g) VALUES (1, '2020-02-29'::date, '2020-02-29'::date)",
        "INSERT INTO t (d, a) VALUES ('2020-02-29 12:00'::timestamp, 2), (NULL, 3)",
        "INSERT INTO t (a, b) VALUES " + ", ".join(f"({number}, '{number % 7}')" for number in range(300)),
        "INSERT INTO t (a, g) VALUES " + ", ".join(f"({number}, '{'x' * 400}')" for number in range(50)),
    ],
    ids=lambda text: text[:60],
)
async def test_literals_are_inserted_as_expressions_are(session: Session, text: str) -> None:
    assert await is_read(session, text)
    assert not await is_read(session, text + GENERAL)
    quick = await outcome(session, text)
    assert quick == await outcome(session, text + GENERAL)
    assert quick.error is None


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES (1), (2147483648)",
        "INSERT INTO t (a, e) VALUES (1, 1), (2, 32768), (3, 'x')",
        "INSERT INTO t (a, e) VALUES (1, 'x'), (2, 'y')",
        "INSERT INTO t (a, b) VALUES (1, 'abcd')",
        "INSERT INTO t (a, c) VALUES (1, 999.99), (2, 999.995)",
        "INSERT INTO t (a, c) VALUES (1, 1e40)",
        "INSERT INTO t (a, d) VALUES (1, '2021-02-29')",
        "INSERT INTO t (a, d) VALUES (1, 5)",
        "INSERT INTO t (a, d) VALUES (1, '2020-02-28'::date), (1, '2020-02-30'::date)",
        "INSERT INTO t (a, d) VALUES (1, 'x'::text)",
        "INSERT INTO t (a, f) VALUES (1, 1)",
        "INSERT INTO t (a, b) VALUES (NULL, 'x')",
        "INSERT INTO t (b) VALUES ('x')",
        "INSERT INTO t (a, b) VALUES (1, 'x'), (2)",
        "INSERT INTO t (a, b) VALUES (1), (2)",
        "INSERT INTO t (a, a) VALUES (1, 2)",
        "INSERT INTO t (a, wrong) VALUES (1, 2)",
        "INSERT INTO wrong VALUES (1, 2)",
        "INSERT INTO t VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9)",
        "INSERT INTO mz_catalog.mz_databases VALUES (1)",
        "INSERT INTO t VALUES (1,), (2)",
        "INSERT INTO t VALUES (1) (2)",
        "INSERT INTO select VALUES (1)",
        f"INSERT INTO t (a, e) VALUES {', '.join('(1, 2)' for _ in range(500))}, (1, 'wrong')",
    ],
    ids=lambda text: text[:60],
)
async def test_literals_are_refused_as_expressions_are(session: Session, text: str) -> None:
    quick = await outcome(session, text)
    assert quick == await outcome(session, text + GENERAL)
    assert quick.error is not None
    assert quick.table == ()


async def test_arrays_and_computed_defaults_take_a_plan(session: Session) -> None:
    await ask(session, "CREATE TABLE u (a int, b timestamptz DEFAULT now())")
    for text in (
        "INSERT INTO t (a, h) VALUES (1, '{1,2}')",
        "INSERT INTO u VALUES (1)",
        "INSERT INTO u VALUES (1, now())",
    ):
        assert not await is_read(session, text)
        assert (await ask(session, text)).tag == "INSERT 0 1"
    assert await rows(session, "SELECT h FROM t") == [("{1,2}",)]
    assert await rows(session, "SELECT count(*) FROM u WHERE b IS NOT NULL") == [("2",)]


async def test_a_transaction_keeps_literals_with_all_else_that_it_inserts(session: Session) -> None:
    await ask(session, "BEGIN")
    await ask(session, "INSERT INTO t (a) VALUES (1), (2)")
    await prepared(session, "INSERT INTO t (a) VALUES ($1)", (3,))
    await ask(session, f"INSERT INTO t (a) VALUES {', '.join(f'({number})' for number in range(4, 40))}")
    await ask(session, "INSERT INTO t (a) VALUES (40)" + GENERAL)
    await ask(session, "COMMIT")
    assert await rows(session, "SELECT count(*), sum(a), min(g) FROM t") == [("40", "820", "none")]
    await ask(session, "BEGIN")
    await ask(session, "INSERT INTO t (a) VALUES (1)")
    await ask(session, "ROLLBACK")
    assert await rows(session, "SELECT count(*) FROM t") == [("40",)]


async def test_where_no_write_may_stand_no_literals_may(session: Session) -> None:
    text = "INSERT INTO t (a) VALUES (1)"
    refusals: list[tuple[str, str]] = []
    for each in (text, text + GENERAL):
        for before in ("BEGIN READ ONLY", "BEGIN; SELECT * FROM t"):
            await ask_all(session, before)
            refusals.append(await refusal(session, each))
            await ask(session, "ROLLBACK")
    assert refusals[:2] == refusals[2:]
    assert refusals[0][0] == "25006"


async def test_literals_need_the_right_to_insert(session: Session, database: Database) -> None:
    await ask(session, "CREATE ROLE writer LOGIN")
    other = await database.connect("writer", "materialize")
    text = "INSERT INTO t (a) VALUES (1)"
    assert await refusal(other, text) == await refusal(other, text + GENERAL)
    await ask(session, "GRANT INSERT ON t TO writer")
    assert (await ask(other, text)).tag == "INSERT 0 1"


async def test_prepared_literals_go_into_the_table_as_it_is_then(session: Session) -> None:
    await session.prepare("p", "INSERT INTO t (a) VALUES (1)", ())
    await session.sync()
    for change in (None, "ALTER TABLE t ADD COLUMN i int", "DROP TABLE t", "CREATE TABLE t (x text, a bigint)"):
        if change is not None:
            await ask(session, change)
        await session.bind("", "p", ())
        if change == "DROP TABLE t":
            with pytest.raises(HoldfastError, match='relation "t" does not exist'):
                await session.execute("")
        else:
            assert (await taken(await session.execute(""))).tag == "INSERT 0 1"
        await session.sync()
    assert await rows(session, "SELECT * FROM t") == [(None, "1")]


async def test_types_for_parameters_that_are_not_there_are_remembered(session: Session) -> None:
    found = [await session.prepare("", f"INSERT INTO t (a) VALUES (1){end}", (INT4,)) for end in ("", GENERAL)]
    assert found[0].parameters == found[1].parameters
