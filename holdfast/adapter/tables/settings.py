"""How tables are kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TableSettings:
    """`memory_bytes` bounds what is kept of all tables, `recent_bytes` what is kept of their last commits.

    `retain_ms` is how far back tables can be read that do not say so themselves.
    """

    memory_bytes: int = 512 * 2**20
    recent_bytes: int = 8 * 2**20
    retain_ms: int = 60_000
