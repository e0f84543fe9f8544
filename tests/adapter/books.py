"""Ledgers that tests open, write in plain rows and read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager

import pyarrow as pa

from holdfast.adapter.catalog.ddl import Decision, decide
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.ledger import Ledger, LedgerSettings
from holdfast.adapter.tables import TableChange, TableSettings
from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.compute.maintain import DataflowStatus
from holdfast.persist import Persist, PersistSettings
from holdfast.plan.types import Type
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.sql.parser import parse_one
from tests.persist.places import QUIET, Place, in_memory

Row = tuple[object, ...]


class HandClock:
    """A clock that stands still until it is set."""

    def __init__(self, now: int = 1_000_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now

    def pass_by(self, ms: int) -> None:
        self.now += ms


def quiet(**tables: int) -> LedgerSettings:
    """Time passes only when it is told to."""
    return LedgerSettings(tick_seconds=None, tables=TableSettings(**tables))


@asynccontextmanager
async def book(
    place: Place | None = None,
    clock: HandClock | None = None,
    settings: LedgerSettings | None = None,
    persist: PersistSettings = QUIET,
) -> AsyncIterator[Book]:
    """A ledger on the store at a place, by default in memory."""
    async with (place or in_memory()).writer(persist) as opened:
        clock = clock or HandClock()
        ledger = await Ledger.open(opened, clock=clock, settings=settings or quiet())
        try:
            yield Book(ledger, opened, clock)
        finally:
            await ledger.stop()


class Book:
    """A ledger to which tables are known by their names."""

    def __init__(self, ledger: Ledger, persist: Persist, clock: HandClock) -> None:
        self.ledger, self.persist, self.clock = ledger, persist, clock

    async def run(self, sql: str) -> Decision:
        """A statement that changes the catalog."""
        return await self.ledger.change_catalog(lambda catalog: decided(catalog, sql))

    def item(self, name: str) -> Item:
        return next(item for item in self.ledger.catalog.items.values() if item.name == name)

    def id(self, name: str) -> GlobalId:
        return self.item(name).id

    def change(self, name: str, added: Iterable[Row] = (), removed: Iterable[Row] = ()) -> dict[GlobalId, TableChange]:
        item = self.item(name)
        return {item.id: change_of([column.type for column in item.columns], added, removed)}

    async def insert(self, name: str, *rows: Row) -> Timestamp:
        return await self.ledger.write(self.change(name, added=rows))

    async def delete(self, name: str, *rows: Row) -> Timestamp:
        return await self.ledger.write(self.change(name, removed=rows))

    async def rows(self, name: str, as_of: int | None = None) -> Counter[Row]:
        item = self.item(name)
        time = self.ledger.read_ts if as_of is None else Timestamp(as_of)
        table = await self.ledger.tables.rows(item.id, time)
        return Counter(rows_of(table, [column.type for column in item.columns]))

    def status(self, name: str) -> DataflowStatus:
        """Of the dataflow of a view."""
        found = self.ledger.maintainer.compute.status(self.id(name))
        assert found is not None
        return found

    async def lookup(self, name: str, where: Mapping[int, object], as_of: int | None = None) -> Counter[Row] | None:
        time = self.ledger.read_ts if as_of is None else Timestamp(as_of)
        found = await self.ledger.tables.lookup(self.id(name), tuple(where), tuple(where.values()), time)
        return None if found is None else Counter(found)

    async def let_pass(self, ms: int) -> None:
        self.clock.pass_by(ms)
        await self.ledger.tick()


def decided(catalog: CatalogState, sql: str) -> Decision:
    role = catalog.role_named("materialize")
    assert role is not None
    return decide(parse_one(sql).statement, SessionNames(catalog, "materialize", session=1), role)


def change_of(types: Sequence[Type], added: Iterable[Row] = (), removed: Iterable[Row] = ()) -> TableChange:
    names = [f"column {index}" for index in range(len(types))]
    return TableChange(*(_table(list(rows), types, names) for rows in (added, removed)))


def _table(rows: list[Row], types: Sequence[Type], names: Sequence[str]) -> pa.Table:
    return table_of(rows, types, names)
