"""Views of which much changes at once, but few of it is of use: they need no Spark, once what tells so is in memory."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

from holdfast.adapter.tables.recent import Recent
from holdfast.compute.delta import sieve
from holdfast.compute.maintain import how
from holdfast.compute.maintain.arrangements import Arrangements, Key, _Shared
from holdfast.compute.maintain.gather import Changes
from holdfast.compute.maintain.machine import Machine
from holdfast.errors import UnavailableError
from holdfast.repr.frontier import Timestamp
from tests.adapter.books import Book, Row
from tests.adapter.maintain.spark_books import book_with_spark
from tests.adapter.maintain.test_law import expected, told
from tests.adapter.maintain.test_much_changes import TABLES, VIEWS, changed

FEW = 8
SHOP = {"orders": "k int8, day int8, note text", "lines": "k int8, n int8, note text"}
VIEW = "SELECT day, sum(n) AS s FROM orders JOIN lines USING (k) WHERE day < 2 AND n > 1 GROUP BY day"
OF_USE = "but few of use"


@pytest.fixture
async def opened(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Book]:
    """A ledger to which more than a few changes are many, unless few of them are of use."""
    assert spark.range(1).count() == 1
    monkeypatch.setattr(sieve, "MANY", 0)
    monkeypatch.setattr(how, "_FEW_ROWS", FEW)
    monkeypatch.setattr(how, "_LARGE_SHARE", 1e-9)
    async with book_with_spark(tmp_path) as book:
        yield book


async def shop(opened: Book) -> None:
    history = "WITH (RETAIN HISTORY FOR '1s')"
    for name, columns in SHOP.items():
        await opened.run(f"CREATE TABLE {name} ({columns}) {history}")
    await opened.insert("orders", *((k, k % 5, "old") for k in range(20)))
    await opened.insert("lines", *((k % 20, k % 4, "old") for k in range(60)))
    await opened.run(f"CREATE MATERIALIZED VIEW v {history} AS {VIEW}")
    assert await opened.rows("v") == await expected(opened, "v", opened.ledger.read_ts)


async def come(opened: Book, keys: Iterable[int], days: int) -> None:
    """Orders with a line each, at one time, on so many days."""
    orders = [(k, k % days, "new") for k in keys]
    lines = [(k, k, "new") for k, _, _ in orders]
    await opened.ledger.write(opened.change("orders", added=orders) | opened.change("lines", added=lines))


def last(opened: Book) -> tuple[str, bool]:
    step = opened.status("v").steps[-1]
    return step.mode, step.reason.endswith(OF_USE)


async def is_right(opened: Book) -> None:
    assert await opened.rows("v") == await expected(opened, "v", opened.ledger.read_ts)


async def at_rest() -> None:
    """Wait until dataflows have done also what nobody waits for."""
    tasks = [task for task in asyncio.all_tasks() if task.get_name().startswith("holdfast-dataflow")]
    await asyncio.gather(*tasks)


async def test_much_is_taken_here_if_few_is_of_use(opened: Book) -> None:
    await shop(opened)
    await come(opened, range(100, 120), 50)
    await is_right(opened)
    assert last(opened) == ("spark", False), "nothing was in memory"
    before, time = await opened.rows("v"), opened.ledger.read_ts
    await come(opened, range(200, 220), 19)
    await is_right(opened)
    assert last(opened) == ("incremental", True)
    # What is in memory has all of it, also what was of no use by itself, and so has the state.
    await opened.insert("orders", (300, 1, "one"))
    await opened.insert("lines", (300, 7, "one"), (202, 9, "one"), (205, 9, "one"))
    await is_right(opened)
    gone = [(k, k, "new") for k in range(200, 220)]
    await opened.ledger.write(opened.change("lines", removed=gone))
    await is_right(opened)
    assert last(opened) == ("incremental", True)
    assert await opened.rows("v", time) == before


async def test_much_of_a_view_is_taken_as_that_of_a_table(opened: Book) -> None:
    await shop(opened)
    await opened.run("DROP MATERIALIZED VIEW v")
    await opened.run("CREATE MATERIALIZED VIEW more AS SELECT k, n + 1 AS n, note FROM lines")
    await opened.run(f"CREATE MATERIALIZED VIEW v AS {VIEW.replace('lines', 'more')}")
    for turn, expected_last in ((1, ("spark", False)), (2, ("incremental", True))):
        await come(opened, range(100 * turn, 100 * turn + 20), 19)
        await is_right(opened)
        assert last(opened) == expected_last


async def test_what_is_of_use_after_all_is_for_spark_and_not_looked_through_again(
    opened: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, asked = Machine.read, list[frozenset[str]]()

    async def noted(self: Machine, changed: Iterable[str], basis: Timestamp, end: Timestamp) -> Changes:
        asked.append(frozenset(changed))
        return await read(self, changed, basis, end)

    monkeypatch.setattr(Machine, "read", noted)
    await shop(opened)
    for turn in range(1, 4):
        await come(opened, range(100 * turn, 100 * turn + 20), 2)
        await is_right(opened)
        assert last(opened) == ("spark", False)
    orders, lines = str(opened.id("orders")), str(opened.id("lines"))
    assert asked == [frozenset((orders, lines))]
    # That others change by themselves is another matter.
    await opened.insert("lines", *((k, 5, "new") for k in range(900, 920)))
    await is_right(opened)
    assert (last(opened), asked[1:]) == (("incremental", True), [frozenset((lines,))])


async def test_a_view_without_conditions_is_for_spark_at_once(opened: Book) -> None:
    await opened.run("CREATE TABLE t (k int8, n int8)")
    await opened.insert("t", *((k % 4, k) for k in range(20)))
    await opened.run("CREATE MATERIALIZED VIEW v AS SELECT k, sum(n) AS s FROM t GROUP BY k")
    for turn in range(2):
        await opened.insert("t", *((k % 4, turn) for k in range(20)))
        await is_right(opened)
        assert last(opened) == ("spark", False)


async def test_what_is_in_memory_is_not_loaded_again_only_because_time_passes(
    opened: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, loaded = Arrangements._loaded, list[Key]()

    async def noted(self: Arrangements, key: Key, columns: frozenset[int], time: Timestamp) -> _Shared:
        loaded.append(key)
        return await load(self, key, columns, time)

    monkeypatch.setattr(Arrangements, "_loaded", noted)
    monkeypatch.setattr(Recent, "reaches", lambda *_: False)  # as after a commit that is larger than what it holds
    await shop(opened)
    await come(opened, range(100, 120), 50)
    await is_right(opened)
    for turn in range(2, 5):
        await at_rest()
        # Tables forget all of it but what they are, once the view has.
        for _ in range(6):
            await opened.let_pass(500)
        if turn < 4:
            await come(opened, range(100 * turn, 100 * turn + 20), 19)
        else:
            await opened.insert("lines", (200, 7, "one"), (1, 7, "one"))
        await is_right(opened)
    assert [step.mode for step in opened.status("v").steps[-3:]] == ["incremental"] * 3
    assert len(loaded) == 2


async def test_tables_may_forget_also_if_what_nobody_waits_for_has_failed(
    opened: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shop(opened)
    with monkeypatch.context() as failing:

        async def fail(*_: object, **__: object) -> None:
            raise UnavailableError("not now")

        failing.setattr(Machine, "follow", fail)
        await come(opened, range(100, 120), 50)
        await is_right(opened)
        await at_rest()
    lines = opened.ledger.tables.collection(opened.id("lines"))
    for _ in range(6):
        await opened.let_pass(500)
    assert not lines.handle.since.less_equal(lines.changed_at)
    await come(opened, range(200, 220), 19)
    await is_right(opened)


async def test_what_is_too_large_is_not_loaded(opened: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(how, "_LOADED", 0)
    await shop(opened)
    for turn in range(1, 3):
        await come(opened, range(100 * turn, 100 * turn + 20), 50)
        await is_right(opened)
        assert last(opened) == ("spark", False)


async def test_a_row_of_use_that_makes_the_query_fail_does_so(opened: Book) -> None:
    for name, columns in SHOP.items():
        await opened.run(f"CREATE TABLE {name} ({columns})")
    await opened.insert("orders", *((k, k, "old") for k in range(20)))
    query = "SELECT day, sum(60 / n) AS s FROM orders JOIN lines USING (k) WHERE day < 2 GROUP BY day"
    await opened.run(f"CREATE MATERIALIZED VIEW v AS {query}")
    for turn in range(2):
        await opened.insert("lines", *((k, k + turn, "new") for k in range(1, 20)))
        await is_right(opened)
    assert last(opened) == ("incremental", True)
    await opened.insert("lines", *((k, 0, "new") for k in range(2, 20)))
    await is_right(opened)
    await opened.insert("lines", *((k, 0, "new") for k in range(20)))
    assert await told(opened, "v", opened.ledger.read_ts) == await expected(opened, "v", opened.ledger.read_ts)
    await opened.delete("lines", *((k, 0, "new") for k in range(20)))
    await is_right(opened)


async def test_a_view_is_what_its_query_is_however_many_changes_are_of_use(opened: Book) -> None:
    chance, there = Random(11), Counter[Row]()
    for name, columns in TABLES.items():
        await opened.run(f"CREATE TABLE {name} ({columns})")
    joined = {name: query for name, query in VIEWS.items() if " u " in f"{query} "}
    for name, query in joined.items():
        await opened.run(f"CREATE MATERIALIZED VIEW {name} AS {query}")
    for kind in ("names", "come", "all", "go", "both", "no names", "come", "all", "go", "both"):
        await changed(opened, chance, there, kind)
        for view in joined:
            time = opened.ledger.read_ts
            assert await told(opened, view, time) == await expected(opened, view, time), (kind, view)
    steps = [step for view in joined for step in opened.status(view).steps]
    assert any(step.reason.endswith(OF_USE) for step in steps)
