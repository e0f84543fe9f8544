"""Transactions: what statements may stand in one, and what they share.

The first statement that reads or writes says of which kind a transaction is; those of another kind are refused. What a
transaction reads is all read at one time, and held until its end. What it writes reaches storage when it commits, all
at one time, and not before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import pyarrow as pa

from holdfast.adapter.errors import ActiveTransaction, InvalidTransactionState, ReadOnlyTransaction
from holdfast.adapter.tables import TableChange, Write
from holdfast.adapter.tables.commit import in_columns
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId

Kind: TypeAlias = Literal["read", "subscribe", "write", "single"]


class Releasable(Protocol):
    def release(self) -> None: ...


@dataclass(slots=True)
class Transaction:
    """One transaction. `explicit`: it was begun by BEGIN, and so waits for its end; `several`: more statements follow.

    - `kind` is None until a statement reads or writes, and never changes again.
    - `as_of` is the time of a transaction that reads, `domain` what it can read: both set by its first query.
    - `pending` is the one statement of a transaction that runs it when it commits.
    """

    began: int
    isolation: str
    explicit: bool = False
    several: bool = False
    read_only: bool = False
    failed: bool = False
    kind: Kind | None = None
    as_of: Timestamp | None = None
    domain: frozenset[GlobalId] = frozenset()
    pending: Callable[[], Awaitable[None]] | None = None
    _changes: dict[GlobalId, list[Write]] = field(default_factory=dict)
    _holds: list[Releasable] = field(default_factory=list)

    @property
    def is_fresh(self) -> bool:
        return self.kind is None

    def read(self) -> None:
        """A query that reads at the transaction's time."""
        match self.kind:
            case "write":
                raise InvalidTransactionState("transaction in write-only mode")
            case "single":
                raise _single()
            case "subscribe":
                raise InvalidTransactionState("SUBSCRIBE in transactions must be the only read statement")
        self.kind = "read"

    def subscribe(self) -> None:
        match self.kind:
            case "write":
                raise InvalidTransactionState("transaction in write-only mode")
            case "single":
                raise _single()
            case "read" | "subscribe":
                raise InvalidTransactionState("SUBSCRIBE in transactions must be the only read statement")
        self.kind = "subscribe"

    def check_write(self) -> None:
        """Whether a write may come next."""
        if self.read_only or self.kind in ("read", "subscribe"):
            raise ReadOnlyTransaction
        if self.kind == "single":
            raise _single()

    def write(self, table: GlobalId, change: Write) -> None:
        self.check_write()
        self.kind = "write"
        self._changes.setdefault(table, []).append(change)

    def alone(self, what: str) -> None:
        """A statement that can only be the one statement of its transaction."""
        if self.read_only:
            raise ReadOnlyTransaction(f"cannot execute {what} in a read-only transaction")
        if self.kind == "single":
            raise _single()
        if self.kind is not None:
            raise ActiveTransaction(f"{what} cannot be run inside a transaction block")
        self.kind = "single"

    def never(self, what: str) -> None:
        """A statement that is a transaction of its own."""
        if self.read_only:
            raise ReadOnlyTransaction
        if self.explicit or self.several or self.kind is not None:
            raise ActiveTransaction(f"{what} cannot be run inside a transaction block")

    def hold(self, hold: Releasable) -> None:
        """Keep a hold until the end."""
        self._holds.append(hold)

    def release(self) -> None:
        for hold in self._holds:
            hold.release()
        self._holds.clear()

    def changes(self) -> dict[GlobalId, Write]:
        """All that is to be written, one change for each table."""
        return {table: _together(changes) for table, changes in self._changes.items()}


def _single() -> InvalidTransactionState:
    return InvalidTransactionState("this transaction can only execute a single statement")


def _together(changes: Sequence[Write]) -> Write:
    if len(changes) == 1:
        return changes[0]
    every = in_columns(changes)
    return TableChange(
        pa.concat_tables([change.added for change in every]), pa.concat_tables([change.removed for change in every])
    )
