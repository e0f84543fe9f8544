"""Bytes of values: there and back, and as PostgreSQL has them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg.pq import ExecStatus, Format

from holdfast.adapter.sqlstate import sqlstate
from holdfast.plan import types as t
from holdfast.plan.binary import receive_of, send_of
from holdfast.plan.errors import DataError
from holdfast.plan.text import write_of
from holdfast.plan.types import BASES, Type
from tests.plan.values import ARRAYS, EVERY, RANGES, SCALARS, values

THEIRS = (*SCALARS, *RANGES, *ARRAYS)


@pytest.fixture(scope="module")
def connection(postgres_server: Any) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_server.url, autocommit=True, options="-c timezone=UTC") as found:
        yield found


def their_bytes(connection: psycopg.Connection, type_: Type, some: Sequence[Any]) -> list[bytes | None]:
    """What PostgreSQL sends for values that it read as text."""
    write = write_of(type_)
    name = "bpchar" if type_ is t.BPCHAR else str(type_)  # `character` is one with a length of 1
    trimmed = f"trim_scale(v::{name})" if isinstance(type_, t.Numeric) else f"v::{name}"
    query = f"SELECT {trimmed} FROM unnest($1::text[]) WITH ORDINALITY u (v, n) ORDER BY n"
    listed = send_of(t.array_of(t.TEXT))(tuple(map(write, some)))
    result = connection.pgconn.exec_params(query.encode(), [listed], [1009], [Format.BINARY], Format.BINARY)
    assert result.status == ExecStatus.TUPLES_OK, result.error_message
    return [result.get_value(row, 0) for row in range(result.ntuples)]


class Refused(str):
    """The message of an error."""


def their_answer(connection: psycopg.Connection, type_: Type, data: bytes) -> str:
    """The text of the value that PostgreSQL receives, or why it does not."""
    shown = "trim_scale($1)" if isinstance(type_, t.Numeric) else "$1"
    result = connection.pgconn.exec_params(f"SELECT {shown}".encode(), [data], [type_.oid], [Format.BINARY])
    if result.status == ExecStatus.TUPLES_OK:
        return (result.get_value(0, 0) or b"").decode()
    return Refused(result.get_error_message())


def our_answer(type_: Type, data: bytes) -> str:
    try:
        return write_of(type_)(receive_of(type_)(data))
    except DataError as error:
        return Refused(error)


@pytest.mark.parametrize("type_", EVERY, ids=str)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_what_is_sent_is_received_as_it_was(type_: Type, data: st.DataObject) -> None:
    value = data.draw(values(type_))
    received = receive_of(type_)(send_of(type_)(value))
    assert received == value
    assert write_of(type_)(received) == write_of(type_)(value)


def test_every_base_type_has_a_binary_format() -> None:
    assert [base for base in BASES if base not in {type_.base for type_ in EVERY} | {"record", "void"}] == []
    assert send_of(t.VOID)(None) == b""


# PostgreSQL reads numbers of reg* types only where something has them, and shows names for them.
@pytest.mark.parametrize("type_", [each for each in THEIRS if not each.base.startswith("reg")], ids=str)
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_what_is_sent_is_what_postgres_sends(type_: Type, data: st.DataObject, connection: psycopg.Connection) -> None:
    some = data.draw(st.lists(values(type_), min_size=1, max_size=20))
    if type_ in (t.NAME, t.CHAR, t.BPCHAR):
        # Their text is read with rules of their own, which `test_strings.py` has.
        some = [value for value in some if "\\" not in value and value]
    assert list(map(send_of(type_), some)) == their_bytes(connection, type_, some)


@pytest.mark.parametrize("type_", [each for each in THEIRS if not each.base.startswith("reg")], ids=str)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_what_postgres_receives_is_what_was_sent(
    type_: Type, data: st.DataObject, connection: psycopg.Connection
) -> None:
    value = data.draw(values(type_))
    if type_ in t.VECTORS and not value:
        return  # PostgreSQL does not receive what it sends here
    assert their_answer(connection, type_, send_of(type_)(value)) == write_of(type_)(value)


BEYOND_OURS = ("numeric format", "not supported", "numeric field overflow", "timestamp out of range", "dimensions")
"""Numbers, moments and arrays that PostgreSQL has and we have not."""


# A parameter says nothing of modifiers, and PostgreSQL shows names of reg*, zeros at the end of numbers and blanks at
# that of bpchar.
@pytest.mark.parametrize(
    "type_",
    [
        each
        for each in (t.NUMERIC, *THEIRS)
        if not each.base.startswith(("reg", "_numeric", "numrange", "bpchar"))
        if getattr(each, "modifier", None) is None and (each is t.NUMERIC or not isinstance(each, t.Numeric))
    ],
    ids=str,
)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_bytes_are_refused_where_postgres_refuses_them(
    type_: Type, data: st.DataObject, connection: psycopg.Connection
) -> None:
    sent = send_of(type_)(data.draw(values(type_)))
    at = data.draw(st.integers(0, len(sent)))
    changed = sent[:at] + data.draw(st.binary(max_size=2)) + sent[at + data.draw(st.integers(0, 2)) :]
    theirs = their_answer(connection, type_, changed)
    ours = our_answer(type_, changed)
    if type_ in t.VECTORS and not ours:
        return  # PostgreSQL sends an empty one, and does not receive it
    if isinstance(ours, Refused):
        assert isinstance(theirs, Refused) or any(words in ours for words in BEYOND_OURS), ours
    else:
        assert ours == theirs


INT4S, INT4S_OF_2 = t.array_of(t.INT4), t.array_of(t.array_of(t.INT4))
HEAD = "00000001 00000000 00000017 "


@pytest.mark.parametrize(
    ("type_", "data", "code", "message"),
    [
        (t.INT4, "000000", "08P01", "insufficient data left in message"),
        (t.INT4, "0000000000", "22P03", "incorrect binary data format"),
        (t.BOOL, "", "08P01", "insufficient data left in message"),
        (t.UUID, "00", "08P01", "insufficient data left in message"),
        (t.NUMERIC, "0001 0000 4001 0000 0001", "22P03", 'invalid sign in external "numeric" value'),
        (t.NUMERIC, "0001 0000 0000 4000 0001", "22P03", 'invalid scale in external "numeric" value'),
        (t.NUMERIC, "0001 0000 0000 0000 2710", "22P03", 'invalid digit in external "numeric" value'),
        (t.NUMERIC, "0000 0000 c000 0000", "22P03", 'invalid numeric: "NaN" is not supported'),
        (t.NUMERIC, "0001 7fff 0000 0000 0001", "22003", "value overflows numeric format"),
        (t.numeric(4, 2), "0001 0000 0000 0000 0064", "22003", "numeric field overflow"),
        (t.DATE, "7ffffffe", "22008", "date out of range"),
        (t.TIME, "0000002000000000", "22008", "time out of range"),
        (t.TIMESTAMP, "7ffffffffffffffe", "22008", "timestamp out of range"),
        (t.TEXT, "61ff", "22021", 'invalid byte sequence for encoding "UTF8": 0xff'),
        (t.TEXT, "6100", "22021", 'invalid byte sequence for encoding "UTF8": 0x00'),
        (t.TEXT, "e282", "22021", 'invalid byte sequence for encoding "UTF8": 0xe2 0x82'),
        (t.NAME, "61" * 64, "42622", "identifier too long"),
        (t.Modified("varchar", 2), "616263", "22001", "value too long for type character varying(2)"),
        (t.JSONB, "02 7b7d", "22P03", "unsupported jsonb version number 2"),
        (t.JSONB, "", "08P01", "no data left in message"),
        (t.JSONB, "01 7b", "22P02", "invalid input syntax for type json"),
        (INT4S, "ffffffff 00000000 00000017", "22P03", "invalid number of dimensions: -1"),
        (
            INT4S,
            "00000007 00000000 00000017",
            "54000",
            "number of array dimensions (7) exceeds the maximum allowed (6)",
        ),
        (INT4S, "00000000 00000002 00000017", "22P03", "invalid array flags"),
        (
            INT4S,
            "00000001 00000000 00000019 00000001 00000001 ffffffff",
            "42804",
            "binary data has array element type 25 instead of expected 23 (integer)",
        ),
        (INT4S, HEAD + "ffffffff 00000001", "54000", "array size exceeds the maximum allowed (134217727)"),
        (INT4S, HEAD + "00000001 00000001 00000005 0000000000", "22P03", "improper binary format in array element 1"),
        (INT4S, HEAD + "00000001 00000001 00000009 00000000", "08P01", "insufficient data left in message"),
        (
            INT4S,
            HEAD + "00000001 00000000 ffffffff",
            "22P03",
            "arrays with lower bounds other than 1 are not supported",
        ),
        (INT4S_OF_2, HEAD + "00000001 00000001 ffffffff", "22P03", "array has 1 dimensions, but its type has 2"),
        (t.record_of(("a",), (t.INT4,)), "00000002", "42804", "wrong number of columns: 2, expected 1"),
        (
            t.record_of(("a",), (t.INT4,)),
            "00000001 00000019 ffffffff",
            "42804",
            "binary data has type 25 instead of expected 23 (integer) in record column 1",
        ),
        (t.INT4RANGE, "02 00000004 00000005 00000004 00000001", "22000", None),
        (t.list_of(t.INT4), "ffffffff 00000017", "22P03", "invalid number of elements: -1"),
        (t.map_of(t.INT4), "00000001 ffffffff ffffffff", "22P03", "null value not allowed for map key"),
        (t.MZ_TIMESTAMP, "ffffffffffffffff", "22P03", "mz_timestamp out of range"),
    ],
)
def test_an_error_says_what_is_wrong(type_: Type, data: str, code: str, message: str | None) -> None:
    with pytest.raises(DataError) as raised:
        receive_of(type_)(bytes.fromhex(data))
    assert sqlstate(raised.value) == code
    assert message in (None, str(raised.value))
