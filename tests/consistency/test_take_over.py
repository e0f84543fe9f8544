"""A store that another server has taken over: who had it before shows nothing old."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg

from tests.consistency.places import in_postgres
from tests.consistency.workload import Connection
from tests.postgres import PostgresServer
from tests.serving import running_server


def rows(connection: Connection) -> int | None:
    """How many rows there are; None if nobody says."""
    try:
        return len(connection.execute("SELECT x FROM t").fetchall())
    except psycopg.OperationalError:
        return None


def test_a_server_that_was_paused_while_another_took_over_shows_nothing_old(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """Two machines: one store in PostgreSQL, and a folder of each one's own."""
    shared = ("--http", "off", "--blob", str(tmp_path / "parts"), *in_postgres(postgres_server))
    with running_server(tmp_path / "one", *shared) as one, one.connect() as old:
        old.execute("CREATE TABLE t (x integer)")
        assert rows(old) == 0
        one.pause()
        with running_server(tmp_path / "other", *shared, "--take-over") as other, ThreadPoolExecutor(1) as thread:
            with other.connect() as new:
                new.execute("INSERT INTO t VALUES (1)")
            asked = thread.submit(rows, old)  # it waits where the server will find it first
            one.go_on()
            assert asked.result(30) in (1, None)
