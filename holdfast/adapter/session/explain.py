"""EXPLAIN: how a query is understood, and when it would read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

from holdfast.adapter.catalog.builtin import BUILTINS
from holdfast.adapter.catalog.objects import ItemKind
from holdfast.adapter.known import with_known
from holdfast.adapter.plan_cache import Compiled, Prepared
from holdfast.adapter.session.analyze import analyzed
from holdfast.adapter.session.as_of import Input, choose, explained
from holdfast.adapter.session.queries import compiled_query, input_of, items_read, prepared_at, time_wanted
from holdfast.adapter.session.state import SessionState
from holdfast.compute.delta import program
from holdfast.compute.delta.show import show_program
from holdfast.compute.render import SparkQuery
from holdfast.plan.printer import scalar, show
from holdfast.plan.relation import Plan
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId
from holdfast.sql import plan_query
from holdfast.sql.errors import NotSupported
from holdfast.sql.syntax.query import Query
from holdfast.sql.syntax.statement.create import CreateMaterializedView, CreateView
from holdfast.sql.syntax.statement.dml import SelectStatement
from holdfast.sql.syntax.statement.explain import Explain, ExplainAnalyze, ExplainPlan, ExplainTimestamp, Named
from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.statement.subscribe import Subscribe

_GET = re.compile(r"^( *Get )([us]\d+)\b", re.MULTILINE)
_ID = re.compile(r"\bu\d+\b")


def title(syntax: Explain) -> str:
    """What the one column is called."""
    match syntax:
        case ExplainTimestamp():
            return "Timestamp"
        case ExplainPlan():
            stage = syntax.stage or "PHYSICAL PLAN"
            return stage.title()
        case ExplainAnalyze():
            return "Analysis"
    return "Explanation"


async def explain(state: SessionState, syntax: Explain, text: str) -> str:
    match syntax:
        case ExplainTimestamp():
            return await _timestamp(state, syntax, text)
        case ExplainPlan():
            return await _plan(state, syntax, text)
        case ExplainAnalyze():
            return _named(state, analyzed(state, syntax))
    raise NotSupported("this form of EXPLAIN is not supported", syntax.location)


async def _timestamp(state: SessionState, syntax: ExplainTimestamp, text: str) -> str:
    subject = syntax.subject
    if not isinstance(subject, SelectStatement):
        raise NotSupported("EXPLAIN TIMESTAMP explains only queries", syntax.location)
    found = await compiled_query(state, text, subject.query)
    wanted = await time_wanted(state, subject.as_of)
    inputs: list[Input] = [input_of(state, item) for item in items_read(state, found.reads)]
    assert state.transaction is not None
    choice = choose(inputs, state.transaction.isolation, state.shared.ledger.read_ts, wanted)
    wall = Timestamp(state.shared.clock() // 1000)
    return explained(choice, wall, "JSON" if syntax.output == "JSON" else "TEXT")


async def _plan(state: SessionState, syntax: ExplainPlan, text: str) -> str:
    if syntax.output == "JSON":
        raise NotSupported("plans are explained as text only", syntax.location)
    query = _query(state, syntax)
    if syntax.stage == "RAW PLAN":
        return _shown(state, plan_query(query, state.names).plan)
    found: Compiled = await compiled_query(state, text, query)
    if syntax.stage == "DECORRELATED PLAN":
        return _shown(state, found.plan)
    if syntax.stage in (None, "PHYSICAL PLAN") and _is_maintained(syntax):
        made = await asyncio.to_thread(program, with_known(found.plan, state.known(), clock=False))
        return _named(state, show_program(made))
    prepared = await prepared_at(state, found, None)
    if syntax.stage == "SPARK PLAN":
        return "\n".join(_spark(prepared.spark))
    shown = _shown(state, prepared.plan)
    if syntax.stage == "OPTIMIZED PLAN" or not isinstance(syntax.subject, SelectStatement) or found.parameters:
        return shown
    return f"{shown}\n\n{_answered_by(state, prepared)}"


def _answered_by(state: SessionState, prepared: Prepared) -> str:
    peeks = state.shared.peeks
    if not peeks.is_quick(prepared, ()):
        return "Answered by: a job of Spark's"
    lookup = peeks.lookup(prepared)
    if lookup is None:
        return "Answered by: the server"
    relation = GlobalId.parse(lookup.collection)
    by = ", ".join(f"#{part}" if isinstance(part, int) else scalar(part) for part in lookup.by)
    indexes = state.shared.ledger.tables.indexes(relation)
    used = next((f", index {_path(state, str(id))}" for id, parts in indexes.items() if parts == lookup.by), "")
    return f"Answered by: the server, which finds rows by ({by}){used}"


def _shown(state: SessionState, plan: Plan) -> str:
    """The plan, with the collections called by their names."""

    return _GET.sub(lambda found: found[1] + _path(state, found[2]), show(plan))


def _named(state: SessionState, text: str) -> str:
    """The text of a program, with the collections called by their names."""
    return _ID.sub(lambda id: _path(state, id[0]), text)


def _path(state: SessionState, id: str) -> str:
    """What users call a collection."""
    item, system = state.catalog.items.get(GlobalId.parse(id)), BUILTINS.get(id)
    path = state.catalog.path_of(item) if item is not None else (system.schema, system.name) if system else ()
    return ".".join(path) or id


def _is_maintained(syntax: ExplainPlan) -> bool:
    """Whether what is explained is a view that is maintained, or would be."""
    subject = syntax.subject
    return isinstance(subject, CreateMaterializedView) or (
        isinstance(subject, Named) and subject.kind is Kind.MATERIALIZED_VIEW
    )


def _query(state: SessionState, syntax: ExplainPlan) -> Query:
    match syntax.subject:
        case SelectStatement():
            return syntax.subject.query
        case CreateView() | CreateMaterializedView():
            return syntax.subject.query
        case Subscribe() if isinstance(syntax.subject.relation, Query):
            return syntax.subject.relation
        case Named() if syntax.subject.kind in (Kind.VIEW, Kind.MATERIALIZED_VIEW):
            kind: ItemKind = "view" if syntax.subject.kind is Kind.VIEW else "materialized-view"
            item = state.names.item(syntax.subject.name, kind)
            assert item.query is not None
            return item.query
    raise NotSupported("this statement cannot be explained", syntax.location)


def _spark(query: SparkQuery) -> Iterator[str]:
    """The text, after those that are iterated before it."""
    for loop in query.loops:
        for binding in loop.bindings:
            yield f"-- {binding.name}, until nothing changes:"
            yield from _spark(binding.query)
            yield ""
    yield query.text
