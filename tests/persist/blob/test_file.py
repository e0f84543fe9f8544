from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import failpoint
from holdfast.errors import UsageError
from holdfast.persist.blob import BlobUnavailable
from holdfast.persist.blob.file import FileBlob

PUT_POINTS = ["blob_put_before_sync", "blob_put_after_sync", "blob_put_after_rename", "blob_put_done"]
VISIBLE_AT = {"blob_put_after_rename", "blob_put_done"}
DATA = bytes(range(256)) * 64
LEFTOVER = "s1/p1.tmp-" + "0123456789abcdef" * 2

DIE_AT = """
import os, signal, sys
from pathlib import Path
from holdfast import failpoint
from holdfast.persist.blob.file import FileBlob

root, point, action = sys.argv[1:]
blob = FileBlob(Path(root))

def die(name):
    if name == point:
        os.kill(os.getpid(), signal.SIGKILL)

failpoint.install(die)
if action == "put":
    blob.put("s1/n1/p1", bytes(range(256)) * 64)
else:
    blob.delete("s1/n1/p1")
"""

RUN_OUT_OF_ROOM = """
import resource, sys
from pathlib import Path
from holdfast.persist.blob import BlobUnavailable
from holdfast.persist.blob.file import FileBlob

resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
blob = FileBlob(Path(sys.argv[1]))
try:
    blob.put("s1/large", b"x" * 1_000_000)
except BlobUnavailable as error:
    print(error)
assert blob.get("s1/large") is None
assert list(blob.list_leftovers()) == []
blob.put("s1/small", b"fits")
"""


@pytest.fixture
def blob(tmp_path: Path) -> FileBlob:
    return FileBlob(tmp_path / "blobs")


@pytest.fixture(autouse=True)
def _no_failpoints() -> Iterator[None]:
    yield
    failpoint.install(None)


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False)


def fail_at(point: str, error: Exception) -> None:
    def fail(name: str) -> None:
        if name == point:
            raise error

    failpoint.install(fail)


def content(blob: FileBlob, key: str) -> bytes | None:
    found = blob.get(key)
    return bytes(found) if found is not None else None


@pytest.mark.parametrize("point", PUT_POINTS)
def test_a_put_killed_anywhere_is_whole_or_absent(tmp_path: Path, point: str) -> None:
    killed = run(DIE_AT, str(tmp_path), point, "put")
    assert killed.returncode == -signal.SIGKILL, killed.stderr

    blob = FileBlob(tmp_path)
    visible = point in VISIBLE_AT
    assert content(blob, "s1/n1/p1") == (DATA if visible else None)
    assert [meta.key for meta in blob.list("")] == (["s1/n1/p1"] if visible else [])
    assert len(list(blob.list_leftovers())) == (0 if visible else 1)

    blob.put("s1/n1/p1", DATA)
    assert content(blob, "s1/n1/p1") == DATA
    for meta in blob.list_leftovers():
        blob.delete(meta.key)
    assert list(blob.list_leftovers()) == []
    assert [meta.key for meta in blob.list("")] == ["s1/n1/p1"]


@pytest.mark.parametrize("point", ["blob_delete_before", "blob_delete_after"])
def test_a_delete_killed_anywhere_can_be_repeated(tmp_path: Path, point: str) -> None:
    blob = FileBlob(tmp_path)
    blob.put("s1/n1/p1", DATA)
    killed = run(DIE_AT, str(tmp_path), point, "delete")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert content(blob, "s1/n1/p1") == (DATA if point == "blob_delete_before" else None)
    blob.delete("s1/n1/p1")
    assert blob.get("s1/n1/p1") is None


class Calls:
    """The calls that decide what survives a loss of power, in order, with paths below `top`."""

    def __init__(self, top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[str] = []
        sync, replace, mkdir = os.fsync, os.replace, os.mkdir

        def name(path: str) -> str:
            return os.path.relpath(path, top).partition(".tmp-")[0]

        def recorded_sync(file: int) -> None:
            path = os.readlink(f"/proc/self/fd/{file}")
            self.seen.append(f"sync {'unfinished ' if '.tmp-' in path else ''}{name(path)}")
            sync(file)

        def recorded_replace(source: str, target: str) -> None:
            self.seen.append(f"rename {name(source)}")
            replace(source, target)

        def recorded_mkdir(path: str) -> None:
            self.seen.append(f"mkdir {name(path)}")
            mkdir(path)

        monkeypatch.setattr(os, "fsync", recorded_sync)
        monkeypatch.setattr(os, "replace", recorded_replace)
        monkeypatch.setattr(os, "mkdir", recorded_mkdir)

    def take(self) -> list[str]:
        seen, self.seen = self.seen, []
        return seen


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(tmp_path, monkeypatch)


def test_every_new_folder_is_durable_before_anything_is_made_in_it(tmp_path: Path, calls: Calls) -> None:
    blob = FileBlob(tmp_path / "a" / "b")
    assert calls.take() == ["sync ..", "mkdir a", "sync .", "mkdir a/b", "sync a"]
    blob.put("s1/n1/p1", DATA)
    assert calls.take() == [
        "sync a",
        "mkdir a/b/s1",
        "sync a/b",
        "mkdir a/b/s1/n1",
        "sync a/b/s1",
        "sync unfinished a/b/s1/n1/p1",
        "rename a/b/s1/n1/p1",
        "sync a/b/s1/n1",
    ]


def test_a_put_in_a_known_folder_syncs_the_file_then_renames_then_syncs_the_folder(
    blob: FileBlob, calls: Calls
) -> None:
    blob.put("s1/p1", DATA)
    calls.take()
    blob.put("s1/p2", DATA)
    assert calls.take() == ["sync unfinished blobs/s1/p2", "rename blobs/s1/p2", "sync blobs/s1"]


def test_a_retry_syncs_the_folder_that_the_first_put_may_not_have(blob: FileBlob, calls: Calls) -> None:
    fail_at("blob_put_after_rename", RuntimeError("stop"))
    with pytest.raises(RuntimeError, match="stop"):
        blob.put("s1/p1", DATA)
    failpoint.install(None)
    calls.take()
    blob.put("s1/p1", DATA)
    assert calls.take() == ["sync blobs/s1"]


def test_a_folder_made_by_a_process_that_died_is_synced_by_the_next(
    blob: FileBlob, calls: Calls, tmp_path: Path
) -> None:
    blob.put("s1/p1", DATA)
    calls.take()
    FileBlob(tmp_path / "blobs").put("s1/p2", DATA)
    assert [call for call in calls.take() if call.startswith("sync")] == [
        "sync .",
        "sync blobs",
        "sync unfinished blobs/s1/p2",
        "sync blobs/s1",
    ]


def test_opening_a_store_that_is_there_writes_nothing(blob: FileBlob, calls: Calls, tmp_path: Path) -> None:
    blob.put("s1/p1", DATA)
    calls.take()
    again = FileBlob(tmp_path / "blobs")
    assert content(again, "s1/p1") == DATA
    assert calls.take() == []


@pytest.mark.parametrize("point", PUT_POINTS[:3])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EACCES, errno.EROFS, errno.ESTALE])
def test_a_put_that_fails_is_unavailable_and_may_be_repeated(blob: FileBlob, point: str, code: int) -> None:
    cause = OSError(code, os.strerror(code))
    fail_at(point, cause)
    with pytest.raises(BlobUnavailable, match='could not put "s1/p1"') as caught:
        blob.put("s1/p1", DATA)
    assert caught.value.__cause__ is cause
    assert blob.url in str(caught.value)
    failpoint.install(None)
    assert content(blob, "s1/p1") == (DATA if point in VISIBLE_AT else None)
    assert list(blob.list_leftovers()) == []
    blob.put("s1/p1", DATA)
    assert content(blob, "s1/p1") == DATA


@pytest.mark.parametrize("error", [OSError(errno.EINVAL, "invalid"), RuntimeError("bug")], ids=["EINVAL", "bug"])
def test_what_is_not_expected_is_passed_on_and_leaves_nothing(blob: FileBlob, error: Exception) -> None:
    fail_at("blob_put_after_sync", error)
    with pytest.raises(type(error)) as caught:
        blob.put("s1/p1", DATA)
    assert caught.value is error
    assert blob.get("s1/p1") is None
    assert list(blob.list_leftovers()) == []


def test_a_file_size_limit_is_unavailable_and_leaves_nothing(tmp_path: Path) -> None:
    ended = run(RUN_OUT_OF_ROOM, str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == f'blob store file://{tmp_path} could not put "s1/large": file too large'
    assert content(FileBlob(tmp_path), "s1/small") == b"fits"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 256 kB; only root can have one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if os.geteuid() != 0:
        pytest.skip("mounting a small disk takes root")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("this machine does not allow mounts")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_unavailable_and_leaves_nothing(small_disk: Path) -> None:
    blob = FileBlob(small_disk)
    with pytest.raises(BlobUnavailable, match="no space left on device"):
        blob.put("s1/large", b"x" * 1_000_000)
    assert blob.get("s1/large") is None
    assert list(blob.list("")) == []
    assert list(blob.list_leftovers()) == []
    blob.put("s1/small", b"fits")
    assert content(blob, "s1/small") == b"fits"


def test_a_root_that_cannot_be_made_is_unavailable() -> None:
    with pytest.raises(BlobUnavailable, match="could not open"):
        FileBlob(Path("/proc/holdfast"))


def test_a_root_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match="is not a folder"):
        FileBlob(tmp_path / "file")


def test_a_folder_removed_behind_our_back_is_made_again_by_the_retry(blob: FileBlob, tmp_path: Path) -> None:
    blob.put("s1/p1", DATA)
    blob.delete("s1/p1")
    (tmp_path / "blobs" / "s1").rmdir()
    with pytest.raises(BlobUnavailable):
        blob.put("s1/p1", DATA)
    blob.put("s1/p1", DATA)
    assert content(blob, "s1/p1") == DATA


def test_a_root_that_is_gone_is_unavailable_and_not_made_again(blob: FileBlob, tmp_path: Path) -> None:
    root = tmp_path / "blobs"
    root.rmdir()
    for _ in range(2):
        with pytest.raises(BlobUnavailable):
            blob.put("s1/p1", DATA)
    with pytest.raises(BlobUnavailable):
        blob.get("s1/p1")
    with pytest.raises(BlobUnavailable):
        list(blob.list("s1/"))
    assert not root.exists()


def test_leftovers_are_listed_apart_and_can_be_deleted(blob: FileBlob, tmp_path: Path) -> None:
    blob.put("s1/p0", DATA)
    (tmp_path / "blobs" / LEFTOVER).write_bytes(b"half")
    assert [meta.key for meta in blob.list("s1/")] == ["s1/p0"]
    assert [(meta.key, meta.size) for meta in blob.list_leftovers()] == [(LEFTOVER, 4)]
    with pytest.raises(UsageError):
        blob.get(LEFTOVER)
    blob.delete(LEFTOVER)
    assert list(blob.list_leftovers()) == []


def test_a_put_whose_leftover_is_deleted_meanwhile_is_unavailable(blob: FileBlob) -> None:
    def delete_leftovers(name: str) -> None:
        if name == "blob_put_after_sync":
            for meta in blob.list_leftovers():
                blob.delete(meta.key)

    failpoint.install(delete_leftovers)
    with pytest.raises(BlobUnavailable):
        blob.put("s1/p1", DATA)
    failpoint.install(None)
    blob.put("s1/p1", DATA)
    assert content(blob, "s1/p1") == DATA


def test_files_that_are_no_blobs_are_not_listed(blob: FileBlob, tmp_path: Path) -> None:
    blob.put("s1/p1", DATA)
    for foreign in ("s1/.p1.crc", "_SUCCESS", "s1/a b"):
        (tmp_path / "blobs" / foreign).write_bytes(b"")
    assert [meta.key for meta in blob.list("")] == ["s1/p1"]


def test_a_key_cannot_be_a_folder_of_another(blob: FileBlob) -> None:
    blob.put("s1/p1", DATA)
    for key in ("s1", "s1/p1/deeper", "s1/p1/deeper/still"):
        with pytest.raises(UsageError, match="folder"):
            blob.put(key, DATA)
        assert blob.get(key) is None
    assert list(blob.list_leftovers()) == []
    assert [meta.key for meta in blob.list("")] == ["s1/p1"]


def test_a_blob_can_be_read_in_place(blob: FileBlob, tmp_path: Path) -> None:
    blob.put("s1/p1", DATA)
    path = blob.local_path("s1/p1")
    assert path == tmp_path / "blobs" / "s1" / "p1"
    assert path.read_bytes() == DATA
    assert blob.spark_url("s1/p1") == f"file://{path}"


def test_held_buffers_hold_no_file_descriptors(blob: FileBlob) -> None:
    blob.put("s1/p1", DATA)
    before = len(os.listdir("/proc/self/fd"))
    held = [blob.get("s1/p1") for _ in range(100)]
    assert len(os.listdir("/proc/self/fd")) == before
    assert all(buffer is not None and bytes(buffer) == DATA for buffer in held)
