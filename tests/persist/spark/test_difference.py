"""What came to collections and what went, as DataFrames."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from holdfast.persist import Persist, encoding
from holdfast.persist.prune import NO_RANGES, Range, Ranges
from holdfast.persist.spark.difference import came, changed, gone
from holdfast.persist.spark.scan import SparkReader
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from tests.persist.places import in_folder

ITEMS = RowType.of(("id", pa.int64()), ("name", pa.string()))

Update = tuple[int, str | None, int, int]


@pytest.fixture
async def persist(tmp_path: Path) -> AsyncIterator[Persist]:
    async with in_folder(tmp_path).writer() as opened:
        yield opened


async def written(persist: Persist, *appends: Sequence[Update]) -> None:
    """A collection of `(id, name, time, diff)` appended in order, each up to the time after its last."""
    writer = await persist.create_or_load("items", ITEMS)
    for updates in appends:
        batch = UpdateBatch.from_rows(ITEMS, [u[:2] for u in updates], [u[2] for u in updates], [u[3] for u in updates])
        assert await writer.compare_and_append(batch, writer.upper, at(max(u[2] for u in updates) + 1)) is None


async def found(
    spark: SparkSession, persist: Persist, lower: int, upper: int, *columns: str
) -> tuple[Counter[object] | None, Counter[object] | None]:
    reader = await persist.reader("items")
    async with changed(spark, reader, Timestamp(lower), at(upper), columns or ITEMS.names) as change:
        sides = change.difference()
        return counted(sides.came), counted(sides.gone)


async def sides(
    spark: SparkSession, persist: Persist, time: int, *columns: str, ranges: Ranges = NO_RANGES
) -> tuple[Counter[object] | None, Counter[object] | None]:
    reader = SparkReader(spark, await persist.reader("items"))
    async with reader.snapshot(Timestamp(time), columns or None) as snapshot:
        return counted(came(snapshot, ranges)), counted(gone(snapshot, ranges))


def counted(frame: DataFrame | None) -> Counter[object] | None:
    return None if frame is None else Counter(tuple(row) for row in frame.collect())


async def test_where_rows_only_come_none_go(spark: SparkSession, persist: Persist) -> None:
    await written(persist, [(1, "a", 0, 1)], [(1, "a", 1, 1), (2, None, 2, 3)], [(1, "a", 3, -1)])
    assert await found(spark, persist, 1, 3) == (Counter({(1, "a"): 1, (2, None): 3}), None)
    assert await found(spark, persist, 1, 3, "name") == (Counter({("a",): 1, (None,): 3}), None)


async def test_where_rows_only_go_none_come(spark: SparkSession, persist: Persist) -> None:
    await written(persist, [(1, "a", 0, 4), (2, "b", 0, 1)], [(1, "a", 1, -2), (1, "a", 2, -1), (2, "b", 2, -1)])
    assert await found(spark, persist, 1, 3) == (None, Counter({(1, "a"): 3, (2, "b"): 1}))


async def test_what_came_and_went_again_did_neither(spark: SparkSession, persist: Persist) -> None:
    await written(
        persist,
        [(1, "a", 0, 2), (2, "b", 0, 1)],
        [(1, "a", 1, -1), (3, "c", 1, 1), (4, None, 1, 2)],
        [(1, "a", 2, 1), (2, "b", 2, -1), (3, "c", 2, -1)],
    )
    assert await found(spark, persist, 1, 3) == (Counter({(4, None): 2}), Counter({(2, "b"): 1}))
    assert await found(spark, persist, 2, 3) == (Counter({(1, "a"): 1}), Counter({(2, "b"): 1, (3, "c"): 1}))


async def test_of_a_time_at_which_nothing_happened_there_is_nothing(spark: SparkSession, persist: Persist) -> None:
    await written(persist, [(1, "a", 0, 1), (2, "b", 2, 1)])
    came, gone = await found(spark, persist, 1, 2)
    assert not came
    assert gone is None


async def test_all_that_came_and_all_that_went(spark: SparkSession, persist: Persist) -> None:
    await written(persist, [(1, "a", 0, 1), (2, "b", 0, 3)], [(1, "a", 1, -1), (2, "b", 1, -2)])
    await written(persist, [(1, "a", 2, 2), (3, None, 2, 1), (2, "b", 2, -1)], [(3, None, 3, -1)])
    assert await sides(spark, persist, 2) == (
        Counter({(1, "a"): 3, (2, "b"): 3, (3, None): 1}),
        Counter({(1, "a"): 1, (2, "b"): 3}),
    )
    assert await sides(spark, persist, 3, "name") == (
        Counter({("a",): 3, ("b",): 3, (None,): 1}),
        Counter({("a",): 1, ("b",): 3, (None,): 1}),
    )


async def test_of_rows_that_only_came_none_went(spark: SparkSession, persist: Persist) -> None:
    await written(persist, [(1, "a", 0, 1)], [(2, "b", 1, 1)])
    assert await sides(spark, persist, 1) == (Counter({(1, "a"): 1, (2, "b"): 1}), Counter())


async def test_sides_of_what_is_in_a_range(
    spark: SparkSession, persist: Persist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "SMALL_ROWS", 0)
    await written(persist, [(1, "a", 0, 1), (9, "i", 0, 1)], [(5, "e", 1, 1)], [(5, "e", 2, -1)], [(7, "g", 3, 1)])
    assert await sides(spark, persist, 3, ranges={"id": Range(4, 6)}) == (
        Counter({(1, "a"): 1, (9, "i"): 1, (5, "e"): 1}),
        Counter({(5, "e"): 1}),
    )


async def test_rows_in_a_range_are_there_as_often_as_they_are(
    spark: SparkSession, persist: Persist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "SMALL_ROWS", 0)
    await written(persist, [(1, "a", 0, 1), (2, "b", 0, 2)], [(7, "g", 1, 2)], [(1, "a", 2, -1), (7, "g", 2, -1)])
    reader = SparkReader(spark, await persist.reader("items"))
    async with reader.snapshot(Timestamp(1)) as before, reader.snapshot(Timestamp(2)) as after:
        # A plain scan: nothing that is in the range was taken back.
        assert counted(before.rows({"id": Range(0, 3)})) == Counter({(1, "a"): 1, (2, "b"): 2})
        assert counted(before.rows({"id": Range(9, 12)})) == Counter()
        # The row 1 is left out with its part, so that it must not be missed where it goes.
        assert counted(after.rows({"id": Range(6, 8)})) == Counter({(7, "g"): 1})
        assert counted(after.rows({"id": Range(1, 7)})) == Counter({(2, "b"): 2, (7, "g"): 1})


async def test_a_change_knows_between_which_numbers_it_is(
    spark: SparkSession, persist: Persist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoding, "SMALL_ROWS", 0)
    await written(persist, [(100, "z", 0, 1)], [(3, "c", 1, 1), (5, None, 1, 2)], [(4, "d", 2, 1), (9, "i", 2, -1)])
    reader = await persist.reader("items")
    async with changed(spark, reader, Timestamp(1), at(3), ITEMS.names) as change:
        assert change.range_of("id") == Range(3, 9)
        assert change.range_of("name") is None
