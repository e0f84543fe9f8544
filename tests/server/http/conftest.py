"""A server of HTTP over a database in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from aiohttp import ClientSession, ClientWebSocketResponse

from holdfast.adapter.database import Database
from holdfast.server.http.server import Server, serve
from holdfast.server.http.settings import HttpSettings
from tests.adapter.asking import database


@dataclass
class Site:
    database: Database
    server: Server
    client: ClientSession

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    async def sql(self, query: str, **options: str) -> list[dict[str, Any]]:
        """The results of a simple request."""
        return await self.post({"query": query}, **options)

    async def extended(self, *queries: tuple[str, list[str | None]]) -> list[dict[str, Any]]:
        return await self.post({"queries": [{"query": query, "params": params} for query, params in queries]})

    async def post(self, body: object, **parameters: str) -> list[dict[str, Any]]:
        async with self.client.post(f"{self.url}/api/sql", json=body, params=parameters) as response:
            assert response.status == 200, await response.text()
            found: list[dict[str, Any]] = (await response.json())["results"]
            return found

    async def deserted(self) -> None:
        """Waits until no session is left."""
        async with asyncio.timeout(10):
            while self.database.sessions:  # noqa: ASYNC110  # the server tells nobody
                await asyncio.sleep(0.01)

    async def rows(self, query: str) -> list[list[Any]]:
        (result,) = await self.sql(query)
        rows: list[list[Any]] = result["rows"]
        return rows


@asynccontextmanager
async def serving(settings: HttpSettings | None = None) -> AsyncIterator[Site]:
    async with database() as opened, ClientSession() as client:
        server = await serve(opened, "127.0.0.1", 0, settings or HttpSettings(stop_timeout=1))
        try:
            yield Site(opened, server, client)
        finally:
            await server.stop()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as found:
        yield found


class Talk:
    """A WebSocket after its login."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        self.socket = socket

    async def next(self) -> tuple[str, Any]:
        message = await self.socket.receive_json()
        return message["type"], message["payload"]

    async def until_ready(self) -> list[tuple[str, Any]]:
        """All messages up to the next ReadyForQuery, which is the last."""
        found = [await self.next()]
        while found[-1][0] != "ReadyForQuery":
            found.append(await self.next())
        return found

    async def ask(self, query: str) -> list[tuple[str, Any]]:
        await self.socket.send_json({"query": query})
        return await self.until_ready()


@asynccontextmanager
async def talking(site: Site, **login: object) -> AsyncIterator[Talk]:
    async with site.client.ws_connect(f"{site.url}/api/experimental/sql") as socket:
        await socket.send_json({"user": "materialize", **login})
        yield Talk(socket)
