"""Frames that were made before: as long as the same parts are read, it is the same frame.

To make one takes Spark longer than to read a small collection with it: it looks at every file and at every column.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock

from pyspark.sql import DataFrame, SparkSession


class Frames:
    """The `size` frames that were asked for last, by keys that say all that they read. All are of one session.

    It may be asked by several threads.
    """

    def __init__(self, size: int = 256) -> None:
        self._size, self._lock = size, Lock()
        self._spark: SparkSession | None = None
        self._frames: OrderedDict[Hashable, DataFrame] = OrderedDict()

    def get(self, spark: SparkSession, key: Hashable) -> DataFrame | None:
        with self._lock:
            found = self._frames.get(key) if spark is self._spark else None
            if found is not None:
                self._frames.move_to_end(key)
            return found

    def put(self, spark: SparkSession, key: Hashable, frame: DataFrame) -> DataFrame:
        """Keep a frame; those of another session are of no use any more."""
        with self._lock:
            if spark is not self._spark:
                self._spark = spark
                self._frames.clear()
            self._frames[key] = frame
            while len(self._frames) > self._size:
                self._frames.popitem(last=False)
            return frame
