"""The collections that dataflows read and write, as far as these need to know them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa
from pyspark.sql import SparkSession

from holdfast.persist import Append, Changes, WriteHandle
from holdfast.persist.spark.difference import Change
from holdfast.persist.spark.scan import Snapshot
from holdfast.plan.errors import DataError
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.repr.update import UpdateBatch


@dataclass(frozen=True, slots=True)
class Erring:
    """A collection errs from `start` on, and no longer at `end`; None: nobody knows until when."""

    start: Timestamp
    end: Timestamp | None
    error: DataError


class Progress(Protocol):
    """How far a collection is complete: the last time up to which all that happened to it is known."""

    @property
    def complete(self) -> Timestamp:
        """It only grows."""

    async def reached(self, time: Timestamp, /) -> None:
        """Wait until the collection is complete at `time`."""

    def erring(self, start: Timestamp, end: Timestamp, /) -> Erring | None:
        """The first interval of errors that has a time from `start` to `end`, of what is complete."""

    def tick(self, handle: WriteHandle, time: Timestamp, since: Frontier | None, /) -> Sequence[Append]:
        """What the collection, which is kept in `handle`, is told in a commit at `time` in which nothing happens.

        `since` is how far back it need no longer be, if that is to be told.
        """

    def ticked(self) -> None:
        """What `tick` told is durable."""


class Reader(Protocol):
    """Who wants to know at once when a collection has changed."""

    def input_changed(self, time: Timestamp) -> None:
        """Something happened to the collection at `time`, which it is not complete at yet."""


class Collection(Protocol):
    """`changed_at` is a time at or after the last change."""

    @property
    def handle(self) -> WriteHandle: ...

    @property
    def progress(self) -> Progress: ...

    @property
    def readers(self) -> set[Reader]: ...

    @property
    def changed_at(self) -> Timestamp: ...

    def last_change(self) -> Timestamp | None:
        """When the collection changed last, as far as persist knows. None: never."""

    def tell_readers(self, time: Timestamp) -> None:
        """Something happened to it at `time`, which it is not complete at yet."""


class Ending(Protocol):
    """Collections of persist that nobody needs any more."""

    def end(self, handle: WriteHandle) -> None:
        """End one, once nobody reads it."""

    async def finish(self, ours: Callable[[str], bool]) -> None:
        """Wait until those among `ours` have ended that are about to."""

    async def end_strays(self, ours: Callable[[str], bool], known: Sequence[str]) -> None:
        """End those among `ours` that are not `known` to anyone."""


class Collections(Protocol):
    """All collections by their ids, the views that are maintained among them."""

    @property
    def ending(self) -> Ending: ...

    def collection(self, id: GlobalId) -> Collection: ...

    # What is read, by those who hold a read capability

    def size(self, id: GlobalId) -> int:
        """How many rows there are, roughly."""

    async def rows(self, id: GlobalId, as_of: Timestamp, columns: Sequence[int] | None = None) -> pa.Table:
        """All rows at `as_of`, each as often as it is there, once the collection is complete then."""

    def pinned(
        self, spark: SparkSession, id: GlobalId, as_of: Timestamp, columns: Sequence[int]
    ) -> AbstractAsyncContextManager[Snapshot]:
        """Some columns of the collection at `as_of`, for Spark to read in the block, once it is complete then."""

    def change(
        self, spark: SparkSession, id: GlobalId, start: Timestamp, end: Timestamp, columns: Sequence[int]
    ) -> AbstractAsyncContextManager[Change]:
        """What happened later than `start`, up to `end`, at which the collection is complete, for Spark to read in the
        block. Something did.
        """

    def takes_back(self, id: GlobalId) -> bool:
        """Whether rows are known to have gone again, so that it takes more than a scan to tell which there are."""

    def updates(self, id: GlobalId, as_of: Timestamp, columns: Sequence[int]) -> AsyncIterator[UpdateBatch]:
        """Some columns of the collection at `as_of`, at which it is complete: updates, not consolidated, piece by
        piece. Errors do not count.
        """

    def between(self, id: GlobalId, start: Timestamp, end: Timestamp) -> AsyncGenerator[Changes, None]:
        """The updates later than `start`, up to `end`, at which the collection is complete.

        They come in steps: each has all from where the one before ended to its upper.
        """

    def updates_between(
        self, id: GlobalId, start: Timestamp, end: Timestamp, columns: Sequence[int]
    ) -> AsyncIterator[UpdateBatch]:
        """The same of some columns: updates that are not consolidated, piece by piece."""

    # What is told of a view, before it is complete there

    def written(self, id: GlobalId, updates: UpdateBatch) -> None:
        """These are durable, and all that has happened since the view was told of last."""

    def rewritten(self, id: GlobalId, time: Timestamp) -> None:
        """The view changed at `time`, durably, in ways that are not told."""

    def wake(self, ids: Iterable[GlobalId]) -> None:
        """Views are complete up to what happened to them."""

    def ended(self, id: GlobalId) -> None:
        """Nobody has a capability to read a view any more: it is gone."""
