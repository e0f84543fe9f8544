"""What an instance of persist promises, over every kind of store."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import AsyncIterator, Hashable, Iterable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.persist import Append, Persist, PersistSettings, ReadHandle, UpperMismatch, WriteHandle, compact, encoding
from holdfast.persist import parts as parts_module
from holdfast.persist.blob.contract import BlobUnavailable
from holdfast.persist.blob.memory import MemoryBlob
from holdfast.persist.codec import CodecCollection, PairCodec
from holdfast.persist.errors import (
    AsOfBeforeSince,
    Fenced,
    LockHeld,
    MetadataOutcomeUnknown,
    NewerEncoding,
    ReadOnly,
    ReadTimeout,
    SchemaMismatch,
    Stopped,
    UnknownCollection,
)
from holdfast.persist.gc import known_keys, leaked
from holdfast.persist.metadata import Change, Commit, Committed, Conflict, EpochMismatch
from holdfast.persist.metadata.memory import MemoryMetadata
from holdfast.persist.metrics import CACHE_HITS, CACHE_MISSES, COMMITS, PARTS_INLINED
from holdfast.persist.parts import MOST_INLINE
from holdfast.persist.scrub import scrub
from holdfast.persist.shard import ShardState
from holdfast.persist.store import ENCODING_VERSION
from holdfast.repr.frontier import EMPTY, Frontier, Timestamp
from holdfast.repr.ids import ShardId
from holdfast.repr.row import TIME, RowType
from holdfast.repr.update import UpdateBatch
from tests.build import at, batch, multiset
from tests.persist.places import BLOBS, QUIET, Place, fresh_database, in_folder, in_memory, on_servers

INTS = RowType.of(("a", pa.int64()))


@pytest.fixture(params=["memory", "folder", "blobs", "servers"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    match request.param:
        case "memory":
            return in_memory()
        case "folder":
            return in_folder(tmp_path)
        case "blobs":
            return in_folder(tmp_path).of_blobs()
    return on_servers(fresh_database(request.getfixturevalue("postgres")), request.getfixturevalue("s3"))


@pytest.fixture
async def persist() -> AsyncIterator[Persist]:
    """A writer in memory."""
    async with in_memory().writer() as persist:
        yield persist


def ints(*updates: tuple[int, int, int]) -> UpdateBatch:
    return batch(INTS, [((row,), time, diff) for row, time, diff in updates])


async def values(reader: ReadHandle, time: int) -> list[int]:
    """The rows at `time`, each as often as it is there."""
    table = (await reader.rows(Timestamp(time))).table
    found = zip(table["a"].to_pylist(), table["_diff"].to_pylist(), strict=True)
    return sorted(row for row, count in found for _ in range(count))


# Collections


async def test_a_name_is_one_collection_for_whoever_opens_it(place: Place) -> None:
    async with place.writer() as persist:
        first, again = await persist.create_or_load("c", INTS), await persist.create_or_load("c", INTS)
        other = await persist.create_or_load("d", INTS)
        assert first.shard == again.shard != other.shard
    async with place.writer() as persist:
        assert (await persist.create_or_load("c", INTS)).shard == first.shard


async def test_creating_one_name_many_times_at_once_makes_one_collection(persist: Persist) -> None:
    handles = await asyncio.gather(*(persist.create_or_load("c", INTS) for _ in range(8)))
    assert len({handle.shard for handle in handles}) == 1


async def test_the_id_of_a_finalized_collection_is_never_used_again(place: Place) -> None:
    async with place.writer() as persist:
        handle = await persist.create_or_load("c", INTS)
        await handle.compare_and_append(ints((1, 0, 1)), at(0), at(1))
        with pytest.raises(UsageError, match="cannot be finalized"):
            await handle.finalize()
        await handle.seal(EMPTY)
        await handle.allow_compaction(EMPTY)
        await handle.finalize()
        assert await handle.compare_and_append(ints((1, 1, 1)), at(1), at(2)) == UpperMismatch(at(1), EMPTY)
        assert await handle.write(ints((1, 1, 1))) == UpperMismatch(at(1), EMPTY)
        with pytest.raises(UnknownCollection):
            await persist.reader("c")
        await persist.collect_garbage()
        assert not list(persist.parts.blob.list(""))
        reborn = await persist.create_or_load("c", INTS)
        assert reborn.shard > handle.shard
        assert reborn.upper == at(0)
    async with place.writer() as persist:
        assert (await persist.create_or_load("d", INTS)).shard > reborn.shard


@pytest.mark.parametrize(
    ("row_type", "key", "codec", "message"),
    [
        (RowType.of(("a", pa.string())), ["a"], "columns", "its rows are"),
        (INTS, [], "columns", "its rows are"),
        (INTS, ["a"], "other", "its codec is columns, not other"),
        (INTS, ["b"], "columns", r"columns \['b'\] cannot be in its key"),
    ],
)
async def test_opening_a_collection_as_something_else_is_refused(
    persist: Persist, row_type: RowType, key: list[str], codec: str, message: str
) -> None:
    await persist.create_or_load("c", INTS, key=["a"])
    with pytest.raises(SchemaMismatch, match=message):
        await persist.create_or_load("c", row_type, key=key, codec=codec)


async def test_what_does_not_exist_is_named(persist: Persist) -> None:
    with pytest.raises(UnknownCollection, match='collection "nothing" does not exist'):
        await persist.reader("nothing")
    with pytest.raises(UnknownCollection):
        await persist.writer("nothing")


# Writing


async def test_written_updates_show_once_the_upper_passes_them(place: Place) -> None:
    async with place.writer() as persist:
        handle = await persist.create_or_load("c", INTS)
        reader = await persist.reader("c")
        assert await handle.write(ints((1, 0, 1), (2, 3, 1), (3, 9, 1))) is None
        assert await handle.seal(at(3)) is None
        assert await values(reader, 2) == [1]
        assert await handle.compare_and_append(ints((4, 3, 1), (1, 4, -1)), at(3), at(5)) is None
        assert await values(reader, 3) == [1, 2, 4]
        assert await values(reader, 4) == [2, 4]
        assert await handle.seal(at(10)) is None
        assert await values(reader, 9) == [2, 3, 4]


async def test_a_writer_with_a_stale_upper_learns_the_current_one(place: Place) -> None:
    async with place.writer() as persist:
        handle = await persist.create_or_load("c", INTS)
        await handle.compare_and_append(ints((1, 0, 1)), at(0), at(5))
        assert await handle.compare_and_append(ints((2, 4, 1)), at(4), at(6)) == UpperMismatch(at(4), at(5))
        assert await handle.compare_and_append(ints((2, 6, 1)), at(6), at(7)) == UpperMismatch(at(6), at(5))
        assert await handle.write(ints((2, 4, 1))) == UpperMismatch(at(4), at(5))
        assert await handle.seal(at(4)) == UpperMismatch(at(4), at(5))
        reader = await persist.reader("c")
        assert await values(reader, 4) == [1]
        await persist.collect_garbage()
        assert len(handle.state.named_parts()) == 1
        assert {meta.key for meta in persist.parts.blob.list("")} == known_keys(persist.metadata)


async def test_of_many_appends_from_one_upper_exactly_one_happens(persist: Persist) -> None:
    handle = await persist.create_or_load("c", INTS)
    outcomes = await asyncio.gather(
        *(handle.compare_and_append(ints((n, 0, 1)), at(0), at(1)) for n in range(10)),
    )
    assert Counter(outcomes) == {None: 1, UpperMismatch(at(0), at(1)): 9}
    assert await values(await persist.reader("c"), 0) == [outcomes.index(None)]


async def test_updates_outside_their_append_are_refused(persist: Persist) -> None:
    handle = await persist.create_or_load("c", INTS)
    for time in (4, 7):
        with pytest.raises(UsageError, match="outside the append"):
            await handle.compare_and_append(ints((1, time, 1)), at(5), at(7))
    with pytest.raises(UsageError, match="upper cannot retreat"):
        await handle.compare_and_append(None, at(5), at(4))
    assert handle.upper == at(0)


class SlowFirstPut(MemoryBlob):
    """The first put waits until let go."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.let_go = threading.Event(), threading.Event()

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        if not self.begun.is_set():
            self.begun.set()
            assert self.let_go.wait(60)
        super().put(key, data)


async def slow_writer() -> tuple[Persist, SlowFirstPut]:
    blob = SlowFirstPut()
    place = Place(in_memory().location, MemoryMetadata(), blob).of_blobs()
    return await place.open_writer(), blob


async def test_a_seal_begun_after_a_write_that_has_not_returned_does_not_overtake_it() -> None:
    persist, blob = await slow_writer()
    async with persist:
        handle = await persist.create_or_load("c", INTS)
        writing = asyncio.create_task(handle.write(ints((1, 0, 1))))
        appending = asyncio.create_task(handle.compare_and_append(ints((2, 0, 1)), at(0), at(1)))
        sealing = asyncio.create_task(handle.seal(at(5)))
        advancing = asyncio.create_task(persist.advance_all(at(7), [handle.shard]))
        await asyncio.to_thread(blob.begun.wait)
        done, _ = await asyncio.wait([appending, sealing, advancing], timeout=0.05)
        assert not done
        blob.let_go.set()
        assert [await call for call in (writing, appending, sealing, advancing)] == [None] * 4
        assert await values(await persist.reader("c"), 6) == [1, 2]


async def test_a_cancelled_call_gives_up_its_turn_and_keeps_the_order_of_the_others() -> None:
    persist, blob = await slow_writer()
    async with persist:
        handle = await persist.create_or_load("c", INTS)
        first = asyncio.create_task(handle.write(ints((1, 0, 1))))
        second = asyncio.create_task(handle.write(ints((2, 0, 1))))
        third = asyncio.create_task(handle.seal(at(1)))
        await asyncio.to_thread(blob.begun.wait)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert not third.done()
        blob.let_go.set()
        assert [await first, await third] == [None, None]
        assert await values(await persist.reader("c"), 0) == [1]


class PausedMetadata(MemoryMetadata):
    """Commits wait while it is paused."""

    def __init__(self) -> None:
        super().__init__()
        self.running, self.reached = threading.Event(), threading.Event()
        self.running.set()

    def commit(self, commit: Commit) -> Committed | Conflict | EpochMismatch:
        if not self.running.is_set():
            self.reached.set()
            assert self.running.wait(60)
        return super().commit(commit)


async def test_the_parts_of_a_cancelled_append_are_kept_while_its_commit_is_undecided() -> None:
    metadata = PausedMetadata()
    place = Place(in_memory().location, metadata, MemoryBlob()).of_blobs()
    async with place.writer() as persist:
        handle = await persist.create_or_load("c", INTS)
        metadata.running.clear()
        appending = asyncio.create_task(handle.compare_and_append(ints((1, 0, 1)), at(0), at(1)))
        await asyncio.to_thread(metadata.reached.wait)
        appending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await appending
        assert list(persist.parts.blob.list(""))
        assert not leaked(persist.parts.blob, metadata, persist.parts.epoch, persist.parts.in_hand)
        metadata.running.set()
        assert await persist.collect_garbage() == 0
        reader = await persist.reader("c")
        await reader.wait_for_upper(Timestamp(0))
        assert await values(reader, 0) == [1]
        assert not persist.parts.in_hand


async def test_appends_to_several_collections_happen_all_or_not_at_all(place: Place) -> None:
    async with place.writer() as persist:
        one, two = [await persist.create_or_load(name, INTS) for name in ("one", "two")]
        both = persist.multi([one, two])
        await two.seal(at(3))
        outcome = await both.compare_and_append(
            [Append(one, ints((1, 0, 1)), at(0), at(1)), Append(two, ints((2, 2, 1)), at(2), at(4))]
        )
        assert outcome == UpperMismatch(at(2), at(3))
        assert (one.upper, two.upper) == (at(0), at(3))
        await persist.collect_garbage()
        assert not list(persist.parts.blob.list(""))
        assert await both.seal({one.shard: at(2), two.shard: at(2)}) == UpperMismatch(at(2), at(3))
        assert one.upper == at(0)
        assert (
            await both.compare_and_append(
                [Append(one, ints((1, 0, 1)), at(0), at(4)), Append(two, ints((2, 3, 1)), at(3), at(4))]
            )
            is None
        )
        assert await values(await persist.reader("one"), 3) == [1]
        assert await values(await persist.reader("two"), 3) == [2]
        with pytest.raises(UsageError, match="not one of this handle's"):
            await persist.multi([one]).compare_and_append([Append(two, None, at(4), at(5))])


# Reading


async def test_a_snapshot_waits_for_its_time_to_be_complete(place: Place) -> None:
    async with place.writer() as persist:
        handle = await persist.create_or_load("c", INTS)
        reader = await persist.reader("c")
        await handle.compare_and_append(ints((1, 0, 1)), at(0), at(2))
        with pytest.raises(ReadTimeout, match=r"not complete through 2: its upper is \{2\}"):
            await reader.rows(Timestamp(2), timeout=0.01)
        waiting = asyncio.create_task(reader.rows(Timestamp(2)))
        await asyncio.sleep(0)
        assert not waiting.done()
        await handle.compare_and_append(ints((2, 2, 1)), at(2), at(3))
        assert multiset(await waiting) == {((1,), 2): 1, ((2,), 2): 1}


async def test_a_cancelled_read_leaves_nothing_behind(persist: Persist) -> None:
    handle = await persist.create_or_load("c", INTS)
    reader = await persist.reader("c")
    waiting = asyncio.create_task(reader.rows(Timestamp(2)))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await handle.compare_and_append(ints((1, 0, 1)), at(0), at(3))
    snapshot = reader.snapshot(Timestamp(2))
    await anext(snapshot)
    assert reader._pins
    await snapshot.aclose()  # type: ignore[attr-defined]  # it is an async generator
    assert not reader._pins


async def test_a_read_before_since_fails_and_names_since(place: Place) -> None:
    async with place.writer() as persist:
        handle = await persist.create_or_load("c", INTS)
        await handle.compare_and_append(ints((1, 0, 1)), at(0), at(9))
        reader = await persist.reader("c", since=at(5))
        with pytest.raises(AsOfBeforeSince, match=r"cannot be read as of 4: its since is \{5\}") as raised:
            await reader.rows(Timestamp(4))
        assert raised.value.since == at(5)
        with pytest.raises(AsOfBeforeSince):
            await anext(reader.listen(Timestamp(5)))
        await handle.allow_compaction(at(7))
        assert handle.since == at(5)
        await reader.downgrade(at(6))
        assert handle.since == at(6)
        with pytest.raises(AsOfBeforeSince, match=r"as of 3: its since is \{6\}"):
            await persist.reader("c", since=at(3))
        with pytest.raises(UsageError, match="hold cannot retreat"):
            await reader.downgrade(at(5))
        with pytest.raises(UsageError, match="since cannot retreat"):
            await handle.allow_compaction(at(6))


async def test_a_finished_collection_can_be_read_to_its_end(persist: Persist) -> None:
    handle = await persist.create_or_load("c", INTS)
    await handle.compare_and_append(ints((1, 0, 1), (1, 5, -1)), at(0), EMPTY)
    reader = await persist.reader("c")
    assert await values(reader, 2**63 - 1) == []
    told = [changes async for changes in reader.subscribe(Timestamp(0))]
    assert told[-1].upper == EMPTY
    assert not total(changes.updates for changes in told)


def total(batches: Iterable[UpdateBatch]) -> Counter[Hashable]:
    """The multiplicities after all of the updates."""
    total: Counter[Hashable] = Counter()
    for part in batches:
        for (row, _), diff in multiset(part).items():
            total[row] += diff
    return Counter({row: count for row, count in total.items() if count})


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(-1, 2)))),
        st.tuples(st.just("write"), st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(-1, 2)))),
        st.tuples(st.just("compact"), st.integers(0, 3)),
        st.tuples(st.just("read"), st.integers(0, 4)),
        st.tuples(st.just("collect"), st.none()),
    ),
    max_size=24,
)


@given(steps=STEPS)
@settings(max_examples=60)
def test_subscriptions_have_no_gap_and_no_double_while_parts_are_merged_and_collected(
    steps: list[tuple[str, object]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compact, "SMALL_FAN", 2)
        asyncio.run(run_schedule(steps))


async def run_schedule(steps: list[tuple[str, object]]) -> None:
    """Random appends, merges and collections; subscribers begun on the way must all agree with snapshots."""
    async with in_memory().writer() as persist:
        handle = await persist.create_or_load("c", INTS)
        subscribers: list[Subscriber] = []
        allowed = 0
        for kind, argument in steps:
            upper = handle.upper.time or 0
            match kind, argument:
                case "append", list(updates):
                    moved = [(row, upper + time, diff) for row, time, diff in updates]
                    assert await handle.compare_and_append(ints(*moved), at(upper), at(upper + 3)) is None
                case "write", list(updates):
                    assert await handle.write(ints(*((row, upper + time, diff) for row, time, diff in updates))) is None
                case "compact", int(back):
                    allowed = max(allowed, upper - 1 - back)
                    await handle.allow_compaction(at(allowed))
                    await persist.compact("c")
                case "read", int(back) if upper:
                    as_of = max(upper - 1 - back, handle.since.time or 0)
                    subscribers.append(await Subscriber.begin(persist, as_of))
                case "collect", _:
                    await persist.collect_garbage()
            for subscriber in subscribers:
                await subscriber.catch_up(handle)
        reader = await persist.reader("c")
        final = (handle.upper.time or 0) - 1
        if final < (reader.since.time or 0):
            return
        expected = total([await reader.rows(Timestamp(final))])
        for subscriber in subscribers:
            assert total(subscriber.told) == expected
            await subscriber.end()


class Subscriber:
    """Follows a collection, checking what it is told as it comes."""

    def __init__(self, reader: ReadHandle, as_of: int) -> None:
        self.reader, self.told = reader, list[UpdateBatch]()
        self.changes = reader.subscribe(Timestamp(as_of))
        self.frontier = at(as_of)

    @classmethod
    async def begin(cls, persist: Persist, as_of: int) -> Subscriber:
        return cls(await persist.reader("c", since=at(as_of)), as_of)

    async def catch_up(self, handle: WriteHandle) -> None:
        while self.frontier != handle.upper:
            changes = await anext(self.changes)
            assert self.frontier <= changes.upper
            for time in changes.updates.table[TIME].to_pylist():
                assert self.frontier.less_equal(time)
            self.frontier = changes.upper
            self.told.append(changes.updates)
        assert self.frontier.time is not None
        now = Timestamp(self.frontier.time - 1)
        assert total(self.told) == total([await self.reader.rows(now)])
        assert total(self.told) == total([some async for some in self.reader.updates(now, ["a"])])
        await self.reader.downgrade(Frontier(now))

    async def end(self) -> None:
        await self.changes.aclose()  # type: ignore[attr-defined]  # it is an async generator


class CountingBlob(MemoryBlob):
    def __init__(self) -> None:
        super().__init__()
        self.gets = 0

    def get(self, key: str) -> pa.Buffer | None:
        self.gets += 1
        return super().get(key)


async def test_a_snapshot_of_many_parts_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of one batch hold other keys each, so the first rows are known long before the last part is read."""
    monkeypatch.setattr(encoding, "PART_BYTES", 5000)
    monkeypatch.setattr(parts_module, "GATHERED_ROWS", 0)
    monkeypatch.setattr(encoding, "SMALL_ROWS", 0)
    blob = CountingBlob()
    place = Place(in_memory().location, MemoryMetadata(), blob)
    async with place.writer(PersistSettings(compact=False, notify=False, cache_bytes=0)) as persist:
        handle = await persist.create_or_load("c", INTS)
        await handle.compare_and_append(ints(*((n, 0, 1) for n in range(4000))), at(0), at(1))
        count = len(handle.state.named_parts())
        assert count >= 10
        reader = await persist.reader("c")
        fetched = [blob.gets async for _ in reader.snapshot(Timestamp(0))]
        assert fetched[0] <= 2
        assert fetched[-1] == count
        assert await values(reader, 0) == list(range(4000))


async def test_the_cache_is_bounded_in_bytes_and_spares_the_blob_store() -> None:
    blob = CountingBlob()
    place = Place(in_memory().location, MemoryMetadata(), blob)
    async with place.writer(replace(BLOBS, cache_bytes=5000)) as persist:
        handle = await persist.create_or_load("c", INTS)
        for time in range(10):
            await handle.compare_and_append(ints((time, time, 1)), at(time), at(time + 1))
        sizes = [part.size for part in handle.state.named_parts().values()]
        assert sum(sizes) > 5000 > max(sizes)
        reader = await persist.reader("c")
        for _ in range(3):
            assert await values(reader, 9) == list(range(10))
            assert await values(reader, 0) == [0]
            assert 0 < persist.parts._cache.size <= 5000
        assert persist.metrics.counts[CACHE_HITS] > 0
        assert persist.metrics.counts[CACHE_MISSES] == blob.gets


async def test_an_append_of_few_bytes_is_one_commit_and_no_blob() -> None:
    blob = CountingBlob()
    place = Place(in_memory().location, MemoryMetadata(), blob)
    async with place.writer() as persist:
        handle = await persist.create_or_load("c", INTS)
        before = persist.metrics.counts[COMMITS]
        await handle.compare_and_append(ints((1, 0, 1)), at(0), at(1))
        await handle.write(ints((2, 1, 1), (3, 2, 1)))
        await handle.seal(at(2))
        await handle.seal(at(3))
        assert persist.metrics.counts[COMMITS] == before + 4
        assert persist.metrics.counts[PARTS_INLINED] == 2
        reader = await persist.reader("c")
        assert [await values(reader, time) for time in range(3)] == [[1], [1, 2], [1, 2, 3]]
        assert blob.gets == 0
        assert not list(blob.list(""))


async def test_what_a_collection_keeps_in_the_metadata_is_bounded_also_if_nothing_is_merged() -> None:
    most = 1000
    async with in_memory().writer(replace(QUIET, inline_bytes=most)) as persist:
        handle = await persist.create_or_load("c", INTS)
        await handle.compare_and_append(ints(*((n, 0, 1) for n in range(100))), at(0), at(1))
        assert handle.state.inline_size == 0
        for time in range(1, 200):
            await handle.write(ints((time, time, 1)))
        assert 0 < handle.state.inline_size < (MOST_INLINE + 1) * most
        assert list(persist.parts.blob.list(""))
        await handle.seal(at(200))
        assert await values(await persist.reader("c"), 199) == sorted([*range(100), *range(1, 200)])
        assert not scrub(persist.metadata, persist.parts.blob).damages


# Who may do what, and when


async def test_stopping_finishes_what_is_pending_and_refuses_what_is_new() -> None:
    persist, blob = await slow_writer()
    handle = await persist.create_or_load("c", INTS)
    reader = await persist.reader("c")
    waiting = asyncio.create_task(reader.rows(Timestamp(5)))
    pending = asyncio.create_task(handle.compare_and_append(ints((1, 0, 1)), at(0), at(1)))
    await asyncio.to_thread(blob.begun.wait)
    stopping = asyncio.create_task(persist.stop())
    await asyncio.sleep(0)
    with pytest.raises(Stopped):
        await handle.seal(at(3))
    blob.let_go.set()
    assert await pending is None
    await stopping
    with pytest.raises(Stopped):
        await waiting
    for call in (handle.write(ints((1, 1, 1))), persist.reader("c"), persist.create_or_load("d", INTS)):
        with pytest.raises(Stopped):
            await call
    await persist.stop()
    again = Place(in_memory().location, persist.metadata, blob)
    async with await again.open_writer() as persist:
        assert await values(await persist.reader("c"), 0) == [1]
        (owner, _) = (await persist.writer("c")).state.readers
        assert owner.label == "owner"


async def test_stopping_does_not_wait_for_a_blob_store_that_is_down() -> None:
    blob = FailingBlob()
    persist = await Place(in_memory().location, MemoryMetadata(), blob).of_blobs().open_writer()
    handle = await persist.create_or_load("c", INTS)
    pending = asyncio.create_task(handle.compare_and_append(ints((1, 0, 1)), at(0), at(1)))
    await asyncio.to_thread(blob.tried.wait)
    await persist.stop()
    with pytest.raises(BlobUnavailable):
        await pending


class FailingBlob(MemoryBlob):
    def __init__(self) -> None:
        super().__init__()
        self.tried = threading.Event()

    def put(self, key: str, data: bytes | pa.Buffer) -> None:  # noqa: ARG002  # nothing is taken
        self.tried.set()
        raise BlobUnavailable(self.url, "put", key, "it is down")


async def test_a_read_only_instance_refuses_to_change_a_collection(place: Place) -> None:
    async with place.writer() as writer:
        handle = await writer.create_or_load("c", INTS)
        await handle.compare_and_append(ints((1, 0, 1)), at(0), at(1))
        for independent in (False, True):
            async with await place.open_reader(independent=independent) as persist:
                assert await values(await persist.reader("c"), 0) == [1]
                for call in (persist.create_or_load("d", INTS), persist.writer("c"), persist.compact("c")):
                    with pytest.raises(ReadOnly):
                        await call
                with pytest.raises(ReadOnly):
                    await persist.collect_garbage()
                with pytest.raises(ReadOnly):
                    persist.multi([])


async def test_a_second_writer_is_told_who_holds_the_lock(place: Place) -> None:
    async with await place.open_writer():
        for reentrance_id in (None, "other"):
            with pytest.raises(LockHeld, match=r"locked by another writer: process \d+ on "):
                await place.open_writer(reentrance_id)
    async with await place.open_writer("again"):
        pass


async def test_a_writer_that_takes_over_fences_the_one_before(place: Place) -> None:
    first = await place.open_writer("same")
    handle = await first.create_or_load("c", INTS)
    await handle.compare_and_append(ints((1, 0, 1)), at(0), at(1))
    async with await place.open_writer("same") as second:
        with pytest.raises(Fenced, match=r"epoch 1\) was fenced by a later one \(epoch 2") as fenced:
            await handle.compare_and_append(ints((2, 1, 1)), at(1), at(2))
        assert "The store is now held by process" in str(fenced.value.detail)
        for call in (handle.allow_compaction(at(1)), handle.seal(at(9)), first.reader("c")):
            with pytest.raises(Fenced):
                await call
        with pytest.raises(Fenced):
            await first.collect_garbage()
        other = await second.writer("c")
        assert (other.since, other.upper) == (at(0), at(1))
        assert await other.compare_and_append(ints((3, 1, 1)), at(1), at(2)) is None
        assert await values(await second.reader("c"), 1) == [1, 3]
        await first.stop()
        assert await other.seal(at(3)) is None


async def test_two_writers_that_race_under_one_reentrance_id_lose_nothing_acknowledged(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    await (await place.open_writer("same")).stop()
    acknowledged: list[int] = []

    async def write(number: int) -> None:
        persist = await place.open_writer("same")
        try:
            handle = await persist.create_or_load("c", INTS)
            for value in range(number * 100, number * 100 + 10):
                upper = handle.upper.time or 0
                if await handle.compare_and_append(ints((value, upper, 1)), at(upper), at(upper + 1)) is None:
                    acknowledged.append(value)
        except Fenced:
            pass
        finally:
            await persist.stop()

    await asyncio.gather(*(write(number) for number in range(4)))
    async with await place.open_writer("same") as persist:
        reader = await persist.reader("c")
        assert await values(reader, (reader.upper.time or 0) - 1) == sorted(acknowledged)
        assert len(acknowledged) >= 10


class ForgetfulMetadata(MemoryMetadata):
    """The answer to the first commit is lost."""

    def __init__(self) -> None:
        super().__init__()
        self.lost = False

    def commit(self, commit: Commit) -> Committed | Conflict | EpochMismatch:
        outcome = super().commit(commit)
        if not self.lost:
            self.lost = True
            raise MetadataOutcomeUnknown("the answer was lost")
        return outcome


async def test_a_writer_that_missed_the_answer_finds_that_it_holds_the_lock_itself() -> None:
    place = Place(in_memory().location, ForgetfulMetadata(), MemoryBlob())
    async with await place.open_writer() as persist:
        assert persist.committer.store.epoch == 1
        await persist.create_or_load("c", INTS)


class OvertakenMetadata(MemoryMetadata):
    """Just before the lock is taken over, its holder creates a collection."""

    def __init__(self) -> None:
        super().__init__()
        self.armed = False

    def commit(self, commit: Commit) -> Committed | Conflict | EpochMismatch:
        store = self.store()
        if self.armed and commit.store is not None and commit.store.epoch != store.epoch:
            self.armed = False
            created = ShardState(store.next_shard, "c", "columns", ("a",), (INTS,))
            taken = replace(store, next_shard=ShardId(store.next_shard + 1))
            assert isinstance(super().commit(Commit(store.epoch, taken, (Change(None, created),))), Committed)
        return super().commit(commit)


async def test_a_collection_created_while_the_lock_is_taken_over_keeps_its_id() -> None:
    metadata = OvertakenMetadata()
    place = Place(in_memory().location, metadata, MemoryBlob())
    first = await place.open_writer("same")
    metadata.armed = True
    async with await place.open_writer("same") as second:
        assert metadata.store().next_shard == 2
        assert (await second.create_or_load("c", INTS)).shard == 1
        assert (await second.create_or_load("d", INTS)).shard == 2
    await first.stop()


async def test_a_store_of_a_later_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    async with place.writer():
        pass
    metadata = place.location.open_metadata(read_only=False)
    store = metadata.store()
    metadata.commit(Commit(store.epoch, replace(store, encoding_version=ENCODING_VERSION + 1), ()))
    metadata.close()
    before = (tmp_path / "metadata.db").read_bytes()
    for opening in (place.open_writer, place.open_reader):
        with pytest.raises(NewerEncoding, match="encoding version 3, this program knows versions up to 2"):
            await opening()
    assert (tmp_path / "metadata.db").read_bytes() == before


# Codecs and schemas


def json_bytes(value: object) -> bytes:
    return json.dumps(value).encode()


PAIRS: PairCodec[str, dict[str, int]] = PairCodec("json-pairs", str.encode, bytes.decode, json_bytes, json.loads)


async def test_a_codec_gives_back_what_was_put_in(place: Place) -> None:
    async with place.writer() as persist:
        pairs = await CodecCollection.open(persist, "pairs", PAIRS)
        await pairs.compare_and_append([(("a", {"x": 1}), 0, 2), (("é", {}), 0, 1)], at(0), at(1))
        await pairs.compare_and_append([(("a", {"x": 1}), 1, -1)], at(1), at(2))
        assert sorted(await pairs.values(Timestamp(1)), key=str) == [(("a", {"x": 1}), 1), (("é", {}), 1)]
    async with place.writer() as persist:
        pairs = await CodecCollection.open(persist, "pairs", PAIRS)
        assert len(await pairs.values(Timestamp(0))) == 2
        with pytest.raises(SchemaMismatch, match="its codec is json-pairs, not other"):
            await CodecCollection.open(persist, "pairs", replace(PAIRS, name="other"))
        with pytest.raises(SchemaMismatch, match="its codec is json-pairs, not columns"):
            await persist.create_or_load("pairs", PAIRS.row_type, key=["key"])


OLD = RowType.of(("a", pa.int64()), ("b", pa.string()))
NEW = RowType.of(("a", pa.int64()), ("b", pa.string()), ("c", pa.float64()))


@pytest.mark.parametrize("merged", [False, True])
async def test_old_rows_are_read_with_nulls_in_the_columns_that_came_later(
    place: Place, merged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compact, "SMALL_FAN", 2)
    async with place.writer() as persist:
        handle = await persist.create_or_load("c", OLD, key=["a"])
        await handle.compare_and_append(batch(OLD, "1, 'x' | 0 | 1\n2, 'y' | 0 | 1"), at(0), at(1))
        reader = await persist.reader("c")
        with pytest.raises(SchemaMismatch, match="only nullable columns can be appended"):
            await handle.evolve(RowType.of(("b", pa.string())))
        await handle.evolve(NEW)
        await handle.compare_and_append(batch(NEW, "3, 'z', 0.5 | 1 | 1\n1, 'x', None | 1 | -1"), at(1), at(2))
        await handle.compare_and_append(batch(OLD, "4, 'w' | 2 | 1\n2, 'y' | 2 | -1"), at(2), at(3))
        if merged:
            await handle.allow_compaction(at(1))
            assert await persist.compact("c")
        assert multiset(await reader.rows(Timestamp(2))) == {((3, "z", 0.5), 2): 1, ((4, "w", None), 2): 1}
        some = [piece async for piece in reader.updates(Timestamp(2), ["c", "a"])]
        assert multiset(UpdateBatch.concat(some[0].row_type, some)) == {((0.5, 3), 2): 1, ((None, 4), 2): 1}
        assert not scrub(persist.metadata, persist.parts.blob).damages
        with pytest.raises(SchemaMismatch, match="its rows are"):
            await handle.write(batch(INTS, "1 | 5 | 1"))
    async with place.writer() as persist:
        for row_type in (OLD, NEW):
            assert (await persist.create_or_load("c", row_type, key=["a"])).row_type == NEW


# Appends that do more, and the ends of collections


async def test_an_append_may_bring_a_column_and_let_history_go_in_its_one_transaction(place: Place) -> None:
    wider = RowType.of(("a", pa.int64()), ("b", pa.string()))
    async with place.writer() as persist:
        one, two = [await persist.create_or_load(name, INTS) for name in ("one", "two")]
        commits = persist.metrics.counts[COMMITS]
        appends = [
            Append(one, batch(INTS, "1 | 0 | +1"), at(0), at(5), row_type=wider, since=at(4)),
            Append(two, batch(INTS, "2 | 0 | +1"), at(0), at(5)),
        ]
        assert await persist.multi([one, two]).compare_and_append(appends) is None
        assert persist.metrics.counts[COMMITS] == commits + 1
        assert (one.row_type, one.since, one.upper) == (wider, at(4), at(5))
        assert (two.row_type, two.since, two.upper) == (INTS, at(0), at(5))
        reader = await persist.reader("one")
        assert multiset(await reader.rows(Timestamp(4))) == Counter({((1, None), 4): 1})


async def test_an_append_that_comes_too_late_brings_no_column_either(place: Place) -> None:
    async with place.writer() as persist:
        one = await persist.create_or_load("one", INTS)
        await one.seal(at(3))
        wider = RowType.of(("a", pa.int64()), ("b", pa.string()))
        append = Append(one, None, at(0), at(5), row_type=wider, since=at(2))
        assert await persist.multi([one]).compare_and_append([append]) == UpperMismatch(at(0), at(3))
        assert (one.row_type, one.since, one.upper) == (INTS, at(0), at(3))


async def test_writers_of_many_collections_are_found_together(place: Place) -> None:
    async with place.writer() as persist:
        for name in ("one", "two"):
            await (await persist.create_or_load(name, INTS)).seal(at(7))
        assert sorted(await persist.names()) == ["one", "two"]
    async with place.writer() as persist:
        found = await persist.writers(["one", "two", "three"])
        assert {name: handle.upper for name, handle in found.items()} == {"one": at(7), "two": at(7)}
        assert await found["one"].compare_and_append(batch(INTS, "1 | 7 | +1"), at(7), at(8)) is None


async def test_a_dropped_collection_leaves_no_parts_and_frees_its_name(place: Place) -> None:
    async with place.writer() as persist:
        one = await persist.create_or_load("one", INTS)
        await one.compare_and_append(batch(INTS, "1 | 0 | +1"), at(0), at(1))
        async with await place.open_reader() as other:
            reader = await other.reader("one")
            assert not await persist.drop(one)
            assert multiset(await reader.rows(Timestamp(0))) == Counter({((1,), 0): 1})
        assert await persist.drop(one)
        assert list(persist.parts.blob.list("")) == []
        assert await persist.names() == []
        again = await persist.create_or_load("one", INTS)
        assert again.shard != one.shard
        assert again.upper == at(0)
