"""What can go wrong in persist, each with the bounds or names that explain it.

Expected races are values, not errors: `holdfast.persist.shard`.
"""

from __future__ import annotations

from holdfast.errors import DataCorruption, HoldfastError, OutcomeUnknown, UnavailableError, UsageError
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import ShardId


class AsOfBeforeSince(HoldfastError):
    """The history that would tell `as_of` apart from later times is compacted away."""

    def __init__(self, name: str, as_of: Timestamp, since: Frontier) -> None:
        super().__init__(f'collection "{name}" cannot be read as of {as_of}: its since is {since}')
        self.as_of, self.since = as_of, since
        if since.time is not None:
            self.hint = f"The earliest readable time is {since.time}."


class ReadTimeout(UnavailableError):
    """`upper` did not pass the time asked for before the caller's timeout."""

    def __init__(self, name: str, time: Timestamp, upper: Frontier) -> None:
        super().__init__(f'collection "{name}" is not complete through {time}: its upper is {upper}')
        self.time, self.upper = time, upper


class LeaseExpired(HoldfastError):
    """A reader was away longer than its lease; what it could read is no longer kept for it."""

    def __init__(self, name: str, reader: str) -> None:
        super().__init__(f'the read lease {reader} on collection "{name}" has expired')
        self.hint = "Open a new reader and read at or after the collection's since."


class Fenced(HoldfastError):
    """A later writer has taken over the store; this one can no longer commit."""

    def __init__(self, epoch: int, current: int, holder: str | None) -> None:
        super().__init__(f"this writer (epoch {epoch}) was fenced by a later one (epoch {current})")
        self.epoch, self.current = epoch, current
        self.detail = f"The store is now held by {holder}." if holder else None


class LockHeld(HoldfastError):
    """Another writer holds the store."""

    def __init__(self, holder: str) -> None:
        super().__init__(f"the store is locked by another writer: {holder}")
        self.hint = (
            "Stop that writer first. If it is gone for good, release its lock with `holdfast unlock`, "
            "or start with its reentrance id to take over."
        )


class Stopped(UsageError):
    """The instance takes no new work."""

    def __init__(self) -> None:
        super().__init__("this persist instance is stopped")


class ReadOnly(UsageError):
    """A read-only instance was asked to change a collection."""

    def __init__(self) -> None:
        super().__init__("this persist instance is read-only")


class NewerEncoding(HoldfastError):
    """The store was written by a later version of the program."""

    def __init__(self, found: int, known: int) -> None:
        super().__init__(f"the store has encoding version {found}, this program knows versions up to {known}")
        self.hint = "Use the version of Holdfast that wrote it, or a later one. Nothing was changed."


class UnknownCollection(HoldfastError):
    def __init__(self, name: str) -> None:
        super().__init__(f'collection "{name}" does not exist')


class SchemaMismatch(HoldfastError):
    """What a caller expects of a collection is not what it was created with."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f'collection "{name}": {message}')


class CorruptPart(DataCorruption):
    """A part's bytes are not those that were committed, or are gone."""

    def __init__(self, shard: ShardId, key: str, reason: str) -> None:
        super().__init__(f"part {key} of shard {shard} is damaged: {reason}")
        self.shard, self.key, self.reason = shard, key, reason


class CorruptMetadata(DataCorruption):
    """A row of the metadata store is not what was committed."""


class MergeMismatch(DataCorruption):
    """A merge would have changed the contents of a collection; it was not applied."""


class MetadataUnavailable(UnavailableError):
    """The metadata store did not do what was asked."""


class MetadataOutcomeUnknown(OutcomeUnknown):
    """The metadata store may or may not have committed."""
