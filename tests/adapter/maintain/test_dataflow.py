"""What maintained views promise to those who read them."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from holdfast.persist.metrics import COMMITS
from holdfast.plan.errors import DivisionByZero
from tests.adapter.books import Book, book, quiet
from tests.persist.places import in_memory


async def shop(opened: Book) -> None:
    await opened.run("CREATE TABLE orders (id int8, customer text, cents int8)")
    await opened.run("CREATE TABLE customers (name text, town text)")


async def test_a_view_has_what_its_query_has_when_it_is_made_and_after_each_change() -> None:
    async with book() as opened:
        await shop(opened)
        await opened.insert("orders", (1, "a", 10), (2, "b", 20), (3, "a", 5))
        await opened.run(
            "CREATE MATERIALIZED VIEW totals AS SELECT customer, sum(cents), count(*) FROM orders GROUP BY 1"
        )
        assert await opened.rows("totals") == Counter({("a", 15, 2): 1, ("b", 20, 1): 1})
        await opened.insert("orders", (4, "c", 1))
        await opened.delete("orders", (3, "a", 5))
        assert await opened.rows("totals") == Counter({("a", 10, 1): 1, ("b", 20, 1): 1, ("c", 1, 1): 1})


async def test_a_view_over_views_is_read_at_one_time() -> None:
    async with book() as opened:
        await shop(opened)
        await opened.run("CREATE MATERIALIZED VIEW totals AS SELECT customer, sum(cents) AS s FROM orders GROUP BY 1")
        await opened.run(
            "CREATE MATERIALIZED VIEW towns AS SELECT town, s FROM totals JOIN customers ON customer = name"
        )
        await opened.run("CREATE MATERIALIZED VIEW best AS SELECT max(s) FROM towns")
        await opened.insert("customers", ("a", "Paris"), ("b", "Rome"))
        times = [await opened.insert("orders", (n, "a" if n % 2 else "b", n)) for n in range(1, 9)]
        assert await opened.rows("best") == Counter([(20,)])
        assert await opened.rows("towns") == Counter([("Paris", 16), ("Rome", 20)])
        assert await opened.rows("towns", times[2]) == Counter([("Paris", 4), ("Rome", 2)])
        assert await opened.rows("best", times[0]) == Counter([(1,)])


async def test_a_view_goes_on_where_it_was_when_the_database_is_opened_again() -> None:
    place = in_memory()
    async with book(place) as opened:
        await shop(opened)
        await opened.run("CREATE MATERIALIZED VIEW totals AS SELECT customer, max(cents) FROM orders GROUP BY 1")
        before = await opened.insert("orders", (1, "a", 10), (2, "b", 20))
        await opened.rows("totals")
    async with book(place) as opened:
        assert await opened.rows("totals") == Counter([("a", 10), ("b", 20)])
        commits = opened.persist.metrics.counts[COMMITS]
        assert await opened.rows("totals", before) == Counter([("a", 10), ("b", 20)])
        assert opened.persist.metrics.counts[COMMITS] - commits <= 2  # leases of readers, nothing else
        await opened.delete("orders", (2, "b", 20))
        assert await opened.rows("totals") == Counter([("a", 10)])


async def test_a_view_errs_at_the_times_at_which_its_query_does_and_heals() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8, d int8)")
        await opened.run("CREATE MATERIALIZED VIEW q AS SELECT n / d AS q FROM t")
        await opened.run("CREATE MATERIALIZED VIEW above AS SELECT sum(q) FROM q")
        good = await opened.insert("t", (10, 5))
        assert await opened.rows("above") == Counter([(2,)])
        bad = await opened.insert("t", (1, 0))
        worse = await opened.insert("t", (6, 2))
        for name in ("q", "above"):
            with pytest.raises(DivisionByZero):
                await opened.rows(name)
    async with book(place) as opened:
        with pytest.raises(DivisionByZero):
            await opened.rows("above")
        healed = await opened.delete("t", (1, 0))
        assert await opened.rows("q") == Counter([(2,), (3,)])
        assert await opened.rows("above") == Counter([(5,)])
        assert await opened.rows("above", good) == Counter([(2,)])
        for time in (bad, worse, healed - 1):
            for name in ("q", "above"):
                with pytest.raises(DivisionByZero):
                    await opened.rows(name, time)
    async with book(place) as opened:
        assert await opened.rows("q", good) == Counter([(2,)])
        with pytest.raises(DivisionByZero):
            await opened.rows("q", bad)
        assert await opened.rows("q", healed) == Counter([(2,), (3,)])


async def test_a_view_that_errs_when_it_is_made_has_rows_once_it_does_not() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8, d int8)")
        await opened.insert("t", (1, 0), (4, 2))
        await opened.run("CREATE MATERIALIZED VIEW q AS SELECT n / d FROM t")
        with pytest.raises(DivisionByZero):
            await opened.rows("q")
        await opened.insert("t", (9, 3))
        with pytest.raises(DivisionByZero):
            await opened.rows("q")
    async with book(place) as opened:
        with pytest.raises(DivisionByZero):
            await opened.rows("q")
        await opened.delete("t", (1, 0))
        assert await opened.rows("q") == Counter([(2,), (3,)])


async def test_many_writers_and_readers_see_one_truth() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (k int8, n int8)")
        await opened.run("CREATE MATERIALIZED VIEW s AS SELECT count(*), sum(n) FROM t")

        async def write(k: int) -> None:
            for n in range(20):
                time = await opened.insert("t", (k, n))
                rows = await opened.rows("t", time)
                numbers = [n for _, n in rows.elements() if isinstance(n, int)]
                expected = Counter([(len(numbers), sum(numbers))])
                assert await opened.rows("s", time) == expected

        await asyncio.gather(*(write(k) for k in range(5)))


async def test_views_that_have_nothing_to_do_cost_nothing() -> None:
    async with book() as opened:
        await shop(opened)
        for number in range(20):
            await opened.run(
                f"CREATE MATERIALIZED VIEW v{number} AS SELECT customer, sum(cents) FROM orders GROUP BY 1"
            )
        await opened.insert("orders", (1, "a", 1))
        for number in range(20):
            await opened.rows(f"v{number}")
        await opened.let_pass(1_000)
        flows, tables = opened.ledger.maintainer.compute.statuses(), opened.ledger.tables
        seqnos = {flow.id: tables.collection(flow.id).handle.state.seqno for flow in flows}
        commits = opened.persist.metrics.counts[COMMITS]
        times = [await opened.insert("customers", ("a", str(number))) for number in range(10)]
        for _ in range(5):
            await opened.let_pass(1_000)
        for flow in opened.ledger.maintainer.compute.statuses():
            assert flow.complete == opened.ledger.read_ts
            assert tables.collection(flow.id).handle.state.seqno == seqnos[flow.id]
        assert opened.persist.metrics.counts[COMMITS] == commits + len(times) + 5


async def test_inputs_forget_what_no_view_needs_any_more() -> None:
    place = in_memory()
    async with book(place, settings=quiet(retain_ms=1_000)) as opened:
        await shop(opened)
        await opened.run("CREATE MATERIALIZED VIEW totals AS SELECT customer, sum(cents) FROM orders GROUP BY 1")
        for number in range(5):
            await opened.insert("orders", (number, "a", 1))
            await opened.rows("totals")
            await opened.let_pass(1_000)
        last = opened.ledger.read_ts
        for _ in range(4):
            await opened.let_pass(1_000)
        for name in ("orders", "totals"):
            since = opened.ledger.tables.collection(opened.id(name)).handle.since.time
            assert since is not None
            assert since >= last - 1_000
        assert await opened.rows("totals") == Counter([("a", 5)])
    async with book(place) as opened:
        await opened.insert("orders", (9, "a", 1))
        assert await opened.rows("totals") == Counter([("a", 6)])


async def test_a_view_over_a_table_that_gets_more_columns_goes_on() -> None:
    place = in_memory()
    async with book(place) as opened:
        await shop(opened)
        for town in ("Paris", "Rome"):
            await opened.insert("customers", (town[0], town))
        await opened.run(
            "CREATE MATERIALIZED VIEW pairs AS SELECT town, cents FROM customers JOIN orders ON name = customer"
        )
        await opened.insert("orders", (1, "P", 10))
        assert await opened.rows("pairs") == Counter([("Paris", 10)])
        await opened.run("ALTER TABLE orders ADD COLUMN note text")
        await opened.insert("orders", (2, "R", 20, "late"))
        await opened.delete("orders", (1, "P", 10, None))
        assert await opened.rows("pairs") == Counter([("Rome", 20)])
        await opened.run(
            "CREATE MATERIALIZED VIEW notes AS SELECT note, town FROM orders JOIN customers ON name = customer"
        )
        await opened.insert("customers", ("R", "Ravenna"))
        assert await opened.rows("notes") == Counter([("late", "Rome"), ("late", "Ravenna")])
    async with book(place) as opened:
        await opened.insert("orders", (3, "P", 30, "early"))
        assert await opened.rows("pairs") == Counter([("Rome", 20), ("Ravenna", 20), ("Paris", 30)])
        assert await opened.rows("notes") == Counter([("late", "Rome"), ("late", "Ravenna"), ("early", "Paris")])
