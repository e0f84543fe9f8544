"""Ledgers with Spark, which makes views of many rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapter.ledger import Ledger
from holdfast.adapter.runtime import RuntimeSettings, SparkRuntime
from holdfast.compute.maintain import hydrating
from holdfast.compute.render import SparkQuery
from holdfast.compute.run import running
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


def queries_noted(monkeypatch: pytest.MonkeyPatch) -> list[SparkQuery]:
    """A list to which all that Spark is asked is added from now on."""
    asked: list[SparkQuery] = []

    def noted(
        spark: SparkSession, query: SparkQuery, frames: Mapping[str, DataFrame], parameters: Sequence[object]
    ) -> AbstractContextManager[DataFrame]:
        asked.append(query)
        return running(spark, query, frames, parameters)

    monkeypatch.setattr(hydrating, "running", noted)
    return asked
