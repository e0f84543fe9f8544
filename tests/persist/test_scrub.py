"""Scrubbing finds every damage, names it, and takes nothing else for damage."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from holdfast.persist import encoding
from holdfast.persist.blob.memory import MemoryBlob
from holdfast.persist.encoding import PartFormat, sort_by_hash, sums
from holdfast.persist.metadata import Change, Commit
from holdfast.persist.metadata.memory import MemoryMetadata
from holdfast.persist.part import Part, Sums
from holdfast.persist.scrub import ScrubReport, scrub
from holdfast.persist.shard import ShardState
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import ShardId
from holdfast.repr.row import DIFF
from holdfast.repr.update import UpdateBatch
from tests.build import at, batch
from tests.persist.numbers import append, batch_at, create
from tests.persist.paper import INTEGERS
from tests.persist.places import Place, in_folder, in_memory

PARTS = 3


async def filled(place: Place) -> Place:
    async with place.writer() as persist:
        numbers, others = await create(persist)
        for time in range(1, PARTS + 1):
            await append(persist, numbers, others, time)
    return place


def scrubbed(place: Place) -> ScrubReport:
    metadata = place.metadata or place.location.open_metadata(read_only=True)
    try:
        return scrub(metadata, place.blob or place.location.blob.open())
    finally:
        metadata.close()


async def test_a_sound_store_is_found_sound(tmp_path: Path) -> None:
    report = scrubbed(await filled(in_folder(tmp_path).of_blobs()))
    assert (report.shards, report.parts) == (2, 2 * PARTS)
    assert report.size == sum(path.stat().st_size for path in tmp_path.rglob("*.parquet"))
    assert (report.damages, report.unnamed) == ((), ())


async def test_every_damaged_part_is_named_with_its_collection(tmp_path: Path) -> None:
    place = await filled(in_folder(tmp_path).of_blobs())
    flipped, short, missing = sorted(tmp_path.glob("parts/s1/*.parquet"))
    flipped.write_bytes(flipped.read_bytes()[:-1] + b"?")
    short.write_bytes(short.read_bytes()[:-1])
    missing.unlink()
    report = scrubbed(place)
    reasons = {flipped: "its checksum is wrong", short: "bytes, not", missing: "it is missing"}
    found = {damage.where: damage.what for damage in report.damages}
    assert found.keys() == {f'part s1/{path.name} of collection "numbers"' for path in reasons}
    for path, reason in reasons.items():
        assert reason in found[f'part s1/{path.name} of collection "numbers"']


async def test_a_sound_store_without_a_single_blob_is_found_sound(tmp_path: Path) -> None:
    report = scrubbed(await filled(in_folder(tmp_path)))
    assert (report.shards, report.parts) == (2, 2 * PARTS)
    with sqlite3.connect(tmp_path / "metadata.db") as connection:
        assert connection.execute("SELECT sum(length(inline)) FROM part").fetchone() == (report.size,)
    connection.close()
    assert not list(tmp_path.rglob("*.parquet"))
    assert (report.damages, report.unnamed) == ((), ())


async def test_every_damaged_part_in_the_metadata_is_named_with_its_collection(tmp_path: Path) -> None:
    place = await filled(in_folder(tmp_path))
    damages = {
        "inline = CAST(substr(inline, 1, length(inline) - 1) || x'3f' AS BLOB)": "its checksum is wrong",
        "inline = substr(inline, 2)": "bytes, not",
        "inline = NULL": "it is missing",
    }
    reasons = {}
    with sqlite3.connect(tmp_path / "metadata.db") as connection:
        keys = [key for (key,) in connection.execute("SELECT part FROM part WHERE shard = 1 ORDER BY part")]
        for key, (damage, reason) in zip(keys, damages.items(), strict=True):
            connection.execute(f"UPDATE part SET {damage} WHERE part = ?", (key,))
            reasons[f'part {key} of collection "numbers"'] = reason
    connection.close()
    found = {damage.where: damage.what for damage in scrubbed(place).damages}
    assert found.keys() == reasons.keys()
    for where, reason in reasons.items():
        assert reason in found[where]


async def test_blobs_that_nobody_names_are_listed_and_are_no_damage(tmp_path: Path) -> None:
    place = await filled(in_folder(tmp_path))
    place.location.blob.open().put("s1/e0-0f-0.parquet", b"leaked")
    report = scrubbed(place)
    assert not report.damages
    assert report.unnamed == ("s1/e0-0f-0.parquet",)


async def test_a_changed_row_of_the_metadata_is_found_and_the_other_collections_are_checked(tmp_path: Path) -> None:
    place = await filled(in_folder(tmp_path))
    with sqlite3.connect(tmp_path / "metadata.db") as connection:
        connection.execute("UPDATE part SET updates = updates + 1 WHERE shard = 1 AND part LIKE '%'")
    connection.close()
    report = scrubbed(place)
    assert [damage.where for damage in report.damages] == ["shard 1"]
    assert (report.shards, report.parts) == (1, PARTS)


async def test_a_vanished_collection_is_found(tmp_path: Path) -> None:
    place = await filled(in_folder(tmp_path))
    with sqlite3.connect(tmp_path / "metadata.db") as connection:
        connection.execute("DELETE FROM shard WHERE shard = 2")
    connection.close()
    report = scrubbed(place)
    (damage,) = report.damages
    assert damage.where == "shard 2"
    assert "is missing" in damage.what


def change_first_part(place: Place, **fields: object) -> Part:
    """Let the metadata of the first collection say something else of its first part; returns what it said before."""
    metadata = place.metadata
    assert metadata is not None
    (state,) = metadata.load([ShardId(1)]).values()
    first, *others = state.batches
    (part,) = first.parts
    changed = replace(part, **fields)  # type: ignore[arg-type]  # the names are Part's own
    wrong = replace(state, batches=(replace(first, parts=(changed,)), *others), seqno=state.seqno + 1)
    metadata.commit(Commit(metadata.store().epoch, metadata.store(), (Change(state, wrong),)))
    return part


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"rows": 5}, "it has 4 updates, not 5"),
        ({"min_time": Timestamp(0)}, "its times are 1 to 1, not 0 to 1"),
        ({"sums": Sums(4, 1)}, "its contents do not add up to what the metadata says"),
        ({"min_hash": 0}, "its updates are not in the order of their key hashes"),
    ],
)
async def test_metadata_that_says_something_else_than_the_part_is_damage(
    fields: dict[str, object], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "SMALL_ROWS", 0)
    place = await filled(in_memory())
    change_first_part(place, **fields)
    assert [damage.what for damage in scrubbed(place).damages] == [what]


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"rows": 5}, "it has 4 updates, not 5"),
        ({"min_time": Timestamp(0)}, "its times are 1 to 1, not 0 to 1"),
        ({"sums": Sums(5, None)}, "its contents do not add up to what the metadata says"),
    ],
)
async def test_metadata_that_says_something_else_than_a_small_part_is_damage(
    fields: dict[str, object], what: str
) -> None:
    place = await filled(in_memory())
    assert not change_first_part(place, **fields).is_sorted
    assert [damage.what for damage in scrubbed(place).damages] == [what]


@pytest.mark.parametrize("ordered", [True, False])
async def test_a_part_that_should_be_sorted_and_is_not_is_damage(ordered: bool) -> None:
    """The part is small and written as it came; its description claims more, and is otherwise true."""
    place = in_memory()
    async with place.writer() as persist:
        handle = await persist.create_or_load("c", INTEGERS)
        form = PartFormat.of(handle.state)
        table, hashes = sort_by_hash(form, batch(INTEGERS, [((n,), 0, 1) for n in range(3)]).table)
        if not ordered:
            table, hashes = table.take([1, 0, 2]), hashes[[1, 0, 2]]
        await handle.compare_and_append(UpdateBatch(INTEGERS, table), at(0), at(1))
    known = sums(table[DIFF].to_numpy(), form.content_hashes(table))
    change_first_part(place, sums=known, min_hash=int(hashes[0]), max_hash=int(hashes[-1]))
    damages = [] if ordered else ["its updates are not in the order of their key hashes"]
    assert [damage.what for damage in scrubbed(place).damages] == damages


class VanishingBlob(MemoryBlob):
    """A part that is asked for is merged away and collected just before."""

    def __init__(self, metadata: MemoryMetadata) -> None:
        super().__init__()
        self.metadata = metadata
        self.vanishing = False

    def get(self, key: str) -> pa.Buffer | None:
        if self.vanishing:
            self.vanishing = False
            self.delete(key)
            (state,) = self.metadata.load([ShardId(1)]).values()
            gone: ShardState = replace(state, batches=(), seqno=state.seqno + 1)
            self.metadata.commit(Commit(self.metadata.store().epoch, self.metadata.store(), (Change(state, gone),)))
        return super().get(key)


async def test_a_part_collected_while_the_scrub_runs_is_no_damage() -> None:
    metadata = MemoryMetadata()
    blob = VanishingBlob(metadata)
    place = Place(in_memory().location, metadata, blob).of_blobs()
    async with place.writer() as persist:
        numbers, _ = await create(persist)
        await numbers.compare_and_append(batch_at(1), at(1), at(2))
    blob.vanishing = True
    assert not scrubbed(place).damages
    assert not blob.vanishing


async def test_progress_is_told(tmp_path: Path) -> None:
    place = await filled(in_folder(tmp_path))
    told: list[tuple[int, int]] = []
    metadata = place.location.open_metadata(read_only=True)
    scrub(metadata, place.location.blob.open(), lambda done, total: told.append((done, total)))
    metadata.close()
    assert told == [(done, 2 * PARTS) for done in range(1, 2 * PARTS + 1)]
