"""A server in a process of its own, as people run it: started, asked, killed, and started again."""

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

import psycopg

READY = re.compile(
    r"holdfast is ready: postgresql://materialize@127\.0\.0\.1:(\d+)/materialize(?: (https?)://\S+:(\d+))?"
)
_COMPLAINT = re.compile(r"[\d-]+ [\d:.]+Z (ERROR|CRITICAL) |Traceback ")
PROGRAM = "from holdfast.cli import main; main()"
_LINES = 80
"""Of the log, that tell why something failed."""
ENOUGH = 60.0
"""Seconds: a process that has not ended by then hangs."""


@dataclass
class ServerProcess:
    """A server on a folder. Whatever became of it, `start` starts it again, on the ports it had."""

    folder: Path
    flags: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    port: int = 0
    http: int = 0
    said: str = ""
    """What it said on standard output when it was ready."""
    _process: subprocess.Popen[str] | None = field(default=None, repr=False)

    @property
    def process(self) -> subprocess.Popen[str]:
        assert self._process is not None, "it was not started"
        return self._process

    @property
    def dsn(self) -> str:
        return f"host=127.0.0.1 port={self.port} user=materialize dbname=materialize"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http}"

    @property
    def log(self) -> str:
        """What all processes on the folder have said on standard error."""
        return self._errors.read_text()

    @property
    def last_words(self) -> str:
        return "\n".join(self.log.splitlines()[-_LINES:])

    @property
    def complaints(self) -> list[str]:
        """Lines of the log, not Spark's, that someone must look at."""
        return [line for line in self.log.splitlines() if _COMPLAINT.match(line)]

    @property
    def _errors(self) -> Path:
        return self.folder.parent / f"{self.folder.name}.log"

    def connect(self, user: str = "materialize", seconds: float = ENOUGH) -> psycopg.Connection[tuple[object, ...]]:
        """A connection whose statements commit by themselves. It may take so many seconds to be opened."""
        return psycopg.connect(self.dsn, user=user, autocommit=True, connect_timeout=int(seconds))

    def start(self, *more: str) -> None:
        """Returns once it is ready."""
        ports = ("--listen", f"127.0.0.1:{self.port}", "--http", f"127.0.0.1:{self.http}")
        with self._errors.open("a") as stderr:
            process = self._process = subprocess.Popen(
                serve_command(self.folder, *ports, *self.flags, *more),
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env={**os.environ, **self.environment},
            )
        assert process.stdout is not None
        self.said = process.stdout.readline()
        found = READY.match(self.said)
        if found is None:
            self.end()
            raise AssertionError(f"the server did not start:\n{self.said}{self.log}")
        self.port, self.http = int(found[1]), int(found[3] or 0)

    def kill(self) -> None:
        """With -9: it has no time to say goodbye."""
        self.process.kill()
        self.process.wait(ENOUGH)

    def restart(self) -> None:
        """It is killed, and started again on the same data."""
        self.end()
        self.start()

    def pause(self) -> None:
        """It does nothing at all, and does not know, until it may go on."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def replace(self) -> None:
        """Another process, at another port, takes the store over while this one is at work and must end by itself."""
        before = self.process
        self.port = self.http = 0
        self.start("--take-over")
        before.wait(ENOUGH)
        assert before.stdout is not None
        before.stdout.close()

    def terminate(self) -> int:
        """With a signal that it heeds; returns its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(ENOUGH)

    def end(self) -> None:
        """Nothing of it is left, whatever state it was in."""
        self.kill()
        assert self.process.stdout is not None
        self.process.stdout.close()


def serve_command(folder: Path, *flags: str) -> list[str]:
    """A server that is quick to start: without Spark until it is needed."""
    quick = ("--no-spark-eager", "--spark-master", "local[1]", "--spark-driver-memory", "512m")
    ports = ("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0")
    return [sys.executable, "-c", PROGRAM, "serve", "--data-dir", str(folder), *ports, *quick, *flags]


def start_server(folder: Path, *flags: str, environment: Mapping[str, str] | None = None) -> ServerProcess:
    server = ServerProcess(folder, flags, environment or {})
    server.start()
    return server


@contextmanager
def running_server(folder: Path, *flags: str, environment: Mapping[str, str] | None = None) -> Iterator[ServerProcess]:
    server = start_server(folder, *flags, environment=environment)
    try:
        yield server
    except Exception as error:
        error.add_note(f"the server's log ends with:\n{server.last_words}")
        raise
    finally:
        server.end()


def refused(folder: Path, *flags: str) -> str:
    """What a server says that does not start."""
    ended = subprocess.run(serve_command(folder, *flags), capture_output=True, text=True, timeout=ENOUGH, check=False)
    assert (ended.returncode, ended.stdout) == (1, "")
    return ended.stderr
