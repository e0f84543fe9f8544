"""What an index finds rows by: columns of its relation, and expressions over them."""

from __future__ import annotations

from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.plan_parts import runs_code_in
from holdfast.adapter.tables import Part, can_look_up
from holdfast.plan.rewrite.fold_constants import folded


def found_by(index: Item) -> tuple[Part, ...] | None:
    """The columns, in order, and after them the expressions as plans have them.

    None: it is no index, or nothing is found by values of such types or by what a user's code says: then it only keeps
    its relation in memory.
    """
    if not index.key or not all(can_look_up(part.type) for part in index.key):
        return None
    columns = {part.position for part in index.key if part.position is not None}
    expressions = dict.fromkeys(folded(part.scalar) for part in index.key if part.position is None)
    if any(map(runs_code_in, expressions)):
        return None
    return (*sorted(columns), *expressions)
