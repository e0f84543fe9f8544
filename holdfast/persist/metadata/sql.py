"""Metadata in a relational database: the commits of `holdfast.persist.metadata` as SQL transactions.

What SQLite and PostgreSQL share. A dialect says how to connect, how its transactions begin, and what its
errors mean.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from holdfast.errors import HoldfastError
from holdfast.failpoint import reach
from holdfast.persist.errors import CorruptMetadata, MetadataUnavailable, ReadOnly
from holdfast.persist.metadata import Change, Commit, Committed, Conflict, EpochMismatch, ShardSummary
from holdfast.persist.metadata.rows import (
    Row,
    RowChanges,
    row_changes,
    shard_row,
    shard_state,
    store_row,
    store_state,
    verified,
)
from holdfast.persist.metadata.tables import (
    CHILDREN,
    INLINE_PARTS,
    SHARD,
    STORE,
    UPGRADES,
    Table,
    definition,
    listed,
)
from holdfast.persist.shard import ShardState
from holdfast.persist.store import ENCODING_VERSION, FIRST_SHARD, StoreState
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.ids import ShardId

_CHUNK = 500
"""Ids asked for in one statement."""


class SqlMetadata(ABC):
    """Two connections, each used by one thread at a time: one commits, one reads without waiting for it.

    `_encoding` is at most the encoding version of the store, which only grows.
    """

    begin_write = "BEGIN"
    begin_read = "BEGIN"

    def __init__(self, url: str, *, read_only: bool) -> None:
        self.url = url
        self._read_only = read_only
        self._connections: dict[str, Any] = {}  # both drivers' connections: DB-API objects
        self._locks = {"read": threading.Lock(), "write": threading.Lock()}
        self._digests: dict[ShardId, tuple[int, int]] = {}
        self._encoding = 0
        try:
            if read_only:
                self.store()
            else:
                self._create()
        except BaseException:
            self.close()
            raise

    # What a dialect says

    @abstractmethod
    def _connect(self) -> Any: ...

    @abstractmethod
    def _failure(self, error: Exception, *, committing: bool) -> HoldfastError | None:
        """What a driver's error means, or None if it is not the driver's. `committing`: it may have happened."""

    @abstractmethod
    def _has_tables(self, connection: Any) -> bool: ...

    @abstractmethod
    def _exclusive(self, connection: Any) -> None:
        """Keep others from making the tables at the same time."""

    def _text(self, sql: str) -> str:
        """`sql`, written with `?` for parameters, in the driver's way."""
        return sql

    # The protocol

    def store(self) -> StoreState:
        with self._transaction("read") as connection:
            if not self._has_tables(connection):
                raise MetadataUnavailable(f"there is no store at {self.url}")
            return self._store(connection)

    def load(self, shards: Collection[ShardId]) -> dict[ShardId, ShardState]:
        states: dict[ShardId, ShardState] = {}
        wanted = list(shards)
        with self._transaction("read") as connection:
            for start in range(0, len(wanted), _CHUNK):
                chunk = wanted[start : start + _CHUNK]
                rows = self._select(connection, SHARD, chunk)
                children: dict[ShardId, dict[str, list[Row]]] = {
                    shard: {table.name: [] for table in CHILDREN} for shard, _ in rows
                }
                for table in CHILDREN:
                    for shard, row in self._select(connection, table, chunk):
                        if shard in children:
                            children[shard][table.name].append(row)
                states |= {shard: shard_state(row, children[shard]) for shard, row in rows}
            if missing := sorted(set(wanted) - states.keys()):
                self._check_not_allotted(connection, missing)
        return states

    def find(self, names: Collection[str]) -> dict[str, ShardId]:
        found: dict[str, ShardId] = {}
        with self._transaction("read") as connection:
            for name in names:
                sql = "SELECT shard FROM shard WHERE name = ? AND finalized = 0"
                for (shard,) in self._execute(connection, sql, (name,)).fetchall():
                    found[name] = ShardId(shard)
        return found

    def summaries(self, after_version: int = -1) -> list[ShardSummary]:
        sql = 'SELECT shard, name, seqno, since, "upper", finalized FROM shard WHERE version > ? ORDER BY shard'
        with self._transaction("read") as connection:
            rows = self._execute(connection, sql, (after_version,)).fetchall()
        return [
            ShardSummary(ShardId(shard), name, seqno, _frontier(since), _frontier(upper), bool(finalized))
            for shard, name, seqno, since, upper, finalized in rows
        ]

    def check_shards(self) -> None:
        with self._transaction("read") as connection:
            made = self._store(connection).next_shard - 1
            rows = self._execute(connection, f"SELECT {listed(SHARD)} FROM shard").fetchall()
        if len(rows) != made:
            raise CorruptMetadata(f"the metadata has {len(rows)} shards, not the {made} that were made")
        for row in rows:
            verified(SHARD, tuple(row))

    def commit(self, commit: Commit) -> Committed | Conflict | EpochMismatch:
        if self._read_only:
            raise ReadOnly
        try:
            with self._transaction("write") as connection:
                upgrades = self._upgrades(connection, commit)
                version = self._next_version(connection, commit)
                for statement in upgrades:
                    connection.execute(statement)
                digests = self._apply(connection, commit.changes, version)
        except _Refused as refused:
            return refused.result
        self._digests |= digests
        if commit.store is not None:
            self._encoding = commit.store.encoding_version
        return Committed(version)

    def close(self) -> None:
        for name, lock in self._locks.items():
            with lock:
                connection = self._connections.pop(name, None)
                if connection is not None:
                    connection.close()

    # Transactions

    @contextmanager
    def _transaction(self, name: str) -> Iterator[Any]:
        """A transaction on one of the connections; a driver's error becomes one of ours, and a new connection."""
        committing = False
        with self._locks[name]:
            try:
                connection = self._connections.get(name)
                if connection is None:
                    connection = self._connections[name] = self._connect()
                connection.execute(self.begin_write if name == "write" else self.begin_read)
                try:
                    yield connection
                except (HoldfastError, _Refused):
                    connection.execute("ROLLBACK")
                    raise
                if name == "write":
                    reach("metadata_commit_before")
                committing = name == "write"
                connection.execute("COMMIT")
                if name == "write":
                    reach("metadata_commit_after")
            except (HoldfastError, _Refused):
                raise
            except Exception as error:
                broken = self._connections.pop(name, None)
                if broken is not None:
                    broken.close()
                failure = self._failure(error, committing=committing)
                if failure is None:
                    raise
                raise failure from error

    def _execute(self, connection: Any, sql: str, parameters: Sequence[object] = ()) -> Any:
        return connection.execute(self._text(sql), parameters)

    def _execute_many(self, connection: Any, sql: str, rows: Sequence[Sequence[object]]) -> int:
        """The number of rows changed by all of them."""
        cursor = connection.cursor()
        cursor.executemany(self._text(sql), rows)
        return int(cursor.rowcount)

    def _select(self, connection: Any, table: Table, shards: Sequence[ShardId]) -> list[tuple[ShardId, Row]]:
        """The rows of some shards, each with its shard: the first column of every table of theirs."""
        marks, names = ", ".join("?" * len(shards)), listed(table)
        if table.data is not None and not self._keeps_bytes(connection):
            names = names.replace(f'"{table.data}"', "NULL")
        sql = f"SELECT {names} FROM {table.name} WHERE shard IN ({marks})"
        return [(ShardId(row[0]), tuple(row)) for row in self._execute(connection, sql, shards).fetchall()]

    def _keeps_bytes(self, connection: Any) -> bool:
        """Whether parts have their column for bytes. A store of an older version has none until it is written."""
        if self._encoding < INLINE_PARTS:
            self._encoding = self._store(connection).encoding_version
        return self._encoding >= INLINE_PARTS

    def _store(self, connection: Any) -> StoreState:
        row = self._execute(connection, f"SELECT {listed(STORE)}, version FROM store WHERE id = 1").fetchone()
        if row is None:
            raise CorruptMetadata("metadata row store (id 1) is missing")
        return store_state(tuple(row[:-1]), int(row[-1]))

    def _check_not_allotted(self, connection: Any, missing: Sequence[ShardId]) -> None:
        """Every id that was allotted has a shard for ever, so a row that is not there was lost."""
        next_shard = self._store(connection).next_shard
        for shard in missing:
            if FIRST_SHARD <= shard < next_shard:
                raise CorruptMetadata(f"metadata row shard (shard {shard}) is missing")

    def _create(self) -> None:
        """Make the tables if there are none. A store of a later version is left as it is."""
        with self._transaction("write") as connection:
            self._exclusive(connection)
            if not self._has_tables(connection):
                for table in (STORE, SHARD, *CHILDREN):
                    connection.execute(definition(table))
                connection.execute("CREATE UNIQUE INDEX shard_name ON shard (name) WHERE finalized = 0")
                connection.execute("CREATE INDEX shard_version ON shard (version)")
                marks = ", ".join("?" * (len(STORE.names) + 1))
                self._execute(connection, f"INSERT INTO store VALUES ({marks})", (*store_row(StoreState()), 0))
            self._store(connection)

    # Commits

    def _upgrades(self, connection: Any, commit: Commit) -> list[str]:
        """What brings the tables to the encoding that the commit gives the store.

        To be done after the store's row is taken, which keeps others from doing it too. The version found here is good
        then: with a later one there would be a later epoch, and the commit refused.
        """
        if commit.store is None or commit.store.encoding_version <= self._encoding:
            return []
        found = self._store(connection).encoding_version
        wanted = range(found + 1, commit.store.encoding_version + 1)
        return [statement for version, statements in UPGRADES.items() if version in wanted for statement in statements]

    def _next_version(self, connection: Any, commit: Commit) -> int:
        settings, condition = "version = version + 1", "encoding_version <= ?"
        parameters: list[object] = [ENCODING_VERSION]
        if commit.store is not None:
            settings = ", ".join([f"{name} = ?" for name in STORE.names] + [settings])
            condition += " AND epoch = ?"
            parameters = [*store_row(commit.store), *parameters, commit.epoch]
        sql = f"UPDATE store SET {settings} WHERE id = 1 AND {condition} RETURNING version"
        row = self._execute(connection, sql, parameters).fetchone()
        if row is None:
            raise _Refused(EpochMismatch(self._store(connection)))
        return int(row[0])

    def _apply(self, connection: Any, changes: Sequence[Change], version: int) -> dict[ShardId, tuple[int, int]]:
        """Write the differences; returns the digests of the new versions."""
        rows = {change.new.id: row_changes(change.old, change.new) for change in changes}
        digests = {}
        updates, inserts = [], []
        for change in changes:
            new = change.new
            digest = rows[new.id].digest(0 if change.old is None else self._digest(connection, change.old))
            digests[new.id] = (new.seqno, digest)
            row = (*shard_row(new, digest), version)
            if change.old is None:
                inserts.append(row)
            else:
                updates.append((*row, new.id, change.old.seqno))
        self._write_shards(connection, updates, inserts)
        self._write_children(connection, list(rows.values()))
        return digests

    def _write_shards(self, connection: Any, updates: list[Row], inserts: list[Row]) -> None:
        names = (*SHARD.names, "version")
        if updates:
            settings = ", ".join(f'"{name}" = ?' for name in names)
            sql = f"UPDATE shard SET {settings} WHERE shard = ? AND seqno = ?"
            if self._execute_many(connection, sql, updates) != len(updates):
                raise _Refused(Conflict(self._first_stale(connection, updates)))
        for row in inserts:
            marks = ", ".join("?" * len(names))
            sql = f"INSERT INTO shard VALUES ({marks}) ON CONFLICT DO NOTHING"
            if self._execute(connection, sql, row).rowcount != 1:
                raise _Refused(Conflict(ShardId(row[0])))  # type: ignore[arg-type]  # the first column is the id

    def _first_stale(self, connection: Any, updates: list[Row]) -> ShardId:
        """The shard whose update did not take: the others now have the new version of the store."""
        for row in updates:
            shard, version = row[0], row[len(SHARD.names)]
            found = self._execute(connection, "SELECT version FROM shard WHERE shard = ?", (shard,)).fetchone()
            if found is None or found[0] != version:
                return ShardId(shard)  # type: ignore[arg-type]  # the first column is the id
        raise AssertionError("all updates took")

    def _write_children(self, connection: Any, changes: list[RowChanges]) -> None:
        removed, added = defaultdict(list), defaultdict(list)
        for change in changes:
            for table, row in change.removed:
                removed[table.name].append(row[: table.key])
            for table, row in change.added:
                added[table.name].append(row)
        for table in CHILDREN:
            if keys := removed[table.name]:
                where = " AND ".join(f'"{name}" = ?' for name in table.names[: table.key])
                self._execute_many(connection, f"DELETE FROM {table.name} WHERE {where}", keys)
            if rows := added[table.name]:
                marks = ", ".join("?" * len(table.names))
                self._execute_many(connection, f"INSERT INTO {table.name} ({listed(table)}) VALUES ({marks})", rows)

    def _digest(self, connection: Any, state: ShardState) -> int:
        seqno, digest = self._digests.get(state.id, (None, 0))
        if seqno == state.seqno:
            return digest
        sql = "SELECT digest FROM shard WHERE shard = ? AND seqno = ?"
        row = self._execute(connection, sql, (state.id, state.seqno)).fetchone()
        if row is None:
            raise _Refused(Conflict(state.id))
        return int(row[0])


class _Refused(Exception):  # not an error: it carries a result out of a transaction that is rolled back
    def __init__(self, result: Conflict | EpochMismatch) -> None:
        self.result = result


def _frontier(value: int | None) -> Frontier:
    return Frontier(None if value is None else Timestamp(value))
