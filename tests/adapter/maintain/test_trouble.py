"""What goes wrong around a dataflow: nothing is lost, nothing happens twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import pytest

from holdfast import failpoint
from holdfast.compute.evaluate import budget
from holdfast.compute.maintain.gather import Gathered
from holdfast.compute.maintain.machine import Machine
from holdfast.errors import UnavailableError
from holdfast.persist.errors import Fenced
from holdfast.plan.errors import DivisionByZero, ProgramLimitExceeded
from holdfast.repr.frontier import Timestamp
from holdfast.repr.update import UpdateBatch
from tests.adapter.asking import ask, database, rows
from tests.adapter.books import book
from tests.persist.places import in_memory


class Trouble:
    """Places where something fails, and how often it still does."""

    def __init__(self) -> None:
        self.left: Counter[str] = Counter()

    def __call__(self, place: str) -> None:
        if self.left[place]:
            self.left[place] -= 1
            raise UnavailableError(f"trouble at {place}")


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  nothing else tells
            await asyncio.sleep(0.01)


@pytest.fixture
def trouble() -> Iterator[Trouble]:
    made = Trouble()
    failpoint.install(made)
    yield made
    failpoint.install(None)


async def test_a_step_that_is_seen_and_not_kept_is_read_back_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    keep, failing = Machine.keep, list[bool]()

    async def kept(self: Machine, states: Mapping[str, UpdateBatch], taken: Gathered, basis: Timestamp) -> None:
        if failing and failing.pop():
            raise UnavailableError("no room for it")
        await keep(self, states, taken, basis)

    async with book() as opened:
        await opened.run("CREATE TABLE t (k int8, n int8)")
        await opened.run("CREATE TABLE u (k int8, name text)")
        await opened.run("CREATE MATERIALIZED VIEW sums AS SELECT k, sum(n) AS s, max(n) AS m FROM t GROUP BY k")
        await opened.run("CREATE MATERIALIZED VIEW named AS SELECT name, n FROM t JOIN u USING (k)")
        await opened.insert("u", (1, "one"))
        await opened.insert("t", (1, 1))
        assert await opened.rows("sums") == Counter([(1, 1, 1)])
        assert await opened.rows("named") == Counter([("one", 1)])
        monkeypatch.setattr(Machine, "keep", kept)
        for n in (2, 3, 4):
            failing.append(n < 4)
            await opened.insert("t", (1, n))
            assert await opened.rows("sums") == Counter([(1, n * (n + 1) // 2, n)])
            assert await opened.rows("named") == Counter(("one", each) for each in range(1, n + 1))
        await opened.delete("t", (1, 4))
        assert await opened.rows("sums") == Counter([(1, 6, 3)])
        assert sum(opened.status(view).counts.failures for view in ("sums", "named")) == 2


@pytest.mark.parametrize("place", ["step_computed", "step_committed"])
async def test_a_step_that_fails_is_made_again_or_known_to_be_made(place: str, trouble: Trouble) -> None:
    stored = in_memory()
    async with book(stored) as opened:
        await opened.run("CREATE TABLE t (k int8, d int8)")
        await opened.run(
            "CREATE MATERIALIZED VIEW totals AS SELECT k, count(*) AS c, sum(6 / d) AS s FROM t GROUP BY k"
        )
        await opened.run("CREATE MATERIALIZED VIEW over AS SELECT sum(c), max(s) FROM totals")
        times = []
        for n in (1, 2, 3):
            trouble.left[place] = min(n, 2)
            times.append(await opened.insert("t", (n % 2, n)))
            assert await opened.rows("over") == Counter([(n, max(6 if n < 3 else 8, 3))])
            assert not trouble.left[place]
        trouble.left[place] = 1
        bad = await opened.insert("t", (5, 0))
        with pytest.raises(DivisionByZero):
            await opened.rows("over")
        trouble.left[place] = 1
        await opened.delete("t", (5, 0))
        assert await opened.rows("over") == Counter([(3, 8)])
        assert await opened.rows("over", times[0]) == Counter([(1, 6)])
    async with book(stored) as opened:
        assert await opened.rows("over") == Counter([(3, 8)])
        with pytest.raises(DivisionByZero):
            await opened.rows("totals", bad)


async def test_a_view_that_cannot_be_written_says_so_and_waits(trouble: Trouble) -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (k int8)")
        await opened.run("CREATE MATERIALIZED VIEW c AS SELECT count(*) FROM t")
        assert await opened.rows("c") == Counter([(0,)])
        trouble.left["step_computed"] = 1_000
        await opened.insert("t", (1,))
        await until(lambda: opened.status("c").phase == "stalled")
        (entry,) = opened.ledger.maintainer.entries(opened.ledger.catalog)
        assert (entry.status, entry.error) == ("stalled", "trouble at step_computed")
        complete = opened.status("c").complete
        await opened.let_pass(5_000)
        assert opened.status("c").complete == complete < opened.ledger.read_ts
        trouble.left.clear()
        assert await opened.rows("c") == Counter([(1,)])
        (entry,) = opened.ledger.maintainer.entries(opened.ledger.catalog)
        assert (entry.status, entry.error) == ("running", None)


async def test_who_need_not_see_the_last_write_does_not_wait_for_a_view_that_is_behind(trouble: Trouble) -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (k int8)")
        await ask(session, "CREATE MATERIALIZED VIEW c AS SELECT count(*) FROM t")
        assert await rows(session, "SELECT * FROM c") == [("0",)]
        trouble.left["step_computed"] = 1_000
        await ask(session, "INSERT INTO t VALUES (1)")
        await ask(session, "SET transaction_isolation = serializable")
        assert await rows(session, "SELECT * FROM c") == [("0",)]
        assert await rows(session, "SELECT count(*), (SELECT * FROM c) FROM t") == [("0", "0")]
        trouble.left.clear()
        await ask(session, "SET transaction_isolation = 'strict serializable'")
        assert await rows(session, "SELECT * FROM c") == [("1",)]


async def test_who_takes_the_store_over_goes_on_where_the_other_was(trouble: Trouble) -> None:
    stored = in_memory()
    async with book(stored) as first:
        await first.run("CREATE TABLE t (k int8)")
        await first.run("CREATE MATERIALIZED VIEW c AS SELECT k, count(*) FROM t GROUP BY k")
        await first.insert("t", (1,))
        assert await first.rows("c") == Counter([(1, 1)])
        trouble.left["step_computed"] = 1_000
        await first.insert("t", (2,))
        async with book(stored) as second:
            trouble.left.clear()
            assert await second.rows("c") == Counter([(1, 1), (2, 1)])
            await second.insert("t", (1,))
            assert await second.rows("c") == Counter([(1, 2), (2, 1)])
            with pytest.raises(Fenced):
                await first.rows("c")


async def test_a_view_that_was_never_filled_is_filled_when_the_database_is_opened(trouble: Trouble) -> None:
    stored = in_memory()
    async with book(stored) as opened:
        await opened.run("CREATE TABLE t (k int8)")
        await opened.insert("t", (1,), (2,))
        trouble.left["step_computed"] = 1_000
        await opened.run("CREATE MATERIALIZED VIEW c AS SELECT count(*) FROM t")
        (entry,) = opened.ledger.maintainer.entries(opened.ledger.catalog)
        assert entry.status == "hydrating"
    trouble.left.clear()
    async with book(stored) as opened:
        assert await opened.rows("c") == Counter([(2,)])


async def test_collections_of_views_that_no_catalog_names_are_ended() -> None:
    stored = in_memory()
    async with book(stored) as opened:
        await opened.run("CREATE TABLE t (k int8)")
        await opened.run("CREATE MATERIALIZED VIEW c AS SELECT k, count(*) FROM t GROUP BY k")
        await opened.rows("c")
        id = opened.id("c")
        names = set(await opened.persist.names())
        handle = await opened.persist.create_or_load(
            f"state {id} 0123456789abcdef s0", opened.ledger.tables.row_type(id)
        )
        await opened.persist.create_or_load("view u99", handle.row_type)
    async with book(stored) as opened:
        assert set(await opened.persist.names()) == names
        assert await opened.rows("c") == Counter()


async def test_states_of_another_program_are_made_anew() -> None:
    stored = in_memory()
    async with book(stored) as opened:
        await opened.run("CREATE TABLE t (k int8, n int8)")
        await opened.run("CREATE MATERIALIZED VIEW m AS SELECT k, count(*), sum(n) FROM t GROUP BY k")
        await opened.insert("t", (1, 1), (1, 2), (2, 3))
        await opened.rows("m")
        names = [name for name in await opened.persist.names() if name.startswith("state ")]
        assert names
        await opened.let_pass(10)
    async with stored.writer() as persist:
        for handle in (await persist.writers(names)).values():
            assert await persist.drop(handle)
    async with book(stored) as opened:
        await opened.delete("t", (1, 2))
        assert await opened.rows("m") == Counter([(1, 1, 1), (2, 1, 3)])


@pytest.mark.parametrize("clock", ["", "WHERE mz_now() >= n"])
async def test_a_series_that_memory_has_no_room_for_is_an_error_until_its_row_goes(
    monkeypatch: pytest.MonkeyPatch, clock: str
) -> None:
    monkeypatch.setattr(budget, "_LONGEST", 100)
    stored = in_memory()
    async with book(stored) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.run(f"CREATE MATERIALIZED VIEW v AS SELECT count(*) FROM t, generate_series(1, t.n) g {clock}")
        await opened.insert("t", (60,))
        assert await opened.rows("v") == Counter([(60,)])
        await opened.insert("t", (900_000,))
        with pytest.raises(ProgramLimitExceeded):
            await opened.rows("v")
    async with book(stored, opened.clock) as opened:
        with pytest.raises(ProgramLimitExceeded):
            await opened.rows("v")
        await opened.delete("t", (900_000,))
        assert await opened.rows("v") == Counter([(60,)])
