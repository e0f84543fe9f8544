"""Rows as bytes: the same messages as PostgreSQL's, from values and from tables."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.copy import encoded
from holdfast.adapter.copy.options import CopyOptions
from holdfast.adapter.results import Piece
from holdfast.plan import types as t
from holdfast.plan.text import write_of
from holdfast.plan.types import Type
from holdfast.sql import OutputColumn
from holdfast.sql.errors import InvalidColumnReference
from tests.adapter.copy.ours import copied_out, tables_of
from tests.adapter.copy.theirs import Postgres
from tests.plan.values import ARRAYS, RANGES, SCALARS, nullable

BINARY = CopyOptions("binary")
OPTIONS = (
    CopyOptions(),
    CopyOptions("text", "|", ""),
    CopyOptions("text", ",", "null", header=True),
    CopyOptions("csv", ",", ""),
    CopyOptions("csv", "1", "x", "2", "3"),
    CopyOptions("csv", ";", "\\N", '"', "\\", header=True),
    CopyOptions("csv", ",", "", force_quote=("a",)),
    CopyOptions("csv", ",", "", force_quote="*"),
    BINARY,
)
COLUMNS = (("a", t.TEXT), ("b", t.INT4), ("c", t.BOOL))
SPECIAL = st.sampled_from(
    ("", "x", "\\N", "\\.", "null", ",", "|", ";", '"', "'", "\\", "\n", "\r", "\t", "\b\f\v", "1", "2", "3")
)
TEXTS = st.none() | st.lists(SPECIAL, max_size=3).map("".join)
ROWS = st.lists(st.tuples(TEXTS, st.none() | st.integers(-5, 5), st.none() | st.booleans()), max_size=5)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@settings(deadline=None, max_examples=40)
@given(rows=ROWS)
def test_rows_are_written_as_postgres_writes_them(
    theirs: Postgres, options: CopyOptions, rows: list[tuple[str | None, int | None, bool | None]]
) -> None:
    texts = [(a, None if b is None else str(b), None if c is None else "ft"[c]) for a, b, c in rows]
    expected = theirs.copied_out(COLUMNS, texts, options)
    assert copied_out(COLUMNS, rows, options, arrow=False) == expected
    # Tables of many rows are written a column at a time.
    many = copied_out(COLUMNS, rows * 70, options, arrow=True)
    assert many == copied_out(COLUMNS, rows * 70, options, arrow=False)


@settings(deadline=None, max_examples=40)
@given(texts=st.lists(TEXTS, max_size=5), options=st.sampled_from(OPTIONS[:4]))
def test_a_single_column_is_written_as_postgres_writes_it(
    theirs: Postgres, texts: list[str | None], options: CopyOptions
) -> None:
    columns, rows = (("a", t.TEXT),), [(text,) for text in texts]
    assert copied_out(columns, rows, options, arrow=False) == theirs.copied_out(columns, rows, options)
    assert copied_out(columns, rows * 70, options, arrow=True) == copied_out(columns, rows * 70, options, arrow=False)


# PostgreSQL writes numbers with zeros at their end, and reg* by names.
OTHERS = [
    each
    for each in (*SCALARS, *RANGES, *ARRAYS)
    if "num" not in each.base and not each.base.startswith("reg") and each not in (t.CHAR, t.NAME, t.BPCHAR)
]


@pytest.mark.parametrize("options", [OPTIONS[0], OPTIONS[3], BINARY], ids=["text", "csv", "binary"])
@pytest.mark.parametrize("type_", OTHERS, ids=str)
@settings(deadline=None, max_examples=10)
@given(data=st.data())
def test_values_of_every_type_are_written_as_postgres_writes_them(
    theirs: Postgres, type_: Type, options: CopyOptions, data: st.DataObject
) -> None:
    columns = (("a", type_),)
    rows = data.draw(st.lists(st.tuples(nullable(type_)), max_size=5))
    write = write_of(type_)
    texts = [(None if value is None else write(value),) for (value,) in rows]
    messages = copied_out(columns, rows, options, arrow=False)
    assert messages == theirs.copied_out(columns, texts, options)
    if rows:
        repeated = rows * (70 // len(rows) + 1)
        assert copied_out(columns, repeated, options, arrow=True) == copied_out(columns, repeated, options, arrow=False)
    # What was written is read as it was.
    read = [row for table in tables_of(columns, options, messages) for row in Piece((type_,), table).rows()]
    assert read == rows


async def test_messages_come_as_pieces_do() -> None:
    async def pieces() -> AsyncIterator[Piece]:
        yield Piece((t.INT4,), [(1,), (2,)])
        yield Piece((t.INT4,), [(number,) for number in range(20_000)])

    found = [some async for some in encoded(CopyOptions(), (OutputColumn("a", t.INT4),), pieces())]
    assert [len(some) for some in found] == [2, 16_384, 3_616]
    assert found[0] == [b"1\n", b"2\n"]


async def test_a_head_comes_though_there_are_no_rows() -> None:
    async def nothing() -> AsyncIterator[Piece]:
        return
        yield

    options = CopyOptions("csv", ",", "", header=True)
    assert [some async for some in encoded(options, (OutputColumn('a"b', t.INT4),), nothing())] == [[b'"a""b"\n']]


def test_quotes_cannot_be_forced_on_a_column_that_is_not_there() -> None:
    with pytest.raises(InvalidColumnReference, match='FORCE_QUOTE column "z" not referenced by COPY'):
        copied_out(COLUMNS, [], CopyOptions("csv", ",", "", force_quote=("z",)), arrow=False)
