"""Who is let in: real clients with and without passwords, in the clear and under TLS."""

from __future__ import annotations

import ssl
from pathlib import Path

import psycopg
import psycopg.conninfo
import pytest

from holdfast.errors import FileUnusable
from holdfast.server.pgwire import PgwireSettings, Server, serve
from holdfast.server.pgwire.metrics import LOGINS_FAILED
from holdfast.server.pgwire.tls import load_tls, self_signed
from tests.server.pgwire.wire import HOST, connected, serving

SECRET = "s3cret, pass\u00a0wörd"


async def connect(server: Server, **options: str) -> psycopg.AsyncConnection[tuple[object, ...]]:
    given = {"host": HOST, "port": str(server.port), "user": "materialize", "dbname": "materialize"} | options
    return await psycopg.AsyncConnection.connect(psycopg.conninfo.make_conninfo("", **given), autocommit=True)


async def with_password(server: Server, user: str, password: str) -> None:
    """Makes a role, from a connection that is trusted."""
    async with await connect(server) as connection:
        await connection.execute(f"CREATE ROLE {user} LOGIN PASSWORD '{password}'")


async def one(connection: psycopg.AsyncConnection[tuple[object, ...]]) -> object:
    row = await (await connection.execute("SELECT current_user")).fetchone()
    return None if row is None else row[0]


async def test_loopback_is_trusted_by_default(server: Server) -> None:
    async with await connect(server, user="someone") as connection:
        assert await one(connection) == "someone"


async def test_a_password_is_asked_for_and_checked() -> None:
    async with serving() as (open_server, database):
        await with_password(open_server, "ada", SECRET)
        server = await serve(database, HOST, 0, PgwireSettings(authentication="password", stop_timeout=1))
        try:
            async with await connect(server, user="ada", password=SECRET) as connection:
                assert await one(connection) == "ada"
            for options in (
                {"user": "ada", "password": "wrong"},
                {"user": "ada", "password": SECRET + " "},
                {"user": "nobody", "password": SECRET},
                {"user": "materialize", "password": ""},
                {"user": "materialize", "password": "x"},
            ):
                user = options["user"]
                with pytest.raises(psycopg.OperationalError, match="password") as caught:
                    await connect(server, **options)
                if options["password"]:
                    assert f'password authentication failed for user "{user}"' in str(caught.value)
            assert server.metrics.counts[LOGINS_FAILED] == 4
        finally:
            await server.stop()


async def test_tls_is_offered_with_a_certificate_that_is_made_on_the_way(tmp_path: Path) -> None:
    settings = PgwireSettings(tls_folder=tmp_path, stop_timeout=1)
    async with serving(settings) as (server, _):
        async with await connect(server, sslmode="require") as connection:
            assert connection.pgconn.ssl_in_use
            assert await one(connection) == "materialize"
            many = await connection.execute("SELECT n, repeat('x', 10000) FROM generate_series(1, 300) AS s (n)")
            assert len(await many.fetchall()) == 300
        async with await connect(server, sslmode="verify-full", sslrootcert=str(tmp_path / "server.crt")) as connection:
            assert connection.pgconn.ssl_in_use
        async with await connect(server, sslmode="disable") as connection:
            assert not connection.pgconn.ssl_in_use
    certificate = (tmp_path / "server.crt").read_bytes()
    async with serving(settings) as (server, _), await connect(server, sslmode="require"):
        assert (tmp_path / "server.crt").read_bytes() == certificate
    assert (tmp_path / "server.key").stat().st_mode & 0o077 == 0


async def test_a_password_can_be_bound_to_the_channel(tmp_path: Path) -> None:
    settings = PgwireSettings(tls_folder=tmp_path, stop_timeout=1)
    async with serving(settings) as (open_server, database):
        await with_password(open_server, "ada", "secret")
        server = await serve(database, HOST, 0, PgwireSettings(authentication="password", tls_folder=tmp_path))
        try:
            given = {"user": "ada", "password": "secret"}
            async with await connect(server, sslmode="require", channel_binding="require", **given) as connection:
                assert await one(connection) == "ada"
            async with await connect(server, sslmode="require", channel_binding="disable", **given) as connection:
                assert await one(connection) == "ada"
            with pytest.raises(psycopg.OperationalError, match="channel binding"):
                await connect(server, sslmode="disable", channel_binding="require", **given)
            with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
                await connect(server, sslmode="require", channel_binding="require", user="ada", password="Secret")
        finally:
            await server.stop()


async def test_what_is_said_before_the_handshake_is_not_taken_for_said_after_it(tmp_path: Path) -> None:
    async with (
        serving(PgwireSettings(tls_folder=tmp_path, stop_timeout=1)) as (server, _),
        connected(server, log_in=False) as wire,
    ):
        wire.send(b"\0\0\0\x08\x04\xd2\x16\x2f", b"\0\0\0\x08\x04\xd2\x16\x2f")
        (said,) = await wire.ended()
        assert (said.code, said.fields["M"]) == ("08P01", "received unencrypted data after SSL request")


async def test_a_handshake_that_fails_harms_nobody(tmp_path: Path) -> None:
    async with serving(PgwireSettings(tls_folder=tmp_path, stop_timeout=1)) as (server, _):
        async with connected(server, log_in=False) as wire:
            wire.send(b"\0\0\0\x08\x04\xd2\x16\x2f")
            assert await wire.exactly(1) == b"S"
            wire.send(b"this is no handshake at all, and no TLS either")
            await wire.reader.read()
        async with await connect(server, sslmode="require") as connection:
            assert await one(connection) == "materialize"


def test_certificates_that_are_none_are_refused(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path, "db.example.org")
    assert isinstance(load_tls(certificate, key).context, ssl.SSLContext)
    with pytest.raises(FileUnusable):
        load_tls(tmp_path / "missing.crt", key)
    (tmp_path / "bad.crt").write_text("nothing")
    with pytest.raises(FileUnusable):
        load_tls(tmp_path / "bad.crt", key)
