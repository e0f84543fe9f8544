"""Writes the store that is kept as test data: `python -m tests.persist.make_kept_store`.

Run it when the format changes, and keep the old folder beside the new one: every version must go on reading what
earlier ones wrote.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import shutil
import sqlite3
from decimal import Decimal
from pathlib import Path

import pyarrow as pa

from holdfast.persist import Location, Persist, PersistSettings, compact
from holdfast.persist.errors import AsOfBeforeSince
from holdfast.repr.frontier import EMPTY, Timestamp, at
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from tests.build import batch

DATA = Path(__file__).parent / "data"
CURRENT = DATA / "v2"

EVERYTHING = RowType.of(
    ("bool", pa.bool_()),
    ("int8", pa.int8()),
    ("int16", pa.int16()),
    ("int32", pa.int32()),
    ("int64", pa.int64()),
    ("float32", pa.float32()),
    ("float64", pa.float64()),
    ("decimal", pa.decimal128(38, 2)),
    ("string", pa.string()),
    ("binary", pa.binary()),
    ("date", pa.date32()),
    ("time", pa.time64("us")),
    ("timestamp", pa.timestamp("us")),
    ("timestamptz", pa.timestamp("us", "UTC")),
    ("list", pa.list_(pa.int32())),
    ("struct", pa.struct([("x", pa.int64()), ("y", pa.string())])),
    ("map", pa.map_(pa.string(), pa.int64())),
)
FULL = (
    *(True, 1, -2, 2**31 - 1, -(2**63), 1.5, float("nan"), Decimal("-12345678901234567890.12"), "é\0", b"\0\xff"),
    *(datetime.date(2024, 2, 29), datetime.time(23, 59, 59, 999_999), datetime.datetime(1969, 12, 31, 23, 59)),
    *(datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC), [1, None], {"x": 7, "y": None}, [("a", 1), ("b", None)]),
)
NULLS = (None,) * len(FULL)

ORDERS = RowType.of(("id", pa.int64()), ("item", pa.string()))
ORDERS_LATER = RowType.of(("id", pa.int64()), ("item", pa.string()), ("price", pa.float64()))

TIMES = {"everything": [0, 1], "orders": [20, 25, 29], "drafts": [4]}
"""Collections, and times at which they are read."""


async def write(folder: Path) -> None:
    settings = PersistSettings(compact=False, notify=False)
    async with await Persist.open_writer(Location.in_folder(folder), settings=settings) as persist:
        everything = await persist.create_or_load("everything", EVERYTHING)
        await everything.compare_and_append(batch(EVERYTHING, [(FULL, 0, 1), (NULLS, 0, 2)]), at(0), at(1))
        await everything.compare_and_append(batch(EVERYTHING, [(NULLS, 1, -1)]), at(1), at(2))

        gone = await persist.create_or_load("gone", ORDERS)
        await gone.compare_and_append(batch(ORDERS, "1, 'x' | 0 | 1"), at(0), EMPTY)
        await gone.allow_compaction(EMPTY)
        await gone.finalize()

        drafts = await persist.create_or_load("drafts", ORDERS, key=["id"])
        await drafts.write(batch(ORDERS, "1, 'shown' | 3 | 1\n2, 'not yet' | 7 | 1"))
        await drafts.seal(at(5))

        orders = await persist.create_or_load("orders", ORDERS, key=["id"])
        for time in range(20):
            await orders.compare_and_append(orders_at(time), at(time), at(time + 1))
        await orders.allow_compaction(at(20))
        await orders.seal(at(21))
        await persist.compact("orders")
        await orders.evolve(ORDERS_LATER)
        for time in range(21, 30):
            updates = batch(ORDERS_LATER, f"{time}, 'later', {time / 4} | {time} | 1")
            await orders.compare_and_append(updates, at(time), at(time + 1))
        await persist.collect_garbage()


def orders_at(time: int) -> UpdateBatch:
    """A new order, and the one of ten times before is taken back."""
    updates = f"{time}, 'early' | {time} | 1"
    return batch(ORDERS, updates + (f"\n{time - 10}, 'early' | {time} | -1" if time >= 10 else ""))


async def contents(folder: Path) -> dict[str, object]:
    """What a reader finds: the rows of each collection at its times, as text, and their frontiers."""
    found: dict[str, object] = {}
    async with await Persist.open_reader(Location.in_folder(folder), independent=True) as persist:
        for name, times in TIMES.items():
            reader = await persist.reader(name)
            at_times = {str(time): shown(await reader.rows(Timestamp(time), timeout=10)) for time in times}
            found[name] = {"since": str(reader.since), "upper": str(reader.upper), "rows": at_times}
            if reader.since != at(0):
                await refused(persist, name)
    return found


async def refused(persist: Persist, name: str) -> None:
    """What is compacted away cannot be read."""
    reader = await persist.reader(name, since=at(0))
    try:
        await reader.rows(Timestamp(0))
    except AsOfBeforeSince:
        return
    raise AssertionError(f"{name} can be read before its since")


def shown(rows: UpdateBatch) -> list[str]:
    return sorted(json.dumps(list(row.values()), default=str) for row in rows.table.to_pylist())


def main() -> None:
    compact.SMALL_FAN = 8  # so that the few appends here are worth a merge
    shutil.rmtree(CURRENT, ignore_errors=True)
    asyncio.run(write(CURRENT))
    connection = sqlite3.connect(CURRENT / "metadata.db")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("VACUUM")
    connection.close()
    found = asyncio.run(contents(CURRENT))
    for leftover in CURRENT.glob("metadata.db-*"):
        leftover.unlink()
    (CURRENT / "expected.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
