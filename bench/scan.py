"""A snapshot of 5 M rows into a Spark aggregate, against `spark.read.parquet` of a plain file with the same rows.

Measured as loaded, and again after 1,000 small appends with compaction in the background.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from pyspark.sql import DataFrame, Row, SparkSession

from bench.measure import bar, report
from bench.rows import ROW_TYPE, ROWS, rows, session
from holdfast.persist import Location, Persist, WriteHandle
from holdfast.persist.spark import SparkMerger, SparkReader, stage
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.update import UpdateBatch
from holdfast.spark import stop

REPEATS = 7
APPENDS = 1_000
ROWS_PER_APPEND = 100


def aggregate(frame: DataFrame) -> list[Row]:
    return (
        frame.groupBy("status")
        .agg({"amount": "sum", "customer": "max", "comment": "max", "id": "count"})
        .orderBy("status")
        .collect()
    )


async def compare(spark: SparkSession, persist: Persist, as_of: int, folder: Path) -> dict[str, float]:
    """Both ways over the rows of the collection as of a time."""
    handle = await persist.reader("rows", since=at(as_of))
    reader = SparkReader(spark, handle)
    async with reader.rows(Timestamp(as_of)) as frame:
        frame.write.mode("overwrite").parquet(str(folder / "plain"))
    schema = spark.read.parquet(str(folder / "plain")).schema
    seconds: dict[str, list[float]] = {"spark.read.parquet of a plain file": [], "snapshot": []}
    for number in range(REPEATS + 2):
        begin = time.perf_counter()
        expected = aggregate(spark.read.schema(schema).parquet(str(folder / "plain")))
        middle = time.perf_counter()
        async with reader.rows(Timestamp(as_of)) as frame:
            found = aggregate(frame)
        end = time.perf_counter()
        assert _close(found, expected), (found, expected)
        if number >= 2:
            seconds["spark.read.parquet of a plain file"].append(middle - begin)
            seconds["snapshot"].append(end - middle)
    await handle.close()
    return report(seconds)


def _close(left: list[Row], right: list[Row]) -> bool:
    """Equal up to the order in which floats were added."""
    pairs = [(a, b) for x, y in zip(left, right, strict=True) for a, b in zip(x, y, strict=True)]
    return all(abs(a - b) <= 1e-9 * abs(b) if isinstance(a, float) else a == b for a, b in pairs)


async def append_small(writer: WriteHandle) -> None:
    for number in range(1, APPENDS + 1):
        start = ROWS + number * ROWS_PER_APPEND
        appended = [(start + i, i, i * 0.5, "new", f"comment {i}") for i in range(ROWS_PER_APPEND)]
        times, diffs = [number] * ROWS_PER_APPEND, [1] * ROWS_PER_APPEND
        updates = UpdateBatch.from_rows(ROW_TYPE, appended, times, diffs)
        assert await writer.compare_and_append(updates, at(number), at(number + 1)) is None


async def run(spark: SparkSession, folder: Path) -> None:
    source = rows(spark, str(folder))
    async with await Persist.open_writer(Location.in_folder(folder / "store"), merger=SparkMerger(spark)) as persist:
        writer = await persist.create_or_load("rows", ROW_TYPE, key=["id"])
        async with stage(source, writer, Timestamp(0)) as staged:
            assert await writer.compare_and_append(staged, at(0), at(1)) is None
        medians = await compare(spark, persist, 0, folder)
        ratio = medians["spark.read.parquet of a plain file"] / medians["snapshot"]
        bar("speed of a snapshot / a plain file", ratio, 0.8, at_least=True)
        await append_small(writer)
        await persist.compact("rows")
        print(f"after {APPENDS} appends: {len(writer.state.batches)} batches, {len(writer.state.named_parts())} parts")
        medians = await compare(spark, persist, APPENDS, folder)
        ratio = medians["spark.read.parquet of a plain file"] / medians["snapshot"]
        bar(f"speed of a snapshot after {APPENDS} appends / a plain file", ratio, 0.6, at_least=True)


def main() -> None:
    spark = session()
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as name:
        asyncio.run(run(spark, Path(name).resolve()))
    stop(spark)


if __name__ == "__main__":
    main()
