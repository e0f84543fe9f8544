from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from holdfast.adapter.database import Database
from holdfast.adapter.session.session import Session
from tests.adapter.asking import database as opened


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    async with opened() as found:
        yield found


@pytest.fixture
async def session(database: Database) -> Session:
    return await database.connect("materialize", "materialize")


@pytest.fixture
async def other(database: Database) -> Session:
    return await database.connect("materialize", "materialize")
