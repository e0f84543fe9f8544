"""Blobs in a local folder, safe against the death of the process and of the machine.

A put writes a file of another name in the same folder, syncs it, renames it
and syncs the folder: the key appears with all its bytes or not at all, and
stays. A put that dies leaves at most the file of the other name, which no
reader takes for a blob.
"""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa

from holdfast.errors import UsageError
from holdfast.failpoint import reach
from holdfast.persist.blob.contract import BlobMeta, BlobUnavailable, written_once
from holdfast.persist.blob.key import check_key, is_key, is_leftover, leftover_name, prefix_folder

_UNAVAILABLE = frozenset(
    {
        # no room
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
        errno.ENOMEM,
        errno.EMFILE,
        errno.ENFILE,
        # not allowed
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        # the disk, or the machine it is on, is gone
        errno.EIO,
        errno.ENOENT,
        errno.ENODEV,
        errno.ENXIO,
        errno.ESTALE,
        errno.ETIMEDOUT,
        errno.EHOSTDOWN,
        errno.EHOSTUNREACH,
        errno.ENOTCONN,
        errno.ECONNREFUSED,
        errno.ECONNRESET,
    }
)


class FileBlob:
    """A blob store in `root`, which is made if missing.

    - A folder in `_settled` exists and its entry is durable: a put there syncs one file and one folder.
    - `root` is made when the store is opened and never again: if it is gone later, so is the disk.
    """

    def __init__(self, root: Path) -> None:
        self._root = str(root.resolve())
        self._settled: frozenset[str] = frozenset()
        with _file_errors(self.url, "open", ""):
            if not os.path.isdir(self._root):
                _make_folder(self._root)
        if not os.path.isdir(self._root):
            raise UsageError(f"blob store {self.url} is not a folder")

    @property
    def url(self) -> str:
        return f"file://{self._root}"

    def get(self, key: str) -> pa.Buffer | None:
        path = self._path(key)
        with _file_errors(self.url, "get", key):
            return self._read(path)

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        path = self._path(key)
        folder = os.path.dirname(path)
        with _file_errors(self.url, "put", key):
            try:
                self._settle(folder)
                # Asked first because it is cheap: most keys are new.
                existing = self._read(path) if os.path.exists(path) else None
                if existing is None:
                    _write(path, data)
                else:
                    written_once(self.url, key, existing, pa.py_buffer(data))
                # A retry comes here too: the put before it may have ended between its rename and its sync.
                _sync_folder(folder)
            except FileNotFoundError:
                # A folder was removed behind our back; the retry makes it again.
                self._settled = frozenset()
                raise
            except (IsADirectoryError, NotADirectoryError) as exc:
                raise UsageError(f'blob key "{key}" is a folder of other keys, or has a key for a folder') from exc
        reach("blob_put_done")

    def delete(self, key: str) -> None:
        path = f"{self._root}/{key}" if is_leftover(key) else self._path(key)
        reach("blob_delete_before")
        with _file_errors(self.url, "delete", key), suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(path)
        reach("blob_delete_after")

    def list(self, prefix: str) -> Iterator[BlobMeta]:
        folder = prefix_folder(prefix)
        return (meta for meta in self._walk(folder) if is_key(meta.key) and meta.key.startswith(prefix))

    def list_leftovers(self) -> Iterator[BlobMeta]:
        return (meta for meta in self._walk("") if is_leftover(meta.key))

    def local_path(self, key: str) -> Path | None:
        return Path(self._path(key))

    def spark_url(self, key: str) -> str | None:
        # Hadoop takes what follows the scheme as it is: percent-encoding would name another file.
        return f"file://{self._path(key)}"

    def __repr__(self) -> str:
        return f"FileBlob({self._root!r})"

    def _path(self, key: str) -> str:
        check_key(key)
        return f"{self._root}/{key}"

    def _read(self, path: str) -> pa.Buffer | None:
        """The file, mapped. The mapping holds no file descriptor and outlives the file's name."""
        try:
            with pa.memory_map(path) as mapped:
                return mapped.read_buffer()
        except (FileNotFoundError, NotADirectoryError):
            os.stat(self._root)
            return None
        except OSError:
            if os.path.isdir(path):
                return None
            raise

    def _settle(self, folder: str) -> None:
        """Make `folder` and its entry durable, and those of the folders above it up to the root.

        A folder that exists may be one whose maker died before the sync, so the first use in each process syncs.
        """
        if folder in self._settled:
            return
        if folder == self._root:
            _sync_entry(folder)
        else:
            self._settle(os.path.dirname(folder))
            with suppress(FileExistsError):
                os.mkdir(folder)
            _sync_folder(os.path.dirname(folder))
        # Two threads may lose one another's entry: that costs a sync, and only that.
        self._settled |= {folder}

    def _walk(self, top: str) -> Iterator[BlobMeta]:
        """Every file below the folder `top`, keys and others."""
        folders = [top]
        while folders:
            folder = folders.pop()
            with _file_errors(self.url, "list", folder):
                entries = self._scan(folder)
            for entry in entries:
                name = f"{folder}/{entry.name}" if folder else entry.name
                with _file_errors(self.url, "list", name):
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(name)
                        continue
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:  # deleted, or renamed to its key, since the scan
                        continue
                yield BlobMeta(name, status.st_size, status.st_mtime_ns // 1_000_000)

    def _scan(self, folder: str) -> tuple[os.DirEntry[str], ...]:
        try:
            with os.scandir(f"{self._root}/{folder}") as entries:
                return tuple(entries)
        except (FileNotFoundError, NotADirectoryError):
            os.stat(self._root)
            return ()


def _write(path: str, data: bytes | pa.Buffer) -> None:
    """Make `path` appear with all of `data`, durable but for its entry in the folder."""
    unfinished = leftover_name(path, uuid.uuid4().hex)
    file = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        try:
            rest = memoryview(data)
            while rest.nbytes:
                rest = rest[os.write(file, rest) :]
            reach("blob_put_before_sync")
            # Not tried again if it fails: the kernel may have dropped the pages, and would say that all is well.
            os.fsync(file)
        finally:
            os.close(file)
        reach("blob_put_after_sync")
        os.replace(unfinished, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(unfinished)
        raise
    reach("blob_put_after_rename")


def _make_folder(folder: str) -> None:
    """Make `folder` and those missing above it, each durable before the next is made in it."""
    parent = os.path.dirname(folder)
    if os.path.isdir(parent):
        _sync_entry(parent)
    else:
        _make_folder(parent)
    with suppress(FileExistsError):
        os.mkdir(folder)
    _sync_folder(parent)


def _sync_entry(folder: str) -> None:
    """Make durable the entry of a folder that was there before us, in case whoever made it died before the sync."""
    with suppress(PermissionError):  # a parent that we may not open is not one where we make folders
        _sync_folder(os.path.dirname(folder))


def _sync_folder(folder: str) -> None:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


@contextmanager
def _file_errors(url: str, action: str, key: str) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        if exc.errno not in _UNAVAILABLE:
            raise
        raise BlobUnavailable(url, action, key, os.strerror(exc.errno).lower()) from exc
