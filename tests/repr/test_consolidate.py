from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.repr.consolidate import (
    DiffOverflowError,
    _group_by_sorting,
    _words,
    advance_by,
    as_of,
    consolidate,
)
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from tests.build import at, batch, batches, frontiers, multiset, pieces, row_types

A = RowType.of(("a", pa.int64()))
any_batch = row_types().flatmap(batches)
times = st.integers(0, 5).map(Timestamp)


def is_consolidated(some: UpdateBatch) -> bool:
    return some.rows == len(multiset(some))


def test_updates_of_a_row_and_time_become_one() -> None:
    some = consolidate(batch(A, "1 | 5 | +1 \n 1 | 5 | +2 \n 1 | 6 | +1 \n 2 | 5 | +1 \n 2 | 5 | -1 \n 3 | 5 | 0"))
    assert some.rows == 2
    assert multiset(some) == multiset(batch(A, "1 | 5 | +3 \n 1 | 6 | +1"))


def test_rows_without_columns_are_counted() -> None:
    some = consolidate(batch(RowType.of(), [((), 1, 2), ((), 1, 3), ((), 2, 1), ((), 2, -1)]))
    assert multiset(some) == Counter({((), 1): 5})


def test_an_empty_batch_consolidates_to_itself() -> None:
    none = UpdateBatch.empty(RowType.of(("a", pa.list_(pa.int8()))))
    assert consolidate(none).rows == 0
    assert as_of(none, Timestamp(3)).rows == 0


def test_nothing_is_copied_where_nothing_falls_together() -> None:
    some = batch(A, "1 | 5 | +1 \n 2 | 5 | +1")
    assert consolidate(some) is some


def test_null_empty_and_nested_null_are_different() -> None:
    listed = RowType.of(("a", pa.list_(pa.struct([("f", pa.string())]))))
    values: list[object] = [None, [], [None], [{"f": None}], [{"f": ""}], [None, None]]
    some = consolidate(batch(listed, [((value,), 0, 1) for value in values * 2]))
    assert some.rows == len(values)
    assert set(multiset(some).values()) == {2}


def test_values_under_a_null_struct_do_not_count() -> None:
    structs = pa.StructArray.from_arrays([pa.array([1, 2, 3])], names=["f"], mask=pa.array([True, True, False]))
    ones = np.ones(3, np.int64)
    some = consolidate(UpdateBatch.from_table(pa.table({"a": structs, "_time": ones, "_diff": ones})))
    assert multiset(some) == Counter({((None,), 1): 2, (((3,),), 1): 1})


@pytest.mark.parametrize("sign", [1, -1])
def test_a_sum_beyond_64_bits_is_an_error_and_does_not_wrap(sign: int) -> None:
    with pytest.raises(DiffOverflowError, match="more than 64 bits"):
        consolidate(batch(A, [((1,), 0, sign * (2**63 - 1)), ((1,), 0, sign * 2)]))


def test_large_diffs_of_different_rows_do_not_overflow() -> None:
    large = [
        ((1,), 0, 2**63 - 1),
        ((2,), 0, -(2**63)),
        ((1,), 0, -1),
        ((2,), 0, 1),
        ((3,), 0, 2**62),
        ((3,), 0, -(2**62)),
    ]
    assert multiset(consolidate(batch(A, large))) == Counter({((1,), 0): 2**63 - 2, ((2,), 0): 1 - 2**63})


@given(any_batch)
def test_consolidation_keeps_the_meaning_in_one_update_each(some: UpdateBatch) -> None:
    done = consolidate(some)
    done.table.validate(full=True)
    assert multiset(done) == multiset(some)
    assert is_consolidated(done)


@given(any_batch)
def test_consolidation_is_idempotent(some: UpdateBatch) -> None:
    done = consolidate(some)
    assert consolidate(done) is done


@given(any_batch, st.data())
def test_neither_order_nor_chunks_change_what_is_consolidated(some: UpdateBatch, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(some.rows)))
    other = pieces(some, order, data.draw(st.lists(st.integers(0, 20), max_size=3)))
    assert multiset(consolidate(other)) == multiset(some)
    assert is_consolidated(consolidate(other))


@given(any_batch, frontiers())
def test_advancing_commutes_with_consolidation(some: UpdateBatch, since: Frontier) -> None:
    direct, around = consolidate(advance_by(some, since)), consolidate(advance_by(consolidate(some), since))
    assert multiset(direct) == multiset(around)
    assert direct.rows == around.rows


@given(any_batch, frontiers())
def test_advancing_moves_each_time_as_the_frontier_says(some: UpdateBatch, since: Frontier) -> None:
    expected: Counter[tuple[object, int]] = Counter()
    for (row, time), diff in multiset(some).items():
        expected[row, since.advance(Timestamp(time))] += diff
    assert multiset(advance_by(some, since)) == Counter({key: diff for key, diff in expected.items() if diff})


@given(any_batch, times)
def test_as_of_adds_up_what_happened_until_then(some: UpdateBatch, time: Timestamp) -> None:
    expected: Counter[tuple[object, int]] = Counter()
    for (row, when), diff in multiset(some).items():
        expected[row, time] += diff if when <= time else 0
    found = as_of(some, time)
    assert multiset(found) == Counter({key: diff for key, diff in expected.items() if diff})
    assert is_consolidated(found)


@given(any_batch, times, times)
def test_advancing_changes_no_time_in_advance(some: UpdateBatch, since: Timestamp, later: Timestamp) -> None:
    time = max(since, later)
    assert multiset(as_of(advance_by(some, at(since)), time)) == multiset(as_of(some, time))


@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 2),
            st.none() | st.integers(0, 1),
            st.sampled_from([None, "", "a"]),
            st.sampled_from([None, Decimal("0.5"), Decimal(-1)]),
            st.integers(-1, 1),
        ),
        min_size=1,
        max_size=30,
    ),
    modulus=st.sampled_from([1, 2, 3, 100]),
)
def test_sorting_is_exact_whatever_the_hashes(
    rows: list[tuple[int, int | None, str | None, Decimal | None, int]], modulus: int
) -> None:
    *columns, diffs = zip(*rows, strict=True)
    types = [pa.int64(), pa.int64(), pa.string(), pa.decimal128(9, 2)]
    arrays = [pa.array(column, type_) for column, type_ in zip(columns, types, strict=True)]
    keys = pa.table(arrays, names=["x", "y", "z", "w"])
    hashes = np.array([hash(row[:2]) % modulus << 40 for row in rows], np.uint64)
    groups, [sums] = _group_by_sorting(keys, [np.array(diffs)], _words(keys.select([0, 1])), hashes)
    found = [(tuple(group.values()), int(total)) for group, total in zip(groups.to_pylist(), sums, strict=True)]
    expected: Counter[tuple[object, ...]] = Counter()
    for *key, diff in rows:
        expected[tuple(key)] += diff
    assert len(found) == len(dict(found))
    assert {key: total for key, total in found if total} == {key: total for key, total in expected.items() if total}


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("different", [10, 30_000, 60_000, 10**9])
def test_many_rows_are_consolidated_however_often_they_repeat(different: int, *, texts: bool) -> None:
    random = np.random.default_rng(different)
    values = random.integers(0, different, 60_000)
    nulls = values % 7 == 0
    table = pa.table(
        {
            "a": values * 0x1234_5678_9ABC,
            "b": pa.array(values.astype(np.int16), mask=nulls),
            "c": pa.array(values % 3 == 0),
            "d": pa.array(values / 2.0),
            "e": pa.array(values).cast(pa.timestamp("us")),
            **(
                {"f": pa.array(values.astype(str)), "g": pa.array(values % 100).cast(pa.decimal128(20))}
                if texts
                else {}
            ),
            "_time": values % 5,
            "_diff": random.integers(-1, 2, len(values)),
        }
    )
    some = UpdateBatch.from_table(pa.concat_tables([table.slice(0, 20_000), table.slice(20_000)]))
    expected: Counter[int] = Counter()
    for value, diff in zip(values.tolist(), table["_diff"].to_pylist(), strict=True):
        expected[value] += diff
    done = consolidate(some).table
    found = list(zip(pa.compute.multiply(done["d"], 2.0).to_pylist(), done["_diff"].to_pylist(), strict=True))
    assert dict(found) == {float(value): diff for value, diff in expected.items() if diff}
    assert len(found) == len(dict(found))
