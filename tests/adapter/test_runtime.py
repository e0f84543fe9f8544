"""Spark beside the server. What kills it runs in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from holdfast.adapter.runtime import RuntimeSettings, SparkRuntime
from holdfast.spark import SparkJobFailed, SparkSettings, SparkUnavailable
from tests.spark.child import ROOT, run_python
from tests.spark.servers import connect_server

LOCAL = SparkSettings(master="local[2]", driver_memory="1g")


@pytest.fixture
async def runtime(spark: SparkSession) -> AsyncIterator[SparkRuntime]:
    """One that shares the suite's Spark, and so must not stop it."""
    made = SparkRuntime(LOCAL, RuntimeSettings(jobs=2))
    made.start()
    await until_running(spark, 0)
    yield made
    await made.stop()
    assert spark.range(3).count() == 3


def endless(spark: SparkSession) -> pa.Table:
    return spark.range(10**13).selectExpr("sum(id % 7) AS total").toArrow()


async def until_running(spark: SparkSession, count: int = 1) -> None:
    while len(spark.sparkContext.statusTracker().getActiveJobsIds()) != count:  # noqa: ASYNC110  # Spark has no event
        await asyncio.sleep(0.01)


async def test_a_job_answers_from_a_thread_while_the_loop_goes_on(runtime: SparkRuntime) -> None:
    def job(spark: SparkSession) -> tuple[int, str]:
        return spark.range(5).count(), threading.current_thread().name

    counted, thread = await runtime.run(job)
    assert counted == 5
    assert thread.startswith("holdfast-spark")
    assert (runtime.state.phase, runtime.counts.jobs, runtime.running) == ("up", 1, 0)


async def test_how_much_of_each_job_is_done_is_told(runtime: SparkRuntime) -> None:
    told: list[Sequence[float]] = []

    def job(session: SparkSession) -> None:
        session.range(10).collect()
        endless(session)

    waiting = asyncio.create_task(runtime.run(job, told=told.append))
    # Of a call, Spark may make several jobs.
    while not told or not min(told[-1], default=1.0) < max(told[-1], default=0.0):  # noqa: ASYNC110  # it has no event
        await asyncio.sleep(0.01)
    shares = told[-1]
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert max(shares) == 1.0
    assert min(shares) >= 0.0


async def test_an_error_of_a_job_is_ours(runtime: SparkRuntime) -> None:
    with pytest.raises(SparkJobFailed, match="division by zero"):
        await runtime.run(lambda spark: spark.sql("SELECT id / (id - 1) FROM range(3)").collect())
    assert runtime.counts.failed == 1


async def test_cancelling_who_waits_cancels_the_job(runtime: SparkRuntime, spark: SparkSession) -> None:
    waiting = asyncio.create_task(runtime.run(endless, tag="endless"))
    await until_running(spark)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await until_running(spark, 0)
    assert (runtime.counts.cancelled, runtime.running) == (1, 0)


async def test_cancelling_twice_still_waits_until_the_job_is_gone(runtime: SparkRuntime, spark: SparkSession) -> None:
    ended = threading.Event()

    def job(session: SparkSession) -> None:
        try:
            endless(session)
        finally:
            time.sleep(0.2)  # the time that another cancellation comes in
            ended.set()

    waiting = asyncio.create_task(runtime.run(job))
    await until_running(spark)
    waiting.cancel()
    await asyncio.sleep(0.05)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ended.is_set()


async def test_a_call_of_several_jobs_ends_between_them_too(runtime: SparkRuntime, spark: SparkSession) -> None:
    seen: list[int] = []

    def job(session: SparkSession) -> None:
        for number in range(10**6):
            seen.append(number)
            session.range(1000).selectExpr("sum(id)").collect()

    waiting = asyncio.create_task(runtime.run(job))
    await until_running(spark)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    before = len(seen)
    assert spark.range(3).count() == 3
    assert len(seen) == before


async def test_cancelling_one_job_leaves_others_alone(runtime: SparkRuntime, spark: SparkSession) -> None:
    def doubled(session: SparkSession) -> int:
        return session.range(20_000_000, numPartitions=1).selectExpr("sum(id % 3)").count()

    endless_one = asyncio.create_task(runtime.run(endless))
    await until_running(spark)
    other = asyncio.create_task(runtime.run(doubled))
    await until_running(spark, 2)
    endless_one.cancel()
    assert await other == 1
    with pytest.raises(asyncio.CancelledError):
        await endless_one


async def test_more_jobs_than_slots_wait_their_turn(runtime: SparkRuntime) -> None:
    at_once: list[int] = []

    def job(_: SparkSession) -> None:
        at_once.append(runtime.running)

    await asyncio.gather(*(runtime.run(job) for _ in range(10)))
    assert len(at_once) == 10
    assert max(at_once) <= 2


async def test_stopping_ends_jobs_and_refuses_new_ones(spark: SparkSession) -> None:
    runtime = SparkRuntime(LOCAL)
    runtime.start()
    waiting = asyncio.create_task(runtime.run(endless))
    await until_running(spark)
    await runtime.stop()
    with pytest.raises(SparkUnavailable, match="the server is stopping"):
        await waiting
    with pytest.raises(SparkUnavailable, match="the server is stopping"):
        await runtime.session()
    assert runtime.state.phase == "stopped"


async def test_it_stops_also_just_when_a_job_has_found_spark_gone(spark: SparkSession) -> None:
    runtime = SparkRuntime(LOCAL)

    def job(_: SparkSession) -> None:
        raise SparkUnavailable("Spark is gone")

    await runtime.session()
    with pytest.raises(SparkUnavailable):
        await runtime.run(job)
    await runtime.stop()
    assert spark.range(3).count() == 3


NEVER_STARTED = """
import asyncio, json, sys
from holdfast.adapter.runtime import RuntimeSettings, SparkRuntime
from holdfast.spark import SparkSettings, SparkUnavailable

async def main():
    settings = RuntimeSettings(attempts=2, pause=0.01, retry=0.01)
    runtime = SparkRuntime(SparkSettings(**json.loads(sys.argv[1])), settings)
    runtime.start()
    try:
        await runtime.session()
    except SparkUnavailable as error:
        print(json.dumps([str(error), runtime.state.phase]))
    await runtime.stop()

asyncio.run(main())
"""


@pytest.mark.parametrize(
    "settings", [{"master": "sc://127.0.0.1:1"}, {"master": "local[1]", "driver_memory": "nonsense"}]
)
def test_a_spark_that_cannot_start_says_why(tmp_path: Path, settings: dict[str, str]) -> None:
    """In a process of its own: after a Connect session, PySpark makes no classic one."""
    done = run_python(NEVER_STARTED, json.dumps(settings), cwd=tmp_path)
    assert json.loads(done.stdout) == ["Spark is not available: Spark is gone", "failed"]


KILLED = """
import asyncio, json, os, signal
import psutil
from holdfast.adapter.runtime import RuntimeSettings, SparkRuntime
from holdfast.spark import SparkSettings, SparkUnavailable

def java():
    return [child.pid for child in psutil.Process().children()]

def endless(spark):
    return spark.range(10**13).selectExpr("sum(id % 7) AS total").toArrow()

async def main():
    runtime = SparkRuntime(SparkSettings(master="local[2]", driver_memory="512m"), RuntimeSettings(PATIENCE))
    runtime.start()
    answer = {"first": runtime.state.phase}
    spark = await runtime.session()
    (pid,) = java()
    waiting = asyncio.create_task(runtime.run(endless))
    while not spark.sparkContext.statusTracker().getActiveJobsIds():
        await asyncio.sleep(0.01)
    os.kill(pid, signal.SIGNAL)
    try:
        await waiting
    except SparkUnavailable as error:
        answer["job"] = str(error)
    while runtime.state.phase == "up":
        await asyncio.sleep(0.01)
    answer["then"] = runtime.state.phase
    rows = lambda spark: spark.range(3).mapInArrow(lambda batches: batches, "id bigint").count()
    answer["rows"] = await runtime.run(rows)
    answer["another"] = java() != [pid] and len(java()) == 1
    answer["deaths"] = runtime.counts.deaths
    await runtime.stop()
    print(json.dumps(answer))

asyncio.run(main())
"""


@pytest.mark.parametrize(("signal", "patience"), [("SIGKILL", ""), ("SIGSTOP", "patience=3, probe=0.5")])
def test_a_java_that_dies_or_hangs_is_replaced(tmp_path: Path, signal: str, patience: str) -> None:
    done = run_python(KILLED.replace("SIGNAL", signal).replace("PATIENCE", patience), cwd=tmp_path)
    assert json.loads(done.stdout) == {
        "first": "starting",
        "job": "Spark is gone",
        "then": "down",
        "rows": 3,
        "another": True,
        "deaths": 1,
    }


ENDED_WHILE_STARTING = """
import asyncio, time
from holdfast.adapter.runtime import SparkRuntime
from holdfast.spark import SparkSettings

async def main():
    runtime = SparkRuntime(SparkSettings(master="local[1]", driver_memory="512m"))
    runtime.start()
    await asyncio.sleep(0.3)
    begun = time.monotonic()
    await runtime.stop()
    print(time.monotonic() - begun)

asyncio.run(main())
"""


def test_a_process_that_ends_while_spark_starts_does_not_wait_for_it(tmp_path: Path) -> None:
    done = run_python(ENDED_WHILE_STARTING, cwd=tmp_path)
    assert float(done.stdout) < 0.5


OVER_CONNECT = """
import asyncio, json, sys
from holdfast.adapter.runtime import RuntimeSettings, SparkRuntime
from holdfast.spark import SparkSettings, SparkUnavailable

async def main():
    runtime = SparkRuntime(SparkSettings(master=sys.argv[1]), RuntimeSettings(jobs=1, attempts=1, probe=0.5))
    runtime.start()
    answer = {"rows": await runtime.run(lambda spark: spark.range(3).count())}
    loop, begun = asyncio.get_running_loop(), asyncio.Event()

    def endless(spark):
        loop.call_soon_threadsafe(begun.set)
        return spark.range(10**13).selectExpr("sum(id % 7) AS total").toArrow()

    shares = []
    waiting = asyncio.create_task(runtime.run(endless, told=shares.append))
    await begun.wait()
    while not any(shares):
        await asyncio.sleep(0.01)
    answer["told"] = all(0 <= share < 1 for share in shares[-1])
    waiting.cancel()
    try:
        await waiting
    except asyncio.CancelledError:
        answer["cancelled"] = runtime.running == 0
    answer["again"] = await runtime.run(lambda spark: spark.range(4).count())
    print(json.dumps(answer), flush=True)
    sys.stdin.readline()
    try:
        while True:
            await runtime.run(lambda spark: spark.range(5).count())
    except SparkUnavailable as error:
        print(json.dumps(str(error)), flush=True)
    while runtime.state.phase != "failed":
        await asyncio.sleep(0.01)
    await runtime.stop()
    print(json.dumps(runtime.counts.deaths), flush=True)

asyncio.run(main())
"""


def test_a_connect_server_runs_jobs_cancels_them_and_is_noticed_to_be_gone(tmp_path: Path) -> None:
    with connect_server() as url:
        child = subprocess.Popen(
            [sys.executable, "-c", OVER_CONNECT, url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert child.stdout is not None
        first = child.stdout.readline()
    said, _ = child.communicate("\n", timeout=200)
    assert json.loads(first) == {"rows": 3, "told": True, "cancelled": True, "again": 4}
    assert [json.loads(line) for line in said.splitlines()] == ["Spark is gone", 1]
