from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3
import pytest

from holdfast.errors import UsageError
from holdfast.persist.blob import Blob, BlobLocation, BlobUnavailable, open_blob
from tests.persist.conftest import ACCESS_KEY, SECRET_KEY, S3Server

CALLS: list[Callable[[Blob], object]] = [
    lambda blob: blob.get("s1/p1"),
    lambda blob: blob.put("s1/p1", b"x"),
    lambda blob: blob.delete("s1/p1"),
    lambda blob: list(blob.list("s1/")),
]
NAMES = ["get", "put", "delete", "list"]
every_call = pytest.mark.parametrize("call", CALLS, ids=NAMES)

FORK = """
import os, sys
from holdfast.errors import UsageError
from holdfast.persist.blob import BlobUnavailable, open_blob

options = {"endpoint": sys.argv[1], "allow_http": "true", "access_key_id": "a", "secret_access_key": "b"}
blob = open_blob("s3://holdfast/a", options)
try:
    blob.get("s1/p1")
except BlobUnavailable:
    pass
child = os.fork()
if child == 0:
    refused = 0
    for call in (lambda: blob.get("s1/p1"), lambda: open_blob("s3://holdfast/a", options)):
        try:
            call()
        except UsageError:
            refused += 1
    os._exit(refused)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def everything_told(error: BaseException) -> str:
    """What a log could show of an error, and of all that led to it."""
    told = "".join(traceback.format_exception(error))
    context: BaseException | None = error
    while context is not None:
        told += repr(context) + str(vars(context))
        context = context.__cause__ or context.__context__
    return told


class Refusal(BaseHTTPRequestHandler):
    """Answers as S3 does to a wrong signature: with our access key, and here with our secret, in the text."""

    def refuse(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = (
            f"<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>{ACCESS_KEY}</AWSAccessKeyId>"
            f"<StringToSign>{SECRET_KEY}</StringToSign></Error>"
        ).encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_DELETE = refuse  # noqa: N815  http.server looks for these names

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def refusing() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusal) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port that nobody listens on, nor can while the test runs."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@every_call
def test_an_endpoint_that_is_down_is_told_soon(s3: S3Server, closed_port: int, call: Callable[[Blob], object]) -> None:
    blob = open_blob("s3://holdfast/a", {**s3.options, "endpoint": f"http://127.0.0.1:{closed_port}"})
    start = time.monotonic()
    with pytest.raises(BlobUnavailable, match="blob store s3://holdfast/a could not"):
        call(blob)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("call", CALLS[1:3], ids=NAMES[1:3])
def test_an_endpoint_that_never_answers_is_given_up(s3: S3Server, call: Callable[[Blob], object]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        blob = open_blob("s3://holdfast/a", {**s3.options, "endpoint": endpoint, "timeout": "200ms"})
        start = time.monotonic()
        with pytest.raises(BlobUnavailable):
            call(blob)
        assert time.monotonic() - start < 10


@every_call
def test_a_refusal_that_quotes_our_credentials_is_told_without_them(
    s3: S3Server, refusing: str, call: Callable[[Blob], object]
) -> None:
    blob = open_blob("s3://holdfast/a", {**s3.options, "endpoint": refusing})
    with pytest.raises(BlobUnavailable) as caught:
        call(blob)
    assert caught.value.__cause__ is not None
    told = everything_told(caught.value)
    assert "SignatureDoesNotMatch" in told
    assert ACCESS_KEY not in told
    assert SECRET_KEY not in told


def test_credentials_of_the_environment_are_not_told_either(refusing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    blob = open_blob("s3://holdfast/a", {"endpoint": refusing, "allow_http": "true"})
    with pytest.raises(BlobUnavailable) as caught:
        blob.get("s1/p1")
    told = everything_told(caught.value)
    assert ACCESS_KEY not in told
    assert SECRET_KEY not in told


def test_a_password_in_the_endpoint_is_not_told(closed_port: int, s3: S3Server) -> None:
    endpoint = f"http://someone:not-to-be-shown@127.0.0.1:{closed_port}"
    blob = open_blob("s3://holdfast/a", {**s3.options, "endpoint": endpoint})
    with pytest.raises(BlobUnavailable) as caught:
        blob.get("s1/p1")
    assert "not-to-be-shown" not in everything_told(caught.value)


@every_call
def test_a_missing_bucket_is_not_a_missing_blob(s3: S3Server, call: Callable[[Blob], object]) -> None:
    with pytest.raises(BlobUnavailable, match=r"404 Not Found: NoSuchBucket$"):
        call(open_blob("s3://no-such-bucket/a", s3.options))


def test_settings_come_from_the_environment(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint)
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    url = f"s3://{s3.bucket}/{uuid.uuid4().hex}"
    open_blob(url).put("s1/p1", b"x")
    assert [meta.key for meta in BlobLocation(url, s3.options).open().list("")] == ["s1/p1"]


@pytest.mark.parametrize("options", [{"no_such_option": SECRET_KEY}, {"timeout": "soon"}])
def test_an_option_that_is_not_valid_is_refused(options: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="options that are not valid") as caught:
        open_blob("s3://bucket/a", options)
    assert SECRET_KEY not in everything_told(caught.value)


def test_keys_are_objects_under_the_prefix(s3: S3Server) -> None:
    prefix = uuid.uuid4().hex
    open_blob(f"s3://{s3.bucket}/{prefix}", s3.options).put("s1/A.b_c-d=e", b"x")
    client = boto3.client(
        "s3",
        endpoint_url=s3.endpoint,
        region_name="us-east-1",
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
    )
    listed = client.list_objects_v2(Bucket=s3.bucket, Prefix=prefix)
    client.close()
    assert [found["Key"] for found in listed["Contents"]] == [f"{prefix}/s1/A.b_c-d=e"]


def test_stores_of_other_prefixes_do_not_see_each_other(s3: S3Server) -> None:
    prefix = uuid.uuid4().hex
    open_blob(f"s3://{s3.bucket}/{prefix}", s3.options).put("p1", b"x")
    other = open_blob(f"s3://{s3.bucket}/{prefix}2", s3.options)
    assert other.get("p1") is None
    assert list(other.list("")) == []


def test_a_fork_is_refused_where_it_would_wait_for_ever(closed_port: int) -> None:
    endpoint = f"http://127.0.0.1:{closed_port}"
    ended = subprocess.run([sys.executable, "-c", FORK, endpoint], check=False, timeout=60)
    assert ended.returncode == 2
