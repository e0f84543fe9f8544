"""What the ledger promises to those who write."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter

import pyarrow as pa
import pytest

from holdfast import failpoint
from holdfast.adapter import ledger
from holdfast.adapter.catalog.decision import Decision
from holdfast.adapter.catalog.errors import DuplicateRelation
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.errors import ConcurrentDrop
from holdfast.adapter.ledger import Ledger, LedgerSettings
from holdfast.adapter.tables import tables as tables_module
from holdfast.errors import HoldfastError, OutcomeUnknown, UsageError
from holdfast.persist.blob.memory import MemoryBlob
from holdfast.persist.errors import Fenced, Stopped
from holdfast.persist.metrics import COMMITS
from holdfast.plan.row_types import row_type_of
from holdfast.plan.types import INT8, TEXT
from holdfast.repr.frontier import Timestamp, at
from tests.adapter.books import HandClock, book, change_of, decided, quiet
from tests.persist.places import Place, in_memory
from tests.persist.unreliable import Chances, Unreliable


async def test_what_is_acknowledged_is_visible_and_there_when_the_database_is_opened_again() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8, name text)")
        time = await opened.insert("t", (1, "a"), (2, "b"), (2, "b"))
        assert opened.ledger.read_ts >= time
        await opened.delete("t", (2, "b"))
        assert await opened.rows("t") == Counter({(1, "a"): 1, (2, "b"): 1})
        last = opened.ledger.read_ts
    async with book(place) as opened:
        assert opened.ledger.read_ts >= last
        assert await opened.rows("t") == Counter({(1, "a"): 1, (2, "b"): 1})
        assert await opened.rows("t", time) == Counter({(1, "a"): 1, (2, "b"): 2})


async def test_all_who_wait_share_one_commit() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.run("CREATE TABLE u (n int8)")
        commits = opened.persist.metrics.counts[COMMITS]
        times = await asyncio.gather(*(opened.insert("t" if n % 2 else "u", (n,)) for n in range(40)))
        assert len(set(times)) == 1
        assert opened.persist.metrics.counts[COMMITS] == commits + 1
        assert await opened.rows("t") + await opened.rows("u") == Counter((n,) for n in range(40))


async def test_those_who_come_to_write_one_after_another_share_one_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "_GATHERING", 60.0)
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        writing = []
        for n in range(10):
            writing.append(asyncio.create_task(opened.insert("t", (n,))))
            await asyncio.sleep(0)  # the next one comes a turn later
        assert len(set(await asyncio.gather(*writing))) == 1


async def test_a_write_to_several_tables_is_one_write() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.run("CREATE TABLE u (n int8)")
        await opened.ledger.write(opened.change("t", [(1,)]) | opened.change("u", [(1,)]))
        with pytest.raises(UsageError):
            await opened.ledger.write(opened.change("t", [(2,)]) | {opened.id("u"): change_of([TEXT], [("2",)])})
    async with book(place) as opened:
        assert await opened.rows("t") == await opened.rows("u") == Counter([(1,)])


async def test_a_statement_that_fails_fails_alone() -> None:
    async with book() as opened:
        results = await asyncio.gather(
            opened.run("CREATE TABLE t (n int8)"),
            opened.run("CREATE TABLE t (n int8)"),
            opened.run("CREATE TABLE u (n int8)"),
            return_exceptions=True,
        )
        assert [type(result) for result in results] == [Decision, DuplicateRelation, Decision]
        good, bad = opened.insert("t", (1,)), opened.ledger.write({opened.id("u"): change_of([TEXT], [("x",)])})
        written = await asyncio.gather(good, bad, return_exceptions=True)
        assert isinstance(written[1], UsageError)
        assert await opened.rows("t") == Counter([(1,)])
        assert await opened.rows("u") == Counter()


async def test_a_decision_that_raises_anything_is_told_to_its_caller_alone() -> None:
    def decide(_: CatalogState) -> Decision:
        raise ZeroDivisionError

    async with book() as opened:
        results = await asyncio.gather(
            opened.ledger.change_catalog(decide), opened.run("CREATE TABLE t (n int8)"), return_exceptions=True
        )
        assert isinstance(results[0], ZeroDivisionError)
        assert opened.item("t").name == "t"


async def test_catalog_changes_and_writes_of_one_commit_are_in_their_order() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        before, after = opened.change("t", [(1,)]), opened.change("t", [(2,)])
        results = await asyncio.gather(
            opened.ledger.write(before),
            opened.run("DROP TABLE t"),
            opened.ledger.write(after),
            opened.run("CREATE VIEW t AS SELECT 1"),
            return_exceptions=True,
        )
        assert isinstance(results[2], ConcurrentDrop)
        assert str(results[2]) == 'relation "t" does not exist'
        assert results[0] == opened.ledger.read_ts
        assert opened.item("t").kind == "view"
    async with book(place) as opened:
        assert opened.item("t").kind == "view"
        assert await opened.persist.names() == ["catalog"]


async def test_a_write_to_a_table_that_was_dropped_long_ago_is_refused() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        late = opened.change("t", [(1,)])
        await opened.run("DROP TABLE t")
        with pytest.raises(ConcurrentDrop):
            await opened.ledger.write(late)


async def test_a_column_that_is_added_is_null_in_rows_that_were_written_or_planned_before() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", (1,))
        assert await opened.rows("t") == Counter([(1,)])
        earlier, later = opened.change("t", [(2,)]), opened.change("t", [(3,)])
        await asyncio.gather(
            opened.ledger.write(earlier),
            opened.run("ALTER TABLE t ADD COLUMN name text"),
            opened.ledger.write(later),
        )
        await opened.insert("t", (4, "four"))
        await opened.delete("t", (2, None))
        rows = Counter([(1, None), (3, None), (4, "four")])
        assert await opened.rows("t") == rows
        assert await opened.lookup("t", {1: "four"}) == Counter([(4, "four")])
    async with book(place) as opened:
        assert await opened.rows("t") == rows


async def test_a_table_can_be_made_widened_and_dropped_while_all_wait_together() -> None:
    async with book() as opened:
        await asyncio.gather(
            opened.run("CREATE TABLE t (n int8)"),
            opened.run("ALTER TABLE t ADD COLUMN name text"),
            opened.run("ALTER TABLE t ADD COLUMN other int8"),
            opened.run("CREATE TABLE gone (n int8)"),
            opened.run("DROP TABLE gone"),
        )
        await opened.insert("t", (1, "a", 2))
        assert await opened.rows("t") == Counter([(1, "a", 2)])
        with pytest.raises(StopIteration):
            opened.item("gone")


async def test_temporary_tables_are_written_and_read_and_gone_when_the_database_is_opened_again() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TEMPORARY TABLE t (n int8)")
        await opened.insert("t", (1,))
        assert await opened.rows("t") == Counter([(1,)])
        assert len(await opened.persist.names()) == 2
    async with book(place) as opened:
        assert not any(item.name == "t" for item in opened.ledger.catalog.items.values())
        assert await opened.persist.names() == ["catalog"]


async def test_a_collection_that_no_catalog_names_is_ended_and_its_id_can_be_given_again() -> None:
    place = in_memory()
    async with book(place) as opened:
        id = opened.ledger.catalog.next_id()
        await opened.persist.create_or_load(f"table {id}", row_type_of([TEXT]))
    async with book(place) as opened:
        assert await opened.persist.names() == ["catalog"]
        await opened.run("CREATE TABLE t (n int8)")
        assert opened.id("t") == id
        await opened.insert("t", (1,))
        assert await opened.rows("t") == Counter([(1,)])


async def test_who_gives_up_waiting_has_not_written() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        async with opened.ledger.exclusive():
            waiting = [asyncio.create_task(opened.insert("t", (n,))) for n in range(3)]
            await asyncio.sleep(0)
            waiting[1].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert await opened.rows("t") == Counter([(0,), (2,)])


# Reading, then writing


async def test_nothing_is_written_between_a_read_and_the_write_that_follows_from_it() -> None:
    async def add() -> None:
        async with opened.ledger.exclusive() as right:
            ((count,),) = (await opened.rows("t", right.as_of)).elements()
            assert isinstance(count, int)
            await asyncio.sleep(0)
            await right.commit(opened.change("t", [(count + 1,)], [(count,)]))

    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", (0,))
        await asyncio.gather(*(add() for _ in range(20)))
        assert await opened.rows("t") == Counter([(20,)])


async def test_time_passes_while_someone_has_the_exclusive_right_to_write() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        async with opened.ledger.exclusive() as right:
            waiting = asyncio.create_task(opened.insert("t", (1,)))
            await opened.let_pass(1_000)
            assert opened.ledger.read_ts > right.as_of
            assert not waiting.done()
            assert await right.commit(opened.change("t", [(2,)])) > opened.ledger.tables.changed_at(opened.id("t")) - 1
            with pytest.raises(UsageError, match="once"):
                await right.commit({})
        assert await waiting > right.as_of
        assert await opened.rows("t") == Counter([(1,), (2,)])


async def test_an_exclusive_write_whose_caller_is_cancelled_ends_before_the_next_begins() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")

        async def write() -> None:
            async with opened.ledger.exclusive() as right:
                await right.commit(opened.change("t", [(1,)]))

        staged = asyncio.Event()
        failpoint.install(lambda place: staged.set() if place == "append_staged" else None)
        try:
            task = asyncio.create_task(write())
            await staged.wait()
        finally:
            failpoint.install(None)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
        await opened.insert("t", (2,))
        assert await opened.rows("t") == Counter([(1,), (2,)])


async def test_a_write_on_condition_happens_only_if_what_it_read_is_unchanged() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.run("CREATE TABLE u (n int8)")
        ledger, id = opened.ledger, opened.id("t")
        as_of = ledger.read_ts
        await opened.insert("u", (1,))
        assert await ledger.write_unless_changed(opened.change("t", [(1,)]), [id], as_of) is not None
        assert await ledger.write_unless_changed(opened.change("t", [(2,)]), [id], as_of) is None
        both = [ledger.write_unless_changed(opened.change("t", [(n,)]), [id], ledger.read_ts) for n in (3, 4)]
        assert [time is None for time in await asyncio.gather(*both)] == [False, True]
        assert await opened.rows("t") == Counter([(1,), (3,)])
        stale = opened.change("u", [(9,)])
        as_of = ledger.read_ts
        await opened.run("DROP TABLE t")
        assert await ledger.write_unless_changed(stale, [id], as_of) is None


# Time


async def test_a_tick_advances_all_tables_in_one_transaction_if_the_clock_has_moved() -> None:
    async with book() as opened:
        for number in range(5):
            await opened.run(f"CREATE TABLE t{number} (n int8)")
        before = opened.ledger.read_ts
        opened.clock.now = before
        commits = opened.persist.metrics.counts[COMMITS]
        await opened.ledger.tick()
        assert opened.ledger.read_ts == before
        assert opened.persist.metrics.counts[COMMITS] == commits
        await opened.let_pass(1_000)
        assert opened.ledger.read_ts == before + 1_000
        assert opened.persist.metrics.counts[COMMITS] == commits + 1
        handles = await opened.persist.writers(await opened.persist.names())
        assert {handle.upper for handle in handles.values()} == {at(before + 1_001)}
        assert len(handles) == 6


async def test_of_many_tables_each_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_module, "_TICK_TABLES", 4)
    async with book() as opened:
        await asyncio.gather(*(opened.run(f"CREATE TABLE t{number} (n int8)") for number in range(10)))
        handles = await opened.persist.writers([name for name in await opened.persist.names() if name != "catalog"])
        created = opened.ledger.read_ts
        await opened.let_pass(1_000)
        assert sum(handle.upper == at(opened.ledger.read_ts + 1) for handle in handles.values()) == 4
        for _ in range(2):
            await opened.let_pass(1_000)
        assert all(handle.upper > at(created + 1) for handle in handles.values())
        # Those that have not had their turn are as complete as the others for whoever reads them here.
        for number in range(10):
            assert opened.ledger.tables.frontiers(opened.id(f"t{number}"))[1] == at(opened.ledger.read_ts + 1)
            assert await opened.rows(f"t{number}") == Counter()


async def test_time_passes_by_itself() -> None:
    settings = quiet()
    async with in_memory().writer() as persist:
        ledger = await Ledger.open(persist)
        later = Timestamp(ledger.read_ts + 1)
        assert settings.tick_seconds is None
        async with asyncio.timeout(30):
            await ledger.wait_until(later)
        assert ledger.read_ts >= later
        await ledger.stop()


# Failure


async def test_a_ledger_that_is_fenced_tells_all_who_wait_and_all_who_come() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        future = asyncio.create_task(opened.ledger.wait_until(Timestamp(opened.ledger.read_ts + 10**6)))
        changes = opened.ledger.tables.changes(opened.id("t"), opened.ledger.read_ts)
        following = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        async with await place.open_writer("test"):
            waiting = [asyncio.create_task(opened.insert("t", (n,))) for n in range(3)]
            for result in await asyncio.gather(*waiting, future, following, return_exceptions=True):
                assert isinstance(result, Fenced)
            with pytest.raises(Fenced):
                await opened.insert("t", (9,))
            with pytest.raises(Fenced):
                await opened.run("CREATE TABLE u (n int8)")
            with pytest.raises(Fenced):
                async with opened.ledger.exclusive():
                    pytest.fail("nobody may write")
    async with book(place) as opened:
        assert await opened.rows("t") == Counter()


async def test_a_commit_of_which_nothing_is_known_ends_the_ledger() -> None:
    held = in_memory()
    assert held.metadata is not None
    metadata = Unreliable(held.metadata, Chances())
    place = Place(held.location, metadata, held.blob)
    async with place.writer() as persist:
        ledger = await Ledger.open(persist, clock=HandClock(), settings=quiet())
        await ledger.change_catalog(lambda catalog: decided(catalog, "CREATE TABLE t (n int8)"))
        id = next(iter(ledger.catalog.items))
        metadata.chances = Chances(silent=1.0, unread=1.0)
        metadata.tried.clear()
        writes = [asyncio.create_task(ledger.write({id: change_of([INT8], [(n,)])})) for n in range(2)]
        await asyncio.to_thread(metadata.tried.wait)
        await persist.committer.stop()
        for result in await asyncio.gather(*writes, return_exceptions=True):
            assert isinstance(result, OutcomeUnknown)
        with pytest.raises(OutcomeUnknown):
            await ledger.write({id: change_of([INT8], [(3,)])})
        metadata.chances = Chances()
        await ledger.stop()
    async with book(held) as opened:
        assert await opened.rows("t") == Counter([(0,), (1,)])


async def test_a_metadata_store_that_fails_for_a_while_costs_nothing_but_time() -> None:
    held = in_memory()
    assert held.metadata is not None
    metadata = Unreliable(held.metadata, Chances(lost=0.2, silent=0.2, doubtful=0.2, unread=0.1), seed=3)
    async with book(Place(held.location, metadata, held.blob)) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        for n in range(20):
            await opened.insert("t", (n,))
        assert await opened.rows("t") == Counter((n,) for n in range(20))
    async with book(held) as opened:
        assert await opened.rows("t") == Counter((n,) for n in range(20))


async def test_a_ledger_that_stops_finishes_what_waits_and_refuses_what_comes() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        waiting = [asyncio.create_task(opened.insert("t", (n,))) for n in range(3)]
        await asyncio.sleep(0)
        await opened.ledger.stop()
        assert all(isinstance(result, int) for result in await asyncio.gather(*waiting))
        with pytest.raises(Stopped):
            await opened.insert("t", (9,))
        with pytest.raises(HoldfastError):
            await opened.ledger.wait_until(Timestamp(opened.ledger.read_ts + 1))
        await opened.ledger.stop()
    async with book(place) as opened:
        assert await opened.rows("t") == Counter((n,) for n in range(3))


class _Watched(MemoryBlob):
    """Tells when something was deleted."""

    def __init__(self) -> None:
        super().__init__()
        self.deleted = threading.Event()

    def delete(self, key: str) -> None:
        super().delete(key)
        self.deleted.set()


async def test_leftovers_of_writes_that_were_never_committed_are_deleted() -> None:
    held, blob = in_memory(), _Watched()
    place = Place(held.location, held.metadata, blob)
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", (1,))
        named = {meta.key for meta in blob.list("")}
        blob.put("s2/e1-00000000000000000000000000000000-0.parquet", pa.py_buffer(b"left by a crash"))
    async with book(place, settings=LedgerSettings(tick_seconds=None, garbage_seconds=0.0)) as opened:
        assert await asyncio.to_thread(blob.deleted.wait, 30)
        assert {meta.key for meta in blob.list("")} == named
        assert await opened.rows("t") == Counter([(1,)])
