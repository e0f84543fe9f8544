"""psycopg2: texts with values in them, cursors, transactions, errors, cancelling, COPY, SUBSCRIBE."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from threading import Timer
from typing import Any

import psycopg2
import psycopg2.errors
import psycopg2.extensions
import psycopg2.extras
import pytest
from psycopg2.extras import DateRange, Json, NumericRange

from tests.serving import ServerProcess

Connection = Any  # psycopg2 has no types

VALUES: dict[str, list[object]] = {
    "boolean": [True, False],
    "smallint": [-(2**15), 2**15 - 1],
    "integer": [-(2**31), 2**31 - 1],
    "bigint": [-(2**63), 2**63 - 1],
    "double precision": [0.1, 1e308, -5e-324, 1.5e-40, float("inf")],
    "numeric": [Decimal("-99999999999999999999.999999999999999999"), Decimal("0.5")],
    "text": ["", "ä€🙂", "a'b\"c\\d\n\t%", "x" * 10_000],
    "bytea": [b"", bytes(range(256))],
    "date": [date.min, date.max],
    "time": [time.min, time.max],
    "timestamp": [datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)],
    "timestamptz": [datetime(1970, 1, 1, tzinfo=UTC), datetime(2024, 2, 29, 12, 34, 56, 789, UTC)],
    "interval": [timedelta(0), timedelta(days=-3, microseconds=1)],
    "integer[]": [[], [1, None, 3]],
    "text[]": [["a", None, "", "NULL", 'q"\\ {,}']],
    "int4range": [NumericRange(1, 5), NumericRange(empty=True)],
    "daterange": [DateRange(date(2024, 1, 1), date(2024, 2, 1))],
}


@pytest.fixture
def connection(server: ServerProcess, schema: str) -> Iterator[Connection]:
    opened = psycopg2.connect(server.dsn, options=f"-c search_path={schema}")
    opened.autocommit = True
    yield opened
    opened.close()


@pytest.fixture
def cursor(connection: Connection) -> Iterator[Any]:
    with connection.cursor() as opened:
        yield opened


def rows(cursor: Any, query: str, *values: object) -> list[tuple[object, ...]]:
    cursor.execute(query, values)
    return list(cursor.fetchall())


@pytest.mark.parametrize("type_", VALUES)
def test_values_are_the_same_when_they_come_back(cursor: Any, type_: str) -> None:
    cursor.execute(f"CREATE TABLE t (n integer, a {type_})")
    for number, value in enumerate([*VALUES[type_], None]):
        cursor.execute("INSERT INTO t VALUES (%s, %s)", (number, memory(value)))
    found = [plain(value) for (value,) in rows(cursor, "SELECT a FROM t ORDER BY n")]
    assert found == [*VALUES[type_], None]


def memory(value: object) -> object:
    return psycopg2.Binary(value) if isinstance(value, bytes) else value


def plain(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


def test_documents_and_ids_come_back(cursor: Any) -> None:
    document = {"a": [1, None, 2.5, {"b": "ä€🙂"}], "c": True}
    assert rows(cursor, "SELECT %s::jsonb", Json(document)) == [(document,)]
    text = "00000000-0000-0000-0000-00000000000a"
    assert rows(cursor, "SELECT %s::uuid", text) == [(text,)]


def test_rows_have_names(connection: Connection) -> None:
    with connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
        cursor.execute("SELECT 1 AS a, 'x' AS b")
        assert [dict(row) for row in cursor.fetchall()] == [{"a": 1, "b": "x"}]
        assert [column.name for column in cursor.description] == ["a", "b"]


def test_many_values_are_sent_in_one_statement(cursor: Any) -> None:
    cursor.execute("CREATE TABLE t (a integer, b text)")
    given = [(number, str(number)) for number in range(500)]
    psycopg2.extras.execute_values(cursor, "INSERT INTO t VALUES %s", given, page_size=200)
    assert rows(cursor, "SELECT * FROM t ORDER BY a") == given


def test_transactions_commit_and_roll_back(connection: Connection, cursor: Any) -> None:
    cursor.execute("CREATE TABLE t (a integer)")
    connection.autocommit = False
    cursor.execute("INSERT INTO t VALUES (1)")
    assert connection.get_transaction_status() == psycopg2.extensions.TRANSACTION_STATUS_INTRANS
    connection.commit()
    cursor.execute("INSERT INTO t VALUES (2)")
    connection.rollback()
    assert rows(cursor, "SELECT a FROM t") == [(1,)]
    connection.rollback()
    with pytest.raises(psycopg2.errors.UndefinedTable):
        cursor.execute("SELECT * FROM nowhere")
    with pytest.raises(psycopg2.errors.InFailedSqlTransaction):
        cursor.execute("SELECT 1")
    connection.rollback()


@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
def test_isolation_levels_of_the_driver_are_understood(connection: Connection, cursor: Any, level: str) -> None:
    connection.set_session(isolation_level=level, readonly=True, autocommit=False)
    assert rows(cursor, "SELECT 1") == [(1,)]
    connection.rollback()


def test_errors_have_codes_and_places(cursor: Any) -> None:
    with pytest.raises(psycopg2.errors.UndefinedColumn) as found:
        cursor.execute("SELECT 1 + wrong")
    assert (found.value.pgcode, found.value.diag.statement_position) == ("42703", "12")
    assert found.value.diag.message_primary == 'column "wrong" does not exist'
    with pytest.raises(psycopg2.errors.DivisionByZero):
        cursor.execute("SELECT 1 / 0")


def test_notices_arrive(connection: Connection, cursor: Any) -> None:
    cursor.execute("DROP TABLE IF EXISTS nowhere")
    assert connection.notices[-1].strip() == 'NOTICE:  table "nowhere" does not exist, skipping'


def test_a_statement_that_waits_can_be_cancelled(connection: Connection, cursor: Any) -> None:
    cursor.execute("CREATE TABLE t (a integer)")
    timer = Timer(0.2, connection.cancel)
    timer.start()
    with pytest.raises(psycopg2.errors.QueryCanceled):
        cursor.execute("SELECT * FROM t AS OF 9000000000000")
    timer.join()
    assert rows(cursor, "SELECT 1") == [(1,)]


def test_a_cursor_of_the_server_gives_rows_in_parts(connection: Connection, cursor: Any) -> None:
    cursor.execute("CREATE TABLE t (a integer)")
    cursor.execute("INSERT INTO t SELECT * FROM generate_series(1, 1000)")
    connection.autocommit = False
    with connection.cursor("named") as named:
        named.itersize = 100
        named.execute("SELECT a FROM t ORDER BY a")
        assert named.fetchone() == (1,)
        assert [value for (value,) in named] == list(range(2, 1001))
    connection.rollback()


def test_rows_are_copied_in_and_out(cursor: Any) -> None:
    cursor.execute("CREATE TABLE t (a integer, b text)")
    data = "1\tone\n2\t\\N\n3\tx\\ty\n"
    cursor.copy_expert("COPY t FROM STDIN", io.StringIO(data))
    assert cursor.rowcount == 3
    out = io.StringIO()
    cursor.copy_expert("COPY (SELECT * FROM t ORDER BY a) TO STDOUT", out)
    assert out.getvalue() == data
    cursor.copy_from(io.StringIO("4,four\n"), "t", sep=",")
    out = io.StringIO()
    cursor.copy_to(out, "t", sep="|", null="-")
    assert sorted(out.getvalue().splitlines()) == ["1|one", "2|-", "3|x\\ty", "4|four"]


def test_a_subscription_is_fetched(connection: Connection, cursor: Any, server: ServerProcess, schema: str) -> None:
    cursor.execute("CREATE TABLE t (a integer)")
    cursor.execute("INSERT INTO t VALUES (1)")
    connection.autocommit = False
    cursor.execute("DECLARE c CURSOR FOR SUBSCRIBE t")
    assert [row[1:] for row in rows(cursor, "FETCH 1 c WITH (timeout = '10s')")] == [(1, 1)]
    with server.connect() as other:
        other.execute(f"INSERT INTO {schema}.t VALUES (2)")
    assert [row[1:] for row in rows(cursor, "FETCH 1 c WITH (timeout = '10s')")] == [(1, 2)]
    connection.rollback()


def test_a_subscription_is_copied(connection: Connection, cursor: Any) -> None:
    cursor.execute("CREATE TABLE t (a integer)")
    cursor.execute("INSERT INTO t VALUES (1), (2)")
    lines: list[str] = []

    class Taker(io.StringIO):
        def write(self, text: str) -> int:
            lines.extend(text.splitlines())
            if len(lines) == 2:
                connection.cancel()
            return len(text)

    with pytest.raises(psycopg2.errors.QueryCanceled):
        cursor.copy_expert("COPY (SUBSCRIBE t) TO STDOUT", Taker())
    assert sorted(line.split("\t")[1:] for line in lines) == [["1", "1"], ["1", "2"]]
