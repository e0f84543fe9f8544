"""`holdfast demo --persist`: what persist promises, shown on a real store in a temporary folder."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa

from holdfast import failpoint
from holdfast.errors import HoldfastError
from holdfast.persist import Location, Persist, ReadHandle, WriteHandle
from holdfast.persist.blob import BlobLocation
from holdfast.persist.inspect import collections_table
from holdfast.persist.scrub import scrub
from holdfast.persist.spark import SparkReader, stage
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.row import DIFF, RowType
from holdfast.repr.update import UpdateBatch
from holdfast.spark import SparkSettings, start, stop

_ORDERS = RowType.of(("order", pa.int64()), ("customer", pa.string()), ("cents", pa.int64()))
_REENTRANCE = "tour"


def tour() -> int:
    """Show it; returns the exit status."""
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as folder:
        return asyncio.run(_tour(Path(folder)))


async def _tour(folder: Path) -> int:
    location = Location.in_folder(folder)
    _say("1. A collection: rows that change over time. Updates are (row, time, +1 or -1).")
    persist = await Persist.open_writer(location, reentrance_id=_REENTRANCE)
    orders = await persist.create_or_load("orders", _ORDERS, key=["order"])
    await orders.compare_and_append(
        _updates((1, "ada", 500, 10, 1), (2, "bob", 300, 20, 1), (1, "ada", 500, 30, -1), (1, "ada", 650, 30, 1)),
        expected=at(0),
        upper=at(40),
    )
    print("   at 10: order 1 inserted; at 20: order 2; at 30: order 1 goes from 500 to 650 cents.")
    print("   sealed up to 40: what is before 40 is final, and durable on disk.\n")

    _say("2. Read it as of three times. The answer at a time never changes.")
    reader = await persist.reader("orders")
    for time in (10, 20, 30):
        await _show(reader, time)
    print()

    _say("3. A writer is killed with -9 in the middle of a commit: its part is on disk, the commit is not.")
    await persist.stop()
    _kill_writer_in_mid_commit(folder)
    persist = await Persist.open_writer(location, reentrance_id=_REENTRANCE)
    orders, reader = await persist.writer("orders"), await persist.reader("orders")
    print(f"   reopened: upper is {orders.upper}, nothing half-written is visible.")
    await _show(reader, 30)
    removed = await persist.collect_garbage()
    print(f"   garbage collection removed {removed} blob that nobody names.\n")

    _say("4. Five hundred small appends, then compaction. History before 539 may be forgotten.")
    await _append_many(orders, 500)
    before = len(orders.state.named_parts())
    await reader.close()
    reader = await persist.reader("orders", since=at(539))
    await orders.allow_compaction(at(539))
    await persist.compact("orders")
    await persist.collect_garbage()
    after = len(orders.state.named_parts())
    print(f"   {before} parts became {after}; the collection is the same:")
    await _show(reader, 539)
    try:
        await (await persist.reader("orders", since=at(10))).rows(Timestamp(10))
    except HoldfastError as error:
        print(f"   as of 10: {error}\n")
    print(_indented(str(collections_table(persist.metadata))) + "\n")
    await reader.close()

    _say("5. The same on Spark: 100,000 orders staged by its executors, committed at once, and summed as of a time.")
    await _on_spark(persist, orders)
    await persist.stop()

    _say("6. One byte of one part is flipped on disk.")
    _flip_a_byte(folder)
    persist = await Persist.open_reader(location)
    try:
        await (await persist.reader("orders")).rows(Timestamp(540))
        print("   the damage was not noticed: this is a bug.")
        return 1
    except HoldfastError as error:
        print(f"   refused: {error}")
    report = scrub(persist.metadata, BlobLocation(location.blob.url).open())
    for damage in report.damages:
        print(f"   holdfast scrub says: {damage.what}")
    await persist.stop()
    print("\nThat was persist. `make test` runs what proves it; `holdfast --help` lists the commands.")
    return 0


def _updates(*updates: tuple[int, str, int, int, int]) -> UpdateBatch:
    rows = [update[:3] for update in updates]
    return UpdateBatch.from_rows(_ORDERS, rows, [u[3] for u in updates], [u[4] for u in updates])


async def _append_many(orders: WriteHandle, count: int) -> None:
    """Appends at one time each: order 2 changes its price every time."""
    upper, price = 40, 300
    for number in range(count):
        change = _updates((2, "bob", price, upper, -1), (2, "bob", 300 + number % 7, upper, 1))
        price = 300 + number % 7
        mismatch = await orders.compare_and_append(change, at(upper), at(upper + 1))
        if mismatch is not None:
            raise HoldfastError(f"another writer was first: the upper is {mismatch.current}")
        upper += 1
        if (number + 1) % 125 == 0:
            print(f"   {number + 1} appends, {len(orders.state.batches)} batches")


async def _on_spark(persist: Persist, orders: WriteHandle) -> None:
    print("   starting Spark ...", flush=True)
    spark = await asyncio.to_thread(start, SparkSettings(driver_memory="1g"))
    many = spark.sql(
        "SELECT 1000 + id AS `order`, concat('customer ', id % 3) AS customer, id % 100 AS cents FROM range(100000)"
    )
    async with stage(many, orders, Timestamp(540)) as staged:
        await orders.compare_and_append(staged, at(540), at(541))
    reader = SparkReader(spark, await persist.reader("orders"))
    async with reader.rows(Timestamp(540)) as rows:
        sums = await asyncio.to_thread(rows.groupBy("customer").sum("cents").orderBy("customer").collect)
    for customer, cents in sums:
        print(f"   {customer}: {cents} cents")
    await asyncio.to_thread(stop, spark)
    print()


async def _show(reader: ReadHandle, time: int) -> None:
    table = (await reader.rows(Timestamp(time))).table
    rows = sorted(zip(*(table[name].to_pylist() for name in (*_ORDERS.names, DIFF)), strict=True))
    shown = ", ".join(
        f"({order}, {customer}, {cents})" + (f" x{n}" if n != 1 else "") for order, customer, cents, n in rows
    )
    print(f"   as of {time}: {shown or 'nothing'}")


def _kill_writer_in_mid_commit(folder: Path) -> None:
    """Another process appends a thousand orders; it is killed after their part is durable and before the commit is."""
    script = f"from holdfast.tour import die_in_mid_commit; die_in_mid_commit({str(folder)!r})"
    ended = subprocess.run([sys.executable, "-c", script], check=False)
    assert ended.returncode == -signal.SIGKILL
    print(f"   the writer process ended by signal {-ended.returncode}.")


def die_in_mid_commit(folder: str) -> None:
    """What the other process runs."""

    def die(place: str) -> None:
        if place == "metadata_commit_before":
            os.kill(os.getpid(), signal.SIGKILL)

    async def append() -> None:
        persist = await Persist.open_writer(Location.in_folder(folder), reentrance_id=_REENTRANCE)
        orders = await persist.writer("orders")
        failpoint.install(die)
        many = _updates(*((1000 + number, "eve", 1, 40, 1) for number in range(1000)))
        await orders.compare_and_append(many, at(40), at(41))

    asyncio.run(append())


def _parts(folder: Path) -> list[Path]:
    return list(folder.rglob("*.parquet"))


def _flip_a_byte(folder: Path) -> None:
    part = max(_parts(folder), key=lambda path: path.stat().st_size)
    data = bytearray(part.read_bytes())
    data[len(data) // 2] ^= 1
    part.write_bytes(data)


def _say(text: str) -> None:
    print(f"\033[1m{text}\033[0m" if sys.stdout.isatty() else text)


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.splitlines())
