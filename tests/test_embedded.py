"""`holdfast.open`: the database in this process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import NoReturn
from uuid import UUID

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import holdfast
from holdfast.adapter.ownership import FolderHeld
from holdfast.adapter.tables import Tables
from holdfast.errors import HoldfastError
from holdfast.persist.errors import Stopped
from holdfast.plan.errors import DivisionByZero
from holdfast.sql.errors import NotSupported, UndefinedColumn


@pytest.fixture
def db(tmp_path: Path) -> Iterator[holdfast.Database]:
    with holdfast.open(tmp_path / "data") as opened:
        yield opened


def test_what_is_written_is_read_and_is_there_when_opened_again(tmp_path: Path) -> None:
    with holdfast.open(tmp_path / "data") as db:
        assert db.sql("CREATE TABLE t (a int, b text)").tag == "CREATE TABLE"
        assert db.sql("INSERT INTO t VALUES (1, 'x'), (2, NULL)").tag == "INSERT 0 2"
    with holdfast.open(tmp_path / "data") as db:
        found = db.sql("SELECT a, b FROM t ORDER BY a")
        assert (found.tag, found.names, found.rows(), len(found)) == ("SELECT 2", ["a", "b"], [(1, "x"), (2, None)], 2)
        assert list(found) == found.rows()


def test_a_result_is_an_arrow_table_too(db: holdfast.Database) -> None:
    table = db.sql("SELECT 1 AS a, 'x' AS a").arrow()
    assert table.column_names == ["a", "a"]
    assert [column.to_pylist() for column in table.columns] == [[1], ["x"]]
    db.sql("CREATE TABLE t (a bigint)")
    assert db.sql("SELECT * FROM t").arrow() == pa.table({"a": pa.array([], pa.int64())})


def test_a_result_is_a_frame_of_sparks_too(spark: SparkSession, db: holdfast.Database) -> None:
    frame = db.sql("SELECT DATE '2026-02-03' AS d, 1.50::numeric(5, 2) AS n, ARRAY[1, 2] AS l").spark()
    assert [tuple(row) for row in frame.collect()] == [(date(2026, 2, 3), Decimal("1.50"), [1, 2])]
    assert frame.columns == ["d", "n", "l"]
    # The suite's Spark is someone else's to the database, which must leave it running.
    assert db.spark() is spark
    db.close()
    assert spark.range(3).count() == 3


def test_a_table_for_which_memory_has_no_room_is_read_and_changed_by_spark(
    spark: SparkSession, db: holdfast.Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object) -> NoReturn:
        raise AssertionError("it was read as a whole")

    db.sql("CREATE TABLE t (a bigint, b text)")
    db.sql("INSERT INTO t SELECT g, 'row ' || g FROM generate_series(1, 100) g")
    monkeypatch.setattr(Tables, "is_at_hand", lambda *_: False)
    monkeypatch.setattr(Tables, "rows", refused)
    assert db.spark() is spark
    assert db.sql("DELETE FROM t WHERE a BETWEEN 11 AND 100").tag == "DELETE 90"
    assert db.sql("UPDATE t SET b = upper(b) WHERE a > 8 RETURNING a").tag == "UPDATE 2"
    assert db.sql("SELECT b FROM t WHERE a > 7 ORDER BY a").rows() == [("row 8",), ("ROW 9",), ("ROW 10",)]
    assert db.sql("DELETE FROM t WHERE a > 100").tag == "DELETE 0"
    with pytest.raises(DivisionByZero):
        db.sql("DELETE FROM t WHERE 1 / (a - 3) > 0")
    assert db.sql("SELECT a FROM t WHERE a < 5").arrow().num_rows == 4


def test_a_result_is_a_table_for_people_too(db: holdfast.Database) -> None:
    assert str(db.sql("SELECT 1 AS a, 'x' AS b")) == " a | b\n---+---\n 1 | x\n(1 row)"
    assert str(db.sql("SET application_name = 'x'")) == "SET"


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        ("boolean", True),
        ("smallint", -5),
        ("bigint", 2**62),
        ("double precision", 1.5),
        ("numeric", Decimal("1.2345")),
        ("text", "é\n'\""),
        ("bytea", b"\x00\xff"),
        ("date", date(2026, 2, 3)),
        ("time", time(1, 2, 3, 4)),
        ("timestamp", datetime(2026, 2, 3, 4, 5, 6, 7)),
        ("timestamptz", datetime(2026, 2, 3, 4, 5, 6, 7, UTC)),
        ("interval", timedelta(days=3, seconds=4, microseconds=5)),
        ("interval", timedelta(days=-1, microseconds=1)),
        ("uuid", UUID("01234567-89ab-cdef-0123-456789abcdef")),
        ("jsonb", {"a": [1, None, "x"]}),
        ("int[]", [1, None, 3]),
        ("text list", ["a", None]),
        ("map[text => int]", {"a": 1, "b": None}),
        ("int", None),
    ],
)
def test_values_are_pythons_and_come_back_as_they_went(db: holdfast.Database, type_: str, value: object) -> None:
    assert db.sql(f"SELECT $1::{type_}", [value]).rows() == [(value,)]


def test_what_python_has_no_value_for_is_its_text(db: holdfast.Database) -> None:
    (row,) = db.sql(
        "SELECT DATE 'infinity', TIMESTAMP '20000-01-01 00:00:00', TIME '24:00', DATE '0044-03-15 BC', int4range(1, 5)"
    ).rows()
    assert row == ("infinity", "20000-01-01 00:00:00", "24:00:00", "0044-03-15 BC", "[1,5)")


def test_texts_are_read_as_the_type_that_the_statement_has(db: holdfast.Database) -> None:
    db.sql("CREATE TABLE t (a int, b date)")
    db.sql("INSERT INTO t VALUES ($1, $2)", ["7", "2026-02-03"])
    assert db.sql("SELECT * FROM t WHERE a = $1", [7]).rows() == [(7, date(2026, 2, 3))]


@pytest.mark.parametrize(("params", "message"), [([], "supplies 0"), ([1, 2], "supplies 2"), (["x"], "invalid input")])
def test_parameters_that_do_not_fit_are_errors(db: holdfast.Database, params: list[object], message: str) -> None:
    with pytest.raises(HoldfastError, match=message):
        db.sql("SELECT $1::int", params)
    assert db.sql("SELECT 1").rows() == [(1,)]


def test_errors_are_raised_and_the_session_goes_on(db: holdfast.Database) -> None:
    with pytest.raises(UndefinedColumn, match='column "nothing" does not exist'):
        db.sql("SELECT nothing")
    with pytest.raises(NotSupported):
        db.sql("COPY (SELECT 1) TO STDOUT")
    assert db.sql("SELECT 1").rows() == [(1,)]


def test_transactions_span_calls(db: holdfast.Database) -> None:
    db.sql("CREATE TABLE t (a int)")
    db.sql("BEGIN")
    db.sql("INSERT INTO t VALUES ($1)", [1])
    db.sql("ROLLBACK")
    assert db.sql("SELECT * FROM t").rows() == []
    assert db.sql("INSERT INTO t VALUES (1); INSERT INTO t VALUES (2), (3)").tag == "INSERT 0 2"
    assert db.sql("SELECT count(*) FROM t").rows() == [(3,)]


def test_a_subscription_goes_on_while_others_write(db: holdfast.Database) -> None:
    db.sql("CREATE TABLE t (a int)")
    db.sql("INSERT INTO t VALUES (1)")
    changes = (row[1:] for piece in db.stream("SUBSCRIBE t") for row in piece)
    assert next(changes) == (1, 1)
    db.sql("DELETE FROM t")
    assert next(changes) == (-1, 1)
    changes.close()
    assert [len(piece) for piece in db.stream("SELECT $1::int", [5])] == [1]
    with pytest.raises(NotSupported, match="only rows"):
        list(db.stream("CREATE TABLE u (a int)"))


def test_threads_share_a_database(db: holdfast.Database) -> None:
    db.sql("CREATE TABLE t (a int)")
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: db.sql("INSERT INTO t VALUES ($1)", [number]), range(50)))
    assert db.sql("SELECT count(*), sum(a) FROM t").rows() == [(50, sum(range(50)))]


def test_a_statement_may_take_as_long_as_its_caller_waits(db: holdfast.Database) -> None:
    assert db.sql("SHOW statement_timeout").rows() == [("0",)]


def test_a_folder_belongs_to_one_at_a_time(db: holdfast.Database, tmp_path: Path) -> None:
    with pytest.raises(FolderHeld, match="is in use by process"):
        holdfast.open(tmp_path / "data")
    db.close()
    db.close()
    with pytest.raises(Stopped):
        db.sql("SELECT 1")
    with holdfast.open(tmp_path / "data") as again:
        assert again.sql("SELECT 1").rows() == [(1,)]


async def test_the_same_in_an_event_loop_of_ones_own(tmp_path: Path) -> None:
    async with holdfast.open_async(tmp_path / "data", user="ada") as db:
        await db.sql("CREATE TABLE t (a int)")
        await db.sql("INSERT INTO t VALUES (1), (2)")
        assert (await db.sql("SELECT current_user, count(*) FROM t")).rows() == [("ada", 2)]
        assert [row async for piece in db.stream("SELECT a FROM t ORDER BY a") for row in piece] == [(1,), (2,)]


def test_importing_the_package_alone_loads_nothing_of_it() -> None:
    """Executors of Spark's import single modules of it."""
    program = "import holdfast.errors, sys; print([m for m in sys.modules if m in ('pyspark', 'pyarrow', 'aiohttp')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    with pytest.raises(AttributeError):
        holdfast.nothing  # noqa: B018
