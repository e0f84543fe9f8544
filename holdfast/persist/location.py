"""Where a store is: its metadata and its blobs, as values that can be written down and opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from holdfast.errors import UsageError
from holdfast.persist.blob import BlobLocation
from holdfast.persist.metadata import Metadata
from holdfast.persist.metadata.memory import MemoryMetadata
from holdfast.persist.metadata.sqlite import SqliteMetadata

_SQLITE = "sqlite://"
_POSTGRES = ("postgresql://", "postgres://")


@dataclass(frozen=True, slots=True)
class Location:
    """`metadata` is `memory:`, `sqlite:///path/to/file` or a PostgreSQL URL, which may hold a password."""

    metadata: str
    blob: BlobLocation

    @classmethod
    def in_folder(cls, folder: Path | str) -> Location:
        """Everything in one folder: the default on one machine."""
        path = Path(folder).resolve()
        return cls(f"{_SQLITE}{path / 'metadata.db'}", BlobLocation(str(path / "parts")))

    @classmethod
    def of(cls, metadata: str, blob: str, options: Mapping[str, str] | None = None) -> Location:
        return cls(metadata, BlobLocation(blob, options or {}))

    def open_metadata(self, *, read_only: bool) -> Metadata:
        if self.metadata == "memory:":
            return MemoryMetadata()
        if self.metadata.startswith(_SQLITE):
            return SqliteMetadata(Path(self.metadata.removeprefix(_SQLITE)), read_only=read_only)
        if self.metadata.startswith(_POSTGRES):
            # Its driver takes longer to load than SQLite takes to be opened.
            from holdfast.persist.metadata.postgres import PostgresMetadata

            return PostgresMetadata(self.metadata, read_only=read_only)
        raise UsageError("metadata url is not memory:, sqlite:///file or postgresql://...")

    def __repr__(self) -> str:
        return f"Location(blob={self.blob.url!r})"
