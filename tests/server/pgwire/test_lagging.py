"""A row of a view that is behind is waited for, by the shortest way if that is soon."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from holdfast.adapter.database import Database
from holdfast.adapter.session import session as sessions
from holdfast.compute.maintain.turn import Turn
from holdfast.server.pgwire import Server
from tests.server.pgwire.test_hostile import eventually
from tests.server.pgwire.test_quick import quick_answers
from tests.server.pgwire.wire import SYNC, Wire, bind, connected, execute, kinds, parse, query, rows, serving

USUAL = bind([b"1"], statement="s"), execute(), SYNC


class Lagging:
    """A connection that has read a view, and the right to compute: while it is held, the view stays behind."""

    def __init__(self, server: Server, database: Database, wire: Wire, turn: Turn) -> None:
        self.server, self.wire, self.turn, self._database = server, wire, turn, database

    async def write(self) -> None:
        async with connected(self.server) as other:
            await other.ask(query("INSERT INTO t VALUES (1, 1)"))

    async def cancel(self) -> None:
        async with connected(self.server, log_in=False) as other:
            other.send(b"\0\0\0\x10\x04\xd2\x16\x2e" + b"".join(part.to_bytes(4, "big") for part in self.wire.key))
            assert await other.ended() == []

    @property
    def sessions(self) -> int:
        return len(self._database.sessions)

    @property
    def waits(self) -> bool:
        """Whether someone waits for an answer."""
        return any(session.entry.state == "active" for session in self._database.sessions)


@pytest.fixture
async def lagging(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Lagging]:
    turns: list[Turn] = []
    made = Turn.__init__

    def watched(self: Turn, *arguments: object) -> None:
        made(self, *arguments)  # type: ignore[arg-type]  # they are its own
        turns.append(self)

    monkeypatch.setattr(Turn, "__init__", watched)
    async with serving() as (server, database), connected(server) as wire:
        await wire.ask(query("CREATE TABLE t (k int, v int)"))
        await wire.ask(query("CREATE MATERIALIZED VIEW sums AS SELECT k, sum(v) AS total FROM t GROUP BY k"))
        await wire.ask(query("CREATE INDEX ON sums (k)"))
        await wire.ask(query("INSERT INTO t VALUES (1, 1)"))
        await wire.ask(parse("SELECT total FROM sums WHERE k = $1", "s"), SYNC)
        for _ in range(3):
            assert rows(await wire.ask(*USUAL)) == [(b"1",)]
        (turn,) = turns
        yield Lagging(server, database, wire, turn)


async def test_a_read_is_answered_by_the_shortest_way_once_the_view_is_there(
    lagging: Lagging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_SOON", 20)
    taken = quick_answers(monkeypatch)
    async with lagging.turn:
        await lagging.write()
        lagging.wire.send(*USUAL, *USUAL)
        await eventually(lambda: lagging.waits)
    assert [rows(await lagging.wire.until()) for _ in range(2)] == [[(b"2",)]] * 2
    assert taken[-2:] == [True, True]
    assert not lagging.waits


async def test_a_read_that_waits_for_long_is_one_like_others(lagging: Lagging, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_SOON", 0)
    taken = quick_answers(monkeypatch)
    async with lagging.turn:
        await lagging.write()
        lagging.wire.send(*USUAL)
        await eventually(lambda: lagging.waits)
    assert rows(await lagging.wire.until()) == [(b"2",)]
    assert not any(taken)


async def test_a_read_is_cancelled_while_it_waits(lagging: Lagging, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_SOON", 20)
    async with lagging.turn:
        await lagging.write()
        lagging.wire.send(*USUAL)
        await eventually(lambda: lagging.waits)
        await lagging.cancel()
        said = await lagging.wire.until()
    assert said[-2].code == "57014"
    assert rows(await lagging.wire.ask(*USUAL)) == [(b"2",)]


async def test_a_read_that_is_cancelled_and_refused_leaves_the_next_one_alone(
    lagging: Lagging, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_SOON", 20)
    async with lagging.turn:
        await lagging.write()
        lagging.wire.send(bind([b"no number"], statement="s"), execute(), SYNC)
        await eventually(lambda: lagging.waits)
        await lagging.cancel()
        assert (await lagging.wire.until())[0].code == "22P02"
        assert rows(await lagging.wire.ask(query("SELECT 1"))) == [(b"1",)]
    assert rows(await lagging.wire.ask(*USUAL)) == [(b"2",)]


async def test_a_client_that_goes_is_not_waited_for(lagging: Lagging, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "_SOON", 20)
    async with connected(lagging.server) as other, lagging.turn:
        await lagging.write()
        lagging.wire.send(*USUAL)
        await eventually(lambda: lagging.waits)
        await lagging.wire.end()
        await eventually(lambda: lagging.sessions == 1)
        assert kinds(await other.ask(query("SELECT 1"))) == "TDCZ"
