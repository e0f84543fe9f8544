"""A view that is to be maintained: what the catalog says of it, and the program that does it."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.plan_parts import runs_code
from holdfast.adapter.registered_names import with_names
from holdfast.compute.delta import Program, program
from holdfast.compute.delta.exact import is_exact_on_spark
from holdfast.errors import UsageError
from holdfast.plan.decorrelate import decorrelate
from holdfast.repr.ids import GlobalId
from holdfast.sql import plan_query


@dataclass(frozen=True)
class View:
    """`inputs` are the collections that the program reads.

    `is_exact`: Spark makes of the same rows the very same view. `runs_code`: it calls functions that users wrote.
    """

    item: Item
    program: Program
    inputs: tuple[GlobalId, ...]
    is_exact: bool
    runs_code: bool

    @property
    def id(self) -> GlobalId:
        return self.item.id


def viewed(item: Item, catalog: CatalogState) -> View:
    """Plan a view of the catalog. It may take long."""
    if item.query is None:
        raise UsageError(f"{item.name} is no view")
    names = SessionNames(catalog, "").anywhere()
    plan = decorrelate(with_names(plan_query(item.query, names)).plan)
    made = program(plan)
    inputs = tuple(sorted(map(GlobalId.parse, made.inputs), key=str))
    return View(item, made, inputs, is_exact_on_spark(made), runs_code(plan))
