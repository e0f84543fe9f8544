"""What a view is after many steps is PostgreSQL's answer over the rows that there are then."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import psycopg
import pyarrow as pa
import pytest

from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.repr.consolidate import as_of
from holdfast.repr.frontier import Timestamp
from holdfast.repr.update import UpdateBatch
from tests.compute.delta.lives import Life
from tests.compute.delta.queries import FIRST, live, program_of, told
from tests.differential.answer import Answer, either, refuses_merged
from tests.differential.ask import answer_of, ask_postgres
from tests.differential.rounds import rounds
from tests.differential.test_against_postgres import fill

QUERIES, TIMES = 60, 8
EITHER = 0.1
"""The part of queries that may fail in the one or the other, by which data they had to look at."""

Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def connection(postgres: str) -> Iterator[Connection]:
    with psycopg.connect(postgres, autocommit=True) as opened:
        opened.execute("CREATE SCHEMA maintained")
        opened.execute("SET search_path = maintained; SET timezone = 'UTC'; SET statement_timeout = '60s'")
        yield opened
        opened.execute("DROP SCHEMA maintained CASCADE")


def seen(life: Life) -> Answer:
    """What the view is."""
    if life.errs or not life.output:
        return Answer(error="22000")
    there = as_of(UpdateBatch.concat(life.output[0].row_type, life.output), Timestamp(life.lower - 1))
    counts = there.table["_diff"].to_pylist()
    places = [place for place, count in enumerate(counts) for _ in range(count)]
    return answer_of(there.table.select(there.row_type.names).take(pa.array(places, pa.int64())), life.program.columns)


def compare(connection: Connection, first: int, count: int) -> None:
    chance = 0
    for part in rounds(range(first, first + count)):
        random = Random(first)
        tables = {table.name: told(random, table, TIMES) for table in part.tables}
        histories = {name: table.history for name, table in tables.items()}
        fill(connection, [table.at(FIRST + TIMES - 1) for table in tables.values()])
        for seed, query in part.queries():
            life = Life(program_of(query.text, part.catalog), histories, f"seed {seed}: {query.text}")
            try:
                live(Random(seed), life, TIMES)
            except TooManyRows:
                chance += 1
                continue
            ours, theirs = seen(life), ask_postgres(connection, query.text)
            if either(ours, theirs) or refuses_merged(theirs, query.text):
                chance += 1
                continue
            difference = ours.with_columns_of(theirs).differs(theirs, ordered=False)
            assert difference is None, f"seed {seed}: {difference}\n{query.text}"
    assert chance <= EITHER * count


def test_views_of_random_queries_have_the_answers_of_postgresql(connection: Connection) -> None:
    compare(connection, 40_000, QUERIES)


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_views_of_many_random_queries_have_the_answers_of_postgresql(connection: Connection) -> None:
    for first in range(50_000, 70_000, 500):
        compare(connection, first, 500)
