"""Where an error of a relation comes from: from the view whose own query fails, however far below it lies."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.state import CatalogState
from holdfast.repr.ids import GlobalId
from holdfast.sql.render.quote import dotted

Errs = Callable[[GlobalId], bool | None]
"""Whether a relation errs; None: it has no rows of its own, as a view that nobody maintains."""


def origin(catalog: CatalogState, id: GlobalId, errs: Errs) -> str | None:
    """The one that fails among all that a relation that errs is made of, as `materialized view a.b.c`.

    None: that is known no more, as it was dropped.
    """
    found = _failing(catalog, id, errs, set())
    return None if found is None else f"{found.noun} {dotted(catalog.path_of(found))}"


def _failing(catalog: CatalogState, id: GlobalId, errs: Errs, seen: set[GlobalId]) -> Item | None:
    """`seen` are those below which none was found: views of views may lead to one in many ways."""
    item = catalog.items.get(id)
    if item is None or id in seen or errs(id) is False:
        return None
    seen.add(id)
    below = (_failing(catalog, part, errs, seen) for part in sorted(item.uses, key=str))
    return next((found for found in below if found is not None), item if errs(id) else None)
