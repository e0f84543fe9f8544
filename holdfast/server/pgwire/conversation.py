"""A conversation: the messages of a client that is logged in, answered one after another.

After an error in the extended protocol, everything up to the next Sync is passed over: the client sent it in the belief
that all would go well.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import assert_never

from holdfast.adapter.client_errors import (
    ClientGone,
    InternalError,
    MessageTooLong,
    PortalNotRunnable,
    ProtocolViolation,
    ServerStopping,
)
from holdfast.adapter.errors import SessionEnded
from holdfast.adapter.results import CopyIn, CopyOut, Done, Empty, Result, Rows
from holdfast.adapter.session.session import Session
from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.server.pgwire import backend, frontend
from holdfast.server.pgwire.channel import Channel
from holdfast.server.pgwire.codec import Body
from holdfast.server.pgwire.copying import copy_in, copy_out
from holdfast.server.pgwire.metrics import EXECUTIONS, INTERNAL_ERRORS, QUERIES, ROWS_SENT, PgwireMetrics
from holdfast.server.pgwire.parameters import ParameterReader, declared_type
from holdfast.server.pgwire.quick import Quick
from holdfast.server.pgwire.rows import RowStream, Shape, Shapes, close_iterator
from holdfast.sql import OutputColumn
from holdfast.sql.errors import NotSupported

log = logging.getLogger(__name__)

_LONG = 256 << 10
"""Messages of so many bytes are read in another thread."""

_TURN = 0.005
"""So many seconds of messages are answered at a time."""

_FATAL = (ProtocolViolation, SessionEnded, ServerStopping)
"""After these there is nothing more to say."""


@dataclass(slots=True)
class _Portal:
    """What the server knows of a portal: the shape of its rows, if it has any, and how far it has come.

    `ran` says that it was executed; `stream` are then its rows.
    """

    shape: Shape | None
    ran: bool = False
    stream: RowStream | None = None


class Conversation:
    """Of one session. It ends with `ClientGone`, or after a fatal error that the client was told."""

    def __init__(self, channel: Channel, session: Session, metrics: PgwireMetrics) -> None:
        self._channel, self._session, self._metrics = channel, session, metrics
        self._portals: dict[str, _Portal] = {}
        self._shapes = Shapes()
        self._declared: dict[str, tuple[int, ...]] = {}
        self._readers: dict[str, ParameterReader] = {}
        self._quick = Quick(session)
        self._skipping = False
        self._handlers: Mapping[int, Callable[[Body], Awaitable[None]]] = {
            frontend.QUERY: self._query,
            frontend.PARSE: self._parse,
            frontend.BIND: self._bind,
            frontend.DESCRIBE: self._describe,
            frontend.EXECUTE: self._execute,
            frontend.CLOSE: self._close,
            frontend.FLUSH: self._flush,
            frontend.SYNC: self._sync,
            frontend.FUNCTION_CALL: self._function_call,
        }

    async def run(self) -> None:
        """Answers until the client says that it is done."""
        channel, handlers, read = self._channel, self._handlers, self._channel.next
        self._ready()
        channel.at_once = self._at_once
        until = 0.0
        while True:
            kind = frontend.SYNC
            try:
                if channel.is_full:
                    await channel.drain()
                if perf_counter() > until and channel.held:
                    # A client that sends much at once does not keep the others waiting.
                    await asyncio.sleep(0)
                    until = perf_counter() + _TURN
                if self._is_answered() or (await self._caught_up() and self._is_answered()):
                    continue
                message = read()
                if message is None:
                    await channel.more(idle=True)
                    until = perf_counter() + _TURN
                    continue
                kind, body = message
                if kind == frontend.TERMINATE:
                    return
                if self._skipping and kind != frontend.SYNC:
                    continue
                handler = handlers.get(kind)
                if handler is not None:  # what is copied in after an error is passed over
                    await handler(body)
            except ClientGone:
                raise
            except MessageTooLong as error:
                if not self._skipping:
                    self._failed(error.kind, error)
            except HoldfastError as error:
                if self._failed(kind, error):
                    return
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                # Something that a statement waited for was given up by others.
                self._unforeseen(kind)
            except Exception:
                self._unforeseen(kind)
            if kind == frontend.QUERY and self._portals and self._session.status != "T":
                await self.close()

    async def close(self) -> None:
        """Ends all portals, and gives up what is not read to its end."""
        portals, self._portals = self._portals, {}
        for name, portal in portals.items():
            self._session.close_portal(name)
            if portal.stream is not None and not portal.stream.over:
                await portal.stream.close()

    # Errors.

    def _unforeseen(self, kind: int) -> None:
        log.exception("statement failed", extra={"session": self._session.id, "kind": chr(kind)})
        self._metrics.add(INTERNAL_ERRORS)
        self._failed(kind, InternalError())

    def _failed(self, kind: int, error: HoldfastError) -> bool:
        """Tells the client. Returns whether that was the last word."""
        fatal = isinstance(error, _FATAL)
        self._metrics.errors[sqlstate(error)] += 1
        self._notices()
        self._channel.write(backend.error_response(error, "FATAL" if fatal else "ERROR"))
        if fatal:
            return True
        self._session.fail(error)
        if kind in (frontend.QUERY, frontend.SYNC, frontend.FUNCTION_CALL):
            self._ready()
        else:
            self._skipping = True
        return False

    def _notices(self) -> None:
        for notice in self._session.drain_notices():
            self._channel.write(backend.notice_response(notice))

    def _ready(self) -> None:
        channel = self._channel
        for name, value in self._session.drain_parameters():
            channel.write(backend.parameter_status(name, value))
        channel.write(backend.READY[self._session.status])
        if channel.held:
            channel.flush_soon()

    # The simple protocol.

    async def _query(self, body: Body) -> None:
        self._metrics.counts[QUERIES] += 1
        text = frontend.read_query(body) if len(body) < _LONG else await asyncio.to_thread(frontend.read_query, body)
        began = perf_counter()
        await self._drop_portal("")
        results = self._session.run(text)
        try:
            async for result in results:
                await self._answer(result)
        finally:
            await close_iterator(results)
        self._metrics.took(perf_counter() - began)
        self._ready()

    async def _answer(self, result: Result) -> None:
        """Sends all of a result of the simple protocol, in text."""
        channel = self._channel
        match result:
            case Rows():
                shape = Shape(result.columns, (0,) * len(result.columns))
                channel.write(shape.description)
                channel.flush_soon()
                stream = RowStream(result, shape)
                try:
                    count = await stream.send(channel, 0)
                finally:
                    await stream.close()
                self._complete_rows(result, count)
            case Done() | CopyOut() | CopyIn() | Empty():
                await self._answer_other(result)
            case _:
                assert_never(result)

    async def _answer_other(self, result: Done | CopyOut | CopyIn | Empty) -> None:
        match result:
            case Done(tag=tag):
                pass
            case CopyOut():
                tag = await copy_out(self._channel, result)
            case CopyIn():
                tag = await copy_in(self._channel, result)
            case Empty():
                self._channel.write(backend.EMPTY_QUERY)
                return
        self._complete(tag)

    def _complete_rows(self, result: Rows, count: int) -> None:
        self._metrics.counts[ROWS_SENT] += count
        self._complete(result.counted or f"{result.tag} {count}")

    def _complete(self, tag: str) -> None:
        self._notices()
        self._channel.write(backend.command_complete(tag))

    async def _function_call(self, body: Body) -> None:  # noqa: ARG002  # whichever it is
        raise NotSupported("fastpath function calls are not supported")

    # The extended protocol.

    async def _parse(self, body: Body) -> None:
        parsed = frontend.read_parse(body) if len(body) < _LONG else await asyncio.to_thread(frontend.read_parse, body)
        name, text, oids = parsed
        await self._session.prepare(name, text, [declared_type(oid) for oid in oids])
        self._declared[name] = oids
        self._forget(name)
        self._channel.write(backend.PARSE_COMPLETE)

    def _forget(self, statement: str) -> None:
        self._readers.pop(statement, None)
        self._quick.forget(statement)

    async def _bind(self, body: Body) -> None:
        bound = frontend.read_bind(body) if len(body) < _LONG else await asyncio.to_thread(frontend.read_bind, body)
        name, statement, formats, raw, result_formats = bound
        types = self._session.statement(statement).parameters
        reader = self._readers.get(statement)
        if reader is None or reader.types is not types:
            reader = ParameterReader(statement, types, self._declared.get(statement, ()))
            self._readers[statement] = reader
        if len(body) < _LONG:
            values = reader.values(formats, raw)
        else:
            values = await asyncio.to_thread(reader.values, formats, raw)
        if not name and self._portals:
            await self._drop_portal(name)
        portal = await self._session.bind(name, statement, values)
        shape = self._shape(portal.columns, result_formats)
        self._portals[name] = _Portal(shape)
        self._quick.learn(bound, portal.statement, reader, shape)
        self._channel.write(backend.BIND_COMPLETE)

    def _is_answered(self) -> bool:
        """Answers the next messages if they are those of an execution that can be answered at once."""
        channel = self._channel
        ahead = channel.ahead()
        if ahead is None:
            return False
        found = self._execution(*ahead)
        if found is None:
            return False
        answer, end = found
        channel.skip(end)
        channel.write(answer)
        if channel.held:
            channel.flush_soon()
        return True

    async def _caught_up(self) -> bool:
        """Waits a little for what the next messages are to read. False: it is not that which they wait for."""
        ahead = self._channel.ahead()
        if ahead is None or ahead[0][ahead[1]] != frontend.BIND or self._portals or self._skipping:
            return False
        return await self._quick.caught_up(*ahead)

    def _at_once(self, data: bytes) -> tuple[bytes, int] | None:
        """The same for what came in just now, before the task knows of it."""
        try:
            return self._execution(data, 0)
        except Exception:
            # The task does the same again, and tells.
            return None

    def _execution(self, data: bytes, at: int) -> tuple[bytes, int] | None:
        """The answer to an execution that begins there and can be answered at once, and where it ends."""
        if data[at] != frontend.BIND or self._portals or self._skipping:
            return None
        began = perf_counter()
        found = self._quick.answer(data, at)
        if found is None:
            return None
        answer, count, end = found
        metrics = self._metrics
        metrics.counts[EXECUTIONS] += 1
        metrics.counts[ROWS_SENT] += count
        metrics.took(perf_counter() - began)
        return answer, end

    def _shape(self, columns: tuple[OutputColumn, ...] | None, formats: tuple[int, ...]) -> Shape | None:
        if columns is None:
            frontend.formats_for(formats, 0, _result_formats_differ)
            return None
        return self._shapes.of(columns, frontend.formats_for(formats, len(columns), _result_formats_differ))

    async def _describe(self, body: Body) -> None:
        target, name = frontend.read_describe(body)
        if target == "statement":
            statement = self._session.statement(name)
            self._channel.write(backend.parameter_description(statement.parameters))
            shape = self._shape(statement.columns, ())
        else:
            shape = self._portal(name).shape
        self._channel.write(backend.NO_DATA if shape is None else shape.description)

    async def _execute(self, body: Body) -> None:
        name, limit = frontend.read_execute(body)
        self._metrics.counts[EXECUTIONS] += 1
        began = perf_counter()
        portal = self._portal(name)
        if not portal.ran:
            portal.ran = True
            self._portals[name] = portal
            result = await self._session.execute(name)
            if not isinstance(result, Rows):
                await self._answer_other(result)
                self._metrics.took(perf_counter() - began)
                return
            portal.stream = RowStream(result, portal.shape or Shape(result.columns, (0,) * len(result.columns)))
        stream = portal.stream
        if stream is None:
            raise PortalNotRunnable(name)
        count = await stream.send(self._channel, limit)
        if stream.over:
            self._complete_rows(stream.result, count)
        else:
            self._metrics.counts[ROWS_SENT] += count
            self._channel.write(backend.PORTAL_SUSPENDED)
        self._metrics.took(perf_counter() - began)

    def _portal(self, name: str) -> _Portal:
        """What is known of a portal that the session has."""
        columns = self._session.portal(name).columns
        found = self._portals.get(name)
        # One that nobody bound is a cursor that DECLARE made.
        return _Portal(self._shape(columns, ())) if found is None else found

    async def _close(self, body: Body) -> None:
        target, name = frontend.read_close(body)
        if target == "statement":
            self._session.close_statement(name)
            self._declared.pop(name, None)
            self._forget(name)
        else:
            await self._drop_portal(name)
            self._session.close_portal(name)
        self._channel.write(backend.CLOSE_COMPLETE)

    async def _drop_portal(self, name: str) -> None:
        portal = self._portals.pop(name, None)
        if portal is not None and portal.stream is not None and not portal.stream.over:
            await portal.stream.close()

    async def _flush(self, body: Body) -> None:
        frontend.read_nothing(body)
        await self._channel.drain()

    async def _sync(self, body: Body) -> None:
        self._skipping = False
        frontend.read_nothing(body)
        if self._portals and self._session.status != "T":
            await self.close()
        await self._session.sync()
        self._ready()


def _result_formats_differ(given: int, columns: int) -> str:
    return f"bind message has {given} result formats but query has {columns} columns"
