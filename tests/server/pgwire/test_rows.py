from __future__ import annotations

from collections.abc import Callable
from struct import unpack_from
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.plan.binary import send_of
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import INT4, TEXT, Type
from holdfast.server.pgwire.cells import encoder_of
from holdfast.server.pgwire.columns import table_encoder_of
from tests.plan.values import EVERY, nullable


def data_rows(data: bytes) -> list[tuple[bytes | None, ...]]:
    """What a client reads of DataRow messages."""
    found, at = [], 0
    while at < len(data):
        kind, length, columns = unpack_from(">cIH", data, at)
        assert kind == b"D"
        end, at = at + 1 + length, at + 7
        row: list[bytes | None] = []
        for _ in range(columns):
            (size,) = unpack_from(">i", data, at)
            at += 4
            row.append(None if size < 0 else data[at : at + size])
            at += max(0, size)
        assert at == end
        found.append(tuple(row))
    return found


def written(type_: Type, format_: int) -> Callable[[Any], bytes]:
    if format_:
        return send_of(type_)
    write = write_of(type_)
    return lambda value: write(value).encode()


@pytest.mark.parametrize("format_", [0, 1], ids=["text", "binary"])
@pytest.mark.parametrize("type_", EVERY, ids=str)
@settings(max_examples=40)
@given(data=st.data())
def test_rows_are_sent_as_their_types_write_them(type_: Type, format_: int, data: st.DataObject) -> None:
    values = data.draw(st.lists(nullable(type_), max_size=8))
    write = written(type_, format_)
    expected = [(None if value is None else write(value), b"x") for value in values]
    rows = [(value, "x") for value in values]
    types, formats = (type_, TEXT), (format_, 0)
    assert data_rows(encoder_of(types, formats)(rows)) == expected
    table = table_of(rows, types, ["a", "b"])
    # Arrow rounds what the type does not hold; what is sent is what it holds.
    held = rows_of(table, types)
    assert table_encoder_of(types, formats)(table) == encoder_of(types, formats)(held)


@given(st.lists(st.tuples(st.none() | st.integers(-5, 5), st.none() | st.text(max_size=3)), min_size=4), st.data())
def test_a_slice_of_a_table_is_sent_as_its_rows(rows: list[tuple[int | None, str | None]], data: st.DataObject) -> None:
    types = (INT4, TEXT)
    start = data.draw(st.integers(0, len(rows)))
    end = data.draw(st.integers(start, len(rows)))
    part = table_of(rows, types, ["a", "b"]).slice(start, end - start)
    for formats in ((0, 0), (1, 1)):
        assert table_encoder_of(types, formats)(part) == encoder_of(types, formats)(rows[start:end])


def test_rows_without_columns_are_sent() -> None:
    assert data_rows(encoder_of((), ())([(), ()])) == [(), ()]
