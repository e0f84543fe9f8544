"""Slots by key: where in a table the rows of a key are.

Sorted runs of keys, few because like ones are merged, and what came last beside them in a dictionary: a million rows
take sixteen bytes each, and one more row costs nothing but its entry.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from holdfast.adapter.tables.keys import Int64s

_LATE = 16_384
"""Rows beside the runs after which they become one: sorting so many takes about a millisecond."""

_FAN = 4
"""A run that has so many times the keys of all later ones is left as it is: who finds a key looks into each run."""

_LATE_BYTES = 150
"""What a row takes beside the runs: a key, a list and a slot."""

Run = tuple[Int64s, Int64s]
"""Keys in order, and their slots."""


class SlotsByKey:
    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._late: defaultdict[int, list[int]] = defaultdict(list)
        self._late_rows = 0
        self._passed: dict[int, int] = {}

    @property
    def nbytes(self) -> int:
        return sum(int(keys.nbytes + slots.nbytes) for keys, slots in self._runs) + _LATE_BYTES * self._late_rows

    def find(self, key: int) -> list[int]:
        """The slots of the key, the oldest first. Some that were removed may still be among them."""
        found: list[int] = []
        for keys, slots in self._runs:
            if key < keys.item(0) or key > keys.item(-1):
                continue
            start = int(keys.searchsorted(key))
            if keys.item(start) != key:
                continue
            if start + 1 == len(keys) or keys.item(start + 1) != key:
                found.append(slots.item(start))
            else:
                found += slots[start : int(keys.searchsorted(key, "right"))].tolist()
        late = self._late.get(key)
        return found if late is None else found + late

    def first(self, key: int, is_gone: Callable[[int], bool], is_it: Callable[[int], bool]) -> int | None:
        """The first slot of the key that is the one looked for, and not gone for ever.

        The oldest that are gone are passed over the next time: else, where many rows have one key, each that goes would
        have to be found behind all that went before it.
        """
        passed = self._passed.get(key, 0)
        gone_so_far = True
        for slot in self._later(key, passed):
            if is_gone(slot):
                passed += gone_so_far
                continue
            gone_so_far = False
            if is_it(slot):
                if passed:
                    self._passed[key] = passed
                return slot
        return None

    def _later(self, key: int, skipped: int) -> Iterator[int]:
        """The slots of the key without the oldest."""
        for keys, slots in self._runs:
            start = int(keys.searchsorted(key))
            if start == len(keys) or keys.item(start) != key:
                continue
            end = int(keys.searchsorted(key, "right"))
            start, skipped = start + skipped, max(0, skipped - (end - start))
            yield from map(int, slots[start:end])
        yield from self._late.get(key, ())

    def add(self, keys: Int64s, slots: Int64s) -> None:
        if len(keys) > _LATE:
            self._runs.append(sorted_run(keys, slots))
            return
        for key, slot in zip(keys.tolist(), slots.tolist(), strict=True):
            self._late[key].append(slot)
        self._late_rows += len(keys)
        if self._late_rows > _LATE:
            self._seal()

    def remove(self, key: int, slot: int) -> None:
        """Forget a slot, unless it is in a run."""
        late = self._late.get(key)
        if late is not None and slot in late:
            late.remove(slot)
            self._late_rows -= 1
            if not late:
                del self._late[key]

    def _seal(self) -> None:
        keys = np.fromiter((key for key, slots in self._late.items() for _ in slots), np.int64, self._late_rows)
        slots = np.fromiter((slot for slots in self._late.values() for slot in slots), np.int64, self._late_rows)
        self._late.clear()
        self._late_rows = 0
        self._runs.append(sorted_run(keys, slots))

    def crowded(self) -> Sequence[Run]:
        """The last runs that are worth merging, if there are any."""
        start = later = 0
        for place, (keys, _) in reversed(list(enumerate(self._runs))):
            if len(keys) >= _FAN * later > 0:
                break
            start, later = place, later + len(keys)
        return self._runs[start:] if len(self._runs) - start > 1 else ()

    def replace(self, runs: Sequence[Run], merged: Run) -> None:
        """Put what `merge_runs` made of neighbouring runs in their place."""
        start = next(index for index, run in enumerate(self._runs) if run is runs[0])
        self._runs[start : start + len(runs)] = [merged]


def sorted_run(keys: Int64s, slots: Int64s) -> Run:
    # Stable, since this sort makes use of what is sorted already, as runs that are joined are.
    order = np.argsort(keys, kind="stable")
    return keys[order], slots[order]


def merge_runs(runs: Sequence[Run]) -> Run:
    return sorted_run(np.concatenate([keys for keys, _ in runs]), np.concatenate([slots for _, slots in runs]))
