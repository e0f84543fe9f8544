"""Metadata in memory: the reference that the SQL stores must agree with."""

from __future__ import annotations

import threading
from collections.abc import Collection
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

    def commit(self, commit: Commit) -> Committed | Conflict | EpochMismatch:
        with self._lock:
            if commit.epoch is not None and commit.epoch != self._store.epoch:
                return EpochMismatch(self._store)
            for change in commit.changes:
                if not self._expected(change):
                    return Conflict(change.new.id)
            version = self._store.version + 1
            self._store = replace(commit.store or self._store, version=version)
            for change in commit.changes:
                self._shards[change.new.id] = change.new
                self._changed[change.new.id] = version
            return Committed(version)

    def close(self) -> None:
        pass

    def _expected(self, change: Change) -> bool:
        if change.old is not None:
            return self._shards[change.new.id].seqno == change.old.seqno
        taken = any(s.name == change.new.name and not s.finalized for s in self._shards.values())
        return change.new.id not in self._shards and not taken
