"""An index: the rows where some columns have some values, at all times that are kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from holdfast.adapter.tables.by_key import SlotsByKey
from holdfast.adapter.tables.keys import Keys

_GONE_BYTES = 100


class Index:
    """`gone` are the slots of rows that have died, by key, in the order in which they did.

    A row that is looked for now is among those of its key, however often it was changed; one that is looked for at an
    earlier time is among the last that are gone.
    """

    def __init__(self, columns: Sequence[int], keys: Keys) -> None:
        self.columns, self.keys = tuple(columns), keys
        self.slots = SlotsByKey()
        self._gone: defaultdict[int, list[int]] = defaultdict(list)
        self._gone_rows = 0

    @property
    def nbytes(self) -> int:
        return self.slots.nbytes + _GONE_BYTES * self._gone_rows

    def add(self, start: int, columns: Sequence[pa.Array]) -> None:
        """Rows that begin at the slot `start`; `columns` are all those of the table."""
        keys, positions = self.keys.of_columns([columns[index] for index in self.columns])
        self.slots.add(keys, positions + start)

    def add_all(self, pieces: Iterable[tuple[int, Sequence[pa.Array]]]) -> None:
        """The same for rows that are many, in order: they become one run."""
        keys, slots = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for start, columns in pieces:
            found, positions = self.keys.of_columns([columns[index] for index in self.columns])
            keys.append(found)
            slots.append(positions + start)
        self.slots.add(np.concatenate(keys), np.concatenate(slots))

    def bury(self, row: Sequence[object], slot: int) -> None:
        """The row in `slot` has died."""
        key = self.keys.of([row[index] for index in self.columns])
        if key is None:
            return
        self.slots.remove(key, slot)
        self._gone[key].append(slot)
        self._gone_rows += 1

    def gone(self, key: int) -> Iterator[int]:
        """The slots of the rows with this key that have died, the last first."""
        return reversed(self._gone[key]) if key in self._gone else iter(())
