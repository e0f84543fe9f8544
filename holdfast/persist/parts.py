"""Reading and writing parts: the blob store with verification, cache and retries around it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import pyarrow as pa

from holdfast.persist.batch import Slice
from holdfast.persist.blob import Blob, BlobLocation
from holdfast.persist.cache import PartCache
from holdfast.persist.encoding import (
    ROW_GROUP_ROWS,
    Encoded,
    Hashes,
    PartFormat,
    Stage,
    decode,
    encode,
    encode_inline,
    fetch,
    sort_by_hash,
)
from holdfast.persist.merge import Stream
from holdfast.persist.metrics import BYTES_WRITTEN, PARTS_INLINED, PARTS_WRITTEN, PersistMetrics
from holdfast.persist.part import Part
from holdfast.persist.retry import retrying
from holdfast.persist.shard import ShardState
from holdfast.repr.ids import ShardId
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch

GATHERED_ROWS = 4096
"""A part of no more rows is read at once."""

MOST_INLINE = 32
"""How many full inline parts a shard keeps at most, about: merges make room long before, where there are any."""


class Parts:
    """The parts of a store, for an instance of one epoch.

    `in_hand` are the ids of stages whose parts may yet be committed, and how many hold each: garbage collection
    leaves them alone. Parts of at most `inline_bytes` need no blob.
    """

    def __init__(
        self,
        location: BlobLocation,
        blob: Blob,
        epoch: int,
        cache: PartCache,
        metrics: PersistMetrics,
        inline_bytes: int = 0,
    ) -> None:
        self.location, self.blob, self.epoch = location, blob, epoch
        self._cache, self._metrics, self._inline_bytes = cache, metrics, inline_bytes
        self.in_hand: dict[str, int] = {}

    @contextmanager
    def stage(self, shard: ShardId) -> Iterator[Stage]:
        """Names for new parts, safe from collection until the end of the block, by when they are committed or lost."""
        stage = Stage(shard, self.epoch, uuid.uuid4().hex)
        with self.hold(stage.id):
            yield stage

    @contextmanager
    def hold(self, stage: str) -> Iterator[None]:
        """Keep the parts of a stage safe from collection until the end of the block."""
        self.in_hand[stage] = self.in_hand.get(stage, 0) + 1
        try:
            yield
        finally:
            self.in_hand[stage] -= 1
            if not self.in_hand[stage]:
                del self.in_hand[stage]

    def inline(self, state: ShardState, form: PartFormat, updates: UpdateBatch, stage: Stage) -> Part | None:
        """The part of a few updates that `state` has room for in itself: durable as soon as it is committed."""
        if state.inline_size >= MOST_INLINE * self._inline_bytes:
            return None
        part = encode_inline(form, updates, stage, self._inline_bytes)
        if part is not None:
            self._metrics.add(PARTS_INLINED)
        return part

    async def write(
        self, form: PartFormat, updates: UpdateBatch, stage: Stage, patient: Callable[[], bool]
    ) -> tuple[Part, ...]:
        """Durable parts with `updates`, named by nothing yet. Tries while `patient` until the blob store takes them."""
        encoded: list[Encoded] = []

        def put_all() -> tuple[Part, ...]:
            if not encoded:
                encoded.extend(encode(form, updates, stage))
            return tuple(self.put(one) for one in encoded)

        return await retrying("put parts", put_all, self._metrics, patient)

    def put(self, encoded: Encoded) -> Part:
        """Make one part durable. Again, if need be: the same bytes under the same key are fine."""
        self.blob.put(encoded.part.key, encoded.data)
        self._metrics.add(PARTS_WRITTEN)
        self._metrics.add(BYTES_WRITTEN, encoded.part.size)
        return encoded.part

    def fetch(self, shard: ShardId, part: Part) -> pa.Buffer:
        """The bytes of a part, verified."""
        if part.inline is not None:
            return fetch(shard, part, self.blob)
        return self._cache.get(part.key, partial(fetch, shard, part, self.blob))

    def read(
        self, shard: ShardId, piece: Slice, schemas: Sequence[RowType], columns: Sequence[str] | None = None
    ) -> Iterator[pa.Table]:
        """The updates of a slice, a row group at a time, in the order of the part."""
        return decode(shard, piece, self.fetch(shard, piece.part), schemas, columns)

    def streams(self, state: ShardState, pieces: Sequence[Slice]) -> list[Stream]:
        """The slices as streams to merge: a large part is one, small ones go several to a stream.

        What a stream costs is paid once for them all: a batch is most often a small part or two.
        """
        small = [piece for piece in pieces if not piece.part.is_sorted or piece.part.rows <= GATHERED_ROWS]
        streams = [
            Stream(piece.part.min_hash, partial(self._hashed, state, piece))
            for piece in pieces
            if piece.part.is_sorted and piece.part.rows > GATHERED_ROWS
        ]
        streams += [
            Stream(min(s.part.min_hash for s in group), partial(self._gathered, state, group))
            for group in _groups(small)
        ]
        return streams

    def _hashed(self, state: ShardState, piece: Slice) -> Iterator[tuple[pa.Table, Hashes]]:
        form = PartFormat.of(state)
        for table in self.read(state.id, piece, state.schemas):
            yield table, form.key_hashes(table)

    def _gathered(self, state: ShardState, pieces: Sequence[Slice]) -> Iterator[tuple[pa.Table, Hashes]]:
        tables = [table for piece in pieces for table in self.read(state.id, piece, state.schemas)]
        yield sort_by_hash(PartFormat.of(state), pa.concat_tables(tables))


def _groups(pieces: Sequence[Slice]) -> Iterator[list[Slice]]:
    """The slices in groups of at most a row group's rows."""
    group: list[Slice] = []
    rows = 0
    for piece in pieces:
        if group and rows + piece.part.rows > ROW_GROUP_ROWS:
            yield group
            group, rows = [], 0
        group.append(piece)
        rows += piece.part.rows
    if group:
        yield group
