"""Some columns of a collection, arranged: what nobody looks at is not in memory."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pyarrow as pa

from holdfast.compute.arrange.arranged import Arranged
from holdfast.repr.cut import widened
from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch


class Narrow:
    """Updates of rows of `row_type`, of which `columns` are kept; in what is found all others are null.

    Rows that differ in others alone are one row.
    """

    def __init__(self, row_type: RowType, columns: Collection[int]) -> None:
        self.columns = tuple(sorted(columns)) or tuple(range(len(row_type.names)))[:1]
        self._row_type = row_type
        self._places = {column: place for place, column in enumerate(self.columns)}
        fields = [row_type.schema.field(column) for column in self.columns]
        self._kept = RowType.of(*((field.name, field.type) for field in fields))
        self._arranged = Arranged(self._kept)

    @property
    def rows(self) -> int:
        return self._arranged.rows

    @property
    def nbytes(self) -> int:
        return self._arranged.nbytes

    def load(self, pieces: list[UpdateBatch]) -> None:
        """The first updates, all at one time, of the columns that are kept, taken out of the list."""
        self._arranged.load(pieces)

    def append(self, updates: UpdateBatch) -> None:
        self._arranged.append(UpdateBatch(self._kept, updates.table.select([*self._kept.names, TIME, DIFF])))

    def add(self, pieces: Sequence[UpdateBatch]) -> None:
        """The same, of updates of the columns that are kept."""
        self._arranged.append(UpdateBatch.concat(self._kept, pieces))

    def advance(self, since: Timestamp) -> bool:
        return self._arranged.advance(since)

    def compact(self, since: Timestamp) -> None:
        self._arranged.compact(since)

    def lookup(
        self, columns: tuple[int, ...], keys: Sequence[pa.Array | pa.ChunkedArray], before: Timestamp
    ) -> UpdateBatch:
        return self._widened(self._arranged.lookup(tuple(self._places[column] for column in columns), keys, before))

    def all(self, before: Timestamp) -> UpdateBatch:
        return self._widened(self._arranged.all(before))

    def due(self, column: int, until: int, before: Timestamp) -> UpdateBatch:
        return self._widened(self._arranged.due(self._places[column], until, before))

    def earliest(self, column: int, before: Timestamp) -> int | None:
        return self._arranged.earliest(self._places[column], before)

    def _widened(self, updates: UpdateBatch) -> UpdateBatch:
        return widened(updates, self.columns, self._row_type)
