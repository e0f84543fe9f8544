"""Maintained views as clients see them."""

from __future__ import annotations

import asyncio

from holdfast.adapter.database import Database
from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, database, prepared, refusal, rows


async def session_of(opened: Database) -> Session:
    session = await opened.connect("materialize")
    await ask(session, "CREATE TABLE t (k int8, n int8)")
    await ask(session, "INSERT INTO t VALUES (1, 10), (1, 5), (2, 7)")
    await ask(session, "CREATE MATERIALIZED VIEW s AS SELECT k, sum(n) AS n FROM t GROUP BY k")
    return session


async def test_what_was_written_is_in_the_view_for_whoever_reads_next() -> None:
    async with database() as opened:
        session = await session_of(opened)
        assert await rows(session, "SELECT * FROM s ORDER BY k") == [("1", "15"), ("2", "7")]
        for n in range(1, 6):
            await ask(session, f"INSERT INTO t VALUES (2, {n})")
            assert (await prepared(session, "SELECT n FROM s WHERE k = $1", [2])).rows[0][0] == 7 + n * (n + 1) // 2


async def test_an_earlier_time_has_what_the_view_had_then() -> None:
    async with database() as opened:
        session = await session_of(opened)
        ((before,),) = await rows(session, "SELECT mz_now() FROM s LIMIT 1")
        await ask(session, "DELETE FROM t WHERE k = 1")
        assert await rows(session, "SELECT k FROM s") == [("2",)]
        assert await rows(session, f"SELECT k FROM s ORDER BY k AS OF {before}") == [("1",), ("2",)]


async def test_a_transaction_reads_views_and_tables_at_one_time() -> None:
    async with database() as opened:
        session, other = await session_of(opened), await opened.connect("materialize")
        await ask(session, "BEGIN")
        assert await rows(session, "SELECT count(*) FROM t") == [("3",)]
        await ask(other, "INSERT INTO t VALUES (3, 3)")
        assert await rows(session, "SELECT count(*) FROM s") == [("2",)]
        await ask(session, "COMMIT")
        assert await rows(session, "SELECT count(*) FROM s") == [("3",)]


async def test_what_follows_from_a_view_can_be_written() -> None:
    async with database() as opened:
        session = await session_of(opened)
        await ask(session, "INSERT INTO t SELECT k + 10, n FROM s")
        assert await rows(session, "SELECT k, n FROM s ORDER BY k") == [
            ("1", "15"),
            ("2", "7"),
            ("11", "15"),
            ("12", "7"),
        ]


async def test_changes_of_a_view_are_told_at_their_times() -> None:
    async with database() as opened:
        session, other = await session_of(opened), await opened.connect("materialize")
        await ask(session, "BEGIN")
        await ask(session, "DECLARE c CURSOR FOR SUBSCRIBE s")
        assert len(await rows(session, "FETCH 2 c")) == 2
        await ask(other, "UPDATE t SET n = 8 WHERE k = 2")
        changed = await rows(session, "FETCH 2 c WITH (timeout = '10s')")
        assert sorted(row[1:] for row in changed) == [("-1", "2", "7"), ("1", "2", "8")]
        assert len({row[0] for row in changed}) == 1
        await ask(session, "COMMIT")


async def test_a_view_that_is_dropped_while_it_is_read_is_read_to_the_end() -> None:
    async with database() as opened:
        session, other = await session_of(opened), await opened.connect("materialize")
        await ask(session, "BEGIN")
        assert len(await rows(session, "SELECT * FROM s")) == 2
        await ask(other, "DROP TABLE t CASCADE")
        names = [name for name in await opened.persist.names() if name.startswith(("view", "state", "table"))]
        assert len(names) >= 2
        await ask(session, "COMMIT")
        for _ in range(50):
            await asyncio.sleep(0.02)
            await opened.ledger.tick()
            if await opened.persist.names() == ["catalog"]:
                break
        assert await opened.persist.names() == ["catalog"]
        code, _ = await refusal(session, "SELECT * FROM s")
        assert code == "42P01"


async def test_a_view_replaces_another() -> None:
    async with database() as opened:
        session = await session_of(opened)
        await ask(session, "CREATE OR REPLACE MATERIALIZED VIEW s AS SELECT max(n) AS n FROM t")
        assert await rows(session, "SELECT * FROM s") == [("10",)]
        await ask(session, "INSERT INTO t VALUES (1, 11)")
        assert await rows(session, "SELECT * FROM s") == [("11",)]


async def test_rows_come_and_go_as_time_passes() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE e (id int8, until mz_timestamp)")
        await ask(session, "CREATE MATERIALIZED VIEW alive AS SELECT id FROM e WHERE mz_now() < until")
        ((now,),) = await rows(session, "SELECT mz_now()")
        soon = int(str(now)) + 1500
        await ask(session, f"INSERT INTO e VALUES (1, {soon}), (2, {soon + 10_000_000})")
        assert await rows(session, "SELECT * FROM alive ORDER BY id") == [("1",), ("2",)]
        assert await rows(session, f"SELECT * FROM alive ORDER BY id AS OF {soon - 1}") == [("1",), ("2",)]
        assert await rows(session, f"SELECT * FROM alive AS OF {soon}") == [("2",)]
        assert await rows(session, "SELECT * FROM alive") == [("2",)]


async def test_a_view_that_erred_while_rows_went_by_themselves_heals_without_them() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE e (id int8, until mz_timestamp)")
        await ask(session, "CREATE MATERIALIZED VIEW alive AS SELECT 10 / id AS tenth FROM e WHERE mz_now() < until")
        ((now,),) = await rows(session, "SELECT mz_now()")
        soon = int(str(now)) + 1000
        await ask(session, f"INSERT INTO e VALUES (1, {soon}), (5, {soon + 10_000_000})")
        assert await rows(session, "SELECT * FROM alive ORDER BY 1") == [("2",), ("10",)]
        await ask(session, f"INSERT INTO e VALUES (0, {soon + 10_000_000})")
        assert (await refusal(session, "SELECT * FROM alive"))[0] == "22012"
        await rows(session, f"SELECT count(*) FROM e AS OF {soon}")  # is answered once that time has come
        await ask(session, "DELETE FROM e WHERE id = 0")
        assert await rows(session, "SELECT * FROM alive") == [("2",)]
        assert await rows(session, "VERIFY MATERIALIZED VIEW alive") == []
