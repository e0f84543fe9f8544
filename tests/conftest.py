"""Spark and PostgreSQL for the whole suite: they are started once, and only when a test asks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from holdfast.spark.session import SparkSettings, start, stop
from tests.postgres import PostgresServer, running_postgres
from tests.spark.servers import connect_server, standalone_cluster


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The one classic session of this process."""
    session = start(SparkSettings(master="local[2]", driver_memory="1g"))
    yield session
    stop(session)


@pytest.fixture(scope="session")
def spark_cluster() -> Iterator[str]:
    """The URL of a standalone cluster. Its sessions need a process of their own."""
    with standalone_cluster() as url:
        yield url


@pytest.fixture(scope="session")
def spark_connect() -> Iterator[str]:
    """The URL of a Connect server. Its sessions need a process of their own."""
    with connect_server() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture
def postgres(postgres_server: PostgresServer) -> str:
    """The URL of a running PostgreSQL. Tests keep apart by schemas."""
    return postgres_server.url
