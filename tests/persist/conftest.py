"""An S3 on loopback for every suite of persist."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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
