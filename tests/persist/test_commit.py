from __future__ import annotations

import asyncio
import random
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest

from holdfast.errors import HoldfastError, OutcomeUnknown, UsageError
from holdfast.persist import retry
from holdfast.persist.commit import Committer, States, Work
from holdfast.persist.errors import CorruptMetadata, Fenced, MetadataUnavailable, Stopped, UnknownCollection
from holdfast.persist.metadata import Change, Commit, Committed, Conflict, EpochMismatch, Metadata
from holdfast.persist.metadata.memory import MemoryMetadata
from holdfast.persist.metrics import COMMIT_CONFLICTS, COMMITS, PersistMetrics
from holdfast.persist.shard import Expired, Lease, ReaderId, ShardState, UpperMismatch
from holdfast.persist.store import Lock
from holdfast.repr.frontier import MINIMUM, Timestamp
from holdfast.repr.ids import ShardId
from tests.build import at
from tests.persist.paper import Paper, at_time, shard
from tests.persist.unreliable import Chances, Unreliable

ONE, TWO, THREE = ShardId(1), ShardId(2), ShardId(3)
BAD = Chances(lost=0.15, silent=0.15, doubtful=0.15, late=0.15, unread=0.1)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_FIRST_PAUSE", 1e-5)
    monkeypatch.setattr(retry, "_LONGEST_PAUSE", 1e-4)


def store_with(count: int) -> MemoryMetadata:
    """A store with shards 1 to `count`, whose lock is taken."""
    metadata = MemoryMetadata()
    store = replace(metadata.store().acquire(Lock("first", "again")), next_shard=ShardId(count + 1))
    changes = tuple(Change(None, shard(f"c{number}", number)) for number in range(1, count + 1))
    assert isinstance(metadata.commit(Commit(0, store, changes)), Committed)
    return metadata


def take_over(metadata: Metadata) -> None:
    before = metadata.store()
    assert isinstance(
        metadata.commit(Commit(before.epoch, replace(before.acquire(Lock("second", "again")), token="second"), ())),
        Committed,
    )


@asynccontextmanager
async def committer(
    metadata: Metadata,
    *,
    writes: bool = True,
    now: Callable[[], int] = lambda: 0,
    metrics: PersistMetrics | None = None,
    on_change: Callable[[States], None] = lambda _: None,
) -> AsyncIterator[Committer]:
    reliable = metadata._metadata if isinstance(metadata, Unreliable) else metadata
    opened = Committer(
        metadata, reliable.store(), writes=writes, now=now, metrics=metrics or PersistMetrics(), on_change=on_change
    )
    try:
        yield opened
    finally:
        await opened.stop()


class Gate(Unreliable):
    """Holds commits back until it is opened."""

    def __init__(self, metadata: Metadata) -> None:
        super().__init__(metadata, Chances())
        self.reached, self.open = threading.Event(), threading.Event()

    def commit(self, commit: Commit) -> Committed | Conflict | EpochMismatch:
        self.reached.set()
        assert self.open.wait(10)
        return super().commit(commit)


class Silenced(Unreliable):
    """After its first fault it answers nothing more."""

    def __init__(self, metadata: Metadata, chances: Chances) -> None:
        super().__init__(metadata, chances)
        self.silent = threading.Event()

    def _fail(self, name: str, commit: Commit) -> None:
        self.chances = Chances(unread=1.0)
        try:
            super()._fail(name, commit)
        finally:
            self.silent.set()


def write_one(paper: Paper, row: int, time: int) -> Callable[[ShardState], ShardState | UpperMismatch]:
    part = paper.part([(row, time, 1)])
    return lambda state: state.write([part])


def rows_in(metadata: Metadata, paper: Paper, shard_id: ShardId) -> Counter[int]:
    """Every row that was written, sealed or not."""
    state = metadata.load([shard_id])[shard_id]
    return Counter(row for key in state.named_parts() for row, _, _ in paper.updates[key])


# In order, and together


async def test_commands_of_one_caller_take_effect_in_order_without_waiting() -> None:
    metadata, paper = store_with(1), Paper()
    async with committer(metadata) as commits:
        for time in range(20):
            written = asyncio.create_task(commits.apply(ONE, write_one(paper, time, time)))
            await asyncio.sleep(0)
            assert isinstance(await commits.apply(ONE, partial(ShardState.seal, upper=at(time + 1))), ShardState)
            assert isinstance(await written, ShardState)
        state = metadata.load([ONE])[ONE]
    assert at_time(paper.read(state.snapshot(Timestamp(19))), 19) == Counter(range(20))


async def test_commands_that_wait_share_a_transaction() -> None:
    metadata = Gate(store_with(3))
    paper = Paper()
    async with committer(metadata) as commits:
        first = asyncio.create_task(commits.apply(ONE, write_one(paper, 0, 5)))
        await asyncio.to_thread(metadata.reached.wait)
        later = [asyncio.create_task(commits.apply(ShardId(1 + n % 3), write_one(paper, n, 5))) for n in range(1, 50)]
        await asyncio.sleep(0)
        metadata.open.set()
        await asyncio.gather(first, *later)
    assert metadata.commits == 2


async def test_the_commands_of_one_work_happen_all_or_none() -> None:
    metadata = store_with(2)
    async with committer(metadata) as commits:
        await commits.apply(TWO, partial(ShardState.seal, upper=at(7)))
        refused = await commits.submit(
            Work(
                ((ONE, partial(ShardState.seal, upper=at(5))), (TWO, partial(ShardState.seal, upper=at(5)))),
            )
        )
        assert refused == UpperMismatch(expected=at(5), current=at(7))
        done = await commits.submit(
            Work(((ONE, partial(ShardState.seal, upper=at(9))), (TWO, partial(ShardState.seal, upper=at(9)))))
        )
    assert isinstance(done, dict)
    assert metadata.load([ONE, TWO]) == done
    assert {state.upper for state in done.values()} == {at(9)}


async def test_a_refusal_or_an_error_of_one_caller_does_not_touch_another() -> None:
    metadata = store_with(1)
    async with committer(metadata) as commits:
        first, refused, misused, unknown, last = await asyncio.gather(
            commits.apply(ONE, partial(ShardState.seal, upper=at(5))),
            commits.apply(ONE, partial(ShardState.seal, upper=at(3))),
            commits.apply(ONE, lambda state: state.compare_and_append([], at(9), at(3))),
            commits.apply(ShardId(9), partial(ShardState.seal, upper=at(3))),
            commits.apply(ONE, partial(ShardState.seal, upper=at(6))),
            return_exceptions=True,
        )
    assert isinstance(first, ShardState)
    assert refused == UpperMismatch(expected=at(3), current=at(5))
    assert isinstance(misused, UsageError)
    assert isinstance(unknown, UnknownCollection)
    assert isinstance(last, ShardState)
    assert metadata.load([ONE])[ONE] == last


async def test_a_command_that_changes_nothing_commits_nothing() -> None:
    metadata = Unreliable(store_with(1), Chances())
    async with committer(metadata) as commits:
        await commits.apply(ONE, partial(ShardState.seal, upper=MINIMUM))
        assert await commits.apply(ONE, lambda s: s.downgrade(ReaderId("r"), at(1), None)) == Expired(ReaderId("r"))
    assert metadata.commits == 0


class Asked(Unreliable):
    """Remembers which shards were loaded."""

    def __init__(self, metadata: Metadata) -> None:
        super().__init__(metadata, Chances())
        self.loads: list[set[ShardId]] = []

    def load(self, shards: Collection[ShardId]) -> dict[ShardId, ShardState]:
        self.loads.append(set(shards))
        return super().load(self.loads[-1])


async def test_only_shards_that_are_not_known_are_loaded_and_if_there_are_none_nothing_is() -> None:
    metadata = Asked(store_with(2))
    async with committer(metadata) as commits:
        for upper in (1, 2, 3):
            await commits.apply(ONE, partial(ShardState.seal, upper=at(upper)))
        assert metadata.loads == [{ONE}]
        await commits.submit(Work(tuple((s, partial(ShardState.seal, upper=at(4))) for s in (ONE, TWO))))
        await commits.submit(Work(create=lambda i: shard("new", i)))
    assert metadata.loads == [{ONE}, {TWO}]


async def test_leases_that_ended_go_with_the_next_commit() -> None:
    metadata = store_with(1)
    clock = [0]
    async with committer(metadata, now=lambda: clock[0]) as commits:
        await commits.apply(ONE, lambda s: s.register(ReaderId("r"), None, Lease(0, 10), ""))
        clock[0] = 11
        after = await commits.apply(ONE, partial(ShardState.seal, upper=at(3)))
    assert isinstance(after, ShardState)
    assert after.reader(ReaderId("r")) is None


async def test_new_shards_get_ids_in_order() -> None:
    metadata = store_with(2)
    async with committer(metadata) as commits:
        made = await asyncio.gather(
            *(commits.submit(Work(create=lambda i, n=n: shard(f"new{n}", i))) for n in range(3))  # type: ignore[misc]  # a default argument binds the loop variable
        )
        assert [list(states) for states in made if isinstance(states, dict)] == [[3], [4], [5]]
        with pytest.raises(UsageError, match='"new1" exists already'):
            await commits.submit(Work(create=lambda i: shard("new1", i)))
        await commits.submit(Work(create=lambda i: shard("new3", i)))
    assert metadata.find(["new0", "new1", "new2", "new3"]) == {"new0": 3, "new1": 4, "new2": 5, "new3": 6}
    assert metadata.store().next_shard == 7


async def test_changes_are_told_before_the_caller_hears() -> None:
    told: list[States] = []
    async with committer(store_with(1), on_change=told.append) as commits:
        state = await commits.apply(ONE, partial(ShardState.seal, upper=at(3)))
        assert told == [{ONE: state}]
        await commits.apply(ONE, partial(ShardState.seal, upper=at(3)))
    assert len(told) == 1


# Others who change the store


async def test_a_shard_that_a_reader_changed_is_read_again() -> None:
    metadata, metrics = store_with(3), PersistMetrics()
    async with committer(metadata, metrics=metrics) as commits, committer(metadata, writes=False) as reads:
        for shard_id in (ONE, TWO, THREE):
            await commits.apply(shard_id, partial(ShardState.seal, upper=at(1)))
        await reads.apply(TWO, lambda s: s.register(ReaderId("r"), None, Lease(0, 10), ""))
        work = Work(tuple((s, partial(ShardState.seal, upper=at(2))) for s in (ONE, TWO, THREE)))
        async with asyncio.timeout(10):
            done = await commits.submit(work)
    assert isinstance(done, dict)
    assert done[TWO].reader(ReaderId("r")) is not None
    assert metrics.counts[COMMIT_CONFLICTS] == 1
    assert metrics.counts[COMMITS] == 4


async def test_the_last_known_state_stays_while_a_commit_is_in_doubt() -> None:
    metadata = Unreliable(store_with(1), Chances())
    async with committer(metadata) as commits:
        known = await commits.apply(ONE, partial(ShardState.seal, upper=at(1)))
        metadata.chances = Chances(doubtful=1.0)
        moving = asyncio.create_task(commits.apply(ONE, partial(ShardState.seal, upper=at(2))))
        while metadata.commits < 4:
            assert commits.state(ONE) == known
            await asyncio.sleep(0.001)
        metadata.chances = Chances()
        assert await moving == commits.state(ONE)


async def test_a_writer_that_was_overtaken_is_fenced() -> None:
    metadata = store_with(1)
    async with committer(metadata) as commits:
        take_over(metadata)
        before = metadata.load([ONE])
        with pytest.raises(Fenced, match=r"epoch 1.*fenced by a later one \(epoch 2\)") as fenced:
            await commits.apply(ONE, partial(ShardState.seal, upper=at(3)))
        assert fenced.value.detail == "The store is now held by second."
        with pytest.raises(Fenced):
            await commits.apply(ONE, partial(ShardState.seal, upper=at(3)))
        assert commits.fenced is not None
        assert metadata.load([ONE]) == before


async def test_a_fenced_writer_gives_no_refusal_from_what_it_remembers() -> None:
    metadata = store_with(1)
    async with committer(metadata) as commits:
        await commits.apply(ONE, partial(ShardState.seal, upper=at(3)))
        take_over(metadata)
        with pytest.raises(Fenced):
            await commits.apply(ONE, partial(ShardState.seal, upper=at(2)))


@pytest.mark.parametrize("fault", [Chances(silent=1.0), Chances(doubtful=1.0)])
async def test_a_writer_fenced_while_in_doubt_says_that_it_does_not_know(fault: Chances) -> None:
    store = store_with(1)
    metadata = Silenced(store, fault)
    async with committer(metadata) as commits:
        moving = asyncio.create_task(commits.apply(ONE, partial(ShardState.seal, upper=at(3))))
        await asyncio.to_thread(metadata.silent.wait)
        take_over(store)
        metadata.chances = Chances()
        with pytest.raises(OutcomeUnknown, match=r"may or may not have happened.*fenced") as unknown:
            await moving
        assert not isinstance(unknown.value, Fenced)
        with pytest.raises(Fenced):
            await commits.apply(ONE, partial(ShardState.seal, upper=at(9)))


async def test_no_other_error_hides_a_commit_in_doubt() -> None:
    metadata = Silenced(store_with(1), Chances(doubtful=1.0))
    async with committer(metadata) as commits:
        moving = asyncio.create_task(commits.apply(ONE, partial(ShardState.seal, upper=at(3))))
        await asyncio.to_thread(metadata.silent.wait)
        metadata._read = broken  # type: ignore[method-assign]  # damage that appears while we wait
        with pytest.raises(OutcomeUnknown, match="may or may not have happened: a row is damaged"):
            await moving
        del metadata._read
        metadata.chances = Chances()


def broken() -> Metadata:
    raise CorruptMetadata("a row is damaged")


# Faults


async def storm(seed: int, count: int, chances: Chances) -> tuple[int, int]:
    """Many callers over a bad line; what was acknowledged is there once, what was refused is not."""
    metadata, paper = store_with(3), Paper()
    line = Unreliable(metadata, chances, seed)
    chance = random.Random(seed)
    written: dict[ShardId, Counter[int]] = {ONE: Counter(), TWO: Counter(), THREE: Counter()}

    async def caller(row: int) -> None:
        shard_id = chance.choice([ONE, TWO, THREE])
        for _ in range(chance.randrange(4)):
            await asyncio.sleep(0)
        kind = chance.random()
        if kind < 0.7:
            result: object = await commits.apply(shard_id, write_one(paper, row, chance.randrange(40)))
            written[shard_id] += Counter([row] if isinstance(result, ShardState) else [])
        elif kind < 0.8:
            await commits.apply(shard_id, partial(ShardState.seal, upper=at(chance.randrange(20))))
        elif kind < 0.9:
            parts = {s: paper.part([(row, 39, 1)]) for s in (ONE, TWO)}
            work = Work(tuple((s, lambda state, part=part: state.write([part])) for s, part in parts.items()))  # type: ignore[misc]  # a default argument binds the loop variable
            if isinstance(await commits.submit(work), dict):
                written[ONE][row] += 1
                written[TWO][row] += 1
        else:
            with pytest.raises(UsageError):
                await commits.apply(shard_id, lambda state: state.compare_and_append([], at(9), at(3)))

    async def reader(number: int) -> None:
        name = ReaderId(f"r{number}")
        assert isinstance(await reads.apply(ONE, lambda s: s.register(name, None, Lease(0, 9), "")), ShardState)
        assert isinstance(await reads.apply(ONE, lambda s: s.downgrade(name, at(1), Lease(0, 19))), ShardState)

    async with committer(line) as commits, committer(line, writes=False) as reads:
        await asyncio.gather(*(caller(row) for row in range(count)), *(reader(number) for number in range(5)))
        line.chances = Chances()
    for shard_id, rows in written.items():
        assert rows_in(metadata, paper, shard_id) == rows
    state = metadata.load([ONE])[ONE]
    assert {r.id: r.since for r in state.readers if r.lease} == {ReaderId(f"r{n}"): at(1) for n in range(5)}
    return line.commits, count


@pytest.mark.parametrize("seed", range(12))
async def test_whatever_is_lost_each_command_happens_once_or_not_at_all(seed: int) -> None:
    await storm(seed, 80, BAD)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(100, 600))
async def test_whatever_is_lost_each_command_happens_once_or_not_at_all_for_long(seed: int) -> None:
    await storm(seed, 300, BAD)


async def test_over_a_good_line_there_are_fewer_commits_than_commands() -> None:
    tried, commands = await storm(7, 400, Chances())
    assert tried < commands / 2


@pytest.mark.parametrize("seed", range(6))
async def test_the_work_of_a_caller_that_is_cancelled_is_applied_whole_or_not_at_all(seed: int) -> None:
    metadata, paper = store_with(2), Paper()
    line = Unreliable(metadata, BAD, seed)
    chance = random.Random(seed)
    async with committer(line) as commits:
        tasks = []
        for row in range(40):
            part = paper.part([(row, 5, 1)])
            work = Work(tuple((s, lambda state, part=part: state.write([part])) for s in (ONE, TWO)))  # type: ignore[misc]  # a default argument binds the loop variable
            tasks.append(asyncio.create_task(commits.submit(work)))
            if chance.random() < 0.3:
                await asyncio.sleep(0.0005)
            if chance.random() < 0.5:
                tasks[chance.randrange(len(tasks))].cancel()
        finished = await asyncio.gather(*tasks, return_exceptions=True)
        line.chances = Chances()
    both = [rows_in(metadata, paper, s) for s in (ONE, TWO)]
    assert both[0] == both[1]
    assert set(both[0].values()) <= {1}
    acknowledged = {row for row, result in enumerate(finished) if isinstance(result, dict)}
    assert acknowledged <= both[0].keys()


# Stopping


async def test_stopping_finishes_what_waits_and_refuses_what_comes() -> None:
    metadata = Gate(store_with(1))
    paper = Paper()
    async with committer(metadata) as commits:
        waiting = [asyncio.create_task(commits.apply(ONE, write_one(paper, row, 5))) for row in range(10)]
        await asyncio.to_thread(metadata.reached.wait)
        stopping = asyncio.create_task(commits.stop())
        await asyncio.sleep(0)
        with pytest.raises(Stopped):
            await commits.apply(ONE, write_one(paper, 99, 5))
        metadata.open.set()
        await stopping
        assert all(isinstance(state, ShardState) for state in await asyncio.gather(*waiting))
    assert rows_in(metadata, paper, ONE) == Counter(range(10))


@pytest.mark.parametrize(("fault", "error"), [("lost", MetadataUnavailable), ("unread", OutcomeUnknown)])
async def test_stopping_does_not_wait_for_a_store_that_is_gone(fault: str, error: type[HoldfastError]) -> None:
    metadata = Unreliable(store_with(1), Chances(lost=1.0) if fault == "lost" else Chances(doubtful=1.0))
    async with committer(metadata) as commits:
        moving = asyncio.create_task(commits.apply(ONE, partial(ShardState.seal, upper=at(3))))
        await asyncio.to_thread(metadata.tried.wait)
        if fault == "unread":
            metadata.chances = Chances(unread=1.0)
        async with asyncio.timeout(10):
            await commits.stop()
        with pytest.raises(error):
            await moving


async def test_a_bug_in_a_command_leaves_the_outcome_open_and_the_committer_working() -> None:
    metadata = store_with(1)

    def buggy(_: ShardState) -> ShardState:
        raise ZeroDivisionError("a bug")

    async with committer(metadata) as commits:
        with pytest.raises(OutcomeUnknown, match="ZeroDivisionError"):
            await commits.apply(ONE, buggy)
        assert isinstance(await commits.apply(ONE, partial(ShardState.seal, upper=at(3))), ShardState)
