"""Merging sorted streams of updates into one, consolidated, in bounded memory.

Each stream is sorted by key hash, and equal rows have equal hashes. So all updates with hashes below those
that some stream may still deliver are complete: they are consolidated together and go out, in hash order.
At most one table of each stream is held whose hash range overlaps the place of the merge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from holdfast.persist.encoding import Hashes, PartFormat
from holdfast.repr.update import UpdateBatch

_END = 2**63
"""Beyond every hash."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Tables sorted by key hash, each with its hashes, none below `min_hash`. `open` begins to read."""

    min_hash: int
    open: Callable[[], Iterator[tuple[pa.Table, Hashes]]]


class _Cursor:
    """What is read of a stream and not yet merged, and where more may follow."""

    def __init__(self, tables: Iterator[tuple[pa.Table, Hashes]], empty: pa.Table) -> None:
        self._tables = tables
        self._table = empty
        self._hashes: Hashes = np.empty(0, np.int64)
        self.limit = -_END
        self.refill()

    def refill(self) -> None:
        """Read on. Hashes below `limit` are all here then."""
        found = next((each for each in self._tables if each[0].num_rows), None)
        if found is None:
            self.limit = _END
            return
        table, hashes = found
        self._table = pa.concat_tables([self._table, table])
        self._hashes = np.concatenate([self._hashes, hashes])
        self.limit = int(hashes[-1])

    @property
    def finished(self) -> bool:
        return self.limit == _END and not len(self._hashes)

    def take_below(self, bound: int) -> pa.Table:
        count = len(self._hashes) if bound == _END else int(np.searchsorted(self._hashes, bound))
        taken, self._table = self._table.slice(0, count), self._table.slice(count)
        self._hashes = self._hashes[count:]
        return taken


def merge(
    form: PartFormat, streams: Sequence[Stream], consolidated: Callable[[UpdateBatch], UpdateBatch]
) -> Iterator[UpdateBatch]:
    """The updates of all streams, through `consolidated` with all their equals, in batches of ascending hashes."""
    waiting = sorted(streams, key=lambda stream: stream.min_hash, reverse=True)
    cursors: list[_Cursor] = []
    empty = form.row_type.updates_schema.empty_table()
    while waiting or cursors:
        bound = min((cursor.limit for cursor in cursors), default=_END)
        if waiting and waiting[-1].min_hash <= bound:
            cursors.append(_Cursor(waiting.pop().open(), empty))
            continue
        tables = [cursor.take_below(bound) for cursor in cursors]
        batch = consolidated(UpdateBatch(form.row_type, pa.concat_tables(tables)))
        if batch.rows:
            yield batch
        for cursor in cursors:
            if cursor.limit == bound:
                cursor.refill()
        # Even an empty slice keeps the whole table that it was cut from.
        cursors = [cursor for cursor in cursors if not cursor.finished]
