"""DataFrames as collections."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from holdfast.persist import Location, Persist, PersistSettings, encoding
from holdfast.persist.errors import SchemaMismatch
from holdfast.persist.part import total
from holdfast.persist.scrub import scrub
from holdfast.persist.shard import UpperMismatch
from holdfast.persist.spark import stage
from holdfast.persist.spark.schema import updates_ddl
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch
from tests.build import batches, multiset, row_types
from tests.persist.conftest import S3Server
from tests.persist.places import BLOBS
from tests.persist.spark import NO_SHRINKING
from tests.spark.child import run_python

ITEMS = RowType.of(("id", pa.int64()), ("name", pa.string()))


async def test_a_staged_frame_shows_when_it_is_appended(spark: SparkSession, tmp_path: Path) -> None:
    async with await Persist.open_writer(Location.in_folder(tmp_path)) as persist:
        writer = await persist.create_or_load("items", ITEMS, key=["id"])
        frame = spark.sql("SELECT id, concat('n', id) AS name FROM range(1000)")
        async with stage(frame, writer, Timestamp(3)) as staged:
            assert writer.state.batches == ()
            assert await writer.compare_and_append(staged, at(0), at(4)) is None
        reader = await persist.reader("items")
        assert (await reader.rows(Timestamp(2))).rows == 0
        found = await reader.rows(Timestamp(3))
        assert sorted(found.table["id"].to_pylist()) == list(range(1000))
        assert scrub(persist.metadata, persist.parts.blob).damages == ()


async def test_a_losing_append_of_staged_parts_leaves_garbage_only(spark: SparkSession, tmp_path: Path) -> None:
    async with await Persist.open_writer(Location.in_folder(tmp_path)) as persist:
        writer = await persist.create_or_load("items", ITEMS)
        frame = spark.sql("SELECT id, 'x' AS name FROM range(10)")
        async with stage(frame, writer, Timestamp(3)) as staged:
            assert await persist.collect_garbage() == 0, "parts in hand are not garbage"
            await writer.seal(at(2))
            mismatch = await writer.compare_and_append(staged, at(0), at(4))
        assert mismatch == UpperMismatch(expected=at(0), current=at(2))
        assert await persist.collect_garbage() == len(staged.parts)


async def test_parts_on_s3(spark: SparkSession, tmp_path: Path, s3: S3Server) -> None:
    metadata = Location.in_folder(tmp_path).metadata
    location = Location.of(metadata, f"s3://{s3.bucket}/{tmp_path.name}-stage", s3.options)
    async with await Persist.open_writer(location) as persist:
        writer = await persist.create_or_load("items", ITEMS)
        async with stage(spark.sql("SELECT id, 'x' AS name FROM range(10)"), writer, Timestamp(0)) as staged:
            await writer.compare_and_append(staged, at(0), at(1))
        assert (await (await persist.reader("items")).rows(Timestamp(0))).rows == 10
        assert scrub(persist.metadata, persist.parts.blob).damages == ()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELECT id FROM range(1)", 'column "name" is missing, not string'),
        ("SELECT CAST(id AS INT) AS id, 'x' AS name FROM range(1)", 'column "id" is int, not bigint'),
        ("SELECT id, 'x' AS name, 1 AS more FROM range(1)", r"has no columns \['more'\]"),
    ],
)
async def test_a_frame_of_another_shape_is_refused(
    spark: SparkSession, tmp_path: Path, query: str, message: str
) -> None:
    async with await Persist.open_writer(Location.in_folder(tmp_path)) as persist:
        writer = await persist.create_or_load("items", ITEMS)
        with pytest.raises(SchemaMismatch, match=message):
            async with stage(spark.sql(query), writer, Timestamp(0)):
                pass


@st.composite
def storable(draw: st.DrawFn) -> UpdateBatch:
    return draw(batches(draw(row_types())))


@settings(max_examples=15, phases=NO_SHRINKING, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(updates=storable())
async def test_executors_write_what_the_driver_would(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, updates: UpdateBatch
) -> None:
    frame = spark.createDataFrame(updates.table, updates_ddl(updates.row_type))
    await assert_the_same(tmp_path_factory.mktemp("store"), updates, frame, None)


@settings(max_examples=15, phases=NO_SHRINKING, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(updates=storable(), time=st.sampled_from([0, 5, 2**62]).map(Timestamp))
async def test_executors_insert_each_row_once_at_the_time_they_are_given(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, updates: UpdateBatch, time: Timestamp
) -> None:
    frame = spark.createDataFrame(updates.table, updates_ddl(updates.row_type)).drop(TIME, DIFF)
    columns = [*updates.table.columns[:-2], [time] * updates.rows, [1] * updates.rows]
    inserts = UpdateBatch(updates.row_type, pa.table(columns, schema=updates.row_type.updates_schema))
    await assert_the_same(tmp_path_factory.mktemp("store"), inserts, frame, time)


@settings(max_examples=15, phases=NO_SHRINKING, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(updates=storable(), time=st.sampled_from([0, 5, 2**62]).map(Timestamp))
async def test_executors_write_all_updates_at_the_time_they_are_given(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, updates: UpdateBatch, time: Timestamp
) -> None:
    frame = spark.createDataFrame(updates.table, updates_ddl(updates.row_type)).drop(TIME)
    columns = [*updates.table.columns[:-2], [time] * updates.rows, updates.table[DIFF]]
    then = UpdateBatch(updates.row_type, pa.table(columns, schema=updates.row_type.updates_schema))
    await assert_the_same(tmp_path_factory.mktemp("store"), then, frame, time)


async def assert_the_same(folder: Path, updates: UpdateBatch, frame: DataFrame, time: Timestamp | None) -> None:
    """`frame` staged with `time` is what the driver writes of `updates`, and both are sound."""
    location = Location.in_folder(folder)
    async with await Persist.open_writer(location, settings=PersistSettings(compact=False, notify=False)) as persist:
        by_driver = await persist.create_or_load("driver", updates.row_type)
        by_executors = await persist.create_or_load("executors", updates.row_type)
        upper = at((updates.max_time or 0) + 1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(encoding, "SMALL_ROWS", 0)  # so that the driver sums contents too
            await by_driver.compare_and_append(updates, at(0), upper)
        async with stage(frame, by_executors, time) as staged:
            await by_executors.compare_and_append(staged, at(0), upper)
        driver, executors = (total(writer.state.named_parts().values()) for writer in (by_driver, by_executors))
        assert executors == driver
        assert driver.content is not None
        last = Timestamp((upper.time or 1) - 1)
        left = await (await persist.reader("driver")).rows(last)
        right = await (await persist.reader("executors")).rows(last)
        assert multiset(left) == multiset(right)
        assert scrub(persist.metadata, persist.parts.blob).damages == ()


async def test_spark_reads_checksums_of_pyarrow_and_any_reader_opens_a_part(
    spark: SparkSession, tmp_path: Path
) -> None:
    async with await Persist.open_writer(Location.in_folder(tmp_path), settings=BLOBS) as persist:
        writer = await persist.create_or_load("items", ITEMS)
        await writer.compare_and_append(UpdateBatch.from_rows(ITEMS, [(1, "a")], [0], [1]), at(0), at(1))
        path = tmp_path / "parts" / writer.state.batches[0].parts[0].key
    assert pq.read_table(path, page_checksum_verification=True).to_pylist() == [
        {"id": 1, "name": "a", "_time": 0, "_diff": 1}
    ]
    assert spark.read.parquet(str(path)).collect()[0].asDict() == {"id": 1, "name": "a", "_time": 0, "_diff": 1}


REMOTE_JOB = """
import asyncio
import json
import sys
import sys

import pyarrow as pa

from holdfast.persist import Location, Persist
from holdfast.persist.spark import SparkMerger, SparkReader, stage
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from holdfast.spark import SparkSettings, start, stop

ITEMS = RowType.of(("id", pa.int64()), ("name", pa.string()))


async def main(spark, folder):
    merger = SparkMerger(spark, large=0)
    async with await Persist.open_writer(Location.in_folder(folder), merger=merger) as persist:
        writer = await persist.create_or_load("items", ITEMS, key=["id"])
        frame = spark.sql("SELECT id, concat('n', id % 3) AS name FROM range(1000)")
        async with stage(frame, writer, Timestamp(0)) as staged:
            assert await writer.compare_and_append(staged, at(0), at(1)) is None
        for time in range(1, 41):
            updates = UpdateBatch.from_rows(ITEMS, [(time, f"n{time % 3}")], [time], [-1])
            assert await writer.compare_and_append(updates, at(time), at(time + 1)) is None
        await writer.allow_compaction(at(40))
        await persist.compact("items")
        reader = SparkReader(spark, await persist.reader("items"))
        async with reader.rows(Timestamp(40)) as rows:
            found = rows.groupBy("name").count().orderBy("name").collect()
            print(json.dumps([[row["name"], row["count"]] for row in found] + [len(writer.state.batches)]))


spark = start(SparkSettings(**json.loads(sys.argv[1])))
asyncio.run(main(spark, sys.argv[2]))
stop(spark)
"""

EXPECTED = [["n0", 321], ["n1", 319], ["n2", 320]]


def test_it_works_on_a_standalone_cluster(spark_cluster: str, tmp_path: Path) -> None:

    master = {"master": spark_cluster, "python": sys.executable, "conf": {"spark.executor.memory": "512m"}}
    done = run_python(REMOTE_JOB, json.dumps(master), str(tmp_path / "store"), cwd=tmp_path)
    *found, count = json.loads(done.stdout)
    assert found == EXPECTED
    assert count < 40


def test_it_works_over_spark_connect(spark_connect: str, tmp_path: Path) -> None:
    done = run_python(REMOTE_JOB, json.dumps({"master": spark_connect}), str(tmp_path / "store"), cwd=tmp_path)
    *found, count = json.loads(done.stdout)
    assert found == EXPECTED
    assert count < 40
