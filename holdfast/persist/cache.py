"""A cache of verified part bytes, bounded in bytes.

Parts never change, so what is cached never is stale; the oldest unused go first.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

import pyarrow as pa

from holdfast.persist.metrics import CACHE_HITS, CACHE_MISSES, PersistMetrics


class PartCache:
    """Safe from any thread. A buffer larger than the whole cache is handed through."""

    def __init__(self, capacity: int, metrics: PersistMetrics) -> None:
        self._capacity, self._metrics = capacity, metrics
        self._lock = threading.Lock()
        self._buffers: OrderedDict[str, pa.Buffer] = OrderedDict()
        self._size = 0

    @property
    def size(self) -> int:
        """The bytes held, never more than the capacity."""
        return self._size

    def get(self, key: str, fetch: Callable[[], pa.Buffer]) -> pa.Buffer:
        """The buffer of `key`, from `fetch` if it is not here."""
        with self._lock:
            buffer = self._buffers.get(key)
            if buffer is not None:
                self._buffers.move_to_end(key)
                self._metrics.add(CACHE_HITS)
                return buffer
        self._metrics.add(CACHE_MISSES)
        buffer = fetch()
        if buffer.size <= self._capacity:
            self._keep(key, buffer)
        return buffer

    def _keep(self, key: str, buffer: pa.Buffer) -> None:
        with self._lock:
            if key in self._buffers:
                return
            self._buffers[key] = buffer
            self._size += buffer.size
            while self._size > self._capacity:
                _, oldest = self._buffers.popitem(last=False)
                self._size -= oldest.size
