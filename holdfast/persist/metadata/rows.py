"""How states become rows of tables, and back, with a checksum on every row.

A row ends with the checksum of its other columns. A shard's own row also keeps the sum of the checksums of
all the rows that belong to it, so a row that vanishes is noticed as surely as one that changes. Bytes of parts
are not under the checksum of their row: it says their length and hash, which whoever reads them verifies.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from holdfast.errors import UsageError
from holdfast.persist.batch import Batch
from holdfast.persist.errors import CorruptMetadata
from holdfast.persist.metadata.tables import BATCH, CHILDREN, PART, READER, SCHEMA, SHARD, STORE, Table
from holdfast.persist.part import Bound, ColumnStats, Part, Sums
from holdfast.persist.shard import Lease, Reader, ReaderId, Retired, ShardState
from holdfast.persist.store import Lock, StoreState
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import ShardId
from holdfast.repr.row import RowType

Value: TypeAlias = int | str | bytes | None
Row: TypeAlias = tuple[Value, ...]


Children: TypeAlias = Mapping[str, Sequence[Row]]
"""By table name: the rows of one shard, with their checksums."""

_DIGEST_MODULUS = 2**63


def checksum(table: Table, values: Sequence[Value]) -> int:
    checked = values[: len(table.columns)]
    text = json.dumps([table.name, *checked], separators=(",", ":"), ensure_ascii=False)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) >> 1


def signed(table: Table, values: Row) -> Row:
    return (*values, checksum(table, values))


def verified(table: Table, row: Row) -> Row:
    """`row` without its checksum, which must be right."""
    values, found = row[:-1], row[-1]
    checked, data = values[: len(table.columns)], values[len(table.columns) :]
    damaged = any(not isinstance(value, int | str | None) for value in (*checked, found))
    damaged |= any(not isinstance(value, bytes | None) for value in data)
    if damaged or checksum(table, values) != found:
        key = ", ".join(f"{name} {value!s}" for name, value in zip(table.columns, values[: table.key], strict=False))
        raise CorruptMetadata(f"metadata row {table.name} ({key}) fails its checksum")
    return values


def digest(children: Children) -> int:
    """The sum of the checksums of a shard's rows."""
    return sum(_int(row[-1]) for rows in children.values() for row in rows) % _DIGEST_MODULUS


# The store


def store_row(state: StoreState) -> Row:
    holder, reentrance_id = (state.lock.holder, state.lock.reentrance_id) if state.lock else (None, None)
    values = (
        1,
        state.encoding_version,
        state.epoch,
        holder,
        reentrance_id,
        state.next_shard,
        state.token,
        state.address,
    )
    return signed(STORE, values)


def store_state(row: Row, version: int) -> StoreState:
    encoding_version = _int(row[1])
    state = StoreState(encoding_version=encoding_version)
    state.check_encoding()
    _, _, epoch, holder, reentrance_id, next_shard, token, address = verified(STORE, row)
    lock = None if holder is None else Lock(str(holder), None if reentrance_id is None else str(reentrance_id))
    return StoreState(encoding_version, version, _int(epoch), lock, ShardId(_int(next_shard)), str(token), str(address))


# Shards


def shard_row(state: ShardState, digest: int) -> Row:
    values = (
        state.id,
        state.name,
        state.codec,
        json.dumps(state.key),
        state.seqno,
        state.since.time,
        state.upper.time,
        int(state.finalized),
        digest,
    )
    return signed(SHARD, values)


@dataclass(frozen=True, slots=True)
class RowChanges:
    """The rows that differ between two versions of a shard."""

    removed: list[tuple[Table, Row]]
    added: list[tuple[Table, Row]]

    def digest(self, before: int) -> int:
        """The digest after, from the one before."""
        gone = sum(_int(row[-1]) for _, row in self.removed)
        return (before - gone + sum(_int(row[-1]) for _, row in self.added)) % _DIGEST_MODULUS


def row_changes(old: ShardState | None, new: ShardState) -> RowChanges:
    """What to delete and what to insert. A changed row is in both; rows are rendered only where they differ."""
    changes = RowChanges([], [])
    if old is not None:
        old, new = _without_common(old, new)
    for table, items in _ITEMS.items():
        before, after = {} if old is None else items(old), items(new)
        if before == after:
            continue
        gone = [item for key, item in before.items() if after.get(key) != item]
        come = [item for key, item in after.items() if before.get(key) != item]
        changes.removed.extend((table, _child_row(table, new.id, item)) for item in gone)
        changes.added.extend((table, _child_row(table, new.id, item)) for item in come)
    return changes


def _part_items(state: ShardState) -> dict[Value, Any]:
    items: dict[Value, Any] = {key: (part, False, None) for key, part in state.named_parts().items()}
    items |= {part.key: (part, True, None) for part in state.unsealed}
    return items | {retired.part.key: (retired.part, False, retired.seqno) for retired in state.retired}


_ITEMS: dict[Table, Callable[[ShardState], dict[Value, Any]]] = {
    SCHEMA: lambda state: {i: (i, row_type) for i, row_type in enumerate(state.schemas)},
    BATCH: lambda state: {batch.lower: batch for batch in state.batches},
    PART: _part_items,
    READER: lambda state: {reader.id: reader for reader in state.readers},
}
"""What the rows of a shard say, by key, before they are rendered."""


def _without_common(old: ShardState, new: ShardState) -> tuple[ShardState, ShardState]:
    """The two versions without what most commits leave alone.

    An append adds a batch at the end and retires nothing: then the batches before it, and the parts that they alone
    name, have the same rows in both.
    """
    kept = len(old.batches)
    if new.retired != old.retired or new.batches[:kept] != old.batches:
        return old, new
    return replace(old, batches=(), retired=()), replace(new, batches=new.batches[kept:], retired=())


def _child_row(table: Table, shard: ShardId, item: Any) -> Row:
    match item:
        case Batch(lower, since, parts):
            values: Row = (shard, lower, since.time, json.dumps([part.key for part in parts]))
        case Reader(reader, since, None, label):
            values = (shard, reader, since.time, None, None, label)
        case Reader(reader, since, Lease(seqno, expires_at), label):
            values = (shard, reader, since.time, seqno, expires_at, label)
        case (Part() as part, unsealed, retired):
            values = _part_row(shard, part, unsealed, retired)
        case (schema_id, RowType() as row_type):
            values = (shard, schema_id, _text(row_type.to_bytes()))
        case _:
            raise UsageError(f"no row of table {table.name} can hold {item!r}")
    return signed(table, values)


def shard_state(row: Row, children: Children) -> ShardState:
    """The state that wrote these rows."""
    values = verified(SHARD, row)
    shard, name, codec, key, seqno, since, upper, finalized, expected = values
    bare = {table.name: [verified(table, row) for row in children[table.name]] for table in CHILDREN}
    if digest(children) != expected:
        raise CorruptMetadata(f'metadata rows of shard {shard!s} ("{name!s}") are missing or added')
    parts = {str(row[1]): (_part(row), bool(row[15]), row[16]) for row in bare[PART.name]}
    retired = [Retired(part, _int(seqno)) for part, _, seqno in parts.values() if seqno is not None]
    return ShardState(
        id=ShardId(_int(shard)),
        name=str(name),
        codec=str(codec),
        key=tuple(json.loads(str(key))),
        schemas=tuple(
            RowType.from_bytes(base64.b64decode(str(row[2]))) for row in sorted(bare[SCHEMA.name], key=_second)
        ),
        seqno=_int(seqno),
        since=_frontier(since),
        upper=_frontier(upper),
        batches=tuple(
            Batch(
                Timestamp(_int(lower)), _frontier(batch_since), tuple(parts[part][0] for part in json.loads(str(named)))
            )
            for _, lower, batch_since, named in sorted(bare[BATCH.name], key=_second)
        ),
        unsealed=tuple(part for _, (part, unsealed, _) in sorted(parts.items()) if unsealed),
        readers=tuple(_reader(row) for row in sorted(bare[READER.name], key=_second)),
        retired=tuple(sorted(retired, key=lambda r: (r.seqno, r.part.key))),
        finalized=bool(finalized),
    )


def _part_row(shard: ShardId, part: Part, unsealed: bool, retired: int | None) -> Row:
    stats = [[name, _bound(s.lower), _bound(s.upper), s.nulls] for name, s in part.stats]
    return (
        shard,
        part.key,
        part.schema_id,
        part.rows,
        part.size,
        part.sha256,
        part.min_time,
        part.max_time,
        part.min_diff,
        part.max_diff,
        str(part.sums.diffs),
        "" if part.sums.content is None else f"{part.sums.content:016x}",
        part.min_hash,
        part.max_hash,
        json.dumps(stats, separators=(",", ":")),
        int(unsealed),
        retired,
        part.inline,
    )


def _part(row: Row) -> Part:
    described, inline = row[:15], row[17]
    _, key, schema, rows, size, sha256, min_time, max_time, min_diff, max_diff, diffs, content, low, high, stats = (
        described
    )
    return Part(
        key=str(key),
        schema_id=_int(schema),
        rows=_int(rows),
        size=_int(size),
        sha256=str(sha256),
        min_time=Timestamp(_int(min_time)),
        max_time=Timestamp(_int(max_time)),
        min_diff=_int(min_diff),
        max_diff=_int(max_diff),
        sums=Sums(int(str(diffs)), int(str(content), 16) if content else None),
        min_hash=_int(low),
        max_hash=_int(high),
        stats=tuple(
            (name, ColumnStats(_unbound(lower), _unbound(upper), nulls))
            for name, lower, upper, nulls in json.loads(str(stats))
        ),
        inline=inline if isinstance(inline, bytes) else None,
    )


def _reader(row: Row) -> Reader:
    _, reader, since, seqno, expires_at, label = row
    lease = None if expires_at is None else Lease(_int(seqno), _int(expires_at))
    return Reader(ReaderId(str(reader)), _frontier(since), lease, str(label))


def _second(row: Row) -> Any:  # ints in one table, strings in another: never mixed, always ordered
    return row[1]


def _int(value: Value) -> int:
    if not isinstance(value, int):
        raise CorruptMetadata(f"metadata holds {value!r} where a number belongs")
    return value


def _frontier(value: Value) -> Frontier:
    return Frontier(None if value is None else Timestamp(_int(value)))


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bound(bound: Bound | None) -> Any:  # JSON has no type of its own
    if isinstance(bound, bytes):
        return {"b": _text(bound)}
    return {"f": bound.hex()} if isinstance(bound, float) else bound


def _unbound(value: Any) -> Bound | None:  # JSON has no type of its own
    if isinstance(value, dict):
        return base64.b64decode(value["b"]) if "b" in value else float.fromhex(value["f"])
    return value  # type: ignore[no-any-return]  # a JSON scalar, as `_bound` wrote it
