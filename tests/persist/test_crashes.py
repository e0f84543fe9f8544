"""Writers killed with -9, at every place where a crash could tear something, and at any moment.

Whatever was acknowledged is there once; what was in flight is there whole or not at all; what is left over is
garbage that collection removes; and the next writer simply goes on.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast.persist import Location, Persist, PersistSettings, ReadHandle
from holdfast.persist.gc import known_keys
from holdfast.persist.scrub import scrub
from holdfast.repr.frontier import Timestamp, at
from tests.persist.child import REENTRANCE
from tests.persist.conftest import S3Server
from tests.persist.numbers import NUMBERS, OTHERS, append, batch_at, contents_at, counted, create, rows_at
from tests.persist.places import BLOBS, QUIET, fresh_database, on_servers
from tests.persist.processes import child

pytestmark = pytest.mark.usefixtures("eager_merges")

PUT = ["blob_put_before_sync", "blob_put_after_sync", "blob_put_after_rename", "blob_put_done"]
COMMIT = ["metadata_commit_before", "metadata_commit_after"]
DELETE = ["blob_delete_before", "blob_delete_after", "gc_blob_deleted"]
PLACES = {
    "append": [*PUT, "append_staged", *COMMIT],
    "write": [*PUT, *COMMIT],
    "seal": COMMIT,
    "merge": [*PUT, "merge_written", *COMMIT, "merge_applied"],
    "gc": [*DELETE, *COMMIT],
}
INLINE_PLACES = {
    "append": ["append_staged", *COMMIT],
    "write": COMMIT,
    "seal": COMMIT,
    "merge": PLACES["merge"],
}
"""Where parts have no blobs until they are merged, and then leave no garbage."""

ALL_PLACES = sorted({place for places in PLACES.values() for place in places})
KINDS: dict[str, dict[str, int]] = {"blobs": {"inline_bytes": 0}, "inline": {}}
"""Settings of writers by where they keep small parts."""

PREPARED = 12
"""Appends that are there before a step: enough for a merge to be worth it."""


async def open_writer(location: Location, settings: PersistSettings = QUIET) -> Persist:
    return await Persist.open_writer(location, reentrance_id=REENTRANCE, settings=settings)


async def prepare(location: Location, settings: PersistSettings, *, merged: bool) -> None:
    """A store with some history; `merged`: with retired parts too."""
    async with await open_writer(location, settings) as persist:
        numbers, others = await create(persist)
        for time in range(1, PREPARED + 1):
            await append(persist, numbers, others, time)
        await numbers.allow_compaction(at(5))
        if merged:
            assert await persist.compact(NUMBERS)


@pytest.fixture(scope="module")
def plain_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    asyncio.run(prepare(Location.in_folder(folder), BLOBS, merged=False))
    return folder


@pytest.fixture(scope="module")
def inline_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inline")
    asyncio.run(prepare(Location.in_folder(folder), QUIET, merged=False))
    return folder


@pytest.fixture(scope="module")
def merged_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("merged")
    asyncio.run(prepare(Location.in_folder(folder), BLOBS, merged=True))
    return folder


async def check_store(persist: Persist) -> None:
    """Nothing is damaged, and after collection nothing is there that nobody names."""
    await persist.collect_garbage()
    report = scrub(persist.metadata, persist.parts.blob)
    assert not report.damages
    assert not report.unnamed
    assert {meta.key for meta in persist.parts.blob.list("")} == known_keys(persist.metadata)
    assert not list(persist.parts.blob.list_leftovers())


@pytest.mark.parametrize(
    ("operation", "place"), [(operation, place) for operation, places in PLACES.items() for place in places]
)
async def test_a_writer_killed_anywhere_leaves_the_operation_whole_or_undone(
    operation: str, place: str, tmp_path: Path, plain_store: Path, merged_store: Path
) -> None:
    location = Location.in_folder(
        shutil.copytree(merged_store if operation == "gc" else plain_store, tmp_path / "store")
    )
    await kill_and_check(location, operation, place, KINDS["blobs"])


@pytest.mark.parametrize(
    ("operation", "place"), [(operation, place) for operation, places in INLINE_PLACES.items() for place in places]
)
async def test_a_writer_killed_anywhere_leaves_the_operation_whole_or_undone_also_without_blobs(
    operation: str, place: str, tmp_path: Path, inline_store: Path
) -> None:
    location = Location.in_folder(shutil.copytree(inline_store, tmp_path / "store"))
    await kill_and_check(location, operation, place, KINDS["inline"])


async def kill_and_check(location: Location, operation: str, place: str, settings: dict[str, int]) -> None:
    async with child("step", location, failpoint=place, operation=operation, settings=settings) as process:
        assert await process.rest() == []
        assert await process.ended() == -signal.SIGKILL
    committed = place in ("metadata_commit_after", "merge_applied")
    now = PREPARED + 1
    async with await open_writer(location) as persist:
        numbers, others = await create(persist)
        reader = await persist.reader(NUMBERS)
        merged = committed if operation == "merge" else operation == "gc"
        assert (len(numbers.state.batches) < PREPARED) == merged
        advanced = committed and operation in ("append", "seal")
        assert numbers.upper == at(now + 1 if advanced else now)
        assert others.upper == at(now + 1 if advanced and operation == "seal" else now)
        if not advanced:
            await numbers.seal(at(now + 1))
        shown = operation in ("append", "write") and committed
        for time in range(5, now):
            assert await rows_at(reader, time) == contents_at(time)
        assert await rows_at(reader, now) == contents_at(now if shown else now - 1)
        await numbers.compare_and_append(batch_at(now + 1), at(now + 1), at(now + 2))
        await persist.compact(NUMBERS)
        await check_store(persist)


async def verify_round(location: Location, acked: int, rng: random.Random) -> int:
    """Open the store after a crash: all that was acknowledged is there, and at most one append more. Its last time."""
    async with await open_writer(location) as persist:
        numbers, others = await create(persist)
        assert numbers.upper == others.upper
        upper = numbers.upper.time
        assert upper is not None
        last = upper - 1
        assert last in (acked, acked + 1)
        for name in (NUMBERS, OTHERS):
            reader = await persist.reader(name)
            assert reader.since.time is not None
            readable = range(reader.since.time, upper)
            for time in {readable[0], readable[-1], rng.choice(readable)}:
                assert await rows_at(reader, time) == contents_at(time)
            await check_listen(reader, readable)
        await check_store(persist)
    return last


async def check_listen(reader: ReadHandle, readable: range) -> None:
    """The snapshot at the first readable time and the changes after it make the contents at the last one."""
    total = counted(await reader.rows(Timestamp(readable[0])))
    if readable[0] + 1 < readable.stop:
        async for changes in reader.listen(Timestamp(readable[0] + 1)):
            total.update(counted(changes.updates))
            if changes.upper == reader.upper:
                break
    assert +total == contents_at(readable[-1])
    assert not -total


async def kill_at_random_places(location: Location, rounds: int, seed: int, places: Sequence[str] = ALL_PLACES) -> None:
    rng = random.Random(seed)
    acked, killed = 0, 0
    for _ in range(rounds):
        place = f"{rng.choice(places)}:{rng.randint(1, 12)}"
        kind = rng.choice(list(KINDS.values()))
        async with child("writer", location, failpoint=place, appends=12, settings=kind) as process:
            lines = await process.rest()
            killed += await process.ended() == -signal.SIGKILL
        acked = max([acked, *(line["acked"] for line in lines if "acked" in line)])
        acked = await verify_round(location, acked, rng)
    assert killed > rounds // 2


async def kill_at_random_moments(location: Location, rounds: int, seed: int) -> None:
    rng = random.Random(seed)
    acked = 0
    for _ in range(rounds):
        kind = rng.choice(list(KINDS.values()))
        async with child("writer", location, appends=1000, settings=kind) as process:
            lines = [await process.says() for _ in range(rng.randint(1, 16))]
            process.signal(signal.SIGKILL)
            lines += await process.rest()
            assert await process.ended() == -signal.SIGKILL
        acked = max([acked, *(line["acked"] for line in lines if "acked" in line)])
        acked = await verify_round(location, acked, rng)


async def test_acknowledged_appends_survive_rounds_of_kills_at_random_places(tmp_path: Path) -> None:
    await kill_at_random_places(Location.in_folder(tmp_path), rounds=20, seed=1)


async def test_acknowledged_appends_survive_rounds_of_kills_at_random_moments(tmp_path: Path) -> None:
    await kill_at_random_moments(Location.in_folder(tmp_path), rounds=8, seed=2)


async def test_acknowledged_appends_survive_kills_on_postgres_and_s3(postgres: str, s3: S3Server) -> None:
    location = on_servers(fresh_database(postgres), s3).location
    await kill_at_random_places(location, rounds=4, seed=6, places=[*COMMIT, "append_staged"])


async def test_of_two_writer_processes_the_later_one_goes_on_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    location = Location.in_folder(tmp_path)
    async with child("writer", location, appends=1000) as first:
        lines = [await first.says() for _ in range(5)]
        async with child("writer", location, appends=8) as second:
            later = await second.rest()
            assert await second.ended() == 0
        lines += await first.rest()
        assert await first.ended() == 1
    assert lines.pop()["error"] == "Fenced"
    acked = [line["acked"] for line in [*lines, *later] if "acked" in line]
    assert sorted(acked) == sorted(set(acked))
    assert await verify_round(location, max(acked), random.Random(7)) == max(acked)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", [3, 4])
async def test_acknowledged_appends_survive_long_rounds_of_kills_at_random_places(tmp_path: Path, seed: int) -> None:
    await kill_at_random_places(Location.in_folder(tmp_path), rounds=100, seed=seed)


@pytest.mark.slow
@pytest.mark.timeout(3600)
async def test_acknowledged_appends_survive_long_rounds_of_kills_at_random_moments(tmp_path: Path) -> None:
    await kill_at_random_moments(Location.in_folder(tmp_path), rounds=100, seed=5)
