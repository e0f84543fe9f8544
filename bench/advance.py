"""Advancing the uppers of 5,000 idle collections: one metadata transaction."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from bench.measure import report
from holdfast.persist import Location, Persist, PersistSettings
from holdfast.persist.metrics import COMMITS
from holdfast.repr.frontier import at
from holdfast.repr.row import RowType

COLLECTIONS = 5_000
REPEATS = 7


async def run(folder: Path) -> None:
    row_type = RowType.of(("a", pa.int64()))
    settings = PersistSettings(compact=False)
    async with await Persist.open_writer(Location.in_folder(folder), settings=settings) as persist:
        handles = [await persist.create_or_load(f"collection {i}", row_type) for i in range(COLLECTIONS)]
        shards = [handle.shard for handle in handles]
        seconds = []
        for number in range(1, REPEATS + 1):
            commits = persist.metrics.counts[COMMITS]
            begin = time.perf_counter()
            await persist.advance_all(at(number), shards)
            seconds.append(time.perf_counter() - begin)
            assert persist.metrics.counts[COMMITS] == commits + 1, "more than one transaction"
            assert all(handle.upper == at(number) for handle in handles)
    report({f"advance {COLLECTIONS} idle collections, one transaction": seconds}, "ms")


def main() -> None:
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder:
        asyncio.run(run(Path(folder)))


if __name__ == "__main__":
    main()
