"""One server for all clients, and a schema for each test."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from tests.serving import ServerProcess, running_server
from tests.verified import verify_all

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("clients") / "data", "--http", "off") as running:
        yield running
        assert running.complaints == []


@pytest.fixture
def schema(server: ServerProcess) -> Iterator[str]:
    """Its name. Clients ask for it in `search_path` when they connect."""
    name = f"clients_{next(_NUMBERS)}"
    with server.connect() as connection:
        connection.execute(f"CREATE SCHEMA {name}")
    yield name
    with server.connect() as connection:
        verify_all(connection)
        connection.execute(f"DROP SCHEMA {name} CASCADE")
