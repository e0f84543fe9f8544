"""Capabilities: what who holds them can rely on, and what dataflows do with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from holdfast.adapter.maintain.view import viewed
from holdfast.compute.maintain import Holders, ReadCapability, ViewDescription, WriteCapability
from holdfast.errors import UsageError
from holdfast.persist.errors import AsOfBeforeSince
from holdfast.repr.frontier import EMPTY, Frontier, after, at
from holdfast.repr.ids import GlobalId, IdKind
from tests.adapter.books import Book, HandClock, book, quiet
from tests.persist.places import Place, in_memory

ID = GlobalId(IdKind.USER, 1)


# Alone


@given(st.lists(st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(0, 20))), min_size=1, max_size=40))
def test_holders_know_the_earliest_time_and_when_they_are_free(moves: list[tuple[int, int | None]]) -> None:
    freed: list[bool] = []
    holders = Holders(lambda: freed.append(True))
    held = [ReadCapability(ID, at(0), holders) for _ in range(4)]
    for which, to in moves:
        capability, frontier = held[which], EMPTY if to is None else at(to)
        if capability.frontier <= frontier:
            capability.downgrade(frontier)
            assert capability.frontier == frontier
        else:
            before = capability.frontier
            with pytest.raises(UsageError):
                capability.downgrade(frontier)
            assert capability.frontier == before
        live = [each.frontier.time for each in held if each.frontier.time is not None]
        assert holders.least() == min(live, default=None)
        assert holders.count == len(live)
        assert freed == ([] if live else [True])
    for capability in held:
        capability.drop()
        capability.drop()
    assert freed == [True]


def test_a_capability_that_moves_behind_an_earlier_one_takes_no_more_room() -> None:
    holders = Holders(lambda: None)
    first, second = (ReadCapability(ID, at(0), holders) for _ in range(2))
    for time in range(1, 10_000):
        second.downgrade(at(time))
    assert len(holders._heap) < 100
    assert holders.least() == 0
    first.drop()
    assert holders.least() == 9_999


# By hand

ONE, OTHER = GlobalId(IdKind.USER, 101), GlobalId(IdKind.USER, 102)


@pytest.fixture
async def opened() -> AsyncIterator[Book]:
    async with book(settings=quiet(retain_ms=1_000)) as found:
        await found.run("CREATE TABLE t (k int8, n int8)")
        await found.run("CREATE VIEW v AS SELECT k, sum(n) AS n FROM t GROUP BY k")
        await found.insert("t", (1, 1), (2, 2))
        yield found


async def described(opened: Book) -> tuple[ViewDescription, WriteCapability]:
    view = viewed(opened.item("v"), (ONE, OTHER), opened.ledger.catalog)
    return view, await opened.ledger.maintainer.compute.create(view)


def maintained(opened: Book, view: ViewDescription, output: WriteCapability) -> Sequence[ReadCapability]:
    tables, compute = opened.ledger.tables, opened.ledger.maintainer.compute
    found = compute.maintain_view(tables.acquire(view.inputs), view, [output])
    tables.begin(opened.item("v"), output.handle, {each.id: each for each in found}, compute.progress(view.id))
    return found


def readers(opened: Book, name: str) -> int:
    return opened.ledger.tables.collection(opened.id(name)).holders.count


async def test_a_dataflow_ends_with_the_last_capability_to_read_an_output_and_not_before(opened: Book) -> None:
    compute, (view, output) = opened.ledger.maintainer.compute, await described(opened)
    found = maintained(opened, view, output)
    assert [each.id for each in found] == [ONE, OTHER]
    assert await opened.rows("v") == Counter([(1, 1), (2, 2)])
    assert readers(opened, "t") == 2  # the catalog, and the view
    more = ReadCapability(ONE, found[0].frontier, found[0].holders)
    for capability in found:
        capability.drop()
        await opened.insert("t", (1, 10))
        assert await opened.rows("v") == Counter([(1, 1 + 10 * (1 + found.index(capability))), (2, 2)])
    more.drop()
    assert not compute.maintains(view.id)
    assert output.frontier == EMPTY
    assert readers(opened, "t") == 1
    await opened.let_pass(1_000)
    assert not [name for name in await opened.persist.names() if name.split()[-1] == str(view.id)]


async def test_what_a_dataflow_read_may_be_forgotten_once_it_has_ended(opened: Book) -> None:
    tables, (view, output) = opened.ledger.tables, await described(opened)
    found = maintained(opened, view, output)
    began = found[0].frontier
    held = ReadCapability(ONE, began, found[0].holders)
    await opened.rows("v")
    for number in range(3):
        await opened.insert("t", (3, number))
        await opened.let_pass(10_000)
    # The view can be read there, and so can what it was made of, though the table need not remember it.
    assert tables.frontiers(view.id)[0] == tables.frontiers(opened.id("t"))[0] == began
    assert await opened.rows("v", began.time) == Counter([(1, 1), (2, 2)])
    assert await opened.rows("t", began.time) == Counter([(1, 1), (2, 2)])
    for capability in (held, *found):
        capability.drop()
    await opened.let_pass(1)
    assert tables.frontiers(opened.id("t"))[0] == at(opened.ledger.read_ts - 1_000)
    assert tables.collection(opened.id("t")).handle.since > began


async def test_a_write_capability_moves_only_forward(opened: Book) -> None:
    view, output = await described(opened)
    maintained(opened, view, output)
    assert output.frontier == at(0)
    await opened.rows("v")
    time = await opened.insert("t", (1, 1))
    await opened.rows("v")
    assert output.frontier == after(time)
    for frontier in (at(time), EMPTY):
        with pytest.raises(UsageError):
            output.downgrade(frontier)
    later = output.downgrade(at(time + 10))
    assert {append.handle for append in later} == set(output.stores.handles)
    assert output.frontier == after(time)  # nothing of it is durable yet


async def test_a_view_is_maintained_only_with_the_rights_that_it_needs(opened: Book) -> None:
    tables, compute, (view, output) = opened.ledger.tables, opened.ledger.maintainer.compute, await described(opened)
    with pytest.raises(UsageError):
        compute.maintain_view([], view, [output])
    (early,) = tables.acquire(view.inputs)
    with pytest.raises(UsageError):
        compute.maintain_view([early], view, [])
    early.downgrade(at(opened.ledger.read_ts + 1))
    with pytest.raises(AsOfBeforeSince):
        compute.maintain_view([early], view, [output])
    assert early.frontier == EMPTY
    assert not compute.maintains(view.id)
    maintained(opened, view, output)
    (again,) = tables.acquire(view.inputs)
    with pytest.raises(UsageError):
        compute.maintain_view([again], view, [output])
    assert await opened.rows("v") == Counter([(1, 1), (2, 2)])


# As the catalog has them


async def test_a_view_with_two_indexes_is_maintained_until_both_are_gone(opened: Book) -> None:
    for name, column in (("i", "k"), ("j", "n")):
        await opened.run(f"CREATE INDEX {name} ON v ({column})")
    await opened.run("DROP INDEX i")
    await opened.insert("t", (1, 1))
    assert await opened.rows("v") == Counter([(1, 2), (2, 2)])
    with opened.ledger.tables.hold([opened.id("v")], opened.ledger.read_ts):
        await opened.run("DROP INDEX j")
        assert await opened.rows("v") == Counter([(1, 2), (2, 2)])
    assert not opened.ledger.maintainer.compute.statuses()


async def test_an_index_made_while_a_query_still_reads_a_view_keeps_it_when_the_query_ends(opened: Book) -> None:
    await opened.run("CREATE INDEX i ON v (k)")
    with opened.ledger.tables.hold([opened.id("v")], opened.ledger.read_ts):
        await opened.run("DROP INDEX i")
        await opened.run("CREATE INDEX j ON v (n)")
    await opened.insert("t", (1, 1))
    assert await opened.rows("v") == Counter([(1, 2), (2, 2)])


VIEWS = {"kept": ("t",), "sums": ("kept", "u"), "counts": ("sums",)}

ACTIONS = st.one_of(
    st.tuples(st.sampled_from(["t", "u"]), st.integers(0, 2)),
    st.tuples(st.just("pass"), st.integers(1, 4_000)),
    st.tuples(st.just("read"), st.sampled_from(sorted(VIEWS))),
    st.tuples(st.just("open"), st.just(0)),
)


class Watched:
    """A database whose frontiers are looked at after each action.

    What was durable when it was opened stays: a view may be known further than an input that finds out anew how far it
    is, and an input may have forgotten what a view still knows.
    """

    def __init__(self, opened: Book) -> None:
        self._opened = opened
        self._sinces = {name: self._since(name) for name in ("t", "u", *VIEWS)}
        self._uppers = {name: self._upper(name) for name in VIEWS}

    def _since(self, name: str) -> Frontier:
        return self._opened.ledger.tables.frontiers(self._opened.id(name))[0]

    def _upper(self, name: str) -> Frontier:
        """Of what can be read, and of what is durable."""
        tables, id = self._opened.ledger.tables, self._opened.id(name)
        return tables.frontiers(id)[1].join(tables.collection(id).handle.upper)

    def check(self) -> None:
        for name, inputs in VIEWS.items():
            for each in inputs:
                complete = self._opened.ledger.tables.frontiers(self._opened.id(each))[1]
                assert self._upper(name) <= complete.join(self._uppers[name])
                assert self._since(each) <= self._since(name).join(self._sinces[each])


async def made(place: Place, clock: HandClock, retain: int) -> None:
    async with book(place, clock, quiet(retain_ms=1_000)) as opened:
        await opened.run("CREATE TABLE t (n int8)")
        await opened.run("CREATE TABLE u (n int8)")
        await opened.run("CREATE MATERIALIZED VIEW kept AS SELECT n FROM t WHERE n > 0")
        await opened.run(
            f"CREATE MATERIALIZED VIEW sums WITH (RETAIN HISTORY FOR '{retain} seconds') AS "
            "SELECT u.n, sum(kept.n) AS s FROM kept JOIN u USING (n) GROUP BY 1"
        )
        await opened.run("CREATE MATERIALIZED VIEW counts AS SELECT count(*) FROM sums")


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.integers(1, 10), st.lists(ACTIONS, max_size=25))
@example(10, [("t", 1), ("pass", 4_000), ("t", 2), ("pass", 4_000), ("pass", 4_000), ("pass", 4_000)])
async def test_outputs_are_complete_no_further_and_inputs_readable_no_less_far_back(
    retain: int, actions: list[tuple[str, int | str]]
) -> None:
    place, clock = in_memory(), HandClock()
    await made(place, clock, retain)
    todo = list(actions)
    while True:
        async with book(place, clock, quiet(retain_ms=1_000)) as opened:
            watched = Watched(opened)
            while todo:
                match todo.pop(0):
                    case "open", _:
                        break
                    case "read", str(name):
                        await opened.rows(name)
                    case "pass", int(ms):
                        await opened.let_pass(ms)
                    case str(name), int(n):
                        await opened.insert(name, (n,))
                watched.check()
        if not todo:
            return
