"""How connections begin."""

from __future__ import annotations

from struct import pack

import pytest

from holdfast.adapter.client_errors import UnsafeAddress
from holdfast.server.pgwire import PgwireSettings, Server, serve
from holdfast.server.pgwire.metrics import CONNECTIONS_REFUSED
from holdfast.server.pgwire.startup import Peer, is_loopback
from tests.server.pgwire.wire import TERMINATE, connected, kinds, query, serving, startup

SSL_REQUEST, GSS_REQUEST = pack(">II", 8, 80877103), pack(">II", 8, 80877104)


async def test_a_client_is_told_what_it_expects(server: Server) -> None:
    async with connected(server, log_in=False) as wire:
        said = await wire.log_in({"application_name": "a test"})
    assert said[0] == ("R", b"\0\0\0\0")
    assert kinds(said[-2:]) == "KZ"
    assert said[-1].body == b"I"
    told = dict(each.body[:-1].decode().split("\0") for each in said if each.kind == "S")
    assert told["server_version"].startswith("17")
    assert told["TimeZone"] == "UTC"
    expected = {
        "server_encoding": "UTF8",
        "client_encoding": "UTF8",
        "DateStyle": "ISO, MDY",
        "IntervalStyle": "postgres",
        "integer_datetimes": "on",
        "standard_conforming_strings": "on",
        "application_name": "a test",
        "is_superuser": "on",
        "session_authorization": "materialize",
    }
    assert {name: told.get(name) for name in expected} == expected


async def test_encryption_is_refused_where_there_is_none(server: Server) -> None:
    async with connected(server, log_in=False) as wire:
        wire.send(GSS_REQUEST)
        assert await wire.exactly(1) == b"N"
        wire.send(SSL_REQUEST)
        assert await wire.exactly(1) == b"N"
        assert (await wire.log_in())[-1].kind == "Z"


async def test_a_newer_protocol_is_negotiated_down(server: Server) -> None:
    async with connected(server, log_in=False) as wire:
        said = await wire.ask(startup({"_pq_.unheard_of": "1"}, version=3 << 16 | 9999))
        assert said[0] == ("v", pack(">II", 3 << 16 | 2, 1) + b"_pq_.unheard_of\0")
        assert said[-1].kind == "Z"
    async with connected(server, log_in=False) as wire:
        said = await wire.ask(startup(version=3 << 16 | 2))
        assert said[0].kind == "R"


async def test_settings_come_with_the_startup(server: Server) -> None:
    async with connected(server, log_in=False) as wire:
        await wire.log_in({"options": "-c application_name=here --search_path=a\\ b"})
        said = await wire.ask(query("SHOW application_name"))
        assert said[1].row == (b"here",)


async def test_a_time_zone_that_there_is_not_is_no_reason_to_refuse_a_client(server: Server) -> None:
    async with connected(server, log_in=False) as wire:
        said = await wire.log_in({"TimeZone": "Europe/Berlin"})
        said += await wire.ask(query("SHOW timezone"))
        assert [one.row for one in said if one.kind == "D"] == [(b"UTC",)]
        (notice,) = [one for one in said if one.kind == "N"]
        assert b'startup setting not set: invalid value for parameter "timezone": "Europe/Berlin"' in notice.body


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "08P01"),
        (pack(">I", 0), "08P01"),
        (pack(">I", 0x7FFFFFFF), "08P01"),
        (pack(">II", 9, 3 << 16) + b"x", "08P01"),
        (pack(">II", 9, 2 << 16) + b"\0", "0A000"),
        (pack(">II", 9, 3 << 16) + b"\0", "28000"),
        (startup({"options": "nonsense"}), "08P01"),
        (startup({"unheard_of": "1"}), "42704"),
        (startup({"replication": "database"}), "0A000"),
    ],
)
async def test_what_is_no_startup_is_refused_with_a_reason(server: Server, data: bytes, code: str) -> None:
    async with connected(server, log_in=False) as wire:
        wire.send(data)
        said = await wire.ended()
        assert kinds(said) == "E"
        assert (said[0].fields["S"], said[0].code) == ("FATAL", code)


async def test_a_client_that_says_nothing_is_let_go() -> None:
    async with serving(PgwireSettings(startup_timeout=0.05)) as (server, _):
        async with connected(server, log_in=False) as wire:
            wire.send(startup()[:5])
            assert await wire.ended() == []
        async with connected(server) as wire:
            assert (await wire.ask(query("SELECT 1")))[-2].tag == "SELECT 1"


async def test_connections_beyond_the_limit_are_refused_and_those_that_end_make_room() -> None:
    async with serving(PgwireSettings(connection_limit=2)) as (server, _):
        async with connected(server), connected(server) as second, connected(server, log_in=False) as third:
            third.send(startup())
            (refused,) = await third.ended()
            assert (refused.fields["S"], refused.code) == ("FATAL", "53300")
            second.send(TERMINATE)
            assert await second.ended() == []
            async with connected(server) as fourth:
                assert (await fourth.ask(query("SELECT 1")))[-1].kind == "Z"
        assert server.metrics.counts[CONNECTIONS_REFUSED] == 1


async def test_connections_that_do_not_say_who_they_are_do_not_pile_up() -> None:
    async with (
        serving(PgwireSettings(pending_limit=3)) as (server, _),
        connected(server, log_in=False) as first,
        connected(server, log_in=False),
        connected(server, log_in=False),
        connected(server, log_in=False) as fourth,
    ):
        assert await fourth.ended() == []
        assert (await first.log_in())[-1].kind == "Z"
        async with connected(server) as fifth:
            assert (await fifth.ask(query("SELECT 1")))[-1].kind == "Z"


async def test_an_address_that_others_reach_is_not_listened_on_without_passwords() -> None:
    async with serving() as (_, database):
        with pytest.raises(UnsafeAddress):
            await serve(database, "0.0.0.0", 0, PgwireSettings(authentication="trust"))
        for settings in (
            PgwireSettings(authentication="trust", force_trust=True),
            PgwireSettings(authentication="password"),
            PgwireSettings(),
        ):
            server = await serve(database, "0.0.0.0", 0, settings)
            await server.stop()


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("10.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("example.org", False),
    ],
)
def test_loopback_is_this_machine(host: str, local: bool) -> None:
    assert is_loopback(host) == local
    assert Peer(host, 1).is_local == local


def test_a_socket_of_this_machine_is_local() -> None:
    assert Peer(None, None).is_local
