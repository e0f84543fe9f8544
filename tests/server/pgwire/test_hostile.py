"""Clients that are slow, gone, many, or not clients at all."""

from __future__ import annotations

import asyncio
import random
import socket
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.server.pgwire import PgwireSettings, Server
from holdfast.server.pgwire.metrics import BYTES_RECEIVED, EXECUTIONS
from tests.server.pgwire.wire import (
    HOST,
    PATIENCE,
    SYNC,
    Said,
    Wire,
    bind,
    connected,
    describe,
    execute,
    fill,
    kinds,
    message,
    parse,
    query,
    rows,
    serving,
    startup,
)

LARGE = "SELECT * FROM large"
COUNT = 20_000


async def fill_large(server: Server) -> None:
    """Some 20 MB."""
    await fill(server, "large", [b"x" * 1000] * COUNT)


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  # nobody tells what is asked here
            await asyncio.sleep(0.005)


def unsent(server: Server) -> int:
    """Bytes that wait for clients to take them."""
    return sum(channel.transport.get_write_buffer_size() for channel in server._connections.values())


async def test_a_client_that_does_not_read_costs_little_and_stops_nobody(server: Server) -> None:
    await fill_large(server)
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    sock.setblocking(False)
    await asyncio.get_running_loop().sock_connect(sock, (HOST, server.port))
    reader, writer = await asyncio.open_connection(sock=sock, limit=1024)
    slow = Wire(reader, writer)
    try:
        await slow.log_in()
        slow.send(query(LARGE))
        assert (await slow.one()).kind == "T"
        await eventually(lambda: unsent(server) > 0)
        async with connected(server) as other:
            most = 0
            for _ in range(50):
                assert rows(await other.ask(query("SELECT 1"))) == [(b"1",)]
                most = max(most, unsent(server))
            assert 0 < most < 4 << 20
        said = await slow.until()
        assert len(rows(said)) == COUNT
        assert said[-2].tag == f"SELECT {COUNT}"
    finally:
        await slow.end()


async def test_a_server_that_stops_does_not_wait_for_ever_for_a_client_that_does_not_read() -> None:
    async with serving(PgwireSettings(stop_timeout=0.1)) as (server, _):
        await fill_large(server)
        async with connected(server) as wire:
            wire.send(query(LARGE))
            await eventually(lambda: unsent(server) > 0)
            await server.stop()
            assert server.metrics.connections == 0


async def test_a_client_that_sends_without_reading_is_not_read_either(server: Server) -> None:
    await fill_large(server)
    async with connected(server) as wire:
        sent = query(LARGE) * 3 + query("SELECT 'the last'") * 50_000
        wire.send(sent)
        (channel,) = server._connections.values()
        assert (await wire.one()).kind == "T"
        await eventually(lambda: channel.held > 0)
        assert channel.held < 4 << 20
        assert rows([(await wire.until("D"))[-1]])
    async with connected(server) as wire:
        assert rows(await wire.ask(query("SELECT 1"))) == [(b"1",)]


async def test_a_client_that_executes_on_and_on_without_reading_is_waited_for(server: Server) -> None:
    async with connected(server) as wire:
        await wire.ask(query("CREATE TABLE t (k int, v text)"))
        await wire.ask(query("INSERT INTO t VALUES (1, repeat('x', 50000))"))
        await wire.ask(parse("SELECT v FROM t WHERE k = $1", "s"), SYNC)
        execution = bind([b"1"], statement="s") + execute() + SYNC
        for _ in range(3):
            await wire.ask(execution)
        (channel,), counts = server._connections.values(), server.metrics.counts
        for _ in range(400):
            expected = counts[EXECUTIONS] + 1
            wire.send(execution)
            await eventually(lambda: channel.held > 0 or counts[EXECUTIONS] == expected)  # noqa: B023  # called here
        assert 0 < unsent(server) < 1 << 20
        for _ in range(400):
            assert [len(value or b"") for (value,) in rows(await wire.until())] == [50_000]


async def test_half_a_message_is_waited_for_and_the_client_may_go(server: Server) -> None:
    async with connected(server) as wire:
        wire.send(parse("SELECT 1")[:-3])
        async with connected(server) as other:
            assert rows(await other.ask(query("SELECT 1"))) == [(b"1",)]
    await eventually(lambda: server.metrics.connections == 0)


async def test_a_client_that_goes_away_ends_its_statement_and_its_transaction() -> None:
    async with serving() as (server, database):
        async with connected(server) as wire:
            await wire.ask(query("CREATE TABLE t (a int)"))
            await wire.ask(query("BEGIN"))
            await wire.ask(query("INSERT INTO t VALUES (1)"))
            wire.send(query("SUBSCRIBE t"))
            await eventually(lambda: len(database.sessions) == 1)
        await eventually(lambda: not database.sessions)
        async with connected(server) as wire:
            wire.send(query("SUBSCRIBE t"))
            assert (await wire.one()).kind == "T"
        await eventually(lambda: not database.sessions)
        assert server.metrics.sessions == 0
        async with connected(server) as wire:
            assert rows(await wire.ask(query("SELECT * FROM t"))) == []


async def test_a_statement_is_cancelled_by_who_knows_the_key(server: Server) -> None:
    async with connected(server) as wire:
        await wire.ask(query("CREATE TABLE t (a int)"))
        wire.send(query("SUBSCRIBE t"))
        assert (await wire.one()).kind == "T"
        connection, secret = wire.key
        for key in ((connection, secret ^ 1), (connection + 1, secret), (connection, secret)):
            async with connected(server, log_in=False) as canceller:
                canceller.send(b"\0\0\0\x10\x04\xd2\x16\x2e" + b"".join(part.to_bytes(4, "big") for part in key))
                assert await canceller.ended() == []
        said = await wire.until()
        assert kinds(said) == "EZ"
        assert said[0].code == "57014"
        assert rows(await wire.ask(query("SELECT 1"))) == [(b"1",)]


async def test_hundreds_of_idle_connections_are_no_burden_and_are_told_when_the_server_stops() -> None:
    async with serving(PgwireSettings(stop_timeout=5)) as (server, database):
        wires = [Wire(*await asyncio.open_connection(HOST, server.port)) for _ in range(300)]
        await asyncio.gather(*(wire.log_in() for wire in wires))
        assert len(database.sessions) == 300
        assert rows(await wires[150].ask(query("SELECT 1"))) == [(b"1",)]
        await server.stop()
        for wire in wires:
            (said,) = await wire.ended()
            assert (said.fields["S"], said.code) == ("FATAL", "57P01")
            await wire.end()


async def test_a_flood_of_connections_that_break_off_leaves_nothing(server: Server) -> None:
    beginnings = (b"", startup()[:3], startup(), startup() + query("SELECT 1"), b"\0\0\0\x08\x04\xd2\x16\x2f")
    for number in range(200):
        _, writer = await asyncio.open_connection(HOST, server.port)
        writer.write(beginnings[number % len(beginnings)])
        if number % 2:
            writer.transport.abort()
        else:
            writer.close()
    await eventually(lambda: server.metrics.connections == 0)
    async with connected(server) as wire:
        assert rows(await wire.ask(query("SELECT 1"))) == [(b"1",)]


GOOD = (
    query("SELECT 1"),
    parse("SELECT $1::int, $2::text", "s"),
    bind([b"1", b"x"], statement="s", portal="p"),
    bind(),
    describe("S", "s"),
    describe("P", "p"),
    execute("p", 1),
    execute(),
    SYNC,
    message("H"),
    message("C", b"Ss\0"),
    message("d", b"data"),
    message("c"),
    message("f", b"why\0"),
    query("BEGIN"),
    query("SELECT 1/0"),
)


async def all_said(server: Server, sent: bytes) -> list[Said]:
    """All that the server says to some bytes, once it has nothing more to say."""
    async with connected(server) as wire:
        before = server.metrics.counts[BYTES_RECEIVED]
        wire.send(sent)

        def is_done() -> bool:
            received = server.metrics.counts[BYTES_RECEIVED] - before
            idle = all(channel._is_idle for channel in server._connections.values())
            return not server._connections or (received == len(sent) and idle)

        await eventually(is_done)
        if not wire.reader.at_eof():
            wire.writer.write_eof()
        return await wire.ended()


async def survives(server: Server, sent: bytes) -> None:
    """Whatever is sent, the server answers by the protocol and never with an internal error, and goes on."""
    said = await all_said(server, sent)
    assert set(kinds(said)) <= set("123CDEIKNSTZnst")
    assert all(each.code != "XX000" for each in said if each.kind == "E")
    async with connected(server) as wire:
        assert rows(await wire.ask(query("SELECT 1"))) == [(b"1",)]


async def served_and_survives(sent: bytes) -> None:
    async with serving() as (server, _):
        await survives(server, sent)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(GOOD) | st.binary(max_size=30), max_size=12))
def test_messages_in_any_order_and_garbage_between_them_do_no_harm(pieces: list[bytes]) -> None:
    asyncio.run(served_and_survives(b"".join(pieces)))


@pytest.mark.parametrize("seed", range(5))
async def test_flipped_bytes_do_no_harm(server: Server, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(40):
        data = bytearray(b"".join(chance.choices(GOOD, k=5)))
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        await survives(server, bytes(data))


async def test_a_server_that_stops_lets_statements_end_and_tells_the_idle() -> None:
    settings = PgwireSettings(stop_timeout=PATIENCE)
    async with serving(settings) as (server, _), connected(server) as idle, connected(server) as busy:
        await fill_large(server)
        busy.send(query(LARGE))
        assert (await busy.one()).kind == "T"
        stopping = asyncio.create_task(server.stop())
        (told,) = await idle.ended()
        assert (told.fields["S"], told.code) == ("FATAL", "57P01")
        said = await busy.ended()
        assert len(rows(said)) == COUNT
        assert kinds(said[-3:]) == "CZE"
        assert said[-1].code == "57P01"
        await stopping


async def test_a_server_that_stops_breaks_off_what_does_not_end() -> None:
    async with serving(PgwireSettings(stop_timeout=0.1)) as (server, database):
        async with connected(server) as wire:
            await wire.ask(query("CREATE TABLE t (a int)"))
            wire.send(query("SUBSCRIBE t"))
            assert (await wire.one()).kind == "T"
            await server.stop()
            said = await wire.ended()
            assert kinds(said) == "EZE"
            assert [each.code for each in said if each.kind == "E"] == ["57014", "57P01"]
        assert not database.sessions


async def test_a_statement_is_cancelled_while_its_rows_wait_for_the_client(server: Server) -> None:
    await fill_large(server)
    async with connected(server) as wire:
        wire.send(query(LARGE))
        await eventually(lambda: unsent(server) > 0)
        async with connected(server, log_in=False) as canceller:
            canceller.send(b"\0\0\0\x10\x04\xd2\x16\x2e" + b"".join(part.to_bytes(4, "big") for part in wire.key))
            assert await canceller.ended() == []
        said = await wire.until()
        assert said[-2].code == "57014"
        assert len(rows(said)) < COUNT
        assert rows(await wire.ask(query("SELECT 1"))) == [(b"1",)]
