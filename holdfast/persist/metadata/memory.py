"""Metadata in memory: the reference that the SQL stores must agree with."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import replace

from holdfast.persist.metadata import Change, Commit, Committed, Conflict, EpochMismatch, ShardSummary
from holdfast.persist.shard import ShardState
from holdfast.persist.store import StoreState
from holdfast.repr.ids import ShardId


class MemoryMetadata:
    """Lives and dies with the process; any number of instances in it may share one."""

    def __init__(self) -> None:
        self.url = "memory:"
        self._lock = threading.Lock()
        self._store = StoreState()
        self._shards: dict[ShardId, ShardState] = {}
        self._changed: dict[ShardId, int] = {}

    def store(self) -> StoreState:
        with self._lock:
            return self._store

    def load(self, shards: Collection[ShardId]) -> dict[ShardId, ShardState]:
        with self._lock:
            return {shard: self._shards[shard] for shard in shards if shard in self._shards}

    def find(self, names: Collection[str]) -> dict[str, ShardId]:
        wanted = set(names)
        with self._lock:
            return {s.name: s.id for s in self._shards.values() if s.name in wanted and not s.finalized}

    def summaries(self, after_version: int = -1) -> list[ShardSummary]:
        with self._lock:
            return [
                ShardSummary(s.id, s.name, s.seqno, s.since, s.upper, s.finalized)
                for s in sorted(self._shards.values(), key=lambda s: s.id)
                if self._changed[s.id] > after_version
            ]

    def check_shards(self) -> None:
        """Memory is trusted."""

    def commit(self, commit: Commit) -> Committed | Conflict | EpochMismatch:
        with self._lock:
            if commit.epoch is not None and commit.epoch != self._store.epoch:
                return EpochMismatch(self._store)
            if (stale := self._first_stale(commit.changes)) is not None:
                return Conflict(stale)
            version = self._store.version + 1
            self._store = replace(commit.store or self._store, version=version)
            for change in commit.changes:
                self._shards[change.new.id] = change.new
                self._changed[change.new.id] = version
            return Committed(version)

    def close(self) -> None:
        pass

    def _first_stale(self, changes: Sequence[Change]) -> ShardId | None:
        """The first shard that is not as a change expects, changes of old shards coming before new shards."""
        after = dict(self._shards)
        for change in changes:
            if change.old is not None:
                known = self._shards.get(change.old.id)
                if known is None or known.seqno != change.old.seqno:
                    return change.old.id
                after[change.old.id] = change.new
        names = {state.name for state in after.values() if not state.finalized}
        for change in changes:
            if change.old is None:
                if change.new.id in after or change.new.name in names:
                    return change.new.id
                after[change.new.id] = change.new
                names.add(change.new.name)
        return None
