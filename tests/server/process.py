"""A server in a process of its own, as people run it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

READY = re.compile(
    r"holdfast is ready: postgresql://materialize@127\.0\.0\.1:(\d+)/materialize(?: (https?)://\S+:(\d+))?"
)
PROGRAM = "from holdfast.cli import main; main()"
ENOUGH = 60.0
"""Seconds: a process that has not ended by then hangs."""


@dataclass
class ServerProcess:
    process: subprocess.Popen[str]
    port: int
    http: int
    said: str
    errors: Path = field(repr=False)

    @property
    def dsn(self) -> str:
        return f"host=127.0.0.1 port={self.port} user=materialize dbname=materialize"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http}"

    @property
    def log(self) -> str:
        return self.errors.read_text()

    def kill(self) -> None:
        """With -9: it has no time to say goodbye."""
        self.process.kill()
        self.process.wait(ENOUGH)

    def terminate(self) -> int:
        """With a signal that it heeds; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(ENOUGH)


def serve_command(folder: Path, *flags: str) -> list[str]:
    """A server that is quick to start: without Spark until it is needed."""
    quick = ("--no-spark-eager", "--spark-master", "local[1]", "--spark-driver-memory", "512m")
    ports = ("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0")
    return [sys.executable, "-c", PROGRAM, "serve", "--data-dir", str(folder), *ports, *quick, *flags]


def start_server(folder: Path, *flags: str, environment: Mapping[str, str] | None = None) -> ServerProcess:
    """Returns once it is ready."""
    errors = folder.parent / f"{folder.name}.log"
    with errors.open("a") as stderr:
        process = subprocess.Popen(
            serve_command(folder, *flags),
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env={**os.environ, **(environment or {})},
        )
    assert process.stdout is not None
    said = process.stdout.readline()
    found = READY.match(said)
    if found is None:
        process.kill()
        process.wait(ENOUGH)
        raise AssertionError(f"the server did not start:\n{said}{errors.read_text()}")
    return ServerProcess(process, int(found[1]), int(found[3] or 0), said, errors)


@contextmanager
def running_server(folder: Path, *flags: str, environment: Mapping[str, str] | None = None) -> Iterator[ServerProcess]:
    server = start_server(folder, *flags, environment=environment)
    try:
        yield server
    finally:
        server.kill()
        assert server.process.stdout is not None
        server.process.stdout.close()


def refused(folder: Path, *flags: str) -> str:
    """What a server says that does not start."""
    ended = subprocess.run(serve_command(folder, *flags), capture_output=True, text=True, timeout=ENOUGH, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    return ended.stderr
