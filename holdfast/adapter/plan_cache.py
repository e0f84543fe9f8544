"""Plans that were made before: the same text, over the same catalog, is planned once.

A plan is kept as it is run. One that depends on what the session knows (`now()`) is another each time, so it is kept
as it was before that was put in.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.adapter.known import Known, with_known
from holdfast.compute.evaluate import can_evaluate
from holdfast.compute.render import SparkQuery, render
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.relation import Plan
from holdfast.plan.rewrite import optimize
from holdfast.plan.types import Type
from holdfast.sql import OutputColumn, Planned, plan_query
from holdfast.sql.catalog import Catalog

Key: TypeAlias = tuple[str, tuple[Type | None, ...], int]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A query ready to run: by the evaluator if `spark` is None, else by Spark."""

    columns: tuple[OutputColumn, ...]
    parameters: tuple[Type, ...]
    plan: Plan
    spark: SparkQuery | None


def prepare(planned: Planned, known: Known) -> Prepared:
    plan = optimize(with_known(decorrelate(planned.plan), known))
    return Prepared(planned.columns, planned.parameters, plan, None if can_evaluate(plan) else render(plan))


class PlanCache:
    """The plans of the `size` queries that were asked last."""

    def __init__(self, size: int = 1000) -> None:
        self._size = size
        self._plans: OrderedDict[Key, Planned | Prepared] = OrderedDict()

    def prepared(
        self, text: str, catalog: Catalog, version: int, known: Known, parameter_types: Sequence[Type | None] = ()
    ) -> Prepared:
        """The query ready to run. `version` is another number whenever the catalog might answer otherwise."""
        key = (text, tuple(parameter_types), version)
        found = self._plans.get(key)
        if found is None:
            planned = plan_query(text, catalog, parameter_types=parameter_types)
            # Nodes that say the same are the same: nothing was put in.
            depends = with_known(planned.plan, known) is not planned.plan
            found = planned if depends else prepare(planned, known)
            self._plans[key] = found
            if len(self._plans) > self._size:
                self._plans.popitem(last=False)
        else:
            self._plans.move_to_end(key)
        return found if isinstance(found, Prepared) else prepare(found, known)
