"""Random queries mean what they mean to PostgreSQL: names, types, rows, order and errors."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable, Iterator, Sequence

import psycopg
import pytest

from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.plan.types import INT4
from tests.differential.answer import either, refuses_merged
from tests.differential.ask import Tables, ask_postgres, ask_us
from tests.differential.rounds import Round, rounds
from tests.differential.schema import Table

log = logging.getLogger(__name__)

QUERIES, PART = 1500, 300
EITHER = 0.03
"""The part of queries for which it may be chance whether they fail, or how."""

Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def connection(postgres: str) -> Iterator[Connection]:
    with psycopg.connect(postgres, autocommit=True) as opened:
        opened.execute("CREATE SCHEMA differential")
        opened.execute("SET search_path = differential; SET timezone = 'UTC'; SET statement_timeout = '60s'")
        yield opened
        opened.execute("DROP SCHEMA differential CASCADE")


def fill(connection: Connection, tables: Sequence[Table]) -> None:
    for table in tables:
        connection.execute(f"DROP TABLE IF EXISTS {table.name}")
        connection.execute(table.create)
        if table.insert:
            connection.execute(table.insert)


def compare(connection: Connection, part: Round) -> Iterator[bool]:
    """For each query whether the answers are the same, or were chance; an error if neither."""
    fill(connection, part.tables)
    for seed, query in part.queries():
        theirs = ask_postgres(connection, query.text)
        if refuses_merged(theirs, query.text):
            yield False
            continue
        # A query that PostgreSQL does not accept says little.
        same = theirs.error is None or theirs.error[:2] not in ("42", "0A")
        for optimized in (True, False) if seed % 5 == 0 else (True,):
            try:
                ours = ask_us(query.text, part.catalog, optimized=optimized)
            except TooManyRows:  # a plan that is not optimized may join everything with everything
                same = False
                continue
            difference = ours.differs(theirs, ordered=query.ordered)
            if difference is not None:
                plan = "optimized" if optimized else "decorrelated"
                assert either(ours, theirs), part.report(seed, query.text, f"{plan} plan: {difference}")
                same = False
        yield same


def compared(connection: Connection, seeds: Iterable[int]) -> list[bool]:
    return [same for part in rounds(seeds) for same in compare(connection, part)]


def check_chance(results: Sequence[bool]) -> None:
    assert results.count(False) <= EITHER * len(results), f"{results.count(False)} of {len(results)} fail by chance"


@pytest.mark.parametrize("first", range(0, QUERIES, PART))
def test_random_queries_have_the_answers_of_postgresql(first: int, connection: Connection) -> None:
    results = compared(connection, range(first, first + PART))
    assert len(results) == PART
    check_chance(results)


IN_TURN = (
    Table("t", (("a", INT4),), (("0",), ("1",), ("2",), (None,))),
    Table("u", (("k", INT4), ("w", INT4)), (("1", "5"), ("0", "7"), (None, "3"))),
)


@pytest.mark.parametrize("optimized", [True, False])
@pytest.mark.parametrize(
    "value",
    [
        "CASE WHEN a <> 0 THEN (SELECT max(w) FROM u WHERE k = 1 / a) END",
        "CASE WHEN a > 1 THEN (SELECT w FROM u WHERE k = a / 2) ELSE (SELECT w FROM u WHERE k + 2147483646 = a) END",
        "CASE a WHEN 0 THEN -1 WHEN 2 THEN (SELECT sum(w) FROM u WHERE k * 2 = 4 / a) "
        "ELSE (SELECT max(w) FROM u WHERE k = 1 / a) END",
        "CASE WHEN a = 0 THEN 1 WHEN (SELECT max(w) FROM u WHERE k = 1 / a) = 5 THEN 2 END",
        "CASE WHEN a <> 0 THEN CASE WHEN a <> 1 THEN (SELECT max(w) FROM u WHERE k = 1 / (a * (a - 1))) END END",
        "CASE WHEN a > 1 THEN (SELECT w FROM u WHERE k >= 1 / a AND k > 0) END",
        "CASE WHEN a > 0 THEN (SELECT w FROM u WHERE k >= 0 OR k > 1 / a) END",
        "CASE WHEN a <> 0 THEN EXISTS (SELECT FROM u WHERE k = 1 / a) END",
        "CASE WHEN a <> 0 THEN EXISTS (SELECT FROM u WHERE k < 1 / a) END",
        "CASE WHEN a <> 0 THEN 1 / a IN (SELECT k FROM u) END",
        "CASE WHEN a <> 0 THEN 1 / a NOT IN (SELECT k / a FROM u WHERE k IS NOT NULL) END",
        "CASE WHEN a <> 0 THEN 1 / a < ALL (SELECT k FROM u WHERE w = 5 OR k = 3 / a) END",
        "CASE WHEN a <> 0 THEN (1 / a, a + 4) IN (SELECT k, w FROM u) END",
        "COALESCE(CASE WHEN a = 0 THEN 9 END, (SELECT max(w) FROM u WHERE k = 1 / a))",
        "COALESCE(nullif(a, 2), (SELECT max(w) FROM u WHERE k = 2 / (a - 1)), 1 / (a - 2))",
        "a = 0 OR EXISTS (SELECT FROM u WHERE k = 1 / a)",
        "a IS NULL OR a > 0 AND 1 / a IN (SELECT k FROM u)",
        "a = 0 OR a IS NULL OR (SELECT max(w) FROM u WHERE k = 1 / a) > 5",
        "NOT (a <> 0 AND 1 / a NOT IN (SELECT k / a FROM u WHERE w > a))",
        "NOT (a <> 0 AND a > 1 AND 1 / a NOT IN (SELECT k / (a - 1) FROM u WHERE w > a))",
        "(SELECT sum(CASE WHEN k <> 0 THEN (SELECT max(a) FROM t AS i WHERE i.a = t.a / k) END) FROM u)",
    ],
)
def test_queries_within_what_is_not_run_do_not_fail(value: str, optimized: bool, connection: Connection) -> None:
    fill(connection, IN_TURN)
    query = f"SELECT a, {value} FROM t"
    theirs = ask_postgres(connection, query)
    difference = ask_us(query, Tables(IN_TURN), optimized=optimized).differs(theirs, ordered=False)
    assert difference is None, difference


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_new_random_queries_have_the_answers_of_postgresql(connection: Connection) -> None:
    """For as many minutes as HOLDFAST_SOAK_MINUTES says."""
    end = time.monotonic() + 60 * float(os.environ.get("HOLDFAST_SOAK_MINUTES", "10"))
    first = time.time_ns() // PART * PART
    failures: list[str] = []
    results: list[bool] = []
    while time.monotonic() < end:
        try:
            results += compared(connection, range(first, first + PART))
        except AssertionError as failure:
            # A round that fails says all that is needed to see it again, at once, and the others go on.
            log.error(failure)
            failures.append(str(failure))
        first += PART
    assert not failures, "\n\n".join(failures)
    check_chance(results)
