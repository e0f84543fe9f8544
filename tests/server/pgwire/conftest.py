from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from holdfast.server.pgwire import Server
from tests.server.pgwire.wire import Wire, connected, serving


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as (found, _):
        yield found


@pytest.fixture
async def wire(server: Server) -> AsyncIterator[Wire]:
    async with connected(server) as found:
        yield found
