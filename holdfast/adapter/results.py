"""What a statement answers: a tag, rows, or bytes one way or the other.

Rows come in pieces, so that a large result is never in memory at once. Whoever takes a result either reads it to its
end or closes it: until then it holds what it reads from.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.plan.types import Type
from holdfast.sql import OutputColumn

Row: TypeAlias = tuple[Any, ...]  # values as `plan/types.py` lists them


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of the rows, as they were at hand: a table of Arrow, or Python's values."""

    types: tuple[Type, ...]
    held: pa.Table | Sequence[Row]

    def __len__(self) -> int:
        return self.held.num_rows if isinstance(self.held, pa.Table) else len(self.held)

    def rows(self) -> Sequence[Row]:
        return rows_of(self.held, self.types) if isinstance(self.held, pa.Table) else self.held

    def table(self, names: Sequence[str]) -> pa.Table:
        """Names may repeat."""
        if isinstance(self.held, pa.Table):
            return self.held.rename_columns(list(names))
        return table_of(self.held, self.types, names)


@dataclass(frozen=True, slots=True)
class Done:
    """A statement without rows: its tag."""

    tag: str


@dataclass(frozen=True, slots=True)
class Rows:
    """`tag` with the number of rows after it is what the client is told at the end (`SELECT 3`, `FETCH 3`).

    `counted` says instead what the whole tag is, where it is known beforehand (`INSERT 0 3` with RETURNING).
    """

    columns: tuple[OutputColumn, ...]
    pieces: AsyncIterator[Piece]
    tag: str = "SELECT"
    counted: str | None = None


CopyFormat: TypeAlias = Literal["text", "csv", "binary", "parquet"]


@dataclass(frozen=True, slots=True)
class CopyOut:
    """Bytes for the client, ready to be sent: messages, some at a time. Those of text and csv are a row each.

    The iterator is over when all is said; `count` is then how many rows.
    """

    format: CopyFormat
    columns: int
    messages: AsyncIterator[Sequence[bytes]]
    count: Callable[[], int]


@dataclass(frozen=True, slots=True)
class CopyIn:
    """Bytes are wanted of the client: `take` reads them to their end. If they raise, nothing is written."""

    format: CopyFormat
    columns: int
    take: Callable[[AsyncIterator[bytes]], Awaitable[Done]]


@dataclass(frozen=True, slots=True)
class Empty:
    """There was no statement in the text."""


Result: TypeAlias = Done | Rows | CopyOut | CopyIn | Empty


@dataclass(frozen=True, slots=True)
class Notice:
    severity: Literal["DEBUG", "LOG", "INFO", "NOTICE", "WARNING"]
    code: str
    message: str
    detail: str | None = None
    hint: str | None = None
