"""Builders that tests share: frontiers, batches from text, batches as multisets, and strategies for both."""

from __future__ import annotations

import ast
import datetime
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from itertools import pairwise

import pyarrow as pa
from hypothesis import strategies as st

from holdfast.repr.frontier import Frontier, at
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

__all__ = ["at", "batch", "batches", "frontiers", "meaning", "multiset", "pieces", "row_types", "updates"]

Update = tuple[tuple[object, ...], int, int]
"""A row, its time and its diff."""


def batch(row_type: RowType, updates: str | Iterable[Update]) -> UpdateBatch:
    """A batch of `(row, time, diff)`, or of lines `1, 'a' | 5 | +1` whose cells are Python literals."""
    listed = _parse(updates) if isinstance(updates, str) else list(updates)
    return UpdateBatch.from_rows(
        row_type, [row for row, _, _ in listed], [time for _, time, _ in listed], [diff for _, _, diff in listed]
    )


def _parse(text: str) -> list[Update]:
    found: list[Update] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        row, time, diff = (cell.strip() for cell in f" {line}".rsplit("|", 2))
        found.append((ast.literal_eval(f"({row},)") if row else (), int(time), int(diff)))
    return found


def meaning(row_type: RowType, updates: Iterable[Update]) -> Counter[tuple[Hashable, int]]:
    """The diff of each row and time, where it is not zero: what any equal batch must mean."""
    totals: Counter[tuple[Hashable, int]] = Counter()
    for row, time, diff in updates:
        cells = zip(row, row_type.schema.types, strict=True)
        totals[tuple(_freeze(value, data_type) for value, data_type in cells), time] += diff
    return Counter({key: diff for key, diff in totals.items() if diff})


def multiset(batch: UpdateBatch) -> Counter[tuple[Hashable, int]]:
    """What `batch` means, with values that are hashable and a NaN that equals itself."""
    columns = [column.to_pylist() for column in batch.table.columns]
    *cells, times, diffs = columns
    rows: Iterable[tuple[object, ...]] = zip(*cells, strict=True) if cells else ((),) * batch.rows
    return meaning(batch.row_type, zip(rows, times, diffs, strict=True))


def _freeze(value: object, data_type: pa.DataType) -> Hashable:
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case list() if pa.types.is_map(data_type):
            return frozenset(
                (_freeze(key, data_type.key_type), _freeze(item, data_type.item_type)) for key, item in value
            )
        case list():
            return tuple(_freeze(element, data_type.value_type) for element in value)
        case dict():
            return tuple(_freeze(value[field.name], field.type) for field in data_type)
        case Hashable():
            return value
    raise AssertionError(f"{value!r} is not a value of Arrow")


def pieces(batch: UpdateBatch, order: Sequence[int], cuts: Iterable[int]) -> UpdateBatch:
    """`batch` with its updates in another order and in chunks that are slices of a longer array."""
    table = batch.table.take(pa.array(order, pa.int64()))
    bounds = sorted({0, table.num_rows, *(cut % (table.num_rows + 1) for cut in cuts)})
    slices = [table.slice(begin, end - begin) for begin, end in pairwise(bounds)]
    return UpdateBatch(batch.row_type, pa.concat_tables(slices)) if slices else batch


_FLAT: dict[pa.DataType, st.SearchStrategy[object]] = {
    pa.bool_(): st.booleans(),
    **{
        data_type: st.sampled_from([0, 1, 2**bits - 1, low])
        for data_type, bits, low in [
            (pa.int8(), 7, -(2**7)),
            (pa.int16(), 15, -(2**15)),
            (pa.int32(), 31, -(2**31)),
            (pa.int64(), 63, -(2**63)),
        ]
    },
    pa.float32(): st.sampled_from([0.0, -0.0, 1.5, math.nan, -math.nan, math.inf, -math.inf]),
    pa.float64(): st.sampled_from([0.0, -0.0, 0.1, math.nan, -math.nan, math.inf, 5e-324]),
    pa.decimal128(38, 2): st.sampled_from([Decimal("0.00"), Decimal("-1.50"), Decimal(10) ** 35]),
    pa.string(): st.sampled_from(["", "a", "ab", "é", "\0"]),
    pa.binary(): st.sampled_from([b"", b"\0", b"\0\0", b"a"]),
    pa.date32(): st.sampled_from([datetime.date(1970, 1, 1), datetime.date(9999, 12, 31), datetime.date(1, 1, 1)]),
    pa.time64("us"): st.sampled_from([datetime.time(0), datetime.time(23, 59, 59, 999_999)]),
    pa.timestamp("us"): st.sampled_from([datetime.datetime(1970, 1, 1), datetime.datetime(1, 1, 1)]),
    pa.timestamp("us", "UTC"): st.sampled_from([datetime.datetime(2024, 2, 29, tzinfo=datetime.UTC)]),
}
"""Every flat type, with few values each, so that rows are often equal, and those that are hard to tell apart."""


def _types() -> st.SearchStrategy[pa.DataType]:
    flat = st.sampled_from(sorted(_FLAT, key=str))
    return st.recursive(
        flat,
        lambda inner: st.one_of(
            inner.map(pa.list_),
            st.lists(inner, min_size=1, max_size=3).map(
                lambda types: pa.struct([(f"f{i}", t) for i, t in enumerate(types)])
            ),
            st.builds(pa.map_, flat, inner),
        ),
        max_leaves=5,
    )


@st.composite
def row_types(draw: st.DrawFn, max_columns: int = 4) -> RowType:
    """Row types over every supported type, nested ones and rows without columns included."""
    types = draw(st.lists(_types(), max_size=max_columns))
    return RowType.of(*((f"c{index}", data_type) for index, data_type in enumerate(types)))


def _values(data_type: pa.DataType) -> st.SearchStrategy[object]:
    return st.none() | _present(data_type)


def _present(data_type: pa.DataType) -> st.SearchStrategy[object]:
    if pa.types.is_list(data_type):
        return st.lists(_values(data_type.value_type), max_size=3)
    if pa.types.is_struct(data_type):
        return st.fixed_dictionaries({field.name: _values(field.type) for field in data_type})
    if pa.types.is_map(data_type):
        entries = st.tuples(_present(data_type.key_type), _values(data_type.item_type))
        return st.lists(entries, max_size=3, unique_by=lambda entry: _freeze(entry[0], data_type.key_type))
    return _FLAT[data_type]


@st.composite
def updates(draw: st.DrawFn, row_type: RowType, max_updates: int = 12) -> list[Update]:
    """Updates of few rows at few times, so that many fall together and cancel."""
    rows = draw(st.lists(st.tuples(*map(_values, row_type.schema.types)), min_size=1, max_size=4))
    return draw(st.lists(st.tuples(st.sampled_from(rows), st.integers(0, 3), st.integers(-2, 2)), max_size=max_updates))


def batches(row_type: RowType, max_updates: int = 12) -> st.SearchStrategy[UpdateBatch]:
    return updates(row_type, max_updates).map(lambda listed: batch(row_type, listed))


def frontiers(max_time: int = 5) -> st.SearchStrategy[Frontier]:
    """Frontiers of small times, and the empty one."""
    return st.integers(0, max_time).map(at) | st.just(Frontier(None))
