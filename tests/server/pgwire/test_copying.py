"""COPY in both protocols, message by message."""

from __future__ import annotations

import asyncio
from struct import pack

import pytest

from holdfast.server.pgwire import Server
from tests.server.pgwire.wire import (
    COPY_DONE,
    FLUSH,
    SYNC,
    TERMINATE,
    Said,
    Wire,
    bind,
    connected,
    copy_data,
    copy_fail,
    describe,
    execute,
    kinds,
    message,
    parse,
    query,
    rows,
)

TO, FROM = "COPY (SELECT a, b FROM t ORDER BY a) TO STDOUT", "COPY t FROM STDIN"


@pytest.fixture
async def table(wire: Wire) -> Wire:
    await wire.ask(query("CREATE TABLE t (a int, b text)"))
    return wire


async def content(wire: Wire) -> list[tuple[bytes | None, ...]]:
    return rows(await wire.ask(query("SELECT a, b FROM t ORDER BY a, b")))


def copied(said: list[Said]) -> list[bytes]:
    return [each.body for each in said if each.kind == "d"]


async def test_rows_are_copied_out_one_message_each(table: Wire) -> None:
    await table.ask(query("INSERT INTO t VALUES (1, 'one'), (2, NULL), (3, E'a\\tb\\nc')"))
    said = await table.ask(query(TO))
    assert kinds(said) == "HdddcCZ"
    assert said[0].body == b"\0" + pack(">HHH", 2, 0, 0)
    assert copied(said) == [b"1\tone\n", b"2\t\\N\n", b"3\ta\\tb\\nc\n"]
    assert said[-2].tag == "COPY 3"
    said = await table.ask(parse(TO), bind(), describe("P"), execute(), SYNC)
    assert kinds(said) == "12nHdddcCZ"


async def test_csv_and_binary_are_copied_out(table: Wire) -> None:
    await table.ask(query("INSERT INTO t VALUES (1, E'x\\ny'), (2, 'z')"))
    said = await table.ask(query("COPY (SELECT * FROM t ORDER BY a) TO STDOUT (FORMAT csv, HEADER)"))
    assert b"".join(copied(said)) == b'a,b\n1,"x\ny"\n2,z\n'
    said = await table.ask(query("COPY (SELECT * FROM t ORDER BY a) TO STDOUT (FORMAT binary)"))
    assert said[0].body == b"\1" + pack(">HHH", 2, 1, 1)
    data = b"".join(copied(said))
    assert data.startswith(b"PGCOPY\n\xff\r\n\0")
    assert data.endswith(pack(">h", -1))


async def test_rows_are_copied_in(table: Wire) -> None:
    table.send(query(FROM))
    assert (await table.one()) == ("G", b"\0" + pack(">HHH", 2, 0, 0))
    said = await table.ask(copy_data(b"1\tone\n2\t"), copy_data(b"\\N\n3"), copy_data(b"\tthree\n"), COPY_DONE)
    assert kinds(said) == "CZ"
    assert said[0].tag == "COPY 3"
    assert await content(table) == [(b"1", b"one"), (b"2", None), (b"3", b"three")]


async def test_rows_are_copied_in_by_the_extended_protocol(table: Wire) -> None:
    table.send(parse(FROM), bind(), describe("P"), execute(), SYNC)
    assert kinds(await table.until("G")) == "12nG"
    said = await table.ask(copy_data(b"1\tone\n"), FLUSH, SYNC, copy_data(b"2\ttwo\n"), COPY_DONE, SYNC)
    assert kinds(said) == "CZ"
    assert await content(table) == [(b"1", b"one"), (b"2", b"two")]


async def test_all_of_it_may_come_at_once(table: Wire) -> None:
    lines = b"".join(copy_data(b"%d\tx\n" % number) for number in range(20_000))
    said = await table.ask(query(FROM), lines, COPY_DONE)
    assert kinds(said) == "GCZ"
    assert said[1].tag == "COPY 20000"
    found = rows(await table.ask(query("SELECT a FROM t")))
    assert sorted(int(row[0] or b"") for row in found) == list(range(20_000))


async def test_one_message_may_be_longer_than_any_other_could_be(table: Wire) -> None:
    data = b"".join(b"%d\t%s\n" % (number, b"x" * 1000) for number in range(4_000))
    said = await table.ask(query(FROM), copy_data(data), COPY_DONE)
    assert said[1].tag == "COPY 4000"


async def test_a_client_may_give_up(table: Wire) -> None:
    table.send(query(FROM))
    await table.one()
    said = await table.ask(copy_data(b"1\tone\n"), copy_fail("changed my mind"))
    assert kinds(said) == "EZ"
    assert (said[0].code, said[0].fields["M"]) == ("57014", "COPY from stdin failed: changed my mind")
    assert await content(table) == []


async def test_an_error_says_where_in_the_data_it_is(table: Wire) -> None:
    table.send(query(FROM))
    await table.one()
    said = await table.ask(copy_data(b"1\tone\nx\ttwo\n"), COPY_DONE)
    assert said[0].fields["M"] == 'invalid input syntax for type integer: "x"'
    assert said[0].fields["W"] == 'COPY t, line 2, column a: "x"'


@pytest.mark.parametrize("extended", [False, True])
async def test_after_an_error_in_the_middle_what_still_comes_is_passed_over(table: Wire, extended: bool) -> None:
    begin = (parse(FROM), bind(), execute()) if extended else (query(FROM),)
    # Rows are read some megabytes at a time, so that much must come before the mistake is seen.
    many = copy_data(b"2\t" + b"x" * 2_000 + b"\n") * 4_000
    table.send(*begin, copy_data(b"1\tone\n"), copy_data(b"no number\tx\n"), many)
    said = await table.until("E" if extended else "Z")
    assert (said[-1] if extended else said[-2]).code == "22P02"
    rest = copy_data(b"3\tthree\n"), COPY_DONE
    if extended:
        assert kinds(await table.ask(*rest, execute(), SYNC)) == "Z"
    else:
        table.send(*rest)
    assert await content(table) == []
    assert rows(await table.ask(query("SELECT 1"))) == [(b"1",)]


async def test_in_a_transaction_it_is_written_with_the_transaction(server: Server, table: Wire) -> None:
    async with connected(server) as other:
        await table.ask(query("BEGIN"))
        said = await table.ask(query(FROM), copy_data(b"1\tone\n"), COPY_DONE)
        assert said[-1].body == b"T"
        assert await content(other) == []
        await table.ask(query("COMMIT"))
        assert await content(other) == [(b"1", b"one")]


async def test_other_messages_in_the_middle_are_a_mistake(table: Wire) -> None:
    table.send(query(FROM))
    await table.one()
    said = await table.ask(copy_data(b"1\tone\n"), query("SELECT 1"))
    assert (kinds(said), said[0].code) == ("EZ", "08P01")
    assert said[0].fields["M"] == "unexpected message type 0x51 during COPY from stdin"
    assert await content(table) == []


@pytest.mark.parametrize("last", [b"", TERMINATE, message("d", b"2\tt")[:-1]])
async def test_a_client_that_goes_away_in_the_middle_has_copied_nothing(server: Server, last: bytes) -> None:
    async with connected(server) as wire:
        await wire.ask(query("CREATE TABLE t (a int, b text)"))
    async with connected(server) as wire:
        wire.send(query(FROM), copy_data(b"1\tone\n"), last)
        await wire.one()
    async with connected(server) as wire:
        while server.metrics.sessions > 1:  # noqa: ASYNC110  # nobody tells what is asked here
            await asyncio.sleep(0.005)
        assert await content(wire) == []


async def test_what_is_copied_when_nothing_is_asked_for_is_passed_over(table: Wire) -> None:
    table.send(copy_data(b"1\tone\n"), COPY_DONE, copy_fail("x"))
    assert rows(await table.ask(query("SELECT 1"))) == [(b"1",)]
