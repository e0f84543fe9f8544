from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from holdfast.spark.errors import SparkReadFailed, spark_errors
from holdfast.spark.session import LOOPBACK, SparkSettings, starting_conf, starting_environment
from tests.spark.child import run_python

JOB = """
import json
import sys

import pyarrow as pa

from holdfast.spark import SparkReadFailed, SparkSettings, spark_errors, start, stop

settings = json.loads(sys.argv[1])
session = start(SparkSettings(**settings))


def doubled(batches):
    for batch in batches:
        yield pa.RecordBatch.from_pydict({"a": [2 * value for value in batch.column(0).to_pylist()]})


rows = session.createDataFrame(pa.table({"a": list(range(100))})).repartition(4).mapInArrow(doubled, "a bigint")
answer = {
    "sum": rows.groupBy().sum("a").toArrow().column(0).to_pylist(),
    "ansi": session.conf.get("spark.sql.ansi.enabled"),
    "zone": session.conf.get("spark.sql.session.timeZone"),
}
if len(sys.argv) > 2:
    try:
        with spark_errors():
            session.read.schema("a bigint").parquet(sys.argv[2]).toArrow()
    except SparkReadFailed as error:
        answer["path"] = error.path
stop(session)
print(json.dumps(answer))
"""


def damaged_part(folder: Path) -> Path:
    """A Parquet file with one bit of its data flipped."""
    path = folder / "part.parquet"
    table = pa.table({"a": list(range(10_000))})
    pq.write_table(table, path, write_page_checksum=True, compression="none", use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[2000] ^= 1
    path.write_bytes(content)
    return path


def test_a_session_has_the_settings_that_answers_rest_on(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.conf.get("spark.sql.caseSensitive") == "true"
    assert spark.conf.get("spark.sql.catalogImplementation") == "in-memory"
    assert spark.conf.get("spark.sql.parquet.outputTimestampType") == "TIMESTAMP_MICROS"


def test_what_the_parser_has_learned_takes_a_part_of_the_memory_at_most(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.parser.manageParserCaches") == "true"
    assert spark.conf.get("spark.sql.parser.parserDfaCacheFlushRatio") == "10"


def test_a_small_job_needs_few_tasks(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"
    assert spark.conf.get("spark.sql.adaptive.enabled") == "false"
    assert spark.conf.get("spark.sql.optimizer.singleTaskExecution.enabled") == "true"
    assert spark.sparkContext.getConf().get("spark.scheduler.mode") == "FAIR"


def test_spark_refuses_a_page_with_a_flipped_bit(spark: SparkSession, tmp_path: Path) -> None:
    part = damaged_part(tmp_path)
    with pytest.raises(SparkReadFailed), spark_errors():
        spark.read.schema("a bigint").parquet(str(part)).toArrow()


def test_pages_that_spark_writes_carry_a_checksum(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(10_000).coalesce(1).write.option("compression", "none").parquet(str(tmp_path / "out"))
    (part,) = (tmp_path / "out").glob("*.parquet")
    content = bytearray(part.read_bytes())
    content[2000] ^= 1
    part.write_bytes(content)
    with pytest.raises(OSError, match="CRC"):
        pq.read_table(part, page_checksum_verification=True)


def test_arrow_functions_run_in_this_python(spark: SparkSession) -> None:
    answer = spark.createDataFrame(pa.table({"a": [1, 2]})).mapInArrow(lambda batches: batches, "a bigint").toArrow()
    assert sorted(answer.column("a").to_pylist()) == [1, 2]


@pytest.mark.parametrize(
    ("master", "cores"), [("local[3]", 3), ("local[3, 2]", 3), ("local[*]", os.cpu_count()), ("local", 1)]
)
def test_a_large_file_is_read_by_two_tasks_for_each_processor(master: str, cores: int) -> None:
    assert starting_conf(SparkSettings(master=master), "there")["spark.sql.files.minPartitionNum"] == str(2 * cores)
    assert "spark.sql.files.minPartitionNum" not in starting_conf(SparkSettings(master="spark://there:7077"), "there")


def test_a_callers_setting_has_the_last_word() -> None:
    settings = SparkSettings(conf={"spark.sql.shuffle.partitions": "7", "spark.driver.extraJavaOptions": "-Da=b"})
    conf = starting_conf(settings, "warehouse")
    assert conf["spark.sql.shuffle.partitions"] == "7"
    assert conf["spark.driver.extraJavaOptions"].startswith("-Dlog4j2.configurationFile=file:///")
    assert conf["spark.driver.extraJavaOptions"].endswith(" -Da=b")


def test_only_a_local_spark_is_bound_to_loopback() -> None:
    assert starting_conf(SparkSettings(), "warehouse")["spark.driver.bindAddress"] == LOOPBACK
    assert "spark.driver.bindAddress" not in starting_conf(SparkSettings(master="yarn"), "warehouse")
    assert "SPARK_LOCAL_IP" not in starting_environment(SparkSettings(master="spark://there:7077"))


def test_a_session_starts_and_ends_in_silence_and_leaves_nothing(tmp_path: Path) -> None:
    program = """
import os
from holdfast.spark import SparkJobFailed, SparkSettings, spark_errors, start, stop
session = start(SparkSettings(driver_memory="1g"))
assert not {"JAVA_HOME", "PYSPARK_PYTHON", "SPARK_LOCAL_IP"} & set(os.environ)
try:
    with spark_errors():
        session.sql("select id / (id - 1) from range(3)").toArrow()
except SparkJobFailed as error:
    assert error.sqlstate == "22012"
session.sql("create table t as select 1 as a")
stop(session)
"""
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir()
    temporary.mkdir()
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = run_python(program, cwd=work, environment=environment)
    assert done.stderr == ""
    assert list(work.iterdir()) == []
    assert [path.name for path in temporary.iterdir() if path.name.startswith("holdfast")] == []


def test_a_start_that_fails_is_told_to_its_caller_alone(tmp_path: Path) -> None:
    """So it is when the process ends while Spark is starting, and there is no caller to tell any more."""
    program = """
from holdfast.spark import SparkJobFailed, SparkSettings, start
try:
    start(SparkSettings(master="local[1]", driver_memory="1g", conf={"spark.driver.port": "999999"}))
except SparkJobFailed as error:
    print(error)
"""
    done = run_python(program, cwd=tmp_path)
    assert (done.stdout[:46], done.stderr) == ("requirement failed: startPort should be betwee", "")


def test_errors_of_java_are_still_shown(tmp_path: Path) -> None:
    program = """
from holdfast.spark import SparkSettings, start, stop
session = start(SparkSettings(master="local[1]", driver_memory="1g"))
log = session.sparkContext._jvm.org.apache.logging.log4j.LogManager.getLogger("org.example.Thing")
log.warn("not this")
log.error("but this")
stop(session)
"""
    done = run_python(program, cwd=tmp_path)
    assert done.stderr.endswith(" ERROR spark Thing: but this\n")
    assert len(done.stderr.splitlines()) == 1


def test_a_cluster_gives_the_same_answers(spark_cluster: str, tmp_path: Path) -> None:
    conf = {"spark.executor.memory": "512m", "spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    settings = {"master": spark_cluster, "driver_memory": "1g", "python": sys.executable}
    part = damaged_part(tmp_path)
    done = run_python(JOB, json.dumps({**settings, "conf": conf}), str(part), cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert answer["sum"] == [9900]
    assert answer["path"] == part.as_uri()
    assert done.stderr == ""


def test_a_connect_server_gives_the_same_answers(spark_connect: str, tmp_path: Path) -> None:
    part = damaged_part(tmp_path)
    settings = {"master": spark_connect, "conf": {"spark.sql.shuffle.partitions": "3", "spark.ui.enabled": "true"}}
    done = run_python(JOB, json.dumps(settings), str(part), cwd=tmp_path)
    answer = json.loads(done.stdout)
    assert answer["sum"] == [9900]
    assert (answer["ansi"], answer["zone"]) == ("true", "UTC")
    assert answer["path"] == part.as_uri()
