"""`POST /api/sql`: a request is a session of its own."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from time import perf_counter

from aiohttp import web

from holdfast.adapter.database import Database
from holdfast.server.http.document import Document
from holdfast.server.http.execute import execute
from holdfast.server.http.guard import admitted, basic
from holdfast.server.http.metrics import HttpMetrics
from holdfast.server.http.requests import read_object, read_options, read_request
from holdfast.server.http.settings import HttpSettings


class SqlApi:
    def __init__(self, database: Database, settings: HttpSettings, metrics: HttpMetrics) -> None:
        self._database, self._settings, self._metrics = database, settings, metrics

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if request.content_type != "application/json":
            raise web.HTTPUnsupportedMediaType(text="the content type is not application/json\n")
        credentials = basic(request.headers.get("Authorization"))
        user = await admitted(self._database, request, credentials, self._settings)
        asked = read_request(await self._body(request))
        options = read_options(read_object(request.query["options"]) if "options" in request.query else None)
        database = options.pop("database", None)
        session = await self._database.connect(user, database, options, request.remote or "")
        begun = perf_counter()
        try:
            document = Document(request, session, self._metrics)
            async with aclosing(execute(session, asked, streams=False)) as answers:
                async for answer in answers:
                    await document.add(answer)
            return await document.finish()
        finally:
            self._metrics.took(perf_counter() - begun)
            await self._database.disconnect(session)

    async def _body(self, request: web.Request) -> bytes:
        """All of it, if it comes in time: nobody keeps a place without saying anything."""
        try:
            async with asyncio.timeout(self._settings.body_timeout):
                return await request.read()
        except TimeoutError:
            raise web.HTTPRequestTimeout(text="the request did not come in time\n") from None
