"""The binary format: read as PostgreSQL reads it, however it is split, and refused where it is."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.copy.binary_decoder import SIGNATURE
from holdfast.adapter.copy.options import CopyOptions
from holdfast.compute.evaluate.values import to_arrow
from holdfast.plan import types as t
from holdfast.plan.binary import receive_of, send_of
from holdfast.plan.errors import DataError
from holdfast.plan.types import Type
from tests.adapter.copy.ours import copied_in, copied_out, split, tables_of
from tests.adapter.copy.theirs import Postgres
from tests.plan.values import EVERY, nullable

BINARY = CopyOptions("binary")
COLUMNS = (("a", t.INT4), ("b", t.TEXT))
ROWS = st.lists(st.tuples(st.none() | st.integers(-5, 5), st.none() | st.text("aé", max_size=3)), max_size=4)
HEAD = SIGNATURE + bytes(8)


@settings(deadline=None, max_examples=150)
@given(rows=ROWS, data=st.data(), cuts=st.lists(st.integers(0, 200), max_size=4))
def test_bytes_are_read_as_postgres_reads_them(
    theirs: Postgres, rows: list[tuple[int | None, str | None]], data: st.DataObject, cuts: list[int]
) -> None:
    sent = b"".join(copied_out(COLUMNS, rows, BINARY, arrow=False))
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(sent)))
        sent = sent[:at] + data.draw(st.binary(max_size=2)) + sent[at + data.draw(st.integers(0, 3)) :]
    expected = theirs.copied_in(COLUMNS, BINARY, sent)
    assert copied_in(COLUMNS, BINARY, [sent]) == expected
    assert copied_in(COLUMNS, BINARY, split(sent, cuts), block=1 + sum(cuts) % 7) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"",
        SIGNATURE[:5],
        SIGNATURE,
        SIGNATURE + b"\0\0",
        SIGNATURE + b"\0\1\0\0\0\0\0\0",
        SIGNATURE + b"\0\2\0\0\0\0\0\0",
        SIGNATURE + b"\0\0\0\1\0\0\0\0\xff\xff",
        SIGNATURE + b"\0\0\0\0\xff\xff\xff\xff",
        SIGNATURE + b"\0\0\0\0\0\0\0\2ab\xff\xff",
        SIGNATURE + b"\0\0\0\0\0\0\0\2a",
        HEAD,
        HEAD + b"\xff\xff",
        HEAD + b"\xff\xffx",
        HEAD + b"\0",
        HEAD + b"\0\1",
        HEAD + b"\0\2\0\0\0\4\0\0\0\1",
        HEAD + b"\0\2\0\0\0\4\0\0\0\1\xff\xff\xff\xfe",
        HEAD + b"\0\2\0\0\0\3\0\0\1\xff\xff\xff\xff",
        HEAD + b"\0\2\0\0\0\5\0\0\0\0\1\xff\xff\xff\xff",
        HEAD + b"\0\2\xff\xff\xff\xff\0\0\0\1\xff",
        HEAD + b"\0\2\xff\xff\xff\xff\0\0\0\1a",
        HEAD + b"\0\2\xff\xff\xff\xff\x3f\xff\xff\xfea",
        HEAD + b"\0\2\xff\xff\xff\xff\x3f\xff\xff\xffa",
        HEAD + b"\0\2\x7f\xff\xff\xff",
    ],
)
def test_what_is_wrong_is_said_as_postgres_says_it(theirs: Postgres, data: bytes) -> None:
    assert copied_in(COLUMNS, BINARY, [data]) == theirs.copied_in(COLUMNS, BINARY, data)


def test_rows_without_columns_are_counted() -> None:
    (table,) = tables_of((), BINARY, [HEAD + b"\0\0\0\0\xff\xff"])
    assert table.num_rows == 2


@pytest.mark.parametrize("type_", [each for each in EVERY if each != t.record_of((), ())], ids=str)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_many_fields_at_once_are_received_as_they_are_one_by_one(type_: Type, data: st.DataObject) -> None:
    sent = [None if value is None else send_of(type_)(value) for value in data.draw(st.lists(nullable(type_)))]
    if data.draw(st.booleans()):
        sent.append(data.draw(st.binary(max_size=9)))
    rows = b"".join(b"\0\1" + (b"\xff" * 4 if each is None else pack(">i", len(each)) + each) for each in sent)
    columns = (("a", type_),)
    receive = receive_of(type_)
    try:
        expected: Sequence[Any] | None = [None if each is None else receive(each) for each in sent]
    except DataError:
        expected = None
    if expected is None:
        with pytest.raises(DataError):
            tables_of(columns, BINARY, [HEAD + rows])
    else:
        tables = tables_of(columns, BINARY, [HEAD + rows])
        made = to_arrow(expected, type_)
        columns_found = [table.column(0).combine_chunks() for table in tables]
        assert pa.chunked_array(columns_found, made.type).combine_chunks().equals(made)
