"""A recursive view goes on from changes, also after a restart: what it reached is durable."""

from __future__ import annotations

from collections import Counter

from tests.adapter.books import Book, HandClock, book, quiet
from tests.persist.places import in_memory

REACH = (
    "CREATE MATERIALIZED VIEW reach AS WITH MUTUALLY RECURSIVE r (a int8, b int8) AS (SELECT a, b FROM edges UNION "
    "SELECT r.a, e.b FROM r JOIN edges e ON r.b = e.a) SELECT a, count(*) FROM r GROUP BY a"
)


def modes(opened: Book) -> list[str]:
    return [step.mode for step in opened.ledger.maintainer.compute.statuses()[0].steps]


async def test_a_recursion_goes_on_after_a_restart() -> None:
    place, clock = in_memory(), HandClock()
    async with book(place, clock, quiet()) as opened:
        await opened.run("CREATE TABLE edges (a int8, b int8)")
        await opened.insert("edges", (0, 1), (1, 2), (2, 0), (5, 0))
        await opened.run(REACH)
        assert await opened.rows("reach") == Counter([(0, 3), (1, 3), (2, 3), (5, 3)])
        await opened.insert("edges", (2, 3))
        assert await opened.rows("reach") == Counter([(0, 4), (1, 4), (2, 4), (5, 4)])
        assert modes(opened) == ["scratch", "incremental"]
    async with book(place, clock, quiet()) as opened:
        assert await opened.rows("reach") == Counter([(0, 4), (1, 4), (2, 4), (5, 4)])
        await opened.delete("edges", (2, 0))
        assert await opened.rows("reach") == Counter([(0, 3), (1, 2), (2, 1), (5, 4)])
        await opened.insert("edges", (3, 5))
        assert await opened.rows("reach") == Counter([(0, 5), (1, 5), (2, 5), (3, 5), (5, 5)])
        assert modes(opened) == ["incremental", "incremental"]
