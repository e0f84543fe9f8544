"""Columns of text: read by Arrow or one by one, they have the same values, or the same first error."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.copy.typed import column_of
from holdfast.compute.evaluate.values import to_arrow
from holdfast.plan import types as t
from holdfast.plan.errors import DataError
from holdfast.plan.text import read_of, write_of
from holdfast.plan.types import Type
from tests.plan.values import EVERY, values

INTEGERS = ("0", "7", "-7", "+7", "007", " 7", "7 ", "1_000", "0x1F", "0b1", "", "-", "x", "32767", "-32768", "65535")
WIDE = ("2147483647", "-2147483648", "2147483648", "4294967295", "9223372036854775807", "-9223372036854775809", "1e3")
FLOATS = (
    "0",
    "-0",
    "0.0",
    "1.5",
    "+1.5",
    ".5",
    "5.",
    "1e3",
    "1e400",
    "1e-400",
    "1e40",
    "1e-46",
    "inf",
    "-Infinity",
    "x",
)
NUMBERS = (
    "0",
    "1.5",
    "+1.5",
    ".5",
    "5.",
    "1e3",
    "1e-3",
    "1.005",
    "12345678.9",
    "1e400",
    "1_0.5",
    "0x10",
    " 1 ",
    "",
    "x",
)
DATES = ("2020-02-29", "2019-02-29", "0001-01-01", "0000-01-01", "9999-12-31", "infinity", "epoch", "20200101", "x")
TIMES = ("2020-01-01 12:34:56", "2020-01-01T12:34:56", "2020-01-01 12:34:56.5", "2020-01-01 12:34:56.123456")
ODD_TIMES = (
    *(
        "2020-01-01",
        "2020-01-01 12",
        "2020-01-01 12:34",
        "2020-01-01 24:00:00",
        "2020-01-01 23:59:60",
        "0000-01-01 00:00:00",
    ),
    *("2020-01-01 12:34:56Z", "2020-01-01 12:34:56+00", "2020-01-01 12:34:56.5+00", "2020-01-01 12:34:56+05:30"),
    *("2020-01-01 12:34:56.1234567", "2020-01-01 12:34:56-20:00", "infinity", "2020-01-01 12:34:56 BC", ""),
)
STRINGS = ("", "a", "a b", "abc  ", "abcdef", "é" * 5, "é" * 6, "x" * 63, "x" * 64, "é" * 32, "     ", "abcde ")
UUIDS = (
    *(
        "00000000-0000-0000-0000-000000000001",
        "ABCDEF00-0000-0000-0000-000000000001",
        "{00000000000000000000000000000001}",
    ),
    *("00000000-0000-0000-0000-00000000000", "x"),
)
TRUTHS = ("t", "f", "true", "FALSE", "yes", "no", "on", "of", "1", "0", " t ", "x", "")
FORMS: dict[Type, Sequence[str]] = {
    **dict.fromkeys((t.INT2, t.INT4, t.INT8, t.UINT2, t.UINT4, t.UINT8, t.OID, t.MZ_TIMESTAMP), (*INTEGERS, *WIDE)),
    **dict.fromkeys((t.FLOAT4, t.FLOAT8), FLOATS),
    **dict.fromkeys((t.NUMERIC, t.numeric(10, 2), t.numeric(38, 0), t.numeric(7, 2, declared=True)), NUMBERS),
    t.DATE: DATES,
    **dict.fromkeys((t.TIMESTAMP, t.TIMESTAMPTZ, t.Modified("timestamp", 1)), (*TIMES, *TIMES, *ODD_TIMES)),
    **dict.fromkeys((t.TEXT, t.NAME, t.VARCHAR, t.BPCHAR, t.Modified("varchar", 5), t.Modified("bpchar", 5)), STRINGS),
    t.UUID: UUIDS,
    t.BOOL: TRUTHS,
}


def one_by_one(texts: Sequence[str | None], type_: Type) -> pa.Array:
    return to_arrow([None if text is None else read_of(type_)(text) for text in texts], type_)


def check(texts: Sequence[str | None], type_: Type) -> None:
    column = pa.array(texts, pa.string())
    try:
        expected = one_by_one(texts, type_)
    except DataError as error:
        with pytest.raises(type(error)):
            column_of(column, type_)
    else:
        found = column_of(column, type_)
        assert found.type == expected.type
        assert found.equals(expected)


@pytest.mark.parametrize("type_", FORMS, ids=str)
@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_odd_forms_are_read_as_they_are_one_by_one(type_: Type, data: st.DataObject) -> None:
    check(data.draw(st.lists(st.none() | st.sampled_from(FORMS[type_]), max_size=3)), type_)


@pytest.mark.parametrize("type_", [each for each in EVERY if each.base != "record"], ids=str)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_texts_of_values_are_read_as_they_are_one_by_one(type_: Type, data: st.DataObject) -> None:
    some = data.draw(st.lists(st.none() | values(type_), max_size=4))
    repeated = some * data.draw(st.integers(1, 3))
    check([None if value is None else write_of(type_)(value) for value in repeated], type_)


def test_a_slice_is_read_as_what_it_is() -> None:
    column = pa.array(["0x10", "1", "2", "x"], pa.string()).slice(1, 2)
    assert column_of(column, t.INT4).to_pylist() == [1, 2]
