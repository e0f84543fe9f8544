"""What test processes of the adapter run: a database that is written until it is killed."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from itertools import count

from holdfast import failpoint
from holdfast.adapter.ledger import Ledger, LedgerSettings
from holdfast.adapter.tables import TableSettings
from holdfast.persist import Persist, PersistSettings, compact
from tests.adapter.books import Book, HandClock
from tests.persist.child import Config, failpoint_hook, location_of, say

REENTRANCE = "test"
WRITERS = 4


async def write(config: Config) -> None:
    """Write from several sides at once; say what is acknowledged.

    Every number goes into "ones" and "twins" in one write. "counter" has one row, which is read and written. Tables
    come and go.
    """
    settings = PersistSettings(compact=True, notify=False)
    persist = await Persist.open_writer(location_of(config), reentrance_id=REENTRANCE, settings=settings)
    tables = TableSettings(retain_ms=200)
    ledger = await Ledger.open(persist, settings=LedgerSettings(tick_seconds=0.02, tables=tables))
    opened = Book(ledger, persist, HandClock())
    for name in ("ones", "twins", "counter"):
        await opened.run(f"CREATE TABLE IF NOT EXISTS {name} (n int8)")
    if not await opened.rows("counter"):
        await opened.insert("counter", (0,))
    say(read_ts=ledger.read_ts)
    numbers = count(config["first"])

    async def insert() -> None:
        for n in numbers:
            changes = opened.change("ones", [(n,)]) | opened.change("twins", [(n,)])
            say(inserted=n, at=await ledger.write(changes))

    async def add() -> None:
        while True:
            async with ledger.exclusive() as right:
                ((before,),) = (await opened.rows("counter", right.as_of)).elements()
                assert isinstance(before, int)
                time = await right.commit(opened.change("counter", [(before + 1,)], [(before,)]))
            say(counter=before + 1, at=time)

    async def define() -> None:
        for n in count(config["first"]):
            await opened.run(f"CREATE TABLE made{n} (n int8)")
            say(made=n)
            await opened.insert(f"made{n}", (n,))
            if n % 2:
                await opened.run(f"DROP TABLE made{n}")
                say(dropped=n)

    await asyncio.gather(*(insert() for _ in range(WRITERS)), add(), define())


def main(arguments: Sequence[str]) -> None:
    compact.SMALL_FAN = 8  # so that a few appends are worth a merge
    if place := os.environ.get("HOLDFAST_FAILPOINT"):
        failpoint.install(failpoint_hook(place, "kill"))
    asyncio.run(write(json.loads(arguments[1])))
