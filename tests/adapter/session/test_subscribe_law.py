"""The changes of a subscription add up, at every time, to what the query answers then."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, rows

QUERIES = (
    "SELECT k, sum(v), count(*), max(v) FROM facts GROUP BY k",
    "SELECT f.k, f.v, d.name FROM facts f JOIN dims d ON f.k = d.k",
    "SELECT f.v, d.name FROM facts f LEFT JOIN dims d ON f.k = d.k AND d.name <> 'x'",
    "SELECT DISTINCT v FROM facts",
    "SELECT k, v, rank() OVER (PARTITION BY k ORDER BY v) FROM facts",
    "SELECT k FROM facts EXCEPT ALL SELECT k FROM dims",
    "SELECT v FROM facts WHERE NOT EXISTS (SELECT 1 FROM dims d WHERE d.k = facts.k)",
    "SELECT v, name FROM facts, dims WHERE facts.k < dims.k",
    "SELECT k, v FROM facts ORDER BY v DESC, k LIMIT 3",
    "SELECT count(*), sum(v) FROM facts WHERE k IN (SELECT k FROM dims)",
    "WITH MUTUALLY RECURSIVE r (k int) AS (SELECT k FROM dims UNION SELECT f.v FROM r, facts f WHERE f.k = r.k) "
    "SELECT * FROM r",
)


async def change(session: Session, chance: random.Random) -> None:
    key, value = chance.randrange(4), chance.randrange(4)
    statements = (
        f"INSERT INTO facts VALUES ({key}, {value}), (NULL, {value}), ({value}, {key})",
        f"DELETE FROM facts WHERE v = {value}",
        f"UPDATE facts SET k = {key} WHERE v = {value}",
        f"INSERT INTO dims VALUES ({key}, '{chance.choice('xyz')}')",
        f"DELETE FROM dims WHERE k = {key}",
    )
    await ask(session, chance.choice(statements))


@pytest.mark.parametrize("query", QUERIES)
async def test_changes_add_up_to_the_answer_at_every_time(session: Session, query: str) -> None:
    chance = random.Random(query)
    await ask(session, "CREATE TABLE facts (k int, v int)")
    await ask(session, "CREATE TABLE dims (k int, name text)")
    for _ in range(4):
        await change(session, chance)
    ((begin,),) = await rows(session, "SELECT mz_now()")
    for _ in range(25):
        await change(session, chance)
    ((last,),) = await rows(session, "SELECT mz_now()")
    assert begin is not None
    assert last is not None
    told = await rows(session, f"SUBSCRIBE ({query}) AS OF {begin} UP TO {int(last) + 1}")
    times = sorted({int(row[0] or 0) for row in told})
    assert len(times) > 3
    contents: Counter[tuple[str | None, ...]] = Counter()
    for time in times:
        for row in told:
            if row[0] == str(time):
                contents[row[2:]] += int(row[1] or 0)
        there = Counter(await rows(session, f"SELECT * FROM ({query}) AS asked AS OF {time}"))
        assert {row: count for row, count in contents.items() if count} == there
