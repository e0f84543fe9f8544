"""SUBSCRIBE in a session: planned like a query, read from a time on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace

import pyarrow as pa

from holdfast.adapter.catalog.builtin import SubscriptionEntry
from holdfast.adapter.errors import InvalidSubscription
from holdfast.adapter.known import with_known
from holdfast.adapter.plan_cache import Compiled, Prepared
from holdfast.adapter.plan_parts import runs_code
from holdfast.adapter.results import Piece, Rows
from holdfast.adapter.session.as_of import Wanted
from holdfast.adapter.session.options import check_known, flag
from holdfast.adapter.session.peek import is_system
from holdfast.adapter.session.queries import (
    Reading,
    check_select,
    compiled_query,
    prepared_at,
    reading,
    time_of,
    time_wanted,
)
from holdfast.adapter.session.shared import new_execution_id
from holdfast.adapter.session.state import SessionState
from holdfast.adapter.subscribe.changes import steps
from holdfast.adapter.subscribe.output import Lines, told
from holdfast.adapter.subscribe.samples import Samples
from holdfast.adapter.subscribe.temporal import depends_on_time, next_turn, turning_points
from holdfast.compute.delta import program
from holdfast.compute.delta.errors import CannotMaintain
from holdfast.compute.maintain import Followed
from holdfast.plan.relation import Plan, Project, Relation, TopK
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.sql import OutputColumn, Planned
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
    points = turning_points(found.plan) if depends_on_time(found.plan) else ()
    if points and not found.reads:
        raise NotSupported("mz_now() in SUBSCRIBE is not supported without a table", syntax.location)
    wanted = await time_wanted(state, syntax.as_of)
    if any(map(is_system, found.reads)):
        _check_present(state, wanted)
    up_to = None if syntax.up_to is None else await time_of(state, syntax.up_to)
    chosen = await reading(state, found, wanted, subscribes=True)
    if up_to is not None and up_to < chosen.as_of:
        if chosen.hold is not None:
            chosen.hold.release()
        raise InvalidSubscription(
            f"subscription lower bound ({chosen.as_of}) is greater than its upper bound ({up_to})"
        )
    snapshot = flag(syntax.options, "SNAPSHOT", default=True)
    changing = _Changing(state, found, chosen, points)
    return Rows(lines.columns, _pieces(state, changing, lines, snapshot=snapshot, up_to=up_to), "SUBSCRIBE")


def _check_present(state: SessionState, wanted: Wanted | None) -> None:
    """Of relations of the system nobody knows what they were."""
    if wanted is not None and not wanted.at_least and wanted.time < state.shared.ledger.read_ts:
        error = InvalidSubscription(f"relations of the system cannot be read at a time that has passed ({wanted.time})")
        error.hint = "Leave out AS OF: what they show is what there is now."
        raise error


class _Changing:
    """A query that is asked time and again."""

    def __init__(self, state: SessionState, found: Compiled, chosen: Reading, points: Sequence[Relation]) -> None:
        self._state, self._found, self.chosen = state, found, chosen
        self._known = state.known(chosen.as_of)
        self._points = [
            Compiled(Planned(Plan(each, tuple(map(str, range(len(each.columns))))), (), ())) for each in points
        ]
        self.turn = self._turn if points else None
        self.samples = _samples(state, found, chosen)

    @property
    def reads(self) -> frozenset[str]:
        """What it reads, at whatever time."""
        return self.chosen.prepared.reads if self.samples is None else self._found.reads

    async def rows(self, time: Timestamp) -> Sequence[Piece]:
        prepared = self.chosen.prepared
        if self.samples is not None:
            # What functions say of the system may be something else each time.
            prepared = await prepared_at(self._state, self._found, time)
        elif self._points:
            prepared = self._at(self._found, time)
        return await self._answer(prepared, time)

    async def _turn(self, time: Timestamp) -> Timestamp | None:
        """The first time after `time` at which the rows may be others."""
        pieces = [piece for each in self._points for piece in await self._answer(self._at(each, time), time)]
        return await asyncio.to_thread(next_turn, (row for piece in pieces for row in piece.rows()), time)

    async def maintained(self) -> Followed | None:
        """The query followed by its program, where it has one that little needs to be known for to begin with."""
        if self.samples is not None:
            return None
        plan = with_known(self._found.plan, self._known, clock=False)
        compute = self._state.shared.ledger.maintainer.compute
        try:
            made = await asyncio.to_thread(program, plan)
        except CannotMaintain:
            return None
        found = compute.followed(made, runs_code=runs_code(plan))
        return found if found.is_little else None

    def _at(self, found: Compiled, time: Timestamp) -> Prepared:
        return found.prepared(lambda: replace(self._known, logical=time))

    async def _answer(self, prepared: Prepared, time: Timestamp) -> list[Piece]:
        samples = self.samples

        async def system(name: str) -> pa.Table:
            assert samples is not None  # else nothing of the system is read
            return await samples.table(name, time)

        return [piece async for piece in self._state.shared.peeks.answer(prepared, (), time, system)]


def _samples(state: SessionState, found: Compiled, chosen: Reading) -> Samples | None:
    """What is seen of the system, if the query reads of it."""
    relations = [name for name in found.reads if is_system(name)]
    if not relations:
        return None
    shared = state.shared
    ledger = shared.ledger
    made = Samples(relations, state.introspection, lambda: ledger.catalog.version, shared.contents, ledger.timeline)
    made.begin(chosen.as_of)
    return made


async def _pieces(
    state: SessionState, changing: _Changing, lines: Lines, *, snapshot: bool, up_to: Timestamp | None
) -> AsyncIterator[Piece]:
    chosen = changing.chosen
    shared = state.shared
    names = sorted(changing.reads)
    reads = [GlobalId.parse(name) for name in names if not is_system(name)]
    entry = SubscriptionEntry(new_execution_id(), str(state.id), shared.clock(), tuple(names))
    shared.subscriptions[entry.id] = entry
    plan = chosen.prepared.plan
    limited = plan.limit is not None or plan.offset is not None
    rows = TopK(plan.relation, (), plan.order, plan.limit, plan.offset) if limited else plan.relation
    relation = Project(rows, tuple(range(len(plan.names))))

    try:
        if lines.progress:
            yield Piece(lines.types, [lines.progressed(chosen.as_of)])
        if up_to is not None and up_to <= chosen.as_of:
            return
        following = steps(
            relation,
            reads,
            chosen.as_of,
            shared.ledger.tables,
            changing.rows,
            snapshot=snapshot,
            turn=changing.turn,
            maintained=await changing.maintained(),
            samples=changing.samples,
        )
        async with aclosing(following) as found_steps:
            async for step in found_steps:
                for time, batch in step.batches:
                    if up_to is not None and time >= up_to:
                        continue
                    told_rows = await lines.changed(time, batch)
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
