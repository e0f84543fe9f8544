"""Stores written by earlier versions, kept as files: this version reads them, finds them sound, and writes on."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.persist import Location
from holdfast.persist.encoding import SMALL_ROWS
from holdfast.persist.errors import LockHeld
from holdfast.persist.metadata import Commit, Committed
from holdfast.persist.scrub import scrub
from holdfast.persist.store import ENCODING_VERSION, Lock
from holdfast.repr.frontier import Timestamp
from tests.build import at, batch, multiset
from tests.persist.make_kept_store import CURRENT, DATA, ORDERS, ORDERS_LATER, contents, write
from tests.persist.places import in_folder

pytestmark = pytest.mark.usefixtures("eager_merges")

VERSIONS = sorted(path.name for path in DATA.iterdir())


@pytest.fixture(params=VERSIONS)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy: what is kept is never written to."""
    return Path(shutil.copytree(DATA / request.param, tmp_path / request.param))


def test_there_is_a_store_of_the_first_version() -> None:
    assert "v1" in VERSIONS


async def test_a_kept_store_has_the_contents_it_was_kept_with(kept: Path) -> None:
    assert await contents(kept) == json.loads((kept / "expected.json").read_text())


def test_the_kept_parts_of_the_first_version_are_small_and_sorted_all_the_same(tmp_path: Path) -> None:
    """A store made anew would not show that these are still read."""
    folder = shutil.copytree(DATA / "v1", tmp_path / "v1")
    metadata = Location.in_folder(folder).open_metadata(read_only=True)
    states = metadata.load([summary.id for summary in metadata.summaries()])
    metadata.close()
    parts = [part for state in states.values() for part in state.named_parts().values()]
    assert parts
    assert all(part.is_sorted and part.rows < SMALL_ROWS for part in parts)


def test_the_kept_parts_of_the_second_version_are_blobs_and_inline(tmp_path: Path) -> None:
    folder = shutil.copytree(DATA / "v2", tmp_path / "v2")
    metadata = Location.in_folder(folder).open_metadata(read_only=True)
    states = metadata.load([summary.id for summary in metadata.summaries()])
    metadata.close()
    parts = [part for state in states.values() for part in state.named_parts().values()]
    assert {part.inline is None for part in parts} == {True, False}


async def test_readers_leave_a_store_of_the_first_version_as_it_is(tmp_path: Path) -> None:
    """Its writer may be a program of that version, and still at work."""
    place = in_folder(shutil.copytree(DATA / "v1", tmp_path / "v1"))
    for independent in (True, False):
        async with await place.open_reader(independent=independent) as persist:
            assert multiset(await (await persist.reader("drafts")).rows(Timestamp(4))) == {((1, "shown"), 4): 1}
            assert persist.metadata.store().encoding_version == 1
    assert "inline" not in part_columns(tmp_path / "v1")


async def test_a_writer_makes_a_store_of_the_first_version_one_of_its_own(tmp_path: Path) -> None:
    place = in_folder(shutil.copytree(DATA / "v1", tmp_path / "v1"))
    async with await place.open_reader() as reading:
        reader = await reading.reader("drafts")
        async with place.writer() as persist:
            assert persist.metadata.store().encoding_version == ENCODING_VERSION
            drafts = await persist.writer("drafts")
            assert await drafts.compare_and_append(batch(ORDERS, "3, 'new' | 8 | 1"), at(5), at(9)) is None
            assert drafts.state.inline_size
        # A reader that has seen the store as it was goes on.
        shown = multiset(await reader.rows(Timestamp(8), timeout=30))
        assert shown == {((1, "shown"), 8): 1, ((2, "not yet"), 8): 1, ((3, "new"), 8): 1}
    assert "inline" in part_columns(tmp_path / "v1")
    async with place.writer() as persist:
        assert multiset(await (await persist.reader("drafts")).rows(Timestamp(8))) == shown
        assert not scrub(persist.metadata, persist.parts.blob).damages


async def test_a_writer_that_does_not_get_the_lock_leaves_a_store_of_the_first_version_as_it_is(tmp_path: Path) -> None:
    folder = shutil.copytree(DATA / "v1", tmp_path / "v1")
    metadata = Location.in_folder(folder).open_metadata(read_only=False)
    store = metadata.store()
    locked = replace(store, lock=Lock("a program of the first version", None))
    assert isinstance(metadata.commit(Commit(store.epoch, locked, ())), Committed)
    with pytest.raises(LockHeld):
        await in_folder(folder).open_writer("another")
    assert metadata.store().encoding_version == 1
    metadata.close()
    assert "inline" not in part_columns(folder)


def part_columns(folder: Path) -> set[str]:
    with closing(sqlite3.connect(folder / "metadata.db")) as connection:
        return {name for _, name, *_ in connection.execute("PRAGMA table_info(part)")}


async def test_this_version_writes_a_store_of_the_same_contents(tmp_path: Path) -> None:
    await write(tmp_path / "now")
    assert await contents(tmp_path / "now") == json.loads((CURRENT / "expected.json").read_text())


async def test_a_kept_store_is_sound(kept: Path) -> None:
    location = Location.in_folder(kept)
    metadata = location.open_metadata(read_only=True)
    report = scrub(metadata, location.blob.open())
    metadata.close()
    assert report.shards == 4
    assert (report.damages, report.unnamed) == ((), ())


async def test_a_kept_store_is_written_on(kept: Path) -> None:
    async with in_folder(kept).writer() as persist:
        drafts = await persist.writer("drafts")
        assert await drafts.compare_and_append(batch(ORDERS, "3, 'new' | 8 | 1"), at(5), at(9)) is None
        shown = multiset(await (await persist.reader("drafts")).rows(Timestamp(8)))
        assert shown == {((1, "shown"), 8): 1, ((2, "not yet"), 8): 1, ((3, "new"), 8): 1}
        orders = await persist.create_or_load("orders", ORDERS_LATER, key=["id"])
        reader = await persist.reader("orders", since=at(29))
        before = multiset(await reader.rows(Timestamp(29)))
        await orders.allow_compaction(at(29))
        assert await persist.compact("orders")
        await persist.collect_garbage()
        assert multiset(await reader.rows(Timestamp(29))) == before
        assert (await persist.create_or_load("gone", ORDERS)).shard > orders.shard
        assert not scrub(persist.metadata, persist.parts.blob).damages
