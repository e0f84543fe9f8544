"""When relations of the system are looked at anew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from holdfast.adapter.catalog.builtin import BUILTINS, Builtin, Contents, Introspection
from holdfast.adapter.subscribe.samples import Samples
from holdfast.repr.frontier import Timestamp
from tests.adapter.books import Book, book


def id_of(name: str) -> str:
    return next(each.id for each in BUILTINS.values() if isinstance(each, Builtin) and each.name == name)


class Looks:
    """What there is to be seen of a ledger, and how often someone has looked."""

    def __init__(self, opened: Book) -> None:
        self._ledger, self.count = opened.ledger, 0

    def __call__(self) -> Introspection:
        self.count += 1
        state = self._ledger.catalog
        role = state.role_named("materialize")
        assert role is not None
        return Introspection(state, "materialize", (), role, 1, self._ledger.read_ts, self._ledger.tables.frontiers)


@contextmanager
def looking(opened: Book, *names: str) -> Iterator[tuple[Samples, Looks]]:
    ledger, looks = opened.ledger, Looks(opened)
    relations = [id_of(name) for name in names]
    samples = Samples(relations, looks, lambda: ledger.catalog.version, Contents(), ledger.timeline)
    samples.begin(ledger.read_ts)
    yield samples, looks


async def test_what_follows_from_the_catalog_is_looked_at_when_that_has_changed() -> None:
    async with book() as opened:
        with looking(opened, "mz_tables") as (samples, looks):
            began = opened.ledger.read_ts
            for _ in range(5):
                await opened.let_pass(1_000)
                assert samples.due() is None
            assert looks.count == 1
            await opened.run("CREATE TABLE t (a int)")
            made = samples.due()
            assert made == opened.ledger.read_ts
            assert samples.due() is None
            assert looks.count == 2
            before = await samples.table(id_of("mz_tables"), Timestamp(made - 1))
            after = await samples.table(id_of("mz_tables"), made)
            assert began < made
            assert after.num_rows == before.num_rows + 1


async def test_what_the_server_does_is_looked_at_once_a_tick_however_much_is_written() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (a int)")
        with looking(opened, "mz_sessions") as (samples, looks):
            for _ in range(3):
                await opened.let_pass(1_000)
                assert samples.due() == opened.ledger.read_ts
                for n in range(20):
                    await opened.insert("t", (n,))
                    assert samples.due() is None
            assert looks.count == 4


async def test_time_passes_for_those_who_look_at_nothing_else() -> None:
    async with book() as opened:
        with looking(opened, "mz_tables") as (samples, _):
            passing = samples.passing(opened.ledger.read_ts)
            await opened.run("CREATE TABLE t (a int)")
            assert (await anext(passing)).time == opened.ledger.read_ts + 1
            await opened.let_pass(1_000)
            assert (await anext(passing)).time == opened.ledger.read_ts + 1
            await passing.aclose()
