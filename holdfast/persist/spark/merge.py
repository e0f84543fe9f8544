"""Large merges, on Spark: all inputs are read, spread by key hash, consolidated and written by the executors.

Small merges are quicker in process than a job takes to start.
"""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.functions import expr

from holdfast.persist.batch import Slice
from holdfast.persist.compact import MergeTask, merge_in_process
from holdfast.persist.encoding import PartFormat, Stage, encode_sorted, sort_by_hash, sums
from holdfast.persist.part import Part, Sums
from holdfast.persist.parts import Parts
from holdfast.persist.read import Pinned
from holdfast.persist.rest import Rest
from holdfast.persist.shard import Merge
from holdfast.persist.spark.scan import part_errors, scan
from holdfast.persist.spark.stage import clustered, from_spark, full_tables
from holdfast.repr.consolidate import consolidate
from holdfast.repr.row import DIFF, TIME

LARGE = 256 * 2**20
"""Bytes of input from which on a merge is a Spark job."""

_RESULT = "parts BINARY"
"""What a task returns: the parts it wrote, and the sums of what it read, pickled."""


class SparkMerger:
    """A `Merger` that leaves large merges to Spark."""

    def __init__(self, spark: SparkSession, large: int = LARGE) -> None:
        self._spark, self._large = spark, large

    def __call__(self, task: MergeTask, parts: Parts, stage: Stage, rest: Rest) -> Merge:
        if task.size < self._large:
            return merge_in_process(task, parts, stage, rest)
        return self._merge(task, parts, stage)

    def _merge(self, task: MergeTask, parts: Parts, stage: Stage) -> Merge:
        form, pieces = PartFormat.of(task.state), task.slices
        with part_errors(Pinned(task.state, pieces)):
            results = self._job(task, form, pieces, parts, stage)
        written = tuple(part for found, _ in results for part in found)
        return Merge(task.inputs, written, task.since, sum((read for _, read in results), Sums()))

    def _job(
        self, task: MergeTask, form: PartFormat, pieces: list[Slice], parts: Parts, stage: Stage
    ) -> list[tuple[list[Part], Sums]]:
        updates = scan(self._spark, parts.location, parts.blob, task.state, pieces, form.row_type.names)
        since = task.since.time
        if since is not None:
            updates = updates.withColumn(TIME, expr(f"greatest({TIME}, {since}L)"))
        spread, hashed = clustered(updates, form)
        location = parts.location

        def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            blob = location.open()
            written: list[Part] = []
            read = Sums()
            for table in whole_groups(full_tables(batches), hashed):
                updates = from_spark(form.row_type, table)
                read += sums(updates.table[DIFF].to_numpy(), form.content_hashes(updates.table))
                merged = consolidate(updates)
                if merged.rows:
                    ordered, hashes = sort_by_hash(form, merged.table)
                    encoded = encode_sorted(form, stage.key(uuid.uuid4().hex), ordered, hashes, None)
                    blob.put(encoded.part.key, encoded.data)
                    written.append(encoded.part)
            yield pa.record_batch([pa.array([pickle.dumps((written, read))], pa.binary())], names=["parts"])

        job = spread.mapInArrow(write, _RESULT)
        return [pickle.loads(result) for result in job.toArrow()["parts"].to_pylist()]


def whole_groups(tables: Iterator[pa.Table], hashed: str) -> Iterator[pa.Table]:
    """Sorted tables cut again, so that rows with one hash are in one table."""
    carried: pa.Table | None = None
    for table in tables:
        joined = table if carried is None else pa.concat_tables([carried, table])
        hashes = joined[hashed].to_numpy()
        start_of_last = int(np.searchsorted(hashes, hashes[-1]))
        if start_of_last:
            yield joined.slice(0, start_of_last)
        carried = joined.slice(start_of_last)
    if carried is not None:
        yield carried
