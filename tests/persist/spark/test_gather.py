"""DataFrames of which few rows are taken as they are, and many written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql.functions import expr

from holdfast.persist import Location, Persist, PersistSettings
from holdfast.persist.scrub import scrub
from holdfast.persist.spark.scan import staged_rows
from holdfast.persist.spark.schema import updates_ddl
from holdfast.persist.spark.stage import gathered, with_updates
from holdfast.persist.write import Staged
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch
from tests.build import batches, multiset, row_types
from tests.persist.spark import NO_SHRINKING

ITEMS = RowType.of(("id", pa.int64()), ("name", pa.string()))
QUIET = PersistSettings(compact=False, notify=False)


@st.composite
def storable(draw: st.DrawFn) -> UpdateBatch:
    return draw(batches(draw(row_types())))


@settings(max_examples=20, phases=NO_SHRINKING, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(updates=storable(), few=st.sampled_from([0, 4, 1000]))
async def test_what_is_gathered_or_written_is_what_was_there(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory, updates: UpdateBatch, few: int
) -> None:
    time = Timestamp(7)
    frame = spark.createDataFrame(updates.table, updates_ddl(updates.row_type)).drop(TIME)
    columns = [*updates.table.columns[:-2], [time] * updates.rows, updates.table[DIFF]]
    then = UpdateBatch(updates.row_type, pa.table(columns, schema=updates.row_type.updates_schema))
    location = Location.in_folder(tmp_path_factory.mktemp("store"))
    async with await Persist.open_writer(location, settings=QUIET) as persist:
        writer = await persist.create_or_load("items", updates.row_type)
        with writer.parts.stage(writer.shard) as stage:
            made = gathered(frame.repartition(2), writer, stage, time, few)
            assert isinstance(made, UpdateBatch) or few < updates.rows
            assert await writer.compare_and_append(made, at(0), at(8)) is None
        found = await (await persist.reader("items")).rows(time)
        assert multiset(found) == multiset(then)
        assert scrub(persist.metadata, persist.parts.blob).damages == ()


async def test_tasks_with_few_rows_and_tasks_with_many(spark: SparkSession, tmp_path: Path) -> None:
    skewed = spark.sql("SELECT id, 'n' AS name FROM range(500)").repartitionById(2, expr("CAST(id < 3 AS INT)"))
    async with await Persist.open_writer(Location.in_folder(tmp_path), settings=QUIET) as persist:
        writer = await persist.create_or_load("items", ITEMS)
        with writer.parts.stage(writer.shard) as stage:
            made = gathered(skewed, writer, stage, Timestamp(0), 20)
            assert isinstance(made, Staged)
            assert sum(part.rows for part in made.parts) == 500
            rows = staged_rows(spark, writer, made).collect()
            assert Counter(row["id"] for row in rows) == Counter(range(500))
            less = UpdateBatch.from_rows(ITEMS, [(5, "n")], [0], [-1])
            made = with_updates(made, less, writer, stage)
            assert await writer.compare_and_append(made, at(0), at(1)) is None
        found = await (await persist.reader("items")).rows(Timestamp(0))
        assert sorted(found.table["id"].to_pylist()) == [id for id in range(500) if id != 5]
        assert scrub(persist.metadata, persist.parts.blob).damages == ()
