"""Arrangements that dataflows share: whoever is cancelled while they change leaves them right for the others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from typing import cast

import pyarrow as pa
import pytest

from holdfast.compute.arrange import Arranged
from holdfast.compute.maintain import arrangements
from holdfast.compute.maintain.arrangements import Arrangements
from holdfast.compute.maintain.collection import Collections
from holdfast.persist import Changes
from holdfast.repr.frontier import Timestamp, after
from holdfast.repr.ids import GlobalId
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from tests.build import batch, multiset

KIND = RowType.of(("c0", pa.int64()))
ID = GlobalId.parse("u1")
KEY = (ID, KIND)
FIRST, SECOND = batch(KIND, "1 | 1 | +1"), batch(KIND, "2 | 2 | +1")


class Table:
    """A collection to which a row comes at 1 and another at 2."""

    async def updates(self, *_: object) -> AsyncIterator[UpdateBatch]:
        yield FIRST

    async def updates_between(self, *_: object) -> AsyncIterator[UpdateBatch]:
        yield SECOND

    async def between(self, *_: object) -> AsyncIterator[Changes]:
        yield Changes(SECOND, after(Timestamp(2)))


class User:
    basis = Timestamp(1)


@pytest.mark.parametrize("way", ["follow", "at"])
async def test_what_is_put_in_while_its_user_is_cancelled_is_put_in_once(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrangements, "_MANY", 0)
    shared = Arrangements(cast(Collections, Table()))
    shared.use(KEY, User(), frozenset({0}))
    await shared.at(KEY, Timestamp(1))
    begun, may_end, append = threading.Event(), threading.Event(), Arranged.append

    def slow(arranged: Arranged, updates: UpdateBatch) -> None:
        begun.set()
        assert may_end.wait(60)
        append(arranged, updates)

    monkeypatch.setattr(Arranged, "append", slow)
    turn = asyncio.Lock()

    async def one() -> None:
        async with turn:
            await (shared.follow if way == "follow" else shared.at)(KEY, Timestamp(2))

    first = asyncio.create_task(one())
    await asyncio.to_thread(begun.wait, 60)
    for _ in range(2):
        first.cancel()
        await asyncio.sleep(0)
    second = asyncio.create_task(one())
    await asyncio.sleep(0)
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await first
    await second
    found = shared.found(KEY)
    assert found is not None
    assert multiset(found.all(Timestamp(3))) == {((1,), 1): 1, ((2,), 2): 1}
