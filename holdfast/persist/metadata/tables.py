"""The tables of a store: their columns and keys, and how those of an older store are brought up to date."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """`key` columns come first and identify a row; a checksum of the columns named here comes last.

    `data` is a column of bytes or null before it, which the checksum leaves out: what they must be is in the row.
    """

    name: str
    columns: Mapping[str, str]
    key: int
    data: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.columns, *([] if self.data is None else [self.data]), "checksum")


_INT, _TEXT, _MAYBE_INT = "BIGINT NOT NULL", "TEXT NOT NULL", "BIGINT"

STORE = Table(
    "store",
    {
        "id": _INT,
        "encoding_version": _INT,
        "epoch": _INT,
        "lock_holder": "TEXT",
        "reentrance_id": "TEXT",
        "next_shard": _INT,
        "token": _TEXT,
        "address": _TEXT,
    },
    key=1,
)
SHARD = Table(
    "shard",
    {
        "shard": _INT,
        "name": _TEXT,
        "codec": _TEXT,
        "key_columns": _TEXT,
        "seqno": _INT,
        "since": _MAYBE_INT,
        "upper": _MAYBE_INT,
        "finalized": _INT,
        "digest": _INT,
    },
    key=1,
)
SCHEMA = Table("schema", {"shard": _INT, "schema": _INT, "arrow": _TEXT}, key=2)
BATCH = Table("batch", {"shard": _INT, "lower": _INT, "since": _MAYBE_INT, "parts": _TEXT}, key=2)
PART = Table(
    "part",
    {
        "shard": _INT,
        "part": _TEXT,
        "schema": _INT,
        "updates": _INT,
        "size": _INT,
        "sha256": _TEXT,
        "min_time": _INT,
        "max_time": _INT,
        "min_diff": _INT,
        "max_diff": _INT,
        "diff_sum": _TEXT,
        "content_sum": _TEXT,
        "min_hash": _INT,
        "max_hash": _INT,
        "stats": _TEXT,
        "unsealed": _INT,
        "retired": _MAYBE_INT,
    },
    key=2,
    data="inline",
)
READER = Table(
    "reader",
    {
        "shard": _INT,
        "reader": _TEXT,
        "since": _MAYBE_INT,
        "seqno": _MAYBE_INT,
        "expires_at": _MAYBE_INT,
        "label": _TEXT,
    },
    key=2,
)

CHILDREN = (SCHEMA, BATCH, PART, READER)
"""The tables whose rows belong to a shard."""

VERSIONED = (STORE, SHARD)
"""Tables with a `version` column: the commit that last changed the row. It is a hint for followers, not data."""

_BYTES = "BYTEA"
"""PostgreSQL's name. SQLite takes any name of a type, and bytes as they are."""

INLINE_PARTS = 2
"""The version of the encoding from which on parts have their column for bytes."""

UPGRADES: Mapping[int, tuple[str, ...]] = {
    INLINE_PARTS: (f'ALTER TABLE {PART.name} ADD COLUMN "{PART.data}" {_BYTES}',)
}
"""By version: what makes the tables of the version before its own. Columns come in another order then than in new
tables, so no statement may count on the order.
"""


def definition(table: Table) -> str:
    """The statement that makes a table."""
    columns = [f'"{name}" {kind}' for name, kind in table.columns.items()]
    if table.data is not None:
        columns.append(f'"{table.data}" {_BYTES}')
    columns.append("checksum BIGINT NOT NULL")
    if table in VERSIONED:
        columns.append("version BIGINT NOT NULL")
    key = ", ".join(f'"{name}"' for name in table.names[: table.key])
    return f"CREATE TABLE {table.name} ({', '.join(columns)}, PRIMARY KEY ({key}))"


def listed(table: Table) -> str:
    """The names of the columns, as statements list them."""
    return ", ".join(f'"{name}"' for name in table.names)
