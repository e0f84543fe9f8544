"""Collections whose contents at every time are known from the time alone.

At each time from 1 on, `ROWS` new rows are inserted and those of `KEPT` times before are taken back. So whoever
reads "numbers" at some time knows what must be there, however many processes wrote it and died.
"""

from __future__ import annotations

from collections import Counter

import pyarrow as pa

from holdfast.persist import Append, Persist, ReadHandle, UpperMismatch, WriteHandle
from holdfast.repr.frontier import Timestamp, at
from holdfast.repr.row import DIFF, RowType
from holdfast.repr.update import UpdateBatch

NUMBERS, OTHERS = "numbers", "others"
ROW_TYPE = RowType.of(("n", pa.int64()), ("i", pa.int64()))
ROWS, KEPT = 4, 3


def batch_at(time: int) -> UpdateBatch:
    """What happens at `time`."""
    updates = [((time, i), 1) for i in range(ROWS)]
    if time > KEPT:
        updates += [((time - KEPT, i), -1) for i in range(ROWS)]
    return UpdateBatch.from_rows(
        ROW_TYPE, [row for row, _ in updates], [time] * len(updates), [diff for _, diff in updates]
    )


def contents_at(time: int) -> Counter[tuple[int, int]]:
    return Counter({(n, i): 1 for n in range(max(1, time - KEPT + 1), time + 1) for i in range(ROWS)})


def counted(batch: UpdateBatch) -> Counter[tuple[int, int]]:
    """The rows of a snapshot, as often as they are there."""
    columns = (batch.table[name].to_pylist() for name in ("n", "i", DIFF))
    total: Counter[tuple[int, int]] = Counter()
    for n, i, diff in zip(*columns, strict=True):
        total[n, i] += diff
    return total


async def rows_at(reader: ReadHandle, time: int, timeout: float | None = None) -> Counter[tuple[int, int]]:
    return counted(await reader.rows(Timestamp(time), timeout))


async def create(persist: Persist) -> tuple[WriteHandle, WriteHandle]:
    """Both collections, complete through time 0, at which nothing is there."""
    numbers, others = [await persist.create_or_load(name, ROW_TYPE, key=["n"]) for name in (NUMBERS, OTHERS)]
    await persist.advance_all(at(1), [numbers.shard, others.shard])
    return numbers, others


async def append(persist: Persist, numbers: WriteHandle, others: WriteHandle, time: int) -> UpperMismatch | None:
    """What happens at `time`, to both collections at once."""
    handles = (numbers, others)
    appends = [Append(handle, batch_at(time), at(time), at(time + 1)) for handle in handles]
    return await persist.multi(handles).compare_and_append(appends)
