"""The memory of a snapshot of 10 M rows through the driver's streaming reader: bounded by parts, not by rows."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil
import pyarrow as pa

from holdfast.persist import Location, Persist
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch

ROWS = 10_000_000
CHUNK = 2_000_000
ROW_TYPE = RowType.of(("id", pa.int64()), ("text", pa.string()), ("amount", pa.float64()))


def chunk(start: int, time_: int) -> UpdateBatch:
    ids = np.arange(start, start + CHUNK)
    text = pa.array(ids % 100_000).cast(pa.string())
    columns = {"id": ids, "text": pa.compute.binary_join_element_wise(text, text, text, "-"), "amount": ids * 0.5}
    columns |= {TIME: np.full(CHUNK, time_), DIFF: np.ones(CHUNK, np.int64)}
    return UpdateBatch(ROW_TYPE, pa.table(columns))


async def fill(folder: Path) -> int:
    async with await Persist.open_writer(Location.in_folder(folder)) as persist:
        writer = await persist.create_or_load("rows", ROW_TYPE, key=["id"])
        size = 0
        for number, start in enumerate(range(0, ROWS, CHUNK)):
            updates = chunk(start, number)
            size += updates.table.nbytes
            await writer.compare_and_append(updates, at(number), at(number + 1))
        return size


async def read(folder: Path) -> None:
    process = psutil.Process()
    async with await Persist.open_reader(Location.in_folder(folder)) as persist:
        reader = await persist.reader("rows")
        before = process.memory_info().rss
        rows, peak, begin = 0, before, time.perf_counter()
        async for batch in reader.snapshot(Timestamp(ROWS // CHUNK - 1)):
            rows += batch.rows
            peak = max(peak, process.memory_info().rss - process.memory_info().shared)
        seconds = time.perf_counter() - begin
    assert rows == ROWS, rows
    print(f"snapshot of {rows:,} rows in {seconds:.1f} s: {rows / seconds / 1e6:.2f} M rows/s")
    print(f"RSS before {before / 2**20:.0f} MiB, peak without mapped files {peak / 2**20:.0f} MiB")


def main() -> None:
    if len(sys.argv) > 1:
        asyncio.run(read(Path(sys.argv[1])))
        return
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder:
        size = asyncio.run(fill(Path(folder)))
        print(f"{ROWS:,} rows, {size / 2**20:.0f} MiB in Arrow", flush=True)
        subprocess.run([sys.executable, "-m", "bench.snapshot_memory", os.fspath(folder)], check=True)


if __name__ == "__main__":
    main()
