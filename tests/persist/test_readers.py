"""Readers in other processes: told of changes, looking by themselves, or without any contact."""

from __future__ import annotations

import asyncio
import signal
import socket
import sqlite3
from pathlib import Path

import psutil
import pytest

from holdfast.persist import Persist, PersistSettings
from holdfast.persist.errors import MetadataUnavailable
from holdfast.persist.notify import Notifier, changes_told
from holdfast.repr.ids import ShardId
from tests.persist.child import REENTRANCE
from tests.persist.numbers import NUMBERS, append, contents_at, create, rows_at
from tests.persist.places import QUIET, in_folder, in_memory
from tests.persist.processes import Child, child

NEVER = 3600.0
TOLD = PersistSettings(compact=False)
ALONE = {"notify": False, "poll_seconds": 0.02}


async def append_range(persist: Persist, times: range) -> None:
    numbers, others = await create(persist)
    for time in times:
        assert await append(persist, numbers, others, time) is None


async def until(process: Child, upper: int) -> list[list[int]]:
    """What the follower has once it has seen `upper`."""
    while True:
        told = await process.says()
        if told["upper"] >= upper:
            rows: list[list[int]] = told["rows"]
            return rows


def rows_of(time: int) -> list[list[int]]:
    return [list(row) for row in sorted(contents_at(time).elements())]


async def test_a_reader_process_is_told_of_changes_as_they_happen(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    async with place.writer(TOLD) as persist:
        await append_range(persist, range(1, 4))
        # It would look by itself only in an hour: so what it sees, it was told of.
        async with child("follow", place.location, settings={"notify": True, "poll_seconds": NEVER}) as process:
            assert await until(process, 4) == rows_of(3)
            for time in range(4, 8):
                await append_range(persist, range(time, time + 1))
                assert await until(process, time + 1) == rows_of(time)


async def test_a_reader_process_that_is_told_nothing_looks_by_itself(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    async with place.writer(QUIET) as persist:
        assert persist.metadata.store().address == ""
        await append_range(persist, range(1, 3))
        async with child("follow", place.location, settings={"notify": True, "poll_seconds": 0.02}) as process:
            assert await until(process, 3) == rows_of(2)
            await append_range(persist, range(3, 6))
            assert await until(process, 6) == rows_of(5)


async def test_a_reader_goes_on_over_the_death_of_a_writer_and_the_start_of_the_next(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    async with child("writer", place.location, settings={"notify": True}, appends=500) as writer:
        await writer.says()
        await writer.says()
        async with child("follow", place.location, settings={"notify": True, "poll_seconds": 0.02}) as process:
            assert await until(process, 2)
            writer.signal(signal.SIGKILL)
            await writer.ended()
            async with await place.open_writer(REENTRANCE, TOLD) as persist:
                numbers, _ = await create(persist)
                upper = numbers.upper.time
                assert upper is not None
                await append_range(persist, range(upper, upper + 2))
                assert await until(process, upper + 2) == rows_of(upper + 1)


@pytest.mark.parametrize("alive", [True, False])
async def test_an_independent_reader_writes_nothing_and_has_no_contact(tmp_path: Path, alive: bool) -> None:
    place = in_folder(tmp_path)
    persist = await place.open_writer(REENTRANCE, TOLD)
    await append_range(persist, range(1, 6))
    if not alive:
        await persist.stop()
    before = contents_of(tmp_path)
    async with child("read", place.location, independent=True, settings=ALONE) as process:
        assert (await process.says())["upper"] == 6
        process.tell("5")
        assert (await process.says())["rows"] == rows_of(5)
        assert not connections(process)
        assert contents_of(tmp_path) == before
        process.tell("9")
        if alive:
            await append_range(persist, range(6, 10))
            assert (await process.says())["rows"] == rows_of(9)
            await persist.stop()


def contents_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """All files, and when they changed; but not SQLite's index of its log, where readers leave marks."""
    files = [
        path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm") and path.stat().st_size
    ]
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def connections(process: Child) -> list[object]:
    return list(psutil.Process(process.pid).net_connections())


async def test_an_independent_reader_cannot_write_even_by_mistake(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    async with place.writer() as persist:
        await append_range(persist, range(1, 3))
        async with await place.open_reader(independent=True) as alone:
            await rows_at(await alone.reader(NUMBERS), 2)
            connection: sqlite3.Connection = alone.metadata._connections["read"]  # type: ignore[attr-defined]  # SQLite's
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                connection.execute("UPDATE store SET epoch = 9")
            numbers = await persist.writer(NUMBERS)
            assert len(numbers.state.readers) == 1


@pytest.mark.parametrize("independent", [False, True])
async def test_a_reader_of_a_store_that_does_not_exist_is_told_so_and_makes_none(
    tmp_path: Path, independent: bool
) -> None:
    place = in_folder(tmp_path / "nothing")
    with pytest.raises(MetadataUnavailable, match=r"metadata\.db"):
        await place.open_reader(independent=independent)
    assert not (tmp_path / "nothing").exists()


async def test_many_readers_see_one_append(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    settings = PersistSettings(compact=False, poll_seconds=NEVER)
    async with place.writer(settings) as persist:
        await append_range(persist, range(1, 3))
        instances = [await place.open_reader(settings=settings) for _ in range(10)]
        readers = [await instance.reader(NUMBERS) for instance in instances]
        waiting = [asyncio.create_task(rows_at(reader, 3)) for reader in readers]
        await append_range(persist, range(3, 4))
        assert await asyncio.gather(*waiting) == [contents_at(3)] * 10
        for instance in instances:
            await instance.stop()
        shard = readers[0].shard
        assert [reader.label for reader in persist.metadata.load([shard])[shard].readers] == ["owner"]


async def test_a_reader_that_connects_is_told_to_look_at_what_it_has_missed() -> None:
    notifier = Notifier()
    address = await notifier.start()
    told = changes_told(address)
    assert await anext(told) == []
    notifier.tell([ShardId(3), ShardId(1)])
    assert await anext(told) == [1, 3]
    await notifier.stop()
    with pytest.raises((ConnectionError, StopAsyncIteration)):
        await anext(told)


async def test_a_reader_that_never_reads_does_not_keep_the_writer_from_stopping() -> None:
    notifier = Notifier()
    host, _, port = (await notifier.start()).rpartition(":")
    with socket.create_connection((host, int(port))) as connection:
        assert await asyncio.to_thread(connection.recv, 3) == b"[]\n"
        for _ in range(200):
            notifier.tell(ShardId(n) for n in range(10_000))
        assert not notifier._writers  # cut off
        async with asyncio.timeout(30):
            await notifier.stop()


async def test_what_follows_is_not_upset_by_what_another_program_says_at_the_old_address() -> None:
    async def babble(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(babble, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        place = in_memory()
        async with place.writer() as persist:
            await append_range(persist, range(1, 3))
            await persist.committer.set_address(f"{host}:{port}")
            settings = PersistSettings(compact=False, poll_seconds=0.01)
            async with await place.open_reader(settings=settings) as following:
                reader = await following.reader(NUMBERS)
                await append_range(persist, range(3, 6))
                assert await rows_at(reader, 5) == contents_at(5)
                assert following._follower is not None
                assert not any(task.done() for task in following._follower._tasks)
