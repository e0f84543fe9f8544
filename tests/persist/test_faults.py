"""Stores that are damaged, full, locked, slow or away.

Damage is an error that names the part, never an answer. A store that is away is waited for: an append returns once
it is durable, and not before.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.persist import Location, Persist, ReadHandle
from holdfast.persist.blob.contract import BlobUnavailable
from holdfast.persist.blob.memory import MemoryBlob
from holdfast.persist.errors import CorruptPart
from holdfast.persist.metadata.memory import MemoryMetadata
from holdfast.persist.metrics import RETRIES
from holdfast.repr.frontier import Timestamp
from tests.build import at
from tests.persist.child import REENTRANCE
from tests.persist.conftest import S3Server
from tests.persist.numbers import NUMBERS, OTHERS, append, batch_at, contents_at, counted, create, rows_at
from tests.persist.places import Place, fresh_database, in_folder, in_memory, on_servers
from tests.persist.processes import Child, child
from tests.postgres import PostgresServer

pytestmark = pytest.mark.usefixtures("eager_merges")


async def fill(place: Place, count: int = 5) -> None:
    async with await place.open_writer(REENTRANCE) as persist:
        numbers, others = await create(persist)
        for time in range(1, count + 1):
            await append(persist, numbers, others, time)


def part_of(location: Location, persist: Persist, name: str, number: int = 0) -> Path:
    """The file of one part of a collection."""
    (shard,) = persist.metadata.find([name]).values()
    key = sorted(persist.metadata.load([shard])[shard].named_parts())[number]
    path = location.blob.open().local_path(key)
    assert path is not None
    return path


async def check_refused(place: Place, name: str, reason: str) -> None:
    """The damaged collection gives an error that names shard and part, no rows; the other one is as it was."""
    async with await place.open_reader() as persist:
        reader = await persist.reader(NUMBERS)
        message = rf"part s1/{name} of shard 1 is damaged: {reason}"
        for reading in (rows_at(reader, 5), changes_until(reader, 6)):
            with pytest.raises(CorruptPart, match=message):
                await reading
        assert await rows_at(await persist.reader(OTHERS), 5) == contents_at(5)


async def changes_until(reader: ReadHandle, upper: int) -> None:
    async for changes in reader.listen(Timestamp(1)):
        assert changes.upper != at(upper)


@given(position=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_bit_anywhere_in_a_part_is_an_error_that_names_it(
    damaged_store: Place, position: float, bit: int
) -> None:
    async def check() -> None:
        async with await damaged_store.open_reader(independent=True) as persist:
            path = part_of(damaged_store.location, persist, NUMBERS)
        whole = path.read_bytes()
        broken = bytearray(whole)
        broken[int(position * len(broken))] ^= 1 << bit
        path.write_bytes(broken)
        try:
            await check_refused(damaged_store, path.name, "its checksum is wrong")
        finally:
            path.write_bytes(whole)

    asyncio.run(check())


@pytest.fixture(scope="module")
def damaged_store(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = in_folder(tmp_path_factory.mktemp("damaged")).of_blobs()
    asyncio.run(fill(place))
    return place


@pytest.mark.parametrize("left", [0, 1, 500])
async def test_a_truncated_part_is_an_error_that_names_it(tmp_path: Path, left: int) -> None:
    place = in_folder(tmp_path).of_blobs()
    await fill(place)
    async with await place.open_reader(independent=True) as persist:
        path = part_of(place.location, persist, NUMBERS, 2)
    size = path.stat().st_size
    os.truncate(path, left)
    await check_refused(place, path.name, f"it has {left} bytes, not {size}")


async def test_a_missing_part_is_an_error_that_names_it_and_not_a_shorter_answer(tmp_path: Path) -> None:
    place = in_folder(tmp_path).of_blobs()
    await fill(place)
    async with await place.open_reader(independent=True) as persist:
        path = part_of(place.location, persist, NUMBERS, 1)
    path.unlink()
    await check_refused(place, path.name, "it is missing")
    async with await place.open_writer(REENTRANCE) as persist:
        numbers, _ = await create(persist)
        assert await numbers.compare_and_append(batch_at(6), at(6), at(7)) is None


@given(position=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_flipped_bit_anywhere_in_a_part_in_the_metadata_is_an_error_that_names_it(
    damaged_metadata: Place, position: float, bit: int
) -> None:
    key, whole = inline_part(damaged_metadata)
    broken = bytearray(whole)
    broken[int(position * len(broken))] ^= 1 << bit
    set_inline(damaged_metadata, key, bytes(broken))
    asyncio.run(check_refused(damaged_metadata, key.removeprefix("s1/"), "its checksum is wrong"))
    set_inline(damaged_metadata, key, whole)


@pytest.mark.parametrize("left", [0, 1, 200, None])
async def test_a_part_cut_short_or_gone_in_the_metadata_is_an_error_that_names_it(
    tmp_path: Path, left: int | None
) -> None:
    place = in_folder(tmp_path)
    await fill(place)
    key, whole = inline_part(place)
    set_inline(place, key, None if left is None else whole[:left])
    reason = "it is missing" if left is None else f"it has {left} bytes, not {len(whole)}"
    await check_refused(place, key.removeprefix("s1/"), reason)
    async with await place.open_writer(REENTRANCE) as persist:
        numbers, _ = await create(persist)
        assert await numbers.compare_and_append(batch_at(6), at(6), at(7)) is None


@pytest.fixture(scope="module")
def damaged_metadata(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = in_folder(tmp_path_factory.mktemp("damaged"))
    asyncio.run(fill(place))
    return place


def inline_part(place: Place) -> tuple[str, bytes]:
    """The first part of the first collection, and its bytes in the metadata."""
    with closing(sqlite3.connect(place.location.metadata.removeprefix("sqlite://"))) as connection:
        row = connection.execute("SELECT part, inline FROM part WHERE shard = 1 ORDER BY min_time").fetchone()
    return str(row[0]), bytes(row[1])


def set_inline(place: Place, key: str, data: bytes | None) -> None:
    with closing(sqlite3.connect(place.location.metadata.removeprefix("sqlite://"))) as connection, connection:
        assert connection.execute("UPDATE part SET inline = ? WHERE part = ?", (data, key)).rowcount == 1


async def test_a_merge_of_a_damaged_part_fails_and_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = in_folder(tmp_path).of_blobs()
    await fill(place, 10)
    async with await place.open_writer(REENTRANCE) as persist:
        path = part_of(place.location, persist, NUMBERS, 3)
        whole = path.read_bytes()
        path.write_bytes(whole[:-1] + b"?")
        numbers = await persist.writer(NUMBERS)
        before = numbers.state.batches
        await numbers.allow_compaction(at(10))
        with pytest.raises(CorruptPart, match=path.name):
            await persist.compact(NUMBERS)
        assert numbers.state.batches == before
        path.write_bytes(whole)
        assert await persist.compact(NUMBERS)
        assert await rows_at(await persist.reader(NUMBERS), 10) == contents_at(10)
    assert not caplog.records


class FlakyBlob(MemoryBlob):
    """Every call fails so often before it is done."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures, self._left = failures, failures

    def _fail(self, action: str, key: str) -> None:
        if self._left:
            self._left -= 1
            raise BlobUnavailable(self.url, action, key, "try again")
        self._left = self.failures

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        self._fail("put", key)
        super().put(key, data)

    def delete(self, key: str) -> None:
        self._fail("delete", key)
        super().delete(key)


async def test_a_blob_store_that_fails_now_and_then_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    place = Place(in_memory().location, MemoryMetadata(), FlakyBlob(4)).of_blobs()
    with caplog.at_level(logging.WARNING, "holdfast.persist.retry"):
        async with place.writer() as persist:
            numbers, others = await create(persist)
            for time in range(1, 10):
                assert await append(persist, numbers, others, time) is None
            await numbers.allow_compaction(at(9))
            assert await persist.compact(NUMBERS)
            assert await persist.collect_garbage()
            assert await rows_at(await persist.reader(NUMBERS), 9) == contents_at(9)
            assert persist.metrics.counts[RETRIES] >= 4 * 18
    assert {record.message for record in caplog.records} == {"store call failed, will retry"}
    assert any("try again" in str(getattr(record, "reason", "")) for record in caplog.records)


class SlowBlob(MemoryBlob):
    def get(self, key: str) -> pa.Buffer | None:
        self._pause()
        return super().get(key)

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        self._pause()
        super().put(key, data)

    def _pause(self) -> None:
        asyncio.run(asyncio.sleep(0.01))


async def test_a_slow_blob_store_is_only_slow() -> None:
    place = Place(in_memory().location, MemoryMetadata(), SlowBlob()).of_blobs()
    async with place.writer() as persist:
        numbers, others = await create(persist)
        calls = [append(persist, numbers, others, time) for time in range(1, 9)]
        assert await asyncio.gather(*calls) == [None] * 8
        await numbers.allow_compaction(at(8))
        reader = await persist.reader(NUMBERS)
        reading = asyncio.create_task(rows_at(reader, 8))
        await persist.compact(NUMBERS)
        await persist.collect_garbage()
        assert await reading == contents_at(8)


@asynccontextmanager
async def waiting_append(location: Location, file_size: int, reason: str) -> AsyncIterator[Child]:
    """A process whose append waits for the store, and has said so."""
    settings = {"inline_bytes": 0} if reason == "blob store" else {}
    async with child("lasting_append", location, file_size=file_size, settings=settings) as process:
        assert await process.says() == {"ready": True}
        reported = await process.says()
        assert reported["logged"] == "store call failed, will retry"
        assert reported["reason"].startswith(reason)
        yield process


async def goes_on(process: Child) -> None:
    """The append has not been acknowledged while the store was away; now it is, once."""
    lines = []
    process.tell()
    while "upper" not in (line := await process.says()):
        lines.append(line)
    assert line == {"acked": True, "upper": 7}
    (stuck,) = [line for line in lines if "retries" in line]
    assert not stuck["acked"]
    assert stuck["retries"]
    assert await process.rest() == []
    assert await process.ended() == 0


async def check_once(place: Place) -> None:
    async with await place.open_writer(REENTRANCE) as persist:
        numbers, _ = await create(persist)
        assert numbers.upper == at(7)
        assert await rows_at(await persist.reader(NUMBERS), 6) == contents_at(6)


@pytest.mark.parametrize(("room", "reason"), [(300, "blob store"), (3000, "metadata file")])
async def test_an_append_to_a_full_disk_waits_for_room(tmp_path: Path, room: int, reason: str) -> None:
    """No file of the process may grow beyond so many bytes: as with a full disk, writing fails."""
    place = in_folder(tmp_path)
    await fill(place)
    # A part takes some 700 bytes. One that fits leaves the metadata, whose log begins with a header and a page of 4 kB.
    async with waiting_append(place.location, room, reason) as process:
        async with await place.open_reader(independent=True) as persist:
            assert await rows_at(await persist.reader(NUMBERS), 5) == contents_at(5)
            assert (await persist.reader(NUMBERS)).upper == at(6)
        await goes_on(process)
    await check_once(place)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of a few megabytes, where the system lets us make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("mounting takes a privileged user")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


async def test_an_append_to_a_disk_that_is_truly_full_waits_for_room(small_disk: Path) -> None:
    place = in_folder(small_disk)
    await fill(place)
    async with child("lasting_append", place.location, waits=True) as process:
        assert await process.says() == {"ready": True}
        fill_up(small_disk / "filler")
        process.tell()
        assert (await process.says())["logged"] == "store call failed, will retry"
        (small_disk / "filler").unlink()
        await goes_on(process)
    await check_once(place)


def fill_up(path: Path) -> None:
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


async def test_an_append_waits_while_another_process_has_sqlite_locked(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    await fill(place)
    async with child("lasting_append", place.location, waits=True, busy_seconds=0.05) as process:
        assert await process.says() == {"ready": True}
        async with child("lock_metadata", place.location) as other:
            assert await other.says() == {"locked": True}
            process.tell()
            assert (await process.says())["logged"] == "store call failed, will retry"
            other.tell()
            assert await other.says() == {"released": True}
        await goes_on(process)
    await check_once(place)


async def test_an_append_waits_while_postgres_is_stopped(postgres_server: PostgresServer, s3: S3Server) -> None:
    place = on_servers(fresh_database(postgres_server.url), s3)
    await fill(place)
    async with child("lasting_append", place.location, waits=True) as process:
        assert await process.says() == {"ready": True}
        postgres_server.stop()
        try:
            process.tell()
            assert (await process.says())["logged"] == "store call failed, will retry"
        finally:
            postgres_server.start()
        await goes_on(process)
    await check_once(place)


async def test_a_snapshot_already_begun_goes_on_while_the_metadata_store_is_locked(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    await fill(place)
    async with await place.open_reader() as persist:
        reader = await persist.reader(NUMBERS)
        async with child("lock_metadata", place.location) as other:
            assert await other.says() == {"locked": True}
            assert counted(await reader.rows(Timestamp(5))) == contents_at(5)
