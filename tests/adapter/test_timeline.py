"""The laws of the timeline, whatever the clock does and however often the database is opened again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.timeline import Timeline
from holdfast.errors import OutcomeUnknown
from holdfast.repr.frontier import MAX_TIME, Timestamp
from tests.adapter.books import Book, HandClock, Row, book
from tests.persist.places import in_memory


def test_a_write_is_at_the_clocks_time_if_that_is_later_than_every_read() -> None:
    clock = HandClock(100)
    timeline = Timeline(Timestamp(50), clock)
    assert timeline.write_ts() == 100
    timeline.advance(Timestamp(100))
    assert (timeline.read_ts, timeline.write_ts()) == (100, 101)
    clock.now = 20
    assert timeline.write_ts() == 101
    assert not timeline.is_behind


async def test_who_waits_for_a_time_is_woken_when_it_can_be_read_and_not_before() -> None:
    timeline = Timeline(Timestamp(5), HandClock())
    early, late = (asyncio.create_task(timeline.reached(Timestamp(time))) for time in (7, 9))
    given_up = asyncio.create_task(timeline.reached(Timestamp(MAX_TIME)))
    await timeline.reached(Timestamp(5))
    await asyncio.sleep(0)
    timeline.advance(Timestamp(8))
    await early
    assert not late.done()
    given_up.cancel()
    await asyncio.gather(given_up, return_exceptions=True)
    assert len(timeline._waiting) == 1
    timeline.fail(OutcomeUnknown("lost"))
    with pytest.raises(OutcomeUnknown):
        await late
    with pytest.raises(OutcomeUnknown):
        await timeline.reached(Timestamp(9))
    await timeline.reached(Timestamp(8))


@dataclass
class Witness:
    """Sees every statement, in the order in which they are answered, and holds them to the laws."""

    last: int = 0
    last_read: int = -1
    written: list[tuple[int, Row]] = field(default_factory=list)

    def wrote(self, time: int, row: Row, upper_before: int) -> None:
        assert time >= self.last, "timestamps never decrease"
        assert time > self.last_read, "a write is strictly later than the reads before it"
        assert time >= upper_before, "a write is not before the write frontier"
        self.last = time
        self.written.append((time, row))

    def read(self, time: int, since: int, found: Counter[Row]) -> None:
        assert time >= self.last, "timestamps never decrease"
        assert time >= since, "a read is not before the read frontier"
        assert found == Counter(row for written, row in self.written if written <= time), "all writes, and no others"
        assert found.total() == len(self.written), "everything acknowledged is visible"
        self.last = self.last_read = time


Step = tuple[str, int]

steps: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        st.tuples(st.just("clock"), st.sampled_from([1, 2, 1_000, 100_000, -1, -1_000, -900_000])),
        st.tuples(st.sampled_from(["write", "read", "tick", "reopen", "ddl", "group"]), st.integers(1, 3)),
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=60)
@given(steps=steps)
def test_the_laws_of_the_timeline_hold_over_clock_jumps_and_restarts(steps: Sequence[Step]) -> None:
    asyncio.run(_run(steps))


async def _run(steps: Sequence[Step]) -> None:
    place, clock, witness = in_memory(), HandClock(), Witness()
    async with book(place, clock) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        witness.last = opened.ledger.read_ts
    waiting = list(steps)
    while waiting:
        async with book(place, clock) as opened:
            assert opened.ledger.read_ts >= witness.last
            while waiting and (step := waiting.pop(0))[0] != "reopen":
                await _do(opened, witness, *step)


async def _do(opened: Book, witness: Witness, what: str, number: int) -> None:
    ledger, id = opened.ledger, opened.id("t")
    since, upper = (frontier.time for frontier in ledger.tables.frontiers(id))
    assert since is not None
    assert upper is not None
    match what:
        case "clock":
            opened.clock.now += number
        case "write":
            witness.wrote(await opened.insert("t", (number,)), (number,), upper)
        case "group":
            times = await asyncio.gather(*(opened.insert("t", (each,)) for each in range(number)))
            assert len(set(times)) == 1
            for each, time in enumerate(times):
                witness.wrote(time, (each,), upper)
        case "read":
            witness.read(ledger.read_ts, since, await opened.rows("t"))
        case "tick":
            await ledger.tick()
        case "ddl":
            await opened.run(f"CREATE TABLE IF NOT EXISTS other{number} (n int8)")
