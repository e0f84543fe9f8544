"""Counters of one persist instance. Passed in, never global."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class PersistMetrics:
    """What has happened since the instance started, by metric name."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, name: str, amount: int = 1) -> None:
        self.counts[name] += amount


COMMITS = "holdfast_persist_commits_total"
COMMIT_CONFLICTS = "holdfast_persist_commit_conflicts_total"
RETRIES = "holdfast_persist_retries_total"
UPPER_MISMATCHES = "holdfast_persist_append_mismatch_total"
PARTS_WRITTEN = "holdfast_persist_parts_written_total"
PARTS_INLINED = "holdfast_persist_parts_inlined_total"
BYTES_WRITTEN = "holdfast_persist_written_bytes_total"
MERGES = "holdfast_persist_merges_total"
PARTS_DELETED = "holdfast_persist_parts_deleted_total"
CACHE_HITS = "holdfast_persist_cache_hits_total"
CACHE_MISSES = "holdfast_persist_cache_misses_total"
