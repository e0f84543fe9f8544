"""Holdfast is strictly serializable to its clients: at peace, and when it is stopped, killed or replaced."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.consistency.anomaly import report
from tests.consistency.clients import Disturbance, Run, run_workloads
from tests.consistency.server import HoldfastServer, running_holdfast
from tests.consistency.workloads import every_workload

Act = Callable[[HoldfastServer], None]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[HoldfastServer]:
    with running_holdfast(tmp_path) as started:
        yield started


def killed(server: HoldfastServer) -> None:
    server.kill()
    server.start()


def stopped(server: HoldfastServer) -> None:
    server.stop()
    server.start()


def replaced(server: HoldfastServer) -> None:
    server.replace()


def accepted(runs: list[Run[object]], folder: Path, least: int) -> None:
    """Each workload got something done, and nothing that it saw is wrong."""
    for run in runs:
        assert run.count("ok") >= least, f"{run.workload.name} {dict(run.errors)}"
        found = run.anomalies(folder)
        assert not found, f"{run.workload.name} {dict(run.errors)}: {report(found)}"


def test_a_server_at_peace_is_strictly_serializable(server: HoldfastServer, tmp_path: Path) -> None:
    runs = run_workloads(every_workload(), server.connect, operations=60, seconds=200)
    assert not any(run.errors for run in runs), [run.errors for run in runs]
    accepted(runs, tmp_path, least=100)


@pytest.mark.parametrize("act", [killed, stopped, replaced], ids=lambda act: act.__name__)
def test_a_server_is_strictly_serializable_to_clients_that_stay(
    act: Act, server: HoldfastServer, tmp_path: Path
) -> None:
    disturbance = Disturbance(150, lambda: act(server))
    runs = run_workloads(
        every_workload(), server.connect, operations=40, disturbances=[disturbance], seed=1, seconds=250
    )
    assert any(run.errors for run in runs)
    accepted(runs, tmp_path, least=50)


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_a_server_that_keeps_dying_is_strictly_serializable(tmp_path: Path) -> None:
    """For as many minutes as HOLDFAST_SOAK_MINUTES says."""
    end = time.monotonic() + 60 * float(os.environ.get("HOLDFAST_SOAK_MINUTES", "10"))
    seed = time.time_ns()
    while time.monotonic() < end:
        seed += 1
        folder = tmp_path / str(seed)
        folder.mkdir()
        with running_holdfast(folder) as server:
            acts = (killed, killed, stopped, replaced, killed, replaced)
            disturbances = [
                Disturbance(300 * place, lambda act=act: act(server))  # type: ignore[misc]  # each its own
                for place, act in enumerate(acts, start=1)
            ]
            runs = run_workloads(
                every_workload(),
                server.connect,
                clients=3,
                operations=150,
                disturbances=disturbances,
                seed=seed,
                seconds=900,
            )
        accepted(runs, folder, least=100)
