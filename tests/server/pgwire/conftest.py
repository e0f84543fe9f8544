"""Everything here runs on both kinds of event loop: that of asyncio, and that of a server in earnest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import pytest
import uvloop

from holdfast.server.pgwire import Server
from tests.server.pgwire.wire import Wire, connected, serving


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]] | None:
    if not item.path.is_relative_to(Path(__file__).parent):
        return None
    return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as (found, _):
        yield found


@pytest.fixture
async def wire(server: Server) -> AsyncIterator[Wire]:
    async with connected(server) as found:
        yield found
