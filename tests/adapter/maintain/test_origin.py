"""An error of a view says which view it comes from."""

from __future__ import annotations

import pytest

from holdfast.adapter.session.session import Session
from holdfast.plan.errors import DivisionByZero
from tests.adapter.asking import ask, database, rows

BAD = "materialized view materialize.public.bad"


async def place(session: Session, query: str) -> str | None:
    with pytest.raises(DivisionByZero) as refused:
        await ask(session, query)
    return refused.value.where


async def test_whoever_reads_views_above_it_is_told_which_one_fails() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (n int8)")
        await ask(session, "CREATE MATERIALIZED VIEW good AS SELECT n FROM t")
        await ask(session, "CREATE MATERIALIZED VIEW bad AS SELECT n, 10 / n AS q FROM good")
        await ask(session, "CREATE VIEW between AS SELECT q FROM bad")
        await ask(
            session, "CREATE MATERIALIZED VIEW above AS SELECT q, count(*) FROM between JOIN good ON q = n GROUP BY q"
        )
        await ask(session, "INSERT INTO t VALUES (0), (1), (10)")
        for query in ("SELECT * FROM above", "SELECT * FROM bad WHERE n = 1", "SELECT b.q FROM between b, good"):
            assert await place(session, query) == BAD
        await ask(session, "DELETE FROM t WHERE n = 0")
        assert await rows(session, "SELECT q FROM above ORDER BY q") == [("1",), ("10",)]


async def test_an_indexed_view_is_such_a_view() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (n int8)")
        await ask(session, "CREATE VIEW indexed AS SELECT n, 10 / n AS q FROM t")
        await ask(session, "CREATE INDEX i ON indexed (n)")
        await ask(session, "INSERT INTO t VALUES (0)")
        assert await place(session, "SELECT q FROM indexed WHERE n = 1") == "view materialize.public.indexed"


async def test_an_error_of_the_query_itself_comes_from_none() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (n int8)")
        await ask(session, "CREATE MATERIALIZED VIEW good AS SELECT n FROM t")
        await ask(session, "INSERT INTO t VALUES (0)")
        assert await place(session, "SELECT 1 / n FROM good") is None


async def test_whoever_follows_such_a_view_is_told_too() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (n int8)")
        await ask(session, "CREATE MATERIALIZED VIEW bad AS SELECT 10 / n AS q FROM t")
        await ask(session, "CREATE MATERIALIZED VIEW above AS SELECT q FROM bad")
        assert await rows(session, "SELECT count(*) FROM above") == [("0",)]
        (time,) = (await rows(session, "SELECT mz_now()"))[0]
        await ask(session, "INSERT INTO t VALUES (0)")
        for followed in ("TO above", "(SELECT count(*) FROM above)", "(SELECT a.q FROM above a JOIN t ON a.q = t.n)"):
            assert await place(session, f"SUBSCRIBE {followed} AS OF {time}") == BAD
