"""Queries of a session: planned, given a time, answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from holdfast.adapter.catalog.mentions import Renaming, renamed
from holdfast.adapter.catalog.objects import RELATIONS, Item, ItemKind
from holdfast.adapter.catalog.privileges import require_select
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.errors import InvalidTransactionState
from holdfast.adapter.plan_cache import Compiled, Prepared
from holdfast.adapter.registered_names import with_names
from holdfast.adapter.results import Notice, Piece, Rows
from holdfast.adapter.session.as_of import Choice, Input, Wanted, choose, shown
from holdfast.adapter.session.peek import evaluated, is_system
from holdfast.adapter.session.state import Quick, SessionState
from holdfast.adapter.tables import Hold
from holdfast.compute.evaluate.values import rows_of
from holdfast.plan.errors import DataError, InvalidTextRepresentation
from holdfast.plan.text.codec import read_of
from holdfast.plan.types import NUMERIC, TIMESTAMPTZ, Type
from holdfast.repr.frontier import MIN_TIME, Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.sql import Planned, plan_query
from holdfast.sql.change import plan_expression
from holdfast.sql.errors import DatatypeMismatch
from holdfast.sql.resolve import CALLABLE
from holdfast.sql.syntax.expression import Call, Expression
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.query import AsOf, Query, Table
from holdfast.sql.syntax.types import NamedType


async def compiled(
    state: SessionState, text: str, types: Sequence[Type | None], plan: Callable[[], Planned]
) -> Compiled:
    """The plan of a text, made if it is not known yet: in a thread, since nobody knows how long it takes."""
    key = (text, tuple(types), state.key)
    found = state.shared.plans.get(key)
    if found is not None:
        return found
    return await asyncio.to_thread(state.shared.plans.made, key, lambda: Compiled(plan()))


async def compiled_query(state: SessionState, text: str, query: Query, types: Sequence[Type | None] = ()) -> Compiled:
    names = state.names
    return await compiled(state, text, types, lambda: with_names(plan_query(query, names, parameter_types=types)))


def mentioned(state: SessionState, tree: Node) -> set[GlobalId]:
    """The items of users that a statement names, in its queries and types."""
    names, found = state.names, set()

    def seen(parts: tuple[str, ...], *kinds: ItemKind) -> None:
        item = names.find(parts, *kinds)
        if isinstance(item, Item):
            found.add(item.id)

    def table(mention: Table) -> Table:
        seen(mention.name.parts, *RELATIONS)
        return mention

    def type_(mention: NamedType) -> NamedType:
        seen(mention.parts, "type")
        return mention

    def call(mention: Call) -> Call:
        if len(mention.name.parts) > 1 or mention.name.parts[0] not in CALLABLE:
            found.update(item.id for item in names.functions_named(mention.name.parts))
        return mention

    renamed(tree, Renaming(table, type_, call=call))
    return found


def check_select(state: SessionState, tree: Node) -> None:
    """Whether the session's role may read all that a statement names."""
    role = state.role
    if not role.superuser:
        require_select(state.catalog, role, mentioned(state, tree))


@dataclass(frozen=True, slots=True)
class Reading:
    """A query, ready, with its time. `hold` keeps what it reads until it is released."""

    prepared: Prepared
    as_of: Timestamp
    choice: Choice | None
    hold: Hold | None


def items_read(state: SessionState, reads: frozenset[str]) -> list[Item]:
    """The users' tables among what is read, by their ids."""
    return [state.catalog.item(GlobalId.parse(name)) for name in sorted(reads) if not is_system(name)]


def input_of(state: SessionState, item: Item) -> Input:
    since, upper = state.shared.ledger.tables.frontiers(item.id)
    return Input(item.id, ".".join(state.catalog.path_of(item)), since, upper)


async def prepared_at(state: SessionState, found: Compiled, as_of: Timestamp | None) -> Prepared:
    """The query ready to run for this session. What has to be made ready for it is, in a thread."""
    if found.ready is not None:
        return found.ready
    return await asyncio.to_thread(found.prepared, state.knowing(as_of))


async def _reading(
    state: SessionState, found: Compiled, as_of: Timestamp, choice: Choice | None, hold: Hold | None
) -> Reading:
    try:
        return Reading(await prepared_at(state, found, as_of), as_of, choice, hold)
    except BaseException:
        if hold is not None:
            hold.release()
        raise


async def reading(state: SessionState, found: Compiled, wanted: Wanted | None, *, subscribes: bool = False) -> Reading:
    """Give a query its time, as the transaction and the isolation of the session have it."""
    transaction, ledger = state.transaction, state.shared.ledger
    assert transaction is not None
    items = items_read(state, found.reads)
    ids = [item.id for item in items]
    if wanted is not None:
        choice = choose([input_of(state, item) for item in items], transaction.isolation, ledger.read_ts, wanted)
        hold = ledger.tables.hold(ids, choice.as_of)
        try:
            await ledger.wait_until(choice.as_of)
        except BaseException:
            hold.release()
            raise
        return await _reading(state, found, choice.as_of, choice, hold)
    if not items:
        as_of = ledger.read_ts if transaction.as_of is None else transaction.as_of
        return await _reading(state, found, as_of, None, None)
    if subscribes:
        transaction.subscribe()
    else:
        transaction.read()
    if transaction.as_of is not None:
        if transaction.explicit:
            _check_domain(state, items)
        held: Hold | None = None if transaction.explicit else ledger.tables.hold(ids, transaction.as_of)
        return await _reading(state, found, transaction.as_of, None, held)
    if not ledger.is_ours:
        await ledger.make_sure()
    choice = choose([input_of(state, item) for item in items], transaction.isolation, ledger.read_ts, None)
    held = None
    if transaction.explicit and not subscribes:
        domain = _domain(state, items, choice.as_of)
        transaction.hold(ledger.tables.hold(domain, choice.as_of))
        transaction.domain = frozenset(domain)
        transaction.as_of = choice.as_of
    else:
        held = ledger.tables.hold(ids, choice.as_of)
        if not subscribes:
            transaction.as_of = choice.as_of
    return await _reading(state, found, choice.as_of, choice, held)


def _domain(state: SessionState, items: Sequence[Item], as_of: Timestamp) -> list[GlobalId]:
    """All that a transaction at `as_of` may read whose first query reads `items`: what is kept of the same schemas.

    But for what begins later: views that wait for their first refresh.
    """
    schemas, frontiers = {item.schema for item in items}, state.shared.ledger.tables.frontiers
    return [
        item.id
        for schema in schemas
        for item in state.catalog.items_of(schema)
        if item.session in (None, state.id) and _is_kept(state.catalog, item)
        if item in items or frontiers(item.id)[0].less_equal(as_of)
    ]


def _is_kept(catalog: CatalogState, item: Item) -> bool:
    """Whether a relation has contents of its own."""
    return item.kind in ("table", "materialized-view") or (item.kind == "view" and bool(catalog.indexes_of(item.id)))


def _check_domain(state: SessionState, items: Sequence[Item]) -> None:
    assert state.transaction is not None
    outside = [item for item in items if item.id not in state.transaction.domain]
    if not outside:
        return
    error = InvalidTransactionState("Transactions can only reference objects in the same timedomain.")
    held = [state.catalog.items[each] for each in state.transaction.domain if each in state.catalog.items]

    def listed(found: Sequence[Item]) -> str:
        return "\n".join(sorted(f'"{".".join(state.catalog.path_of(item))}"' for item in found))

    error.detail = (
        f"The following relations in the query are outside the transaction's time domain:\n{listed(outside)}\n"
        f"Only the following relations are available:\n{listed(held)}"
    )
    raise error


async def select(state: SessionState, found: Compiled, values: Sequence[object], as_of: AsOf | None) -> Rows:
    wanted = await time_wanted(state, as_of)
    chosen = await reading(state, found, wanted)
    if state.execution is not None:
        state.shared.activity.chose(state.execution, chosen.as_of)
    if chosen.choice is not None and state.variables.flag("emit_timestamp_notice"):
        state.notice(Notice("NOTICE", "00000", f"query timestamp: {shown(chosen.as_of)}"))
    return Rows(found.columns, pieces(state, chosen, values))


def quick(state: SessionState, found: Compiled) -> Quick | None:
    """How a query that is always the same finds its rows, if that is all it does."""
    lookup = None if found.ready is None else state.shared.peeks.lookup(found.ready)
    if lookup is None or lookup.outputs is None:
        return None
    return Quick(GlobalId.parse(lookup.collection), lookup)


async def pieces(state: SessionState, chosen: Reading, values: Sequence[object]) -> AsyncIterator[Piece]:
    """The answer to a query that has its time."""
    try:
        async for piece in state.shared.peeks.answer(chosen.prepared, values, chosen.as_of, state.system):
            yield piece
    finally:
        if chosen.hold is not None:
            chosen.hold.release()


async def run_query(state: SessionState, text: str, query: Query, values: Sequence[object] = ()) -> Rows:
    """A query of our own making, or one whose rights were checked."""
    return await select(state, await compiled_query(state, text, query), values, None)


async def time_wanted(state: SessionState, as_of: AsOf | None) -> Wanted | None:
    return None if as_of is None else Wanted(await time_of(state, as_of.time), as_of.at_least)


async def time_of(state: SessionState, expression: Expression) -> Timestamp:
    """The time that an expression means: a number of milliseconds, or a date or time."""
    planned = plan_expression(expression, state.names, None, place="AS OF or UP TO")
    prepared = Compiled(planned).prepared(state.knowing())
    (type_,) = (column.type for column in planned.columns)
    ((value,),) = rows_of(await evaluated(prepared, {}, ()), [type_])
    time = _milliseconds(value, type_)
    if time < MIN_TIME:
        raise DataError(f"time {time} is before the timeline begins")
    return Timestamp(time)


def _milliseconds(value: object, type_: Type) -> int:
    if value is None:
        raise DataError("can't use NULL as a timestamp for AS OF or UP TO")
    if type_.base in ("text", "unknown", "varchar"):
        text = str(value)
        try:
            return int(read_of(NUMERIC)(text))
        except InvalidTextRepresentation:
            return _milliseconds(read_of(TIMESTAMPTZ)(text), TIMESTAMPTZ)
    if type_.base in ("timestamp", "timestamptz"):
        assert isinstance(value, int)
        return value // 1000
    if type_.base == "date":
        assert isinstance(value, int)
        return value * 86_400_000
    if type_.category == "N" or type_.base == "mz_timestamp":
        return int(value)  # type: ignore[call-overload, no-any-return]  # numbers convert
    raise DatatypeMismatch(f"a time for AS OF or UP TO cannot have type {type_}")
