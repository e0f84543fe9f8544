"""Ledgers to which every change is a large one, so that Spark takes it, and what their views must be."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.plan_cache import Compiled
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.keys import equality
from holdfast.compute.evaluate.values import rows_of
from holdfast.compute.maintain import how, hydrating, on_spark
from holdfast.errors import QueryError
from holdfast.persist import encoding
from holdfast.plan.rewrite import optimize
from holdfast.repr.ids import GlobalId
from holdfast.sql import plan_query
from tests.adapter.books import Book
from tests.adapter.maintain.spark_books import book_with_spark


@dataclass(frozen=True, slots=True)
class Way:
    """`few` rows of a collection are gathered, and `small` inputs are asked more than once."""

    name: str
    few: int = 20_000
    small: int = 20_000

    def __str__(self) -> str:
        return self.name


GATHERED = Way("gathered")
WAYS = (GATHERED, Way("written by executors", few=1), Way("sides", small=-1))


@asynccontextmanager
async def book_of_large_changes(folder: Path, way: Way, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Book]:
    monkeypatch.setattr(hydrating, "FEW", way.few)
    monkeypatch.setattr(on_spark, "_SMALL", way.small)
    monkeypatch.setattr(encoding, "SMALL_ROWS", 0)  # also small parts have statistics
    monkeypatch.setattr(how, "_FEW_ROWS", 0)
    monkeypatch.setattr(how, "_LARGE_SHARE", 1e-9)
    async with book_with_spark(folder) as book:
        yield book


async def answers(opened: Book, view: str) -> tuple[Counter[object] | None, Counter[object] | None]:
    """What a view has, and what its query has from scratch; None for an error, of which there may be several."""
    item, time = opened.item(view), opened.ledger.read_ts
    key = equality([column.type for column in item.columns])
    try:
        told: Counter[object] | None = Counter(map(key, (await opened.rows(view)).elements()))
    except QueryError:
        told = None
    assert item.query is not None
    compiled = Compiled(plan_query(item.query, SessionNames(opened.ledger.catalog, "materialize")))
    inputs = {each: await opened.ledger.tables.rows(GlobalId.parse(each), time) for each in compiled.reads}
    try:
        found = evaluate(optimize(compiled.plan), inputs)
    except QueryError:
        return told, None
    return told, Counter(map(key, rows_of(found, [column.type for column in item.columns])))


def taken_by_spark(opened: Book, views: Iterable[str]) -> int:
    """How many of the last steps of views were Spark's."""
    return sum(step.mode == "spark" for view in views for step in opened.status(view).steps)
