from __future__ import annotations

import datetime
import re
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from holdfast.errors import UsageError
from holdfast.repr.hash import BLOCK, FEW, hash_rows, spark_hash

SEED = 42


def hashes(*columns: pa.Array) -> list[int]:
    return [int(value) for value in hash_rows(columns, len(columns[0]))]


def one(value: object, data_type: pa.DataType) -> int:
    """The hash of one value."""
    (found,) = hashes(pa.array([value], data_type))
    return found


# Each was computed by Spark 4.3.0.
@pytest.mark.parametrize(
    ("value", "data_type", "expected"),
    [
        (1, pa.int8(), -6698625589789238999),
        (1, pa.int16(), -6698625589789238999),
        (1, pa.int32(), -6698625589789238999),
        (True, pa.bool_(), -6698625589789238999),
        (1, pa.int64(), -7001672635703045582),
        (1.0, pa.float32(), 700633588856507837),
        (1.0, pa.float64(), -2162451265447482029),
        ("abc", pa.string(), 1423657621850124518),
        ("abc", pa.large_string(), 1423657621850124518),
        ("abc", pa.dictionary(pa.int32(), pa.string()), 1423657621850124518),
        (b"abcd", pa.binary(), -6810745876291105281),
        (b"abcd", pa.large_binary(), -6810745876291105281),
        (b"abcd", pa.binary(4), -6810745876291105281),
        (datetime.date(2020, 1, 1), pa.date32(), 2299834470729022467),
        (datetime.datetime(2020, 1, 1), pa.timestamp("us"), 7881863312764026046),
        (datetime.datetime(2020, 1, 1), pa.timestamp("us", "UTC"), 7881863312764026046),
        (datetime.time(1, 2, 3, 4000), pa.time64("us"), -1388842791635822056),
        (datetime.timedelta(seconds=1), pa.duration("us"), 6087480646152566239),
        (Decimal("1.25"), pa.decimal128(10, 2), 2287599437899865974),
        (Decimal("1.25"), pa.decimal128(38, 2), 284054986895877072),
        ([1, 2], pa.list_(pa.int32()), -8133857028838179022),
        ([1, 2], pa.large_list(pa.int32()), -8133857028838179022),
        ({"a": 1}, pa.struct([("a", pa.int32())]), -6698625589789238999),
        ([("a", 1)], pa.map_(pa.string(), pa.int32()), -4810547614043336770),
    ],
    ids=str,
)
def test_a_value_has_the_hash_that_spark_gives_it(value: object, data_type: pa.DataType, expected: int) -> None:
    assert one(value, data_type) == expected


@pytest.mark.parametrize("data_type", [pa.null(), pa.int32(), pa.string(), pa.list_(pa.int8()), pa.decimal128(38, 2)])
def test_a_null_leaves_the_hash_as_it_was(data_type: pa.DataType) -> None:
    nulls = pa.nulls(2, data_type)
    assert hashes(nulls) == [SEED, SEED]
    numbers = pa.array([1, 2])
    assert hashes(numbers, nulls) == hashes(nulls, numbers) == hashes(numbers)


def test_the_hash_of_no_columns_is_the_seed() -> None:
    assert hash_rows([], 3).tolist() == [SEED] * 3
    assert spark_hash([], pa.schema([])) == "42L"


def test_the_hash_of_no_rows_is_empty() -> None:
    for data_type in (pa.int64(), pa.string(), pa.list_(pa.string()), pa.map_(pa.int8(), pa.int8())):
        assert hashes(pa.array([], data_type)) == []


def test_there_is_one_zero_and_one_nan() -> None:
    odd = np.array([0x7FF0000000000001, 0xFFF8000000000001], dtype=np.uint64).view(np.float64)
    for width in (np.float32, np.float64):
        with np.errstate(invalid="ignore"):
            values = pa.array(np.concatenate([[0.0, -0.0, np.nan, -np.nan], odd]).astype(width))
        zero, other_zero, *nans = hashes(values)
        assert zero == other_zero
        assert len(set(nans)) == 1


def test_what_lies_under_a_null_does_not_matter() -> None:
    lists = pa.ListArray.from_arrays([0, 2, 3], pa.array([1, 2, 3]), mask=pa.array([True, False]))
    assert hashes(lists) == [SEED, hashes(pa.array([[3]]))[0]]
    structs = pa.StructArray.from_arrays([pa.array([1, 2])], ["a"], mask=pa.array([True, False]))
    assert hashes(structs) == [SEED, hashes(pa.array([2]))[0]]


def test_slices_and_chunks_hash_as_the_whole() -> None:
    rows = 2 * BLOCK + 100
    texts = pa.array([None if n % 7 == 0 else "x" * (n % 41) for n in range(rows)])
    lists = pa.array([[n] * (n % 3) for n in range(rows)])
    maps = pa.array([[(str(n), n)] * (n % 2) for n in range(rows)], pa.map_(pa.string(), pa.int64()))
    amounts = pa.array([Decimal(n) for n in range(rows)], pa.decimal128(30, 0))
    flags = pa.array([n % 3 == 0 for n in range(rows)])
    columns = [texts, lists, maps, amounts, flags]
    whole = hash_rows(columns, rows)
    cuts = [3, 1000, 5, BLOCK, 77]
    chunked = [pa.chunked_array([column[:cut], column[cut:]]) for column, cut in zip(columns, cuts, strict=True)]
    assert np.array_equal(hash_rows(chunked, rows), whole)
    assert np.array_equal(hash_rows([column[13:] for column in columns], rows - 13), whole[13:])


def test_a_string_hashes_the_same_in_any_company() -> None:
    """Long strings are hashed together while there are many of them, and then one by one."""
    texts = ["y" * length for length in (0, 31, 32, 33, 63, 64, 95, 1000, 5000, 70_000)]
    alone = [one(text, pa.string()) for text in texts]
    assert hashes(pa.array(texts * (FEW + 1))) == alone * (FEW + 1)


@pytest.mark.parametrize(
    "data_type",
    [
        pa.uint8(),
        pa.uint64(),
        pa.float16(),
        pa.date64(),
        pa.time32("ms"),
        pa.time64("ns"),
        pa.timestamp("ns"),
        pa.decimal256(40, 2),
        pa.month_day_nano_interval(),
        pa.string_view(),
    ],
    ids=str,
)
def test_a_type_that_spark_has_not_is_refused_by_name(data_type: pa.DataType) -> None:
    for holder in (data_type, pa.list_(data_type), pa.struct([("a", data_type)])):
        with pytest.raises(UsageError, match=re.escape(f"type {data_type} cannot be hashed")):
            hash_rows([pa.nulls(1, holder)], 1)
        with pytest.raises(UsageError, match="cannot be hashed"):
            spark_hash(["c"], pa.schema([("c", holder)]))


def test_columns_of_other_lengths_are_refused() -> None:
    with pytest.raises(UsageError, match="column of 2 values in a hash of 3 rows"):
        hash_rows([pa.array([1, 2])], 3)


def test_arithmetic_that_wraps_gives_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hashes(pa.array([2**63 - 1, -(2**63)]), pa.array(["z" * 100, "z"]))


def test_names_are_quoted_and_maps_become_entries() -> None:
    inner = pa.map_(pa.string(), pa.int32())
    fields = [
        ("a`b", pa.int32()),
        ("m", inner),
        ("l", pa.list_(inner)),
        ("s", pa.struct([("x y", pa.int32()), ("m", inner)])),
        ("n", pa.map_(pa.string(), inner)),
    ]
    schema = pa.schema(fields)
    assert spark_hash(schema.names, schema) == (
        "xxhash64(`a``b`, map_entries(`m`), transform(`l`, x0 -> map_entries(x0)),"
        " if(`s` is null, null, struct(`s`.`x y`, map_entries(`s`.`m`))),"
        " transform(map_entries(`n`), x0 -> struct(x0.key, map_entries(x0.value))))"
    )


def whole(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def decimals(digits: int, scale: int) -> st.SearchStrategy[Decimal]:
    return st.integers(-(10**digits) + 1, 10**digits - 1).map(lambda n: Decimal(n).scaleb(-scale))


TEXT = st.one_of(
    st.text(max_size=12), st.text("ab é€😀", min_size=20, max_size=80), st.just("long " * 50), st.just("longer " * 200)
)
DATES = st.dates(datetime.date(1900, 1, 1), datetime.date(2200, 1, 1))
TIMES = st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2200, 1, 1))
LEAVES: list[tuple[pa.DataType, st.SearchStrategy[Any]]] = [
    (pa.bool_(), st.booleans()),
    (pa.int8(), whole(8)),
    (pa.int16(), whole(16)),
    (pa.int32(), whole(32)),
    (pa.int64(), whole(64)),
    (pa.float32(), st.one_of(st.floats(width=32), st.just(-0.0))),
    (pa.float64(), st.one_of(st.floats(), st.just(-0.0))),
    (pa.decimal128(9, 2), decimals(9, 2)),
    (pa.decimal128(18, 0), decimals(18, 0)),
    (pa.decimal128(19, 4), decimals(19, 4)),
    (pa.decimal128(38, 10), decimals(37, 10)),
    (pa.string(), TEXT),
    (pa.large_string(), TEXT),
    (pa.binary(), TEXT.map(str.encode)),
    (pa.binary(5), st.binary(min_size=5, max_size=5)),
    (pa.date32(), DATES),
    (pa.timestamp("us"), TIMES),
    (pa.timestamp("us", "UTC"), TIMES),
    (pa.time64("us"), st.times()),
    (pa.duration("us"), st.timedeltas(datetime.timedelta(-10_000), datetime.timedelta(10_000))),
]

# How a column is made: its type, and the values it may hold.
Column = tuple[pa.DataType, st.SearchStrategy[Any]]


def lists_of(column: Column) -> Column:
    data_type, values = column
    return pa.list_(data_type), st.lists(st.none() | values, max_size=4)


def structs_of(columns: list[Column]) -> Column:
    fields = [(f"f{index}", data_type) for index, (data_type, _) in enumerate(columns)]
    values = {f"f{index}": st.none() | values for index, (_, values) in enumerate(columns)}
    return pa.struct(fields), st.fixed_dictionaries(values)


def maps_of(column: Column) -> Column:
    data_type, values = column
    items = st.dictionaries(st.text(max_size=3), st.none() | values, max_size=3)
    return pa.map_(pa.string(), data_type), items.map(lambda entries: list(entries.items()))


def nested(inner: st.SearchStrategy[Column]) -> st.SearchStrategy[Column]:
    return st.one_of(inner.map(lists_of), st.lists(inner, min_size=1, max_size=3).map(structs_of), inner.map(maps_of))


COLUMNS = st.recursive(st.sampled_from(LEAVES), nested, max_leaves=4)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    columns = draw(st.lists(COLUMNS, min_size=1, max_size=5))
    rows = draw(st.integers(1, 12))
    arrays = [pa.array([draw(st.none() | values) for _ in range(rows)], data_type) for data_type, values in columns]
    return pa.table(arrays, names=[f"column `{index}`" for index in range(len(arrays))])


def assert_agrees(spark: SparkSession, table: pa.Table) -> None:
    ours = hash_rows(table.columns, table.num_rows).tolist()
    expression = spark_hash(table.column_names, table.schema)
    theirs = spark.createDataFrame(table).selectExpr(f"{expression} as h").toArrow()
    assert theirs.column("h").to_pylist() == ours


LEAF_SCHEMA = pa.schema([(str(index), data_type) for index, (data_type, _) in enumerate(LEAVES)])
LEAF_ROWS = st.lists(
    st.fixed_dictionaries({str(index): st.none() | values for index, (_, values) in enumerate(LEAVES)}),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25, deadline=None)
@given(rows=LEAF_ROWS)
def test_every_leaf_type_agrees_with_spark(spark: SparkSession, rows: list[dict[str, Any]]) -> None:
    assert_agrees(spark, pa.Table.from_pylist(rows, LEAF_SCHEMA))


def test_strings_of_every_length_agree_with_spark(spark: SparkSession) -> None:
    texts = [bytes((7 * at + length) % 256 for at in range(length)) for length in range(300)]
    assert_agrees(spark, pa.table({"a": texts, "b": texts[::-1]}))


def test_decimals_of_every_length_agree_with_spark(spark: SparkSession) -> None:
    edges = [sign * 2**bits + step for bits in range(126) for sign in (1, -1) for step in (-1, 0, 1)]
    assert_agrees(
        spark, pa.table({"a": pa.array([Decimal(n) for n in edges if abs(n) < 10**38], pa.decimal128(38, 0))})
    )


def test_no_columns_agree_with_spark(spark: SparkSession) -> None:
    found = spark.range(1).selectExpr(f"{spark_hash([], pa.schema([]))} as h").toArrow()
    assert found.column("h").to_pylist() == hash_rows([], 1).tolist()
    assert found.schema.field("h").type == pa.int64()


@settings(max_examples=60, deadline=None)
@given(table=tables())
def test_tables_agree_with_spark(spark: SparkSession, table: pa.Table) -> None:
    assert_agrees(spark, table)


def test_hashing_in_two_steps_is_hashing_at_once() -> None:
    columns = [pa.array([1, None, 3]), pa.array(["a", "b", None]), pa.array([0.5, -0.0, None])]
    for count in range(len(columns) + 1):
        first = hash_rows(columns[:count], 3)
        assert hash_rows(columns[count:], 3, before=first).tolist() == hash_rows(columns, 3).tolist()
