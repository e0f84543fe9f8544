"""The law of subscriptions: what was told up to a time, put together, is what the query says at that time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from holdfast.adapter.database import Database
from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, database
from tests.adapter.session.test_subscribe import subscribed

Row = tuple[Any, ...]

QUERIES = (
    "SELECT a, b FROM t",
    "SELECT a + 1 AS a, b || '!' AS b FROM t WHERE a > 1",
    "SELECT a % 2 AS a, count(*) AS b FROM t GROUP BY a % 2",
    "SELECT t.a, u.c FROM t JOIN u USING (a)",
    "SELECT t.a, u.c FROM t LEFT JOIN u USING (a)",
    "SELECT DISTINCT b AS a, 0 AS b FROM t",
    "SELECT a, b FROM t ORDER BY a DESC, b LIMIT 2",
    "SELECT a, c FROM u UNION ALL SELECT a, a FROM t",
    "SELECT a, c FROM u EXCEPT ALL SELECT a, a FROM t",
    "SELECT max(a) AS a, sum(a) AS b FROM t",
    "SELECT a, (SELECT count(*) FROM u WHERE u.a = t.a) AS b FROM t",
)

FORMS = (
    "INSERT INTO t VALUES ({0}, '{1}')",
    "DELETE FROM t WHERE a = {0}",
    "UPDATE t SET b = '{1}' WHERE a <= {0}",
    "INSERT INTO u VALUES ({0}, {1})",
    "DELETE FROM u WHERE c = {1}",
)
WRITES = st.builds(str.format, st.sampled_from(FORMS), st.integers(0, 3), st.integers(0, 2))


async def now(session: Session) -> int:
    ((value,),) = (await ask(session, "SELECT mz_now()")).rows
    return int(value)


async def prepared(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int, b text)")
    await ask(session, "CREATE TABLE u (a int, c int)")
    await ask(session, "INSERT INTO t VALUES (1, '0'), (1, '0'), (2, '1')")


def accumulated(rows: Sequence[Row], time: int) -> Counter[Row]:
    """What rows of `mz_timestamp, mz_diff, ...` come to at a time."""
    found: Counter[Row] = Counter()
    for at, diff, *row in rows:
        if at <= time:
            found[tuple(row)] += diff
    return Counter({row: count for row, count in found.items() if count})


async def answer(session: Session, query: str, time: int) -> Counter[Row]:
    return Counter((await ask(session, f"{query} AS OF {time}")).rows)


async def live(
    opened: Database, queries: Sequence[str], act: Callable[[], Awaitable[Sequence[int]]]
) -> tuple[list[list[Row]], Sequence[int]]:
    """The rows of subscriptions while something else happens, up to the last of the times that this returns."""
    async with AsyncExitStack() as stack:
        followed = []
        for query in queries:
            session = await opened.connect("materialize", "materialize")
            text = f"SUBSCRIBE ({query}) WITH (PROGRESS)"
            followed.append(await stack.enter_async_context(subscribed(session, text)))
        # Each has told where it begins.
        async with asyncio.timeout(30):
            begun = [await found.get() for found in followed]
        assert all(row is not None and row[1] for row in begun)
        times = await act()
        return [await taken_until(found, times[-1]) for found in followed], times


async def written(session: Session, writes: Sequence[str]) -> list[int]:
    """The times before all writes and after each."""
    times = [await now(session)]
    for write in writes:
        await ask(session, write)
        times.append(await now(session))
    return times


async def taken_until(found: asyncio.Queue[Row | None], time: int) -> list[Row]:
    """The rows up to where nothing more comes at `time`, without what says how far they are complete."""
    rows: list[Row] = []
    while True:
        async with asyncio.timeout(30):
            row = await found.get()
        assert row is not None
        if not row[1]:
            rows.append((row[0], *row[2:]))
        elif row[0] > time:
            return rows


@settings(deadline=None, max_examples=12)
@given(writes=st.lists(WRITES, max_size=6))
def test_what_was_told_is_what_the_query_says_at_every_time(writes: list[str]) -> None:
    async def scenario() -> None:
        async with database() as opened:
            writer = await opened.connect("materialize", "materialize")
            await prepared(writer)
            told, times = await live(opened, QUERIES, lambda: written(writer, writes))
            for query, rows in zip(QUERIES, told, strict=True):
                check_order(rows)
                for time in times:
                    assert accumulated(rows, time) == await answer(writer, query, time), query
                await check_told_afterwards(writer, query, times)

    asyncio.run(scenario())


async def check_told_afterwards(session: Session, query: str, times: Sequence[int]) -> None:
    bounds = f"AS OF {times[0]} UP TO {times[-1] + 1}"
    again = await ask(session, f"SUBSCRIBE ({query}) {bounds}")
    check_order(again.rows)
    for time in times:
        assert accumulated(again.rows, time) == await answer(session, query, time), query
    # Without a snapshot, only what came later is told.
    later = await ask(session, f"SUBSCRIBE ({query}) WITH (SNAPSHOT = false) {bounds}")
    assert [row for row in again.rows if row[0] > times[0]] == list(later.rows)


def check_order(rows: Sequence[Row]) -> None:
    """Times never decrease, and at each time a row is told once."""
    times = [row[0] for row in rows]
    assert times == sorted(times)
    seen = [(at, *row) for at, _, *row in rows]
    assert len(seen) == len(set(seen))
    assert all(diff for _, diff, *_ in rows)


KEYED = "SELECT a, count(*) AS b, max(b) AS c FROM t GROUP BY a"


@settings(deadline=None, max_examples=15)
@given(writes=st.lists(WRITES, max_size=6))
def test_what_was_told_by_key_is_what_the_query_says_at_every_time(writes: list[str]) -> None:
    async def scenario() -> None:
        async with database() as opened:
            writer = await opened.connect("materialize", "materialize")
            await prepared(writer)
            times = await written(writer, writes)
            bounds = f"AS OF {times[0]} UP TO {times[-1] + 1}"
            upserts = await ask(writer, f"SUBSCRIBE ({KEYED}) ENVELOPE UPSERT (KEY (a)) {bounds}")
            debezium = await ask(writer, f"SUBSCRIBE ({KEYED}) ENVELOPE DEBEZIUM (KEY (a)) {bounds}")
            assert upserts.names == ("mz_timestamp", "mz_state", "a", "b", "c")
            assert debezium.names == ("mz_timestamp", "mz_state", "a", "before_b", "before_c", "after_b", "after_c")
            for time in times:
                expected = {row[0]: row[1:] for row in await answer(writer, KEYED, time)}
                assert by_key(upserts.rows, time) == expected
                assert by_key(debezium.rows, time, before=True) == expected

    asyncio.run(scenario())


def by_key(rows: Sequence[Row], time: int, *, before: bool = False) -> dict[Any, Row]:
    """The values that each key has at a time. Those before a change are the ones that were told last."""
    held: dict[Any, Row] = {}
    for at, state, key, *values in rows:
        if at > time:
            break
        old, new = (tuple(values[:2]), tuple(values[2:])) if before else (None, tuple(values))
        if before:
            assert held.get(key, (None, None)) == old
            assert (state == "insert") == (key not in held)
        if state == "delete":
            assert set(new) == {None}
            del held[key]
        else:
            assert state in ("upsert", "insert")
            held[key] = new
    return held


ORDERS: dict[str, Callable[[Row], Row]] = {
    "mz_diff, a": lambda row: (row[0], row[1], row[2]),
    "a DESC, mz_diff DESC": lambda row: (row[0], -row[2], -row[1]),
    "b NULLS FIRST, a, mz_diff": lambda row: (row[0], row[3], row[2], row[1]),
}


@settings(deadline=None, max_examples=10)
@given(
    writes=st.lists(WRITES, max_size=4),
    order=st.sampled_from(sorted(ORDERS)),
)
def test_rows_of_one_time_have_the_order_that_was_asked_for(writes: list[str], order: str) -> None:
    async def scenario() -> None:
        async with database() as opened:
            writer = await opened.connect("materialize", "materialize")
            await prepared(writer)
            start = await now(writer)
            for write in writes:
                await ask(writer, write)
            bounds = f"AS OF {start} UP TO {await now(writer) + 1}"
            ordered = await ask(writer, f"SUBSCRIBE (SELECT a, b FROM t) WITHIN TIMESTAMP ORDER BY {order} {bounds}")
            plain = await ask(writer, f"SUBSCRIBE (SELECT a, b FROM t) {bounds}")
            assert Counter(ordered.rows) == Counter(plain.rows)
            keys = [ORDERS[order](row) for row in ordered.rows]
            assert keys == sorted(keys)

    asyncio.run(scenario())


TEMPORAL = (
    "SELECT a, e FROM s WHERE mz_now() <= e",
    "SELECT a, e FROM s WHERE mz_now() < e AND a > 0",
    "SELECT a, e FROM s WHERE e <= mz_now() AND mz_now() < e + 10",
    "SELECT a, mz_now() >= e AS b FROM s",
    "SELECT count(*) AS a FROM s WHERE NOT mz_now() > e OR a = 0",
    "WITH c AS (SELECT a, e FROM s WHERE mz_now() <= e) SELECT x.a, y.e FROM c x JOIN c y USING (a)",
    "SELECT x.a, y.e FROM s x JOIN s y ON mz_now() BETWEEN x.e AND y.e",
    "SELECT a, e FROM (SELECT a, e FROM s WHERE mz_now() >= e - 5) x WHERE mz_now() <= e + 5",
    "SELECT a, e FROM s WHERE mz_now() <= to_timestamp(e / 1000)",
)


@settings(deadline=None, max_examples=8)
@given(offsets=st.lists(st.tuples(st.integers(0, 2), st.integers(-20, 100)), max_size=4))
@example(offsets=[(1, 50)])
def test_rows_come_and_go_as_time_passes(offsets: list[tuple[int, int]]) -> None:
    async def scenario() -> None:
        async with database() as opened:
            writer = await opened.connect("materialize", "materialize")
            await ask(writer, "CREATE TABLE s (a int, e bigint)")

            async def act() -> Sequence[int]:
                times = [await now(writer)]
                for a, offset in offsets:
                    turn = times[-1] + offset
                    await ask(writer, f"INSERT INTO s VALUES ({a}, {turn})")
                    times += (await now(writer), *(turn + step for step in STEPS))
                return sorted(time for time in times if time >= times[0])

            told, times = await live(opened, TEMPORAL, act)
            for query, rows in zip(TEMPORAL, told, strict=True):
                check_order(rows)
                for time in times:
                    assert accumulated(rows, time) == await answer(writer, query, time), query

    asyncio.run(scenario())


STEPS = (-6, -5, -1, 0, 1, 4, 5, 6, 9, 10, 11)
"""Where the queries may turn, and next to it."""
