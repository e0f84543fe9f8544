"""Random queries over random tables that change: those of `tests/differential`, and what PostgreSQL does not have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from holdfast.compute.delta import Program, program
from holdfast.compute.evaluate.values import Value
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.text import read_of
from holdfast.plan.types import INT4, INT8, JSONB, TEXT
from holdfast.sql import plan_query
from tests.compute.delta.lives import Change, History, Life
from tests.differential.ask import Tables
from tests.differential.generate import Generator, Source
from tests.differential.schema import VALUES, Table, tables

FIRST = 10
"""The first time after a view is made."""


def program_of(query: str, catalog: Tables) -> Program:
    return program(decorrelate(plan_query(query, catalog).plan))


@dataclass(frozen=True, slots=True)
class Case:
    tables: tuple[Table, ...]
    query: str

    def program(self) -> Program:
        return program_of(self.query, Tables(self.tables))


def case_of(random: Random) -> Case:
    """Tables and a query over them."""
    made = tables(random)
    return Case(made, random.choice((_plain, _plain, _plain, _temporal, _recursive))(Generator(random, made)))


def _plain(generator: Generator) -> str:
    return generator.query().text


_SPANS = (
    "mz_now() >= abs(k % 7) + 11",
    "mz_now() < abs(k % 9) + 13",
    "abs(k % 7) + 12 >= mz_now()",
    "mz_now() > abs(k % 5) + 10 AND mz_now() <= abs(k % 5) + 10 + coalesce(abs(length(j::text) % 4), 0)",
    "mz_now() = abs(k % 9) + 12",
    "mz_now() >= timestamp '1970-01-01' + interval '1 ms' * abs(k % 20) AND k <> 3",
)


def _temporal(generator: Generator) -> str:
    """A query over rows that are there only for a while."""
    (table,) = (each for each in generator.tables if each.name == "t4")
    generator.sources += [Source("recent", table.columns)] * 6
    span = generator.random.choice(_SPANS)
    query = generator.query().text
    rest = f", {query.removeprefix('WITH ')}" if query.startswith("WITH ") else f" {query}"
    return f"WITH recent AS (SELECT * FROM t4 WHERE {span}){rest}"


_RECURSIONS: tuple[tuple[str, Source], ...] = (
    (
        "r (a int, b bigint) AS (SELECT a, b FROM t1 UNION SELECT r.a, t1.b FROM r JOIN t1 ON r.b = t1.a)",
        Source("r", (("a", INT4), ("b", INT8))),
    ),
    (
        "r (a int, n bigint) AS (SELECT a, 0 FROM t2 UNION SELECT a, n + 1 FROM r WHERE n < 3)",
        Source("r", (("a", INT4), ("n", INT8))),
    ),
    (
        "o (k int, s text) AS (SELECT a, s FROM t1 UNION SELECT r.k, r.s FROM r WHERE r.k > 0), "
        "r (k int, s text) AS (SELECT k - 1, s FROM o WHERE k < 4 UNION SELECT a, s FROM t2)",
        Source("r", (("k", INT4), ("s", TEXT))),
    ),
    (
        "r (k int, j jsonb) AS (SELECT k, j FROM t4 UNION SELECT r.k, coalesce(r.j -> 'a', r.j -> 0, t4.j) "
        "FROM r JOIN t4 ON r.j = t4.j)",
        Source("r", (("k", INT4), ("j", JSONB))),
    ),
    (
        "r (a bigint, m int) AS (SELECT a, max(k) FROM (SELECT a, i::int AS k FROM t5 "
        "UNION ALL SELECT t5.a, r.m FROM t5 JOIN r ON r.a = t5.i) AS x GROUP BY a)",
        Source("r", (("a", INT8), ("m", INT4))),
    ),
)


def _recursive(generator: Generator) -> str:
    text, source = generator.random.choice(_RECURSIONS)
    generator.sources += [source] * 6
    return f"WITH MUTUALLY RECURSIVE {text} SELECT * FROM ({generator.query().text}) AS q"


# Updates of the tables


@dataclass(frozen=True, slots=True)
class Told:
    """A table, and the texts of its rows by their places."""

    table: Table
    history: History
    texts: list[tuple[str | None, ...]]

    def at(self, time: int) -> Table:
        """The table with the rows that it has at a time."""
        rows = (self.texts[place] for place, count in self.history.counts(time) for _ in range(count))
        return replace(self.table, rows=tuple(rows))


def told(random: Random, table: Table, times: int) -> Told:
    """A few rows, again and again, also twice, and gone and back."""
    types = [type_ for _, type_ in table.columns]
    known = list(table.rows) or _some_rows(random, table)
    values = [_values(row, table) for row in known]
    changes = [Change(random.randrange(1, FIRST), place, 1) for place in range(len(table.rows))]
    counts = [int(place < len(table.rows)) for place in range(len(values))]
    for time in sorted(random.randrange(FIRST, FIRST + times) for _ in range(random.randrange(2 * times // 3))):
        place = random.randrange(len(values))
        taken = counts[place] > 0 and random.randrange(5) < 3
        diff = -counts[place] if taken and random.randrange(2) else -1 if taken else random.choice((1, 1, 2))
        counts[place] += diff
        changes.append(Change(time, place, diff))
    return Told(table, History(types, values, changes), known)


def _some_rows(random: Random, table: Table) -> list[tuple[str | None, ...]]:
    """For a table that is empty at first."""
    return [tuple(random.choice((None, *VALUES[type_][:3])) for _, type_ in table.columns) for _ in range(4)]


def _values(row: tuple[str | None, ...], table: Table) -> tuple[Value, ...]:
    reads: list[Callable[[str], Value]] = [read_of(type_) for _, type_ in table.columns]
    return tuple(None if text is None else read(text) for text, read in zip(row, reads, strict=True))


def life_of(random: Random, case: Case, times: int) -> Life:
    made = case.program()
    read = [table for table in case.tables if table.name in made.inputs]
    return Life(made, {table.name: told(random, table, times).history for table in read}, case.query)


def lived(random: Random, case: Case, times: int) -> tuple[int, int]:
    """A whole life, in steps of any lengths, restarted and compacted; how many steps were made and how many not."""
    return live(random, life_of(random, case, times), times)


def live(random: Random, life: Life, times: int) -> tuple[int, int]:
    end, at = FIRST + times, FIRST - 1
    while not life.hydrate(at):
        at += 1
        if at >= end:
            return 0, 0
    life.check_hydration(at)
    made, failed, upper = 0, 0, at + 1
    while upper < end:
        upper = min(end, upper + random.choice((1, 1, 2, 3, 6)))
        if life.try_to_live(upper):
            made += 1
            if random.randrange(4) == 0:
                life.restart()
            if random.randrange(3) == 0:
                life.compact()
        else:
            failed += 1
    return made, failed
