"""Metadata in a SQLite file: the default on one machine.

Write-ahead logging lets other processes read while one commits; full
synchronisation makes a commit survive power loss.
"""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import Any

from holdfast.errors import HoldfastError
from holdfast.persist.errors import CorruptMetadata, MetadataOutcomeUnknown, MetadataUnavailable
from holdfast.persist.metadata.sql import SqlMetadata

_BUSY_SECONDS = 2.0
"""How long SQLite itself waits for another process's transaction, before the committer's retries do."""

_UNDECODABLE = "Could not decode to UTF-8"
"""What the driver says, without a code, of a text that is none."""

_BUSY_PAUSE = 0.002

_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class SqliteMetadata(SqlMetadata):
    begin_write = "BEGIN IMMEDIATE"

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = path
        new = not path.exists()
        if new and not read_only:
            path.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(f"sqlite://{path}", read_only=read_only)
        if new:
            _sync_directory(path.parent)

    def _connect(self) -> Any:
        mode = "ro" if self._read_only else "rwc"
        connection = sqlite3.connect(
            f"{self._path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=_BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        if not self._read_only:
            _use_write_ahead_log(connection)
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def _exclusive(self, connection: Any) -> None:
        """BEGIN IMMEDIATE already does."""

    def _has_tables(self, connection: Any) -> bool:
        sql = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'store'"
        return bool(connection.execute(sql).fetchone()[0])

    def _failure(self, error: Exception, *, committing: bool) -> HoldfastError | None:
        if not isinstance(error, sqlite3.DatabaseError):
            return None
        primary_code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if primary_code in _DAMAGED or str(error).startswith(_UNDECODABLE):
            return CorruptMetadata(f"the metadata file {self._path} is damaged: {error}")
        if not isinstance(error, sqlite3.OperationalError):
            return None
        message = f"metadata file {self._path}: {error}"
        return MetadataOutcomeUnknown(message) if committing else MetadataUnavailable(message)


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Unlike other statements this one does not wait for a process that is opening the file too: so we do."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                connection.close()
                raise
            time.sleep(_BUSY_PAUSE)


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
