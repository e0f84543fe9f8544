"""Holdfast is strictly serializable to its clients: at peace, and when it is stopped, killed or replaced."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.consistency.anomaly import report
from tests.consistency.clients import Connect, Disturbance, Run, run_workloads
from tests.consistency.places import in_a_file, in_postgres
from tests.consistency.workloads import every_workload
from tests.postgres import PostgresServer
from tests.serving import ServerProcess, running_server

Act = Callable[[ServerProcess], None]


@pytest.fixture
def on_a_file(tmp_path: Path) -> Iterator[ServerProcess]:
    with running_server(tmp_path / "data", "--http", "off", *in_a_file()) as started:
        yield started


@pytest.fixture
def on_postgres(tmp_path: Path, postgres_server: PostgresServer) -> Iterator[ServerProcess]:
    with running_server(tmp_path / "data", "--http", "off", *in_postgres(postgres_server)) as started:
        yield started


@pytest.fixture(params=["on_a_file", "on_postgres"])
def server(request: pytest.FixtureRequest) -> ServerProcess:
    started = request.getfixturevalue(request.param)
    assert isinstance(started, ServerProcess)
    return started


def connecting(server: ServerProcess) -> Connect:
    return lambda: server.connect(seconds=5)


def stopped(server: ServerProcess) -> None:
    assert server.terminate() == 0
    server.restart()


def accepted(runs: list[Run[object]], folder: Path, least: int) -> None:
    """Each workload got something done, and nothing that it saw is wrong."""
    for run in runs:
        assert run.count("ok") >= least, f"{run.workload.name} {dict(run.errors)}"
        found = run.anomalies(folder)
        assert not found, f"{run.workload.name} {dict(run.errors)}: {report(found)}"


def test_a_server_at_peace_is_strictly_serializable(server: ServerProcess, tmp_path: Path) -> None:
    runs = run_workloads(every_workload(), connecting(server), operations=60, seconds=200)
    assert not any(run.errors for run in runs), [run.errors for run in runs]
    accepted(runs, tmp_path, least=100)


def disturbed(server: ServerProcess, act: Act, folder: Path) -> None:
    runs = run_workloads(
        every_workload(),
        connecting(server),
        operations=40,
        disturbances=[Disturbance(150, partial(act, server))],
        seed=1,
        seconds=250,
    )
    assert any(run.errors for run in runs)
    accepted(runs, folder, least=50)


def test_a_server_that_is_killed_is_strictly_serializable_to_clients_that_stay(
    server: ServerProcess, tmp_path: Path
) -> None:
    disturbed(server, ServerProcess.restart, tmp_path)


@pytest.mark.parametrize("act", [stopped, ServerProcess.replace], ids=lambda act: act.__name__)
def test_a_server_that_is_stopped_or_replaced_is_strictly_serializable_to_clients_that_stay(
    act: Act, on_a_file: ServerProcess, tmp_path: Path
) -> None:
    disturbed(on_a_file, act, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_a_server_that_keeps_dying_is_strictly_serializable(tmp_path: Path, postgres_server: PostgresServer) -> None:
    """For as many minutes as HOLDFAST_SOAK_MINUTES says."""
    end = time.monotonic() + 60 * float(os.environ.get("HOLDFAST_SOAK_MINUTES", "30"))
    acts: tuple[Act, ...] = (
        ServerProcess.restart,
        ServerProcess.restart,
        stopped,
        ServerProcess.replace,
        ServerProcess.restart,
        ServerProcess.replace,
    )
    seed = time.time_ns()
    while time.monotonic() < end:
        seed += 1
        folder = tmp_path / str(seed)
        folder.mkdir()
        flags = in_a_file() if seed % 2 else in_postgres(postgres_server)
        with running_server(folder / "data", "--http", "off", *flags) as server:
            runs = run_workloads(
                every_workload(),
                connecting(server),
                clients=3,
                operations=150,
                disturbances=[
                    Disturbance(300 * place, partial(act, server)) for place, act in enumerate(acts, start=1)
                ],
                seed=seed,
                seconds=900,
            )
            accepted(runs, folder, least=100)
