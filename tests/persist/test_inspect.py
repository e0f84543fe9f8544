"""Looking at a store shows what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.persist import compact
from holdfast.persist.inspect import TextTable, collection_tables, collections_table, store_table
from holdfast.repr.frontier import EMPTY
from tests.build import at
from tests.persist.numbers import NUMBERS, append, batch_at, create
from tests.persist.places import in_folder, in_memory


async def test_a_store_is_shown_with_its_collections_and_its_holder(tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    async with place.writer() as persist:
        numbers, others = await create(persist)
        await append(persist, numbers, others, 1)
        await others.seal(at(9))
        store = str(store_table(persist.metadata))
        assert f"store sqlite://{tmp_path}/metadata.db" in store
        assert "writer epoch      1" in store
        assert "locked by         process " in store
        title, header, _, *rows = str(collections_table(persist.metadata)).splitlines()
        assert title == "collections"
        assert header.split() == [
            *("id", "collection", "since", "upper", "batches", "parts", "updates", "bytes", "garbage", "readers")
        ]
        assert [row.split()[:7] for row in rows] == [
            ["1", "numbers", "{0}", "{2}", "1", "1", "4"],
            ["2", "others", "{0}", "{9}", "1", "1", "4"],
        ]
    async with await place.open_reader(independent=True) as reader:
        assert "locked by         nobody" in str(store_table(reader.metadata))


async def test_a_collection_is_shown_in_detail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact, "SMALL_FAN", 2)
    async with in_memory().of_blobs().writer() as persist:
        numbers, others = await create(persist)
        for time in (1, 2, 3):
            await append(persist, numbers, others, time)
        await numbers.write(batch_at(9))
        await numbers.allow_compaction(at(2))
        await persist.compact(NUMBERS)
        await persist.reader(NUMBERS)
        await persist.reader(NUMBERS, critical="keeper")
        summary, columns, batches, parts, holds = collection_tables(numbers.state)
        assert summary.title.startswith('collection "numbers" (shard 1, version ')
        assert columns.rows == (("n", "int64", "yes"), ("i", "int64", "yes"))
        assert batches.rows[0][:3] == ("1", "{4}", "{2}")
        assert sorted(row[1].split()[0] for row in parts.rows) == ["retired"] * 3 + ["sealed", "unsealed"]
        assert [(row[2] == "never") for row in holds.rows].count(True) == 2
        assert {row[4].split()[0] for row in holds.rows} == {"owner", "keeper", "process"}
        assert all(str(table) for table in (summary, columns, batches, parts, holds))


async def test_parts_are_shown_with_where_their_bytes_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact, "SMALL_FAN", 2)
    async with in_memory().writer() as persist:
        numbers, others = await create(persist)
        for time in (1, 2):
            await append(persist, numbers, others, time)
        await persist.compact(NUMBERS)
        await append(persist, numbers, others, 3)
        parts = collection_tables(numbers.state)[3]
        where = parts.header.index("in")
        assert sorted(row[where] for row in parts.rows) == ["blobs", "metadata"]


async def test_a_finalized_collection_is_marked(tmp_path: Path) -> None:
    async with in_folder(tmp_path).writer() as persist:
        numbers, _ = await create(persist)
        await numbers.seal(EMPTY)
        await numbers.allow_compaction(EMPTY)
        await numbers.finalize()
        assert "numbers (finalized)  {}     {}" in str(collections_table(persist.metadata))


def test_columns_of_a_table_line_up() -> None:
    table = TextTable("things", ("name", "size"), (("a", "1000 KiB"), ("longer", "")))
    assert str(table).splitlines() == ["things", "name    size", "------  --------", "a       1000 KiB", "longer"]
