from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from holdfast.errors import UnavailableError, UsageError
from holdfast.spark.errors import SparkJobFailed, SparkReadFailed, SparkUnavailable, spark_errors
from tests.spark.child import run_python
from tests.spark.servers import connect_server
from tests.spark.test_session import damaged_part


def failure(spark: SparkSession, query: str) -> SparkJobFailed:
    with pytest.raises(SparkJobFailed) as caught, spark_errors():
        spark.sql(query).toArrow()
    assert_is_ours(caught.value)
    return caught.value


def read_failure(spark: SparkSession, path: Path) -> SparkReadFailed:
    with pytest.raises(SparkReadFailed) as caught, spark_errors():
        spark.read.schema("a bigint").parquet(str(path)).toArrow()
    assert_is_ours(caught.value)
    return caught.value


def assert_is_ours(error: SparkJobFailed) -> None:
    """A short message of one line, without a trace or a class of Java's, and Spark's own as its cause."""
    message = str(error)
    assert error.__cause__ is not None
    assert "\n" not in message
    assert not re.search(r"java|scala|apache|Exception", message)
    assert not message.endswith(".")
    assert len(message) < 300


def test_division_by_zero_keeps_its_sqlstate(spark: SparkSession) -> None:
    error = failure(spark, "select id / (id - 1) from range(3)")
    assert (str(error), error.condition, error.sqlstate) == ("division by zero", "DIVIDE_BY_ZERO", "22012")


def test_a_value_that_cannot_be_cast_is_named(spark: SparkSession) -> None:
    error = failure(spark, "select cast(concat('x', id) as int) from range(1)")
    assert str(error).startswith("the value 'x0' of the type \"STRING\" cannot be cast")
    assert error.sqlstate == "22018"


def test_text_that_is_not_sql_is_a_failure_of_the_job(spark: SparkSession) -> None:
    error = failure(spark, "selec 1")
    assert (error.condition, error.sqlstate) == ("PARSE_SYNTAX_ERROR", "42601")


def test_a_name_that_does_not_resolve_is_a_failure_of_the_job(spark: SparkSession) -> None:
    assert failure(spark, "select nope").sqlstate == "42703"


def test_an_error_raised_in_sql_keeps_its_text(spark: SparkSession) -> None:
    assert str(failure(spark, "select raise_error('it went wrong') from range(1)")) == "it went wrong"


def test_an_exception_of_a_python_function_is_its_last_line(spark: SparkSession) -> None:
    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches
        raise ValueError("bad row 7")

    with pytest.raises(SparkJobFailed, match=r"^ValueError: bad row 7$") as caught, spark_errors():
        spark.range(1).mapInArrow(fail, "id bigint").toArrow()
    assert caught.value.condition == "PYTHON_EXCEPTION"


def test_a_value_that_arrow_has_and_spark_has_not_is_a_failure_of_the_job(spark: SparkSession) -> None:
    with pytest.raises(SparkJobFailed, match="uint8 is not supported") as caught, spark_errors():
        spark.createDataFrame(pa.table({"a": pa.array([1], pa.uint8())}))
    assert caught.value.condition == "UNSUPPORTED_DATA_TYPE_FOR_ARROW_CONVERSION"


def test_a_damaged_page_names_the_file(spark: SparkSession, tmp_path: Path) -> None:
    part = damaged_part(tmp_path)
    error = read_failure(spark, part)
    assert error.path == part.as_uri()
    assert error.condition == "FAILED_READ_FILE.NO_HINT"


def test_a_truncated_file_names_the_file(spark: SparkSession, tmp_path: Path) -> None:
    part = tmp_path / "part.parquet"
    pq.write_table(pa.table({"a": list(range(1000))}), part)
    part.write_bytes(part.read_bytes()[:500])
    assert read_failure(spark, part).path == part.as_uri()


def test_a_missing_file_names_the_file(spark: SparkSession, tmp_path: Path) -> None:
    error = read_failure(spark, tmp_path / "none.parquet")
    assert error.path == f"file:{tmp_path}/none.parquet"
    assert error.condition == "PATH_NOT_FOUND"


def test_a_file_that_went_missing_under_a_plan_names_the_file(spark: SparkSession, tmp_path: Path) -> None:
    part = tmp_path / "part.parquet"
    pq.write_table(pa.table({"a": [1]}), part)
    rows = spark.read.schema("a bigint").parquet(str(part))
    part.unlink()
    with pytest.raises(SparkReadFailed) as caught, spark_errors():
        rows.collect()
    assert caught.value.path == part.as_uri()
    assert caught.value.condition == "FAILED_READ_FILE.FILE_NOT_EXIST"


def test_errors_that_are_not_sparks_pass_unchanged() -> None:
    with pytest.raises(UsageError), spark_errors():
        raise UsageError("ours")
    with pytest.raises(KeyError), spark_errors():
        raise KeyError("python's")


def test_what_died_is_unavailable() -> None:
    assert issubclass(SparkUnavailable, UnavailableError)


@pytest.mark.parametrize(
    "said",
    [
        "[CONTEXT_UNAVAILABLE_FOR_REMOTE_CLIENT] Cannot call methods on a stopped SparkContext.",
        "Job 0 cancelled because SparkContext was shut down",
        'Cannot invoke "org.apache.spark.scheduler.DAGScheduler.cleanupQueryJobs(long)" because the return value of '
        '"org.apache.spark.SparkContext.dagScheduler()" is null',
    ],
)
def test_what_a_stopped_context_says_is_unavailable(said: str) -> None:
    with pytest.raises(SparkUnavailable, match=r"^Spark is gone$"), spark_errors():
        raise PySparkException(said)


def test_a_java_that_is_killed_is_unavailable(tmp_path: Path) -> None:
    program = """
import os
import signal
import psutil
from holdfast.spark import SparkSettings, SparkUnavailable, spark_errors, start, stop
session = start(SparkSettings(master="local[1]", driver_memory="1g"))
rows = session.range(3)
(java,) = [child.pid for child in psutil.Process().children() if child.name() == "java"]
def kill(batches):
    os.kill(java, signal.SIGKILL)
    yield from batches
killing = rows.mapInArrow(kill, "id bigint")
for action in (lambda: killing.toArrow(), lambda: rows.collect(), lambda: session.sql("select 1")):
    try:
        with spark_errors():
            action()
    except SparkUnavailable as error:
        print(error)
stop(session)
"""
    assert run_python(program, cwd=tmp_path).stdout.splitlines() == ["Spark is gone"] * 3


def test_a_job_that_spark_is_stopped_under_is_unavailable(tmp_path: Path) -> None:
    program = """
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from holdfast.spark import SparkSettings, SparkUnavailable, spark_errors, start, stop
session = start(SparkSettings(master="local[1]", driver_memory="1g"))
os.mkfifo("running")
def never_end(batches):
    open("running", "w").close()
    Event().wait()
    yield from batches
def job():
    with spark_errors():
        session.range(1).mapInArrow(never_end, "id bigint").toArrow()
with ThreadPoolExecutor(1) as pool:
    future = pool.submit(job)
    open("running").close()
    stop(session)
    error = future.exception()
print(type(error).__name__, error)
"""
    assert run_python(program, cwd=tmp_path).stdout == "SparkUnavailable Spark is gone\n"


def test_a_connect_server_that_goes_away_is_unavailable(tmp_path: Path) -> None:
    program = """
import sys
import psutil
from holdfast.spark import SparkSettings, SparkUnavailable, spark_errors, start, stop
session = start(SparkSettings(master=sys.argv[1]))
port = int(sys.argv[1].rpartition(":")[2])
(server,) = {at.pid for at in psutil.net_connections() if at.status == psutil.CONN_LISTEN and at.laddr.port == port}
psutil.Process(server).kill()
for action in (lambda: session.range(3).collect(), lambda: start(SparkSettings(master=sys.argv[1]))):
    try:
        with spark_errors():
            action()
    except SparkUnavailable as error:
        print(error)
stop(session)
"""
    with connect_server() as url:
        done = run_python(program, url, cwd=tmp_path)
    assert done.stdout.splitlines() == ["Spark is gone"] * 2
    assert done.stderr == ""
