"""Metadata in PostgreSQL: for stores that outlive or outgrow one machine.

Commits of all processes meet on the store's one row, which each locks first.
So under READ COMMITTED they run one after another, and a commit sees all those before it.
"""

from __future__ import annotations

from typing import Any

import psycopg
import psycopg.conninfo
import psycopg.sql

from holdfast.errors import HoldfastError, UsageError
from holdfast.persist.errors import MetadataOutcomeUnknown, MetadataUnavailable
from holdfast.persist.metadata.sql import SqlMetadata

_CONNECT_SECONDS = 10


class PostgresMetadata(SqlMetadata):
    """`url` is a libpq connection string. The tables are in `schema`, made on first use."""

    begin_write = "BEGIN ISOLATION LEVEL READ COMMITTED"
    begin_read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    def __init__(self, url: str, *, schema: str = "holdfast", read_only: bool = False) -> None:
        self._conninfo, self._schema = url, schema
        super().__init__(_shown(url), read_only=read_only)

    def _connect(self) -> Any:
        connection = psycopg.connect(
            self._conninfo, autocommit=True, connect_timeout=_CONNECT_SECONDS, prepare_threshold=2
        )
        connection.execute("SET synchronous_commit = on")
        name = psycopg.sql.Identifier(self._schema)
        if self._read_only:
            connection.execute("SET default_transaction_read_only = on")
        connection.execute(psycopg.sql.SQL("SET search_path = {}").format(name))
        return connection

    def _exclusive(self, connection: Any) -> None:
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('holdfast'))")
        connection.execute("SET client_min_messages = warning")
        name = psycopg.sql.Identifier(self._schema)
        connection.execute(psycopg.sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))

    def _has_tables(self, connection: Any) -> bool:
        sql = "SELECT to_regclass(quote_ident(%s) || '.store') IS NOT NULL"
        return bool(connection.execute(sql, (self._schema,)).fetchone()[0])

    def _text(self, sql: str) -> str:
        return sql.replace("?", "%s")

    def _failure(self, error: Exception, *, committing: bool) -> HoldfastError | None:
        if not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | psycopg.errors.UniqueViolation):
            return None
        message = f"metadata store {self.url}: {str(error).strip() or type(error).__name__}"
        return MetadataOutcomeUnknown(message) if committing else MetadataUnavailable(message)


def _shown(url: str) -> str:
    """Where the store is, without what must stay secret."""
    try:
        place = psycopg.conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise UsageError("metadata url is not a connection string of PostgreSQL") from None  # libpq's words quote it
    return f"postgresql://{place.get('host', 'localhost')}:{place.get('port', 5432)}/{place.get('dbname', '')}"
