import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from tests.build import Update, batch, meaning, multiset, pieces, row_types, updates

A = RowType.of(("a", pa.int64()))
ZEROS_AND_NANS = np.array(
    [1 << 63, 0, 0x7FF0_0000_0000_0001, 0xFFF8_0000_0000_0000, 0x7FF8_0000_0000_0000, 0xFFF0_0000_0000_0000], np.uint64
)
"""-0, 0, a signalling NaN, a negative NaN, the NaN we keep, -inf."""
CANONICAL = [0, 0, 0x7FF8 << 48, 0x7FF8 << 48, 0x7FF8 << 48, 0xFFF0 << 48]


def of_column(values: pa.Array) -> UpdateBatch:
    ones = np.ones(len(values), np.int64)
    return UpdateBatch.from_table(pa.table({"a": values, "_time": ones, "_diff": ones}))


def bits(values: pa.Array | pa.ChunkedArray) -> list[int | None]:
    found: list[int | None] = values.combine_chunks().view(pa.uint64()).to_pylist()
    return found


def test_a_batch_says_what_it_holds() -> None:
    some = batch(A, "1 | 5 | +1 \n 2 | 3 | -4")
    assert (some.rows, some.min_time, some.max_time, some.diff_sum) == (2, 3, 5, -3)
    assert some.row_type == A


def test_an_empty_batch_has_no_times() -> None:
    none = UpdateBatch.empty(A)
    assert (none.rows, none.min_time, none.max_time, none.diff_sum) == (0, None, None, 0)


def test_the_sum_of_all_diffs_may_exceed_64_bits() -> None:
    assert batch(A, [((1,), 0, 2**63 - 1)] * 3).diff_sum == 3 * (2**63 - 1)
    assert batch(A, [((1,), 0, -(2**63))] * 3).diff_sum == -3 * 2**63


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1], "_diff": [1], "_time": [1]}, r"updates have columns \['a', '_diff', '_time'\]"),
        ({"a": ["x"], "_time": [1], "_diff": [1]}, 'column "a" has type string, not int64'),
        ({"a": [1], "_time": [1.0], "_diff": [1]}, 'column "_time" has type double, not int64'),
        ({"a": [1], "_time": pa.nulls(1, pa.int64()), "_diff": [1]}, 'column "_time" has nulls'),
        ({"a": [1], "_time": [1], "_diff": pa.nulls(1, pa.int64())}, 'column "_diff" has nulls'),
        ({"a": [1], "_time": [-1], "_diff": [1]}, "update has time -1, before the timeline begins"),
    ],
)
def test_a_table_of_other_updates_is_refused(columns: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        UpdateBatch(A, pa.table(columns))


def test_nulls_are_refused_where_the_row_type_has_none() -> None:
    with pytest.raises(UsageError, match='column "a" has nulls'):
        batch(RowType(pa.schema([pa.field("a", pa.int64(), nullable=False)])), "None | 0 | 1")


def test_a_row_of_another_length_is_refused() -> None:
    with pytest.raises(UsageError, match=r"row \(1, 2\) is not of type \(a: int64\)"):
        batch(A, "1, 2 | 0 | 1")


def test_tables_may_use_the_large_types() -> None:
    values = pa.array([["x"], None], pa.large_list(pa.field("element", pa.large_string())))
    column = of_column(values).table["a"]
    assert column.type.equals(pa.list_(pa.string()), check_metadata=True)
    assert column.to_pylist() == [["x"], None]


def test_floats_have_one_zero_and_one_nan() -> None:
    values = pa.array(ZEROS_AND_NANS).view(pa.float64())
    assert bits(of_column(values).table["a"]) == CANONICAL
    assert bits(of_column(values.slice(2)).table["a"]) == CANONICAL[2:]
    single = pa.array([0x8000_0000, 0x7F80_0001, 0xFFC0_0000, 0xFF80_0000], pa.uint32()).view(pa.float32())
    found = of_column(single).table["a"].combine_chunks().view(pa.uint32()).to_pylist()
    assert found == [0, 0x7FC0_0000, 0x7FC0_0000, 0xFF80_0000]


def test_floats_under_nulls_stay_null() -> None:
    values = pa.array(ZEROS_AND_NANS, mask=np.array([True, False] * 3)).view(pa.float64()).slice(1)
    assert bits(of_column(values).table["a"]) == [0, None, CANONICAL[3], None, CANONICAL[5]]


def test_nested_floats_have_one_zero_and_one_nan() -> None:
    floats = pa.array(ZEROS_AND_NANS).view(pa.float64())
    structs = pa.StructArray.from_arrays(
        [floats], names=["f"], mask=pa.array([False, True, False, False, False, False])
    )
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 6], pa.int32()), structs)
    maps = pa.MapArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array(["k", "k"]), lists)
    items = of_column(maps.slice(1)).table["a"].combine_chunks().items
    found = items.slice(len(items) - 1).flatten().field(0)
    assert bits(pa.chunked_array([found])) == CANONICAL[2:]


def test_entries_of_maps_are_in_the_order_of_their_keys() -> None:
    maps = pa.array(
        [[("z", 1)], [("b", 1), ("a", 2)], None, [], [("c", None), ("a", 1), ("b", 2)]], pa.map_(pa.string(), pa.int8())
    )
    expected = [[("z", 1)], [("a", 2), ("b", 1)], None, [], [("a", 1), ("b", 2), ("c", None)]]
    assert of_column(maps).table["a"].to_pylist() == expected
    assert of_column(maps.slice(1, 3)).table["a"].to_pylist() == expected[1:4]


def test_canonical_columns_are_not_copied() -> None:
    nested = pa.array([[{"f": 0.0}], None], pa.list_(pa.struct([("f", pa.float64())])))
    maps = pa.array([[("a", 1.0), ("b", 2.0)]], pa.map_(pa.string(), pa.float64()))
    for values in (pa.array([1.5, 0.0, float("nan")]), nested, maps, pa.array(["x"])):
        kept = of_column(values).table["a"].chunk(0)
        addresses = [[b and b.address for b in array.buffers()] for array in (values, kept)]
        assert addresses[0] == addresses[1]


@given(row_types().flatmap(lambda row_type: st.tuples(st.just(row_type), updates(row_type))))
def test_a_batch_means_its_updates(case: tuple[RowType, list[Update]]) -> None:
    row_type, listed = case
    some = batch(row_type, listed)
    some.table.validate(full=True)
    assert multiset(some) == meaning(row_type, listed)
    assert some.rows == len(listed)
    assert some.table.schema.equals(row_type.updates_schema, check_metadata=True)


@given(row_types().flatmap(lambda row_type: st.tuples(st.just(row_type), updates(row_type), updates(row_type))))
def test_concat_adds_meanings(case: tuple[RowType, list[Update], list[Update]]) -> None:
    row_type, some, more = case
    both = UpdateBatch.concat(row_type, [batch(row_type, some), batch(row_type, more)])
    assert multiset(both) == meaning(row_type, [*some, *more])


def test_concat_refuses_another_row_type() -> None:
    with pytest.raises(UsageError, match="batch of row type"):
        UpdateBatch.concat(A, [UpdateBatch.empty(RowType.of())])


@given(row_types().flatmap(lambda row_type: st.tuples(st.just(row_type), updates(row_type))), st.data())
def test_neither_order_nor_chunks_mean_anything(case: tuple[RowType, list[Update]], data: st.DataObject) -> None:
    some = batch(*case)
    order = data.draw(st.permutations(range(some.rows)))
    assert multiset(pieces(some, order, data.draw(st.lists(st.integers(0, 20), max_size=3)))) == multiset(some)
