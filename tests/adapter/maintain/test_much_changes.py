"""Views of which much changes at once: Spark brings them up to date, of what changed where it can."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager
from decimal import Decimal
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapter.tables import Write
from holdfast.compute.delta import came_input, gone_input
from holdfast.compute.maintain import how, hydrating, on_spark, stepping
from holdfast.compute.render import SparkQuery
from holdfast.compute.run import running
from holdfast.repr.ids import GlobalId
from tests.adapter.books import Book, Row
from tests.adapter.maintain.large import WAYS, book_of_large_changes
from tests.adapter.maintain.spark_books import queries_noted
from tests.adapter.maintain.test_law import expected, told

TABLES = {"t": "k int8, n int8, m numeric(10, 2), x float8, j jsonb", "u": "k int8, name text"}

VIEWS = {
    "linear": "SELECT n, n + k AS more FROM t WHERE n > 1",
    "documents": "SELECT j, count(*) AS c, sum(n) AS s FROM t GROUP BY j",
    "extremes": "SELECT k, max(n) AS high, min(m) AS low, count(*) AS c FROM t GROUP BY k",
    "joined": "SELECT t.k, name, m FROM t JOIN u ON t.k = u.k",
    "united": "SELECT k FROM t UNION ALL SELECT n FROM t WHERE n IS NOT NULL",
    "totals": "SELECT k, sum(m) AS s, avg(n) AS a, count(x) AS c FROM t GROUP BY k",
    "every": "SELECT count(*) AS c, sum(m) AS s FROM t",
    "floats": "SELECT k, sum(x) AS s FROM t GROUP BY k",
    "names": "SELECT name, sum(m * (1 - n)) AS s FROM t JOIN u ON t.k = u.k GROUP BY name",
    "most": "SELECT k, sum(m) AS s FROM t GROUP BY k ORDER BY s DESC NULLS LAST, k LIMIT 2",
    "large": "SELECT name, sum(n) AS s FROM t JOIN u USING (k) "
    "WHERE k IN (SELECT k FROM t GROUP BY k HAVING sum(n) > 6) GROUP BY name",
    "twice": "SELECT a.k, b.n FROM t a JOIN t b ON a.k = b.n",
    "others": "SELECT name, count(*) AS c FROM u WHERE k NOT IN (SELECT n FROM t WHERE n IS NOT NULL) GROUP BY name",
    "lonely": "SELECT name, count(*) AS c FROM u WHERE NOT EXISTS (SELECT FROM t WHERE t.n = u.k) GROUP BY name",
    "lonely_rows": "SELECT name, k FROM u WHERE NOT EXISTS (SELECT FROM t WHERE t.n = u.k)",
    "beside": "SELECT u.k, t.n FROM t JOIN u ON t.k = u.k UNION ALL SELECT k, -1 FROM u",
    "sums": "SELECT k, sum(n) AS s FROM (SELECT u.k, t.n FROM t JOIN u ON t.k = u.k UNION ALL SELECT k, 1 FROM u) q "
    "GROUP BY k",
    "above": "SELECT k, name FROM u WHERE k > (SELECT count(*) FROM t WHERE n = 2)",
    "bare": "SELECT FROM t WHERE n > 1",
    "either": "SELECT k FROM u WHERE EXISTS (SELECT FROM t WHERE t.k = u.k) UNION ALL SELECT k FROM u WHERE name = 'a'",
    "unseen": "SELECT u.k FROM u FULL JOIN (SELECT FROM t x JOIN t y ON x.n = y.k) z ON true",
    "pairs": "SELECT name, count(*) AS c, sum(n) FILTER (WHERE m > 0) AS s FROM t JOIN u ON t.k = u.k "
    "WHERE EXISTS (SELECT FROM t o WHERE o.n = u.k) GROUP BY name",
    "over": "SELECT a, count(*) AS c, sum(s) AS t FROM totals GROUP BY a",
}


@pytest.fixture(params=WAYS, ids=str)
async def opened(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[Book]:
    assert spark.range(1).count() == 1
    async with book_of_large_changes(tmp_path, request.param, monkeypatch) as book:
        yield book


def line(chance: Random) -> Row:
    k, n = (chance.choice([None, *range(5)]) for _ in range(2))
    return (
        k,
        n,
        Decimal(chance.randrange(-900, 900)).scaleb(-2),
        chance.choice([0.1, -2.5, None]),
        chance.choice(["1", '{"a": 1}', None]),
    )


async def changed(opened: Book, chance: Random, there: Counter[Row], kind: str) -> None:
    """Some lines come, some go, or both at one time; or it is names that do, or all of it."""
    changes: dict[GlobalId, Write] = {}
    if kind in ("names", "no names", "all"):
        names = [(chance.randrange(5), chance.choice("abc")) for _ in range(3)]
        gone = list((await opened.rows("u")).elements())[::2]
        added, removed = [] if kind == "no names" else names, [] if kind == "names" else gone
        changes |= opened.change("u", added=added, removed=removed)
    if kind in ("come", "go", "both", "all"):
        coming = [] if kind == "go" else [line(chance) for _ in range(8)]
        coming += coming[:2]
        going = [] if kind == "come" else chance.sample(list(there.elements()), min(5, there.total()))
        there.update(coming)
        there.subtract(going)
        changes |= opened.change("t", added=coming, removed=going)
    await opened.ledger.write(changes)


def terms_noted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int] | None]:
    """A list to which is added what Spark makes rows of from now on, unless that is a state: so many rows that came
    to a table, or went from it; None: all that there is.
    """
    terms: list[tuple[str, int] | None] = []
    rows = hydrating._Hydrating._rows

    def noted(self: hydrating._Hydrating, work: hydrating.Work, change: hydrating._Changed | None = None) -> DataFrame:
        if change is None or not change.of.startswith("state"):
            terms.append(None if change is None else (change.of, change.rows.count()))
        return rows(self, work, change)

    monkeypatch.setattr(hydrating._Hydrating, "_rows", noted)
    return terms


async def test_a_view_is_what_its_query_is_however_much_changes(opened: Book) -> None:
    chance, there = Random(7), Counter[Row]()
    for name, columns in TABLES.items():
        await opened.run(f"CREATE TABLE {name} ({columns})")
    for name, query in VIEWS.items():
        await opened.run(f"CREATE MATERIALIZED VIEW {name} AS {query}")
    # Executors take a second for each view.
    kinds = ("names", "come", "go", "both", "all", "no names", "all") if hydrating.FEW > 1 else ("names", "come", "all")
    for kind in kinds:
        await changed(opened, chance, there, kind)
        for view in VIEWS:
            time = opened.ledger.read_ts
            assert await told(opened, view, time) == await expected(opened, view, time), (kind, view)
    assert {step.mode for view in VIEWS for step in opened.status(view).steps[1:]} <= {"spark", "idle"}


async def test_rows_that_are_counted_stay_where_nothing_that_they_are_made_of_changes(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, f bool)")
    await opened.run("CREATE TABLE u (k int8)")
    first = "SELECT DISTINCT ON (u.k) 1 FROM t CROSS JOIN u WHERE t.f ORDER BY u.k, t.k"
    await opened.run(f"CREATE MATERIALIZED VIEW beyond AS ({first}) EXCEPT ALL (VALUES (1), (1))")
    await opened.insert("t", (1, False), (2, None))
    for k in (1, 2, 3):
        await opened.insert("u", (k,), (-k,))
        assert await opened.rows("beyond") == Counter()
    await opened.insert("t", (3, True))
    assert await opened.rows("beyond") == Counter({(1,): 4})


async def test_only_what_changed_is_read_where_that_is_all_it_takes(
    opened: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.insert("t", *((k % 4, k) for k in range(20)))
    await opened.run("CREATE MATERIALIZED VIEW totals AS SELECT k, sum(n) AS s FROM t GROUP BY k")
    assert await opened.rows("totals") == Counter((k, sum(range(k, 20, 4))) for k in range(4))
    terms, name = terms_noted(monkeypatch), str(opened.id("t"))
    await opened.ledger.write(opened.change("t", added=[(0, 100), (9, 1)], removed=[(1, 1), (1, 5), (1, 9)]))
    counts = {0: 140, 1: 30, 2: 50, 3: 55, 9: 1}
    assert await opened.rows("totals") == Counter(counts.items())
    assert terms == [(name, 2), (name, 3)]


async def test_what_is_joined_with_a_change_is_asked_for_it_first(
    opened: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.run("CREATE TABLE u (k int8, name text)")
    await opened.insert("t", *((k % 4, k) for k in range(20)))
    await opened.run("CREATE MATERIALIZED VIEW v AS SELECT name, sum(n) AS s FROM t JOIN u USING (k) GROUP BY name")
    assert not await opened.rows("v")
    asked = queries_noted(monkeypatch)
    await opened.insert("u", (0, "a"), (1, "b"), (2, "a"))
    assert await opened.rows("v") == Counter([("a", 40 + 50), ("b", 45)])
    assert "SEMI JOIN" in asked[0].text
    asked.clear()
    monkeypatch.setattr(hydrating, "_MODEST", 0)
    await opened.insert("u", (2, "c"))
    assert await opened.rows("v") == Counter([("a", 40 + 50), ("b", 45), ("c", 50)])
    assert "SEMI JOIN" not in asked[0].text


SHOP = {"orders": "k int8, day int8", "lines": "k int8, n int8", "people": "name text, day int8"}


async def test_tables_that_change_together_are_followed_one_after_the_other(
    opened: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, columns in SHOP.items():
        await opened.run(f"CREATE TABLE {name} ({columns})")
    await opened.insert("orders", *((k, k % 3) for k in range(20)))
    await opened.insert("lines", *((k % 20, k) for k in range(60)))
    await opened.insert("people", ("a", 0), ("b", 1), ("c", 1))
    query = "SELECT name, sum(n) AS s FROM people JOIN orders USING (day) JOIN lines USING (k) GROUP BY name"
    await opened.run(f"CREATE MATERIALIZED VIEW v AS {query}")
    assert await opened.rows("v") == await expected(opened, "v", opened.ledger.read_ts)
    terms = terms_noted(monkeypatch)
    orders, lines = str(opened.id("orders")), str(opened.id("lines"))
    new = [(k, k % 3) for k in range(100, 104)], [(k % 4 + 100, k) for k in range(8)]
    await opened.ledger.write(opened.change("orders", added=new[0]) | opened.change("lines", added=new[1]))
    assert await opened.rows("v") == await expected(opened, "v", opened.ledger.read_ts)
    # Before these orders came, the new lines had none.
    assert terms == [(orders, 4)]
    terms.clear()
    old = [(1, 1), (4, 1)], [(k, k) for k in range(6)]
    await opened.ledger.write(opened.change("orders", removed=old[0]) | opened.change("lines", removed=old[1]))
    assert await opened.rows("v") == await expected(opened, "v", opened.ledger.read_ts)
    assert terms == [(lines, 6), (orders, 2)]
    terms.clear()
    monkeypatch.setattr(hydrating, "_TOGETHER", 1)
    await opened.ledger.write(opened.change("orders", removed=new[0]) | opened.change("lines", removed=new[1]))
    assert await opened.rows("v") == await expected(opened, "v", opened.ledger.read_ts)
    assert terms[0] is None


async def test_rows_that_never_were_together_make_no_query_fail(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.run("CREATE TABLE u (k int8, d int8)")
    await opened.insert("t", *((k, k) for k in range(10)))
    await opened.insert("u", *((k, k) for k in range(10) if k), (11, 0))
    await opened.run("CREATE MATERIALIZED VIEW v AS SELECT t.k, sum(n / d) AS s FROM t JOIN u USING (k) GROUP BY t.k")
    assert await opened.rows("v") == Counter((k, 1) for k in range(1, 10))
    # What comes to one would be divided by the zero that goes from the other.
    changes = opened.change("t", added=[(11, 1), (12, 1)]) | opened.change("u", removed=[(11, 0)], added=[(12, 1)])
    await opened.ledger.write(changes)
    assert await opened.rows("v") == Counter((k, 1) for k in (*range(1, 10), 12))
    assert opened.status("v").steps[-1].mode == "spark"


async def test_a_row_that_went_meets_no_total_that_came(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.insert("t", (1, 3), (1, 4), (2, 5), (2, 6))
    totals = "(SELECT k, sum(n) AS s FROM t GROUP BY k) AS totals"
    await opened.run(f"CREATE MATERIALIZED VIEW v AS SELECT k, n, 12 / (s - n) AS q FROM t JOIN {totals} USING (k)")
    assert await opened.rows("v") == Counter([(1, 3, 3), (1, 4, 4), (2, 5, 2), (2, 6, Decimal("2.4"))])
    # Of both of them, four would be divided by zero.
    await opened.ledger.write(opened.change("t", added=[(1, 1)], removed=[(1, 4)]))
    assert await opened.rows("v") == Counter([(1, 3, 12), (1, 1, 4), (2, 5, 2), (2, 6, Decimal("2.4"))])
    assert opened.status("v").steps[-1].mode == "spark"


async def test_a_row_that_makes_a_query_fail_does_so_also_if_it_comes_with_many(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.insert("t", *((k % 4, k + 1) for k in range(20)))
    await opened.run("CREATE MATERIALIZED VIEW quotients AS SELECT k, sum(100 / n) AS s FROM t GROUP BY k")
    before = await opened.rows("quotients")
    time = opened.ledger.read_ts
    await opened.insert("t", (0, 0), (1, 1))
    error = await told(opened, "quotients", opened.ledger.read_ts)
    assert error == await expected(opened, "quotients", opened.ledger.read_ts)
    await opened.delete("t", (0, 0), (1, 1))
    assert await opened.rows("quotients") == await opened.rows("quotients", time) == before


async def test_a_view_that_errs_goes_on_however_much_changes(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.insert("t", *((k % 4, k + 1) for k in range(20)))
    await opened.run("CREATE MATERIALIZED VIEW v AS SELECT k, sum(60 / n) AS s FROM t GROUP BY k")
    await opened.insert("t", (0, 0))
    await opened.insert("t", (1, 1), (5, 2))
    assert await told(opened, "v", opened.ledger.read_ts) == await expected(opened, "v", opened.ledger.read_ts)
    await opened.ledger.write(opened.change("t", removed=[(0, 0), (1, 2), (2, 3)], added=[(6, 3)]))
    assert await opened.rows("v") == await expected(opened, "v", opened.ledger.read_ts)
    last = opened.status("v").steps[-1]
    assert (last.mode, last.reason.partition(":")[0]) == ("spark", "tried again, as it errs")


async def test_a_view_is_refreshed_however_much_has_changed(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.insert("t", *((k % 4, k) for k in range(20)))
    often = "REFRESH AT CREATION, REFRESH EVERY '10 seconds' ALIGNED TO '1970-01-01 00:00:00'"
    await opened.run(f"CREATE MATERIALIZED VIEW v WITH ({often}) AS SELECT k, sum(60 / (n + 1)) AS s FROM t GROUP BY k")
    before = await opened.rows("v")
    await opened.insert("t", (0, 1), (9, 1), (9, -1))
    await opened.delete("t", (1, 1), (9, -1))
    assert await opened.rows("v") == before
    await opened.let_pass(10_000)
    assert await opened.rows("v") == await expected(opened, "v", opened.ledger.read_ts)
    last = opened.status("v").steps[-1]
    assert (last.mode, last.reason.partition(":")[0]) == ("spark", "refreshed")


async def test_a_join_of_very_many_rows_is_for_spark_also_where_a_view_errs(
    opened: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(how, "_FEW_ROWS", 50_000)
    monkeypatch.setattr(stepping, "MOST", 50)
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.insert("t", *((1, n) for n in range(1, 7)))
    pairs = "SELECT a.n, sum(60 / b.n) AS s FROM t a JOIN t b USING (k) GROUP BY a.n"
    await opened.run(f"CREATE MATERIALIZED VIEW v AS {pairs}")
    await opened.insert("t", (1, 0))
    assert await told(opened, "v", opened.ledger.read_ts) == await expected(opened, "v", opened.ledger.read_ts)
    await opened.ledger.write(opened.change("t", removed=[(1, 0)], added=[(1, n) for n in range(7, 12)]))
    assert await opened.rows("v") == await expected(opened, "v", opened.ledger.read_ts)
    last = opened.status("v").steps[-1]
    assert (last.mode, last.reason.endswith("more than 1000000 rows, or pairs of them, to look at")) == ("spark", True)


async def test_rows_that_went_make_no_query_fail(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.insert("t", *((k % 2, k) for k in range(6)))
    await opened.delete("t", (0, 0))
    await opened.run("CREATE MATERIALIZED VIEW quotients AS SELECT k, sum(60 / n) AS s FROM t GROUP BY k")
    assert await opened.rows("quotients") == Counter([(0, 30 + 15), (1, 60 + 20 + 12)])
    (first,) = opened.status("quotients").steps
    assert first.mode == "spark"


async def test_totals_of_rows_that_went_are_read_with_them(opened: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.insert("t", *((k % 4, k) for k in range(20)))
    await opened.delete("t", *((k % 4, k) for k in range(9)), (3, 11), (3, 15), (3, 19))
    asked = queries_noted(monkeypatch)
    await opened.run("CREATE MATERIALIZED VIEW totals AS SELECT k, sum(n) AS s FROM t GROUP BY k")
    assert await opened.rows("totals") == Counter([(0, 12 + 16), (1, 9 + 13 + 17), (2, 10 + 14 + 18)])
    name = str(opened.id("t"))
    sides = {came_input(name), gone_input(name)}
    assert set(asked[0].inputs) == (sides if on_spark._SMALL < 0 else {name})


async def test_large_merges_rest_while_spark_makes_a_view(opened: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    resting: list[bool] = []

    def noted(
        spark: SparkSession, query: SparkQuery, frames: Mapping[str, DataFrame], parameters: Sequence[object]
    ) -> AbstractContextManager[DataFrame]:
        resting.append(opened.persist.rest.is_asked)
        return running(spark, query, frames, parameters)

    monkeypatch.setattr(hydrating, "running", noted)
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.insert("t", *((k % 4, k) for k in range(20)))
    await opened.run("CREATE MATERIALIZED VIEW v AS SELECT k, sum(n) AS s FROM t GROUP BY k")
    assert await opened.rows("v") == await expected(opened, "v", opened.ledger.read_ts)
    assert resting
    assert all(resting)
    assert not opened.persist.rest.is_asked


async def test_a_view_follows_rows_with_maps(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, m map[text => int8])")
    await opened.insert("t", *((k % 3, (("a", k), ("b", 1))) for k in range(9)))
    await opened.run("CREATE MATERIALIZED VIEW totals AS SELECT k, sum(m -> 'a') AS s FROM t GROUP BY k")
    assert await opened.rows("totals") == Counter([(0, 9), (1, 12), (2, 15)])
    coming, going = [(0, (("a", 100),))], [(1, (("a", 1), ("b", 1))), (2, (("a", 2), ("b", 1)))]
    await opened.ledger.write(opened.change("t", added=coming, removed=going))
    assert await opened.rows("totals") == Counter([(0, 109), (1, 11), (2, 13)])
    assert opened.status("totals").steps[-1].mode == "spark"
