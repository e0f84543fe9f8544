"""`holdfast serve` in a process of its own, which can be killed and started again."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.consistency.workload import Connection

_HOLDFAST = str(Path(sys.executable).with_name("holdfast"))
_NO_SPARK = "sc://127.0.0.1:1"
"""Nobody is there to connect to. What workloads ask is answered without Spark, and so no JVM needs to be started."""
_END_SECONDS = 60
_LINES = 80
_READY = re.compile(r"postgresql://(\S+?)(?:\s|$)")


class HoldfastServer:
    """A server on a folder, with more options. It listens somewhere else each time that it is started."""

    def __init__(self, folder: Path, options: Mapping[str, str] | None = None) -> None:
        self._folder, self._options = folder, options or {}
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self, *more: str) -> None:
        """Returns when it answers."""
        options = {
            "data-dir": str(self._folder / "data"),
            "listen": "127.0.0.1:0",
            "http": "127.0.0.1:0",
            "spark-master": _NO_SPARK,
            **self._options,
        }
        flags = [part for name, value in options.items() for part in (f"--{name}", value)]
        with (self._folder / "log").open("a") as log:
            self._process = subprocess.Popen(
                [_HOLDFAST, "serve", *flags, *more], stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self._process.stdout is not None
        ready = _READY.search(self._process.stdout.readline())
        if ready is None:
            raise RuntimeError((self._folder / "log").read_text())
        self.url = f"postgresql://{ready.group(1)}"

    def kill(self) -> None:
        """Ends it at once, whatever it is doing."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Lets it end in good order."""
        self._end(signal.SIGTERM)

    def pause(self) -> None:
        """It does nothing at all, and does not know, until it may go on."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def replace(self) -> None:
        """Another process takes the store over while this one is at work, which then must end by itself."""
        before = self._process
        assert before is not None
        self.start("--take-over")
        _ended(before)

    def last_words(self) -> str:
        """The end of what all its processes wrote to their log."""
        return "\n".join((self._folder / "log").read_text().splitlines()[-_LINES:])

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(how)
            _ended(process)

    def connect(self) -> Connection:
        return psycopg.connect(self.url, autocommit=True, connect_timeout=5)


def _ended(process: subprocess.Popen[str]) -> None:
    process.wait(_END_SECONDS)
    assert process.stdout is not None
    process.stdout.close()


@contextmanager
def running_holdfast(
    folder: Path, options: Mapping[str, str] | None = None, flags: Sequence[str] = ()
) -> Iterator[HoldfastServer]:
    server = HoldfastServer(folder, options)
    server.start(*flags)
    try:
        yield server
    except Exception as error:
        error.add_note(f"the server's log ends with:\n{server.last_words()}")
        raise
    finally:
        server.kill()
