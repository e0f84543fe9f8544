"""What views look up is in memory with the columns that one of them looks at, and no others."""

from __future__ import annotations

from collections import Counter

from tests.adapter.books import Book, book
from tests.persist.places import in_memory

NOTE = "n" * 1000
PLAIN = Counter({("Paris", 1): 1, ("Rome", 2): 1})


async def shop(opened: Book) -> None:
    await opened.run("CREATE TABLE orders (id int8, customer text, note text)")
    await opened.run("CREATE TABLE customers (name text, town text)")
    await opened.insert("orders", *((n, "a" if n == 1 else "b", NOTE) for n in (1, 2)), (3, "c", NOTE))
    await opened.run("CREATE MATERIALIZED VIEW towns AS SELECT town, id FROM orders JOIN customers ON customer = name")
    await opened.insert("customers", ("a", "Paris"), ("b", "Rome"))


def size(opened: Book, view: str) -> int:
    """The bytes of orders in memory, which a view looks up."""
    name = str(opened.id("orders"))
    return sum(each.size for each in opened.status(view).arrangements if each.name == name)


async def test_a_column_that_no_view_looks_at_is_not_in_memory() -> None:
    async with book() as opened:
        await shop(opened)
        assert await opened.rows("towns") == PLAIN
        assert 0 < size(opened, "towns") < len(NOTE)


async def test_a_view_that_looks_at_more_columns_brings_them_and_others_go_on() -> None:
    place = in_memory()
    async with book(place) as opened:
        await shop(opened)
        assert await opened.rows("towns") == PLAIN
        await opened.run(
            "CREATE MATERIALIZED VIEW notes AS SELECT town, length(note) FROM orders JOIN customers ON customer = name"
        )
        await opened.insert("customers", ("c", "Oslo"))
        assert await opened.rows("notes") == Counter([("Paris", 1000), ("Rome", 1000), ("Oslo", 1000)])
        assert await opened.rows("towns") == PLAIN + Counter([("Oslo", 3)])
        assert size(opened, "towns") > 3 * len(NOTE)
        await opened.delete("orders", (2, "b", NOTE))
        await opened.run("DROP MATERIALIZED VIEW notes")
        await opened.insert("orders", (4, "b", "short"))
        await opened.delete("customers", ("b", "Rome"))
        await opened.insert("customers", ("b", "Bonn"))
        assert await opened.rows("towns") == Counter([("Paris", 1), ("Bonn", 4), ("Oslo", 3)])
    async with book(place) as opened:
        await opened.delete("customers", ("b", "Bonn"))
        assert await opened.rows("towns") == Counter([("Paris", 1), ("Oslo", 3)])
        assert 0 < size(opened, "towns") < len(NOTE)


async def test_rows_that_went_before_are_not_found() -> None:
    place = in_memory()
    async with book(place) as opened:
        await shop(opened)
        await opened.delete("orders", (1, "a", NOTE))
        await opened.insert("orders", (1, "a", "other"), (1, "a", "third"))
        assert await opened.rows("towns") == Counter({("Paris", 1): 2, ("Rome", 2): 1})
    async with book(place) as opened:
        await opened.insert("customers", ("a", "Nice"))
        assert await opened.rows("towns") == Counter({("Paris", 1): 2, ("Nice", 1): 2, ("Rome", 2): 1})


async def test_a_column_that_came_later_is_looked_at() -> None:
    async with book() as opened:
        await shop(opened)
        assert await opened.rows("towns") == PLAIN
        await opened.run("ALTER TABLE orders ADD COLUMN cents int8")
        await opened.insert("orders", (9, "a", NOTE, 5))
        await opened.run(
            "CREATE MATERIALIZED VIEW paid AS SELECT town, cents FROM orders JOIN customers ON customer = name"
        )
        await opened.insert("customers", ("c", "Oslo"))
        assert await opened.rows("paid") == Counter([("Paris", None), ("Paris", 5), ("Rome", None), ("Oslo", None)])
        assert await opened.rows("towns") == PLAIN + Counter([("Paris", 9), ("Oslo", 3)])
