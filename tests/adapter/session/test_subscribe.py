from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from holdfast.adapter.database import Database
from holdfast.adapter.results import Rows
from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, ask_all, refusal, rows

Row = tuple[Any, ...]


@asynccontextmanager
async def subscribed(session: Session, text: str) -> AsyncIterator[asyncio.Queue[Row | None]]:
    """The rows of a subscription as they come; None at its end."""
    found: asyncio.Queue[Row | None] = asyncio.Queue()

    async def pump() -> None:
        async for result in session.run(text):
            assert isinstance(result, Rows)
            async for piece in result.pieces:
                for row in piece.rows():
                    found.put_nowait(row)
        found.put_nowait(None)

    task = asyncio.create_task(pump())
    try:
        yield found
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def take(found: asyncio.Queue[Row | None], count: int) -> list[Row]:
    taken = []
    for _ in range(count):
        async with asyncio.timeout(20):
            row = await found.get()
        assert row is not None
        taken.append(row)
    return taken


@pytest.fixture(autouse=True)
async def table(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int, b text)")
    await ask(session, "INSERT INTO t VALUES (1, 'x'), (2, 'y')")


async def test_a_snapshot_comes_first_then_every_change_at_its_time(session: Session, other: Session) -> None:
    async with subscribed(session, "SUBSCRIBE t") as found:
        first = await take(found, 2)
        assert [row[1:] for row in first] == [(1, 1, "x"), (1, 2, "y")]
        await ask(other, "UPDATE t SET b = 'z' WHERE a = 2")
        await ask(other, "INSERT INTO t VALUES (3, NULL)")
        later = await take(found, 3)
        assert [row[1:] for row in later] == [(-1, 2, "y"), (1, 2, "z"), (1, 3, None)]
        times = [row[0] for row in [*first, *later]]
        assert times == sorted(times)
        assert later[0][0] == later[1][0] < later[2][0]


async def test_queries_are_exact_at_every_time(session: Session, other: Session) -> None:
    async with subscribed(session, "SUBSCRIBE (SELECT b, count(*) FROM t GROUP BY b)") as found:
        seen: Counter[Row] = Counter()
        for row in await take(found, 2):
            seen[row[2:]] += row[1]
        assert seen == {("x", 1): 1, ("y", 1): 1}
        await ask(other, "INSERT INTO t VALUES (3, 'x')")
        changes = await take(found, 2)
        assert sorted(row[1:] for row in changes) == [(-1, "x", 1), (1, "x", 2)]
        await ask(other, "INSERT INTO t VALUES (4, NULL)")
        assert [row[1:] for row in await take(found, 1)] == [(1, None, 1)]


async def test_the_first_rows_of_an_order_are_followed(session: Session, other: Session) -> None:
    async with subscribed(session, "SUBSCRIBE (SELECT a FROM t ORDER BY a DESC LIMIT 1)") as found:
        assert [row[1:] for row in await take(found, 1)] == [(1, 2)]
        await ask(other, "INSERT INTO t VALUES (7, 'z')")
        assert sorted(row[1:] for row in await take(found, 2)) == [(-1, 2), (1, 7)]


async def test_joins_are_followed_through_all_tables(session: Session, other: Session) -> None:
    await ask(session, "CREATE TABLE u (a int)")
    async with subscribed(session, "SUBSCRIBE (SELECT t.b FROM t JOIN u USING (a))") as found:
        await ask(other, "INSERT INTO u VALUES (2)")
        assert [row[1:] for row in await take(found, 1)] == [(1, "y")]
        await ask(other, "DELETE FROM t WHERE a = 2")
        assert [row[1:] for row in await take(found, 1)] == [(-1, "y")]


async def test_progress_says_what_is_complete(session: Session, other: Session) -> None:
    async with subscribed(session, "SUBSCRIBE t WITH (PROGRESS)") as found:
        begin, *snapshot, after = await take(found, 4)
        assert begin[1:] == (True, None, None, None)
        assert [row[1:] for row in snapshot] == [(False, 1, 1, "x"), (False, 1, 2, "y")]
        assert after[1] is True
        assert after[0] > snapshot[0][0]
        await ask(other, "INSERT INTO t VALUES (3, 'z')")
        row = after
        while row[1]:
            (row,) = await take(found, 1)
        assert row[2:] == (1, 3, "z")


async def test_bounds_of_time_are_kept(session: Session) -> None:
    (before,) = await rows(session, "SELECT mz_now()")
    await ask(session, "INSERT INTO t VALUES (3, 'z')")
    (after,) = await rows(session, "SELECT mz_now()")
    history = await ask(session, f"SUBSCRIBE t AS OF {before[0]} UP TO {int(after[0] or 0) + 1}")
    assert [row[1:] for row in history.rows] == [(1, 1, "x"), (1, 2, "y"), (1, 3, "z")]
    changes = await ask(
        session, f"SUBSCRIBE t WITH (SNAPSHOT = false) AS OF {before[0]} UP TO {int(after[0] or 0) + 1}"
    )
    assert [row[1:] for row in changes.rows] == [(1, 3, "z")]
    assert (await ask(session, f"SUBSCRIBE t AS OF {before[0]} UP TO {before[0]}")).rows == ()
    code, message = await refusal(session, f"SUBSCRIBE t AS OF {after[0]} UP TO {before[0]}")
    assert (code, "is greater than its upper bound" in message) == ("22023", True)


async def test_a_query_that_cannot_change_ends(session: Session) -> None:
    answer = await ask(session, "SUBSCRIBE (SELECT 1 AS a)")
    assert answer.names == ("mz_timestamp", "mz_diff", "a")
    assert [row[1:] for row in answer.rows] == [(1, 1)]


async def test_changes_are_told_by_key(session: Session, other: Session) -> None:
    upsert = "SUBSCRIBE t ENVELOPE UPSERT (KEY (a))"
    async with subscribed(session, upsert) as found:
        assert [row[1:] for row in await take(found, 2)] == [("upsert", 1, "x"), ("upsert", 2, "y")]
        await ask(other, "UPDATE t SET b = 'z' WHERE a = 2")
        await ask(other, "DELETE FROM t WHERE a = 1")
        await ask(other, "INSERT INTO t VALUES (5, 'p'), (5, 'q')")
        assert [row[1:] for row in await take(found, 3)] == [
            ("upsert", 2, "z"),
            ("delete", 1, None),
            ("key_violation", 5, None),
        ]


async def test_changes_are_told_with_what_was_before(session: Session, other: Session) -> None:
    async with subscribed(session, "SUBSCRIBE t ENVELOPE DEBEZIUM (KEY (a))") as found:
        assert [row[1:] for row in await take(found, 2)] == [("insert", 1, None, "x"), ("insert", 2, None, "y")]
        await ask(other, "UPDATE t SET b = 'z' WHERE a = 2")
        await ask(other, "DELETE FROM t WHERE a = 1")
        assert [row[1:] for row in await take(found, 2)] == [("upsert", 2, "y", "z"), ("delete", 1, "x", None)]


async def test_rows_of_a_time_come_in_the_order_asked_for(session: Session) -> None:
    (now,) = await rows(session, "SELECT mz_now()")
    text = f"SUBSCRIBE t WITHIN TIMESTAMP ORDER BY b DESC AS OF {now[0]} UP TO {int(now[0] or 0) + 1}"
    assert [row[2] for row in (await ask(session, text)).rows] == [2, 1]


async def test_a_cursor_takes_changes_as_they_come(session: Session, other: Session) -> None:
    await ask_all(session, "BEGIN; DECLARE c CURSOR FOR SUBSCRIBE t")
    assert [row[1:] for row in (await ask(session, "FETCH ALL c")).rows] == [(1, 1, "x"), (1, 2, "y")]
    assert (await ask(session, "FETCH ALL c WITH (TIMEOUT = '0s')")).rows == ()
    await ask(other, "INSERT INTO t VALUES (3, 'z')")
    assert [row[1:] for row in (await ask(session, "FETCH 10 c WITH (TIMEOUT = '20s')")).rows] == [(1, 3, "z")]
    await ask(session, "COMMIT")


async def test_others_see_who_subscribes(session: Session, other: Session, database: Database) -> None:
    async with subscribed(session, "SUBSCRIBE t") as found:
        await take(found, 1)
        assert len(await rows(other, "SELECT id FROM mz_internal.mz_subscriptions")) == 1
    assert not database.shared.subscriptions


async def test_a_subscription_ends_with_its_table(session: Session, other: Session) -> None:
    async with subscribed(session, "SUBSCRIBE t") as found:
        await take(found, 2)
        await ask(other, "DROP TABLE t")
        async with asyncio.timeout(20):
            assert await found.get() is None


async def test_what_cannot_be_subscribed_to_is_refused(session: Session) -> None:
    assert (await refusal(session, "SUBSCRIBE (SELECT mz_now(), a FROM t)"))[0] == "0A000"
    assert (await refusal(session, "SUBSCRIBE t ENVELOPE UPSERT (KEY (wrong))"))[0] == "42703"
    assert (await refusal(session, "SUBSCRIBE nothing"))[0] == "42P01"
    assert (await refusal(session, "SUBSCRIBE t WITH (SPEED = 3)"))[0] == "22023"
