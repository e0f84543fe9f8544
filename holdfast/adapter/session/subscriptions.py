"""SUBSCRIBE in a session: planned like a query, read from a time on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

from holdfast.adapter.catalog.builtin import SubscriptionEntry
from holdfast.adapter.errors import InvalidSubscription
from holdfast.adapter.plan_cache import Compiled
from holdfast.adapter.results import Piece, Rows
from holdfast.adapter.session.options import check_known, flag
from holdfast.adapter.session.peek import is_system
from holdfast.adapter.session.queries import Reading, check_select, compiled_query, reading, time_of, time_wanted
from holdfast.adapter.session.shared import new_execution_id
from holdfast.adapter.session.state import SessionState
from holdfast.adapter.subscribe.changes import Row, steps
from holdfast.adapter.subscribe.output import Lines, told
from holdfast.plan.free import scalars
from holdfast.plan.relation import Project, Relation, TopK, inputs
from holdfast.plan.scalar import Call, Scalar, children
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.sql import OutputColumn
from holdfast.sql.errors import NotSupported
from holdfast.sql.syntax.expression import Star
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.query import Query, Select, Table, Target
from holdfast.sql.syntax.statement.subscribe import Subscribe

_PIECE = 8_192


def _query(syntax: Subscribe) -> Query:
    if isinstance(syntax.relation, ObjectName):
        return Query(Select((Target(Star()),), (Table(syntax.relation),)))
    return syntax.relation


async def _compiled(state: SessionState, syntax: Subscribe, text: str) -> tuple[Compiled, Lines]:
    check_known(syntax.options, "SNAPSHOT", "PROGRESS")
    found = await compiled_query(state, f"{text} -- changes", _query(syntax))
    return found, Lines(told(syntax.output, found.columns), flag(syntax.options, "PROGRESS", default=False))


async def columns(state: SessionState, syntax: Subscribe, text: str) -> tuple[OutputColumn, ...]:
    _, lines = await _compiled(state, syntax, text)
    return lines.columns


async def subscribe(state: SessionState, syntax: Subscribe, text: str) -> Rows:
    found, lines = await _compiled(state, syntax, text)
    query = _query(syntax)
    check_select(state, query)
    if any(map(is_system, found.reads)):
        raise NotSupported("SUBSCRIBE to relations of the system is not supported", syntax.location)
    if _depends_on_time(found.plan.relation):
        raise NotSupported("mz_now() in SUBSCRIBE is not supported", syntax.location)
    wanted = await time_wanted(state, syntax.as_of)
    up_to = None if syntax.up_to is None else await time_of(state, syntax.up_to)
    chosen = await reading(state, found, wanted, subscribes=True)
    if up_to is not None and up_to < chosen.as_of:
        if chosen.hold is not None:
            chosen.hold.release()
        raise InvalidSubscription(
            f"subscription lower bound ({chosen.as_of}) is greater than its upper bound ({up_to})"
        )
    snapshot = flag(syntax.options, "SNAPSHOT", default=True)
    return Rows(lines.columns, _pieces(state, chosen, lines, snapshot=snapshot, up_to=up_to), "SUBSCRIBE")


async def _pieces(
    state: SessionState, chosen: Reading, lines: Lines, *, snapshot: bool, up_to: Timestamp | None
) -> AsyncIterator[Piece]:
    shared = state.shared
    reads = sorted((GlobalId.parse(name) for name in chosen.prepared.reads), key=str)
    entry = SubscriptionEntry(new_execution_id(), str(state.id), shared.clock(), tuple(map(str, reads)))
    shared.subscriptions[entry.id] = entry
    plan = chosen.prepared.plan
    limited = plan.limit is not None or plan.offset is not None
    rows = TopK(plan.relation, (), plan.order, plan.limit, plan.offset) if limited else plan.relation
    relation = Project(rows, tuple(range(len(plan.names))))

    async def evaluate(time: Timestamp) -> Sequence[Row]:
        answer = shared.peeks.answer(chosen.prepared, (), time, state.system)
        return [row async for piece in answer for row in piece.rows()]

    try:
        if lines.progress:
            yield Piece(lines.types, [lines.progressed(chosen.as_of)])
        if up_to is not None and up_to <= chosen.as_of:
            return
        following = steps(relation, reads, chosen.as_of, shared.ledger.tables, evaluate)
        async with aclosing(following) as found_steps:
            async for step in found_steps:
                for time, batch in step.batches:
                    if (up_to is not None and time >= up_to) or (time == chosen.as_of and not snapshot):
                        continue
                    told_rows = lines.changed(time, batch)
                    for start in range(0, len(told_rows), _PIECE):
                        yield Piece(lines.types, told_rows[start : start + _PIECE])
                upper = step.upper.time
                if chosen.hold is not None and upper is not None:
                    chosen.hold.downgrade(Timestamp(upper - 1))
                over = upper is None or (up_to is not None and upper >= up_to)
                if lines.progress and upper is not None:
                    reached = upper if up_to is None else min(upper, up_to)
                    yield Piece(lines.types, [lines.progressed(Timestamp(reached))])
                if over:
                    return
    finally:
        del shared.subscriptions[entry.id]
        if chosen.hold is not None:
            chosen.hold.release()


def _depends_on_time(relation: Relation) -> bool:
    return any(map(_has_now, scalars(relation))) or any(map(_depends_on_time, inputs(relation)))


def _has_now(scalar: Scalar) -> bool:
    own = isinstance(scalar, Call) and scalar.function.name == "mz_now"
    return own or any(map(_has_now, children(scalar)))
