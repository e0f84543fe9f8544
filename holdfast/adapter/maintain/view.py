"""A view of the catalog, as what maintains it is to know it."""

from __future__ import annotations

from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.refresh import RefreshSchedule
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.plan_parts import runs_code
from holdfast.adapter.registered_names import with_names
from holdfast.compute.delta import program
from holdfast.compute.delta.exact import is_exact_on_spark
from holdfast.compute.maintain import ViewDescription
from holdfast.errors import UsageError
from holdfast.plan.decorrelate import decorrelate
from holdfast.repr.ids import GlobalId
from holdfast.sql import plan_query


def viewed(item: Item, outputs: tuple[GlobalId, ...], catalog: CatalogState) -> ViewDescription:
    """Plan a view of the catalog that is kept for some of its items. It may take long."""
    if item.query is None:
        raise UsageError(f"{item.name} is no view")
    names = SessionNames(catalog, "").anywhere()
    plan = decorrelate(with_names(plan_query(item.query, names)).plan)
    made = program(plan)
    return ViewDescription(
        item.id,
        made,
        inputs=tuple(sorted(map(GlobalId.parse, made.inputs), key=str)),
        outputs=outputs,
        asserts={position: item.columns[position].name for position in item.asserts},
        refresh=RefreshSchedule(tuple(item.refresh)) if item.refresh else None,
        is_exact=is_exact_on_spark(made),
        runs_code=runs_code(plan),
    )
