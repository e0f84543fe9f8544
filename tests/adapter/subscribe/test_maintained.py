"""What a subscription that is followed by its program keeps, and when it works."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from holdfast.adapter.database import Database
from holdfast.compute.delta import program
from holdfast.compute.maintain.followed import Followed
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.row_types import row_type_of
from holdfast.plan.types import INT4
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.update import UpdateBatch
from holdfast.sql import plan_query
from tests.adapter.asking import ask, database

ROW_TYPE = row_type_of([INT4, INT4])


@pytest.fixture
async def opened() -> AsyncIterator[Database]:
    async with database() as found:
        session = await found.connect("materialize")
        await ask(session, "CREATE TABLE t (k int, v int)")
        await ask(session, "INSERT INTO t VALUES (1, 0), (2, 5)")
        yield found


async def followed(opened: Database, query: str) -> tuple[Followed, GlobalId]:
    session = await opened.connect("materialize")
    made = program(decorrelate(plan_query(query, session._state.names).plan))
    (table,) = map(GlobalId.parse, made.inputs)
    found = opened.ledger.maintainer.compute.followed(made, runs_code=False)
    await found.begin(opened.ledger.read_ts)
    return found, table


def update(before: int, after: int, time: int) -> UpdateBatch:
    return UpdateBatch.from_rows(ROW_TYPE, [(1, before), (1, after)], [time, time], [-1, 1])


async def test_what_is_kept_does_not_grow_with_the_changes(opened: Database) -> None:
    found, table = await followed(opened, "SELECT k, sum(v) FROM t GROUP BY k")
    start = opened.ledger.read_ts
    for number in range(3000):
        time = Timestamp(start + 1 + number)
        made = await found.step({table: [update(number, number + 1, time)]}, time)
        assert made.rows == 2
    assert sum(state.rows for state in found._states.values()) < 2000
    found.end()


async def test_nothing_is_done_while_nothing_happens(opened: Database) -> None:
    found, table = await followed(opened, "SELECT k, sum(v) FROM t GROUP BY k")
    start = opened.ledger.read_ts
    async with found.turn:  # others are at work, for as long as this takes
        made = await found.step({table: []}, Timestamp(start + 10))
    assert (made.rows, found.basis) == (0, start + 10)
    found.end()


async def test_rows_that_come_by_themselves_are_told_though_nothing_changes(opened: Database) -> None:
    start = opened.ledger.read_ts
    found, _ = await followed(opened, f"SELECT k FROM t WHERE mz_now() >= v + {start + 2}")
    assert (await found.step({}, Timestamp(start + 1))).rows == 0
    assert (await found.step({}, Timestamp(start + 2))).rows == 1
    assert (await found.step({}, Timestamp(start + 8))).rows == 1
    found.end()
