"""Collections as DataFrames."""

from __future__ import annotations

import datetime
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from holdfast.persist import Location, Persist, PersistSettings, WriteHandle, encoding
from holdfast.persist.errors import AsOfBeforeSince, CorruptPart, ReadTimeout
from holdfast.persist.prune import Comparison, Operator
from holdfast.persist.spark import SparkReader
from holdfast.persist.spark.frames import Frames
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from holdfast.spark.errors import SparkJobFailed
from tests.persist.conftest import S3Server
from tests.persist.make_kept_store import EVERYTHING, FULL, NULLS
from tests.persist.places import in_folder
from tests.persist.spark import NO_SHRINKING

ITEMS = RowType.of(("id", pa.int64()), ("name", pa.string()))


SMALL_ROWS = encoding.SMALL_ROWS
"""As it is outside of these tests."""


@pytest.fixture(autouse=True, scope="module")
def _small_parts_have_bounds_and_blobs_too() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "SMALL_ROWS", 0)
        yield


@pytest.fixture
def _small_parts_are_inline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "SMALL_ROWS", SMALL_ROWS)


@pytest.fixture(params=["file", "inline", "s3"])
async def persist(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Persist]:
    location = Location.in_folder(tmp_path)
    if request.param == "inline":
        request.getfixturevalue("_small_parts_are_inline")
    if request.param == "s3":
        s3: S3Server = request.getfixturevalue("s3")
        location = Location.of(location.metadata, f"s3://{s3.bucket}/{tmp_path.name}", s3.options)
    async with await Persist.open_writer(location, settings=PersistSettings(compact=False)) as instance:
        yield instance


async def written(persist: Persist, *appends: list[tuple[int, str, int, int]]) -> WriteHandle:
    """A collection of `(id, name, time, diff)` appended in order, each up to the time after its last."""
    writer = await persist.create_or_load("items", ITEMS, key=["id"])
    for updates in appends:
        batch = UpdateBatch.from_rows(ITEMS, [u[:2] for u in updates], [u[2] for u in updates], [u[3] for u in updates])
        upper = at(max(u[2] for u in updates) + 1)
        assert await writer.compare_and_append(batch, writer.upper, upper) is None
    return writer


def counted(frame: DataFrame) -> Counter[tuple[object, ...]]:
    return Counter(tuple(row) for row in frame.collect())


async def test_rows_are_the_collection_at_each_time(spark: SparkSession, persist: Persist) -> None:
    await written(persist, [(1, "a", 0, 1), (2, "b", 1, 3)], [(1, "a", 2, -1), (2, "b", 2, -1), (3, "c", 3, 1)])
    reader = SparkReader(spark, await persist.reader("items"))
    expected = {0: {(1, "a"): 1}, 1: {(1, "a"): 1, (2, "b"): 3}, 2: {(2, "b"): 2}, 3: {(2, "b"): 2, (3, "c"): 1}}
    for time, rows in expected.items():
        async with reader.rows(Timestamp(time)) as frame:
            assert counted(frame) == rows


async def test_updates_and_changes_add_up_to_rows(spark: SparkSession, persist: Persist) -> None:
    await written(persist, [(1, "a", 0, 1), (2, "b", 1, 1)], [(1, "a", 2, -1), (3, "c", 3, 2)])
    reader = SparkReader(spark, await persist.reader("items"))
    async with reader.updates(Timestamp(1)) as before, reader.changes(Timestamp(2), at(4)) as changes:
        total: Counter[tuple[object, ...]] = Counter()
        for *row, diff in before.collect():
            total[tuple(row)] += diff
        for *row, time, diff in changes.collect():
            assert 2 <= time < 4
            total[tuple(row)] += diff
    assert {row: n for row, n in total.items() if n} == {(2, "b"): 1, (3, "c"): 2}


async def test_a_part_written_before_its_times_were_sealed_shows_bit_by_bit(
    spark: SparkSession, persist: Persist
) -> None:
    writer = await persist.create_or_load("items", ITEMS)
    await writer.write(UpdateBatch.from_rows(ITEMS, [(i, "x") for i in range(6)], range(6), [1] * 6))
    await writer.seal(at(2))
    await writer.seal(at(5))
    reader = SparkReader(spark, await persist.reader("items"))
    for time in range(5):
        async with reader.rows(Timestamp(time), columns=["id"]) as frame:
            assert sorted(row.id for row in frame.collect()) == list(range(time + 1))


async def test_other_times_are_no_other_code_for_spark(spark: SparkSession, tmp_path: Path) -> None:
    jvm: Any = spark  # what it counts is not in PySpark's types
    compilations = jvm._jvm.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME()
    async with await Persist.open_writer(
        Location.in_folder(tmp_path), settings=PersistSettings(compact=False)
    ) as persist:
        await written(persist, [(n, "a", n, 1) for n in range(9)])
        reader = SparkReader(spark, await persist.reader("items"))
        counts = []
        for lower in (2, 3, 4):
            async with reader.changes(Timestamp(lower), at(7)) as frame:
                assert sorted(frame.toArrow()["id"].to_pylist()) == list(range(lower, 7))
            counts.append(compilations.getCount())
    assert counts[1:] == counts[:1] * 2


async def test_an_empty_collection_is_an_empty_frame(spark: SparkSession, persist: Persist) -> None:
    writer = await persist.create_or_load("items", ITEMS)
    await writer.seal(at(5))
    async with SparkReader(spark, await persist.reader("items")).rows(Timestamp(4)) as frame:
        assert frame.columns == ["id", "name"]
        assert frame.collect() == []


async def test_rows_without_columns_are_counted(spark: SparkSession, persist: Persist) -> None:
    nothing = RowType.of()
    writer = await persist.create_or_load("ticks", nothing)
    await writer.compare_and_append(UpdateBatch.from_rows(nothing, [(), ()], [0, 1], [5, -2]), at(0), at(2))
    async with SparkReader(spark, await persist.reader("ticks")).rows(Timestamp(1)) as frame:
        assert frame.count() == 3


@pytest.mark.usefixtures("_small_parts_are_inline")
@pytest.mark.parametrize("where", ["file", "s3"])
async def test_blobs_and_parts_without_blobs_are_read_together(
    spark: SparkSession, request: pytest.FixtureRequest, tmp_path: Path, where: str
) -> None:
    location = Location.in_folder(tmp_path)
    if where == "s3":
        s3: S3Server = request.getfixturevalue("s3")
        location = Location.of(location.metadata, f"s3://{s3.bucket}/{tmp_path.name}", s3.options)
    async with await Persist.open_writer(location, settings=PersistSettings(compact=False)) as persist:
        many = [(i, "x" * 20, 0, 1) for i in range(300)]
        writer = await written(persist, many, [(1, "x" * 20, 1, -1)], [(1000, "new", 2, 1)])
        assert [batch.parts[0].inline is None for batch in writer.state.batches] == [True, False, False]
        reader = SparkReader(spark, await persist.reader("items"))
        async with reader.rows(Timestamp(2), columns=["id"]) as frame:
            assert sorted(row.id for row in frame.collect()) == [0, *range(2, 300), 1000]
        async with reader.rows(Timestamp(2), columns=["name"], where=[Comparison("id", ">", 298)]) as frame:
            assert counted(frame) == {("x" * 20,): 1, ("new",): 1}
        async with reader.changes(Timestamp(1), at(3)) as frame:
            assert counted(frame) == {(1, "x" * 20, 1, -1): 1, (1000, "new", 2, 1): 1}


@pytest.mark.usefixtures("_small_parts_are_inline")
async def test_values_of_every_type_are_the_same_from_parts_without_blobs(spark: SparkSession, tmp_path: Path) -> None:
    found = {}
    for inline_bytes in (0, 8192):
        settings = PersistSettings(compact=False, inline_bytes=inline_bytes)
        folder = tmp_path / str(inline_bytes)
        async with await Persist.open_writer(Location.in_folder(folder), settings=settings) as persist:
            writer = await persist.create_or_load("everything", EVERYTHING)
            updates = UpdateBatch.from_rows(EVERYTHING, [FULL, NULLS], [0, 0], [1, 2])
            await writer.compare_and_append(updates, at(0), at(1))
            assert (writer.state.inline_size > 0) == (inline_bytes > 0)
            reader = SparkReader(spark, await persist.reader("everything"))
            async with reader.changes(Timestamp(0), at(1)) as frame:
                found[inline_bytes] = (frame.dtypes, sorted(map(repr, frame.toArrow().to_pylist())))
    assert found[8192] == found[0]


@pytest.mark.usefixtures("_small_parts_are_inline")
async def test_a_damaged_part_without_a_blob_is_named(spark: SparkSession, tmp_path: Path) -> None:
    place = in_folder(tmp_path)
    async with place.writer() as persist:
        await written(persist, [(1, "a", 0, 1)])
    with closing(sqlite3.connect(tmp_path / "metadata.db")) as connection, connection:
        (key,) = connection.execute("SELECT part FROM part").fetchone()
        connection.execute("UPDATE part SET inline = zeroblob(length(inline))")
    async with place.writer() as persist:
        with pytest.raises(CorruptPart, match=rf"part {key} of shard 1 is damaged: its checksum is wrong"):
            async with SparkReader(spark, await persist.reader("items")).rows(Timestamp(0)):
                pass


async def test_a_negative_count_is_an_error(spark: SparkSession, persist: Persist) -> None:
    await written(persist, [(1, "a", 0, -1)])
    with pytest.raises(SparkJobFailed, match='collection "items" has a row with a negative count'):
        async with SparkReader(spark, await persist.reader("items")).rows(Timestamp(0)) as frame:
            frame.collect()


async def test_old_parts_have_nulls_in_new_columns(spark: SparkSession, persist: Persist) -> None:
    writer = await written(persist, [(1, "a", 0, 1)])
    wider = RowType.of(("id", pa.int64()), ("name", pa.string()), ("note", pa.string()))
    await writer.evolve(wider)
    await writer.compare_and_append(UpdateBatch.from_rows(wider, [(2, "b", "new")], [1], [1]), at(1), at(2))
    reader = SparkReader(spark, await persist.reader("items"))
    async with reader.rows(Timestamp(1)) as frame:
        assert counted(frame) == {(1, "a", None): 1, (2, "b", "new"): 1}
    async with reader.rows(Timestamp(1), columns=["id"], where=[Comparison("note", "is null")]) as frame:
        assert counted(frame) == {(1,): 1}


async def test_parts_outside_the_filter_are_not_read(spark: SparkSession, tmp_path: Path) -> None:
    async with await Persist.open_writer(Location.in_folder(tmp_path)) as persist:
        writer = await written(persist, [(1, "a", 0, 1)], [(100, "b", 1, 1)])
        far = writer.state.batches[1].parts[0]
        (tmp_path / "parts" / far.key).unlink()
        reader = SparkReader(spark, await persist.reader("items"))
        async with reader.rows(Timestamp(1), where=[Comparison("id", "<", 50)]) as frame:
            assert counted(frame) == {(1, "a"): 1}


async def test_a_part_cut_to_nothing_is_not_taken_for_no_rows(spark: SparkSession, tmp_path: Path) -> None:
    async with await Persist.open_writer(Location.in_folder(tmp_path)) as persist:
        writer = await written(persist, [(1, "a", 0, 1)])
        (part,) = writer.state.batches[0].parts
        (tmp_path / "parts" / part.key).write_bytes(b"")
        with pytest.raises(CorruptPart, match="it has 0 bytes"):
            async with SparkReader(spark, await persist.reader("items")).rows(Timestamp(0)) as frame:
                frame.collect()


async def test_a_frame_is_made_again_only_when_other_parts_are_read(spark: SparkSession, persist: Persist) -> None:
    writer = await written(persist, [(1, "a", 0, 1), (2, "b", 1, 3)])
    reader = SparkReader(spark, await persist.reader("items"), Frames())
    async with reader.rows(Timestamp(1)) as first, reader.rows(Timestamp(1)) as again:
        assert again is first
    async with reader.rows(Timestamp(0)) as earlier:
        assert counted(earlier) == {(1, "a"): 1}
    batch = UpdateBatch.from_rows(ITEMS, [(3, "c")], [2], [1])
    assert await writer.compare_and_append(batch, writer.upper, at(3)) is None
    async with reader.rows(Timestamp(2)) as later, reader.rows(Timestamp(1)) as before:
        assert before is first
        assert counted(before) == {(1, "a"): 1, (2, "b"): 3}
        assert counted(later) == {(1, "a"): 1, (2, "b"): 3, (3, "c"): 1}


async def test_a_part_cut_after_its_frame_was_made_is_noticed(spark: SparkSession, tmp_path: Path) -> None:
    async with in_folder(tmp_path).writer() as persist:
        await written(persist, [(1, "a", 0, 1)])
        reader = SparkReader(spark, await persist.reader("items"), Frames())
        async with reader.rows(Timestamp(0)) as frame:
            assert counted(frame) == {(1, "a"): 1}
        (part,) = tmp_path.rglob("*.parquet")
        part.write_bytes(b"")
        with pytest.raises(CorruptPart, match="0 bytes"):
            async with reader.rows(Timestamp(0)):
                pass


async def test_a_damaged_part_is_named(spark: SparkSession, persist: Persist, tmp_path: Path) -> None:
    writer = await written(persist, [(i, "x" * 50, 0, 1) for i in range(1000)])
    (part,) = writer.state.batches[0].parts
    if persist.parts.blob.local_path(part.key) is None:
        persist.parts.blob.delete(part.key)
    else:
        path = tmp_path / "parts" / part.key
        data = bytearray(path.read_bytes())
        data[100] ^= 1
        path.write_bytes(data)
    with pytest.raises((CorruptPart, SparkJobFailed), match=part.key.rpartition("/")[2]):
        async with SparkReader(spark, await persist.reader("items")).rows(Timestamp(0)) as frame:
            frame.collect()


async def test_times_outside_the_bounds_are_refused(spark: SparkSession, persist: Persist) -> None:
    writer = await written(persist, [(1, "a", 0, 1)], [(2, "b", 5, 1)])
    await writer.allow_compaction(at(3))
    reader = SparkReader(spark, await persist.reader("items"))
    with pytest.raises(AsOfBeforeSince, match=r"since is \{3\}"):
        async with reader.rows(Timestamp(2)):
            pass
    with pytest.raises(ReadTimeout, match=r"upper is \{6\}"):
        async with reader.rows(Timestamp(6), timeout=0.01):
            pass


@pytest.mark.parametrize("condition", ["f = double('NaN')", "f > 5.0", "f >= 5.0"])
async def test_spark_does_not_leave_out_rows_with_nan(spark: SparkSession, tmp_path: Path, condition: str) -> None:
    """Parquet's bounds leave NaN out, and Spark trusts them: where there is NaN, there must be no bounds."""
    floats = RowType.of(("f", pa.float64()))
    async with await Persist.open_writer(Location.in_folder(tmp_path)) as persist:
        writer = await persist.create_or_load("floats", floats)
        values = [(float("nan"),), *((n / 100,) for n in range(300))]
        updates = UpdateBatch.from_rows(floats, values, [0] * len(values), [1] * len(values))
        await writer.compare_and_append(updates, at(0), at(1))
        async with SparkReader(spark, await persist.reader("floats")).rows(Timestamp(0)) as frame:
            assert frame.where(condition).count() == 1


async def test_decimals_are_read_as_numbers_and_as_the_bytes_that_they_were_in_older_parts(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decimals = RowType.of(
        ("few", pa.decimal128(5, 2)),
        ("some", pa.decimal128(15, 2)),
        ("many", pa.decimal128(38, 2)),
        ("list", pa.list_(pa.decimal128(15, 2))),
    )
    largest = Decimal("9999999999999.99")
    rows: list[tuple[object, ...]] = [
        (Decimal(n) / 100, largest - n, Decimal(n) * 10**33, [Decimal(-n), None]) for n in range(300)
    ]
    async with await Persist.open_writer(
        Location.in_folder(tmp_path), settings=PersistSettings(compact=False)
    ) as persist:
        writer = await persist.create_or_load("decimals", decimals)
        await writer.compare_and_append(UpdateBatch.from_rows(decimals, rows, [0] * 300, [1] * 300), at(0), at(1))
        written = pq.write_table
        with monkeypatch.context() as patch:
            patch.setattr(
                pq, "write_table", lambda *sent, **how: written(*sent, **how | {"store_decimal_as_integer": False})
            )
            await writer.compare_and_append(UpdateBatch.from_rows(decimals, rows, [1] * 300, [1] * 300), at(1), at(2))
        kinds = {
            pq.ParquetFile(pa.BufferReader(persist.parts.fetch(writer.shard, part))).schema.column(1).physical_type
            for each in writer.state.batches
            for part in each.parts
        }
        assert kinds == {"INT64", "FIXED_LEN_BYTE_ARRAY"}
        async with SparkReader(spark, await persist.reader("decimals")).rows(Timestamp(1)) as frame:
            found = Counter((few, some, many, tuple(list_)) for few, some, many, list_ in frame.collect())
            assert found == Counter({(*row[:3], tuple(row[3])): 2 for row in rows})  # type: ignore[arg-type]
            assert frame.where(f"some = {largest}").count() == 2


WIDE = RowType.of(
    ("i", pa.int32()),
    ("f", pa.float64()),
    ("s", pa.string()),
    ("d", pa.decimal128(10, 2)),
    ("day", pa.date32()),
    ("at", pa.timestamp("us", "UTC")),
)
VALUES: dict[str, list[object]] = {
    "i": [None, -5, 0, 7, 2**31 - 1],
    "f": [None, -1.5, 0.0, float("nan"), float("inf")],
    "s": [None, "", "it's", "z" * 70, "\\n"],
    "d": [None, Decimal("-1.50"), Decimal("0.00"), Decimal("99999999.99")],
    "day": [None, datetime.date(1970, 1, 1), datetime.date(2024, 2, 29)],
    "at": [
        None,
        datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.UTC),
        datetime.datetime(1969, 1, 1, tzinfo=datetime.UTC),
    ],
}
OPERATORS: list[Operator] = ["=", "<", "<=", ">", ">=", "is null", "is not null"]
rows = st.lists(st.tuples(*(st.sampled_from(values) for values in VALUES.values())), max_size=6)
comparisons = st.sampled_from(sorted(VALUES)).flatmap(
    lambda column: st.builds(Comparison, st.just(column), st.sampled_from(OPERATORS), st.sampled_from(VALUES[column]))
)


@settings(max_examples=12, phases=NO_SHRINKING, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batches=st.lists(rows, min_size=1, max_size=3),
    where=st.lists(comparisons, min_size=1, max_size=2),
    small_rows=st.sampled_from([0, SMALL_ROWS]),
)
async def test_pushing_a_filter_down_does_not_change_the_answer(
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[list[tuple[object, ...]]],
    where: list[Comparison],
    small_rows: int,
) -> None:
    location = Location.in_folder(tmp_path_factory.mktemp("store"))
    async with await Persist.open_writer(location, settings=PersistSettings(compact=False, notify=False)) as persist:
        writer = await persist.create_or_load("wide", WIDE)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(encoding, "SMALL_ROWS", small_rows)
            for time, batch in enumerate(batches):
                updates = UpdateBatch.from_rows(WIDE, batch, [time] * len(batch), [1] * len(batch))
                await writer.compare_and_append(updates, at(time), at(time + 1))
        handle = await persist.reader("wide")
        last = Timestamp(len(batches) - 1)
        table = (await handle.rows(last)).table
        for comparison in where:
            table = table.filter(comparison.keep(table[comparison.column]))
        expected: Counter[str] = Counter()
        for row in table.to_pylist():
            expected[repr([row[name] for name in WIDE.names])] += row["_diff"]
        async with SparkReader(spark, handle).rows(last, where=where) as frame:
            found = Counter(repr([row[name] for name in WIDE.names]) for row in frame.toArrow().to_pylist())
    assert found == expected


@settings(max_examples=12, phases=NO_SHRINKING, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(rows, min_size=1, max_size=3), gone=st.sets(st.integers(0, 17)), again=st.integers(0, 2))
async def test_rows_that_went_are_gone_and_no_others(
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
    batches: list[list[tuple[object, ...]]],
    gone: set[int],
    again: int,
) -> None:
    """Whether parts only insert or not, and also of columns in which more rows are equal."""
    location = Location.in_folder(tmp_path_factory.mktemp("store"))
    every = [row for batch in batches for row in batch]
    left = [row for place, row in enumerate(every) if place not in gone] + every[:again]
    async with await Persist.open_writer(location, settings=PersistSettings(compact=False, notify=False)) as persist:
        writer = await persist.create_or_load("wide", WIDE)
        changes = [(row, place) for place, row in enumerate(every)]
        takes = [[(row, -1) for row, place in changes if place in gone], [(row, 1) for row in every[:again]]]
        appends = [*([(row, 1) for row in batch] for batch in batches), *takes]
        for time, updates in enumerate(appends):
            batch = UpdateBatch.from_rows(
                WIDE, [row for row, _ in updates], [time] * len(updates), [diff for _, diff in updates]
            )
            await writer.compare_and_append(batch, at(time), at(time + 1))
        handle, last = await persist.reader("wide"), Timestamp(len(appends) - 1)
        snapshot = (await handle.rows(last)).table.to_pylist()
        assert sum(row["_diff"] for row in snapshot) == len(left)
        for names in (WIDE.names, WIDE.names[1:2]):
            expected: Counter[str] = Counter()
            for row in snapshot:
                expected[repr([row[name] for name in names])] += row["_diff"]
            async with SparkReader(spark, handle).rows(last, names) as frame:
                found = Counter(repr([row[name] for name in names]) for row in frame.toArrow().to_pylist())
            assert found == expected
