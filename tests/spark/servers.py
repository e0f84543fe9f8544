"""Spark servers of our own for tests: a standalone cluster and a Connect server, on loopback."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import IO

import pyspark

from holdfast.spark.java import java_home

BIN = Path(pyspark.__file__).parent / "bin"
LOOPBACK = "127.0.0.1"


@contextmanager
def standalone_cluster(workers: int = 2) -> Iterator[str]:
    """A master and its workers, each of one core. Yields the master's URL."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        ports = ["--host", LOOPBACK, "--port", "0", "--webui-port", "0"]
        master = [str(BIN / "spark-class"), "org.apache.spark.deploy.master.Master", *ports]
        url = stack.enter_context(_server(master, folder, r"Starting Spark master at (\S+)"))
        for _ in range(workers):
            worker = [str(BIN / "spark-class"), "org.apache.spark.deploy.worker.Worker", *ports]
            worker += ["--cores", "1", "--memory", "1g", "--work-dir", folder, url]
            stack.enter_context(_server(worker, folder, r"(Successfully registered with master)"))
        yield url


@contextmanager
def connect_server() -> Iterator[str]:
    """A Connect server with a local Spark. Yields the URL for clients."""
    conf = {
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.connect.grpc.binding.port": "0",
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
    }
    with tempfile.TemporaryDirectory() as folder:
        command = [str(BIN / "spark-submit"), "--master", "local[2]"]
        command += ["--class", "org.apache.spark.sql.connect.service.SparkConnectServer"]
        command += [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
        with _server([*command, "spark-internal"], folder, rf"server started at: ({LOOPBACK}:[1-9]\d*)") as address:
            yield f"sc://{address}"


@contextmanager
def _server(command: list[str], folder: str, ready: str) -> Iterator[str]:
    """Run `command` in `folder`. Yields what `ready` found in its log once it is there."""
    environment = {
        **os.environ,
        "JAVA_HOME": str(java_home()),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": LOOPBACK,
        "SPARK_NO_DAEMONIZE": "1",
    }
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        # A group of its own, so that the executors a worker starts end with it.
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        found = _first_match(process.stdout, ready)
        # A server whose log nobody reads would stop at a full pipe.
        reader = Thread(target=_discard, args=(process.stdout,))
        reader.start()
        try:
            yield found
        finally:
            _end(process)
            reader.join()
    finally:
        _end(process)
        process.stdout.close()


def _first_match(lines: IO[str], pattern: str) -> str:
    seen = []
    for line in lines:
        seen.append(line)
        found = re.search(pattern, line)
        if found:
            return found[1]
    raise AssertionError(f"server ended before it said {pattern!r}:\n{''.join(seen)}")


def _discard(lines: IO[str]) -> None:
    for _ in lines:
        pass


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        process.wait()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
