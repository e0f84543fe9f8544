"""The store as a whole: who may write it, and which shard ids are taken.

Pure, like `holdfast.persist.shard`. One writer at a time holds the lock. Every commit of a writer names the
epoch it was given with the lock, and is refused once a later epoch is durable: a reentrance id used twice by
mistake costs the earlier writer an error, never anybody's data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdfast.persist.errors import LockHeld, NewerEncoding
from holdfast.repr.ids import ShardId

ENCODING_VERSION = 2
"""Grows whenever older code could not read what newer code writes."""

FIRST_SHARD = ShardId(1)


@dataclass(frozen=True, slots=True)
class Lock:
    """`reentrance_id` lets its bearer take the lock over; without one only `release` frees it."""

    holder: str
    reentrance_id: str | None


@dataclass(frozen=True, slots=True)
class StoreState:
    """One version of the store.

    - `version` counts commits; a shard changed by a commit carries its number.
    - `epoch` only grows. `next_shard` only grows, and every id below it has a shard for ever.
    - `token` names the writer's last commit, so that a writer who did not hear the answer can find out.
    - `address` is where the lock's holder tells of changes; empty if nowhere.
    """

    encoding_version: int = ENCODING_VERSION
    version: int = 0
    epoch: int = 0
    lock: Lock | None = None
    next_shard: ShardId = FIRST_SHARD
    token: str = ""
    address: str = ""

    def check_encoding(self) -> None:
        """Refuse a store from a later version, before anything is written to it."""
        if self.encoding_version > ENCODING_VERSION:
            raise NewerEncoding(self.encoding_version, ENCODING_VERSION)

    def acquire(self, lock: Lock) -> StoreState:
        """Take the lock and a new epoch, if it is free or held under the same reentrance id.

        With the lock comes the right to write what older programs cannot read, so the encoding is ours from here on.
        """
        if self.lock is not None and (lock.reentrance_id is None or self.lock.reentrance_id != lock.reentrance_id):
            raise LockHeld(self.lock.holder)
        return replace(self, encoding_version=ENCODING_VERSION, lock=lock, epoch=self.epoch + 1, address="")

    def release(self) -> StoreState:
        return replace(self, lock=None, address="")
