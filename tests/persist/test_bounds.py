"""What does not grow: the metadata of an idle store, and the parts of a collection that is updated for long."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow as pa

from holdfast.persist import Location, Persist
from holdfast.persist.compact import FAN, SMALL_FAN
from holdfast.persist.metadata.tables import CHILDREN, SHARD, STORE
from holdfast.persist.metrics import COMMITS
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

NUMBERS = RowType.of(("n", pa.int64()))


def metadata_rows(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "metadata.db")) as connection:
        counts = [connection.execute(f"SELECT count(*) FROM {t.name}").fetchone()[0] for t in (STORE, SHARD, *CHILDREN)]
    return sum(counts)


async def test_idle_collections_advance_in_one_transaction_and_add_no_rows(tmp_path: Path) -> None:
    async with await Persist.open_writer(Location.in_folder(tmp_path)) as persist:
        handles = [await persist.create_or_load(f"c{i}", NUMBERS) for i in range(20)]
        await handles[0].compare_and_append(UpdateBatch.from_rows(NUMBERS, [(1,)], [0], [1]), at(0), at(1))
        rows, commits = metadata_rows(tmp_path), persist.metrics.counts[COMMITS]
        for upper in range(2, 32):
            await persist.advance_all(at(upper), [handle.shard for handle in handles])
        assert metadata_rows(tmp_path) == rows
        assert persist.metrics.counts[COMMITS] == commits + 30
        assert {handle.upper for handle in handles} == {at(31)}


async def test_a_collection_updated_for_long_takes_room_for_its_rows_only(tmp_path: Path) -> None:
    """A row that changes at every time; history is given up as it goes."""
    async with await Persist.open_writer(Location.in_folder(tmp_path)) as persist:
        writer = await persist.create_or_load("counter", NUMBERS)
        for time in range(400):
            rows = [(time,)] if time == 0 else [(time - 1,), (time,)]
            diffs = [1] if time == 0 else [-1, 1]
            updates = UpdateBatch.from_rows(NUMBERS, rows, [time] * len(rows), diffs)
            assert await writer.compare_and_append(updates, at(time), at(time + 1)) is None
            await writer.allow_compaction(at(time))
        await persist.compact("counter")
        await persist.collect_garbage()
        reader = await persist.reader("counter")
        assert (await reader.rows(Timestamp(399))).table["n"].to_pylist() == [399]
        assert len(list(tmp_path.rglob("*.parquet"))) < SMALL_FAN + FAN
        assert metadata_rows(tmp_path) < 2 * (SMALL_FAN + FAN) + 10
