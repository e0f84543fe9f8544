"""Parquet: what was written is read as it was, and so are files of others whose values mean the same."""

from __future__ import annotations

import io
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.copy.options import CopyOptions
from holdfast.adapter.results import Piece
from holdfast.plan import types as t
from holdfast.plan.types import Type
from tests.adapter.copy.ours import copied_in, copied_out, split, tables_of
from tests.adapter.copy.theirs import Failure
from tests.plan.values import EVERY, nullable

PARQUET = CopyOptions("parquet")


def file_of(columns: Mapping[str, Any]) -> bytes:
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(dict(columns)), sink)
    return sink.getvalue()


# A struct without fields is none of Parquet's.
@pytest.mark.parametrize("type_", [each for each in EVERY if each != t.record_of((), ())], ids=str)
@settings(deadline=None, max_examples=15)
@given(data=st.data(), arrow=st.booleans(), cut=st.integers(0, 10_000))
def test_values_of_every_type_come_back(type_: Type, data: st.DataObject, arrow: bool, cut: int) -> None:
    columns = (("a", type_), ("b", t.INT4))
    rows = data.draw(st.lists(st.tuples(nullable(type_), st.none() | st.integers(0, 5)), max_size=4))
    sent = b"".join(copied_out(columns, rows, PARQUET, arrow=arrow))
    tables = tables_of(columns, PARQUET, split(sent, [cut]))
    assert [row for table in tables for row in Piece((type_, t.INT4), table).rows()] == rows


@pytest.mark.parametrize(
    ("type_", "values", "expected"),
    [
        (t.INT8, pa.array([1, None], pa.int16()), ["1", None]),
        (t.INT2, pa.array([1], pa.uint64()), ["1"]),
        (t.FLOAT8, pa.array([1.5], pa.float32()), ["1.5"]),
        (t.numeric(10, 2), pa.array([Decimal("1.5")], pa.decimal128(5, 1)), ["1.5"]),
        (t.numeric(10, 2), pa.array([3], pa.int64()), ["3"]),
        (t.TIMESTAMP, pa.array([1000], pa.timestamp("ms")), ["1970-01-01 00:00:01"]),
        (t.TIMESTAMPTZ, pa.array([1000], pa.timestamp("ms", "UTC")), ["1970-01-01 00:00:01+00"]),
        (t.DATE, pa.array([86_400_000], pa.date64()), ["1970-01-02"]),
        (t.TIMESTAMP, pa.array([1], pa.date32()), ["1970-01-02 00:00:00"]),
        (t.BYTEA, pa.array([b"ab"], pa.binary(2)), ["\\x6162"]),
        (t.TEXT, pa.array(["a", "b", "a"]).dictionary_encode(), ["a", "b", "a"]),
        (t.TEXT, pa.array(["a"], pa.large_string()), ["a"]),
        (t.JSONB, pa.array(['{"b":1,"a":2}']), ['{"a": 2, "b": 1}']),
        (t.UUID, pa.array(["00000000000000000000000000000001"]), ["00000000-0000-0000-0000-000000000001"]),
        (t.INT4RANGE, pa.array(["(1,4]"]), ["[2,5)"]),
    ],
    ids=str,
)
def test_values_that_mean_the_same_are_taken(type_: Type, values: Any, expected: list[str | None]) -> None:
    found = copied_in((("a", type_),), PARQUET, [file_of({"z": pa.nulls(len(values)), "a": values})])
    assert found == [(text,) for text in expected]


@pytest.mark.parametrize(
    ("type_", "values", "code", "message"),
    [
        (t.INT2, [70_000], "42804", 'values of column "a" of the parquet file do not fit into type smallint'),
        (t.TIMESTAMP, [1], "42804", None),
        (t.BOOL, [1], "42804", None),
        (t.Modified("varchar", 2), ["abc"], "22001", "value too long for type character varying(2)"),
        (t.INT4, ["x"], "22P02", 'invalid input syntax for type integer: "x"'),
    ],
    ids=str,
)
def test_values_that_do_not_fit_are_refused(type_: Type, values: list[Any], code: str, message: str | None) -> None:
    found = copied_in((("a", type_),), PARQUET, [file_of({"a": values})])
    assert isinstance(found, Failure)
    assert found.code == code
    assert message in (None, found.message)


def test_columns_are_found_by_their_names() -> None:
    data = file_of({"b": ["x"], "a": [1]})
    assert copied_in((("a", t.INT4), ("b", t.TEXT)), PARQUET, [data]) == [("1", "x")]
    missing = copied_in((("c", t.INT4),), PARQUET, [data])
    assert isinstance(missing, Failure)
    assert missing.code == "42703"


def test_what_is_no_file_of_parquet_is_refused() -> None:
    for data in (b"", b"PAR1", b"x" * 100):
        found = copied_in((("a", t.INT4),), PARQUET, [data])
        assert isinstance(found, Failure)
        assert found.code == "22P04"
