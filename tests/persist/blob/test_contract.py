"""One suite for every blob store."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.persist.blob import Blob, BlobLocation, open_blob
from tests.persist.conftest import S3Server

ODD_KEYS = [
    "",
    "/",
    "/absolute",
    "ends/",
    "a//b",
    "..",
    "../a",
    "a/../b",
    "a/..",
    ".",
    "a/./b",
    ".hidden",
    "_hidden",
    "a/_hidden",
    "a b",
    "a\nb",
    "a\n",
    "a\0b",
    "a\\b",
    "a%2e",
    "a*",
    "ä",
    "a∕b",
    "٣",
    "p.tmp-0123456789abcdef0123456789abcdef",
    "a.tmp-/b",
    "x" * 201,
    "/".join(["x" * 100] * 8),
]
FINE_KEYS = ["a", "A.b_c-d=e", "0/1/2", "s1/n3/p-5.parquet", "x" * 200, "a..b"]


@pytest.fixture(params=["memory", "file", "s3"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> BlobLocation:
    """A place of its own for each test."""
    match request.param:
        case "memory":
            return BlobLocation("memory:")
        case "file":
            return BlobLocation(str(tmp_path / "blobs"))
        case _:
            s3: S3Server = request.getfixturevalue("s3")
            return BlobLocation(f"s3://{s3.bucket}/{uuid.uuid4().hex}", s3.options)


@pytest.fixture
def blob(location: BlobLocation) -> Blob:
    return location.open()


def content(blob: Blob, key: str) -> bytes | None:
    found = blob.get(key)
    return bytes(found) if found is not None else None


def keys(blob: Blob, prefix: str) -> list[str]:
    return sorted(meta.key for meta in blob.list(prefix))


def test_a_missing_blob_is_none(blob: Blob) -> None:
    assert blob.get("s1/p1") is None


@pytest.mark.parametrize("data", [b"", b"x", b"\0\xff" * 1500], ids=["empty", "one", "3kB"])
def test_what_is_put_is_got(blob: Blob, data: bytes) -> None:
    blob.put("s1/bytes", data)
    blob.put("s1/buffer", pa.py_buffer(data))
    assert content(blob, "s1/bytes") == data
    assert content(blob, "s1/buffer") == data


def test_a_buffer_of_arrow_memory_is_put_whole(blob: Blob) -> None:
    buffer = pa.array(range(1000), pa.int64()).buffers()[1]
    blob.put("s1/p1", buffer)
    assert content(blob, "s1/p1") == bytes(buffer)


def test_a_large_value_is_whole(blob: Blob) -> None:
    data = os.urandom(1 << 20) * 20
    blob.put("s1/large", data)
    assert content(blob, "s1/large") == data
    assert [meta.size for meta in blob.list("s1/")] == [len(data)]


@pytest.mark.parametrize("data", [b"", b"same"])
def test_the_same_bytes_again_are_a_retry(blob: Blob, data: bytes) -> None:
    blob.put("s1/p1", data)
    blob.put("s1/p1", pa.py_buffer(data))
    assert content(blob, "s1/p1") == data


def test_other_bytes_are_refused_and_change_nothing(blob: Blob) -> None:
    blob.put("s1/p1", b"first")
    for other in (b"other", b"", b"first and more"):
        with pytest.raises(UsageError, match="other bytes"):
            blob.put("s1/p1", other)
    assert content(blob, "s1/p1") == b"first"


def test_the_store_keeps_its_own_copy(blob: Blob) -> None:
    memory = bytearray(b"before")
    blob.put("s1/p1", pa.py_buffer(memory))
    memory[:] = b"after!"
    assert content(blob, "s1/p1") == b"before"


def test_a_deleted_blob_is_gone_and_may_be_deleted_again(blob: Blob) -> None:
    blob.put("s1/p1", b"x")
    blob.delete("s1/p1")
    blob.delete("s1/p1")
    blob.delete("s2/never")
    assert blob.get("s1/p1") is None
    assert keys(blob, "") == []


def test_a_buffer_outlives_its_blob(blob: Blob) -> None:
    blob.put("s1/p1", b"still here")
    buffer = blob.get("s1/p1")
    blob.delete("s1/p1")
    assert buffer is not None
    assert bytes(buffer) == b"still here"


def test_a_listing_has_the_keys_that_start_with_the_prefix(blob: Blob) -> None:
    for key in ("s1/p1", "s1/p2", "s1/n/p3", "s10/p4", "top"):
        blob.put(key, b"x")
    assert keys(blob, "") == ["s1/n/p3", "s1/p1", "s1/p2", "s10/p4", "top"]
    assert keys(blob, "s1") == ["s1/n/p3", "s1/p1", "s1/p2", "s10/p4"]
    assert keys(blob, "s1/") == ["s1/n/p3", "s1/p1", "s1/p2"]
    assert keys(blob, "s1/p") == ["s1/p1", "s1/p2"]
    assert keys(blob, "s1/p1") == ["s1/p1"]
    assert keys(blob, "s2/") == []
    assert keys(blob, "top/") == []


def test_a_listing_tells_size_and_time(blob: Blob) -> None:
    before = time.time_ns() // 1_000_000
    blob.put("s1/p1", b"12345")
    (meta,) = blob.list("")
    assert (meta.key, meta.size) == ("s1/p1", 5)
    # Whole seconds, on S3; and the clock of a file system may tick only every few milliseconds.
    assert before - 1000 <= meta.modified_ms <= time.time_ns() // 1_000_000 + 1000


def test_a_listing_goes_on_past_a_thousand_keys(blob: Blob) -> None:
    wanted = [f"s1/p{number:04}" for number in range(1005)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: blob.put(key, b"x"), wanted))
    assert keys(blob, "s1/") == wanted


def test_blobs_may_be_deleted_while_listed(blob: Blob) -> None:
    for number in range(20):
        blob.put(f"s1/p{number}", b"x")
    for meta in blob.list("s1/"):
        blob.delete(meta.key)
    assert keys(blob, "") == []


@pytest.mark.parametrize("key", ODD_KEYS)
def test_an_odd_key_is_refused(blob: Blob, key: str) -> None:
    with pytest.raises(UsageError):
        blob.put(key, b"x")
    with pytest.raises(UsageError):
        blob.get(key)
    with pytest.raises(UsageError):
        blob.local_path(key)
    with pytest.raises(UsageError):
        blob.spark_url(key)
    assert keys(blob, "") == []


@pytest.mark.parametrize("prefix", ["/", "..", "../", "a/../", "/a", "a//", "ä", "a b", "."])
def test_an_odd_prefix_is_refused(blob: Blob, prefix: str) -> None:
    with pytest.raises(UsageError):
        blob.list(prefix)


@pytest.mark.parametrize("key", FINE_KEYS)
def test_a_fine_key_is_kept_as_it_is(blob: Blob, key: str) -> None:
    blob.put(key, key.encode())
    assert content(blob, key) == key.encode()
    assert keys(blob, "") == [key]


def test_one_key_put_by_many_threads_is_whole(blob: Blob) -> None:
    data = os.urandom(100_000)
    start = threading.Barrier(8)

    def put() -> bytes | None:
        start.wait()
        blob.put("s1/p1", data)
        return content(blob, "s1/p1")

    with ThreadPoolExecutor(8) as pool:
        seen = [future.result() for future in [pool.submit(put) for _ in range(8)]]
    assert seen == [data] * 8
    assert keys(blob, "") == ["s1/p1"]
    assert list(blob.list_leftovers()) == []


def test_keys_of_one_new_folder_are_put_by_many_threads(blob: Blob) -> None:
    start = threading.Barrier(8)

    def put(number: int) -> None:
        start.wait()
        blob.put(f"s1/n1/deep/p{number}", b"x")

    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(put, number) for number in range(8)]:
            future.result()
    assert keys(blob, "s1/n1/deep/") == [f"s1/n1/deep/p{number}" for number in range(8)]


def test_a_reader_never_sees_a_part_of_a_blob(blob: Blob) -> None:
    data = os.urandom(200_000)
    done = threading.Event()

    def watch() -> set[bytes | None]:
        seen = set()
        while not done.is_set():
            seen.add(content(blob, "s1/p1"))
        return seen

    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        for _ in range(20):
            blob.put("s1/p1", data)
            blob.delete("s1/p1")
        done.set()
        assert watching.result() <= {None, data}


def test_a_location_is_opened_by_another_process(location: BlobLocation) -> None:
    if location.url == "memory:":
        with pytest.raises(UsageError, match="another process"):
            pickle.dumps(location)
        return
    location.open().put("s1/p1", b"from here")
    script = (
        "import pickle, sys\n"
        "blob = pickle.load(sys.stdin.buffer).open()\n"
        "assert bytes(blob.get('s1/p1')) == b'from here'\n"
        "blob.put('s1/p2', b'from there')\n"
    )
    subprocess.run([sys.executable, "-c", script], input=pickle.dumps(location), check=True, cwd="/")
    assert content(location.open(), "s1/p2") == b"from there"
    assert pickle.loads(pickle.dumps(location)) == location


def test_a_location_and_its_store_have_one_url(location: BlobLocation) -> None:
    blob = location.open()
    assert blob.url == location.url
    assert BlobLocation(blob.url, location.options) == location
    assert blob.url in repr(location)
    hash(location)


def test_what_spark_calls_a_blob_is_below_the_url(blob: Blob) -> None:
    if blob.url == "memory:":
        assert blob.spark_url("s1/p1") is None
    else:
        assert blob.spark_url("s1/p1") == blob.url.replace("s3://", "s3a://") + "/s1/p1"


Step = tuple[str, str, bytes]
steps = st.lists(
    st.tuples(st.sampled_from(["put", "delete"]), st.sampled_from(["a", "b/c", "b/d", "b2/c"]), st.binary(max_size=1)),
    max_size=12,
)


@given(steps=steps)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_store_agrees_with_a_dictionary(blob: Blob, steps: list[Step]) -> None:
    top = f"run-{uuid.uuid4().hex}"
    model: dict[str, bytes] = {}
    for action, name, data in steps:
        key = f"{top}/{name}"
        if action == "delete":
            blob.delete(key)
            model.pop(key, None)
        elif model.setdefault(key, data) == data:
            blob.put(key, data)
        else:
            with pytest.raises(UsageError):
                blob.put(key, data)
        assert content(blob, key) == model.get(key)
    for prefix in ("", "b", "b/"):
        wanted = {key: len(data) for key, data in model.items() if key.startswith(f"{top}/{prefix}")}
        assert {meta.key: meta.size for meta in blob.list(f"{top}/{prefix}")} == wanted


def test_open_blob_opens_a_location(tmp_path: Path) -> None:
    blob = open_blob(str(tmp_path))
    blob.put("s1/p1", b"x")
    assert content(open_blob(f"file://{tmp_path}"), "s1/p1") == b"x"
