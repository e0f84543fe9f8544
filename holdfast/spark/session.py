"""Sessions: where every Spark session of ours comes from, and the settings they all have.

Spark's own settings suit hours of work on a cluster. Most jobs of ours are
small and many, and must give the same answer everywhere, so ours differ. A
caller with a large job sets `spark.sql.adaptive.enabled` for it.

A process has at most one classic session: what is fixed when Java starts
(memory, jars, the kind of master) stays for its life. A Connect session has
no Java in this process, and takes only what can be set on a running server.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from pyspark import SparkContext
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from holdfast.spark.errors import SparkUnavailable, spark_errors
from holdfast.spark.generated import generated
from holdfast.spark.java import java_home

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"

RUNNING: Mapping[str, str] = {
    # The same answer on every machine.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    # Spark has the type either way, but without this refuses it in some expressions: `if(a, null, time)`.
    "spark.sql.timeType.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Small jobs: 200 shuffle partitions cost six times as much as 2, and planning is most of the rest.
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.optimizer.singleTaskExecution.enabled": "true",
    # Listing more paths than this starts a job of its own. We name the files of a shard one by one.
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "512",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # A batch is bounded by its rows alone: with a bound of bytes, Spark adds up the sizes of all columns after every
    # row, which takes a fifth of the time of handing rows to Python (`bench/stage.py`).
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16384",
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
    # What the parser has learned of the texts it has read is forgotten when it takes a tenth of the memory. It is not
    # otherwise: after 900 views that differ the collector had a gigabyte for itself, and Spark stood still.
    "spark.sql.parser.manageParserCaches": "true",
    "spark.sql.parser.parserDfaCacheFlushRatio": "10",
}
"""What can be set on a session that is running."""

PARQUET: Mapping[str, str] = {
    "parquet.page.verify-checksum.enabled": "true",
    "parquet.page.write-checksum.enabled": "true",
}
"""A flipped bit is an error, not a row. A running session takes these as they are, one that starts with a prefix."""

STARTING: Mapping[str, str] = {
    "spark.sql.catalogImplementation": "in-memory",
    # The code of a few hundred plan shapes that come again every tick.
    "spark.sql.codegen.cache.maxEntries": "2000",
    # A long job cannot keep short ones waiting.
    "spark.scheduler.mode": "FAIR",
    "spark.locality.wait": "0",
    # Ten jobs a second for months: what has run is not kept.
    "spark.sql.ui.retainedExecutions": "10",
    "spark.ui.retainedJobs": "50",
    "spark.ui.retainedStages": "50",
    "spark.ui.retainedTasks": "500",
    "spark.ui.showConsoleProgress": "false",
}
"""What is fixed once Spark runs."""

LOG4J = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
# Without a level of its own, PySpark's gateway sets that of all others to WARN, and says so.
logger.gateway.name = org.apache.spark.api.python.PythonGatewayServer
logger.gateway.level = error
# What these say of a job or a start that failed, its caller gets as an exception. If there is no caller any more, as
# the process ended while Spark was starting, there is nobody to tell.
logger.context.name = org.apache.spark.SparkContext
logger.context.level = off
logger.executor.name = org.apache.spark.executor.Executor
logger.executor.level = off
logger.tasks.name = org.apache.spark.scheduler.TaskSetManager
logger.tasks.level = off
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %p spark %c{1}: %m%n%ex{short.message}
"""


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """Which Spark, and how it is started.

    `master` is `local[n]`, a cluster (`spark://`, `yarn`, `k8s://`) or a Connect
    server (`sc://`). `python` is the program that executors run; without it,
    this one where the executors are here, and the cluster's `python3` elsewhere.
    `conf` has the last word over every setting of ours.
    """

    master: str = "local[*]"
    driver_memory: str = "2g"
    ui: bool = False
    jars: tuple[str, ...] = ()
    python: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        return self.master.startswith("local")

    @property
    def cores(self) -> int:
        """How many tasks run at a time, of a local master."""
        found = re.search(r"\[(\d+)", self.master)
        return int(found[1]) if found else (os.cpu_count() or 1) if "*" in self.master else 1

    @property
    def is_connect(self) -> bool:
        return self.master.startswith("sc://")


def start(settings: SparkSettings) -> SparkSession:
    """A session. It needs no network but that to a cluster."""
    _silence_query_context()
    try:
        with spark_errors():
            session = _connect(settings) if settings.is_connect else _classic(settings)
    except SparkUnavailable:
        if not settings.is_connect:
            forget_java()
        raise
    log.info("spark started", extra={"master": settings.master, "version": session.version})
    return session


def stop(session: SparkSession) -> None:
    """End the session, and with a classic one its Spark. One that is gone already is a good end too."""
    try:
        with spark_errors():
            session.stop()
    except SparkUnavailable:
        log.debug("spark was gone before it was stopped")


def forget_java() -> None:
    """End the Java of this process if it still runs, and let the next classic session start another.

    Nothing is asked of it, so that this ends even if it hangs. PySpark keeps its Java for the life of the process,
    even a dead one, and has no public way to have another.
    """
    context, gateway = SparkContext._active_spark_context, SparkContext._gateway
    SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
    if context is not None and context._accumulatorServer is not None:
        context._accumulatorServer.shutdown()
        context._accumulatorServer.server_close()
    if gateway is not None:
        process: subprocess.Popen[bytes] | None = gateway.proc
        if process is not None:
            process.kill()
            process.communicate()
        gateway.shutdown()


def _silence_query_context() -> None:
    # PySpark prints each error of a query to stderr with all its stack traces, before it raises it.
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL + 1)


def _classic(settings: SparkSettings) -> SparkSession:
    warehouse = tempfile.mkdtemp(prefix="holdfast-spark-")
    builder = SparkSession.builder.appName("holdfast").master(settings.master)
    for key, value in starting_conf(settings, warehouse).items():
        builder = builder.config(key, value)
    with _environment(starting_environment(settings)):
        session = builder.getOrCreate()
    weakref.finalize(session, shutil.rmtree, warehouse, ignore_errors=True)
    return session


def starting_conf(settings: SparkSettings, warehouse: str) -> dict[str, str]:
    """All that a classic session is started with."""
    conf = {
        **RUNNING,
        **STARTING,
        **{f"spark.hadoop.{key}": value for key, value in PARQUET.items()},
        "spark.driver.memory": settings.driver_memory,
        "spark.ui.enabled": str(settings.ui).lower(),
        "spark.sql.warehouse.dir": warehouse,
    }
    if settings.is_local:
        conf |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
        # Two tasks for each processor: with one and a half, one of two is idle while the last runs.
        conf["spark.sql.files.minPartitionNum"] = str(2 * settings.cores)
    if settings.jars:
        conf["spark.jars"] = ",".join(settings.jars)
    conf |= settings.conf
    options = f"-Dlog4j2.configurationFile={generated('log4j2.properties', LOG4J).as_uri()}"
    # A caller's options come last, and of two the last one holds.
    conf["spark.driver.extraJavaOptions"] = f"{options} {conf.get('spark.driver.extraJavaOptions', '')}".strip()
    return conf


def starting_environment(settings: SparkSettings) -> dict[str, str]:
    """What Spark's launcher and PySpark take from the environment alone."""
    environment = {"JAVA_HOME": str(java_home())}
    if settings.python is not None:
        environment["PYSPARK_PYTHON"] = settings.python
    elif settings.is_local:
        environment["PYSPARK_PYTHON"] = sys.executable
    if settings.is_local:
        # Without it Spark looks up the name of this machine, which may have none.
        environment["SPARK_LOCAL_IP"] = LOOPBACK
    return environment


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Let `variables` hold while Spark starts. What others set for their own programs is theirs again after."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _connect(settings: SparkSettings) -> SparkSession:
    # Loads pandas and gRPC, which takes longer than all that others need of PySpark.
    from pyspark.sql.connect.client.retries import DefaultPolicy

    # PySpark warns when it gives up, and then raises what it gave up on: once is enough.
    warnings.filterwarnings("ignore", message=r"\[RETRIES_EXCEEDED\]")
    session = SparkSession.builder.remote(settings.master).create()
    # By default it tries again for ten minutes when the server is gone. This gives up after 3.5 seconds.
    retries = DefaultPolicy(max_retries=7, backoff_multiplier=2.0, initial_backoff=50, max_backoff=1000)
    session.client.set_retry_policies([retries])
    try:
        _set(session, settings)
    except BaseException:
        # Else the connection is closed when the session is collected, which may be in the midst of another call: gRPC
        # then waits for itself.
        session.client.close()
        raise
    return session


def _set(session: SparkSession, settings: SparkSettings) -> None:
    for key, value in {**RUNNING, **PARQUET, **settings.conf}.items():
        # What begins with `spark.` Spark knows, and says so; the rest is Hadoop's.
        if not key.startswith("spark.") or session.conf.isModifiable(key):
            session.conf.set(key, value)
        else:
            log.warning("setting left to the connect server", extra={"key": key})
    if settings.jars:
        session.addArtifacts(*settings.jars)
