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
from holdfast.errors import HoldfastError
from holdfast.plan import types as t
from holdfast.plan.binary import receive_of, send_of
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


def their_answer(connection: psycopg.Connection, type_: Type, data: bytes) -> str:
    """The text of the value that PostgreSQL receives, or the code of the error."""
    shown = "trim_scale($1)" if isinstance(type_, t.Numeric) else "$1"
    result = connection.pgconn.exec_params(f"SELECT {shown}".encode(), [data], [type_.oid], [Format.BINARY])
    if result.status == ExecStatus.TUPLES_OK:
        return (result.get_value(0, 0) or b"").decode()
    return (result.error_field(psycopg.pq.DiagnosticField.SQLSTATE) or b"").decode()


def our_answer(type_: Type, data: bytes) -> str:
    try:
        value = receive_of(type_)(data)
    except HoldfastError as error:
        return sqlstate(error)
    return write_of(type_)(value)


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
    if type_ == t.INT2VECTOR and not value:
        return  # PostgreSQL does not receive what it sends here
    assert their_answer(connection, type_, send_of(type_)(value)) == write_of(type_)(value)
