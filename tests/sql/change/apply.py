"""Changes of tables in memory: what a statement makes of their rows, and what it returns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from holdfast.adapter.sqlstate import sqlstate
from holdfast.compute.evaluate import evaluate
from holdfast.errors import HoldfastError
from holdfast.plan.check import check
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.relation import Plan
from holdfast.plan.rewrite import optimize
from holdfast.plan.types import Type
from holdfast.sql.catalog import CatalogRelation, WithoutFunctions
from holdfast.sql.change import RETURNING, PlannedChange, plan_change
from holdfast.sql.parser import parse_one
from holdfast.sql.syntax.statement.dml import Delete, Insert, Update
from tests.differential.answer import Answer
from tests.differential.ask import Tables, answer_of


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the table has then, and what was returned; or the SQLSTATE of an error."""

    table: Answer | None = None
    returned: Answer | None = None
    error: str | None = None


class ChangedTables(WithoutFunctions):
    """A catalog of tables in memory whose columns may have defaults, by table and column."""

    def __init__(self, tables: Tables, defaults: Mapping[tuple[str, str], str]) -> None:
        self._tables, self._defaults = tables, defaults
        self.contents = tables.contents

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        found = self._tables.relation(parts)
        if found is None:
            return None
        columns = [replace(one, default=self._defaults.get((found.name, one.name))) for one in found.columns]
        return replace(found, columns=tuple(columns))

    def type(self, parts: tuple[str, ...]) -> Type | None:
        return self._tables.type(parts)


def plan_of_change(text: str, catalog: ChangedTables) -> PlannedChange:
    statement = parse_one(text).statement
    assert isinstance(statement, Insert | Update | Delete)
    return plan_change(statement, catalog)


def apply(text: str, catalog: ChangedTables, parameters: Sequence[object] = ()) -> Outcome:
    try:
        change = plan_of_change(text, catalog)
        assert change.is_constant is False or change.kind == "insert"
        found = evaluate(_ready(change.plan), {} if change.is_constant else catalog.contents, parameters)
        returned = None
        if change.returning is not None:
            about = found.select(list(change.returned))
            plan = _ready(change.returning.plan)
            rows = evaluate(plan, {**catalog.contents, RETURNING: about}, parameters)
            returned = answer_of(rows, [column.type for column in change.returning.columns])
        return Outcome(_changed(change, found, catalog.contents[change.table.id]), returned)
    except HoldfastError as error:
        return Outcome(error=sqlstate(error))


def _ready(plan: Plan) -> Plan:
    check(plan)
    ready = optimize(decorrelate(plan))
    check(ready, decorrelated=True)
    return ready


def _changed(change: PlannedChange, found: pa.Table, before: pa.Table) -> Answer:
    """The rows of the table afterwards. It must have had those that go."""
    types = [column.type for column in change.table.columns]
    width = len(types)
    old = found.select(list(range(width))) if change.kind != "insert" else before.slice(0, 0)
    new = {"insert": found, "update": found.select(list(change.returned)[:width])}.get(change.kind, before.slice(0, 0))
    rows = Counter(answer_of(before, types).rows)
    gone, come = Counter(answer_of(old, types).rows), Counter(answer_of(new, types).rows)
    assert gone <= rows, f"{gone - rows} were not there"
    after = answer_of(before, types)
    return replace(after, rows=tuple((rows - gone + come).elements()))
