"""Plans that were made before: the same statement, over the same catalog, is planned once.

A plan that depends on what the session knows (`now()`) is another each time: it is kept as it was before that was put
in. All others are kept ready to run.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import pyarrow as pa

from holdfast.adapter.insert_template import template_of
from holdfast.adapter.known import Known, with_known
from holdfast.adapter.plan_parts import is_stable, runs_code, size_of
from holdfast.cached import cached_property
from holdfast.compute.evaluate import can_evaluate
from holdfast.compute.render import SparkQuery, render
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.relation import ColumnType, Get, Plan, Relation, inputs
from holdfast.plan.rewrite import optimize
from holdfast.plan.types import Type, arrow_type
from holdfast.sql import OutputColumn, Planned
from holdfast.sql.change import RETURNING, PlannedChange

_SHORT = 200
"""Expressions in a plan that can be looked at without letting others in between."""


def collections_in(relation: Relation) -> frozenset[str]:
    """The collections that a decorrelated relation reads, as the catalog calls them."""
    if isinstance(relation, Get):
        return frozenset((relation.name,))
    return frozenset[str]().union(*(collections_in(part) for part in inputs(relation)))


@dataclass(frozen=True)
class Prepared:
    """A query ready to run. `is_short`: so is what it takes to evaluate it over few rows."""

    plan: Plan
    is_short: bool

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is over constants, or a plain read of one collection: quick to answer without Spark."""
        return can_evaluate(self.plan)

    @cached_property
    def runs_code(self) -> bool:
        """Whether it calls functions that users wrote."""
        return runs_code(self.plan)

    @cached_property
    def spark(self) -> SparkQuery:
        return render(self.plan)

    @cached_property
    def reads(self) -> frozenset[str]:
        return collections_in(self.plan.relation)


class Compiled:
    """A query that was planned. `reads` are the collections it reads; `ready` is the query, if it is the same whoever
    asks.
    """

    def __init__(self, planned: Planned) -> None:
        self.columns: tuple[OutputColumn, ...] = planned.columns
        self.parameters: tuple[Type, ...] = planned.parameters
        self.plan = decorrelate(planned.plan)
        self.reads = collections_in(self.plan.relation)
        self._is_short = size_of(self.plan) < _SHORT
        self._last: tuple[Plan, Prepared] | None = None
        self.ready = None if is_stable(self.plan) else self._optimized(self.plan)

    def prepared(self, known: Callable[[], Known]) -> Prepared:
        """The query ready to run for one who knows this, which is asked only of queries that depend on it.

        It may take long where it is not `ready`.
        """
        if self.ready is not None:
            return self.ready
        filled, last = with_known(self.plan, known()), self._last
        # Nodes that say the same are the same: what was put in is what was put in before.
        if last is not None and last[0] is filled:
            return last[1]
        prepared = self._optimized(filled)
        self._last = (filled, prepared)
        return prepared

    def _optimized(self, plan: Plan) -> Prepared:
        return Prepared(optimize(plan), self._is_short)


class CompiledChange:
    """A change that was planned: the query of its rows, and that of what is told of them.

    `nothing` are no rows of its table; `template` is what it inserts, if constants and parameters alone say it.
    """

    def __init__(self, planned: PlannedChange) -> None:
        self.change = planned
        fields = [(column.name, arrow_type(column.type)) for column in planned.table.columns]
        self.nothing = pa.schema(fields).empty_table()
        columns = tuple(OutputColumn(name, type_.type) for name, type_ in _shown(planned.plan))
        self.rows = Compiled(Planned(planned.plan, planned.parameters, columns))
        ready = self.rows.ready if planned.kind == "insert" and planned.returning is None else None
        self.template = None if ready is None else template_of(ready.plan, planned.table, self.nothing)
        self.returning = None if planned.returning is None else Compiled(planned.returning)
        own = frozenset() if self.returning is None else self.returning.reads
        self.reads = (self.rows.reads | own) - {RETURNING}


def _shown(plan: Plan) -> Iterator[tuple[str, ColumnType]]:
    return zip(plan.names, plan.relation.columns, strict=False)


Made = TypeVar("Made")


class PlanCache(Generic[Made]):
    """What was made of the `size` statements that were asked last."""

    def __init__(self, size: int = 1000) -> None:
        self._size = size
        self._plans: OrderedDict[Hashable, Made] = OrderedDict()

    def get(self, key: Hashable) -> Made | None:
        found = self._plans.get(key)
        if found is not None:
            self._plans.move_to_end(key)
        return found

    def made(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` makes. `key` is another whenever that might be something else: text, types, catalog, path."""
        found = self.get(key)
        if found is None:
            found = self._plans[key] = make()
            if len(self._plans) > self._size:
                self._plans.popitem(last=False)
        return found
