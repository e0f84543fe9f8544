"""The binary format: read as PostgreSQL reads it, however it is split, and refused where it is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.copy.binary_decoder import SIGNATURE
from holdfast.adapter.copy.options import CopyOptions
from holdfast.plan import types as t
from tests.adapter.copy.ours import copied_in, copied_out, split
from tests.adapter.copy.theirs import Postgres

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
    ],
)
def test_what_is_wrong_is_said_as_postgres_says_it(theirs: Postgres, data: bytes) -> None:
    assert copied_in(COLUMNS, BINARY, [data]) == theirs.copied_in(COLUMNS, BINARY, data)
