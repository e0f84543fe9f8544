"""A shard: a durable collection, correct at times in advance of `since` and not of `upper`.

What each command does to a shard's metadata, as pure functions from one state to the next. Stores add the
I/O, the committer adds order and retries; neither adds meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NewType

from holdfast.errors import UsageError
from holdfast.persist.batch import Batch, Slice, bounded, slices
from holdfast.persist.errors import MergeMismatch, SchemaMismatch
from holdfast.persist.part import Part, Sums, total
from holdfast.repr.frontier import EMPTY, MIN_TIME, MINIMUM, Frontier, Timestamp, after
from holdfast.repr.ids import ShardId
from holdfast.repr.row import RowType

ReaderId = NewType("ReaderId", str)

OWNER = ReaderId("owner")
"""The critical reader that every shard is born with; `allow_compaction` downgrades it."""


@dataclass(frozen=True, slots=True)
class UpperMismatch:
    """Another writer was first. Retry from `current`."""

    expected: Frontier
    current: Frontier


@dataclass(frozen=True, slots=True)
class SincePassed:
    """The times asked for are compacted away; `since` is the earliest frontier to be had."""

    since: Frontier


@dataclass(frozen=True, slots=True)
class Expired:
    """The reader is not known (any more)."""

    reader: ReaderId


@dataclass(frozen=True, slots=True)
class Superseded:
    """What the merge read is no longer what the shard holds."""


@dataclass(frozen=True, slots=True)
class Lease:
    """Protects the parts of the states from `seqno` on until `expires_at` (wall-clock milliseconds)."""

    seqno: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class Reader:
    """A hold on `since`. With a lease it ends by itself; without one, a critical reader, it never does."""

    id: ReaderId
    since: Frontier
    lease: Lease | None
    label: str


@dataclass(frozen=True, slots=True)
class Retired:
    """A part that states from `seqno` on do not name."""

    part: Part
    seqno: int


@dataclass(frozen=True, slots=True)
class Merge:
    """`parts` hold what `inputs` held, with times advanced to `since`; `read` are the sums of what was read."""

    inputs: tuple[Batch, ...]
    parts: tuple[Part, ...]
    since: Frontier
    read: Sums


@dataclass(frozen=True, slots=True)
class ShardState:
    """One version of a shard.

    - `seqno` grows from each version to the next; `since` and `upper` only advance.
    - Parts named here are durable: in the blob store, or as part of this state. No time of a batch is in advance
      of `upper`, and for every update of a part in `unsealed` whose time is, the part stays in `unsealed`.
    - `since` is never beyond any reader's hold. It moves only when a hold is downgraded or renewed: a lease
      that expires does not move it by itself.
    - A part is in `retired` exactly if it was named by an earlier version, is not named by a batch or
      `unsealed`, and its blob may still exist. (One without a blob is simply gone: whoever still reads an
      earlier version has it there.)
    - `since` may pass `upper`; until `upper` catches up, no time is readable.
    """

    id: ShardId
    name: str
    codec: str
    key: tuple[str, ...]
    schemas: tuple[RowType, ...]
    seqno: int = 0
    since: Frontier = MINIMUM
    upper: Frontier = MINIMUM
    batches: tuple[Batch, ...] = ()
    unsealed: tuple[Part, ...] = ()
    readers: tuple[Reader, ...] = (Reader(OWNER, MINIMUM, None, "owner"),)
    retired: tuple[Retired, ...] = ()
    finalized: bool = False

    # Reading

    @property
    def row_type(self) -> RowType:
        return self.schemas[-1]

    def reader(self, reader: ReaderId) -> Reader | None:
        return next((r for r in self.readers if r.id == reader), None)

    def named_parts(self) -> dict[str, Part]:
        """The parts that this version needs, by key."""
        named = {part.key: part for batch in self.batches for part in batch.parts}
        return named | {part.key: part for part in self.unsealed}

    @property
    def inline_size(self) -> int:
        """The bytes of parts that this version holds itself; where batches share a part, it counts for each."""
        held = chain(self.unsealed, *(batch.parts for batch in self.batches))
        return sum(part.size for part in held if part.inline is not None)

    def snapshot(self, as_of: Timestamp) -> list[Slice]:
        """What to read for the collection at `as_of`, which is in advance of `since` and not of `upper`."""
        if not self.since.less_equal(as_of) or self.upper.less_equal(as_of):
            raise UsageError(f"time {as_of} is not between since {self.since} and upper {self.upper}")
        return slices(self.batches, self.upper, MIN_TIME, after(as_of))

    def changes(self, lower: Timestamp, upper: Frontier) -> list[Slice] | SincePassed:
        """What to read for the updates from `lower` to `upper`, at their own times."""
        if not upper <= self.upper:
            raise UsageError(f"updates up to {upper} are not complete: the upper is {self.upper}")
        for batch, end in bounded(self.batches, self.upper):
            distinguished = batch.since == MINIMUM or batch.since < Frontier(lower)
            if not distinguished and not end <= Frontier(lower):
                return SincePassed(self.since)
        return slices(self.batches, self.upper, lower, upper)

    # Writing

    def compare_and_append(
        self, parts: Sequence[Part], expected: Frontier, upper: Frontier
    ) -> ShardState | UpperMismatch:
        """Append `parts` and advance to `upper`, iff the shard's upper is `expected`.

        The times in `parts` must be in advance of `expected` and not of `upper`. What was written before,
        unsealed, with times before `upper`, becomes visible with them.
        """
        if not expected <= upper:
            raise UsageError(f"upper cannot retreat from {expected} to {upper}")
        for part in parts:
            if not part.within(expected, upper):
                raise UsageError(
                    f"updates at times {part.min_time} to {part.max_time} are outside the append "
                    f"from {expected} to {upper}"
                )
        if self.upper != expected:
            return UpperMismatch(expected, current=self.upper)
        if expected == upper:
            return self
        return self._sealed((*self.unsealed, *parts), upper)

    def write(self, parts: Sequence[Part]) -> ShardState | UpperMismatch:
        """Add `parts`, whose times must all be in advance of `upper`. They show when `upper` passes them."""
        if not parts:
            return self
        earliest = Frontier(min(part.min_time for part in parts))
        if not self.upper <= earliest:
            return UpperMismatch(expected=earliest, current=self.upper)
        return self._next(unsealed=_by_key((*self.unsealed, *parts)))

    def seal(self, upper: Frontier) -> ShardState | UpperMismatch:
        """Advance to `upper`; a shard already beyond it says so."""
        if self.upper == upper:
            return self
        if not self.upper <= upper:
            return UpperMismatch(expected=upper, current=self.upper)
        return self._sealed(self.unsealed, upper)

    def _sealed(self, candidates: Iterable[Part], upper: Frontier) -> ShardState:
        open_parts = _by_key(candidates)
        shown = tuple(part for part in open_parts if not upper.less_equal(part.min_time))
        kept = tuple(part for part in open_parts if upper.less_equal(part.max_time))
        batches = self.batches
        if shown:
            assert self.upper.time is not None  # parts with times in advance of the empty frontier cannot be
            batches = (*batches, Batch(self.upper.time, MINIMUM, shown))
        return self._next(upper=upper, batches=batches, unsealed=kept)

    # Holds on `since`

    def allow_compaction(self, since: Frontier) -> ShardState:
        """Downgrade the owner's hold; `since` follows as far as other holds let it."""
        owner = self.reader(OWNER)
        if self.finalized or (owner is not None and since == owner.since):
            return self
        assert owner is not None
        if not owner.since <= since:
            raise UsageError(f"since cannot retreat from {owner.since} to {since}")
        return self._with_reader(replace(owner, since=since))

    def register(
        self, reader: ReaderId, since: Frontier | None, lease: Lease | None, label: str
    ) -> ShardState | SincePassed:
        """Add a hold at `since` (by default the shard's). Registering again changes nothing."""
        if self.reader(reader) is not None:
            return self
        wanted = self.since if since is None else since
        if self.finalized or not self.since <= wanted:
            return SincePassed(self.since)
        added = Reader(reader, wanted, lease and replace(lease, seqno=self.seqno), label)
        return self._next(readers=_in_order((*self.readers, added)))

    def downgrade(self, reader: ReaderId, since: Frontier, lease: Lease | None) -> ShardState | Expired:
        """Move a hold to `since`, and renew its lease. Neither hold nor lease ever moves back."""
        held = self.reader(reader)
        if held is None:
            return Expired(reader)
        if not held.since <= since:
            raise UsageError(f"hold cannot retreat from {held.since} to {since}")
        renewed = held.lease
        if lease is not None and renewed is not None:
            renewed = Lease(max(lease.seqno, renewed.seqno), max(lease.expires_at, renewed.expires_at))
        moved = replace(held, since=since, lease=renewed)
        return self if moved == held else self._with_reader(moved)

    def release(self, reader: ReaderId) -> ShardState:
        """Give a hold back, unless it is the owner's. Like expiry, that alone does not move `since`."""
        if self.reader(reader) is None:
            return self
        if reader == OWNER:
            raise UsageError(f"the owner's hold on shard {self.id} cannot be released, only downgraded")
        return self._next(readers=tuple(r for r in self.readers if r.id != reader))

    def expire(self, now: int) -> ShardState:
        """Drop the readers whose leases ended before `now`."""
        alive = tuple(r for r in self.readers if r.lease is None or now <= r.lease.expires_at)
        return self if len(alive) == len(self.readers) else self._next(readers=alive)

    def _with_reader(self, reader: Reader) -> ShardState:
        readers = _in_order((*(r for r in self.readers if r.id != reader.id), reader))
        held = EMPTY
        for other in readers:
            held = held.meet(other.since)
        return self._next(readers=readers, since=self.since.join(held))

    # Schemas

    def evolve(self, row_type: RowType) -> ShardState:
        """Make `row_type` the newest schema: nullable columns may be appended."""
        if row_type == self.row_type:
            return self
        if not row_type.extends(self.row_type):
            raise SchemaMismatch(self.name, "only nullable columns can be appended to its schema")
        return self._next(schemas=(*self.schemas, row_type))

    # Compaction and garbage

    def apply_merge(self, merge: Merge) -> ShardState | Superseded:
        """Put `merge.parts` where `merge.inputs` are, if they are still there.

        The contents at every time in advance of `since` stay the same: the sums must say so.
        """
        if not merge.since <= self.since:
            raise UsageError(f"a merge to {merge.since} is beyond the since {self.since}")
        start = next((i for i, batch in enumerate(self.batches) if batch.lower == merge.inputs[0].lower), None)
        if start is None or self.batches[start : start + len(merge.inputs)] != merge.inputs:
            return Superseded()
        if any(not batch.since <= merge.since for batch in merge.inputs):
            raise UsageError(f"a merge to {merge.since} cannot tell times apart that its inputs no longer do")
        stop = start + len(merge.inputs)
        clipped = any(
            batch.since == MINIMUM and not part.within(Frontier(batch.lower), end)
            for batch, end in list(bounded(self.batches, self.upper))[start:stop]
            for part in batch.parts
        )
        inputs = [part for batch in merge.inputs for part in batch.parts]
        if total(merge.parts) != merge.read or not (clipped or total(inputs).agree(merge.read)):
            raise MergeMismatch(
                f"a merge of shard {self.id} would change its contents: "
                f"described {total(inputs)}, read {merge.read}, wrote {total(merge.parts)}"
            )
        if sum(part.rows for part in merge.parts) > sum(part.rows for part in inputs):
            raise MergeMismatch(f"a merge of shard {self.id} would add updates")
        merged = Batch(merge.inputs[0].lower, merge.since, merge.parts)
        batches = (*self.batches[:start], merged, *self.batches[stop:])
        return self._retiring(batches=batches)

    def collectable(self) -> tuple[Retired, ...]:
        """Retired parts that no lease protects."""
        holds = [reader.lease.seqno for reader in self.readers if reader.lease is not None]
        oldest = min(holds, default=self.seqno)
        return tuple(retired for retired in self.retired if retired.seqno <= oldest)

    def forget(self, keys: frozenset[str]) -> ShardState:
        """Forget retired parts whose blobs are deleted."""
        retired = tuple(r for r in self.retired if r.part.key not in keys)
        return self if len(retired) == len(self.retired) else self._next(retired=retired)

    def finalize(self) -> ShardState:
        """End a shard that nobody may read or write any more. Its id stays taken for ever.

        Leases stay until they end, for what they protect may still be being read.
        """
        if self.finalized:
            return self
        if self.since != EMPTY or self.upper != EMPTY:
            raise UsageError(
                f'collection "{self.name}" cannot be finalized: since {self.since} and upper {self.upper} must be empty'
            )
        leased = tuple(reader for reader in self.readers if reader.lease is not None)
        return self._retiring(batches=(), unsealed=(), readers=leased, finalized=True)

    def _next(self, **changes: object) -> ShardState:
        return replace(self, seqno=self.seqno + 1, **changes)  # type: ignore[arg-type]  # the names are ShardState's own

    def _retiring(self, **changes: object) -> ShardState:
        """The next version, with the parts that it no longer names retired, if they have blobs."""
        state = self._next(**changes)
        named = state.named_parts()
        gone = (
            Retired(part, state.seqno)
            for key, part in sorted(self.named_parts().items())
            if key not in named and part.inline is None
        )
        return replace(state, retired=(*state.retired, *gone))


Refusal = UpperMismatch | SincePassed | Expired | Superseded
Command = Callable[[ShardState], ShardState | Refusal]


def _by_key(parts: Iterable[Part]) -> tuple[Part, ...]:
    return tuple(sorted(parts, key=lambda part: part.key))


def _in_order(readers: Iterable[Reader]) -> tuple[Reader, ...]:
    return tuple(sorted(readers, key=lambda reader: reader.id))
