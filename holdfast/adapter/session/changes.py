"""Changes of tables: INSERT, UPDATE and DELETE.

An INSERT that reads nothing is kept in its transaction and written when that commits. All others read and write in one
go, with no other write of anyone in between, and so are transactions of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.privileges import require_delete, require_insert, require_select, require_update
from holdfast.adapter.errors import NotNullViolation
from holdfast.adapter.insert_template import LiteralTemplate, literal_template
from holdfast.adapter.plan_cache import Compiled, CompiledChange
from holdfast.adapter.results import Done, Piece, Rows
from holdfast.adapter.session.interrupt import Interrupt
from holdfast.adapter.session.peek import evaluated, is_system
from holdfast.adapter.session.queries import check_select, prepared_at
from holdfast.adapter.session.state import Inserted, SessionState
from holdfast.adapter.tables import TableChange
from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import Type
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.change import RETURNING, plan_change, plan_literals
from holdfast.sql.syntax.statement.dml import Delete, Insert, Update

_TAGS = {"insert": "INSERT 0", "update": "UPDATE", "delete": "DELETE"}
_LONG = 400
"""Characters of a text that is planned in a thread."""

LONG_LITERALS = 16_000
"""Characters of an INSERT of literals that is read in a thread."""

_HOPES = 2
"""How often a change that takes long is tried in the hope that nobody else changes what it reads."""

_SHOWN = 64
"""Characters of a value in an error message."""


async def compiled_change(
    state: SessionState, text: str, syntax: Insert | Update | Delete, types: Sequence[Type | None]
) -> CompiledChange:
    key, names = (text, tuple(types), state.key), state.names

    def make() -> CompiledChange:
        return CompiledChange(plan_change(syntax, names, parameter_types=types))

    if state.shared.changes.get(key) is not None or len(text) < _LONG:
        return state.shared.changes.made(key, make)
    return await asyncio.to_thread(state.shared.changes.made, key, make)


async def literals(state: SessionState, text: str, syntax: Insert) -> Inserted | None:
    """The rows of an INSERT of literals; None if it takes a plan to tell them, or to refuse them."""
    rows = syntax.literal_rows
    if rows is None:
        return None
    width, names = len(rows.columns), state.names

    def make() -> LiteralTemplate:
        return literal_template(plan_literals(syntax, width, names))

    template = state.shared.literals.made((rows.head, width, state.key), make)
    at_once = len(text) < LONG_LITERALS
    inserted = template.inserted(rows.columns) if at_once else await asyncio.to_thread(template.inserted, rows.columns)
    return None if inserted is None else Inserted(template.table, inserted)


def insert(state: SessionState, syntax: Insert, inserted: Inserted) -> Done:
    """Keep rows in the transaction until it commits."""
    assert state.transaction is not None
    _check_rights(state, syntax, inserted.table)
    state.transaction.write(inserted.table, inserted.rows)
    return Done(f"{_TAGS['insert']} {inserted.rows.rows}")


async def change(
    state: SessionState,
    interrupt: Interrupt,
    syntax: Insert | Update | Delete,
    found: CompiledChange,
    values: Sequence[object],
) -> Done | Rows:
    planned, transaction = found.change, state.transaction
    assert transaction is not None
    item = state.catalog.item(GlobalId.parse(planned.table.id))
    _check_rights(state, syntax, item.id)
    inserted = None if found.template is None else found.template.inserted(values)
    if inserted is not None:
        transaction.write(item.id, inserted)
        return Done("INSERT 0 1")
    if planned.is_constant and (planned.returning is None or not transaction.explicit):
        transaction.check_write()
        prepared = await prepared_at(state, found.rows, None)
        rows = await evaluated(prepared, {}, values)
        made = _made(planned.table, found, rows)
        transaction.write(item.id, made)
        return await _told(state, found, rows, values, None)
    transaction.never(_TAGS[planned.kind].split()[0])
    if not state.shared.peeks.is_quick(await prepared_at(state, found.rows, None), values):
        for _ in range(_HOPES):
            told = await _changed_unless_others_did(state, interrupt, found, values, item)
            if told is not None:
                return told
    async with state.shared.ledger.exclusive() as exclusive:
        rows, made, told = await _read_and_made(state, found, values, exclusive.as_of)
        if rows.num_rows:
            with interrupt.masked():
                await exclusive.commit({item.id: made})
    return told


async def _changed_unless_others_did(
    state: SessionState, interrupt: Interrupt, found: CompiledChange, values: Sequence[object], item: Item
) -> Done | Rows | None:
    """A change whose read takes long: nobody waits for it. None: what it read was changed meanwhile by others."""
    ledger = state.shared.ledger
    reads = [GlobalId.parse(name) for name in found.reads if not is_system(name)]
    as_of = ledger.read_ts
    with ledger.tables.hold(reads, as_of):
        _, made, told = await _read_and_made(state, found, values, as_of)
    with interrupt.masked():
        written = await ledger.write_unless_changed({item.id: made}, [*reads, item.id], as_of)
    return told if written is not None else None


async def _read_and_made(
    state: SessionState, found: CompiledChange, values: Sequence[object], as_of: Timestamp
) -> tuple[pa.Table, TableChange, Done | Rows]:
    rows = await _read(state, found.rows, values, as_of, {})
    made = await asyncio.to_thread(_made, found.change.table, found, rows)
    return rows, made, await _told(state, found, rows, values, as_of)


def _check_rights(state: SessionState, syntax: Insert | Update | Delete, table: GlobalId) -> None:
    catalog, role = state.catalog, state.role
    if role.superuser:
        return
    check_select(state, syntax)
    match syntax:
        case Insert():
            require_insert(catalog, role, [table])
        case Update():
            require_update(catalog, role, [table])
        case Delete():
            require_delete(catalog, role, [table])
    if syntax.returning or (not isinstance(syntax, Insert) and syntax.where is not None):
        require_select(catalog, role, [table])


async def _read(
    state: SessionState, found: Compiled, values: Sequence[object], as_of: Timestamp, others: Mapping[str, pa.Table]
) -> pa.Table:
    """All rows of a query at a time. `others` are collections that only this statement knows."""

    async def system(name: str) -> pa.Table:
        return others[name] if name in others else await state.system(name)

    prepared = await prepared_at(state, found, as_of)
    names = [f"{index}" for index in range(len(prepared.plan.names))]
    pieces = [piece.table(names) async for piece in state.shared.peeks.answer(prepared, values, as_of, system)]
    if not pieces:  # Spark has none to tell of no rows
        return table_of([], [column.type for column in prepared.plan.relation.columns[: len(names)]], names)
    return pa.concat_tables(pieces)


def _made(table: CatalogRelation, found: CompiledChange, rows: pa.Table) -> TableChange:
    """What the rows of the plan come to: rows that go, and rows that come, none with a null where none can be."""
    nothing, columns = found.nothing, rows.columns
    width = nothing.num_columns

    def part(first: int) -> pa.Table:
        return pa.Table.from_arrays(columns[first : first + width], schema=nothing.schema)

    match found.change.kind:
        case "insert":
            change = TableChange(part(0), nothing)
        case "update":
            change = TableChange(part(width), part(0))
        case "delete":
            return TableChange(nothing, part(0))
    check_not_null(table, change.added)
    return change


def check_not_null(table: CatalogRelation, rows: pa.Table) -> None:
    for index, column in enumerate(table.columns):
        if not column.nullable and rows.column(index).null_count:
            first = pc.index(pc.is_null(rows.column(index)), True).as_py()
            types = [each.type for each in table.columns]
            (row,) = rows_of(rows.slice(first, 1), types)
            shown = ", ".join(
                "null" if value is None else _cut(write_of(type_)(value))
                for value, type_ in zip(row, types, strict=True)
            )
            error = NotNullViolation(
                f'null value in column "{column.name}" of relation "{table.name}" violates not-null constraint'
            )
            error.detail = f"Failing row contains ({shown})."
            raise error


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


async def _told(
    state: SessionState, found: CompiledChange, rows: pa.Table, values: Sequence[object], as_of: Timestamp | None
) -> Done | Rows:
    tag = f"{_TAGS[found.change.kind]} {rows.num_rows}"
    if found.returning is None:
        return Done(tag)
    seen = rows.select(list(found.change.returned))
    seen = seen.rename_columns([str(index) for index in range(seen.num_columns)])
    at = state.shared.ledger.read_ts if as_of is None else as_of
    if found.returning.reads <= {RETURNING}:
        answer = await evaluated(await prepared_at(state, found.returning, at), {RETURNING: seen}, values)
    else:
        answer = await _read(state, found.returning, values, at, {RETURNING: seen})
    types = tuple(column.type for column in found.returning.columns)
    return Rows(found.returning.columns, _one(Piece(types, answer)), counted=tag)


async def _one(piece: Piece) -> AsyncIterator[Piece]:
    yield piece
