"""Tables are read at every time that they are kept for, from memory or not, and nobody sees which."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.errors import NegativeCount
from holdfast.adapter.ledger import LedgerSettings
from holdfast.adapter.tables import by_key
from holdfast.adapter.tables import kept as kept_module
from holdfast.errors import HoldfastError, UsageError
from holdfast.persist import Changes, PersistSettings
from holdfast.persist.errors import AsOfBeforeSince, UnknownCollection
from holdfast.persist.gc import known_keys
from holdfast.repr.frontier import EMPTY, Timestamp, at
from holdfast.repr.ids import GlobalId, IdKind
from holdfast.repr.row import TIME
from tests.adapter.books import Book, HandClock, Row, book, quiet
from tests.persist.places import in_memory

NOTHING_IN_MEMORY = quiet(memory_bytes=0)


both = pytest.mark.parametrize("settings_", [quiet(), NOTHING_IN_MEMORY], ids=["memory", "persist"])
"""From memory, and from persist."""


Step = tuple[str, int]

steps: st.SearchStrategy[list[Step]] = st.lists(
    st.tuples(st.sampled_from(["insert", "insert", "delete", "update", "pass", "reopen"]), st.integers(0, 5)),
    max_size=25,
)


@settings(deadline=None, max_examples=40)
@given(steps=steps, memory=st.sampled_from([0, 10**9]))
def test_a_table_is_at_every_time_what_was_written_by_then(steps: Sequence[Step], memory: int) -> None:
    asyncio.run(_history(steps, quiet(memory_bytes=memory)))


async def _history(steps: Sequence[Step], settings_: LedgerSettings) -> None:
    place, clock = in_memory(), HandClock()
    async with book(place, clock) as opened:
        await opened.run("CREATE TABLE t (n int8, name text)")
        expected: dict[int, Counter[Row]] = {opened.ledger.read_ts: Counter()}
    waiting = list(steps)
    while waiting:
        async with book(place, clock, settings_) as opened:
            while waiting and (step := waiting.pop(0))[0] != "reopen":
                await _step(opened, expected, *step)
            await _check(opened, expected)


async def _step(opened: Book, expected: dict[int, Counter[Row]], what: str, number: int) -> None:
    now = Counter(expected[max(expected)])
    there = sorted(now.elements(), key=str)
    if what == "pass":
        await opened.let_pass(number * 7_000)
        return
    added: list[Row] = [(number, "new")] * 2 if what == "insert" else []
    removed = [there[number % len(there)]] if there and what != "insert" else []
    if what == "update" and removed:
        added = [(removed[0][0], f"{removed[0][1]}+")]
    if added or removed:
        time = await opened.ledger.write(opened.change("t", added, removed))
        now.update(added)
        now.subtract(removed)
        expected[time] = +now


async def _check(opened: Book, expected: dict[int, Counter[Row]]) -> None:
    since, upper = (frontier.time for frontier in opened.ledger.tables.frontiers(opened.id("t")))
    assert since is not None
    assert upper is not None
    for time in {since, upper - 1, *(time for time in expected if since <= time)}:
        now = expected[max((known for known in expected if known <= time), default=min(expected))]
        assert await opened.rows("t", time) == now
        for number in range(3):
            found = await opened.lookup("t", {0: number}, time)
            assert found is None or found == Counter({row: count for row, count in now.items() if row[0] == number})


async def test_reading_again_what_has_not_changed_gives_the_same_table() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", (1,))
        tables, id = opened.ledger.tables, opened.id("t")
        first = await tables.rows(id, opened.ledger.read_ts)
        await opened.let_pass(1_000)
        assert await tables.rows(id, opened.ledger.read_ts) is first


async def test_columns_are_chosen_by_their_positions() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8, name text)")
        await opened.insert("t", (1, "a"), (2, "b"))
        found = await opened.ledger.tables.rows(opened.id("t"), opened.ledger.read_ts, [1])
        assert [column.to_pylist() for column in found.columns] == [["a", "b"]]
        none = await opened.ledger.tables.rows(opened.id("t"), opened.ledger.read_ts, [])
        assert (none.num_columns, none.num_rows) == (0, 2)


async def test_a_read_of_a_time_to_come_waits_for_it() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        later = Timestamp(opened.ledger.read_ts + 500)
        reading = asyncio.create_task(opened.rows("t", later))
        looking = asyncio.create_task(opened.lookup("t", {0: 1}, later))
        await opened.insert("t", (1,))
        assert not reading.done()
        await opened.let_pass(1_000)
        assert await reading == await looking == Counter([(1,)])


async def test_what_is_written_while_a_table_is_being_read_into_memory_is_not_missed() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", *((n,) for n in range(1_000)))
    async with book(place) as opened:
        reading = asyncio.create_task(opened.rows("t"))
        looking = asyncio.create_task(opened.lookup("t", {0: 7}))
        await asyncio.sleep(0)
        await opened.ledger.write(opened.change("t", [(1_000,)], [(7,)]))
        assert await reading == Counter((n,) for n in range(1_000))
        assert await looking == Counter([(7,)])
        assert await opened.rows("t") == Counter((n,) for n in range(1_001) if n != 7)
        assert await opened.lookup("t", {0: 7}) == Counter()


async def test_many_rows_that_go_at_once_are_counted_rather_than_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_module, "_MANY_REMOVED", 10)
    monkeypatch.setattr(kept_module, "_AT_ONCE", 5)
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        before = await opened.insert("t", *((n % 50,) for n in range(100)))
        assert await opened.lookup("t", {0: 3}) == Counter({(3,): 2})
        await opened.delete("t", *((n,) for n in range(40)))
        assert await opened.rows("t") == Counter({(n,): 1 for n in range(40)} | {(n,): 2 for n in range(40, 50)})
        assert await opened.lookup("t", {0: 3}) == Counter({(3,): 1})
        assert await opened.rows("t", before) == Counter({(n,): 2 for n in range(50)})
        assert await opened.lookup("t", {0: 3}, before) is None


async def test_many_rows_that_went_before_all_that_can_be_read_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_module, "_MANY_REMOVED", 10)
    monkeypatch.setattr(kept_module, "_AT_ONCE", 5)
    async with book(settings=quiet(retain_ms=1_000)) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", *((n % 50,) for n in range(100)))
        assert await opened.lookup("t", {0: 3}) == Counter({(3,): 2})
        await opened.delete("t", *((n,) for n in range(40)))
        kept = opened.ledger.tables._table(opened.id("t")).kept
        assert kept is not None
        kept.settle(Timestamp(opened.ledger.read_ts + 5), ahead=False)  # before anyone has put it in
        await opened.let_pass(5)
        assert await opened.rows("t") == Counter({(n,): 1 for n in range(40)} | {(n,): 2 for n in range(40, 50)})
        assert await opened.lookup("t", {0: 3}) == Counter({(3,): 1})
        assert not kept.is_broken


async def test_a_table_larger_than_memory_is_read_all_the_same() -> None:
    async with book(settings=quiet(memory_bytes=2_000)) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", *((n,) for n in range(1_000)))
        assert (await opened.rows("t")).total() == 1_000
        assert await opened.lookup("t", {0: 1}) is None
        assert opened.ledger.tables.size(opened.id("t")) == 1_000


async def test_a_table_that_is_small_only_in_persist_is_not_read_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    async with book(settings=quiet(memory_bytes=30_000)) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", *((7,) for _ in range(5_000)))
        table = opened.ledger.tables._table(opened.id("t"))
        assert sum(batch.size for batch in table.handle.state.batches) < 30_000 < table.expected_bytes()

        async def refused(*_: object) -> NoReturn:
            raise AssertionError("it was read")

        with monkeypatch.context() as patch:
            patch.setattr(opened.ledger.tables._stored, "snapshot", refused)
            assert await opened.lookup("t", {0: 7}) is None
        assert (await opened.rows("t")).total() == 5_000


async def test_of_tables_that_do_not_fit_those_read_last_stay() -> None:
    async with book(settings=quiet(memory_bytes=20_000)) as opened:
        for name in ("a", "b", "c"):
            await opened.run(f"CREATE TABLE {name} (n int8)")
            await opened.insert(name, *((n,) for n in range(1_000)))
        for name in ("a", "b", "a", "c"):
            await opened.rows(name)
        tables = opened.ledger.tables
        in_memory_now = [name for name in ("a", "b", "c") if tables._table(opened.id(name)).kept is not None]
        assert in_memory_now == ["a", "c"]
        assert (await opened.rows("b")).total() == 1_000


async def test_a_table_that_takes_too_much_by_what_is_written_to_it_goes_when_time_passes() -> None:
    async with book(settings=quiet(memory_bytes=20_000)) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.rows("t")
        for start in range(0, 4_000, 1_000):
            await opened.insert("t", *((n,) for n in range(start, start + 1_000)))
        await opened.let_pass(1_000)
        assert opened.ledger.tables._table(opened.id("t")).kept is None
        assert (await opened.rows("t")).total() == 4_000


async def test_commits_that_nobody_reads_are_put_in_before_they_are_many() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.rows("t")
        kept = opened.ledger.tables._table(opened.id("t")).kept
        assert kept is not None
        for n in range(2 * kept_module._MANY_WAITING):
            await opened.insert("t", (n,))
        assert len(kept._waiting) <= kept_module._MANY_WAITING + 10
        assert (await opened.rows("t")).total() == 2 * kept_module._MANY_WAITING


@pytest.mark.parametrize("indexed", [True, False])
async def test_a_table_without_an_index_rests_before_it_is_made_ready_to_be_read(
    indexed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_up: list[str] = []
    async with book(in_memory()) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        if indexed:
            await opened.run("CREATE INDEX i ON t (n)")
        await opened.insert("t", (1,))
        assert await opened.ledger.tables.lookup(opened.id("t"), (0,), (1,), opened.ledger.read_ts) == [(1,)]
        monkeypatch.setattr(kept_module.Kept, "keep_up", lambda _: kept_up.append("now"))
        await opened.insert("t", (2,))
        for ms, expected in ((1_000, int(indexed)), (3_000, 2 * int(indexed)), (3_000, 1 + 2 * int(indexed))):
            opened.clock.pass_by(ms)
            await opened.ledger.tick()
            assert len(kept_up) == expected
        assert await opened.rows("t") == Counter([(1,), (2,)])


async def test_a_table_without_an_index_is_not_made_ready_while_someone_asks_for_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept_up: list[str] = []
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", (1,))
        await opened.rows("t")
        monkeypatch.setattr(kept_module.Kept, "keep_up", lambda _: kept_up.append("now"))
        await opened.insert("t", (2,))
        opened.clock.pass_by(10_000)
        with opened.persist.rest.asked():
            await opened.ledger.tick()
            assert not kept_up
        opened.clock.pass_by(1_000)
        await opened.ledger.tick()
        assert kept_up


async def test_a_row_that_was_never_there_is_not_taken_for_one() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", (1,))
        await opened.rows("t")
        await opened.delete("t", (2,))
        with pytest.raises(UsageError):
            await opened.rows("t")
        with pytest.raises(NegativeCount):
            await opened.rows("t")


async def test_what_is_no_table_cannot_be_read() -> None:
    async with book() as opened:
        with pytest.raises(UnknownCollection):
            await opened.ledger.tables.rows(GlobalId(IdKind.USER, 99), opened.ledger.read_ts)
        with pytest.raises(UnknownCollection):
            opened.ledger.tables.hold([GlobalId(IdKind.USER, 99)], opened.ledger.read_ts)


# History and holds


@both
async def test_history_is_kept_for_as_long_as_was_said(settings_: LedgerSettings) -> None:
    async with book(settings=settings_) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.run("CREATE TABLE long (n int8) WITH (RETAIN HISTORY FOR '1 hour')")
        for name in ("t", "long"):
            await opened.insert(name, (1,))
        first = opened.ledger.read_ts
        for name in ("t", "long"):
            await opened.delete(name, (1,))
        await opened.let_pass(60_000)
        assert await opened.rows("t", first) == Counter([(1,)])
        await opened.let_pass(60_000)
        since, upper = opened.ledger.tables.frontiers(opened.id("t"))
        assert (since, upper) == (at(opened.ledger.read_ts - 60_000), at(opened.ledger.read_ts + 1))
        with pytest.raises(AsOfBeforeSince):
            await opened.rows("t", first)
        assert await opened.rows("t", since.time) == Counter()
        assert await opened.rows("long", first) == Counter([(1,)])


async def test_a_table_can_be_told_to_remember_more_or_less() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        created = opened.ledger.read_ts
        await opened.run("ALTER TABLE t SET (RETAIN HISTORY FOR '1 hour')")
        await opened.let_pass(1_000_000)
        since, _ = opened.ledger.tables.frontiers(opened.id("t"))
        assert since.time is not None
        assert since.time <= created
        await opened.run("ALTER TABLE t RESET (RETAIN HISTORY)")
        await opened.let_pass(1)
        assert opened.ledger.tables.frontiers(opened.id("t"))[0] == at(opened.ledger.read_ts - 60_000)


@both
async def test_a_hold_keeps_a_time_readable_until_it_is_given_back(settings_: LedgerSettings) -> None:
    async with book(settings=settings_) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        id, tables = opened.id("t"), opened.ledger.tables
        first = await opened.insert("t", (1,))
        with tables.hold([id], first) as hold:
            second = await opened.insert("t", (2,))
            for _ in range(3):
                await opened.let_pass(100_000)
            assert tables.frontiers(id)[0] == at(first)
            assert await opened.rows("t", first) == Counter([(1,)])
            hold.downgrade(second)
            with pytest.raises(UsageError):
                hold.downgrade(first)
            await opened.let_pass(1)
            assert tables.frontiers(id)[0] == at(second)
            with pytest.raises(AsOfBeforeSince):
                tables.hold([id], first)
        hold.release()
        await opened.let_pass(1)
        assert tables.frontiers(id)[0] == at(opened.ledger.read_ts - 60_000)


async def test_what_persist_remembers_follows_but_never_passes_a_hold_and_rests_with_the_table() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        id, tables = opened.id("t"), opened.ledger.tables
        handle = (await opened.persist.writers([f"table {id}"]))[f"table {id}"]
        held = await opened.insert("t", (1,))
        with tables.hold([id], held):
            last = await opened.insert("t", (2,))
            for _ in range(3):
                await opened.let_pass(200_000)
            assert handle.since == at(held)
        await opened.let_pass(200_000)
        rested = handle.since
        assert rested == at(opened.ledger.read_ts - 60_000 - 200_000) > at(last)
        await opened.let_pass(200_000)
        assert handle.since == rested


async def test_after_a_crash_nobody_holds_anything() -> None:
    place, clock = in_memory(), HandClock()
    async with book(place, clock) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        opened.ledger.tables.hold([opened.id("t")], opened.ledger.read_ts)
    async with book(place, clock) as opened:
        await opened.let_pass(1_000_000)
        assert opened.ledger.tables.frontiers(opened.id("t"))[0] == at(opened.ledger.read_ts - 60_000)


async def test_a_dropped_table_is_read_by_those_who_hold_it_and_then_ends() -> None:
    async with book(settings=NOTHING_IN_MEMORY) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        id, tables = opened.id("t"), opened.ledger.tables
        await opened.insert("t", (1,))
        hold = tables.hold([id], opened.ledger.read_ts)
        await opened.run("DROP TABLE t")
        await opened.let_pass(1_000)
        assert (await tables.rows(id, opened.ledger.read_ts)).num_rows == 1
        hold.release()
        with pytest.raises(UnknownCollection):
            await tables.rows(id, opened.ledger.read_ts)
        await opened.let_pass(1_000)
        assert await opened.persist.names() == ["catalog"]


async def test_a_dropped_table_that_another_process_reads_ends_when_that_one_has_read() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.insert("t", (1,))
        async with await place.open_reader() as other:
            reader = await other.reader(f"table {opened.id('t')}")
            await opened.run("DROP TABLE t")
            await opened.let_pass(1_000)
            assert len(await opened.persist.names()) == 2
            await reader.close()
        await opened.let_pass(1_000)
        assert await opened.persist.names() == ["catalog"]


async def test_one_row_changed_some_thousand_times_takes_the_room_of_one() -> None:
    place, clock = in_memory(), HandClock()
    eager = PersistSettings(compact=True, notify=False)
    async with book(place, clock, persist=eager) as opened:
        await opened.run("CREATE TABLE t (n int8, name text)")
        await opened.insert("t", (0, "x" * 100))
        id = opened.id("t")
        handle = (await opened.persist.writers([f"table {id}"]))[f"table {id}"]
        most_batches = most_bytes = 0
        for n in range(2_000):
            await opened.ledger.write(opened.change("t", [(n + 1, "x" * 100)], [(n, "x" * 100)]))
            clock.pass_by(100)
            if n % 10 == 0:
                assert await opened.lookup("t", {0: n + 1}) == Counter([(n + 1, "x" * 100)])
                await opened.ledger.tick()
            kept = opened.ledger.tables._table(id).kept
            assert kept is not None
            most_batches, most_bytes = max(most_batches, len(handle.state.batches)), max(most_bytes, kept.nbytes)
        assert await opened.rows("t") == Counter([(2_000, "x" * 100)])
        assert most_batches < 100
        assert most_bytes < 5_000_000
        await opened.let_pass(200_000)
        await opened.let_pass(200_000)
        await opened.persist.compact(f"table {id}")
        await opened.persist.collect_garbage()
        assert place.metadata is not None
        assert place.blob is not None
        assert len(known_keys(place.metadata)) == len(list(place.blob.list(""))) < 100


async def test_what_keys_are_found_in_stays_in_few_runs_as_time_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_key, "_LATE", 8)
    async with book(in_memory(), HandClock()) as opened:
        await opened.run("CREATE TABLE t (n int8, name text)")
        for n in range(400):
            await opened.insert("t", (n, str(n)))
            assert await opened.lookup("t", {0: n}) == Counter([(n, str(n))])
            if n % 20 == 0:
                await opened.let_pass(1_000)
                await opened.ledger.tables._background.finish()
        kept = opened.ledger.tables._table(opened.id("t")).kept
        assert kept is not None
        assert len(kept._contents.indexes[0,].slots._runs) < 8


# Following


async def _next(changes: AsyncIterator[Changes]) -> tuple[list[tuple[int, int]], int | None]:
    step = await anext(changes)
    times = step.updates.table[TIME].to_pylist()
    return sorted(zip(step.updates.table["c0"].to_pylist(), times, strict=True)), step.upper.time


async def test_changes_come_in_order_as_they_happen_and_say_how_far_they_go() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        first = await opened.insert("t", (1,))
        changes = opened.ledger.tables.changes(opened.id("t"), first)
        waiting = asyncio.ensure_future(_next(changes))
        second = await opened.insert("t", (2,))
        assert await waiting == ([(2, second)], second + 1)
        third, fourth = await opened.insert("t", (3,)), await opened.insert("t", (4,))
        assert await _next(changes) == ([(3, third)], third + 1)
        assert await _next(changes) == ([(4, fourth)], fourth + 1)
        await opened.let_pass(1_000)
        assert await _next(changes) == ([], opened.ledger.read_ts + 1)
        await changes.aclose()


async def test_who_is_prompt_learns_soon_that_nothing_has_happened_here() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.run("CREATE TABLE other (n int8)")
        changes = opened.ledger.tables.changes(opened.id("t"), opened.ledger.read_ts, prompt=True)
        waiting = asyncio.ensure_future(_next(changes))
        await asyncio.sleep(0)
        await opened.insert("other", (1,))
        assert await waiting == ([], opened.ledger.read_ts + 1)
        await changes.aclose()


async def test_who_follows_from_an_earlier_time_is_told_all_since() -> None:
    place = in_memory()
    async with book(place) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        start = opened.ledger.read_ts
        times = [await opened.insert("t", (n,)) for n in range(5)]
    async with book(place) as opened:
        later = await opened.insert("t", (9,))
        changes = opened.ledger.tables.changes(opened.id("t"), start)
        seen: list[tuple[int, int]] = []
        upper: int | None = start + 1
        while upper != opened.ledger.read_ts + 1:
            found, upper = await _next(changes)
            seen += found
        assert seen == [*((n, time) for n, time in enumerate(times)), (9, later)]


@pytest.mark.parametrize("recent_bytes", [0, 3 * 4_200, 10**9])
async def test_a_slow_follower_misses_nothing_and_keeps_nothing_waiting(recent_bytes: int) -> None:
    async with book(settings=quiet(recent_bytes=recent_bytes)) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        changes = opened.ledger.tables.changes(opened.id("t"), opened.ledger.read_ts)
        written: list[tuple[int, int]] = []
        seen: list[tuple[int, int]] = []
        upper = 0
        for n in range(40):
            written.append((n, await opened.insert("t", (n,))))
            await opened.let_pass(10_000)
            if n % 9 == 0:
                found, reached = await _next(changes)
                assert reached is not None
                assert all(upper <= time < reached for _, time in found)
                seen, upper = seen + found, reached
        while upper != opened.ledger.read_ts + 1:
            found, reached = await _next(changes)
            assert reached is not None
            seen, upper = seen + found, reached
        assert seen == written


async def test_what_is_followed_stays_readable_from_where_the_follower_is() -> None:
    async with book(settings=quiet(recent_bytes=0)) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        id, start = opened.id("t"), opened.ledger.read_ts
        changes = opened.ledger.tables.changes(id, start)
        first = asyncio.ensure_future(_next(changes))
        await opened.insert("t", (1,))
        _, upper = await first
        assert upper is not None
        await opened.let_pass(500_000)
        assert opened.ledger.tables.frontiers(id)[0] == at(upper - 1)
        await changes.aclose()
        await opened.let_pass(1)
        assert opened.ledger.tables.frontiers(id)[0] == at(opened.ledger.read_ts - 60_000)
        with pytest.raises(AsOfBeforeSince):
            await anext(opened.ledger.tables.changes(id, start))


async def test_the_changes_of_a_dropped_table_end() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        changes = opened.ledger.tables.changes(opened.id("t"), opened.ledger.read_ts)
        waiting = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        await asyncio.gather(opened.insert("t", (1,)), opened.run("DROP TABLE t"))
        assert (await waiting).updates.rows == 1
        steps_left = [step async for step in changes]
        assert [step.upper for step in steps_left] == [EMPTY]
        await opened.let_pass(1_000)
        assert await opened.persist.names() == ["catalog"]


async def test_a_column_that_is_added_shows_in_the_changes_that_follow() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        changes = opened.ledger.tables.changes(opened.id("t"), opened.ledger.read_ts)
        waiting = asyncio.ensure_future(anext(changes))
        await opened.insert("t", (1,))
        assert (await waiting).updates.row_type.names == ("c0",)
        await opened.run("ALTER TABLE t ADD COLUMN name text")
        await opened.insert("t", (2, "b"))
        step = await anext(changes)
        while not step.updates.rows:
            step = await anext(changes)
        assert step.updates.row_type.names == ("c0", "c1")


async def test_a_follower_of_a_ledger_that_stops_is_told() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (n int8)")
        changes = opened.ledger.tables.changes(opened.id("t"), opened.ledger.read_ts)
        waiting = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        await opened.ledger.stop()
        with pytest.raises(HoldfastError):
            await waiting
