"""Values of every type over the wire: what PostgreSQL's own driver sends comes back, in both formats."""

from __future__ import annotations

import datetime
import math
import uuid
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from holdfast.plan.types import BASES
from holdfast.server.pgwire import Server
from holdfast.server.pgwire.oids import type_of_oid
from tests.server.pgwire.wire import HOST

UTC = datetime.UTC
VALUES: list[tuple[str, Any]] = [
    ("bool", True),
    ("int2", -32768),
    ("int4", 2147483647),
    ("int8", -9223372036854775808),
    ("float4", 1.5),
    ("float8", -1e300),
    ("float8", math.inf),
    ("numeric", Decimal("123456789.0123456789")),
    ("numeric", Decimal("-0.000001")),
    ("numeric(10,2)", Decimal("12345678.90")),
    ("text", "naïve 😀 ''\\"),
    ("text", ""),
    ("varchar(5)", "abc"),
    ("bytea", bytes(range(256))),
    ("date", datetime.date(1999, 12, 31)),
    ("time", datetime.time(23, 59, 59, 999999)),
    ("timestamp", datetime.datetime(2024, 2, 29, 12, 30, 15, 250000)),
    ("timestamptz", datetime.datetime(1969, 7, 20, 20, 17, 40, tzinfo=UTC)),
    ("interval", datetime.timedelta(days=3, hours=-4, microseconds=5)),
    ("jsonb", {"a": [1, None, "x"], "b": {"c": True}}),
    ("uuid", uuid.UUID("12345678-1234-5678-1234-567812345678")),
    ("oid", 4294967295),
    ("int4[]", [1, None, 3]),
    ("text[]", ["a", "b,c", 'd"e', None, ""]),
    ("int4[]", []),
]


@pytest.fixture
async def connection(server: Server) -> AsyncIterator[psycopg.AsyncConnection[Any]]:
    url = f"host={HOST} port={server.port} user=materialize dbname=materialize"
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as found:
        yield found


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize(("type_", "value"), VALUES)
async def test_a_value_comes_back_as_it_was_sent(
    connection: psycopg.AsyncConnection[Any], type_: str, value: Any, binary: bool
) -> None:
    sent = Jsonb(value) if type_ == "jsonb" else value
    mark = "%b" if binary and type_ != "time" else "%s"
    cursor = await connection.execute(f"SELECT {mark}::{type_}, NULL::{type_}", [sent], binary=binary)
    assert await cursor.fetchone() == (value, None)


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
async def test_arrays_of_arrays_are_understood(connection: psycopg.AsyncConnection[Any], binary: bool) -> None:
    cursor = await connection.execute("SELECT ARRAY[[1, 2], [3, NULL]]", binary=binary)
    assert await cursor.fetchone() == ([[1, 2], [3, None]],)


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
async def test_values_come_back_from_a_table(connection: psycopg.AsyncConnection[Any], binary: bool) -> None:
    await connection.execute("CREATE TABLE t (n int4, b bool, x float8, d numeric(12,2), s text, at timestamptz)")
    rows = [
        (
            number,
            number % 2 == 0,
            number / 7,
            Decimal(number) / 4,
            None if number % 5 == 0 else f"row {number}",
            datetime.datetime(2024, 1, 1, tzinfo=UTC) + datetime.timedelta(seconds=number, microseconds=number),
        )
        for number in range(3_000)
    ]
    async with connection.cursor() as cursor, cursor.copy("COPY t FROM STDIN") as copy:
        for row in rows:
            await copy.write_row(row)
    found = await connection.execute("SELECT * FROM t ORDER BY n", binary=binary)
    assert await found.fetchall() == rows


@pytest.mark.parametrize("base", sorted(BASES))
def test_every_type_with_values_is_known_by_its_number(base: str) -> None:
    info = BASES[base]
    if info.category == "P":
        assert type_of_oid(info.oid) is None
        return
    found = type_of_oid(info.oid)
    assert found is not None
    assert found.base == base
    if info.array_oid:
        array = type_of_oid(info.array_oid)
        assert array is not None
        assert array.base == f"_{base}"
