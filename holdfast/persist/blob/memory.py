"""Blobs in the memory of this process: for tests, and for what need not outlive it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from holdfast.persist.blob.contract import BlobMeta, written_once
from holdfast.persist.blob.key import check_key, prefix_folder


class MemoryBlob:
    """A blob store that ends with the object."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blobs: dict[str, tuple[pa.Buffer, BlobMeta]] = {}

    @property
    def url(self) -> str:
        return "memory:"

    def get(self, key: str) -> pa.Buffer | None:
        check_key(key)
        found = self._blobs.get(key)
        return found[0] if found is not None else None

    def put(self, key: str, data: bytes | pa.Buffer) -> None:
        check_key(key)
        # A copy: the caller may reuse the memory behind its buffer.
        content = pa.py_buffer(bytes(data))
        with self._lock:
            existing = self._blobs.get(key)
            if existing is not None:
                written_once(self.url, key, existing[0], content)
                return
            self._blobs[key] = content, BlobMeta(key, content.size, time.time_ns() // 1_000_000)

    def delete(self, key: str) -> None:
        check_key(key)
        with self._lock:
            self._blobs.pop(key, None)

    def list(self, prefix: str) -> Iterator[BlobMeta]:
        prefix_folder(prefix)
        with self._lock:
            found = [meta for key, (_, meta) in self._blobs.items() if key.startswith(prefix)]
        return iter(found)

    def list_leftovers(self) -> Iterator[BlobMeta]:
        return iter(())

    def local_path(self, key: str) -> Path | None:
        check_key(key)
        return None

    def spark_url(self, key: str) -> str | None:
        check_key(key)
        return None

    def __repr__(self) -> str:
        return "MemoryBlob()"
