from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.adapter.copy.theirs import Postgres
from tests.postgres import PostgresServer


@pytest.fixture(scope="module")
def theirs(postgres_server: PostgresServer) -> Iterator[Postgres]:
    with psycopg.connect(postgres_server.url, autocommit=True, options="-c timezone=UTC") as connection:
        yield Postgres(connection)
