"""An index: the rows where some columns, or expressions over them, have some values, at all times that are kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from holdfast.adapter.tables.by_key import SlotsByKey
from holdfast.adapter.tables.keys import Int64s, Keys
from holdfast.adapter.tables.shape import array_of
from holdfast.compute.evaluate.columns import computed
from holdfast.compute.evaluate.scalars import Evaluate, Row, compiled_all
from holdfast.plan.errors import DataError
from holdfast.plan.scalar import Column, Scalar
from holdfast.plan.types import Type

Part: TypeAlias = int | Scalar
"""What rows are found by: a column, or an expression over all columns that depends on nothing else."""

_GONE_BYTES = 100


def key_of(parts: Sequence[Part], types: Sequence[Type]) -> Evaluate:
    """The values that a row, with columns of these types, is found by."""
    return compiled_all(scalars_of(parts, types), ())


def scalars_of(parts: Sequence[Part], types: Sequence[Type]) -> list[Scalar]:
    return [Column(part, types[part], nullable=True) if isinstance(part, int) else part for part in parts]


class Index:
    """`gone` are the slots of rows that have died, by key, in the order in which they did.

    - A row that is looked for now is among those of its key, however often it was changed; one that is looked for at
      an earlier time is among the last that are gone.
    - Once an expression has failed for a row the index has `failed`, and finds nothing any more: who looks at all rows
      fails for that one too.
    """

    def __init__(self, parts: Sequence[Part], types: Sequence[Type]) -> None:
        scalars = scalars_of(parts, types)
        self.keys = Keys([scalar.type for scalar in scalars])
        self.failed = False
        self.slots = SlotsByKey()
        self._types, self._scalars = tuple(types), scalars
        self._columns = tuple(part for part in parts if isinstance(part, int))
        self._is_plain = len(self._columns) == len(parts)
        self._of_row = key_of(parts, types)
        self._gone: defaultdict[int, list[int]] = defaultdict(list)
        self._gone_rows = 0

    @property
    def nbytes(self) -> int:
        return self.slots.nbytes + _GONE_BYTES * self._gone_rows

    def add(self, start: int, columns: Sequence[pa.Array]) -> None:
        """Rows that begin at the slot `start`; `columns` are all those of the table."""
        self.add_all([(start, columns)])

    def add_all(self, pieces: Iterable[tuple[int, Sequence[pa.Array]]]) -> None:
        """The same for rows that are many, in order: they become one run."""
        keys, slots = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for start, columns in pieces:
            found, positions = self._keys(columns)
            keys.append(found)
            slots.append(positions + start)
        self.slots.add(np.concatenate(keys), np.concatenate(slots))

    def _keys(self, columns: Sequence[pa.Array]) -> tuple[Int64s, Int64s]:
        if self._is_plain:
            return self.keys.of_columns([columns[index] for index in self._columns])
        try:
            return self.keys.of_columns([array_of(each) for each in computed(self._scalars, columns, self._types)])
        except DataError:
            self.failed = True
            return np.empty(0, np.int64), np.empty(0, np.int64)

    def bury(self, row: Row, slot: int) -> None:
        """The row in `slot` has died."""
        if self.failed:
            return
        key = self.keys.of(self._of_row(row))
        if key is None:
            return
        self.slots.remove(key, slot)
        self._gone[key].append(slot)
        self._gone_rows += 1

    def gone(self, key: int) -> Iterator[int]:
        """The slots of the rows with this key that have died, the last first."""
        return reversed(self._gone[key]) if key in self._gone else iter(())

    def has(self, row: Row, values: Sequence[object]) -> bool:
        """Whether these are the values by which the row is found."""
        return self.keys.equal(self._of_row(row), values)
