"""A durable append of 100 rows on file and SQLite, against the floor: one synced file and one committed transaction."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from bench.measure import bar, report
from holdfast.persist import Location, Persist
from holdfast.repr.frontier import at
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

ROWS = 100
APPENDS = 400
WARMUPS = 50
ROW_TYPE = RowType.of(("id", pa.int64()), ("name", pa.string()), ("amount", pa.float64()), ("at", pa.timestamp("us")))


def batch(time_: int) -> UpdateBatch:
    rows = [(time_ * ROWS + i, f"customer {i}", i * 0.5, None) for i in range(ROWS)]
    return UpdateBatch.from_rows(ROW_TYPE, rows, [time_] * ROWS, [1] * ROWS)


class Floor:
    """The least that makes 100 rows durable: their bytes in a synced file, its name in a committed row."""

    def __init__(self, folder: Path, data: bytes) -> None:
        self._folder, self._data = folder, data
        self._connection = sqlite3.connect(folder / "floor.db", isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE part (name TEXT, size INT)")

    def append(self, number: int) -> None:
        path = self._folder / f"floor-{number}"
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
        os.write(descriptor, self._data)
        os.fsync(descriptor)
        os.close(descriptor)
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO part VALUES (?, ?)", (path.name, len(self._data)))
        self._connection.execute("COMMIT")


async def run(folder: Path) -> None:
    async with await Persist.open_writer(Location.in_folder(folder / "store")) as persist:
        writer = await persist.create_or_load("rows", ROW_TYPE, key=["id"])
        await writer.compare_and_append(batch(0), at(0), at(1))
        floor = Floor(folder, b"x" * writer.state.batches[0].size)
        seconds: dict[str, list[float]] = {"floor: one synced file, one commit": [], "append": []}
        for number in range(1, WARMUPS + APPENDS):
            updates = batch(number)
            begin = time.perf_counter()
            floor.append(number)
            middle = time.perf_counter()
            mismatch = await writer.compare_and_append(updates, at(number), at(number + 1))
            end = time.perf_counter()
            assert mismatch is None
            if number >= WARMUPS:
                seconds["floor: one synced file, one commit"].append(middle - begin)
                seconds["append"].append(end - middle)
    medians = report(seconds, "ms")
    bar("append / floor", medians["append"] / medians["floor: one synced file, one commit"], 3, at_least=False)


def main() -> None:
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder:
        asyncio.run(run(Path(folder)))


if __name__ == "__main__":
    main()
