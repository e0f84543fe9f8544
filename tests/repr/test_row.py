from base64 import b64decode

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import DataCorruption, UsageError
from holdfast.repr.row import RowType, RowTypeError
from tests.build import batch, multiset, row_types

AB = RowType.of(("a", pa.int64()), ("b", pa.string()))
STORED_AB = (
    "/////6gAAAAQAAAAAAAKAAwABgAFAAgACgAAAAABBAAMAAAACAAIAAAABAAIAAAABAAAAAIAAABAAAAABAAAANj///8AAAEFEAAA"
    "ABgAAAAEAAAAAAAAAAEAAABiAAAABAAEAAQAAAAQABQACAAGAAcADAAAABAAEAAAAAAAAQIQAAAAHAAAAAQAAAAAAAAAAQAAAGEA"
    "AAAIAAwACAAHAAgAAAAAAAABQAAAAAAAAAA="
)
"""What `AB` was written as once."""


def test_equal_values_have_one_type() -> None:
    large = pa.struct([pa.field("f", pa.large_list(pa.field("element", pa.large_string(), nullable=False)))])
    written = RowType(pa.schema([pa.field("a", large, metadata={"k": "v"})], metadata={"k": "v"}))
    canonical = RowType.of(("a", pa.struct([("f", pa.list_(pa.string()))])))
    assert written == canonical
    assert written.to_bytes() == canonical.to_bytes()
    assert hash(written) == hash(canonical)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([("a", pa.int8()), ("a", pa.int8())], 'column "a" is there twice'),
        ([("_time", pa.int8())], 'column "_time" has a reserved name'),
        ([("_diff", pa.int8())], 'column "_diff" has a reserved name'),
        ([("a", pa.float16())], 'column "a" has unsupported type halffloat'),
        ([("a", pa.null())], 'column "a" has unsupported type null'),
        ([("a", pa.timestamp("ms"))], r'column "a" has unsupported type timestamp\[ms\]'),
        ([("a", pa.timestamp("us", "CET"))], r'column "a" has unsupported type timestamp\[us, tz=CET\]'),
        ([("a", pa.decimal256(40, 2))], r'column "a" has unsupported type decimal256\(40, 2\)'),
        ([("a", pa.decimal128(3, 5))], r'column "a" has unsupported type decimal128\(3, 5\)'),
        ([("a", pa.dictionary(pa.int8(), pa.string()))], 'column "a" has unsupported type dictionary'),
        ([("a", pa.list_(pa.struct([("f", pa.date64())])))], r'column "a\[\].f" has unsupported type date64\[ms\]'),
        ([("a", pa.map_(pa.list_(pa.int8()), pa.int8()))], 'column "a" has unsupported type map'),
        ([("a", pa.map_(pa.int8(), pa.null()))], 'column "a.value" has unsupported type null'),
        ([("a", pa.struct([]))], 'column "a" has type struct<>, whose field names'),
        ([("a", pa.struct([("f", pa.int8()), ("f", pa.int8())]))], 'column "a" has type struct<.*>, whose field names'),
    ],
)
def test_what_no_collection_can_hold_is_refused_by_column(columns: list[tuple[str, pa.DataType]], message: str) -> None:
    with pytest.raises(RowTypeError, match=message):
        RowType(pa.schema(columns))


@given(row_types())
def test_a_row_type_survives_its_bytes(row_type: RowType) -> None:
    assert RowType.from_bytes(row_type.to_bytes()) == row_type
    assert RowType(row_type.schema) == row_type


def test_stored_bytes_are_still_read() -> None:
    assert RowType.from_bytes(b64decode(STORED_AB)) == AB


@pytest.mark.parametrize("data", [b"", b"no schema", AB.to_bytes()[:-24]])
def test_bytes_that_are_no_row_type_are_corruption(data: bytes) -> None:
    with pytest.raises(DataCorruption, match="row type"):
        RowType.from_bytes(data)


def test_updates_are_the_columns_with_time_and_diff() -> None:
    expected = [("a", "int64", True), ("b", "string", True), ("_time", "int64", False), ("_diff", "int64", False)]
    assert [(field.name, str(field.type), field.nullable) for field in AB.updates_schema] == expected
    assert RowType.of_updates(AB.updates_schema) == AB
    with pytest.raises(UsageError, match="do not end in"):
        RowType.of_updates(AB.schema)


def test_only_appended_nullable_columns_extend() -> None:
    a = RowType.of(("a", pa.int64()))
    assert AB.extends(a)
    assert AB.extends(AB)
    assert not a.extends(AB)
    assert not AB.extends(RowType.of(("b", pa.string())))
    assert not AB.extends(RowType.of(("a", pa.int32())))
    assert not AB.extends(RowType(pa.schema([pa.field("a", pa.int64(), nullable=False)])))
    assert not RowType(pa.schema([pa.field("a", pa.int64(), nullable=False)])).extends(RowType.of())


@given(row_types(), st.data())
def test_a_row_type_extends_its_prefixes(row_type: RowType, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(row_type.names)))
    older = RowType(pa.schema(list(row_type.schema)[:count]))
    widened = row_type.widen(older.updates_schema.empty_table())
    assert row_type.extends(older)
    assert widened.schema.equals(row_type.updates_schema)


def test_widening_fills_nulls() -> None:
    old = batch(RowType.of(("a", pa.int64())), "7 | 1 | +1")
    assert multiset(type(old)(AB, AB.widen(old.table))) == multiset(batch(AB, "7, None | 1 | +1"))
    with pytest.raises(UsageError, match=r"row type \(a: int64, b: string\) does not extend \(c: int8\)"):
        AB.widen(RowType.of(("c", pa.int8())).updates_schema.empty_table())
