"""TPC-H's data for a whole session, as files and in PostgreSQL, at the scales that tests ask for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import psycopg
import pytest

from tests.postgres import PostgresServer
from tests.tpch.data import Connection, load, make


@pytest.fixture(scope="session")
def tpch_files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[float], Path]:
    """The folder with the tables of a scale."""

    @cache
    def files(scale: float) -> Path:
        folder = tmp_path_factory.mktemp("tpch")
        make(folder, scale)
        return folder

    return files


@pytest.fixture(scope="session")
def tpch_schema(
    postgres_server: PostgresServer, tpch_files: Callable[[float], Path]
) -> Iterator[Callable[[float], Connection]]:
    """A connection to PostgreSQL whose search path has the tables of a scale."""
    with ExitStack() as opened:

        @cache
        def schema(scale: float) -> Connection:
            connection: Connection = opened.enter_context(psycopg.connect(postgres_server.url, autocommit=True))
            name = f"tpch_{round(scale * 1000)}"
            connection.execute(f"CREATE SCHEMA {name}")
            connection.execute(f"SET search_path = {name}")
            load(connection, tpch_files(scale))
            return connection

        yield schema
