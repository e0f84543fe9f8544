"""The rows of a table in memory, at every time from some time on.

Rows are in segments; a row's number among all is its slot. New rows come at the end and none is moved, so indexes stay
right: a row that is changed dies, and another one is born. What nobody can read any more is left out when enough of it
has gathered.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np
import pyarrow as pa

from holdfast.adapter.tables.by_key import SlotsByKey
from holdfast.adapter.tables.commit import TableCommit
from holdfast.adapter.tables.going import places_of
from holdfast.adapter.tables.index import Index, Part
from holdfast.adapter.tables.keys import Int64s
from holdfast.adapter.tables.segment import Segment
from holdfast.adapter.tables.shape import array_of, table_of
from holdfast.compute.evaluate.scalars import Row
from holdfast.errors import UsageError
from holdfast.plan.row_types import row_type_of
from holdfast.plan.types import Type
from holdfast.repr.frontier import Timestamp
from holdfast.repr.hash import hash_rows
from holdfast.repr.surrogate import surrogates

SEGMENT_ROWS = 65_536
"""Rows of a segment at most: so many are filtered in less than a millisecond when one of them has died."""

_FAN = 32
"""Neighbouring segments of about one size that are joined."""

_MANY_GONE = 4_096
"""Dead rows that are kept even if all others are fewer: leaving out fewer is not worth it."""

_MANY_NEW = 4_096
"""Rows that are hashed in no time."""

_MANY_FOUND = 2_000
"""Rows of one key beyond which all rows are filtered sooner than each of them is made."""

_VIEWS = 2
"""Times whose rows are remembered as they were read."""


class Contents:
    """Rows of `types` at times from `floor` on.

    - `changed_at` is when they changed last; until the next change they are the same at all later times.
    - Slots of segments follow each other without gaps, from 0 on.
    """

    def __init__(self, types: Sequence[Type], floor: Timestamp) -> None:
        self.types, self.floor, self.changed_at = tuple(types), floor, floor
        self._schema = row_type_of(types).schema
        self.rows = 0
        self.indexes: dict[tuple[Part, ...], Index] = {}
        self._segments: list[Segment] = []
        self._starts: list[int] = []
        self._slots = 0
        self._nbytes = self._copied = 0
        self._identities = SlotsByKey()
        self._identified = 0
        self._changes: list[Timestamp] = [floor]
        self._deaths: deque[tuple[Timestamp, int]] = deque()
        self._gone = 0
        self._views: OrderedDict[Timestamp, pa.Table] = OrderedDict()

    @classmethod
    def of(cls, types: Sequence[Type], table: pa.Table, floor: Timestamp) -> Contents:
        """The rows of `table`, which are there at `floor`."""
        found = cls(types, floor)
        found._append(floor, [array_of(column) for column in table.columns], table.num_rows)
        return found

    @property
    def nbytes(self) -> int:
        found = sum(index.nbytes for index in list(self.indexes.values()))
        return self._nbytes + self._copied + self._identities.nbytes + found

    # Changing

    def apply(self, commit: TableCommit) -> None:
        """What was committed, later than anything before."""
        rows, inserts, columns = commit.updates.rows, commit.inserts, commit.columns
        added = [column.slice(0, inserts) for column in columns]
        if inserts == rows:
            self._append(commit.time, added, inserts)
        else:
            slots = self._rows_by_identity()
            identities = hash_rows(columns, rows)
            self._append(commit.time, added, inserts)
            slots.add(identities[:inserts], np.arange(self._identified, self._slots))
            self._identified = self._slots
            self._bury(commit.time, columns, range(inserts, rows), identities)
        self._changed(commit.time)

    def _changed(self, time: Timestamp) -> None:
        self.changed_at = time
        self._changes.append(time)

    def apply_many(self, commit: TableCommit) -> bool:
        """What was committed, of which many rows go, if these are found together; else nothing is changed."""
        inserts, columns = commit.inserts, commit.columns
        found = None if self.indexes else places_of([column.slice(inserts) for column in columns], self._segments)
        if found is None:
            return False
        self._append(commit.time, [column.slice(0, inserts) for column in columns], inserts)
        for segment, places in found:
            segment.dead.update(dict.fromkeys(places.tolist(), commit.time))
        self._died(commit.time, commit.updates.rows - inserts)
        self._changed(commit.time)
        return True

    def _append(self, time: Timestamp, columns: Sequence[pa.Array], count: int) -> None:
        for begin in range(0, count, SEGMENT_ROWS):
            part = [column.slice(begin, SEGMENT_ROWS) for column in columns]
            self._add_segment(Segment(self._slots, part, min(SEGMENT_ROWS, count - begin), self.types, time))
        for index in self.indexes.values():
            index.add(self._slots - count, columns)
        self._nbytes += sum(int(column.nbytes) for column in columns)
        self.rows += count

    def _add_segment(self, segment: Segment) -> None:
        self._segments.append(segment)
        self._starts.append(segment.start)
        self._slots += segment.count
        # Segments become larger from the last to the first, so those of about one size are neighbours.
        while len(self._segments) >= _FAN and self._segments[-_FAN].count < 2 * _FAN * self._segments[-1].count:
            sizes = accumulate(each.count for each in reversed(self._segments[-_FAN:]))
            alike = sum(size <= SEGMENT_ROWS for size in sizes)
            if alike < 2:
                break
            self._segments[-alike:] = [Segment.joined(self._segments[-alike:])]
            del self._starts[1 - alike :]

    def _bury(self, time: Timestamp, columns: Sequence[pa.Array], positions: range, identities: Int64s) -> None:
        """The rows at these positions of `columns` die."""
        going = Segment(0, columns, positions.stop, self.types, time)
        for position, identity in zip(positions, identities[positions.start :].tolist(), strict=True):
            slot, row = self._living(identity, going, position)
            segment, place = self._at(slot)
            segment.dead[place] = time
            for index in self.indexes.values():
                index.bury(row, slot)
            self._identities.remove(identity, slot)
        self._died(time, len(positions))

    def _died(self, time: Timestamp, count: int) -> None:
        self.rows -= count
        self._deaths.append((time, count))

    def _living(self, identity: int, going: Segment, position: int) -> tuple[int, Row]:
        """The slot of a row that is alive and the same as the one at `position`, and the row."""
        row = going.row(position)

        def is_dead(slot: int) -> bool:
            segment, place = self._at(slot)
            return place in segment.dead

        def is_same(slot: int) -> bool:
            segment, place = self._at(slot)
            # Rows with one hash that are equal are the same; but not all that are the same are equal, as NaN is not.
            return row == segment.row(place) or _same(segment.columns, place, going.columns, position)

        slot = self._identities.first(identity, is_dead, is_same)
        if slot is None:
            raise UsageError("a row was removed that the table does not have")
        return slot, row

    @property
    def finds_rows(self) -> bool:
        """Whether rows that go are found without looking at many first."""
        return self._slots - self._identified <= _MANY_NEW

    def _rows_by_identity(self) -> SlotsByKey:
        """All rows by a hash of all their values. Those that came since the last row went are hashed now, together."""
        if self._identified < self._slots:
            hashes = [np.empty(0, np.int64)]
            for segment in self._segments[bisect_right(self._starts, self._identified) - 1 :]:
                known = max(0, self._identified - segment.start)
                hashes.append(hash_rows([column.slice(known) for column in segment.columns], segment.count - known))
            self._identities.add(np.concatenate(hashes), np.arange(self._identified, self._slots))
            self._identified = self._slots
        return self._identities

    # Reading

    def view(self, time: Timestamp) -> pa.Table:
        """All rows at `time`."""
        assert time >= self.floor
        seen = self.changed_at if time >= self.changed_at else self._changes[bisect_right(self._changes, time) - 1]
        found = self._views.get(seen)
        if found is None:
            found = self._views[seen] = self._view(seen)
            if len(self._views) > _VIEWS:
                self._views.popitem(last=False)
        else:
            self._views.move_to_end(seen)
        return found

    def has_view(self, time: Timestamp) -> bool:
        """Whether nothing is to be done for the rows at `time`."""
        return time >= self.changed_at and self.changed_at in self._views

    def _view(self, time: Timestamp) -> pa.Table:
        now = time >= self.changed_at
        pieces = [segment.alive() if now else segment.there_at(time) for segment in self._segments]
        self._copied = sum(segment.copied for segment in self._segments)
        pieces = [piece for piece in pieces if piece[1]]
        rows = sum(count for _, count in pieces)
        columns = [
            pa.chunked_array([columns[index] for columns, _ in pieces], field.type)
            for index, field in enumerate(self._schema)
        ]
        return table_of(columns, self._schema.names, rows)

    def lookup(
        self,
        by: tuple[Part, ...],
        values: Sequence[object],
        time: Timestamp,
        outputs: Sequence[int] | None = None,
    ) -> list[Row] | None:
        """The rows at `time` where the parts, by which there is an index, have these values, or the columns `outputs`
        of them. None: too many, or all have to be looked at.
        """
        index = self.indexes[by]
        if index.failed:
            return None
        keys = index.keys
        key = keys.of(values)
        if key is None:
            return []
        slots = index.slots.find(key)
        if len(slots) > _MANY_FOUND:
            return None
        found: list[Row] = []
        read = outputs if keys.are_exact else None
        segments, starts = self._segments, self._starts
        for slot in slots:
            # As `_at` does: this is on the way of every row that is found by its key.
            segment = segments[bisect_right(starts, slot) - 1]
            place = slot - segment.start
            if place not in segment.dead and (segment.youngest <= time or segment.born_at(place) <= time):
                found.append(segment.row(place, read))
        if time < self.changed_at:
            found += self._went_later(index, key, time, read)
        if keys.are_exact:
            return found
        found = [row for row in found if index.has(row, values)]
        return found if outputs is None else [tuple([row[output] for output in outputs]) for row in found]

    def _went_later(self, index: Index, key: int, time: Timestamp, read: Sequence[int] | None) -> Iterator[Row]:
        """The rows of a key that were there at `time` and have died since."""
        for slot in index.gone(key):
            segment, place = self._at(slot)
            if segment.dead[place] <= time:
                return
            if segment.born_at(place) <= time:
                yield segment.row(place, read)

    def add_index(self, by: tuple[Part, ...]) -> None:
        index = Index(by, self.types)
        index.add_all((segment.start, segment.columns) for segment in self._segments)
        for _, slot in sorted((died, s.start + place) for s in self._segments for place, died in s.dead.items()):
            segment, place = self._at(slot)
            index.bury(segment.row(place), slot)
        self.indexes[by] = index

    def _at(self, slot: int) -> tuple[Segment, int]:
        segment = self._segments[bisect_right(self._starts, slot) - 1]
        return segment, slot - segment.start

    # Leaving out what is gone

    def settle(self, floor: Timestamp) -> None:
        """Times before `floor` will not be read any more."""
        if floor <= self.floor:
            return
        self.floor = floor
        while self._deaths and self._deaths[0][0] <= floor:
            self._gone += self._deaths.popleft()[1]
        del self._changes[: bisect_right(self._changes, floor) - 1]

    @property
    def is_wasteful(self) -> bool:
        """Whether most of what is kept can no longer be read."""
        return self._gone > max(_MANY_GONE, self._slots // 2)

    @property
    def is_crowded(self) -> bool:
        """Whether who finds a row by its key looks into more runs than need be."""
        return any(index.slots.crowded() for index in self.indexes.values())

    def compacted(self) -> Contents:
        """The same without what can no longer be read."""
        found = Contents(self.types, self.floor)
        for segment in self._segments:
            found._add_readable(segment, self.floor)
        found.rows, found.changed_at, found._changes = self.rows, self.changed_at, list(self._changes)
        found._deaths = deque(self._deaths)
        for by in self.indexes:
            found.add_index(by)
        return found

    def _add_readable(self, segment: Segment, floor: Timestamp) -> None:
        keep = np.ones(segment.count, np.bool_)
        keep[[place for place, died in segment.dead.items() if died <= floor]] = False
        count = int(np.count_nonzero(keep))
        if not count:
            return
        mask = pa.array(keep)
        columns = [column.filter(mask) for column in segment.columns]
        added = Segment(self._slots, columns, count, self.types, segment.births[keep])
        places = np.cumsum(keep) - 1
        added.dead |= {int(places[place]): died for place, died in segment.dead.items() if died > floor}
        self._add_segment(added)
        self._nbytes += added.nbytes


def _same(some: Sequence[pa.Array], place: int, others: Sequence[pa.Array], position: int) -> bool:
    """Whether two rows have the same values, as canonical values are the same: nulls too, and NaN."""
    for one, other in zip(some, others, strict=True):
        left, right = one.slice(place, 1), other.slice(position, 1)
        if left.equals(right):
            continue
        # Arrow has no equal to NaN. Surrogates have, at any depth.
        first, second = surrogates(pa.concat_arrays([left, right])).to_pylist()
        if first != second:
            return False
    return True
