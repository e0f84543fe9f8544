"""A request run in a session: what is answered, piece by piece, whoever carries it to the client."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.adapter.client_errors import InternalError
from holdfast.adapter.results import CopyIn, CopyOut, Done, Empty, Piece, Result, Rows
from holdfast.adapter.session.session import Session
from holdfast.errors import HoldfastError
from holdfast.plan.text.codec import read_of
from holdfast.plan.types import TEXT
from holdfast.server.http.requests import Extended, Simple, is_streaming, parsed_for
from holdfast.server.http.shapes import rows_writer
from holdfast.server.pgwire.rows import close_iterator
from holdfast.sql import OutputColumn
from holdfast.sql.errors import NotSupported
from holdfast.sql.parser import Parsed

log = logging.getLogger(__name__)

_LONG = 4_000
"""Characters of a text that is parsed in a thread."""

_FEW = 200
"""Rows that are written without a thread."""


@dataclass(frozen=True, slots=True)
class Started:
    """A statement began to answer. `columns` is None for one without rows; `streams` for one that may never end."""

    columns: tuple[OutputColumn, ...] | None
    streams: bool


@dataclass(frozen=True, slots=True)
class SomeRows:
    """Each is an array of JSON."""

    rows: Sequence[str]


@dataclass(frozen=True, slots=True)
class Finished:
    tag: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The last that is answered."""

    error: HoldfastError


Answer: TypeAlias = Started | SomeRows | Finished | Failed


async def execute(
    session: Session, request: Simple | tuple[Extended, ...], *, streams: bool
) -> AsyncGenerator[Answer, None]:
    """What the statements answer, up to the first that fails. `streams`: there may be one that never ends."""
    answers = _simple(session, request, streams) if isinstance(request, Simple) else _all(session, request, streams)
    try:
        async with aclosing(answers):
            async for answer in answers:
                yield answer
        return
    except HoldfastError as error:
        failed = Failed(error)
    except Exception:
        log.exception("statement failed", extra={"session": session.id})
        failed = Failed(InternalError())
    session.fail(failed.error)
    if not isinstance(request, Simple):
        await session.sync()
    yield failed


async def _simple(session: Session, request: Simple, streams: bool) -> AsyncGenerator[Answer, None]:
    parsed = await _parsed(request.query, streams)
    results = session.run(request.query)
    try:
        async for result in results:
            streaming = bool(parsed) and is_streaming(parsed.pop(0))
            async with aclosing(_answers(result, streams=streaming)) as answers:
                async for answer in answers:
                    yield answer
    finally:
        await close_iterator(results)


async def _all(session: Session, requests: Sequence[Extended], streams: bool) -> AsyncGenerator[Answer, None]:
    """One statement after another, in one transaction unless they say otherwise."""
    for request in requests:
        parsed = await _parsed(request.query, streams)
        statement = await session.prepare("", request.query, ())
        types = (*statement.parameters, *(TEXT for _ in request.params))  # one too many is for the session to refuse
        values = [
            None if text is None else read_of(type_)(text) for type_, text in zip(types, request.params, strict=False)
        ]
        await session.bind("", "", values)
        result = await session.execute("")
        async with aclosing(_answers(result, streams=any(map(is_streaming, parsed)))) as answers:
            async for answer in answers:
                yield answer
    await session.sync()


async def _parsed(query: str, streams: bool) -> list[Parsed]:
    if len(query) < _LONG:
        return parsed_for(query, streams=streams)
    return await asyncio.to_thread(parsed_for, query, streams=streams)


async def _answers(result: Result, *, streams: bool) -> AsyncGenerator[Answer, None]:
    match result:
        case Rows():
            yield Started(result.columns, streams)
            count = 0
            try:
                async for piece in result.pieces:
                    count += len(piece)
                    yield SomeRows(await _written(piece))
            finally:
                await close_iterator(result.pieces)
            yield Finished(result.counted or f"{result.tag} {count}")
        case Done(tag=tag):
            yield Started(None, streams=False)
            yield Finished(tag)
        case CopyIn() | CopyOut():
            raise NotSupported("unsupported via this API: COPY")
        case Empty():
            return


async def _written(piece: Piece) -> list[str]:
    write = rows_writer(piece.types)
    if len(piece) <= _FEW:
        return write(piece.rows())
    return await asyncio.to_thread(lambda: write(piece.rows()))
