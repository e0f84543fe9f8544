"""How an instance of persist behaves. The defaults suit one machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

MINUTE_MS = 60_000


def wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class PersistSettings:
    """`cache_bytes` bounds the part cache; `lease_ms` is how long a silent reader is waited for.

    `compact` lets a writer merge in the background; `notify` lets it tell other processes of changes, and lets
    those listen to it. `poll_seconds` is how often a reader looks for changes by itself. An append whose bytes are at
    most `inline_bytes` is kept in the metadata until it is merged, and so is durable with one commit.
    """

    cache_bytes: int = 256 * 2**20
    inline_bytes: int = 32 * 2**10
    lease_ms: int = 15 * MINUTE_MS
    compact: bool = True
    notify: bool = True
    poll_seconds: float = 0.5
    now: Callable[[], int] = wall_clock_ms
