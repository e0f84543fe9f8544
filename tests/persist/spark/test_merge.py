"""Merges on Spark."""

from __future__ import annotations

import itertools
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from holdfast.persist import Location, Persist, PersistSettings, encoding
from holdfast.persist.compact import SMALL_FAN, MergeTask, merge_in_process
from holdfast.persist.errors import CorruptPart
from holdfast.persist.part import total
from holdfast.persist.rest import Rest
from holdfast.persist.scrub import scrub
from holdfast.persist.shard import ShardState
from holdfast.persist.spark import SparkMerger
from holdfast.persist.spark.merge import whole_groups
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from tests.build import batches, multiset, row_types
from tests.persist.places import BLOBS
from tests.persist.spark import NO_SHRINKING

ITEMS = RowType.of(("id", pa.int64()), ("name", pa.string()))


@st.composite
def histories(draw: st.DrawFn) -> list[UpdateBatch]:
    row_type = draw(row_types(max_columns=3))
    return draw(st.lists(batches(row_type), min_size=1, max_size=4))


@settings(max_examples=12, phases=NO_SHRINKING, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=histories(), since=st.integers(0, 6), small_rows=st.sampled_from([0, encoding.SMALL_ROWS]))
async def test_a_merge_on_spark_equals_one_in_process(
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    history: list[UpdateBatch],
    since: int,
    small_rows: int,
) -> None:
    """Whether the parts are sorted, with contents that are known, or are as they came."""
    location = Location.in_folder(tmp_path_factory.mktemp("store"))
    async with await Persist.open_writer(location, settings=PersistSettings(compact=False, notify=False)) as persist:
        writer = await persist.create_or_load("items", history[0].row_type)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(encoding, "SMALL_ROWS", small_rows)
            for updates in history:
                if updates.rows:
                    await writer.write(updates)
        await writer.seal(at(3))
        await writer.seal(at(9))
        await writer.allow_compaction(at(since))
        state = writer.state
        if not state.batches:
            return
        assert all(part.is_sorted == (small_rows == 0) for part in state.named_parts().values())
        task = MergeTask(state, state.batches, state.since)
        with persist.parts.stage(writer.shard) as stage:
            here = merge_in_process(task, persist.parts, stage, Rest())
            there = SparkMerger(spark, large=0)(task, persist.parts, stage, Rest())
            assert here.read == there.read == total(here.parts) == total(there.parts)
            reader = await persist.reader("items")
            before = [multiset(await reader.rows(Timestamp(t))) for t in range(since, 9)]
            await persist.committer.apply(writer.shard, lambda state: state.apply_merge(there))
        assert [multiset(await reader.rows(Timestamp(t))) for t in range(since, 9)] == before
        assert scrub(persist.metadata, persist.parts.blob).damages == ()


async def test_a_damaged_input_stops_the_merge(spark: SparkSession, tmp_path: Path) -> None:
    async with await Persist.open_writer(
        Location.in_folder(tmp_path), settings=BLOBS, merger=SparkMerger(spark, large=0)
    ) as persist:
        writer = await persist.create_or_load("items", ITEMS)
        for time in range(SMALL_FAN):
            updates = UpdateBatch.from_rows(ITEMS, [(time, "x")], [time], [1])
            await writer.compare_and_append(updates, at(time), at(time + 1))
        before: ShardState = writer.state
        (tmp_path / "parts" / before.batches[4].parts[0].key).unlink()
        with pytest.raises(CorruptPart, match=before.batches[4].parts[0].key.rpartition("/")[2]):
            await persist.compact("items")
        assert writer.state == before


@given(sizes=st.lists(st.integers(1, 5), max_size=5), data=st.data())
def test_rows_with_one_hash_stay_together(sizes: list[int], data: st.DataObject) -> None:
    count = sum(sizes)
    hashes = sorted(data.draw(st.lists(st.integers(0, 4), min_size=count, max_size=count)))
    table = pa.table({"h": pa.array(hashes, pa.int64())})
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    groups = list(whole_groups((table.slice(s, n) for s, n in zip(starts, sizes, strict=True)), "h"))
    assert [h for group in groups for h in group["h"].to_pylist()] == hashes
    for left, right in itertools.pairwise(groups):
        assert left["h"][-1].as_py() < right["h"][0].as_py()
