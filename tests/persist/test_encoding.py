from __future__ import annotations

import datetime
import pickle
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from holdfast.persist import encoding
from holdfast.persist.batch import Slice
from holdfast.persist.encoding import Encoded, PartFormat, Stage, decode, encode, encode_inline, sums, verify
from holdfast.persist.errors import CorruptPart
from holdfast.persist.part import ColumnStats, Part, Sums, total
from holdfast.persist.stats import physical
from holdfast.repr.consolidate import advance_by, consolidate
from holdfast.repr.frontier import EMPTY, MIN_TIME, Frontier, Timestamp
from holdfast.repr.ids import ShardId
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch
from tests.build import at, batch, batches, multiset, row_types
from tests.persist.paper import INTEGERS

SHARD = ShardId(1)
STAGE = Stage(SHARD, 3, "0af1")
SMALL_ROWS = encoding.SMALL_ROWS
"""As it is outside of these tests."""


def form(row_type: RowType, key: tuple[str, ...] | None = None, schema_id: int = 0) -> PartFormat:
    return PartFormat(SHARD, row_type, schema_id, row_type.names if key is None else key)


def whole(part: Part) -> Slice:
    return Slice(part, MIN_TIME, EMPTY)


def read(encoded: Iterable[Encoded], *schemas: RowType) -> UpdateBatch:
    tables = [table for each in encoded for table in decode(SHARD, whole(each.part), each.data, schemas)]
    return UpdateBatch(schemas[-1], pa.concat_tables([schemas[-1].updates_schema.empty_table(), *tables]))


typed = row_types().flatmap(lambda row_type: st.tuples(st.just(row_type), batches(row_type)))
"""A row type and updates of it."""


@pytest.fixture(autouse=True, scope="module")
def _small_parts_are_like_large_ones() -> Iterator[None]:
    """Sorted, summed and bounded."""
    with small_rows(0):
        yield


@contextmanager
def small_rows(rows: int) -> Iterator[None]:
    """Parts of fewer than `rows` updates are small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "SMALL_ROWS", rows)
        yield


unhurried = settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


# There and back


@unhurried
@given(typed, st.data())
def test_updates_of_every_type_are_read_as_they_were_written(
    row: tuple[RowType, UpdateBatch], data: st.DataObject
) -> None:
    row_type, updates = row
    key = tuple(data.draw(st.lists(st.sampled_from(row_type.names), unique=True))) if row_type.names else ()
    encoded = encode(form(row_type, key), updates, STAGE)
    found = read(encoded, row_type)
    assert multiset(found) == multiset(updates)
    assert found.rows == updates.rows
    hashes = form(row_type, key).key_hashes(found.table)
    assert (np.diff(hashes.astype(object)) >= 0).all()


@unhurried
@given(typed)
def test_a_part_is_described_truly(row: tuple[RowType, UpdateBatch]) -> None:
    row_type, updates = row
    assume(updates.rows)
    (encoded,) = encode(form(row_type), updates, STAGE)
    assert_described(encoded, updates)
    part, table = encoded.part, updates.table
    assert part.is_sorted
    hashes = form(row_type).key_hashes(table)
    assert (part.min_hash, part.max_hash) == (hashes.min(), hashes.max())
    contents = [int(h) for h in form(row_type).content_hashes(table)]
    assert part.sums.content == sum(d * h for d, h in zip(table[DIFF].to_pylist(), contents, strict=True)) % 2**64


@unhurried
@given(typed)
def test_a_small_part_is_written_as_it_came_and_says_nothing_of_hashes(row: tuple[RowType, UpdateBatch]) -> None:
    row_type, updates = row
    assume(updates.rows)
    with small_rows(SMALL_ROWS):
        (encoded,) = encode(form(row_type), updates, STAGE)
    assert_described(encoded, updates)
    part = encoded.part
    assert not part.is_sorted
    assert part.sums.content is None
    assert (part.min_hash, part.max_hash) == (-(2**63), 2**63 - 1)
    assert all((stats.lower, stats.upper) == (None, None) for _, stats in part.stats)
    found = read([encoded], row_type).table
    rows, expected = (form(row_type).content_hashes(table) for table in (found, updates.table))
    assert np.array_equal(rows, expected)
    assert found.select([TIME, DIFF]).equals(updates.table.select([TIME, DIFF]))


@unhurried
@given(typed, st.integers(0, 3))
def test_an_inline_part_holds_its_updates_as_they_came(row: tuple[RowType, UpdateBatch], chunks: int) -> None:
    row_type, updates = row
    assume(updates.rows)
    # In several pieces, some of them slices of larger ones.
    cuts = [0, *(updates.rows * (n + 1) // (chunks + 1) for n in range(chunks)), updates.rows]
    pieces = [updates.table.slice(start, end - start) for start, end in pairwise(cuts)]
    updates = UpdateBatch(row_type, pa.concat_tables(pieces))
    with small_rows(SMALL_ROWS):
        part = encode_inline(form(row_type), updates, STAGE, 2**20)
    assert part is not None
    assert part.inline is not None
    encoded = Encoded(part, pa.py_buffer(part.inline))
    assert_described(encoded, updates)
    assert Stage.of_key(part.key) is None
    assert not part.is_sorted
    assert part.stats == tuple((n, ColumnStats(None, None, updates.table[n].null_count)) for n in row_type.names)
    found = read([encoded], row_type).table
    rows, expected = (form(row_type).content_hashes(table) for table in (found, updates.table))
    assert np.array_equal(rows, expected)
    assert found.select([TIME, DIFF]).equals(updates.table.select([TIME, DIFF]))


def test_updates_that_are_many_or_large_or_none_are_no_inline_part() -> None:
    few = batch(INTEGERS, [((n,), 0, 1) for n in range(10)])
    with small_rows(10):
        assert encode_inline(form(INTEGERS), few, STAGE, 2**20) is None
    with small_rows(11):
        part = encode_inline(form(INTEGERS), few, STAGE, 2**20)
        assert part is not None
        assert encode_inline(form(INTEGERS), few, STAGE, part.size) == part
        assert encode_inline(form(INTEGERS), few, STAGE, part.size - 1) is None
        assert encode_inline(form(INTEGERS), few, STAGE, 0) is None
        assert encode_inline(form(INTEGERS), UpdateBatch.empty(INTEGERS), STAGE, 2**20) is None


def test_columns_and_newer_schemas_of_an_inline_part_are_read_like_those_of_others() -> None:
    newer = RowType.of(("n", pa.int64()), ("note", pa.string()))
    with small_rows(SMALL_ROWS):
        part = encode_inline(form(INTEGERS), batch(INTEGERS, "1 | 0 | 1\n2 | 5 | 1"), STAGE, 2**20)
    assert part is not None
    (table,) = decode(SHARD, Slice(part, MIN_TIME, at(5)), pa.py_buffer(part.inline), [INTEGERS, newer])
    assert table.to_pylist() == [{"n": 1, "note": None, TIME: 0, DIFF: 1}]
    (table,) = decode(SHARD, whole(part), pa.py_buffer(part.inline), [INTEGERS, newer], ["note"])
    assert table.to_pylist() == [{"note": None, TIME: 0, DIFF: 1}, {"note": None, TIME: 5, DIFF: 1}]


def assert_described(encoded: Encoded, updates: UpdateBatch) -> None:
    """What is known of every part."""
    part = encoded.part
    times, diffs = updates.table[TIME].to_pylist(), updates.table[DIFF].to_pylist()
    assert (part.min_time, part.max_time) == (min(times), max(times)) == (updates.min_time, updates.max_time)
    assert (part.min_diff, part.max_diff) == (min(diffs), max(diffs))
    assert part.inserts_only == (set(diffs) == {1})
    assert (part.rows, part.size, part.schema_id) == (updates.rows, encoded.data.size, 0)
    assert part.sums.diffs == sum(diffs)
    assert verify(SHARD, part, encoded.data) is encoded.data


@unhurried
@given(typed)
def test_statistics_bound_every_value(row: tuple[RowType, UpdateBatch]) -> None:
    row_type, updates = row
    assume(updates.rows)
    (encoded,) = encode(form(row_type), updates, STAGE)
    assert [name for name, _ in encoded.part.stats] == list(row_type.names)
    for name, stats in encoded.part.stats:
        column = updates.table[name]
        assert stats.nulls == column.null_count
        for scalar in column:
            value = None if pa.types.is_nested(scalar.type) or not scalar.is_valid else physical(scalar)
            if value is not None:
                assert stats.lower is None or stats.lower <= value  # type: ignore[operator]  # of one type: one column
                assert stats.upper is None or value <= stats.upper  # type: ignore[operator]  # likewise


@pytest.mark.parametrize(
    ("kind", "values", "lower", "upper"),
    [
        (pa.bool_(), [True, False], False, True),
        (pa.int64(), [3, -4, None], -4, 3),
        (pa.float64(), [0.5, -2.0], -2.0, 0.5),
        (pa.float64(), [0.5, float("nan")], None, None),
        (pa.float64(), [float("inf"), float("-inf")], float("-inf"), float("inf")),
        (pa.decimal128(10, 2), [Decimal("-1.50"), Decimal("20.00")], -150, 2000),
        (pa.decimal128(38, 0), [Decimal(10**37)], 10**37, 10**37),
        (pa.string(), ["b", "a\U0001f600", "a\uffff"], "a\uffff", "b"),
        (pa.string(), ["x" * 65, "y" * 65], "x" * 64, None),
        (pa.binary(), [b"\xff", b"\x00"], b"\x00", b"\xff"),
        (pa.binary(), [b"\xff" * 65], b"\xff" * 64, None),
        (pa.date32(), [datetime.date(1970, 1, 2), datetime.date(1969, 12, 31)], -1, 1),
        (pa.time64("us"), [datetime.time(0, 0, 1)], 10**6, 10**6),
        (pa.timestamp("us"), [datetime.datetime(1970, 1, 1, 0, 0, 1)], 10**6, 10**6),
        (
            pa.timestamp("us", "UTC"),
            [datetime.datetime(1970, 1, 1, 0, 0, 2, tzinfo=datetime.UTC)],
            2 * 10**6,
            2 * 10**6,
        ),
        (pa.string(), [None], None, None),
        (pa.list_(pa.int64()), [[1]], None, None),
    ],
)
def test_bounds_are_kept_for_every_type_that_has_an_order(
    kind: pa.DataType, values: list[object], lower: object, upper: object
) -> None:
    row_type = RowType.of(("v", kind))
    updates = batch(row_type, [((value,), 0, 1) for value in values])
    ((_, stats),) = encode(form(row_type), updates, STAGE)[0].part.stats
    assert (stats.lower, stats.upper) == (lower, upper)
    assert stats.nulls == values.count(None)


@pytest.mark.parametrize("rows", [1, SMALL_ROWS - 1, SMALL_ROWS, SMALL_ROWS + 1])
def test_a_part_has_an_order_sums_and_bounds_unless_it_is_small(rows: int) -> None:
    with small_rows(SMALL_ROWS):
        (encoded,) = encode(form(INTEGERS), batch(INTEGERS, [((n,), 0, 1) for n in range(rows)]), STAGE)
    large = rows >= SMALL_ROWS
    ((_, stats),) = encoded.part.stats
    assert (stats.lower, stats.upper) == ((0, rows - 1) if large else (None, None))
    assert encoded.part.is_sorted == large
    hashes = form(INTEGERS).key_hashes(read([encoded], INTEGERS).table)
    assert bool((hashes[1:] >= hashes[:-1]).all()) == (large or rows == 1)


def test_no_updates_make_no_parts() -> None:
    assert encode(form(INTEGERS), UpdateBatch.empty(INTEGERS), STAGE) == []


def test_many_updates_make_parts_of_ascending_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "PART_BYTES", 24 * 100)
    monkeypatch.setattr(encoding, "ROW_GROUP_ROWS", 32)
    updates = batch(INTEGERS, [((n,), n % 7, 1) for n in range(950)])
    encoded = encode(form(INTEGERS), updates, STAGE)
    parts = [each.part for each in encoded]
    assert all(part.rows <= 100 for part in parts)
    assert all(first.max_hash <= second.min_hash for first, second in pairwise(parts))
    assert len({part.key for part in parts}) == len(parts) == 10
    assert multiset(read(encoded, INTEGERS)) == multiset(updates)
    assert total(parts) == encode_whole(updates).part.sums


def test_a_few_updates_too_large_for_one_part_make_parts_of_ascending_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "PART_BYTES", 24 * 4)
    updates = batch(INTEGERS, [((n,), n % 7, 1) for n in range(20)])
    with small_rows(SMALL_ROWS):
        encoded = encode(form(INTEGERS), updates, STAGE)
    parts = [each.part for each in encoded]
    assert [part.rows for part in parts] == [4] * 5
    assert all(first.max_hash <= second.min_hash for first, second in pairwise(parts))
    assert multiset(read(encoded, INTEGERS)) == multiset(updates)
    assert total(parts) == encode_whole(updates).part.sums


def encode_whole(updates: UpdateBatch) -> Encoded:
    table, hashes = encoding.sort_by_hash(form(INTEGERS), updates.table)
    return encoding.encode_sorted(form(INTEGERS), "k", table, hashes, None)


def test_a_part_is_a_plain_parquet_file() -> None:
    (encoded,) = encode(form(INTEGERS), batch(INTEGERS, "1 | 5 | +1"), STAGE)
    assert pq.read_table(pa.BufferReader(encoded.data)).to_pylist() == [{"n": 1, TIME: 5, DIFF: 1}]


def test_a_format_can_be_sent_to_another_process() -> None:
    sent = PartFormat(SHARD, RowType.of(("a", pa.map_(pa.string(), pa.int64()))), 2, ("a",))
    assert pickle.loads(pickle.dumps(sent)) == sent


def test_a_key_tells_its_stage() -> None:
    assert Stage.of_key(STAGE.key("m12")) == STAGE
    for other in ("s1/other", "s1/e3-XYZ-0.parquet", "", "e3-0af1-0.parquet"):
        assert Stage.of_key(other) is None


# Sums


@unhurried
@given(row_types().flatmap(lambda row_type: st.tuples(batches(row_type), batches(row_type))), st.integers(0, 4))
def test_sums_are_linear_and_blind_to_times_and_consolidation(pair: tuple[UpdateBatch, UpdateBatch], time: int) -> None:
    first, second = pair
    both = UpdateBatch.concat(first.row_type, pair)
    assert sums_of(both) == sums_of(first) + sums_of(second)
    assert sums_of(consolidate(advance_by(both, at(time)))) == sums_of(both)


def sums_of(updates: UpdateBatch) -> Sums:
    return sums(updates.table[DIFF].to_numpy(), form(updates.row_type).content_hashes(updates.table))


def test_sums_of_diffs_may_leave_64_bits() -> None:
    largest, smallest = 2**63 - 1, -(2**63)
    updates = batch(INTEGERS, [((n,), 0, largest) for n in range(5)])
    assert sums_of(updates).diffs == 5 * largest
    assert sums_of(batch(INTEGERS, [((n,), 0, smallest) for n in range(5)])).diffs == 5 * smallest


def test_other_rows_have_other_sums() -> None:
    seen = {sums_of(batch(INTEGERS, [((n,), 0, 1)])) for n in range(1000)}
    assert len(seen) == 1000


# Damage


def sample() -> Encoded:
    row_type = RowType.of(("n", pa.int64()), ("s", pa.string()))
    rows = [((n * 7919, f"text {n}"), n % 5, 1) for n in range(200)]
    return encode(form(row_type), batch(row_type, rows), STAGE)[0]


SAMPLE = sample()
SAMPLE_TYPE = RowType.of(("n", pa.int64()), ("s", pa.string()))


def flipped(data: pa.Buffer, position: int, mask: int) -> pa.Buffer:
    changed = bytearray(data)
    changed[position] ^= mask
    return pa.py_buffer(bytes(changed))


@settings(max_examples=300)
@given(st.integers(0, SAMPLE.data.size - 1), st.integers(1, 255))
def test_any_flipped_byte_is_noticed(position: int, mask: int) -> None:
    with pytest.raises(CorruptPart, match="checksum is wrong") as noticed:
        verify(SHARD, SAMPLE.part, flipped(SAMPLE.data, position, mask))
    assert (noticed.value.shard, noticed.value.key) == (SHARD, SAMPLE.part.key)
    assert SAMPLE.part.key in str(noticed.value)


@pytest.mark.parametrize("size", [0, 1, SAMPLE.data.size - 1])
def test_a_part_cut_short_is_noticed(size: int) -> None:
    with pytest.raises(CorruptPart, match=f"it has {size} bytes, not {SAMPLE.part.size}"):
        verify(SHARD, SAMPLE.part, SAMPLE.data.slice(0, size))


def test_a_missing_part_is_noticed() -> None:
    with pytest.raises(CorruptPart, match="it is missing"):
        verify(SHARD, SAMPLE.part, None)


def data_pages() -> list[tuple[int, int]]:
    """Where the bytes of the column chunks are: page headers and pages."""
    group = pq.ParquetFile(pa.BufferReader(SAMPLE.data)).metadata.row_group(0)
    columns = [group.column(index) for index in range(group.num_columns)]
    starts = [column.dictionary_page_offset or column.data_page_offset for column in columns]
    return [(start, start + column.total_compressed_size) for start, column in zip(starts, columns, strict=True)]


@settings(max_examples=300)
@given(st.sampled_from(data_pages()), st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_a_flipped_byte_of_a_page_is_noticed_without_the_hash_too(
    chunk: tuple[int, int], place: float, mask: int
) -> None:
    """Rows read are the rows written, whatever else is wrong: a page header may change without changing them."""
    start, stop = chunk
    damaged = flipped(SAMPLE.data, start + int(place * (stop - start)), mask)
    try:
        found = pa.concat_tables(decode(SHARD, whole(SAMPLE.part), damaged, [SAMPLE_TYPE]))
    except CorruptPart:
        return
    assert found.equals(pa.concat_tables(decode(SHARD, whole(SAMPLE.part), SAMPLE.data, [SAMPLE_TYPE])))


def test_what_is_not_parquet_is_a_damaged_part() -> None:
    with pytest.raises(CorruptPart, match=SAMPLE.part.key):
        list(decode(SHARD, whole(SAMPLE.part), pa.py_buffer(b"nothing of the kind"), [SAMPLE_TYPE]))


# Slices


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(-2, 2)), min_size=1, max_size=20),
    st.integers(0, 10),
    st.none() | st.integers(0, 10),
)
def test_a_slice_reads_its_own_times_only(listed: list[tuple[int, int, int]], lower: int, upper: int | None) -> None:
    (encoded,) = encode(form(INTEGERS), batch(INTEGERS, [((n,), t, d) for n, t, d in listed]), STAGE)
    piece = Slice(encoded.part, Timestamp(lower), Frontier(None if upper is None else Timestamp(upper)))
    found = pa.concat_tables(decode(SHARD, piece, encoded.data, [INTEGERS])).to_pylist()
    expected = [u for u in listed if lower <= u[1] and (upper is None or u[1] < upper)]
    assert sorted((row["n"], row[TIME], row[DIFF]) for row in found) == sorted(expected)
    assert piece.whole == (len(expected) == len(listed))


def test_columns_can_be_picked_in_any_order() -> None:
    newest = RowType.of(*zip(("n", "s", "later"), (pa.int64(), pa.string(), pa.int32()), strict=True))
    tables = list(decode(SHARD, whole(SAMPLE.part), SAMPLE.data, [SAMPLE_TYPE, newest], ["later", "s"]))
    assert tables[0].column_names == ["later", "s", TIME, DIFF]
    assert tables[0]["later"].null_count == 200
    none = list(decode(SHARD, whole(SAMPLE.part), SAMPLE.data, [SAMPLE_TYPE], []))
    assert none[0].column_names == [TIME, DIFF]
    assert none[0].num_rows == 200


# Schemas


@unhurried
@given(typed, row_types(max_columns=3))
def test_old_parts_are_read_with_nulls_in_newer_columns(row: tuple[RowType, UpdateBatch], more: RowType) -> None:
    older, updates = row
    extra = [pa.field(f"new{number}", kind) for number, kind in enumerate(more.schema.types)]
    newest = RowType(pa.schema([*older.schema, *extra]))
    encoded = encode(form(older), updates, STAGE)
    found = read(encoded, older, newest)
    assert multiset(found) == multiset(UpdateBatch(newest, newest.widen(updates.table)))
    # Sums stay as they were, so merges that write old rows anew can still be checked.
    rewritten = form(newest, older.names, 1)
    assert sums(found.table[DIFF].to_numpy(), rewritten.content_hashes(found.table)) == sums_of(updates)


def test_parts_of_several_schemas_are_read_as_the_newest() -> None:
    schemas = [
        RowType.of(("a", pa.int64())),
        RowType.of(("a", pa.int64()), ("b", pa.string())),
        RowType.of(("a", pa.int64()), ("b", pa.string()), ("c", pa.list_(pa.int64()))),
    ]
    rows: list[tuple[object, ...]] = [(1,), (2, "x"), (3, "y", [4])]
    encoded = [
        encode(form(row_type, ("a",), number), batch(row_type, [(rows[number], 0, 1)]), replace(STAGE, id=f"{number}"))[
            0
        ]
        for number, row_type in enumerate(schemas)
    ]
    found = read(encoded, *schemas).table.to_pylist()
    assert [(row["a"], row["b"], row["c"]) for row in found] == [(1, None, None), (2, "x", None), (3, "y", [4])]
