"""Views that Spark takes long to make: how far it is shows, others go on meanwhile, and it ends with the view."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from holdfast.adapter.catalog.builtin import DataflowEntry
from holdfast.adapter.ledger import Ledger
from holdfast.adapter.runtime import RuntimeSettings, SparkRuntime
from tests.adapter.books import Book, HandClock, quiet
from tests.adapter.maintain.spark_books import LOCAL
from tests.adapter.maintain.test_trouble import until
from tests.persist.places import in_folder

ROWS = 60_000
"""More than are evaluated in this process."""


@dataclass
class Hydrating:
    """A ledger with a table `t` of `ROWS` rows, and a function that for 0 waits for a file."""

    book: Book
    runtime: SparkRuntime
    spark: SparkSession
    file: Path

    @property
    def entry(self) -> DataflowEntry:
        ledger = self.book.ledger
        return next(each for each in ledger.maintainer.entries(ledger.catalog) if each.name == "slow")

    async def begin(self) -> None:
        await self.book.run("CREATE MATERIALIZED VIEW slow AS SELECT waits(n) AS n FROM t")
        await until(lambda: bool(self.spark.sparkContext.statusTracker().getActiveJobsIds()))


@pytest.fixture
async def hydrating(spark: SparkSession, tmp_path: Path) -> AsyncIterator[Hydrating]:
    runtime, clock, file = SparkRuntime(LOCAL, RuntimeSettings(jobs=2)), HandClock(), tmp_path / "go"
    async with in_folder(tmp_path / "store").of_blobs().writer() as persist:
        ledger = await Ledger.open(persist, clock=clock, settings=quiet(), runtime=runtime)
        opened = Book(ledger, persist, clock)
        try:
            await opened.run("CREATE TABLE t (n int8)")
            for start in range(0, ROWS, ROWS // 4):
                await opened.insert("t", *((n,) for n in range(start, start + ROWS // 4)))
            body = f"import os, time\nwhile n == 0 and not os.path.exists({str(file)!r}): time.sleep(0.01)\nreturn n"
            await opened.run(f"CREATE FUNCTION waits(n int8) RETURNS int8 LANGUAGE python AS $$\n{body}\n$$")
            yield Hydrating(opened, runtime, spark, file)
        finally:
            await ledger.stop()
            await runtime.stop()


async def test_how_much_is_done_shows_while_spark_makes_a_view(hydrating: Hydrating) -> None:
    await hydrating.begin()
    assert (hydrating.entry.status, hydrating.entry.rows_total) == ("hydrating", ROWS)
    await until(lambda: bool(hydrating.entry.rows_done))
    assert 0 < (hydrating.entry.rows_done or 0) < ROWS
    hydrating.file.touch()
    assert await hydrating.book.rows("slow") == Counter((n,) for n in range(ROWS))
    assert (hydrating.entry.status, hydrating.entry.rows_done) == ("running", None)


async def test_other_views_go_on_while_spark_makes_one(hydrating: Hydrating) -> None:
    opened = hydrating.book
    await opened.run("CREATE TABLE u (n int8)")
    await opened.run("CREATE MATERIALIZED VIEW small AS SELECT sum(n) FROM u")
    await hydrating.begin()
    for n in range(1, 4):
        await opened.insert("u", (n,))
        assert await opened.rows("small") == Counter([(n * (n + 1) // 2,)])
    assert hydrating.entry.status == "hydrating"
    hydrating.file.touch()
    assert len(await opened.rows("slow")) == ROWS


async def test_a_view_that_is_dropped_while_spark_makes_it_ends_its_jobs(hydrating: Hydrating) -> None:
    await hydrating.begin()
    assert hydrating.runtime.running == 1
    await hydrating.book.run("DROP MATERIALIZED VIEW slow")
    await until(lambda: not hydrating.runtime.running)
    assert not hydrating.spark.sparkContext.statusTracker().getActiveJobsIds()
    await until(lambda: not hydrating.book.ledger.maintainer.compute.statuses())
