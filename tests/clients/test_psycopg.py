"""psycopg 3: connections, values, prepared statements, transactions, errors, cancelling, COPY, SUBSCRIBE, pipelines."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from threading import Timer
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.types import TypeInfo
from psycopg.types.composite import CompositeInfo
from psycopg.types.json import Jsonb
from psycopg.types.range import DateRange, Int4Range, NumericRange, TimestampRange, TimestamptzRange
from psycopg.types.string import StrDumper

from tests.serving import ServerProcess

Connection = psycopg.Connection[tuple[object, ...]]

FOREVER = "SELECT * FROM t AS OF 9000000000000"
"""A time that comes in two centuries: until then the query waits."""

VALUES: dict[str, list[object]] = {
    "boolean": [True, False],
    "smallint": [-(2**15), 2**15 - 1],
    "integer": [-(2**31), 2**31 - 1],
    "bigint": [-(2**63), 2**63 - 1],
    "real": [0.5, -math.inf],
    "double precision": [0.1, 1e308, -5e-324, math.inf],
    "numeric": [Decimal("-99999999999999999999.999999999999999999"), Decimal("0.5"), Decimal(0)],
    "text": ["", "ä€🙂", "a'b\"c\\d\n\t", "x" * 100_000],
    "character varying(3)": ["äöü"],
    "bytea": [b"", bytes(range(256)), b"x" * 100_000],
    "date": [date.min, date.max, date(2024, 2, 29)],
    "time": [time.min, time.max],
    "timestamp": [
        datetime(1, 1, 1),
        datetime(2024, 2, 29, 12, 34, 56, 789),
        datetime(9999, 12, 31, 23, 59, 59, 999999),
    ],
    "timestamptz": [datetime(1970, 1, 1, tzinfo=UTC), datetime(2024, 2, 29, 12, 34, 56, 789, UTC)],
    "interval": [timedelta(0), timedelta(days=-3, microseconds=1), timedelta(days=1000, hours=5)],
    "uuid": [UUID(int=0), UUID(int=2**128 - 1)],
    "integer[]": [[], [1, None, 3]],
    "text[]": [["a", None, "", "NULL", 'q"\\ {,}']],
    "numeric[]": [[Decimal("1.5"), None]],
    "timestamptz[]": [[datetime(2024, 2, 29, tzinfo=UTC), None]],
    "int4range": [Int4Range(100_000, 200_000), Int4Range(empty=True), Int4Range(None, 100_000)],
    "numrange": [NumericRange(Decimal("0.5"), None, "()")],
    "daterange": [DateRange(date(2024, 1, 1), date(2024, 2, 1))],
    "tsrange": [TimestampRange(datetime(2024, 1, 1), datetime(2024, 1, 2), "[]")],
    "tstzrange": [TimestamptzRange(datetime(2024, 1, 1, tzinfo=UTC), None)],
}


@pytest.fixture
def connection(server: ServerProcess, schema: str) -> Iterator[Connection]:
    with psycopg.connect(server.dsn, autocommit=True, options=f"-c search_path={schema}") as opened:
        yield opened


@pytest.fixture
def other(server: ServerProcess, schema: str) -> Iterator[Connection]:
    with psycopg.connect(server.dsn, autocommit=True, options=f"-c search_path={schema}") as opened:
        yield opened


def rows(connection: Connection, query: str, *values: object) -> list[tuple[object, ...]]:
    return connection.execute(query, values).fetchall()


def test_a_connection_is_told_what_drivers_depend_on(server: ServerProcess, schema: str) -> None:
    options = f"-c search_path={schema} -c datestyle=ISO"
    with psycopg.connect(server.dsn, application_name="a client", options=options) as connection:
        said = connection.info.parameter_status
        assert said("server_encoding") == said("client_encoding") == "UTF8"
        assert (said("integer_datetimes"), said("standard_conforming_strings")) == ("on", "on")
        assert said("application_name") == "a client"
        assert connection.info.encoding == "utf-8"
        assert connection.info.server_version >= 90000
        assert rows(connection, "SHOW search_path") == [(schema,)]
        connection.execute("SET application_name = 'another'")
        assert said("application_name") == "another"


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize("type_", VALUES)
def test_values_are_the_same_when_they_come_back(connection: Connection, type_: str, binary: bool) -> None:
    place = "%b" if binary else "%t"
    with connection.cursor(binary=binary) as cursor:
        cursor.execute(f"CREATE TABLE t (n integer, a {type_})")
        for number, value in enumerate([*VALUES[type_], None]):
            cursor.execute(f"INSERT INTO t VALUES (%s, {place})", (number, value))
            assert cursor.execute(f"SELECT {place}::{type_}", (value,)).fetchall() == [(value,)]
        cursor.execute("SELECT a FROM t ORDER BY n")
        assert [value for (value,) in cursor] == [*VALUES[type_], None]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_documents_come_back(connection: Connection, binary: bool) -> None:
    document = {"a": [1, None, 2.5, {"b": "ä€🙂"}], "c": True}
    with connection.cursor(binary=binary) as cursor:
        cursor.execute("SELECT %s::jsonb", (Jsonb(document),))
        assert cursor.fetchall() == [(document,)]


def test_nothing_is_null_of_every_type(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer NOT NULL)")
    with pytest.raises(psycopg.errors.NotNullViolation):
        connection.execute("INSERT INTO t VALUES (%s)", (None,))


def test_many_rows_go_in_and_come_out(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer, b text)")
    given = [(number, str(number) * 10) for number in range(50_000)]
    with connection.cursor() as cursor:
        with cursor.copy("COPY t FROM STDIN") as into:
            for row in given:
                into.write_row(row)
        assert sorted(cursor.execute("SELECT a, b FROM t").fetchall()) == given


def test_statements_are_prepared_once_and_used_often(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer, b text)")
    for number in range(12):
        connection.execute("INSERT INTO t VALUES (%s, %s)", (number, str(number)), prepare=True)
    found = [rows(connection, "SELECT b FROM t WHERE a = %s", number) for number in range(12)]
    assert found == [[(str(number),)] for number in range(12)]


def test_a_prepared_statement_outlives_changes_of_the_catalog(connection: Connection, other: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    query = "SELECT count(*) FROM t WHERE a = %s"
    for _ in range(2):
        assert connection.execute(query, (1,), prepare=True).fetchall() == [(0,)]
    other.execute("ALTER TABLE t ADD COLUMN b text")
    other.execute("INSERT INTO t VALUES (1, 'x')")
    assert connection.execute(query, (1,), prepare=True).fetchall() == [(1,)]
    other.execute("DROP TABLE t")
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.execute(query, (1,), prepare=True)


def test_many_rows_are_inserted_by_one_call(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer, b text)")
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO t VALUES (%s, %s)", [(n, str(n)) for n in range(300)])
        assert cursor.rowcount == 300
    with connection.cursor() as cursor:
        values = [(1000,), (1001,)]
        cursor.executemany("INSERT INTO t VALUES (%s) RETURNING a", values, returning=True)
        assert [found.fetchall() for found in cursor.results()] == [[(1000,)], [(1001,)]]
    assert rows(connection, "SELECT count(*), max(a) FROM t") == [(302, 1001)]


def test_transactions_commit_and_roll_back(connection: Connection, other: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    with connection.transaction():
        connection.execute("INSERT INTO t VALUES (1)")
        assert connection.info.transaction_status == TransactionStatus.INTRANS
        assert rows(other, "SELECT * FROM t") == []
    assert rows(other, "SELECT * FROM t") == [(1,)]

    with connection.transaction(force_rollback=True):
        connection.execute("INSERT INTO t VALUES (2)")
    assert rows(other, "SELECT * FROM t") == [(1,)]


def test_a_transaction_that_failed_answers_nothing_more(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    connection.autocommit = False
    connection.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(psycopg.errors.UndefinedTable):
        connection.execute("INSERT INTO nowhere VALUES (1)")
    assert connection.info.transaction_status == TransactionStatus.INERROR
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        connection.execute("INSERT INTO t VALUES (2)")
    connection.rollback()
    assert rows(connection, "SELECT * FROM t") == []


def test_a_transaction_sees_one_moment(connection: Connection, other: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    with connection.transaction():
        assert rows(connection, "SELECT count(*) FROM t") == [(0,)]
        other.execute("INSERT INTO t VALUES (1)")
        assert rows(connection, "SELECT count(*) FROM t") == [(0,)]
    assert rows(connection, "SELECT count(*) FROM t") == [(1,)]


def test_isolation_levels_of_drivers_are_understood(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    for level in psycopg.IsolationLevel:
        connection.isolation_level = level
        with connection.transaction():
            assert rows(connection, "SELECT count(*) FROM t") == [(0,)]
    connection.isolation_level = None
    connection.read_only = True
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction), connection.transaction():
        connection.execute("INSERT INTO t VALUES (1)")


ERRORS = [
    ("SELECT 1 +", "42601", None),
    ("SELECT wrong FROM t", "42703", 8),
    ("SELECT * FROM nowhere", "42P01", 15),
    ("SELECT nofunction(1)", "42883", 8),
    ("SELECT 1 / a FROM t", "22012", None),
    ("SELECT 'x'::integer", "22P02", 8),
    ("SELECT 100000::smallint", "22003", None),
    ("SELECT '2024-02-30'::date", "22008", 8),
    ("SELECT a, count(*) FROM t", "42803", 8),
    ("SELECT (SELECT t.a FROM t, t AS u)", "21000", None),
    ("INSERT INTO t VALUES (NULL)", "23502", None),
    ("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", "0A000", None),
    ("CREATE TABLE t (a integer)", "42P07", None),
    ("DROP TABLE nowhere", "42P01", None),
    ("SET nosuch = 1", "42704", None),
]


@pytest.mark.parametrize(("query", "code", "position"), ERRORS, ids=[case[0] for case in ERRORS])
def test_errors_have_codes_and_places(connection: Connection, query: str, code: str, position: int | None) -> None:
    connection.execute("CREATE TABLE t (a integer NOT NULL)")
    connection.execute("INSERT INTO t VALUES (0), (1)")
    with pytest.raises(psycopg.Error) as found:
        connection.execute(query)
    diagnostic = found.value.diag
    assert diagnostic.sqlstate == code
    assert diagnostic.severity == diagnostic.severity_nonlocalized == "ERROR"
    assert diagnostic.message_primary
    if position is not None:
        assert diagnostic.statement_position == str(position)
    assert rows(connection, "SELECT 1") == [(1,)]


def test_errors_say_what_could_be_done(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    connection.execute("CREATE VIEW v AS SELECT * FROM t")
    with pytest.raises(psycopg.errors.DependentObjectsStillExist) as found:
        connection.execute("DROP TABLE t")
    assert found.value.diag.message_detail == "view v depends on table t"
    assert "CASCADE" in (found.value.diag.message_hint or "")


def test_notices_arrive(connection: Connection) -> None:
    heard: list[tuple[str | None, str | None]] = []
    connection.add_notice_handler(lambda said: heard.append((said.sqlstate, said.message_primary)))
    connection.execute("DROP TABLE IF EXISTS nowhere")
    connection.execute("COMMIT")
    assert heard == [
        ("00000", 'table "nowhere" does not exist, skipping'),
        ("25P01", "there is no transaction in progress"),
    ]


@pytest.mark.parametrize("how", ["safely", "at once"])
def test_a_statement_that_waits_can_be_cancelled(connection: Connection, how: str) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    timer = Timer(0.2, connection.cancel_safe if how == "safely" else connection.cancel)
    timer.start()
    with pytest.raises(psycopg.errors.QueryCanceled, match="canceling statement due to user request"):
        connection.execute(FOREVER)
    timer.join()
    assert rows(connection, "SELECT 1") == [(1,)]


def test_a_statement_has_as_long_as_its_timeout(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    connection.execute("SET statement_timeout = '100ms'")
    with pytest.raises(psycopg.errors.QueryCanceled, match="canceling statement due to statement timeout"):
        connection.execute(FOREVER)


async def test_a_task_that_is_cancelled_ends_its_statement(server: ServerProcess, schema: str) -> None:
    options = f"-c search_path={schema}"
    async with await psycopg.AsyncConnection.connect(server.dsn, autocommit=True, options=options) as connection:
        await connection.execute("CREATE TABLE t (a integer)")
        task = asyncio.create_task(connection.execute(FOREVER))
        done, _ = await asyncio.wait([task], timeout=0.2)
        assert not done
        task.cancel()
        with pytest.raises((asyncio.CancelledError, psycopg.errors.QueryCanceled)):
            await task
        assert await (await connection.execute("SELECT 1")).fetchall() == [(1,)]


@pytest.mark.parametrize("format_", ["text", "csv", "binary"])
def test_rows_are_copied_out_and_in(connection: Connection, format_: str) -> None:
    connection.execute("CREATE TABLE t (a integer, b text, c timestamptz)")
    connection.execute(
        "INSERT INTO t VALUES (1, E'x\\ty\\n,\"z', '2024-01-02 03:04:05+00'), (2, '', NULL), (3, NULL, NULL)"
    )
    connection.execute("CREATE TABLE u (a integer, b text, c timestamptz)")
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY (SELECT * FROM t ORDER BY a) TO STDOUT (FORMAT {format_})") as out:
            data = b"".join(map(bytes, out))
        with cursor.copy(f"COPY u FROM STDIN (FORMAT {format_})") as into:
            for start in range(0, len(data), 7):
                into.write(data[start : start + 7])
        assert cursor.rowcount == 3
    assert rows(connection, "SELECT * FROM u ORDER BY a") == rows(connection, "SELECT * FROM t ORDER BY a")


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_values_are_copied_row_by_row(connection: Connection, binary: bool) -> None:
    connection.execute("CREATE TABLE t (a integer, b text, c numeric, d bytea, e timestamptz)")
    given = [
        (number, f"text {number}", Decimal(number) / 4, bytes([number % 256]), datetime(2024, 1, 1, tzinfo=UTC))
        for number in range(2000)
    ]
    types = ["int4", "text", "numeric", "bytea", "timestamptz"]
    options = "(FORMAT binary)" if binary else ""
    with connection.cursor() as cursor:
        with cursor.copy(f"COPY t FROM STDIN {options}") as into:
            if binary:
                into.set_types(types)
            for row in given:
                into.write_row(row)
        with cursor.copy(f"COPY (SELECT * FROM t ORDER BY a) TO STDOUT {options}") as out:
            out.set_types(types)
            assert list(out.rows()) == given


class GivenUp(Exception):
    pass


def test_a_copy_that_is_wrong_or_given_up_leaves_nothing(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    with connection.cursor() as cursor:
        with pytest.raises(psycopg.errors.InvalidTextRepresentation), cursor.copy("COPY t FROM STDIN") as into:
            into.write("1\n2\nx\n")
        with suppress(GivenUp), cursor.copy("COPY t FROM STDIN") as into:
            into.write("1\n2\n")
            raise GivenUp
    assert rows(connection, "SELECT count(*) FROM t") == [(0,)]


def test_a_cursor_of_the_server_gives_rows_in_parts(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    connection.execute("INSERT INTO t SELECT * FROM generate_series(1, 1000)")
    with connection.transaction(), connection.cursor("named") as cursor:
        cursor.itersize = 100
        cursor.execute("SELECT a FROM t ORDER BY a")
        assert cursor.fetchone() == (1,)
        assert cursor.fetchmany(3) == [(2,), (3,), (4,)]
        assert [value for (value,) in cursor] == list(range(5, 1001))


def test_rows_are_streamed(connection: Connection) -> None:
    with connection.cursor() as cursor:
        found = [value for (value,) in cursor.stream("SELECT n FROM generate_series(1, 3000) AS s (n) ORDER BY n")]
    assert found == list(range(1, 3001))


def test_a_subscription_is_streamed_until_it_is_given_up(connection: Connection, other: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    connection.execute("INSERT INTO t VALUES (1)")
    changes: list[tuple[int, int]] = []
    with connection.cursor() as cursor:
        for _, diff, value in cursor.stream("SUBSCRIBE t"):
            changes.append((int(str(value)), int(str(diff))))
            if len(changes) == 1:
                other.execute("UPDATE t SET a = 2")
            if len(changes) == 3:
                break
    assert changes[0] == (1, 1)
    assert sorted(changes[1:]) == [(1, -1), (2, 1)]
    assert rows(connection, "SELECT a FROM t") == [(2,)]


def test_a_subscription_is_copied_and_fetched(connection: Connection, other: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    connection.execute("INSERT INTO t VALUES (1), (2)")
    with connection.cursor() as cursor, cursor.copy("COPY (SUBSCRIBE t WITH (PROGRESS)) TO STDOUT") as out:
        lines: list[str] = []
        for data in out:
            lines += bytes(data).decode().splitlines()
            if any("\tt\t" in line for line in lines[2:]):
                break
        connection.cancel_safe()
        with pytest.raises(psycopg.errors.QueryCanceled):
            for _ in out:
                pass
    assert sum(line.split("\t")[1:] == ["f", "1", value] for line in lines for value in "12") == 2
    with connection.transaction():
        connection.execute("DECLARE c CURSOR FOR SUBSCRIBE t")
        first = connection.execute("FETCH 2 c WITH (timeout = '10s')").fetchall()
        assert sorted((row[1], row[2]) for row in first) == [(1, 1), (1, 2)]
        other.execute("DELETE FROM t WHERE a = 1")
        assert [row[1:] for row in connection.execute("FETCH 1 c WITH (timeout = '10s')")] == [(-1, 1)]
        assert connection.execute("FETCH ALL c WITH (timeout = '0s')").fetchall() == []


def test_a_pipeline_is_answered_in_order(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    with connection.pipeline() as pipeline:
        for number in range(20):
            connection.execute("INSERT INTO t VALUES (%s)", (number,))
        pipeline.sync()
        found = connection.execute("SELECT count(*) FROM t")
        pipeline.sync()
        assert found.fetchall() == [(20,)]


def test_an_error_in_a_pipeline_skips_the_rest_up_to_the_next_sync(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer)")
    with connection.pipeline() as pipeline:
        connection.execute("INSERT INTO t VALUES (1)")
        connection.execute("SELECT 1 / %s::integer", (0,))
        connection.execute("INSERT INTO t VALUES (2)")
        with pytest.raises(psycopg.errors.DivisionByZero):
            pipeline.sync()
    assert rows(connection, "SELECT count(*) FROM t") == [(0,)]


def test_several_statements_have_several_results(connection: Connection) -> None:
    cursor = connection.execute("SELECT 1; SELECT 2, 3")
    assert cursor.fetchall() == [(1,)]
    assert cursor.nextset()
    assert cursor.fetchall() == [(2, 3)]
    assert not cursor.nextset()


def test_texts_are_composed_safely(connection: Connection) -> None:
    name = 'a "b" 𝄞'
    connection.execute(sql.SQL("CREATE TABLE {} ({} integer)").format(sql.Identifier(name), sql.Identifier("c d")))
    cursor = connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(name)))
    assert cursor.description is not None
    assert [column.name for column in cursor.description] == ["c d"]
    assert rows(connection, "SELECT %s, %s", "it's", "back\\slash") == [("it's", "back\\slash")]


def test_columns_are_described(connection: Connection) -> None:
    cursor = connection.execute("SELECT 1 AS a, 'x'::varchar(7) AS b, 1.5::numeric(10, 2) AS c, now() AS d")
    assert cursor.description is not None
    assert [(column.name, column.type_display) for column in cursor.description] == [
        ("a", "int4"),
        ("b", "varchar(7)"),
        ("c", "numeric(10,2)"),
        ("d", "timestamptz"),
    ]


def test_types_of_users_are_known_to_the_driver(connection: Connection) -> None:
    connection.execute("CREATE TYPE pair AS (a integer, b text)")
    info = CompositeInfo.fetch(connection, "pair")
    assert info is not None
    assert (info.field_names, info.field_types) == (("a", "b"), (23, 25))
    assert TypeInfo.fetch(connection, "integer") is not None


def test_strings_may_be_sent_as_text_too(connection: Connection) -> None:
    """Not as of a type that is left open, which is what the driver does by default."""
    connection.adapters.register_dumper(str, StrDumper)
    connection.execute("CREATE TABLE t (a text, b varchar(5))")
    connection.execute("INSERT INTO t VALUES (%s, %s)", ("x", "y"))
    assert rows(connection, "SELECT * FROM t WHERE a = %s AND b = %s", "x", "y") == [("x", "y")]
