"""TPC-H's and Nexmark's queries as views to which every change is a large one, which Spark takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from holdfast.adapter.tables import Write
from holdfast.compute.evaluate.values import rows_of
from holdfast.repr.ids import GlobalId
from tests.adapter.books import Book, Row
from tests.adapter.maintain.large import GATHERED, WAYS, answers, book_of_large_changes, taken_by_spark
from tests.compute.delta import nexmark
from tests.compute.delta.lives import History
from tests.compute.delta.test_nexmark import events
from tests.compute.delta.test_tpch import refreshed
from tests.tpch import data as tpch

BEGIN = 10
"""The time before which tables are filled."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Tables, as they are made and as they change in a number of times for a seed, and queries over them."""

    name: str
    tables: tuple[str, ...]
    queries: Mapping[int, str]
    histories: Callable[[int, int], Mapping[str, History]]

    def __str__(self) -> str:
        return self.name


TPCH = Benchmark(
    "tpch",
    tuple(
        f"CREATE TABLE {table} ({', '.join(f'{column} NOT NULL' for column in columns.split(','))})".replace(
            "money", "numeric(15, 2)"
        )
        for table, columns in tpch.SCHEMA.items()
    ),
    tpch.QUERIES,
    lambda seed, times: refreshed(seed, times).histories(),
)
NEXMARK = Benchmark(
    "nexmark",
    tuple(
        f"CREATE TABLE {table} ({', '.join(f'{name} {type_}' for name, type_ in columns)})"
        for table, columns in nexmark.TABLES.items()
    ),
    # What reads the clock is taken in process, however much changes.
    {number: query for number, query in nexmark.QUERIES.items() if "mz_now()" not in query},
    lambda seed, times: events(seed, times).histories(),
)


@pytest.fixture
async def opened(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[Book]:
    assert spark.range(1).count() == 1
    async with book_of_large_changes(tmp_path, request.param, monkeypatch) as book:
        yield book


def happened(opened: Book, histories: Mapping[str, History], lower: int, upper: int) -> dict[GlobalId, Write]:
    """All that comes and goes at these times, in one change."""
    changes: dict[GlobalId, Write] = {}
    for name, history in histories.items():
        batch, counts = history.between(lower, upper), Counter[Row]()
        types = [column.type for column in opened.item(name).columns]
        for row, diff in zip(rows_of(batch.table, types), batch.table["_diff"].to_pylist(), strict=True):
            counts[row] += diff
        changes |= opened.change(name, (+counts).elements(), (-counts).elements())
    return changes


async def live(opened: Book, benchmark: Benchmark, seed: int, times: int) -> int:
    """Views, half of which are made of rows that there are, and changes; how many steps were Spark's."""
    random, queries = Random(seed), {f"q{number}": query for number, query in benchmark.queries.items()}
    histories = benchmark.histories(seed, times)
    for table in benchmark.tables:
        await opened.run(table)
    early = random.sample(list(queries), len(queries) // 2)
    for view in early:
        await opened.run(f"CREATE MATERIALIZED VIEW {view} AS {queries[view]}")
    lower = 0
    while lower < BEGIN + times:
        upper = BEGIN if lower < BEGIN else min(BEGIN + times, lower + random.randrange(1, 4))
        await opened.ledger.write(happened(opened, histories, lower, upper))
        if lower < BEGIN:
            for view in queries.keys() - early:
                await opened.run(f"CREATE MATERIALIZED VIEW {view} AS {queries[view]}")
        for view in queries:
            told, expected = await answers(opened, view)
            assert told == expected, f"seed {seed}, {view}, up to {upper}"
        lower = upper
    return taken_by_spark(opened, queries)


@pytest.mark.parametrize(
    ("opened", "benchmark", "times"), [(GATHERED, TPCH, 1), (GATHERED, NEXMARK, 3)], indirect=["opened"], ids=str
)
async def test_views_follow_large_changes(opened: Book, benchmark: Benchmark, times: int) -> None:
    assert await live(opened, benchmark, 1, times) > len(benchmark.queries)


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(2, 5))
@pytest.mark.parametrize("benchmark", [TPCH, NEXMARK], ids=str)
@pytest.mark.parametrize("opened", WAYS, indirect=True, ids=str)
async def test_views_follow_large_changes_for_long(opened: Book, benchmark: Benchmark, seed: int) -> None:
    await live(opened, benchmark, seed, 12)
