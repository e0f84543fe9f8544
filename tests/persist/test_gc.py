"""Garbage collection: what nobody can need goes, all else stays, wherever it is interrupted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from holdfast import failpoint
from holdfast.persist import Persist, WriteHandle
from holdfast.persist.blob import Blob
from holdfast.persist.encoding import Stage
from holdfast.persist.gc import known_keys, leaked
from holdfast.persist.scrub import scrub
from holdfast.repr.frontier import EMPTY
from tests.build import at
from tests.persist.numbers import NUMBERS, append, contents_at, create, rows_at
from tests.persist.places import Place, in_folder

pytestmark = pytest.mark.usefixtures("eager_merges")

LAST = 12


@pytest.fixture
async def place(tmp_path: Path) -> Place:
    return in_folder(tmp_path).of_blobs()


@pytest.fixture
async def persist(place: Place) -> AsyncIterator[Persist]:
    """A writer whose store has retired parts."""
    async with place.writer() as persist:
        numbers, others = await create(persist)
        for time in range(1, LAST + 1):
            await append(persist, numbers, others, time)
        await numbers.allow_compaction(at(5))
        assert await persist.compact(NUMBERS)
        yield persist
        failpoint.install(None)


def keys(blob: Blob) -> set[str]:
    return {meta.key for meta in [*blob.list(""), *blob.list_leftovers()]}


async def check_whole(persist: Persist) -> None:
    assert not scrub(persist.metadata, persist.parts.blob).damages
    reader = await persist.reader(NUMBERS)
    for time in range(5, LAST + 1):
        assert await rows_at(reader, time) == contents_at(time)
    await reader.close()


async def test_parts_that_were_merged_go_and_those_that_are_named_stay(persist: Persist) -> None:
    numbers = await persist.writer(NUMBERS)
    retired = {old.part.key for old in numbers.state.retired}
    assert len(retired) == LAST
    assert await persist.collect_garbage() == LAST
    assert not numbers.state.retired
    assert keys(persist.parts.blob) == known_keys(persist.metadata)
    assert not keys(persist.parts.blob) & retired
    assert await persist.collect_garbage() == 0
    await check_whole(persist)


async def test_parts_without_blobs_are_gone_as_soon_as_they_are_merged(tmp_path: Path) -> None:
    async with in_folder(tmp_path).writer() as persist:
        numbers, others = await create(persist)
        for time in range(1, LAST + 1):
            await append(persist, numbers, others, time)
        assert not keys(persist.parts.blob)
        await numbers.allow_compaction(at(5))
        assert await persist.compact(NUMBERS)
        assert not numbers.state.retired
        assert numbers.state.inline_size == 0 < others.state.inline_size
        assert keys(persist.parts.blob) == numbers.state.named_parts().keys()
        assert await persist.collect_garbage() == 0
        await check_whole(persist)


async def test_blobs_of_writers_long_gone_and_of_abandoned_stages_go(place: Place, persist: Persist) -> None:
    await persist.collect_garbage()
    named = keys(persist.parts.blob)
    old = Stage((await persist.writer(NUMBERS)).shard, persist.parts.epoch - 1, "0" * 32)
    abandoned = Stage(old.shard, persist.parts.epoch, "1" * 32)
    for stage in (old, abandoned):
        persist.parts.blob.put(stage.key("0"), b"leaked")
    put_unfinished(place, f"{old.key('1')}.tmp-{'2' * 32}")
    assert len(keys(persist.parts.blob)) == len(named) + 3
    assert await persist.collect_garbage() == 3
    assert keys(persist.parts.blob) == named


async def test_stages_in_hand_later_writers_and_files_of_others_are_left_alone(place: Place, persist: Persist) -> None:
    await persist.collect_garbage()
    blob, shard = persist.parts.blob, (await persist.writer(NUMBERS)).shard
    later = Stage(shard, persist.parts.epoch + 1, "3" * 32).key("0")
    foreign = ["notes.txt", "s1/readme.parquet", "backup/s1/e0-00-0.parquet.copy", "s1/e0-0f-0.parquet.orig/x"]
    for key in (later, *foreign):
        blob.put(key, b"not garbage")
    with persist.parts.stage(shard) as stage:
        blob.put(stage.key("0"), b"in hand")
        unfinished = f"{stage.key('1')}.tmp-{'4' * 32}"
        put_unfinished(place, unfinished)
        assert await persist.collect_garbage() == 0
        assert {stage.key("0"), unfinished, later, *foreign} <= keys(blob)
    assert await persist.collect_garbage() == 2
    assert {later, *foreign} <= keys(blob)


def put_unfinished(place: Place, name: str) -> None:
    """What a put that died leaves behind."""
    path = Path(place.location.blob.url.removeprefix("file://")) / name
    path.write_bytes(b"half")


async def test_a_stage_held_twice_is_in_hand_until_both_have_let_go(persist: Persist) -> None:
    shard = (await persist.writer(NUMBERS)).shard
    with persist.parts.stage(shard) as stage:
        persist.parts.blob.put(stage.key("0"), b"staged")
        with persist.parts.hold(stage.id):
            pass
        assert not leaks(persist)
    assert leaks(persist) == [stage.key("0")]


def leaks(persist: Persist) -> list[str]:
    found = leaked(persist.parts.blob, persist.metadata, persist.parts.epoch, persist.parts.in_hand)
    return [meta.key for meta in found]


class Interrupted(Exception):
    """The collection is cut short here."""


@pytest.mark.parametrize(
    ("name", "nth"),
    [
        *(
            (place, nth)
            for place in ("blob_delete_before", "blob_delete_after", "gc_blob_deleted")
            for nth in (1, 5, 12)
        ),
        ("metadata_commit_before", 1),
        ("metadata_commit_after", 1),
    ],
)
async def test_a_collection_interrupted_anywhere_and_run_again_ends_the_same(
    persist: Persist, name: str, nth: int
) -> None:
    numbers = await persist.writer(NUMBERS)
    expected = keys(persist.parts.blob) - {old.part.key for old in numbers.state.retired}
    stop_at(name, nth)
    with pytest.raises(Exception, match="cut short"):
        await persist.collect_garbage()
    failpoint.install(None)
    await check_whole(persist)
    await persist.collect_garbage()
    await check_collected(persist, numbers, expected)


def stop_at(name: str, nth: int) -> None:
    left = nth

    def hook(reached: str) -> None:
        nonlocal left
        left -= reached == name
        if reached == name and left == 0:
            raise Interrupted("cut short")

    failpoint.install(hook)


async def check_collected(persist: Persist, numbers: WriteHandle, expected: set[str]) -> None:
    await numbers.seal(at(LAST + 5))
    assert keys(persist.parts.blob) == expected == known_keys(persist.metadata)
    assert not numbers.state.retired
    await check_whole(persist)


async def test_the_parts_of_a_finalized_collection_go(persist: Persist) -> None:
    numbers = await persist.writer(NUMBERS)
    await numbers.seal(EMPTY)
    await numbers.allow_compaction(EMPTY)
    await numbers.finalize()
    await persist.collect_garbage()
    assert not list(persist.parts.blob.list(f"s{numbers.shard}/"))
    assert list(persist.parts.blob.list(""))
