"""The law: at every time that can be read, a view has what its query has over the inputs at that time.

Whatever is written and however it is spread over commits; over ticks that let history be forgotten, over restarts, and
over others who take the store over.
"""

from __future__ import annotations

from collections import Counter
from contextlib import AsyncExitStack

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.plan_cache import Compiled
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.values import rows_of
from holdfast.errors import HoldfastError
from holdfast.plan.rewrite import optimize
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.sql import plan_query
from tests.adapter.books import Book, HandClock, book, quiet
from tests.persist.places import in_memory

TABLES = {"t": "k int8, n int8", "u": "k int8, name text"}

VIEWS = {
    "filtered": "SELECT k, n + 1 FROM t WHERE n > 1",
    "totals": "SELECT k, sum(n) AS s, count(*) AS c FROM t GROUP BY k",
    "joined": "SELECT t.k, name, n FROM t JOIN u ON t.k = u.k",
    "padded": "SELECT u.name, s FROM u LEFT JOIN totals ON u.k = totals.k",
    "top": "SELECT k, n FROM t ORDER BY n DESC, k LIMIT 2",
    "quotients": "SELECT k, sum(6 / n) AS q FROM t GROUP BY k",
    "reached": "WITH MUTUALLY RECURSIVE r (a int8, b int8) AS (SELECT k, n FROM t UNION SELECT r.a, t.n FROM r JOIN t "
    "ON r.b = t.k) SELECT a, b FROM r",
    "counted": "SELECT name, count(*) AS c FROM reached JOIN u ON u.k = reached.b GROUP BY name",
    "beyond": "SELECT name, q FROM quotients JOIN u USING (k)",
}

RETAIN = 40

small = st.integers(0, 2)
name = st.sampled_from(["a", "b"])
change = st.one_of(
    st.tuples(st.just("t"), st.sampled_from([1, -1]), small, small),
    st.tuples(st.just("u"), st.sampled_from([1, -1]), small, name),
)
deeds = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.lists(change, min_size=1, max_size=3)),
        st.tuples(st.just("tick"), st.integers(1, 30)),
        st.tuples(st.just("reopen")),
        st.tuples(st.just("take over")),
        st.tuples(st.just("read"), st.sampled_from(list(VIEWS))),
    ),
    max_size=14,
)


async def expected(opened: Book, view: str, time: Timestamp) -> object:
    """What the query of a view says from scratch: rows, or the message of its error."""
    names = SessionNames(opened.ledger.catalog, "materialize")
    query = opened.item(view).query
    assert query is not None
    plan = optimize(Compiled(plan_query(query, names)).plan)
    try:
        tables = {}
        for read in Compiled(plan_query(query, names)).reads:
            tables[read] = await opened.ledger.tables.rows(GlobalId.parse(read), time)
        found = evaluate(plan, tables)
    except HoldfastError as error:
        return type(error), str(error)
    return Counter(rows_of(found, [column.type for column in plan.relation.columns[: len(plan.names)]]))


async def told(opened: Book, view: str, time: Timestamp) -> object:
    try:
        return await opened.rows(view, time)
    except HoldfastError as error:
        return type(error), str(error)


async def check(opened: Book, times: list[Timestamp]) -> None:
    for view in VIEWS:
        await told(opened, view, opened.ledger.read_ts)
    sinces = [opened.ledger.tables.frontiers(opened.id(name))[0] for name in (*TABLES, *VIEWS)]
    for view in VIEWS:
        for time in times:
            if all(since.less_equal(time) for since in sinces):
                assert await told(opened, view, time) == await expected(opened, view, time), (view, time)


@settings(max_examples=20, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(deeds)
async def test_a_view_has_at_every_time_what_its_query_has(steps: list[tuple[object, ...]]) -> None:
    place, clock = in_memory(), HandClock()
    held: dict[str, Counter[tuple[object, ...]]] = {"t": Counter(), "u": Counter()}
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(book(place, clock, quiet(retain_ms=RETAIN)))
        for table, columns in TABLES.items():
            await opened.run(f"CREATE TABLE {table} ({columns})")
        for view, query in VIEWS.items():
            await opened.run(f"CREATE MATERIALIZED VIEW {view} AS {query}")
        times = [opened.ledger.read_ts]
        for kind, *arguments in steps:
            if kind == "write":
                (changes,) = arguments
                assert isinstance(changes, list)
                added: dict[str, list[tuple[object, ...]]] = {"t": [], "u": []}
                removed: dict[str, list[tuple[object, ...]]] = {"t": [], "u": []}
                for table, diff, *row in changes:
                    if diff > 0:
                        added[table].append(tuple(row))
                        held[table][tuple(row)] += 1
                    elif held[table][tuple(row)] > 0:
                        removed[table].append(tuple(row))
                        held[table][tuple(row)] -= 1
                together = opened.change("t", added["t"], removed["t"]) | opened.change("u", added["u"], removed["u"])
                times.append(await opened.ledger.write(together))
            elif kind == "tick":
                (ms,) = arguments
                assert isinstance(ms, int)
                await opened.let_pass(ms)
                times.append(opened.ledger.read_ts)
            elif kind == "read":
                await told(opened, str(arguments[0]), opened.ledger.read_ts)
            else:
                if kind == "reopen":
                    await stack.aclose()
                # Else whoever was there is in the middle of something, and finds out that its time is over.
                opened = await stack.enter_async_context(book(place, clock, quiet(retain_ms=RETAIN)))
        await check(opened, times)


pytestmark = pytest.mark.filterwarnings("error")
