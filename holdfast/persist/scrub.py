"""Scrubbing: verifying a whole store, and naming what is damaged.

Reads everything and changes nothing. Every row of the metadata is checked
against its checksum, every part against its length and hash, and then opened:
its pages against their checksums, its updates against what the metadata says
of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from holdfast.errors import DataCorruption, UnavailableError
from holdfast.persist.batch import Slice
from holdfast.persist.blob import Blob
from holdfast.persist.encoding import PartFormat, decode, fetch, sums
from holdfast.persist.gc import known_keys
from holdfast.persist.metadata import Metadata
from holdfast.persist.part import Part, Sums
from holdfast.persist.shard import ShardState
from holdfast.repr.frontier import EMPTY, MIN_TIME
from holdfast.repr.ids import ShardId
from holdfast.repr.row import DIFF, TIME


@dataclass(frozen=True, slots=True)
class Damage:
    """Something that is not as it was written; `where` names it."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class ScrubReport:
    """What was looked at, what is damaged, and which blobs nobody names (harmless: garbage, or about to be named)."""

    shards: int
    parts: int
    size: int
    damages: tuple[Damage, ...]
    unnamed: tuple[str, ...]


def scrub(metadata: Metadata, blob: Blob, progress: Callable[[int, int], None] | None = None) -> ScrubReport:
    """Verify the store; `progress` is told parts done and parts in all."""
    damages: list[Damage] = []
    states: list[ShardState] = []
    next_shard = metadata.store().next_shard
    for shard in range(1, next_shard):
        try:
            states.append(metadata.load([ShardId(shard)])[ShardId(shard)])
        except KeyError:
            damages.append(Damage(f"shard {shard}", "its metadata is missing"))
        except DataCorruption as error:
            damages.append(Damage(f"shard {shard}", str(error)))
    parts = [(state, part) for state in states for part in state.named_parts().values()]
    for done, (state, part) in enumerate(parts, start=1):
        found = [Damage(f'part {part.key} of collection "{state.name}"', what) for what in _check(state, part, blob)]
        # A writer at work may have merged the part meanwhile, and collected it.
        if found and part.key in metadata.load([state.id])[state.id].named_parts():
            damages += found
        if progress:
            progress(done, len(parts))
    unnamed: tuple[str, ...] = ()
    if not any(damage.where.startswith("shard") for damage in damages):
        named = known_keys(metadata)
        unnamed = tuple(sorted(meta.key for meta in blob.list("") if meta.key not in named))
    size = sum(part.size for _, part in parts)
    return ScrubReport(len(states), len(parts), size, tuple(damages), unnamed)


def _check(state: ShardState, part: Part, blob: Blob) -> Iterator[str]:
    """What is wrong with a part."""
    try:
        data = fetch(state.id, part, blob)
        tables = list(decode(state.id, Slice(part, MIN_TIME, EMPTY), data, state.schemas[: part.schema_id + 1]))
    except DataCorruption as error:
        yield str(error)
        return
    except UnavailableError as error:
        yield f"it cannot be read: {error}"
        return
    form = PartFormat(state.id, state.schemas[part.schema_id], part.schema_id, state.key)
    yield from _disagreements(form, part, pa.concat_tables(tables))


def _disagreements(form: PartFormat, part: Part, table: pa.Table) -> Iterator[str]:
    if table.num_rows != part.rows:
        yield f"it has {table.num_rows} updates, not {part.rows}"
        return
    times, diffs = table[TIME].to_numpy(), table[DIFF].to_numpy()
    hashes = form.key_hashes(table)
    found: Sums = sums(diffs, form.content_hashes(table))
    if (int(times.min()), int(times.max())) != (part.min_time, part.max_time):
        yield f"its times are {times.min()} to {times.max()}, not {part.min_time} to {part.max_time}"
    if not found.agree(part.sums):
        yield "its contents do not add up to what the metadata says"
    bounds = int(hashes[0]), int(hashes[-1])
    if part.is_sorted and (bounds != (part.min_hash, part.max_hash) or np.any(hashes[1:] < hashes[:-1])):
        yield "its updates are not in the order of their key hashes"
