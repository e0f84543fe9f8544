"""pgjdbc: values in text and in bytes, metadata, batches, parts of results, transactions, errors, cancelling, COPY."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from threading import Timer
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError

from tests.clients.jdbc import Unavailable, pgjdbc_jar, running_java
from tests.clients.samples import SAMPLES
from tests.serving import ServerProcess

Java = Any  # py4j has no types


@pytest.fixture(scope="module")
def java(pytestconfig: pytest.Config) -> Iterator[Java]:
    assert pytestconfig.cache is not None
    try:
        jar = pgjdbc_jar(pytestconfig.cache.mkdir("holdfast-pgjdbc"))
    except Unavailable as reason:
        pytest.skip(str(reason))
    with running_java(jar) as jvm:
        yield jvm


Connect = Callable[..., Java]


@pytest.fixture
def connect(java: Java, server: ServerProcess, schema: str) -> Iterator[Connect]:
    opened: list[Java] = []

    def made(**properties: str) -> Java:
        wanted = java.java.util.Properties()
        for name, value in {"user": "materialize", "currentSchema": schema, **properties}.items():
            wanted.setProperty(name, value)
        url = f"jdbc:postgresql://127.0.0.1:{server.port}/materialize"
        opened.append(java.java.sql.DriverManager.getConnection(url, wanted))
        return opened[-1]

    yield made
    for connection in opened:
        connection.close()


@pytest.fixture
def connection(connect: Connect) -> Java:
    return connect()


def run(connection: Java, *texts: str) -> int:
    """How many rows the last changed."""
    statement = connection.createStatement()
    counts = [statement.executeUpdate(text) for text in texts]
    statement.close()
    return int(counts[-1])


def rows(result: Java) -> list[tuple[Any, ...]]:
    """All rows, as text."""
    columns = range(1, result.getMetaData().getColumnCount() + 1)
    found = []
    while result.next():
        found.append(tuple(result.getString(column) for column in columns))
    result.close()
    return found


def query(connection: Java, text: str) -> list[tuple[Any, ...]]:
    return rows(connection.createStatement().executeQuery(text))


def error_of(work: Callable[[], object]) -> Java:
    with pytest.raises(Py4JJavaError) as found:
        work()
    return found.value.java_exception


def test_a_connection_knows_the_server(connection: Java, schema: str) -> None:
    about = connection.getMetaData()
    assert about.getDatabaseProductName() == "PostgreSQL"
    assert about.getDatabaseMajorVersion() >= 9
    assert connection.getCatalog() == "materialize"
    assert connection.getSchema() == schema
    assert connection.isValid(5)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "UTC"])
def test_the_time_zone_of_the_client_is_no_hindrance(java: Java, connect: Connect, zone: str) -> None:
    zones = java.java.util.TimeZone
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone(zone))
    try:
        statement = connect().prepareStatement("SELECT ?::timestamptz")
        moment = java.java.sql.Timestamp(1_700_000_000_123)
        statement.setTimestamp(1, moment)
        result = statement.executeQuery()
        assert result.next()
        assert result.getTimestamp(1).getTime() == 1_700_000_000_123
    finally:
        zones.setDefault(before)


@pytest.mark.parametrize("threshold", ["0", "-1"], ids=["text", "binary"])
def test_values_of_every_type_come_back(connect: Connect, threshold: str) -> None:
    """As texts that the server reads. -1: the driver prepares on the server at once, and takes bytes where it can."""
    connection = connect(prepareThreshold=threshold, stringtype="unspecified")
    for type_, samples in SAMPLES.items():
        statement = connection.prepareStatement(f"SELECT ?::{type_}::text, ?::{type_} IS NULL")
        for sample in samples:
            statement.setString(1, sample)
            statement.setString(2, None)
            # char(n) has no padding as text.
            expected = {"t": "true", "f": "false"}.get(
                sample, sample.rstrip(" ") if type_ == "character(3)" else sample
            )
            assert rows(statement.executeQuery()) == [(expected, "t")], type_
        statement.close()


@pytest.mark.parametrize("threshold", ["0", "-1"], ids=["text", "binary"])
def test_values_of_java_come_back(java: Java, connect: Connect, threshold: str) -> None:
    connection = connect(prepareThreshold=threshold)
    run(
        connection,
        "CREATE TABLE t (a boolean, b smallint, c integer, d bigint, e real, f double precision, g numeric, h text, "
        "i bytea, j date, k timestamp, l timestamptz, m uuid, n integer[], o text[], p jsonb)",
    )
    moment = java.java.sql.Timestamp(1_709_210_096_000)
    decimal = Decimal("12345678901234567890.123456789")
    unique = java.java.util.UUID(7, 8)
    insert = connection.prepareStatement(f"INSERT INTO t VALUES ({', '.join(['?'] * 15)}, ?::jsonb)")
    insert.setBoolean(1, True)
    insert.setShort(2, -32768)
    insert.setInt(3, 2**31 - 1)
    insert.setLong(4, -(2**63))
    insert.setFloat(5, 0.5)
    insert.setDouble(6, 0.1)
    insert.setBigDecimal(7, decimal)
    insert.setString(8, "ä€🙂")
    insert.setBytes(9, bytes(range(256)))
    insert.setDate(10, java.java.sql.Date.valueOf("2024-02-29"))
    insert.setTimestamp(11, moment)
    insert.setTimestamp(12, moment)
    insert.setObject(13, unique)
    insert.setArray(14, connection.createArrayOf("integer", strings(java, ["1", None, "3"])))
    insert.setArray(15, connection.createArrayOf("text", strings(java, ["a", None, ""])))
    insert.setString(16, '{"a": 1}')
    assert insert.executeUpdate() == 1
    for place in range(1, 17):
        insert.setNull(place, 0)
    assert insert.executeUpdate() == 1
    result = connection.prepareStatement("SELECT * FROM t ORDER BY a").executeQuery()
    assert result.next()
    assert result.getBoolean(1)
    assert [result.getShort(2), result.getInt(3), result.getLong(4)] == [-32768, 2**31 - 1, -(2**63)]
    assert [result.getFloat(5), result.getDouble(6)] == [0.5, 0.1]
    assert result.getBigDecimal(7) == decimal
    assert result.getString(8) == "ä€🙂"
    assert bytes(result.getBytes(9)) == bytes(range(256))
    assert result.getDate(10).toString() == "2024-02-29"
    assert result.getTimestamp(11).equals(moment)
    assert result.getTimestamp(12).equals(moment)
    assert result.getObject(13).equals(unique)
    assert list(result.getArray(14).getArray()) == [1, None, 3]
    assert list(result.getArray(15).getArray()) == ["a", None, ""]
    assert result.getString(16) == '{"a": 1}'
    assert result.next()
    assert [result.getObject(place) for place in range(1, 17)] == [None] * 16


def strings(java: Java, values: list[str | None]) -> Java:
    made = java.java.util.ArrayList()
    for value in values:
        made.add(value)
    return made.toArray()


def test_metadata_describes_tables_columns_and_types(connection: Java, schema: str) -> None:
    run(
        connection,
        "CREATE TABLE items (id integer NOT NULL, name varchar(20) DEFAULT 'x', price numeric(10, 2))",
        "CREATE VIEW dear AS SELECT * FROM items",
        "COMMENT ON TABLE items IS 'things'",
    )
    about = connection.getMetaData()
    tables = [(row[2], row[3], row[4]) for row in rows(about.getTables(None, schema, "%", None))]
    assert sorted(tables) == [("dear", "VIEW", None), ("items", "TABLE", "things")]
    columns = [
        (row[3], row[5], row[6], row[8], row[12], row[17]) for row in rows(about.getColumns(None, schema, "items", "%"))
    ]
    assert columns == [
        ("id", "int4", "10", "0", None, "NO"),
        ("name", "varchar", "20", "0", "'x'", "YES"),
        ("price", "numeric", "10", "2", None, "YES"),
    ]
    assert schema in {row[0] for row in rows(about.getSchemas())}
    assert {row[0] for row in rows(about.getCatalogs())} == {"materialize"}
    assert {"TABLE", "VIEW"} <= {row[0] for row in rows(about.getTableTypes())}
    assert {"int4", "text", "timestamptz", "jsonb"} <= {row[0] for row in rows(about.getTypeInfo())}
    for found in (
        about.getPrimaryKeys(None, schema, "items"),
        about.getImportedKeys(None, schema, "items"),
        about.getExportedKeys(None, schema, "items"),
        about.getIndexInfo(None, schema, "items", False, False),
        about.getBestRowIdentifier(None, schema, "items", 0, False),
        about.getProcedures(None, schema, "%"),
        about.getUDTs(None, schema, "%", None),
    ):
        assert rows(found) == []
    assert rows(about.getTablePrivileges(None, schema, "items")) != []
    assert "substring" in {row[2] for row in rows(about.getFunctions(None, "pg_catalog", "substring"))}


def test_results_and_parameters_are_described(connection: Java) -> None:
    run(connection, "CREATE TABLE t (a integer NOT NULL, b numeric(10, 2))")
    statement = connection.prepareStatement("SELECT a, b FROM t WHERE a = ?")
    about = statement.getMetaData()
    assert [about.getColumnName(place) for place in (1, 2)] == ["a", "b"]
    assert [about.getColumnTypeName(place) for place in (1, 2)] == ["int4", "numeric"]
    assert (about.getPrecision(2), about.getScale(2)) == (10, 2)
    assert statement.getParameterMetaData().getParameterTypeName(1) == "int4"


@pytest.mark.parametrize("rewrite", ["false", "true"])
def test_batches_are_sent_together(connect: Connect, rewrite: str) -> None:
    connection = connect(reWriteBatchedInserts=rewrite)
    run(connection, "CREATE TABLE t (a integer, b text)")
    insert = connection.prepareStatement("INSERT INTO t VALUES (?, ?)")
    for number in range(200):
        insert.setInt(1, number)
        insert.setString(2, str(number))
        insert.addBatch()
    insert.executeBatch()
    assert query(connection, "SELECT count(*), sum(a), max(b) FROM t") == [("200", "19900", "99")]


def test_a_prepared_statement_is_used_often(connection: Java) -> None:
    run(connection, "CREATE TABLE t (a integer, b text)", "INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    statement = connection.prepareStatement("SELECT b FROM t WHERE a = ?")
    for number in range(12):
        statement.setInt(1, 1 + number % 2)
        assert rows(statement.executeQuery()) == [("two",) if number % 2 else ("one",)]


def test_a_statement_is_prepared_again_once_its_result_is_another(connect: Connect) -> None:
    connection, other = connect(prepareThreshold="-1"), connect()
    run(connection, "CREATE TABLE t (a integer)")
    statement = connection.prepareStatement("SELECT * FROM t")
    assert rows(statement.executeQuery()) == []
    run(other, "ALTER TABLE t ADD COLUMN b text", "INSERT INTO t VALUES (1, 'x')")
    assert rows(statement.executeQuery()) == [("1", "x")]


def test_rows_come_in_parts(connection: Java) -> None:
    run(connection, "CREATE TABLE t (a integer)", "INSERT INTO t SELECT * FROM generate_series(1, 500)")
    connection.setAutoCommit(False)
    statement = connection.prepareStatement("SELECT a FROM t ORDER BY a")
    statement.setFetchSize(7)
    assert rows(statement.executeQuery()) == [(str(number),) for number in range(1, 501)]
    connection.commit()


def test_transactions_commit_and_roll_back(connection: Java) -> None:
    run(connection, "CREATE TABLE t (a integer)")
    connection.setAutoCommit(False)
    run(connection, "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)")
    connection.commit()
    run(connection, "INSERT INTO t VALUES (3)")
    connection.rollback()
    assert query(connection, "SELECT sum(a) FROM t") == [("3",)]
    connection.rollback()
    assert error_of(lambda: query(connection, "SELECT nothing")).getSQLState() == "42703"
    assert error_of(lambda: query(connection, "SELECT 1")).getSQLState() == "25P02"
    connection.rollback()
    connection.setReadOnly(True)
    assert error_of(lambda: run(connection, "INSERT INTO t VALUES (4)")).getSQLState() == "25006"
    connection.rollback()
    assert error_of(connection.setSavepoint).getSQLState() == "0A000"


@pytest.mark.parametrize("level", [2, 4, 8])
def test_isolation_levels_of_the_driver_are_understood(connection: Java, level: int) -> None:
    connection.setTransactionIsolation(level)
    connection.setAutoCommit(False)
    assert query(connection, "SELECT 1") == [("1",)]
    connection.commit()


def test_errors_have_codes_and_places(connection: Java) -> None:
    error = error_of(lambda: query(connection, "SELECT 1 + wrong"))
    assert error.getSQLState() == "42703"
    said = error.getServerErrorMessage()
    assert (said.getPosition(), said.getSeverity()) == (12, "ERROR")
    assert said.getMessage() == 'column "wrong" does not exist'
    assert error_of(lambda: query(connection, "SELECT 1 / 0")).getSQLState() == "22012"


def test_notices_become_warnings(connection: Java) -> None:
    statement = connection.createStatement()
    statement.executeUpdate("DROP TABLE IF EXISTS nowhere")
    assert statement.getWarnings().getMessage() == 'table "nowhere" does not exist, skipping'


def test_a_statement_that_waits_can_be_cancelled(connection: Java) -> None:
    run(connection, "CREATE TABLE t (a integer)")
    statement = connection.createStatement()
    timer = Timer(0.3, statement.cancel)
    timer.start()
    error = error_of(lambda: statement.executeQuery("SELECT * FROM t AS OF 9000000000000"))
    timer.join()
    assert error.getSQLState() == "57014"
    statement.setQueryTimeout(1)
    assert error_of(lambda: statement.executeQuery("SELECT * FROM t AS OF 9000000000000")).getSQLState() == "57014"
    assert query(connection, "SELECT 1") == [("1",)]


def test_rows_are_copied_in_and_out(java: Java, connection: Java) -> None:
    run(connection, "CREATE TABLE t (a integer, b text)")
    copies = connection.getCopyAPI()
    data = "1\tone\n2\t\\N\n"
    assert copies.copyIn("COPY t FROM STDIN", java.java.io.StringReader(data)) == 2
    out = java.java.io.StringWriter()
    assert copies.copyOut("COPY (SELECT * FROM t ORDER BY a) TO STDOUT", out) == 2
    assert out.toString() == data
    wrong = error_of(lambda: copies.copyIn("COPY t FROM STDIN", java.java.io.StringReader("x\ty\n")))
    assert wrong.getSQLState() == "22P02"
    assert query(connection, "SELECT count(*) FROM t") == [("2",)]


def test_a_subscription_is_fetched_and_copied(connect: Connect) -> None:
    connection, other = connect(), connect()
    run(connection, "CREATE TABLE t (a integer)", "INSERT INTO t VALUES (1)")
    connection.setAutoCommit(False)
    run(connection, "DECLARE c CURSOR FOR SUBSCRIBE t")
    assert [row[1:] for row in query(connection, "FETCH 1 c WITH (timeout = '10s')")] == [("1", "1")]
    run(other, "INSERT INTO t VALUES (2)")
    assert [row[1:] for row in query(connection, "FETCH 1 c WITH (timeout = '10s')")] == [("1", "2")]
    connection.rollback()
    copy = connection.getCopyAPI().copyOut("COPY (SUBSCRIBE t) TO STDOUT")
    lines = [bytes(copy.readFromCopy()).decode().strip().split("\t")[1:] for _ in range(2)]
    assert sorted(lines) == [["1", "1"], ["1", "2"]]
    copy.cancelCopy()
    # The driver reads how the copy ended with the answer to what it asks next.
    assert error_of(connection.rollback).getSQLState() == "57014"
