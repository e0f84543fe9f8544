"""The shortest way answers as the long one does."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack

import pytest

from holdfast.server.pgwire import Server
from holdfast.server.pgwire.quick import Quick
from tests.server.pgwire.wire import SYNC, Said, Wire, bind, connected, describe, execute, kinds, parse, query, rows

TABLE = "CREATE TABLE t (k int, v text, w float8)"
CONTENT = "INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', NULL), (2, 'zwei', 2.5), (3, NULL, 3)"


@pytest.fixture
async def asking(wire: Wire) -> Wire:
    """A connection with a statement that was used before, so that the way to its rows is known."""
    await wire.ask(query(TABLE))
    await wire.ask(query(CONTENT))
    await wire.ask(parse("SELECT v, w, k FROM t WHERE k = $1", "s"), SYNC)
    for _ in range(3):
        await wire.ask(bind([b"1"], statement="s"), describe("P"), execute(), SYNC)
    return wire


async def in_steps(wire: Wire, *messages: bytes) -> list[Said]:
    """What is said to messages that the server reads one by one."""
    for each in messages:
        wire.send(each[:3])
        await wire.writer.drain()
        wire.send(each[3:])
        await wire.writer.drain()
    return await wire.until()


def quick_answers(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each execution took the shortest way."""
    taken: list[bool] = []
    answer = Quick.answer

    def watched(self: Quick, data: bytes, at: int) -> tuple[bytes, int, int] | None:
        found = answer(self, data, at)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(Quick, "answer", watched)
    return taken


@pytest.mark.parametrize("described", [True, False])
@pytest.mark.parametrize(
    "bound",
    [
        {"values": [b"1"]},
        {"values": [b"2"]},
        {"values": [b"7"]},
        {"values": [None]},
        {"values": [pack(">i", 3)], "formats": [1]},
        {"values": [pack(">i", 2)], "formats": [1], "result_formats": [1]},
        {"values": [b"1"], "result_formats": [0, 1, 1]},
    ],
)
async def test_both_ways_say_the_same(
    asking: Wire, described: bool, bound: dict[str, Sequence[object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    bind_message = bind(statement="s", **bound)  # type: ignore[arg-type]  # each value is of its argument's type
    messages = (bind_message, *((describe("P"),) if described else ()), execute(), SYNC)
    expected = await in_steps(asking, *messages)
    assert kinds(expected).endswith("CZ")
    await asking.ask(*messages)
    taken = quick_answers(monkeypatch)
    assert await asking.ask(*messages) == expected
    assert taken == [True]


async def test_several_in_one_go_are_answered_in_order(asking: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = quick_answers(monkeypatch)
    for number in (1, 2, 3, 4):
        asking.send(bind([b"%d" % number], statement="s"), describe("P"), execute(), SYNC)
    found = [rows(await asking.until()) for _ in range(4)]
    assert [len(each) for each in found] == [1, 2, 1, 0]
    assert taken == [True] * 4


async def test_a_client_that_says_no_more_is_answered(server: Server, asking: Wire) -> None:
    (channel,) = server._connections.values()
    # All that it said comes in one turn of the loop.
    channel.data_received(b"".join((bind([b"1"], statement="s"), execute(), SYNC)))
    assert not channel.eof_received()
    channel.transport.close()
    assert kinds(await asking.ended()) == "2DCZ"


async def test_a_client_that_breaks_off_takes_no_answer_from_others(server: Server, asking: Wire) -> None:
    usual = bind([b"1"], statement="s"), execute(), SYNC
    async with connected(server) as other:
        await other.ask(parse("SELECT v, w, k FROM t WHERE k = $1", "s"), SYNC)
        assert kinds(await other.ask(*usual)) == "2DCZ"
        first, second = server._connections.values()
        first.data_received(b"".join(usual))
        first.transport.abort()
        second.data_received(b"".join(usual))
        assert kinds(await other.until()) == "2DCZ"
    assert await asking.ended() == []


@pytest.mark.parametrize(
    ("value", "formats", "code"),
    [(b"x", [], "22P02"), (b"99999999999", [], "22003"), (b"abc", [1], "08P01"), (b"\xff", [], "22021")],
)
async def test_a_value_that_is_none_is_refused_all_the_same(
    asking: Wire, value: bytes, formats: list[int], code: str
) -> None:
    said = await asking.ask(bind([value], statement="s", formats=formats), describe("P"), execute(), SYNC)
    assert (kinds(said), said[0].code) == ("EZ", code)
    assert len(rows(await asking.ask(bind([b"1"], statement="s"), describe("P"), execute(), SYNC))) == 1


async def test_after_an_error_it_is_passed_over_up_to_sync(asking: Wire) -> None:
    usual = bind([b"1"], statement="s"), describe("P"), execute(), SYNC
    said = await asking.ask(execute("none"), *usual)
    assert (kinds(said), said[0].code) == ("EZ", "34000")
    assert kinds(await asking.ask(*usual)) == "2TDCZ"


async def test_what_others_write_is_seen_at_once(server: Server, asking: Wire) -> None:
    usual = bind([b"9"], statement="s"), describe("P"), execute(), SYNC
    assert rows(await asking.ask(*usual)) == []
    async with connected(server) as other:
        await other.ask(query("INSERT INTO t VALUES (9, 'nine', 9)"))
        assert [row[0] for row in rows(await asking.ask(*usual))] == [b"nine"]
        await other.ask(query("DELETE FROM t WHERE k = 9"))
        assert rows(await asking.ask(*usual)) == []


async def test_in_a_transaction_it_reads_as_the_transaction_does(server: Server, asking: Wire) -> None:
    usual = bind([b"9"], statement="s"), describe("P"), execute(), SYNC
    await asking.ask(query("BEGIN"))
    said = await asking.ask(*usual)
    assert (rows(said), said[-1].body) == ([], b"T")
    async with connected(server) as other:
        await other.ask(query("INSERT INTO t VALUES (9, 'nine', 9)"))
    assert rows(await asking.ask(*usual)) == []
    await asking.ask(query("SELECT 1/0"))
    said = await asking.ask(*usual)
    assert said[0].code == "25P02"
    await asking.ask(query("ROLLBACK"))
    assert [row[0] for row in rows(await asking.ask(*usual))] == [b"nine"]


async def test_a_statement_that_was_made_anew_is_another(asking: Wire) -> None:
    usual = bind([b"1"], statement="s"), describe("P"), execute(), SYNC
    await asking.ask(query("DEALLOCATE s"))
    assert (await asking.ask(*usual))[0].code == "26000"
    await asking.ask(query("PREPARE s AS SELECT k FROM t WHERE v = $1"))
    named = bind([b"zwei"], statement="s"), describe("P"), execute(), SYNC
    for _ in range(4):
        assert rows(await asking.ask(*named)) == [(b"2",)]
    await asking.ask(query("DEALLOCATE s"), parse("SELECT 'other', $1::text", "s"), SYNC)
    await asking.until()
    for _ in range(3):
        assert rows(await asking.ask(*named)) == [(b"other", b"zwei")]


async def test_a_table_that_was_made_anew_is_another(asking: Wire) -> None:
    usual = bind([b"1"], statement="s"), describe("P"), execute(), SYNC
    await asking.ask(query("DROP TABLE t"))
    assert (await asking.ask(*usual))[-2].code == "42P01"
    await asking.ask(query(TABLE))
    await asking.ask(query("INSERT INTO t VALUES (1, 'another', 0)"))
    for _ in range(4):
        assert [row[0] for row in rows(await asking.ask(*usual))] == [b"another"]
