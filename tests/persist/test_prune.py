"""Filters: they compare as SQL does, and parts that hold nothing of what is asked for are not read."""

from __future__ import annotations

import asyncio
import datetime
import math
from decimal import Decimal
from operator import eq, ge, gt, le, lt

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.persist import encoding
from holdfast.persist.prune import Comparison, Operator, Range, filter_table, prune, range_of, within
from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from tests.build import at, batch, multiset
from tests.persist.places import in_memory


@pytest.mark.parametrize("operator", ["=", "<", "<=", ">", ">="])
def test_nan_is_equal_to_itself_and_greater_than_all_other_numbers(operator: Operator) -> None:
    numbers = [-1.5, math.inf, math.nan]
    column = pa.chunked_array([[*numbers, None]], pa.float64())
    compare = {"=": eq, "<": lt, "<=": le, ">": gt, ">=": ge}[operator]
    for place, value in enumerate(numbers):
        kept = Comparison("x", operator, value).keep(column).to_pylist()
        assert kept == [*(compare(other, place) for other in range(len(numbers))), False]


COLUMNS: dict[str, tuple[pa.DataType, st.SearchStrategy[object]]] = {
    "number": (pa.int64(), st.integers(-3, 3)),
    "float": (pa.float64(), st.sampled_from([-math.inf, -1.5, -0.0, 0.0, 1.5, math.inf, math.nan])),
    "small_float": (pa.float32(), st.sampled_from([-1.5, 0.0, 0.1, math.nan])),
    "text": (pa.string(), st.sampled_from(["", "a", "b", "é", "a" * 63, "a" * 64, "a" * 65, "b" * 100, "\U0001f600"])),
    "bytes": (pa.binary(), st.sampled_from([b"", b"a", b"a" * 65, b"\xff" * 70])),
    "decimal": (pa.decimal128(10, 2), st.sampled_from([Decimal("-1.50"), Decimal(0), Decimal("0.01"), Decimal(100)])),
    "date": (pa.date32(), st.sampled_from([datetime.date(1, 1, 1), datetime.date(1970, 1, 2), datetime.date.max])),
    "stamp": (pa.timestamp("us"), st.sampled_from([datetime.datetime(1960, 1, 1), datetime.datetime(2024, 2, 29)])),
    "flag": (pa.bool_(), st.booleans()),
}
WIDE = RowType.of(*((name, data_type) for name, (data_type, _) in COLUMNS.items()))
OPERATORS: list[Operator] = ["=", "<", "<=", ">", ">=", "is null", "is not null"]


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    column = draw(st.sampled_from(sorted(COLUMNS)))
    return Comparison(column, draw(st.sampled_from(OPERATORS)), draw(st.none() | COLUMNS[column][1]))


@given(
    parts=st.lists(
        st.lists(st.tuples(*(st.none() | strategy for _, strategy in COLUMNS.values())), min_size=1, max_size=4),
        min_size=1,
        max_size=4,
    ),
    where=st.lists(comparisons(), min_size=1, max_size=2),
)
@settings(max_examples=150)
def test_leaving_out_parts_by_their_statistics_changes_no_answer(
    parts: list[list[tuple[object, ...]]], where: list[Comparison]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "SMALL_ROWS", 0)
        asyncio.run(compare_pruned(parts, where))


async def compare_pruned(parts: list[list[tuple[object, ...]]], where: list[Comparison]) -> None:
    async with in_memory().writer() as persist:
        handle = await persist.create_or_load("c", WIDE, key=["number"])
        for time, rows in enumerate(parts):
            updates = batch(WIDE, [(row, time, 1) for row in rows])
            await handle.compare_and_append(updates, at(time), at(time + 1))
        reader = await persist.reader("c")
        with await reader.pin_snapshot(Timestamp(len(parts) - 1)) as pinned:
            answers = []
            for pieces in (pinned.slices, prune(pinned.slices, WIDE, where)):
                state = pinned.state
                tables = [WIDE.updates_schema.empty_table()]
                tables += [t for piece in pieces for t in reader.parts.read(state.id, piece, state.schemas)]
                answers.append(multiset(UpdateBatch(WIDE, filter_table(pa.concat_tables(tables), where))))
            assert answers[0] == answers[1]


async def test_parts_that_cannot_hold_what_is_asked_for_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "SMALL_ROWS", 0)
    ints = RowType.of(("a", pa.int64()))
    async with in_memory().writer() as persist:
        handle = await persist.create_or_load("c", ints)
        for time in range(4):
            await handle.compare_and_append(batch(ints, [((time,), time, 1)]), at(time), at(time + 1))
        slices = handle.state.snapshot(Timestamp(3))
    assert len(prune(slices, ints, [Comparison("a", "=", 2)])) == 1
    assert len(prune(slices, ints, [Comparison("a", ">=", 2)])) == 2
    assert len(prune(slices, ints, [Comparison("a", "is null")])) == 0
    with pytest.raises(UsageError, match='no column "b"'):
        prune(slices, ints, [Comparison("b", "=", 2)])


@given(
    parts=st.lists(st.lists(st.none() | st.integers(-4, 4), min_size=1, max_size=3), max_size=5),
    lower=st.integers(-5, 5),
    size=st.integers(0, 4),
)
@settings(max_examples=150)
def test_what_is_in_a_range_is_in_the_parts_that_are_left(parts: list[list[int | None]], lower: int, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "SMALL_ROWS", 0)
        asyncio.run(compare_ranges(parts, Range(lower, lower + size)))


async def compare_ranges(parts: list[list[int | None]], asked: Range) -> None:
    ints = RowType.of(("a", pa.int64()))
    async with in_memory().writer() as persist:
        handle = await persist.create_or_load("c", ints)
        for time, numbers in enumerate(parts):
            updates = batch(ints, [((number,), time, 1) for number in numbers])
            await handle.compare_and_append(updates, at(time), at(time + 1))
        slices = handle.state.snapshot(Timestamp(len(parts) - 1)) if parts else []
    kept = {piece.part.min_time for piece in within(slices, {"a": asked})}
    for time, numbers in enumerate(parts):
        known = [number for number in numbers if number is not None]
        overlaps = bool(known) and min(known) <= asked.upper and asked.lower <= max(known)
        assert (time in kept) == overlaps
    everything = [number for numbers in parts for number in numbers if number is not None]
    found = range_of(slices, "a")
    assert found is not None
    assert found == Range(min(everything), max(everything)) if everything else found.lower > found.upper


async def test_what_has_no_statistics_is_left() -> None:
    ints = RowType.of(("a", pa.int64()))
    async with in_memory().writer() as persist:
        handle = await persist.create_or_load("c", ints)
        await handle.compare_and_append(batch(ints, [((1,), 0, 1)]), at(0), at(1))
        slices = handle.state.snapshot(Timestamp(0))
    assert range_of(slices, "a") is None
    assert within(slices, {"a": Range(5, 6)}) == slices
