"""VERIFY: what is maintained, compared with the same computed from scratch.

Of a view that is materialized or has an index, the contents that are kept are compared with the answer to its query, at
one time. Of an index, what is found by each of the keys is compared with the durable rows that have the key.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import pyarrow as pa

from holdfast.adapter.catalog.names import SessionNames, as_relation
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.privileges import require_select
from holdfast.adapter.catalog.refresh import last_refresh
from holdfast.adapter.found_by import found_by
from holdfast.adapter.registered_names import with_names
from holdfast.adapter.results import Piece, Row, Rows
from holdfast.adapter.session.as_of import Wanted
from holdfast.adapter.session.queries import Reading, compiled, pieces, reading, time_wanted
from holdfast.adapter.session.state import SessionState
from holdfast.adapter.tables import Part, key_of
from holdfast.compute.evaluate.keys import Key, equality
from holdfast.compute.evaluate.values import rows_of
from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Function
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import INT8, TEXT, Type, record_of
from holdfast.repr.frontier import Timestamp
from holdfast.sql import OutputColumn, plan_query
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.errors import NotSupported
from holdfast.sql.parser import parse_query
from holdfast.sql.render.query import SQL
from holdfast.sql.render.quote import dotted
from holdfast.sql.syntax.statement.inspect import Verify
from holdfast.sql.syntax.statement.kind import Kind

COLUMNS = (OutputColumn("problem", TEXT), OutputColumn("row", TEXT), OutputColumn("count", INT8))
"""A row that is `missing` from what is maintained, or one that is `extra`, and how many of it."""

_AT_ONCE = 1_000
"""Rows, and keys, that are looked at before others have their turn."""


async def verify(state: SessionState, syntax: Verify) -> Rows:
    """The rows that differ: none where all is right."""
    item = state.names.item(syntax.name, "materialized-view" if syntax.kind is Kind.MATERIALIZED_VIEW else "index")
    relation = item if item.on is None else state.catalog.item(item.on)
    require_select(state.catalog, state.role, [relation.id])
    by = found_by(item)
    if relation.query is None and by is None:
        raise NotSupported("VERIFY INDEX of a table is only supported where rows are found by it", syntax.location)
    wanted, path = _refreshed(state, relation, await time_wanted(state, syntax.as_of)), state.catalog.path_of(relation)
    contents = None if relation.query is None else await _read(state, relation, difference(relation, path), wanted)
    try:
        rows = None if by is None else await _read(state, relation, f"SELECT * FROM {dotted(path)}", wanted)
    except BaseException:
        _release(contents)
        raise
    return Rows(COLUMNS, _found(state, relation, contents, by, rows), "VERIFY")


def _refreshed(state: SessionState, relation: Item, wanted: Wanted | None) -> Wanted | None:
    """A view that is refreshed at times of its own has what its query had at the last of them."""
    status = state.shared.ledger.maintainer.compute.status(relation.id) if relation.refresh else None
    last = None if status is None else status.basis
    if last is None or (wanted is not None and wanted.at_least):
        return wanted
    if wanted is not None and wanted.time < last:
        earlier = last_refresh(relation.refresh, wanted.time + 1)
        return wanted if earlier is None else Wanted(Timestamp(earlier), at_least=False)
    return Wanted(last, at_least=False)


async def _found(
    state: SessionState,
    relation: Item,
    contents: Reading | None,
    by: tuple[Part, ...] | None,
    rows: Reading | None,
) -> AsyncIterator[Piece]:
    try:
        if contents is not None:
            async for piece in pieces(state, contents, ()):
                yield piece
        if by is not None and rows is not None:
            yield await _misplaced(state, relation, by, rows)
    finally:
        _release(contents, rows)


def _release(*readings: Reading | None) -> None:
    for reading_ in readings:
        if reading_ is not None and reading_.hold is not None:
            reading_.hold.release()


@dataclass(frozen=True, slots=True)
class FromScratch:
    """A catalog in which one relation is what is kept of it, and no other view is but its query."""

    names: SessionNames
    kept: CatalogRelation
    path: tuple[str, ...]

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        return self.kept if parts == self.path else self.names.relation(parts)

    def type(self, parts: tuple[str, ...]) -> Type | None:
        return self.names.type(parts)

    def functions(self, parts: tuple[str, ...]) -> Sequence[Function] | None:
        return self.names.functions(parts)


async def _read(state: SessionState, relation: Item, text: str, wanted: Wanted | None) -> Reading:
    """The query of a text, at its time."""
    kept = as_relation(state.catalog, relation, by_index=True)
    catalog = FromScratch(replace(state.names, by_index=False), kept, state.catalog.path_of(relation))
    # The same text means something else to those who ask for it themselves.
    found = await compiled(state, f"VERIFY {text}", (), lambda: with_names(plan_query(parse_query(text), catalog)))
    return await reading(state, found, wanted)


# Contents


def difference(view: Item, path: tuple[str, ...]) -> str:
    """The query for the rows that one side has more often than the other. Each side is read once."""
    assert view.query is not None  # what a view is
    columns = ", ".join(f"c{number}" for number, _ in enumerate(view.columns, start=1))
    named = f" ({columns})" if columns else ""
    groups = f" GROUP BY {columns}" if columns else ""
    return (
        f"WITH kept{named} AS (SELECT * FROM {dotted(path)}), scratch{named} AS ({SQL.query(view.query)}), "
        "sides AS (SELECT *, 1 AS side FROM scratch UNION ALL SELECT *, -1 AS side FROM kept) "
        "SELECT CASE WHEN sum(side) > 0 THEN 'missing' ELSE 'extra' END AS problem, "
        f"CAST(ROW ({columns}) AS text) AS row, abs(sum(side)) AS count FROM sides{groups} HAVING sum(side) <> 0 "
        "ORDER BY 1 DESC, 2"
    )


# Lookups


async def _misplaced(state: SessionState, relation: Item, by: tuple[Part, ...], chosen: Reading) -> Piece:
    types = tuple([column.type for column in relation.columns])
    tables, of_row, same = state.shared.ledger.tables, key_of(by, types), equality(types)
    by_key: dict[tuple[object, ...], Counter[Key]] = {}
    shown: dict[Key, Row] = {}
    async for row in _one_by_one(await tables.durable_rows(relation.id, chosen.as_of), types):
        with suppress(DataError):  # then nothing is found by this index
            by_key.setdefault(of_row(row), Counter())[same(row)] += 1
            shown[same(row)] = row
    async for row in _one_by_one(await tables.rows(relation.id, chosen.as_of), types):
        with suppress(DataError):
            by_key.setdefault(of_row(row), Counter())
    differing: Counter[tuple[str, Key]] = Counter()
    for number, (key, rows) in enumerate(by_key.items(), start=1):
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)
        found = None if None in key else await tables.lookup(relation.id, by, key, chosen.as_of)
        if found is not None:
            held = Counter(map(same, found))
            shown |= zip(map(same, found), found, strict=True)
            differing.update({("missing", row): count for row, count in (rows - held).items()})
            differing.update({("extra", row): count for row, count in (held - rows).items()})
    write = write_of(record_of(tuple([column.name for column in relation.columns]), types))
    told = [(problem, write(shown[row]), count) for (problem, row), count in differing.items()]
    return Piece(tuple(column.type for column in COLUMNS), told)


async def _one_by_one(table: pa.Table, types: Sequence[Type]) -> AsyncIterator[Row]:
    for begin in range(0, table.num_rows, _AT_ONCE):
        for row in rows_of(table.slice(begin, _AT_ONCE), types):
            yield row
        await asyncio.sleep(0)
