"""The results of a request as one document of JSON.

It is begun only when it has become long, so that an error is told in it as long as it can be. One that comes later
breaks the connection off: rows that are not all there must not look as if they were.
"""

from __future__ import annotations

from aiohttp import web

from holdfast.adapter.client_errors import ClientGone
from holdfast.adapter.session.session import Session
from holdfast.server.http.execute import Answer, Failed, Finished, SomeRows, Started
from holdfast.server.http.metrics import ROWS_SENT, STATEMENTS, HttpMetrics
from holdfast.server.http.shapes import description, encoded, error_object, notice_object

_LONG = 4 << 20
"""Characters that are held back before a document is begun, and again before each next part of it."""


class Document:
    """Answers are added, then it is finished.

    `_done` are statements that have ended, `_open` is what is held of the one that has not: `_rows` of it, so far.
    """

    def __init__(self, request: web.Request, session: Session, metrics: HttpMetrics) -> None:
        self._request, self._session, self._metrics = request, session, metrics
        self._response: web.StreamResponse | None = None
        self._done: list[str] = ['{"results":[']
        self._open: list[str] = []
        self._statements = self._rows = self._held = 0
        self._is_partly_sent = False

    async def add(self, answer: Answer) -> None:
        match answer:
            case Started(columns=columns):
                self._metrics.add(STATEMENTS)
                self._rows, self._is_partly_sent = 0, False
                self._open = [] if columns is None else [f'{{"desc":{encoded(description(columns))},"rows":[']
            case SomeRows(rows=rows):
                self._metrics.add(ROWS_SENT, len(rows))
                if rows:
                    self._put(("," if self._rows else "") + ",".join(rows))
                    self._rows += len(rows)
                if self._held > _LONG:
                    await self._send_open()
            case Finished(tag=tag):
                end = f'],"tag":{encoded(tag)}' if self._open or self._is_partly_sent else f'{{"ok":{encoded(tag)}'
                self._put(f'{end},"notices":{self._notices()}}}')
                self._end_statement()
            case Failed(error=error):
                if self._is_partly_sent:
                    await self._break_off()
                self._open = [f'{{"error":{encoded(error_object(error))},"notices":{self._notices()}}}']
                self._end_statement()

    async def finish(self) -> web.StreamResponse:
        self._done.append("]}")
        if self._response is None:
            return web.Response(text="".join(self._done), content_type="application/json")
        await self._send()
        await self._response.write_eof()
        return self._response

    def _put(self, text: str) -> None:
        self._open.append(text)
        self._held += len(text)

    def _end_statement(self) -> None:
        if not self._is_partly_sent and self._statements:
            self._done.append(",")
        self._statements += 1
        self._done += self._open
        self._open, self._is_partly_sent = [], False

    def _notices(self) -> str:
        return encoded([notice_object(notice) for notice in self._session.drain_notices()])

    async def _send_open(self) -> None:
        if not self._is_partly_sent and self._statements:
            self._done.append(",")
        self._done += self._open
        self._open, self._is_partly_sent = [], True
        await self._send()

    async def _send(self) -> None:
        if self._response is None:
            self._response = web.StreamResponse(headers={"Content-Type": "application/json; charset=utf-8"})
            await self._response.prepare(self._request)
        text, self._done, self._held = "".join(self._done), [], 0
        await self._response.write(text.encode())

    async def _break_off(self) -> None:
        transport = self._request.transport
        if transport is not None:
            transport.abort()
        raise ClientGone
