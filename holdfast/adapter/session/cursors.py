"""Cursors: rows taken a few at a time, within a transaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from holdfast.adapter.errors import DuplicateCursor, InvalidCursorName, NoActiveTransaction
from holdfast.adapter.results import Piece, Rows
from holdfast.adapter.session.state import Cursor, SessionState
from holdfast.sql.errors import NotSupported
from holdfast.sql.syntax.statement.cursor import Close, Declare


def check_declare(state: SessionState, syntax: Declare) -> None:
    assert state.transaction is not None
    if not state.transaction.explicit:
        raise NoActiveTransaction("DECLARE CURSOR can only be used in transaction blocks")
    if syntax.hold:
        raise NotSupported("DECLARE CURSOR ... WITH HOLD is not supported", syntax.location)
    if syntax.name in state.cursors:
        raise DuplicateCursor(f'cursor "{syntax.name}" already exists')


def cursor(state: SessionState, name: str) -> Cursor:
    found = state.cursors.get(name)
    if found is None:
        raise InvalidCursorName(f'cursor "{name}" does not exist')
    return found


async def fetch(found: Cursor, count: int | None, timeout: float | None) -> Rows:
    """At most `count` rows, all there are if it is None.

    Of rows that come by and by, those that are ready, after waiting for one at least: at most `timeout` seconds.
    """
    wanted = count
    if found.waits:
        await _wait(found, timeout)
    else:
        while not found.over and (wanted is None or len(found.ready) < wanted):
            await _more(found)
    size = len(found.ready) if wanted is None else min(wanted, len(found.ready))
    rows, found.ready = found.ready[:size], found.ready[size:]
    types = tuple(column.type for column in found.columns)
    return Rows(found.columns, _one(Piece(types, rows)), tag="FETCH")


async def _wait(found: Cursor, timeout: float | None) -> None:
    if found.ready or found.over:
        return
    if found.pending is None:
        found.pending = asyncio.ensure_future(_next(found))
    await asyncio.wait([found.pending], timeout=timeout)
    if found.pending.done():
        pending, found.pending = found.pending, None
        _take(found, pending.result())


async def _next(found: Cursor) -> Piece | None:
    return await anext(found.pieces, None)


async def _more(found: Cursor) -> None:
    _take(found, await _next(found))


def _take(found: Cursor, piece: Piece | None) -> None:
    if piece is None:
        found.over = True
    else:
        found.ready.extend(piece.rows())


async def _one(piece: Piece) -> AsyncIterator[Piece]:
    yield piece


async def close(state: SessionState, syntax: Close) -> None:
    names = list(state.cursors) if syntax.name is None else [syntax.name]
    for name in names:
        await shut(cursor(state, name))
        del state.cursors[name]


async def shut(found: Cursor) -> None:
    """Let go of what the rows come from."""
    if found.pending is not None:
        found.pending.cancel()
        await asyncio.wait([found.pending])
        found.pending = None
    aclose = getattr(found.pieces, "aclose", None)
    if aclose is not None:
        await aclose()
