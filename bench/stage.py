"""Staging and committing 5 M rows of about 100 bytes from Spark, against `df.write.parquet` of the same sorted rows."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from pathlib import Path

from pyspark.sql import DataFrame

from bench.measure import bar, report
from bench.rows import ROW_TYPE, ROWS, rows, session
from holdfast.persist import Location, Persist, PersistSettings
from holdfast.persist.encoding import PartFormat
from holdfast.persist.spark import stage
from holdfast.persist.spark.stage import clustered
from holdfast.repr.frontier import Timestamp, at
from holdfast.spark import stop

REPEATS = 5


async def stage_and_commit(frame: DataFrame, folder: Path, name: str) -> None:
    async with await Persist.open_writer(
        Location.in_folder(folder), reentrance_id="bench", settings=PersistSettings(compact=False)
    ) as persist:
        writer = await persist.create_or_load(name, ROW_TYPE, key=["id"])
        async with stage(frame, writer, Timestamp(0)) as staged:
            assert await writer.compare_and_append(staged, at(0), at(1)) is None
        assert sum(batch.rows for batch in writer.state.batches) == ROWS


def plain_write(frame: DataFrame, folder: Path, form: PartFormat) -> None:
    ordered, hashed = clustered(frame.selectExpr("*", "0L AS _time", "1L AS _diff"), form)
    ordered.drop(hashed).write.mode("overwrite").parquet(str(folder / "plain"))


def main() -> None:
    spark = session()
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as name:
        folder = Path(name).resolve()
        source = rows(spark, str(folder))
        form = PartFormat(1, ROW_TYPE, 0, ("id",))  # type: ignore[arg-type]  # any shard id
        seconds: dict[str, list[float]] = {"df.write.parquet of the sorted rows": [], "stage and commit": []}
        for number in range(REPEATS + 1):
            begin = time.perf_counter()
            plain_write(source, folder, form)
            middle = time.perf_counter()
            asyncio.run(stage_and_commit(source, folder / "store", f"rows {number}"))
            end = time.perf_counter()
            if number:
                seconds["df.write.parquet of the sorted rows"].append(middle - begin)
                seconds["stage and commit"].append(end - middle)
            if number < REPEATS:
                shutil.rmtree(folder / "store")
        medians = report(seconds)
        size = sum(path.stat().st_size for path in (folder / "store").rglob("*.parquet"))
        print(f"{ROWS:,} rows, {size / ROWS:.0f} bytes a row in Parquet")
        ratio = medians["df.write.parquet of the sorted rows"] / medians["stage and commit"]
        bar("speed of stage and commit / df.write.parquet", ratio, 0.8, at_least=True)
    stop(spark)


if __name__ == "__main__":
    main()
