"""SUBSCRIBE to relations of the system: what they show now, then what has changed since they were looked at last."""

from __future__ import annotations

import asyncio
from collections import Counter

from holdfast.adapter.database import Database
from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, refusal, rows
from tests.adapter.session.test_subscribe import Row, subscribed, take


async def test_what_is_made_and_dropped_shows_at_its_time(session: Session, other: Session) -> None:
    await ask(other, "CREATE TABLE first_one (a int)")
    async with subscribed(session, "SUBSCRIBE (SELECT name FROM mz_tables WHERE id LIKE 'u%')") as found:
        ((began, *first),) = await take(found, 1)
        assert first == [1, "first_one"]
        await ask(other, "CREATE TABLE second_one (a int)")
        ((made, *second),) = await take(found, 1)
        assert second == [1, "second_one"]
        await ask(other, "DROP TABLE first_one")
        ((gone, *third),) = await take(found, 1)
        assert third == [-1, "first_one"]
        assert began < made < gone


async def test_a_relation_of_the_system_is_subscribed_to_by_its_name(session: Session, other: Session) -> None:
    async with subscribed(session, "SUBSCRIBE mz_databases WITH (SNAPSHOT = false)") as found:
        await ask(other, "CREATE DATABASE more")
        ((_, diff, *row),) = await take(found, 1)
        assert (diff, "more" in row) == (1, True)


async def test_what_the_server_is_doing_is_looked_at_as_time_passes(session: Session, database: Database) -> None:
    counted = "SELECT count(*) AS n FROM mz_internal.mz_sessions"
    ((before,),) = await rows(session, counted)
    async with subscribed(session, f"SUBSCRIBE ({counted})") as found:
        ((_, *first),) = await take(found, 1)
        assert first == [1, int(before or 0)]
        await database.connect("materialize")
        changed = await take(found, 2)
        assert sorted(row[1:] for row in changed) == [(-1, first[1]), (1, first[1] + 1)]


async def test_progress_and_bounds_are_those_of_other_subscriptions(session: Session, other: Session) -> None:
    query = "SELECT name FROM mz_schemas WHERE name LIKE 'x%'"
    async with subscribed(session, f"SUBSCRIBE ({query}) WITH (PROGRESS)") as found:
        first, second, third = await take(found, 3)
        assert [row[1:] for row in (first, second, third)] == [(True, None, None)] * 3
        assert first[0] < second[0] < third[0]
        await ask(other, "CREATE SCHEMA x")
        row = third
        while row[1]:
            (row,) = await take(found, 1)
        assert row[2:] == (1, "x")
        ((after, is_progress, *_),) = await take(found, 1)
        assert is_progress
        assert after > row[0] >= third[0]


async def test_a_subscription_ends_before_its_bound(session: Session) -> None:
    ((now,),) = await rows(session, "SELECT mz_now()")
    query = "SELECT name FROM mz_schemas WHERE name = 'public'"
    async with subscribed(session, f"SUBSCRIBE ({query}) UP TO {int(now or 0) + 1_500}") as found:
        ((_, *only),) = await take(found, 1)
        assert only == [1, "public"]
        async with asyncio.timeout(20):
            assert await found.get() is None


async def test_envelopes_and_orders_are_those_of_other_subscriptions(session: Session, other: Session) -> None:
    query = "SELECT id, name FROM mz_tables WHERE id LIKE 'u%'"
    await ask(other, "CREATE TABLE b (a int)")
    async with subscribed(session, f"SUBSCRIBE ({query}) ENVELOPE UPSERT (KEY (id))") as found:
        ((_, state, id, name),) = await take(found, 1)
        assert (state, name) == ("upsert", "b")
        await ask(other, "ALTER TABLE b RENAME TO c")
        assert [row[1:] for row in await take(found, 1)] == [("upsert", id, "c")]
        await ask(other, "DROP TABLE c")
        assert [row[1:] for row in await take(found, 1)] == [("delete", id, None)]


async def test_tables_joined_with_relations_of_the_system_change_at_their_own_times(
    session: Session, other: Session
) -> None:
    await ask(session, "CREATE TABLE wanted (name text)")
    await ask(session, "INSERT INTO wanted VALUES ('a'), ('wanted')")
    query = "SELECT w.name, count(m.id) AS n FROM wanted w LEFT JOIN mz_tables m ON m.name = w.name GROUP BY w.name"
    held: Counter[Row] = Counter()
    async with subscribed(session, f"SUBSCRIBE ({query})") as found:
        for row in await take(found, 2):
            held[row[2:]] += row[1]
        assert held == Counter([("a", 0), ("wanted", 1)])
        await ask(other, "CREATE TABLE a (x int)")
        for row in await take(found, 2):
            held[row[2:]] += row[1]
        assert +held == Counter([("a", 1), ("wanted", 1)])
        await ask(other, "INSERT INTO wanted VALUES ('b')")
        ((time, *added),) = await take(found, 1)
        assert added == [1, "b", 0]
        ((written,),) = await rows(other, "SELECT mz_now() FROM wanted LIMIT 1")
        assert time <= int(written or 0)
        assert await rows(other, f"SELECT count(*) FROM wanted AS OF {time}") == [("3",)]
        assert await rows(other, f"SELECT count(*) FROM wanted AS OF {int(time) - 1}") == [("2",)]


async def test_functions_about_the_system_are_asked_again_too(session: Session, other: Session) -> None:
    await ask(session, "CREATE TABLE a (x int)")
    query = "SELECT obj_description(oid, 'pg_class') FROM pg_class WHERE relname = 'a'"
    async with subscribed(session, f"SUBSCRIBE ({query})") as found:
        assert [row[1:] for row in await take(found, 1)] == [(1, None)]
        await ask(other, "COMMENT ON TABLE a IS 'seen'")
        assert sorted(row[1:] for row in await take(found, 2)) == sorted([(-1, None), (1, "seen")], key=str)


async def test_a_past_time_of_relations_of_the_system_is_refused(session: Session) -> None:
    code, message = await refusal(session, "SUBSCRIBE mz_tables AS OF 1000")
    assert (code, "cannot be read at a time that has passed" in message) == ("22023", True)
