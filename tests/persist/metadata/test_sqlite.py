from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.persist.errors import CorruptMetadata, MetadataUnavailable, NewerEncoding, ReadOnly
from holdfast.persist.metadata import Change, Commit, Committed
from holdfast.persist.metadata import sqlite as module
from holdfast.persist.metadata.sqlite import SqliteMetadata
from holdfast.persist.store import ENCODING_VERSION
from holdfast.repr.ids import ShardId
from tests.persist.paper import shard


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "store.db"


def create_shard(metadata: SqliteMetadata) -> object:
    return metadata.commit(Commit(0, metadata.store(), (Change(None, shard()),)))


def test_commits_are_logged_ahead_and_synchronised_in_full(path: Path) -> None:
    with closing(SqliteMetadata(path)) as metadata, metadata._transaction("write") as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_file_that_another_process_locks_is_unavailable_until_it_lets_go(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BUSY_SECONDS", 0.05)
    with closing(SqliteMetadata(path)) as metadata, locked_by_another_process(path) as other:
        with pytest.raises(MetadataUnavailable, match=r"store.db: database is locked"):
            create_shard(metadata)
        assert metadata.store().version == 0
        other.communicate("let go\n", timeout=20)
        assert create_shard(metadata) == Committed(1)


def locked_by_another_process(path: Path) -> subprocess.Popen[str]:
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN IMMEDIATE');"
        "print('locked', flush=True); sys.stdin.readline(); c.execute('ROLLBACK')"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "locked\n"
    return process


KILLED = """
import os, signal, sys
from pathlib import Path
from holdfast import failpoint
from holdfast.persist.metadata import Change, Commit
from holdfast.persist.metadata.sqlite import SqliteMetadata
from tests.persist.paper import shard

metadata = SqliteMetadata(Path(sys.argv[1]))

def die(name: str) -> None:
    if name == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

failpoint.install(die)
metadata.commit(Commit(0, metadata.store(), (Change(None, shard()),)))
"""


@pytest.mark.parametrize(("place", "there"), [("metadata_commit_before", False), ("metadata_commit_after", True)])
def test_a_commit_is_wholly_there_or_not_after_kill_9(path: Path, place: str, there: bool) -> None:
    died = subprocess.run([sys.executable, "-c", KILLED, str(path), place], check=False)
    assert died.returncode == -signal.SIGKILL
    with closing(SqliteMetadata(path)) as metadata:
        assert metadata.store().version == int(there)
        assert metadata.find(["orders"]) == ({"orders": 1} if there else {})
        assert [summary.id for summary in metadata.summaries()] == ([1] if there else [])
        if there:
            assert metadata.load([ShardId(1)]) == {ShardId(1): shard()}
        else:
            assert create_shard(metadata) == Committed(1)


def test_a_store_of_a_later_version_is_refused_and_left_alone(path: Path) -> None:
    with closing(SqliteMetadata(path)) as metadata:
        create_shard(metadata)
        store = metadata.store()
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE store SET encoding_version = ?", (ENCODING_VERSION + 1,))
        before = contents(path)
        for commit in (Commit(0, store, ()), Commit(None, None, ()), Commit(5, store, ())):
            with pytest.raises(NewerEncoding):
                metadata.commit(commit)
        with pytest.raises(NewerEncoding):
            metadata.store()
        assert contents(path) == before
    data = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(NewerEncoding):
            SqliteMetadata(path, read_only=read_only)
        assert path.read_bytes() == data


def contents(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    path.write_bytes(b"this is not a database, and long enough to be looked at" * 100)
    data = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(CorruptMetadata, match=r"store.db is damaged: file is not a database"):
            SqliteMetadata(path, read_only=read_only)
    assert path.read_bytes() == data


def test_reading_a_store_that_is_not_there_makes_none(path: Path) -> None:
    with pytest.raises(MetadataUnavailable, match=r"store.db"):
        SqliteMetadata(path, read_only=True)
    assert not path.parent.exists()


def test_reading_an_empty_database_makes_no_tables(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    sqlite3.connect(path).close()
    path.touch()
    with pytest.raises(MetadataUnavailable, match="there is no store at"):
        SqliteMetadata(path, read_only=True)
    assert path.read_bytes() == b""


def test_a_reader_that_may_not_write_sees_commits_and_makes_none(path: Path) -> None:
    with closing(SqliteMetadata(path)) as writer, closing(SqliteMetadata(path, read_only=True)) as reader:
        create_shard(writer)
        assert reader.load([ShardId(1)]) == {ShardId(1): shard()}
        for commit in (Commit(None, None, ()), Commit(0, reader.store(), ())):
            with pytest.raises(ReadOnly):
                reader.commit(commit)
        assert writer.store().version == 1


def test_reading_does_not_wait_for_a_commit(path: Path) -> None:
    with closing(SqliteMetadata(path)) as metadata, metadata._transaction("write") as connection:
        connection.execute("UPDATE store SET version = 77")
        assert metadata.store().version == 0
