"""Views that are brought up to date only at some times."""

from __future__ import annotations

from collections import Counter

import pytest

from holdfast.plan.errors import DivisionByZero
from tests.adapter.asking import ask, database, refusal, rows
from tests.adapter.books import Book, book
from tests.persist.places import in_memory

EVERY = "WITH (REFRESH AT CREATION, REFRESH EVERY '10 seconds' ALIGNED TO '1970-01-01 00:00:00')"


async def made(opened: Book, options: str = EVERY) -> None:
    await opened.run("CREATE TABLE t (k int8, d int8)")
    await opened.insert("t", (1, 1))
    await opened.run(f"CREATE MATERIALIZED VIEW v {options} AS SELECT k, sum(6 / d) FROM t GROUP BY k")


async def test_a_view_is_what_it_was_until_it_is_refreshed() -> None:
    stored = in_memory()
    async with book(stored) as opened:
        await made(opened)
        assert await opened.rows("v") == Counter([(1, 6)])
        await opened.insert("t", (1, 2))
        await opened.let_pass(5_000)
        assert await opened.rows("v") == Counter([(1, 6)])
        await opened.let_pass(5_000)
        assert await opened.rows("v") == Counter([(1, 9)])
        assert await opened.rows("v", 1_009_999) == Counter([(1, 6)])
        assert await opened.rows("v", 1_010_000) == Counter([(1, 9)])
        await opened.insert("t", (2, 1))
        await opened.let_pass(1_000)
    async with book(stored, opened.clock) as opened:
        assert await opened.rows("v") == Counter([(1, 9)])
        await opened.let_pass(20_000)
        assert await opened.rows("v") == Counter([(1, 9), (2, 6)])
        assert await opened.rows("v", 1_019_999) == Counter([(1, 9)])
        assert await opened.rows("v", 1_020_000) == Counter([(1, 9), (2, 6)])


async def test_a_view_errs_from_one_refresh_to_another() -> None:
    async with book() as opened:
        await made(opened)
        await opened.insert("t", (1, 0))
        await opened.let_pass(3_000)
        assert await opened.rows("v") == Counter([(1, 6)])
        await opened.let_pass(7_000)
        with pytest.raises(DivisionByZero):
            await opened.rows("v")
        await opened.delete("t", (1, 0))
        with pytest.raises(DivisionByZero):
            await opened.rows("v")
        await opened.let_pass(10_000)
        assert await opened.rows("v") == Counter([(1, 6)])
        with pytest.raises(DivisionByZero):
            await opened.rows("v", 1_019_999)


async def test_a_view_over_one_that_is_refreshed_follows_it() -> None:
    async with book() as opened:
        await made(opened)
        await opened.run("CREATE MATERIALIZED VIEW above AS SELECT count(*) FROM v")
        await opened.insert("t", (2, 1))
        assert await opened.rows("above") == Counter([(1,)])
        await opened.let_pass(10_000)
        assert await opened.rows("above") == Counter([(2,)])


async def test_a_view_that_is_never_refreshed_again_lets_go_of_what_it_read() -> None:
    stored = in_memory()
    async with book(stored) as opened:
        await made(opened, "WITH (REFRESH AT CREATION)")
        assert await opened.rows("v") == Counter([(1, 6)])
        assert opened.ledger.tables.collection(opened.id("t")).holders.count == 1  # the catalog
        await opened.insert("t", (1, 2))
        await opened.let_pass(100_000)
        await opened.let_pass(100_000)
    async with book(stored, opened.clock) as opened:
        assert await opened.rows("v") == Counter([(1, 6)])


async def test_a_view_has_rows_from_its_first_refresh_on() -> None:
    async with book() as opened:
        await made(opened, "WITH (REFRESH AT '1970-01-01 00:16:45')")
        assert opened.status("v").basis is None
        await opened.insert("t", (1, 2))
        await opened.let_pass(5_000)
        assert await opened.rows("v") == Counter([(1, 9)])
        await opened.insert("t", (1, 3))
        await opened.let_pass(5_000)
        assert await opened.rows("v") == Counter([(1, 9)])


async def test_a_view_is_verified_as_of_its_last_refresh() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (k int8)")
        await ask(session, "INSERT INTO t VALUES (1)")
        await ask(
            session,
            "CREATE MATERIALIZED VIEW v WITH (REFRESH AT CREATION, "
            "REFRESH EVERY '10000 days' ALIGNED TO '1970-01-01') AS SELECT count(*) FROM t",
        )
        assert await rows(session, "SELECT * FROM v") == [("1",)]
        await ask(session, "INSERT INTO t VALUES (2)")
        assert await rows(session, "SELECT * FROM v") == [("1",)]
        assert await rows(session, "VERIFY MATERIALIZED VIEW v") == []


async def test_a_view_that_waits_for_its_first_refresh_keeps_nobody_from_reading_others() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (k int8)")
        await ask(session, "CREATE MATERIALIZED VIEW v WITH (REFRESH AT '2200-01-01') AS SELECT count(*) FROM t")
        await ask(session, "BEGIN")
        assert await rows(session, "SELECT count(*) FROM t") == [("0",)]
        code, message = await refusal(session, "SELECT * FROM v")
        assert (code, message) == ("25000", "Transactions can only reference objects in the same timedomain.")
