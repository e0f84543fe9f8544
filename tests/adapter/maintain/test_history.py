"""What is remembered of the steps of dataflows: how each was made, why so, and what it took."""

from __future__ import annotations

import pytest

from holdfast.compute.maintain import StepEntry, history
from holdfast.compute.maintain.history import History
from holdfast.compute.maintain.how import How
from holdfast.compute.maintain.lags import KEPT, Lags
from holdfast.plan.errors import DivisionByZero
from holdfast.repr.frontier import Timestamp
from tests.adapter.books import Book, book
from tests.persist.places import in_memory


def steps(opened: Book, name: str) -> tuple[StepEntry, ...]:
    return opened.status(name).steps


def told(step: StepEntry) -> tuple[object, ...]:
    return step.mode, step.reason, step.rows_in, step.rows_out, step.error


async def test_steps_are_told_with_how_they_were_made_and_why() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (k int8, n int8)")
        await opened.insert("t", (1, 1), (2, 2))
        await opened.run("CREATE MATERIALIZED VIEW s AS SELECT k, sum(n) FROM t GROUP BY k")
        await opened.rows("s")
        time = await opened.insert("t", (1, 5))
        await opened.rows("s")
        first, second = steps(opened, "s")
        assert told(first) == ("scratch", "first rows, and there is no Spark", 2, 2, None)
        assert (first.upper - first.lower, first.stages) == (1, ())
        assert told(second) == ("incremental", "1 change at one time", 1, 2, None)
        assert (first.number, second.number, second.lower, second.upper) == (1, 2, first.upper, time + 1)
        assert set(second.seconds) == {"wait", "read", "compute", "commit"}
        assert sum(cost.seconds for cost in second.stages) <= second.seconds["compute"]
        names = [stage.name for stage in opened.status("s").program.stages]
        assert [cost.stage for cost in second.stages] == names
        totals = opened.status("s").stages
        assert [(total.name, total.steps, total.rows_in) for total in totals] == [
            (cost.stage, 1, cost.rows_in) for cost in second.stages
        ]


async def test_a_view_that_errs_says_so_in_its_steps_until_it_heals() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8, d int8)")
        await opened.run("CREATE MATERIALIZED VIEW q AS SELECT n / d AS q FROM t")
        await opened.run("CREATE MATERIALIZED VIEW above AS SELECT sum(q) FROM q")
        await opened.insert("t", (1, 0))
        for name in ("q", "above"):
            with pytest.raises(DivisionByZero):
                await opened.rows(name)
        assert told(steps(opened, "q")[-1]) == ("incremental", "1 change at one time", 1, 0, "division by zero")
        assert told(steps(opened, "above")[-1]) == ("idle", "what it reads errs", 0, 0, "division by zero")
        await opened.delete("t", (1, 0))
        await opened.rows("above")
        assert told(steps(opened, "q")[-1]) == ("incremental", "tried again, as it errs: 2 changes", 2, 0, None)


async def test_states_that_are_missing_are_made_anew() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (k int8, n int8)")
        await opened.insert("t", (1, 1), (2, 2))
        await opened.run("CREATE MATERIALIZED VIEW s AS SELECT k, sum(n) FROM t GROUP BY k")
        await opened.rows("s")
        names = [name for name in await opened.persist.names() if name.startswith("state ")]
        await opened.let_pass(10)
    async with place.writer() as persist:
        for handle in (await persist.writers(names)).values():
            assert await persist.drop(handle)
    async with book(place) as opened:
        await opened.insert("t", (1, 5))
        await opened.rows("s")
        missing, after = steps(opened, "s")
        assert told(missing) == ("scratch", "its states were missing, and there is no Spark", 2, 0, None)
        assert missing.lower == missing.upper == after.lower
        assert after.mode == "incremental"


async def test_a_view_that_changes_by_itself_steps_as_time_passes() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (until mz_timestamp)")
        await opened.run("CREATE MATERIALIZED VIEW v AS SELECT until FROM t WHERE mz_now() < until")
        await opened.insert("t", (opened.ledger.read_ts + 1_000,))
        assert len(await opened.rows("v")) == 1
        await opened.let_pass(5_000)
        assert not await opened.rows("v")
        assert told(steps(opened, "v")[-1]) == ("incremental", "time passed", 0, 1, None)


async def test_a_refresh_is_told_as_one() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.run(
            "CREATE MATERIALIZED VIEW v WITH (REFRESH AT CREATION, REFRESH EVERY '1 minute' "
            "ALIGNED TO '2024-01-01') AS SELECT sum(n) FROM t"
        )
        await opened.rows("v")
        await opened.insert("t", (1,), (2,))
        await opened.let_pass(120_000)
        await opened.rows("v")
        assert ("incremental", "refreshed: 2 changes", 2, 2, None) in map(told, steps(opened, "v"))


def test_only_the_last_steps_are_remembered_and_the_totals_of_all() -> None:
    known, time = History(), iter(range(1_000))
    for number in range(history.KEPT + 5):
        with known.step(lambda: Timestamp(next(time))) as draft:
            draft.is_made(How("incremental", f"{number} changes"), number)
    assert [step.number for step in known.steps] == list(range(6, history.KEPT + 6))


def test_steps_that_come_to_nothing_are_remembered_as_one() -> None:
    known, time = History(), iter((1, 5, 5, 9, 9, 12))
    for _ in range(3):
        with known.step(lambda: Timestamp(next(time))) as draft:
            draft.is_made(How("idle", "nothing"), 0)
    (only,) = known.steps
    assert (only.number, only.lower, only.upper) == (3, 1, 12)


def test_a_step_that_fails_is_remembered_with_what_kept_it() -> None:
    known = History()

    def fail() -> None:
        with known.step(lambda: Timestamp(7)) as draft:
            draft.is_made(How("incremental", "2 changes"), 2)
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        fail()
    (only,) = known.steps
    assert (only.lower, only.upper, only.reason, only.error) == (7, 7, "2 changes", "no room")


def test_what_was_no_step_is_not_remembered() -> None:
    known = History()
    with known.step(lambda: Timestamp(7)):
        pass
    assert known.steps == ()


async def test_how_far_behind_views_are_is_remembered_once_a_minute() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.run("CREATE MATERIALIZED VIEW v AS SELECT sum(n) FROM t")
        await opened.rows("v")
        before = len(list(opened.status("v").lags))
        for _ in range(4):
            await opened.let_pass(30_000)
        known = list(opened.status("v").lags)
        assert len(known) - before == 2
        assert all(lag == 0 and minute % 60_000 == 0 for minute, lag in known[before:])


def test_a_day_of_lags_is_remembered() -> None:
    lags = Lags()
    for minute in range(KEPT + 10):
        lags.add(Timestamp(60_000 * minute + 7), None if minute % 2 else minute)
    known = list(lags)
    assert len(known) == KEPT
    assert known[:2] == [(600_000, 10), (660_000, None)]
