"""A metadata store behind a bad line: commits are lost, answered by nobody, or arrive twice."""

from __future__ import annotations

import random
import threading
from collections.abc import Collection
from dataclasses import dataclass

from holdfast.persist.errors import MetadataOutcomeUnknown, MetadataUnavailable
from holdfast.persist.metadata import Commit, Committed, Conflict, EpochMismatch, Metadata, ShardSummary
from holdfast.persist.shard import ShardState
from holdfast.persist.store import StoreState
from holdfast.repr.ids import ShardId


@dataclass(frozen=True, slots=True)
class Chances:
    """How often, of one, each fault happens to a commit."""

    lost: float = 0.0
    """It did not happen, and that is said."""
    silent: float = 0.0
    """It happened, and nobody hears of it."""
    doubtful: float = 0.0
    """It did not happen, and nobody knows."""
    late: float = 0.0
    """It did not happen, nobody knows, and it arrives after all when a later commit has."""
    unread: float = 0.0
    """Any other call fails."""


class Unreliable:
    """Passes on to `metadata`, with faults chosen by `seed`."""

    def __init__(self, metadata: Metadata, chances: Chances, seed: int = 0) -> None:
        self.url = metadata.url
        self.chances = chances
        self.commits = 0
        """How many were tried."""
        self.tried = threading.Event()
        self._metadata, self._random, self._lock = metadata, random.Random(seed), threading.Lock()
        self._late: list[Commit] = []

    def commit(self, commit: Commit) -> Committed | Conflict | EpochMismatch:
        with self._lock:
            self.commits += 1
            self.tried.set()
            fault = self._random.random()
            for name in ("lost", "silent", "doubtful", "late"):
                chance = getattr(self.chances, name)
                if fault < chance:
                    self._fail(name, commit)
                fault -= chance
            result = self._metadata.commit(commit)
            for late in self._late:
                self._metadata.commit(late)
            self._late.clear()
            return result

    def _fail(self, name: str, commit: Commit) -> None:
        if name == "lost":
            raise MetadataUnavailable("the commit was lost")
        if name == "silent":
            self._metadata.commit(commit)
        # One without changes is guarded by nothing but the order of commits, which real stores keep.
        if name == "late" and commit.changes:
            self._late.append(commit)
        raise MetadataOutcomeUnknown("the line was cut")

    def _read(self) -> Metadata:
        with self._lock:
            if self._random.random() < self.chances.unread:
                raise MetadataUnavailable("no answer")
        return self._metadata

    def store(self) -> StoreState:
        return self._read().store()

    def load(self, shards: Collection[ShardId]) -> dict[ShardId, ShardState]:
        return self._read().load(shards)

    def find(self, names: Collection[str]) -> dict[str, ShardId]:
        return self._read().find(names)

    def check_shards(self) -> None:
        self._read().check_shards()

    def summaries(self, after_version: int = -1) -> list[ShardSummary]:
        return self._read().summaries(after_version)

    def close(self) -> None:
        self._metadata.close()
