"""`/api/experimental/sql`: a session over a WebSocket.

The first message says who it is: `{"user": ..., "password": ..., "options": {...}}`. Each after it is a request, and is
answered by messages `{"type": ..., "payload": ...}`, the last of which is `ReadyForQuery`.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from holdfast.adapter.client_errors import RequestMalformed
from holdfast.adapter.database import Database
from holdfast.adapter.session.session import Session
from holdfast.errors import HoldfastError
from holdfast.server.http.execute import Answer, Failed, Finished, SomeRows, Started, execute
from holdfast.server.http.guard import Credentials, admitted
from holdfast.server.http.metrics import LOGINS_FAILED, ROWS_SENT, SOCKETS, STATEMENTS, HttpMetrics
from holdfast.server.http.requests import read_object, read_options, read_request
from holdfast.server.http.settings import HttpSettings
from holdfast.server.http.shapes import description, encoded, error_object, notice_object

log = logging.getLogger(__name__)

_HEARTBEAT = 30.0
_PIPELINED = 16
"""Requests that a client may send ahead; those after them wait in its socket."""

_LONGEST_REASON = 123
"""Bytes, says RFC 6455."""


class SocketApi:
    def __init__(self, database: Database, settings: HttpSettings, metrics: HttpMetrics) -> None:
        self._database, self._settings, self._metrics = database, settings, metrics
        self._open: set[web.WebSocketResponse] = set()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT, max_msg_size=self._settings.body_limit)
        await socket.prepare(request)
        self._metrics.add(SOCKETS)
        self._metrics.sockets += 1
        self._open.add(socket)
        try:
            await self._talk(request, socket)
        finally:
            self._open.discard(socket)
            self._metrics.sockets -= 1
        return socket

    async def close(self) -> None:
        """Tell all that the server stops."""
        for socket in list(self._open):
            await socket.close(code=WSCloseCode.GOING_AWAY, message=b"the server is stopping")

    async def _talk(self, request: web.Request, socket: web.WebSocketResponse) -> None:
        try:
            async with asyncio.timeout(self._settings.login_timeout):
                session = await self._login(request, socket)
        except (HoldfastError, TimeoutError) as error:
            self._metrics.add(LOGINS_FAILED)
            await socket.close(code=WSCloseCode.POLICY_VIOLATION, message=_reason(error) or b"nobody logged in")
            return
        if session is None:
            return
        conversation = _Conversation(socket, session, self._metrics)
        session.on_terminate = conversation.end
        try:
            await conversation.run()
        finally:
            session.on_terminate = None
            await self._database.disconnect(session)

    async def _login(self, request: web.Request, socket: web.WebSocketResponse) -> Session | None:
        """The session that the first message asks for, None if there was none."""
        message = await socket.receive()
        if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
            return None
        asked = read_object(message.data)
        user, password = asked.get("user"), asked.get("password")
        if not isinstance(user, str) or not isinstance(password, str | None):
            raise RequestMalformed("the first message does not name a user")
        options = read_options(asked.get("options"))
        known = await admitted(self._database, request, Credentials(user, password), self._settings)
        return await self._database.connect(known, options.pop("database", None), options, request.remote or "")


class _Conversation:
    def __init__(self, socket: web.WebSocketResponse, session: Session, metrics: HttpMetrics) -> None:
        self._socket, self._session, self._metrics = socket, session, metrics
        self._requests: asyncio.Queue[str | bytes] = asyncio.Queue(_PIPELINED)
        self._ended: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def end(self, reason: HoldfastError) -> None:
        """The session was ended by the server."""
        if not self._ended.done():
            self._ended.set_result(_reason(reason))

    async def run(self) -> None:
        """Answer until the client is gone or the session ends. What runs then is cancelled."""
        reading, answering = asyncio.create_task(self._read()), asyncio.create_task(self._answer_all())
        try:
            running: set[asyncio.Future[Any]] = {reading, answering, self._ended}
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        finally:
            reading.cancel()
            answering.cancel()
            _, failure = await asyncio.gather(reading, answering, return_exceptions=True)
        if self._ended.done():
            await self._socket.close(code=WSCloseCode.GOING_AWAY, message=self._ended.result())
        elif isinstance(failure, Exception) and not isinstance(failure, ConnectionError):
            log.error("conversation failed", exc_info=failure, extra={"session": self._session.id})
            await self._socket.close(code=WSCloseCode.INTERNAL_ERROR)

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                await self._requests.put(message.data)

    async def _answer_all(self) -> None:
        for name, value in self._session.parameters():
            await self._send("ParameterStatus", {"name": name, "value": value})
        await self._send("BackendKeyData", {"conn_id": self._session.id, "secret_key": self._session.secret})
        await self._send("ReadyForQuery", self._session.status)
        while True:
            body = await self._requests.get()
            try:
                request = read_request(body)
            except RequestMalformed as error:
                await self._send("Error", error_object(error))
            else:
                async with aclosing(execute(self._session, request, streams=True)) as answers:
                    async for answer in answers:
                        await self._answer(answer)
            for name, value in self._session.drain_parameters():
                await self._send("ParameterStatus", {"name": name, "value": value})
            await self._send("ReadyForQuery", self._session.status)

    async def _answer(self, answer: Answer) -> None:
        match answer:
            case Started(columns=columns, streams=streams):
                self._metrics.add(STATEMENTS)
                await self._send("CommandStarting", {"has_rows": columns is not None, "is_streaming": streams})
                if columns is not None:
                    await self._send("Rows", description(columns))
            case SomeRows(rows=rows):
                self._metrics.add(ROWS_SENT, len(rows))
                for row in rows:
                    await self._socket.send_str(f'{{"type":"Row","payload":{row}}}')
            case Finished(tag=tag):
                await self._notices()
                await self._send("CommandComplete", tag)
            case Failed(error=error):
                await self._notices()
                await self._send("Error", error_object(error))

    async def _notices(self) -> None:
        for notice in self._session.drain_notices():
            await self._send("Notice", notice_object(notice))

    async def _send(self, kind: str, payload: object) -> None:
        await self._socket.send_str(f'{{"type":"{kind}","payload":{encoded(payload)}}}')


def _reason(error: Exception) -> bytes:
    """As much of it as a closing frame can hold, in whole characters."""
    return str(error).encode()[:_LONGEST_REASON].decode(errors="ignore").encode()
