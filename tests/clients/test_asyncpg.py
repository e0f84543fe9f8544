"""asyncpg: values in bytes of types that it asks the server about, prepared statements, cursors, COPY, cancelling."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import asyncpg
import pytest

from tests.serving import ServerProcess

Connection = Any  # asyncpg has no types

VALUES: dict[str, list[object]] = {
    "boolean": [True, False],
    "smallint": [-(2**15), 2**15 - 1],
    "integer": [-(2**31), 2**31 - 1],
    "bigint": [-(2**63), 2**63 - 1],
    "real": [0.5, float("-inf")],
    "double precision": [0.1, 1e308, -5e-324, float("inf")],
    "numeric": [Decimal("-99999999999999999999.999999999999999999"), Decimal("0.5"), Decimal(0)],
    "text": ["", "ä€🙂", "a'b\"c\\d\n\t", "x" * 10_000],
    "varchar(3)": ["äöü"],
    "bytea": [b"", bytes(range(256))],
    "date": [date.min, date.max],
    "time": [time.min, time.max],
    "timestamp": [datetime(1, 1, 1), datetime(2024, 2, 29, 12, 34, 56, 789)],
    "timestamptz": [datetime(1970, 1, 1, tzinfo=UTC), datetime(2024, 2, 29, 12, 34, 56, 789, UTC)],
    "interval": [timedelta(0), timedelta(days=-3, microseconds=1)],
    "uuid": [UUID(int=0), UUID(int=2**128 - 1)],
    "jsonb": ['{"a": [1, null, "ä"]}', "null"],
    "oid": [0, 2**32 - 1],
    "integer[]": [[], [1, None, 3]],
    "text[]": [["a", None, "", "NULL", 'q"\\ {,}']],
    "numeric[]": [[Decimal("1.5"), None]],
    "uuid[]": [[UUID(int=7)]],
    "int4range": [asyncpg.Range(1, 5), asyncpg.Range(empty=True), asyncpg.Range(None, 5)],
    "tstzrange": [asyncpg.Range(datetime(2024, 1, 1, tzinfo=UTC), None)],
}


@pytest.fixture
async def connection(server: ServerProcess, schema: str) -> AsyncIterator[Connection]:
    opened = await connect(server, schema)
    yield opened
    await opened.close()


async def connect(server: ServerProcess, schema: str) -> Connection:
    return await asyncpg.connect(
        host="127.0.0.1",
        port=server.port,
        user="materialize",
        database="materialize",
        server_settings={"search_path": schema},
    )


@pytest.mark.parametrize("type_", VALUES)
async def test_values_are_the_same_when_they_come_back(connection: Connection, type_: str) -> None:
    await connection.execute(f"CREATE TABLE t (n integer, a {type_})")
    for number, value in enumerate([*VALUES[type_], None]):
        assert await connection.fetchval(f"SELECT $1::{type_}", value) == value
        await connection.execute("INSERT INTO t VALUES ($1, $2)", number, value)
    found = [row["a"] for row in await connection.fetch("SELECT a FROM t ORDER BY n")]
    assert found == [*VALUES[type_], None]


async def test_types_that_it_has_not_heard_of_come_as_the_catalog_describes_them(connection: Connection) -> None:
    await connection.execute("CREATE TYPE pair AS (a integer, b text)")
    await connection.execute("CREATE TABLE t (a pair)")
    await connection.execute("INSERT INTO t VALUES (ROW (1, 'x'))")
    (row,) = await connection.fetch("SELECT a FROM t")
    assert tuple(row["a"]) == (1, "x")


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("uint4", "4294967295"),
        ("mz_timestamp", "1700000000000"),
        ("integer list", "{1,2}"),
        ("map[text=>integer]", "{a=>1}"),
    ],
)
async def test_types_of_ours_go_as_text_once_it_is_told_to(connection: Connection, type_: str, value: str) -> None:
    assert await connection.fetchval(f"SELECT $1::text::{type_}::text", value) == value


async def test_its_own_codecs_are_used(connection: Connection) -> None:
    await connection.set_type_codec("jsonb", encoder=json.dumps, decoder=json.loads, schema="pg_catalog")
    document = {"a": [1, None, {"b": "ä"}]}
    assert await connection.fetchval("SELECT $1::jsonb", document) == document


async def test_statements_are_prepared_and_described(connection: Connection) -> None:
    await connection.execute("CREATE TABLE t (a integer, b text)")
    statement = await connection.prepare("SELECT a, b FROM t WHERE a = $1 AND b <> $2")
    assert [type_.name for type_ in statement.get_parameters()] == ["int4", "text"]
    assert [(column.name, column.type.name) for column in statement.get_attributes()] == [("a", "int4"), ("b", "text")]
    await connection.executemany("INSERT INTO t VALUES ($1, $2)", [(number, str(number)) for number in range(100)])
    for number in range(5):
        assert [tuple(row) for row in await statement.fetch(number, "")] == [(number, str(number))]
    assert statement.get_statusmsg() == "SELECT 1"


async def test_a_statement_of_the_cache_outlives_changes_of_the_catalog(
    connection: Connection, server: ServerProcess, schema: str
) -> None:
    await connection.execute("CREATE TABLE t (a integer)")
    assert await connection.fetch("SELECT * FROM t") == []
    other = await connect(server, schema)
    await other.execute("ALTER TABLE t ADD COLUMN b text")
    await other.execute("INSERT INTO t VALUES (1, 'x')")
    await other.close()
    assert [tuple(row) for row in await connection.fetch("SELECT * FROM t")] == [(1, "x")]


async def test_transactions_commit_and_roll_back(connection: Connection) -> None:
    await connection.execute("CREATE TABLE t (a integer)")
    async with connection.transaction():
        await connection.execute("INSERT INTO t VALUES (1)")
    transaction = connection.transaction()
    await transaction.start()
    await connection.execute("INSERT INTO t VALUES (2)")
    await transaction.rollback()
    assert await connection.fetchval("SELECT sum(a) FROM t") == 1
    for isolation in ("read_committed", "repeatable_read", "serializable"):
        async with connection.transaction(isolation=isolation, readonly=True):
            assert await connection.fetchval("SELECT count(*) FROM t") == 1


async def test_savepoints_are_refused(connection: Connection) -> None:
    async with connection.transaction():
        await connection.fetchval("SELECT 1")
        with pytest.raises(asyncpg.FeatureNotSupportedError, match="SAVEPOINT"):
            async with connection.transaction():
                pass


async def test_errors_have_codes_and_places(connection: Connection) -> None:
    with pytest.raises(asyncpg.UndefinedColumnError) as found:
        await connection.fetch("SELECT 1 + wrong")
    assert (found.value.sqlstate, found.value.position) == ("42703", "12")
    with pytest.raises(asyncpg.DivisionByZeroError):
        await connection.fetchval("SELECT 1 / $1::integer", 0)
    with pytest.raises(asyncpg.InvalidTextRepresentationError):
        await connection.fetchval("SELECT 'x'::integer")
    assert await connection.fetchval("SELECT 1") == 1


async def test_a_statement_that_waits_is_cancelled_when_time_is_up(connection: Connection) -> None:
    await connection.execute("CREATE TABLE t (a integer)")
    with pytest.raises(TimeoutError):
        await connection.fetch("SELECT * FROM t AS OF 9000000000000", timeout=0.2)
    assert await connection.fetchval("SELECT 1") == 1
    task = asyncio.create_task(connection.fetch("SELECT * FROM t AS OF 9000000000000"))
    await asyncio.wait([task], timeout=0.2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await connection.fetchval("SELECT 1") == 1


async def test_a_cursor_gives_rows_in_parts(connection: Connection) -> None:
    await connection.execute("CREATE TABLE t (a integer)")
    await connection.execute("INSERT INTO t SELECT * FROM generate_series(1, 1000)")
    async with connection.transaction():
        cursor = await connection.cursor("SELECT a FROM t WHERE a > $1 ORDER BY a", 10)
        assert (await cursor.fetchrow())["a"] == 11
        assert [row["a"] for row in await cursor.fetch(3)] == [12, 13, 14]
    async with connection.transaction():
        found = [row["a"] async for row in connection.cursor("SELECT a FROM t ORDER BY a", prefetch=100)]
    assert found == list(range(1, 1001))


async def test_rows_are_copied_in_and_out(connection: Connection, schema: str) -> None:
    await connection.execute("CREATE TABLE t (a integer, b text, c timestamptz)")
    given = [(number, str(number), datetime(2024, 1, 1, tzinfo=UTC)) for number in range(3000)]
    assert await connection.copy_records_to_table("t", records=given, schema_name=schema) == "COPY 3000"
    assert [tuple(row) for row in await connection.fetch("SELECT * FROM t ORDER BY a")] == given
    out = io.BytesIO()
    said = await connection.copy_from_query("SELECT a, b FROM t WHERE a < $1 ORDER BY a", 3, output=out, format="csv")
    assert (said, out.getvalue()) == ("COPY 3", b"0,0\n1,1\n2,2\n")
    out = io.BytesIO()
    await connection.copy_from_table("t", schema_name=schema, columns=["a"], output=out, format="binary")
    await connection.execute("CREATE TABLE u (a integer)")
    out.seek(0)
    assert await connection.copy_to_table("u", schema_name=schema, source=out, format="binary") == "COPY 3000"


async def test_a_subscription_is_followed_by_a_cursor(
    connection: Connection, server: ServerProcess, schema: str
) -> None:
    await connection.execute("CREATE TABLE t (a integer)")
    await connection.execute("INSERT INTO t VALUES (1)")
    async with connection.transaction():
        await connection.execute("DECLARE c CURSOR FOR SUBSCRIBE t")
        (row,) = await connection.fetch("FETCH 1 c WITH (timeout = '10s')")
        assert (row["mz_diff"], row["a"]) == (1, 1)
        with server.connect() as other:
            other.execute(f"INSERT INTO {schema}.t VALUES (2)")
        (row,) = await connection.fetch("FETCH 1 c WITH (timeout = '10s')")
        assert (row["mz_diff"], row["a"]) == (1, 2)


async def test_a_pool_hands_out_connections_as_new(server: ServerProcess, schema: str) -> None:
    settings = {"search_path": schema}
    address = {"host": "127.0.0.1", "port": server.port, "user": "materialize", "database": "materialize"}
    async with asyncpg.create_pool(**address, server_settings=settings, min_size=1, max_size=3) as pool:
        async with pool.acquire() as connection:
            await connection.execute("CREATE TABLE t (a integer)")
            await connection.execute("SET application_name = 'changed'")
        await asyncio.gather(*(pool.execute("INSERT INTO t VALUES ($1)", number) for number in range(20)))
        assert await pool.fetchval("SELECT count(*) FROM t") == 20
        assert await pool.fetchval("SHOW application_name") == ""
        assert await pool.fetchval("SHOW search_path") == schema


async def test_notices_arrive(connection: Connection) -> None:
    heard: list[str] = []
    connection.add_log_listener(lambda _, said: heard.append(said.message))
    await connection.execute("DROP TABLE IF EXISTS nowhere")
    assert heard == ['table "nowhere" does not exist, skipping']
