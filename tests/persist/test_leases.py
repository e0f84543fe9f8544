"""Leases: what a reader may still read is kept for it, and a reader that was away too long learns it."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from holdfast import failpoint
from holdfast.errors import HoldfastError
from holdfast.persist import Persist, PersistSettings, ReadHandle, WriteHandle, compact, encoding, parts
from holdfast.persist.errors import AsOfBeforeSince, LeaseExpired
from holdfast.persist.settings import wall_clock_ms
from holdfast.repr.frontier import Timestamp
from holdfast.repr.update import UpdateBatch
from tests.build import at
from tests.persist.child import REENTRANCE
from tests.persist.numbers import NUMBERS, append, contents_at, counted, create, rows_at
from tests.persist.places import BLOBS, in_folder, in_memory
from tests.persist.processes import child

pytestmark = pytest.mark.usefixtures("eager_merges")

LEASE_MS = 1000


class Clock:
    """Milliseconds that pass when told."""

    def __init__(self) -> None:
        self.time = 1_000_000

    def __call__(self) -> int:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def _many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every update is a part of its own, so that a snapshot is read part after part; and merges are many."""
    monkeypatch.setattr(encoding, "PART_BYTES", 1)
    monkeypatch.setattr(parts, "GATHERED_ROWS", 0)
    monkeypatch.setattr(encoding, "SMALL_ROWS", 0)
    monkeypatch.setattr(compact, "SMALL_FAN", 2)


@pytest.fixture
def settings(clock: Clock) -> PersistSettings:
    """Heartbeats come only when a test asks for them: the timer runs on the real clock."""
    return replace(BLOBS, lease_ms=LEASE_MS * 1000, now=clock, cache_bytes=0)


async def filled(persist: Persist, count: int = 10) -> WriteHandle:
    numbers, others = await create(persist)
    for time in range(1, count + 1):
        await append(persist, numbers, others, time)
    return numbers


async def merge_and_collect(persist: Persist, numbers: WriteHandle, since: int) -> int:
    """Let go of what is before `since`, merge, and collect."""
    await numbers.allow_compaction(at(since))
    await persist.compact(NUMBERS)
    return await persist.collect_garbage()


async def test_an_expired_reader_gets_an_error_and_never_wrong_rows(clock: Clock, settings: PersistSettings) -> None:
    place = in_memory()
    async with place.writer(settings) as persist, await place.open_reader(settings=settings) as away:
        numbers = await filled(persist)
        reader = await away.reader(NUMBERS)
        assert await rows_at(reader, 5) == contents_at(5)
        clock.time += settings.lease_ms + 1
        assert await merge_and_collect(persist, numbers, 9)
        assert numbers.since == at(9)
        with pytest.raises(LeaseExpired, match=r'the read lease r-\w+ on collection "numbers" has expired'):
            await rows_at(reader, 5)
        with pytest.raises(LeaseExpired):
            await rows_at(reader, 10)
        await reader.close()
        again = await away.reader(NUMBERS)
        assert again.since == at(9)
        assert await rows_at(again, 10) == contents_at(10)


async def test_the_expiry_of_a_lease_alone_does_not_move_since(clock: Clock, settings: PersistSettings) -> None:
    place = in_memory()
    async with place.writer(settings) as persist, await place.open_reader(settings=settings) as away:
        numbers = await filled(persist)
        reader = await away.reader(NUMBERS, since=at(0))
        await numbers.allow_compaction(at(7))
        assert numbers.since == at(0)
        clock.time += settings.lease_ms + 1
        await numbers.seal(at(20))
        assert len(numbers.state.readers) == 1
        assert numbers.since == at(0)
        assert await rows_at(await persist.reader(NUMBERS), 3) == contents_at(3)
        await numbers.allow_compaction(at(8))
        assert numbers.since == at(0)  # the reader just opened holds it
        await reader.close()


async def test_heartbeats_keep_a_lease_alive(clock: Clock, settings: PersistSettings) -> None:
    place = in_memory()
    async with place.writer(settings) as persist, await place.open_reader(settings=settings) as following:
        numbers = await filled(persist)
        reader = await following.reader(NUMBERS)
        for _ in range(5):
            clock.time += settings.lease_ms // 2
            await reader.renew()
            await merge_and_collect(persist, numbers, 9)
            assert await rows_at(reader, 5) == contents_at(5)


async def test_heartbeats_come_by_themselves(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    short = PersistSettings(lease_ms=200, compact=False, notify=False, poll_seconds=0.02)
    async with place.writer(short) as persist:
        numbers = await filled(persist)
        reader = await persist.reader(NUMBERS)
        first = numbers.state.reader(reader._reader) if reader._reader else None
        assert first is not None
        assert first.lease is not None
        async with asyncio.timeout(30):
            while True:
                changed = persist.watch.event(numbers.shard)
                renewed = numbers.state.reader(first.id)
                assert renewed is not None
                assert renewed.lease is not None
                if renewed.lease.expires_at > first.lease.expires_at + 200:
                    break
                await changed.wait()


@pytest.mark.usefixtures("_many_parts")
@pytest.mark.parametrize("critical", [None, "keeper"])
async def test_parts_are_kept_while_a_snapshot_of_them_is_half_read(
    settings: PersistSettings, critical: str | None
) -> None:
    place = in_memory()
    async with place.writer(settings) as persist, await place.open_reader(settings=settings) as away:
        numbers = await filled(persist)
        reader = await away.reader(NUMBERS, critical=critical)
        snapshot = reader.snapshot(Timestamp(10))
        total = counted(await anext(snapshot))
        await reader.downgrade(at(10))
        await merge_and_collect(persist, numbers, 10)
        assert len(numbers.state.batches) == 1
        assert numbers.state.retired
        await away._follower.refresh() if away._follower else None
        await reader.renew()
        assert await persist.collect_garbage() == 0
        async for batch in snapshot:
            total.update(counted(batch))
        assert +total == contents_at(10)
        await reader.renew()
        assert await persist.collect_garbage() > 0
        assert not numbers.state.retired
        assert await rows_at(reader, 10) == contents_at(10)


@pytest.mark.usefixtures("_many_parts")
async def test_a_listener_half_way_through_its_changes_keeps_their_parts(settings: PersistSettings) -> None:
    place = in_memory()
    async with place.writer(settings) as persist, await place.open_reader(settings=settings) as away:
        numbers = await filled(persist)
        reader = await away.reader(NUMBERS, since=at(0))
        changes = reader.listen(Timestamp(1))
        total = counted((await anext(changes)).updates)
        await reader.downgrade(at(10))
        await merge_and_collect(persist, numbers, 10)
        while (told := await anext(changes)).upper != at(11):
            total.update(counted(told.updates))
        assert +total == contents_at(10)
        await changes.aclose()  # type: ignore[attr-defined]  # it is an async generator


async def test_a_critical_reader_holds_since_over_restarts(clock: Clock, settings: PersistSettings) -> None:
    place = in_memory()
    async with place.writer(settings) as persist:
        numbers = await filled(persist)
        keeper = await persist.reader(NUMBERS, since=at(3), critical="controller")
        await keeper.downgrade(at(4))
        await keeper.close()
    clock.time += 10 * settings.lease_ms
    async with place.writer(settings) as persist:
        numbers = await persist.writer(NUMBERS)
        await merge_and_collect(persist, numbers, 9)
        assert numbers.since == at(4)
        keeper = await persist.reader(NUMBERS, since=at(8), critical="controller")
        assert keeper.since == at(4)
        assert await rows_at(keeper, 4) == contents_at(4)
        clock.time += 2 * settings.lease_ms
        await numbers.seal(at(30))
        assert numbers.since == at(4)
        await keeper.downgrade(at(6))
        assert numbers.since == at(6)


@pytest.mark.usefixtures("_many_parts")
async def test_a_reader_whose_clock_is_behind_is_not_let_back_in(clock: Clock, settings: PersistSettings) -> None:
    """As soon as something that it could see is deleted, its lease must be gone for all to see."""
    place = in_memory()
    slow = Clock()
    behind = PersistSettings(lease_ms=settings.lease_ms, compact=False, notify=False, now=slow, cache_bytes=0)
    async with place.writer(settings) as persist, await place.open_reader(settings=behind) as away:
        numbers = await filled(persist)
        reader = await away.reader(NUMBERS)
        snapshot = reader.snapshot(Timestamp(10))
        await anext(snapshot)
        await reader.downgrade(at(10))
        await numbers.allow_compaction(at(10))
        assert await persist.compact(NUMBERS)
        clock.time += settings.lease_ms + 1
        loop = asyncio.get_running_loop()
        told: list[Exception] = []

        async def come_back() -> None:
            await reader.renew()
            try:
                await rows_at(reader, 10)
            except HoldfastError as error:
                told.append(error)

        def hook(place: str) -> None:
            if place == "gc_blob_deleted" and not told:
                asyncio.run_coroutine_threadsafe(come_back(), loop).result()

        failpoint.install(hook)
        try:
            assert await persist.collect_garbage() > 0
        finally:
            failpoint.install(None)
        assert [type(error) for error in told] == [LeaseExpired]
        with pytest.raises(LeaseExpired):
            async for _ in snapshot:
                pass


@pytest.mark.usefixtures("_many_parts")
async def test_an_independent_reader_overtaken_by_compaction_is_told_so(settings: PersistSettings) -> None:
    place = in_memory()
    async with place.writer(settings) as persist:
        numbers = await filled(persist)
        async with await place.open_reader(independent=True, settings=settings) as alone:
            reader = await alone.reader(NUMBERS)
            snapshot = reader.snapshot(Timestamp(5))
            await anext(snapshot)
            await merge_and_collect(persist, numbers, 9)
            with pytest.raises(LeaseExpired, match="of a reader without contact"):
                async for _ in snapshot:
                    pass
            await refreshed(alone, reader)
            with pytest.raises(AsOfBeforeSince, match=r"its since is \{9\}"):
                await rows_at(reader, 5)
            assert await rows_at(reader, 10) == contents_at(10)


async def refreshed(persist: Persist, reader: ReadHandle) -> None:
    assert persist._follower is not None
    await persist._follower.refresh()
    assert reader._state().since == at(9)


async def test_a_snapshot_half_read_needs_nothing_of_the_store_for_parts_without_blobs(
    settings: PersistSettings, clock: Clock
) -> None:
    """The version that it reads holds them, whatever became of them and of the lease since."""
    place, settings = in_memory(), replace(settings, inline_bytes=4096)
    async with place.writer(settings) as persist, await place.open_reader(settings=settings) as away:
        numbers = await filled(persist)
        reader = await away.reader(NUMBERS)
        with await reader.pin_snapshot(Timestamp(5)) as pinned:
            clock.time += settings.lease_ms + 1
            await merge_and_collect(persist, numbers, 9)
            assert numbers.since == at(9)
            assert not numbers.state.retired
            pieces = [reader.parts.read(reader.shard, piece, pinned.state.schemas) for piece in pinned.slices]
            tables = [table for tables in pieces for table in tables]
        assert +counted(UpdateBatch.from_table(pa.concat_tables(tables))) == contents_at(5)


@pytest.mark.parametrize("role", ["read", "half_read"])
async def test_a_reader_process_stopped_past_its_lease_gets_an_error_or_right_rows(tmp_path: Path, role: str) -> None:
    place = in_folder(tmp_path)
    clock = Clock()
    lease = {"lease_ms": 60_000, "cache_bytes": 0, "poll_seconds": 0.02, "notify": False}
    # The writer's clock is its own, so that the lease can be over at once.
    clock.time = 10**15
    async with await place.open_writer(REENTRANCE, BLOBS) as persist:
        await filled(persist)
    async with child(role, place.location, settings=lease, time=5) as process:
        await process.says()
        process.signal(signal.SIGSTOP)
        later = replace(BLOBS, now=clock)
        async with await place.open_writer(REENTRANCE, later) as persist:
            numbers = await persist.writer(NUMBERS)
            assert await merge_and_collect(persist, numbers, 9)
            assert numbers.since == at(9)
            process.signal(signal.SIGCONT)
            process.tell("5")
            told = await process.says()
            assert told.get("error") == "LeaseExpired" or told["rows"] == rows_of(5)
            if role == "read":
                process.tell("10")
                told = await process.says()
                assert told.get("error") == "LeaseExpired" or told["rows"] == rows_of(10)
            await rows_at(await persist.reader(NUMBERS), 10)


async def test_a_reader_process_killed_holds_nothing_back_once_its_lease_is_over(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    clock = Clock()
    clock.time = wall_clock_ms()
    settings = replace(BLOBS, now=clock)
    async with await place.open_writer(REENTRANCE, settings) as persist:
        numbers = await filled(persist)
        async with child("read", place.location, settings={"lease_ms": 60_000, "notify": False}) as process:
            await process.says()
            process.signal(signal.SIGKILL)
            await process.ended()
        assert await merge_and_collect(persist, numbers, 9) == 0
        assert numbers.since == at(0)
        clock.time += 120_000
        assert await merge_and_collect(persist, numbers, 10)
        assert numbers.since == at(10)
        assert await rows_at(await persist.reader(NUMBERS), 10) == contents_at(10)


def rows_of(time: int) -> list[list[int]]:
    return [list(row) for row in sorted(contents_at(time).elements())]
