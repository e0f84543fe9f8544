"""Views that Spark makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from holdfast.compute.maintain import how, hydrating, stepping
from holdfast.compute.render import SparkQuery, render
from holdfast.plan.errors import DivisionByZero, NullValueNotAllowed, ProgramLimitExceeded, RoutineTimedOut
from holdfast.plan.printer import show
from holdfast.plan.relation import Plan
from holdfast.plan.types import RangeValue
from tests.adapter.books import Book
from tests.adapter.maintain.spark_books import book_with_spark, queries_noted


@pytest.fixture(params=[1, 20_000], ids=["written by executors", "gathered"])
async def opened(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> AsyncIterator[Book]:
    """A ledger to which three rows are many."""
    monkeypatch.setattr(hydrating, "FEW", request.param)
    assert spark.range(1).count() == 1
    monkeypatch.setattr(how, "_FEW_ROWS", 3)
    async with book_with_spark(tmp_path) as book:
        yield book


async def test_a_view_is_made_by_spark_and_goes_on_in_this_process(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, name text, d date, x float8, m numeric(10, 2), at timestamptz, a int8[])")
    rows = [(k % 3, f"name {k}", k, k / 3, None, 1_000_000 * k, (k, None)) for k in range(20)]
    await opened.insert("t", *rows)
    await opened.run("CREATE MATERIALIZED VIEW plain AS SELECT * FROM t WHERE k < 2")
    await opened.run("CREATE MATERIALIZED VIEW totals AS SELECT k, count(*), max(d), sum(x), avg(m) FROM t GROUP BY k")
    assert await opened.rows("plain") == Counter(row for row in rows if row[0] < 2)
    (step,) = opened.ledger.maintainer.compute.statuses()[0].steps
    assert (step.mode, step.reason, step.rows_in, step.rows_out) == ("spark", "first rows, of many rows", 20, 14)
    before = await opened.rows("totals")
    time = opened.ledger.read_ts
    await opened.insert("t", (1, "new", 99, 0.0, None, 0, ()))
    assert await opened.rows("plain") == Counter(
        [*(row for row in rows if row[0] < 2), (1, "new", 99, 0.0, None, 0, ())]
    )
    assert await opened.rows("totals", time) == before
    counts = {row[0]: row[1:3] for row in await opened.rows("totals")}
    assert counts == {0: (7, 18), 1: (8, 99), 2: (6, 17)}


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("('{\"k\": ' || k || '.0}')::jsonb", lambda k: f'{{"k": {k}}}'),
        ("MAP['n' => 0.0::float8 * (k - 1), 'k' => k]", lambda k: (("k", k), ("n", 0.0))),
        ("ARRAY[0.0::float8 * (k - 1), k]", lambda k: (0.0, k)),
        ("numrange(k, k + 1.50)", lambda k: RangeValue(Decimal(k), Decimal(k) + Decimal("1.5"), True, False)),
    ],
    ids=["jsonb", "map", "array", "range"],
)
async def test_groups_by_values_within_others_are_made_by_spark_and_go_on(
    opened: Book, key: str, shown: Callable[[int], object]
) -> None:
    await opened.run("CREATE TABLE t (k int8)")
    await opened.insert("t", *((n % 3,) for n in range(12)))
    query = f"SELECT p, count(*) AS c, max(k) AS m FROM (SELECT {key} AS p, k FROM t) q GROUP BY p"
    await opened.run(f"CREATE MATERIALIZED VIEW groups AS {query}")
    assert await opened.rows("groups") == Counter((shown(k), 4, k) for k in range(3))
    assert [step.mode for step in opened.ledger.maintainer.compute.statuses()[0].steps] == ["spark"]
    await opened.insert("t", (1,))
    await opened.insert("t", (5,))
    assert await opened.rows("groups") == Counter(
        [(shown(0), 4, 0), (shown(1), 5, 1), (shown(2), 4, 2), (shown(5), 1, 5)]
    )


async def test_a_join_that_is_too_large_for_this_process_is_made_by_spark(
    opened: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(how, "_FEW_ROWS", 100)
    monkeypatch.setattr(stepping, "MOST", 50)
    for name in ("a", "b"):
        await opened.run(f"CREATE TABLE {name} (n int8)")
        await opened.insert(name, *((n,) for n in range(10)))
    await opened.run("CREATE MATERIALIZED VIEW pairs AS SELECT a.n, b.n AS m FROM a, b")
    assert await opened.rows("pairs") == Counter((n, m) for n in range(10) for m in range(10))
    await opened.insert("a", (10,))
    await opened.insert("b", *((n,) for n in range(10, 16)))
    assert await opened.rows("pairs") == Counter((n, m) for n in range(11) for m in range(16))
    first, second, third = opened.ledger.maintainer.compute.statuses()[0].steps
    assert (first.mode, first.reason) == (
        "spark",
        "first rows, of few rows; more than 1000000 rows, or pairs of them, to look at",
    )
    assert second.mode == "incremental"
    assert (third.mode, third.rows_out) == ("spark", 66)
    assert third.reason == "6 changes at one time; more than 1000000 rows, or pairs of them, to look at"


async def test_pairs_that_are_too_many_for_this_process_are_looked_at_by_spark(
    opened: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(how, "_FEW_ROWS", 100)
    monkeypatch.setattr(stepping, "MOST", 50)
    for name in ("a", "b"):
        await opened.run(f"CREATE TABLE {name} (n int8)")
    await opened.insert("a", *((n,) for n in range(10)))
    await opened.insert("b", (3,), (4,))
    await opened.run("CREATE MATERIALIZED VIEW others AS SELECT n FROM a WHERE (n, 1) NOT IN (SELECT n, 1 FROM b)")
    assert await opened.rows("others") == Counter((n,) for n in range(10) if n not in (3, 4))
    await opened.insert("b", *((n,) for n in range(5, 10)))
    assert await opened.rows("others") == Counter((n,) for n in range(3))
    *_, last = opened.ledger.maintainer.compute.statuses()[0].steps
    assert (last.mode, last.reason) == (
        "spark",
        "5 changes at one time; more than 1000000 rows, or pairs of them, to look at",
    )


async def test_a_series_that_is_too_long_for_this_process_is_made_by_spark(
    opened: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(how, "_FEW_ROWS", 100)
    monkeypatch.setattr(stepping, "MOST", 50)
    await opened.run("CREATE TABLE t (n int8)")
    await opened.run(
        "CREATE MATERIALIZED VIEW v AS SELECT g % 2 AS odd, count(*) FROM t, generate_series(1, n) g GROUP BY 1"
    )
    await opened.insert("t", (10,))
    assert await opened.rows("v") == Counter([(0, 5), (1, 5)])
    await opened.insert("t", (60,))
    assert await opened.rows("v") == Counter([(0, 35), (1, 35)])
    *_, last = opened.ledger.maintainer.compute.statuses()[0].steps
    assert (last.mode, last.reason) == (
        "spark",
        "1 change at one time; more than 1000000 rows, or pairs of them, to look at",
    )
    await opened.insert("t", (5_000_000_000,))
    with pytest.raises(ProgramLimitExceeded):
        await opened.rows("v")
    await opened.delete("t", (5_000_000_000,))
    assert await opened.rows("v") == Counter([(0, 35), (1, 35)])


async def test_much_that_changes_at_one_time_is_what_changed(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.run("CREATE MATERIALIZED VIEW totals AS SELECT k, sum(n) AS s, count(*) FROM t GROUP BY k")
    await opened.run("CREATE MATERIALIZED VIEW over AS SELECT count(*), sum(s) FROM totals")
    first = await opened.insert("t", (1, 1), (2, 2))
    assert await opened.rows("totals") == Counter([(1, 1, 1), (2, 2, 1)])
    much = await opened.insert("t", *((k, 10) for k in range(2, 9)))
    await opened.insert("t", (1, 4))
    assert await opened.rows("totals", much) == Counter([(1, 1, 1), (2, 12, 2), *((k, 10, 1) for k in range(3, 9))])
    assert await opened.rows("totals") == Counter([(1, 5, 2), (2, 12, 2), *((k, 10, 1) for k in range(3, 9))])
    large = [
        step for step in opened.ledger.maintainer.compute.statuses()[0].steps if step.reason.startswith("7 changes")
    ]
    assert [(step.mode, step.error, step.rows_out) for step in large] == [("spark", None, 8)]
    assert await opened.rows("over") == Counter([(8, 77)])
    assert await opened.rows("over", first) == Counter([(2, 3)])


async def test_many_rows_take_the_place_of_few(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.run("CREATE MATERIALIZED VIEW totals AS SELECT k, sum(n) AS s FROM t GROUP BY k")
    few = await opened.insert("t", (1, 1))
    assert await opened.rows("totals") == Counter([(1, 1)])
    await opened.insert("t", *((k, 10) for k in range(1, 9)))
    assert await opened.rows("totals") == Counter([(1, 11), *((k, 10) for k in range(2, 9))])
    assert [step.mode for step in opened.ledger.maintainer.compute.statuses()[0].steps][-1] == "spark"
    assert await opened.rows("totals", few) == Counter([(1, 1)])
    await opened.insert("t", (1, 1))
    assert await opened.rows("totals") == Counter([(1, 12), *((k, 10) for k in range(2, 9))])


@pytest.mark.parametrize("most", [1, 1_000_000], ids=["joined by Spark", "joined here"])
async def test_a_view_is_made_of_a_state_that_it_joins(
    opened: Book, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(hydrating, "_MOST", most)
    await opened.run("CREATE TABLE t (k int8)")
    await opened.insert("t", *((k % 4,) for k in range(12)))
    groups = "(SELECT k, count(*) AS n FROM t GROUP BY k)"
    await opened.run(
        f"CREATE MATERIALIZED VIEW v AS SELECT x.k, y.k AS o FROM {groups} AS x JOIN {groups} AS y ON x.n = y.n"
    )
    assert await opened.rows("v") == Counter((k, other) for k in range(4) for other in range(4))
    await opened.insert("t", (0,))
    assert await opened.rows("v") == Counter([(0, 0), *((k, other) for k in range(1, 4) for other in range(1, 4))])
    assert sum(dataflow.counts.failures for dataflow in opened.ledger.maintainer.compute.statuses()) == 0


async def test_what_few_rows_drop_is_dropped_before_it_is_joined(opened: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    await opened.run("CREATE TABLE regions (r int8, name text)")
    await opened.run("CREATE TABLE nations (n int8, r int8)")
    await opened.run("CREATE TABLE sales (s int8, n int8, amount int8)")
    await opened.insert("regions", (1, "east"), (2, "west"), (3, "west"), (None, "west"))
    await opened.insert("nations", *((n, n % 4) for n in range(8)), (8, None))
    await opened.insert("sales", *((s, s % 10, s) for s in range(50)), (50, None, 1))
    asked: list[str] = []

    def noted(plan: Plan, code_limit: float | None) -> SparkQuery:
        asked.append(show(plan))
        return render(plan, code_limit)

    monkeypatch.setattr(hydrating, "render", noted)
    await opened.run(
        "CREATE MATERIALIZED VIEW v AS SELECT r.r, sum(amount) AS total FROM sales JOIN nations USING (n) "
        "JOIN regions r ON nations.r = r.r WHERE name = 'west' GROUP BY r.r"
    )
    kept = [s for s in range(50) if s % 10 < 8 and s % 10 % 4 in (2, 3)]
    totals = Counter({r: sum(s for s in kept if s % 10 % 4 == r) for r in (2, 3)})
    assert await opened.rows("v") == Counter(totals.items())
    assert [text.count("SemiJoin") for text in asked] == [3]


async def test_what_errs_on_spark_errs_in_the_view(opened: Book) -> None:
    await opened.run("CREATE TABLE t (n int8, d int8)")
    await opened.insert("t", *((n, n) for n in range(6)))
    await opened.run("CREATE MATERIALIZED VIEW q AS SELECT n / d FROM t")
    with pytest.raises(DivisionByZero):
        await opened.rows("q")
    await opened.delete("t", (0, 0))
    assert await opened.rows("q") == Counter({(1,): 5})


async def test_a_function_that_does_not_return_on_spark_makes_the_view_err_until_the_row_has_gone(opened: Book) -> None:
    body = "while n == 0: pass\nreturn n"
    await opened.run(f"CREATE FUNCTION f(n int8) RETURNS int8 LANGUAGE python AS $$\n{body}\n$$")
    await opened.run("ALTER SYSTEM SET python_function_timeout = '1 s'")
    await opened.run("CREATE TABLE t (n int8)")
    await opened.insert("t", *((n,) for n in range(6)))
    await opened.run("CREATE MATERIALIZED VIEW q AS SELECT f(n) FROM t")
    with pytest.raises(RoutineTimedOut, match=r"^function f: did not return within 1 s$"):
        await opened.rows("q")
    await opened.delete("t", (0,))
    assert await opened.rows("q") == Counter((n,) for n in range(1, 6))
    assert {step.mode for step in opened.status("q").steps} == {"spark"}


async def test_nulls_that_a_view_excludes_are_found_by_spark(opened: Book) -> None:
    await opened.run("CREATE TABLE t (n int8)")
    await opened.insert("t", (1,), (2,), (3,), (4,), (None,))
    await opened.run("CREATE MATERIALIZED VIEW v WITH (ASSERT NOT NULL n) AS SELECT n FROM t")
    with pytest.raises(NullValueNotAllowed):
        await opened.rows("v")
    await opened.delete("t", (None,))
    assert await opened.rows("v") == Counter([(1,), (2,), (3,), (4,)])


async def test_a_recursion_is_made_by_spark_and_goes_on_in_this_process(opened: Book) -> None:
    await opened.run("CREATE TABLE edges (a int8, b int8)")
    await opened.insert("edges", *((n, n + 1) for n in range(4)))
    await opened.run(
        "CREATE MATERIALIZED VIEW counts AS WITH MUTUALLY RECURSIVE "
        "r (a int8, b int8) AS (SELECT a, b FROM edges UNION SELECT r.a, e.b FROM r JOIN edges e ON r.b = e.a), "
        "s (a int8) AS (SELECT b FROM r WHERE a = 0 UNION SELECT r.b FROM s JOIN r ON s.a = r.a) "
        "SELECT r.a, count(*) FROM r JOIN s ON r.b = s.a GROUP BY r.a"
    )
    assert await opened.rows("counts") == Counter((n, 4 - n) for n in range(4))
    await opened.delete("edges", (1, 2))
    assert await opened.rows("counts") == Counter([(0, 1)])
    await opened.insert("edges", (0, 3))
    assert await opened.rows("counts") == Counter([(0, 3), (2, 2), (3, 1)])
    modes = [step.mode for step in opened.ledger.maintainer.compute.statuses()[0].steps]
    assert modes == ["spark", "incremental", "incremental"]


SHOP = {"customers": "id int8, segment text", "orders": "id int8, customer int8, day int8", "lines": "o int8, n int8"}


@pytest.mark.parametrize("modest", [8, 3], ids=["few", "more than thought"])
async def test_what_a_join_leaves_few_rows_of_is_found_first(
    opened: Book, monkeypatch: pytest.MonkeyPatch, modest: int
) -> None:
    asked = queries_noted(monkeypatch)
    monkeypatch.setattr(hydrating, "_MODEST", modest)
    monkeypatch.setattr(hydrating, "_MANY", 30)
    for name, columns in SHOP.items():
        await opened.run(f"CREATE TABLE {name} ({columns})")
    # A key may be there twice: what is found first has its rows once all the same.
    await opened.insert("customers", (1, "a"), (1, "a"), (2, "b"))
    await opened.insert("orders", *((k, k % 3, k) for k in range(20)))
    await opened.insert("lines", *((k % 20, k) for k in range(80)))
    where = "segment = 'a' AND customers.id = customer AND orders.id = o AND day < 12"
    query = f"SELECT o, sum(n) AS s, count(*) AS c FROM customers, orders, lines WHERE {where} GROUP BY o"
    await opened.run(f"CREATE MATERIALIZED VIEW v AS {query}")
    assert await opened.rows("v") == Counter((o, 2 * sum(range(o, 80, 20)), 8) for o in range(12) if o % 3 == 1)
    assert opened.status("v").steps[0].mode == "spark"
    first, then = asked[:2]
    assert "SEMI JOIN" in first.text
    assert "found 0" in then.inputs
    # Few customers are asked of all that meets them, and what was found of lines, if it is few.
    assert then.text.count("SEMI JOIN") == (2 if modest == 8 else 1)
    await opened.insert("lines", (1, 1_000))
    assert (1, 2 * (sum(range(1, 80, 20)) + 1_000), 10) in await opened.rows("v")
