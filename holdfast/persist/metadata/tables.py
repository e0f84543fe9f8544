"""The tables of a store: their columns and keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """`key` columns come first and identify a row; a checksum column follows the columns named here."""

    name: str
    columns: Mapping[str, str]
    key: int

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.columns, "checksum")


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
