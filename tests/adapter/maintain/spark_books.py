"""Ledgers with Spark, which makes views of many rows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from holdfast.adapter.ledger import Ledger
from holdfast.adapter.runtime import RuntimeSettings, SparkRuntime
from holdfast.spark import SparkSettings
from tests.adapter.books import Book, HandClock, quiet
from tests.persist.places import in_folder

LOCAL = SparkSettings(master="local[2]", driver_memory="1g")


@asynccontextmanager
async def book_with_spark(folder: Path) -> AsyncIterator[Book]:
    runtime, clock = SparkRuntime(LOCAL, RuntimeSettings(jobs=2)), HandClock()
    async with in_folder(folder).writer() as persist:
        ledger = await Ledger.open(persist, clock=clock, settings=quiet(), runtime=runtime)
        try:
            yield Book(ledger, persist, clock)
        finally:
            await ledger.stop()
            await runtime.stop()
