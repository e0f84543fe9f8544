"""Views of random queries are what these are from scratch, also where Spark takes every change as a large one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from holdfast.adapter.tables import Write
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.errors import HoldfastError
from holdfast.plan.text import read_of
from holdfast.repr.ids import GlobalId
from tests.adapter.books import Book, Row
from tests.adapter.maintain.large import GATHERED, WAYS, answers, book_of_large_changes, taken_by_spark
from tests.differential.ask import Tables, plan_of
from tests.differential.generate import Generator
from tests.differential.schema import VALUES, Table, tables

VIEWS, CHANGES = 12, 4
MOST = 2000
"""Rows that a join of a query may come to, over tables of up to nine rows."""


@pytest.fixture
async def opened(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[Book]:
    assert spark.range(1).count() == 1
    async with book_of_large_changes(tmp_path, request.param, monkeypatch) as book:
        yield book


def queries(random: Random, of: tuple[Table, ...]) -> list[str]:
    """Queries of which views can be made, with names for their columns. None multiplies everything."""
    found, catalog = list[str](), Tables(of)
    while len(found) < VIEWS:
        query = Generator(random, of).query().text
        plan, types = plan_of(query, catalog, optimized=True)
        with suppress(TooManyRows, HoldfastError):
            if any(table.name in query for table in of) and evaluate(plan, catalog.contents, (), MOST):
                found.append(f"SELECT * FROM ({query}) AS q ({', '.join(f'c{place}' for place in range(len(types)))})")
    return found


def line(random: Random, table: Table) -> Row:
    texts = [None if random.random() < 0.15 else random.choice(VALUES[type_][:5]) for _, type_ in table.columns]
    return tuple(
        None if text is None else read_of(type_)(text) for text, (_, type_) in zip(texts, table.columns, strict=True)
    )


async def live(opened: Book, seed: int) -> int:
    """Some views, half of which are made of rows that there are, and changes that Spark takes; how many it took."""
    random = Random(seed)
    of = tables(random)
    there: dict[str, list[Row]] = {table.name: [] for table in of}
    for table in of:
        await opened.run(table.create)
    made, there_are = queries(random, of), 0
    for number in range(CHANGES):
        if number in (0, CHANGES // 2):
            for query in made[there_are : VIEWS if number else VIEWS // 2]:
                await opened.run(f"CREATE MATERIALIZED VIEW v{there_are} AS {query}")
                there_are += 1
        changes: dict[GlobalId, Write] = {}
        for table in random.sample(of, random.choice((1, 1, 2, 3))):
            rows = there[table.name]
            going = random.sample(rows, random.randrange(len(rows) // 2 + 1))
            coming = [line(random, table) for _ in range(random.choice((0, 2, 4)))]
            for row in going:
                rows.remove(row)
            rows += coming
            changes |= opened.change(table.name, added=coming, removed=going)
        await opened.ledger.write(changes)
        for place, query in enumerate(made[:there_are]):
            told, expected = await answers(opened, f"v{place}")
            assert told == expected, f"seed {seed}: {query}"
    return taken_by_spark(opened, (f"v{place}" for place in range(VIEWS)))


@pytest.mark.parametrize("opened", [GATHERED], indirect=True, ids=str)
async def test_views_of_random_queries_follow_large_changes(opened: Book) -> None:
    assert await live(opened, 1) > VIEWS


@pytest.mark.slow
@pytest.mark.timeout(0)
@pytest.mark.parametrize(
    ("opened", "seed"), [(WAYS[seed % len(WAYS)], seed) for seed in range(2, 200)], indirect=["opened"], ids=str
)
async def test_views_of_many_random_queries_follow_large_changes(opened: Book, seed: int) -> None:
    await live(opened, seed)
