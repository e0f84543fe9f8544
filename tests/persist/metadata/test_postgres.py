from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from holdfast import failpoint
from holdfast.errors import UsageError
from holdfast.persist.errors import MetadataOutcomeUnknown, MetadataUnavailable, NewerEncoding, ReadOnly
from holdfast.persist.metadata import Change, Commit, Committed, EpochMismatch
from holdfast.persist.metadata.postgres import PostgresMetadata
from holdfast.persist.shard import ShardState
from holdfast.persist.store import ENCODING_VERSION, Lock
from holdfast.repr.frontier import MINIMUM
from holdfast.repr.ids import ShardId
from tests.build import at
from tests.persist.metadata.conftest import Places
from tests.persist.metadata.cut import Cut, Line, line
from tests.persist.paper import Paper, shard
from tests.postgres import PostgresServer

SECRET = "not-to-be-shown"


@pytest.fixture
def schema(places: Places) -> str:
    return places.make("postgres").schema


@pytest.fixture
def metadata(postgres: str, schema: str) -> Iterator[PostgresMetadata]:
    with closing(PostgresMetadata(postgres, schema=schema)) as opened:
        yield opened


@pytest.fixture
def through(postgres_server: PostgresServer) -> Iterator[Line]:
    """A line to the server. (Its directory is short: the path of a socket has 107 bytes.)"""
    server = Path(postgres_server.url.split("host=")[1])
    with tempfile.TemporaryDirectory(prefix="hf-") as directory, line(Path(directory), server) as opened:
        yield opened


@pytest.fixture
def before_commit() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Has something done when the next transaction is about to commit."""

    def arrange(action: Callable[[], None]) -> None:
        def hook(name: str) -> None:
            if name == "metadata_commit_before":
                failpoint.install(None)
                action()

        failpoint.install(hook)

    yield arrange
    failpoint.install(None)


def create_shard(metadata: PostgresMetadata) -> object:
    return metadata.commit(Commit(0, metadata.store(), (Change(None, shard()),)))


def test_commits_are_synchronous_and_each_sees_those_before_it(metadata: PostgresMetadata) -> None:
    with metadata._transaction("write") as connection:
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
        assert connection.execute("SHOW transaction_isolation").fetchone() == ("read committed",)
    with metadata._transaction("read") as connection:
        assert connection.execute("SHOW transaction_isolation").fetchone() == ("repeatable read",)
        assert connection.execute("SHOW transaction_read_only").fetchone() == ("on",)


def test_a_server_that_is_restarted_is_unavailable_and_then_works(
    metadata: PostgresMetadata, postgres_server: PostgresServer
) -> None:
    create_shard(metadata)
    store = metadata.store()
    postgres_server.stop()
    try:
        for _ in range(2):
            with pytest.raises(MetadataUnavailable):
                metadata.store()
            with pytest.raises(MetadataUnavailable):
                metadata.commit(Commit(0, store, ()))
    finally:
        postgres_server.start()
    assert metadata.store() == store
    assert metadata.load([ShardId(1)]) == {ShardId(1): shard()}
    assert metadata.commit(Commit(0, store, ())) == Committed(2)


def test_a_connection_that_ends_between_commits_costs_one_determinate_error(
    metadata: PostgresMetadata, postgres: str
) -> None:
    terminate(postgres, metadata)
    with pytest.raises(MetadataUnavailable):
        create_shard_blindly(metadata)
    assert create_shard(metadata) == Committed(1)


def test_a_connection_that_ends_while_committing_leaves_the_outcome_open(
    metadata: PostgresMetadata, postgres: str, before_commit: Callable[[Callable[[], None]], None]
) -> None:
    """The server says that it ended the connection, not whether it committed first."""
    before_commit(lambda: terminate(postgres, metadata))
    with pytest.raises(MetadataOutcomeUnknown):
        create_shard_blindly(metadata)
    assert metadata.summaries() == []
    assert create_shard(metadata) == Committed(1)


@pytest.mark.parametrize(("cut", "there"), [(Cut.REQUEST, False), (Cut.REPLY, True)])
def test_a_line_cut_while_committing_leaves_the_outcome_open(
    through: Line, schema: str, before_commit: Callable[[Callable[[], None]], None], cut: Cut, there: bool
) -> None:
    with closing(PostgresMetadata(through.url, schema=schema)) as metadata:
        store = metadata.store()
        before_commit(lambda: setattr(through, "cut", cut))
        with pytest.raises(MetadataOutcomeUnknown):
            metadata.commit(Commit(0, store, (Change(None, shard()),)))
        assert [summary.id for summary in metadata.summaries()] == ([1] if there else [])
        assert metadata.store().version == int(there)


def test_a_line_cut_before_committing_is_determinate(through: Line, schema: str) -> None:
    with closing(PostgresMetadata(through.url, schema=schema)) as metadata:
        store = metadata.store()
        through.cut = Cut.REPLY
        with pytest.raises(MetadataUnavailable):
            metadata.commit(Commit(0, store, ()))
        assert metadata.store() == store


def create_shard_blindly(metadata: PostgresMetadata) -> None:
    """Without looking at the store first, which would use the other connection."""
    from_scratch = Commit(None, None, (Change(None, shard()),))
    metadata.commit(from_scratch)


def terminate(url: str, metadata: PostgresMetadata) -> None:
    """End the connection that commits."""
    pid = metadata._connections["write"].info.backend_pid
    with psycopg.connect(url) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{SECRET}@127.0.0.1:1/db",
        f"host=127.0.0.1 port=1 dbname=db user=me password={SECRET}",
        f"postgresql://127.0.0.1:1/db?user=me&password={SECRET}",
    ],
)
def test_secrets_are_never_shown(url: str) -> None:
    with pytest.raises(MetadataUnavailable) as failed:
        PostgresMetadata(url)
    shown: BaseException | None = failed.value
    while shown is not None:
        assert SECRET not in f"{shown!s} {shown!r}"
        shown = shown.__cause__ or shown.__context__
    assert "metadata store postgresql://127.0.0.1:1/db" in str(failed.value)


@pytest.mark.parametrize("url", [f"postgresql://me:{SECRET}@[bad", f"postgresql://me:{SECRET} x@host/db"])
def test_a_url_that_is_none_is_not_quoted(url: str) -> None:
    with pytest.raises(UsageError, match="not a connection string") as failed:
        PostgresMetadata(url)
    assert SECRET not in str(failed.value)


def test_the_url_shown_has_no_secret(metadata: PostgresMetadata) -> None:
    assert re.fullmatch(r"postgresql://[^@]*/postgres", metadata.url)


def test_a_reader_that_may_not_write_makes_no_schema(postgres: str, schema: str) -> None:
    with pytest.raises(MetadataUnavailable, match="there is no store at"):
        PostgresMetadata(postgres, schema=schema, read_only=True)
    with psycopg.connect(postgres) as connection:
        sql = "SELECT count(*) FROM pg_namespace WHERE nspname = %s"
        assert connection.execute(sql, (schema,)).fetchone() == (0,)


def test_a_reader_that_may_not_write_sees_commits_and_makes_none(
    metadata: PostgresMetadata, postgres: str, schema: str
) -> None:
    create_shard(metadata)
    with closing(PostgresMetadata(postgres, schema=schema, read_only=True)) as reader:
        assert reader.load([ShardId(1)]) == {ShardId(1): shard()}
        with pytest.raises(ReadOnly):
            reader.commit(Commit(None, None, ()))


def test_clients_that_make_the_tables_at_once_all_succeed(postgres: str, schema: str) -> None:
    with ThreadPoolExecutor(8) as threads:
        opened = list(threads.map(lambda _: PostgresMetadata(postgres, schema=schema), range(8)))
    versions = [client.store().version for client in opened]
    for client in opened:
        client.close()
    assert versions == [0] * 8


def test_a_store_of_a_later_version_is_refused_and_left_alone(
    metadata: PostgresMetadata, postgres: str, schema: str
) -> None:
    store = metadata.store()
    with psycopg.connect(postgres) as connection:
        connection.execute(f"UPDATE {schema}.store SET encoding_version = {ENCODING_VERSION + 1}")
    for commit in (Commit(0, store, ()), Commit(None, None, ()), Commit(5, store, ())):
        with pytest.raises(NewerEncoding):
            metadata.commit(commit)
    with pytest.raises(NewerEncoding):
        PostgresMetadata(postgres, schema=schema)
    with psycopg.connect(postgres) as connection:
        found = connection.execute(f"SELECT encoding_version, version FROM {schema}.store").fetchall()
    assert found == [(ENCODING_VERSION + 1, 0)]


def test_a_store_of_the_first_version_is_read_as_it_is_and_upgraded_by_the_next_writer(
    metadata: PostgresMetadata, postgres: str, schema: str
) -> None:
    state = shard().compare_and_append([Paper().part([(1, 0, 1)])], MINIMUM, at(1))
    assert isinstance(state, ShardState)
    store = replace(metadata.store(), encoding_version=1, next_shard=ShardId(2))
    assert isinstance(metadata.commit(Commit(0, store, (Change(None, state),))), Committed)
    with psycopg.connect(postgres) as connection:
        connection.execute(f"ALTER TABLE {schema}.part DROP COLUMN inline")
    with (
        closing(PostgresMetadata(postgres, schema=schema)) as reader,
        closing(PostgresMetadata(postgres, schema=schema)) as writer,
    ):
        assert reader.load([state.id]) == {state.id: state}
        loser = replace(store.acquire(Lock("loser", "same")), token="l")
        winner = replace(store.acquire(Lock("winner", "same")), token="w")
        assert isinstance(writer.commit(Commit(0, winner, ())), Committed)
        assert isinstance(metadata.commit(Commit(0, loser, ())), EpochMismatch)
        inline = replace(Paper().part([(2, 1, 1)]), key="inline", inline=b"\0\xff")
        after = state.compare_and_append([inline], at(1), at(2))
        assert isinstance(after, ShardState)
        assert isinstance(writer.commit(Commit(1, winner, (Change(state, after),))), Committed)
        for client in (reader, writer):
            assert client.store().encoding_version == ENCODING_VERSION
            assert client.load([state.id]) == {state.id: after}
