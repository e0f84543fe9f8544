"""Clients record what a PostgreSQL at SERIALIZABLE does, also while it crashes; and the checkers accept it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.consistency.anomaly import report
from tests.consistency.clients import Connect, Disturbance, Run, run_workloads
from tests.consistency.workload import Connection
from tests.consistency.workloads import every_workload
from tests.consistency.workloads.increments import Counters
from tests.consistency.workloads.set_append import SetAppend
from tests.postgres import PostgresServer, running_postgres


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One of our own, to crash."""
    with running_postgres() as started:
        yield started


@pytest.fixture
def schema(server: PostgresServer) -> Iterator[str]:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA consistency")
    yield "consistency"
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA consistency CASCADE")


def connecting(server: PostgresServer, schema: str, level: str = "serializable") -> Connect:
    def connect() -> Connection:
        options = f"-c search_path={schema} -c default_transaction_isolation={level.replace(' ', chr(92) + ' ')}"
        return psycopg.connect(server.url, autocommit=True, options=options, connect_timeout=5)

    return connect


def accepted(run: Run[object], folder: Path) -> None:
    found = run.anomalies(folder)
    assert not found, f"{run.workload.name} {dict(run.errors)}: {report(found)}"


def test_histories_of_a_real_database_are_accepted(server: PostgresServer, schema: str, tmp_path: Path) -> None:
    for run in run_workloads(every_workload(), connecting(server, schema), clients=2, operations=60):
        assert run.count("ok") >= 40, f"{run.workload.name} {dict(run.errors)}"
        assert run.count("info") == 0
        accepted(run, tmp_path)


def test_clients_survive_a_server_that_crashes(server: PostgresServer, schema: str, tmp_path: Path) -> None:
    def crash() -> None:
        server.crash()
        server.start()

    runs = run_workloads(
        every_workload(),
        connecting(server, schema),
        clients=2,
        operations=60,
        disturbances=[Disturbance(after, crash) for after in (150, 300)],
        seed=1,
    )
    assert sum(run.errors.get("none", 0) + run.errors.get("57P02", 0) for run in runs) > 0
    for run in runs:
        assert run.count("ok") >= 40, f"{run.workload.name} {dict(run.errors)}"
        accepted(run, tmp_path)


def test_a_weaker_level_is_found_out(server: PostgresServer, schema: str, tmp_path: Path) -> None:
    """Reads of several statements, each of its own moment."""
    for seed in range(5):
        connect = connecting(server, schema, "read committed")
        with connect() as connection:
            connection.execute("DROP TABLE IF EXISTS sets0, sets1")
        (run,) = run_workloads([SetAppend()], connect, clients=6, operations=150, seed=seed)
        if run.anomalies(tmp_path):
            assert (tmp_path / "sets.jsonl").exists()
            return
    pytest.fail("nothing was found to be wrong")


def test_a_statement_that_no_server_should_refuse_ends_the_run(server: PostgresServer, schema: str) -> None:
    class Misspelt(Counters):
        def create(self, connection: Connection) -> None:
            connection.execute("CREATE TABLE counter (id integer)")

    with pytest.raises(psycopg.errors.UndefinedTable):
        run_workloads([Misspelt()], connecting(server, schema))
