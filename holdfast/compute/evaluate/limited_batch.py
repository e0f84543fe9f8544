"""Functions of users in workers of Spark's, with a limit: calls run in a process beside the worker, which can be ended.

A worker cannot end a function that does not return without ending itself, and Spark would try the same again.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from holdfast.compute.evaluate.batch import ScalarBatch, failed
from holdfast.compute.evaluate.python_processes import AT_ONCE, PROCESSES, stoppable
from holdfast.compute.python_worker import packed
from holdfast.plan.errors import DataError


@dataclass(frozen=True, slots=True)
class LimitedBatch:
    """`batch` is of the function `name`, whose errors are answers. `limit` is how many seconds each call may take."""

    name: str
    batch: ScalarBatch
    limit: float

    def __call__(self, *columns: pa.Array) -> pa.Array:
        rows, found = len(columns[0]), list[pa.Array]()
        with stoppable(self.limit):
            for start in range(0, max(rows, 1), AT_ONCE):
                part = [column.slice(start, AT_ONCE) for column in columns]
                try:
                    found.append(PROCESSES.call(self.name, self.batch, packed(part, len(part[0]))))
                except DataError as error:
                    # Which of the rows it was is not known, and the others need not be waited for.
                    found.append(failed(error, rows - start, self.batch.types.result))
                    break
        return pa.concat_arrays(found)
