"""Objects as messages about dependencies name them: with no more of a path than the session needs."""

from __future__ import annotations

from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Database, Item, Role, Schema
from holdfast.sql.render.quote import dotted, identifier


def shown(names: SessionNames, found: Database | Schema | Item | Role) -> str:
    """`table t`, `materialized view other.v`, `function f(integer)`, `schema s`."""
    if isinstance(found, Item):
        taken = "" if found.function is None else f"({', '.join(map(str, found.function.arguments))})"
        return f"{found.noun} {dotted(_visible(names, found))}{taken}"
    if isinstance(found, Schema):
        path = names.state.path_of(found)
        return f"schema {dotted(path[-1:] if path[:-1] == (names.database,) else path)}"
    return f"{type(found).__name__.lower()} {identifier(found.name)}"


def _visible(names: SessionNames, item: Item) -> tuple[str, ...]:
    path = names.state.path_of(item)
    if names.find((item.name,)) == item or item in names.functions_named((item.name,)):
        return path[-1:]
    return path[1:] if path[0] == names.database else path
