"""The metadata store: what plays consensus.

It keeps one `StoreState` and a `ShardState` per shard, and changes them by one
kind of transaction: *commit these next versions, if those are still the
current ones*. All commits are totally ordered by the store's `version`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from holdfast.persist.shard import ShardState
from holdfast.persist.store import StoreState
from holdfast.repr.frontier import Frontier
from holdfast.repr.ids import ShardId


@dataclass(frozen=True, slots=True)
class Change:
    """`new` is the next version after `old`; a new shard has no `old`."""

    old: ShardState | None
    new: ShardState


@dataclass(frozen=True, slots=True)
class Commit:
    """A transaction of a writer (with the epoch it holds) or of a reader (without one).

    A writer's commit replaces the store's `epoch`, `lock`, `next_shard`, `token` and `address` by those of
    `store`. A reader's leaves them alone, and may change nothing of a shard but its readers.
    """

    epoch: int | None
    store: StoreState | None
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Committed:
    version: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """Nothing was done: a shard is not at the version the commit expects, or its name is taken."""

    shard: ShardId


@dataclass(frozen=True, slots=True)
class EpochMismatch:
    """Nothing was done: the store has another epoch."""

    current: StoreState


@dataclass(frozen=True, slots=True)
class ShardSummary:
    id: ShardId
    name: str
    seqno: int
    since: Frontier
    upper: Frontier
    finalized: bool


class Metadata(Protocol):
    """Every call is atomic and linearizable. A commit that returns `Committed` survives power loss.

    Raises `MetadataUnavailable` where nothing happened, `MetadataOutcomeUnknown` where a commit may have,
    `CorruptMetadata` where a row fails its checksum, `NewerEncoding` for a store of a later version.
    Instances may be used from any thread, one call at a time or several.
    """

    url: str

    def store(self) -> StoreState: ...

    def load(self, shards: Collection[ShardId]) -> dict[ShardId, ShardState]:
        """The current versions; ids that were never allotted are left out."""

    def find(self, names: Collection[str]) -> dict[str, ShardId]:
        """The shards, not finalized, that have these names."""

    def summaries(self, after_version: int = -1) -> list[ShardSummary]:
        """Shards changed by commits later than `after_version`, by id. Cheap: no batches are read."""

    def check_shards(self) -> None:
        """Verify the row of every shard ever made, without what belongs to it: no name is lost or changed."""

    def commit(self, commit: Commit) -> Committed | Conflict | EpochMismatch: ...

    def close(self) -> None: ...
