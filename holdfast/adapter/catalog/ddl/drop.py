"""DROP of databases, schemas and what is in them: with all that depends on it, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from holdfast.adapter.catalog.ddl.shown import shown
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import CatalogError, DependentObjects, UndefinedDatabase
from holdfast.adapter.catalog.objects import Comment, Database, DefaultGrant, Item, ItemKind, Object, Schema
from holdfast.adapter.catalog.privileges import require, require_owner
from holdfast.adapter.catalog.state import CatalogState
from holdfast.errors import UsageError
from holdfast.sql.errors import UndefinedObject, UndefinedSchema, UndefinedTable, WrongObjectType
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement.drop import Drop
from holdfast.sql.syntax.statement.kind import Kind

Droppable: TypeAlias = Database | Schema | Item

ITEM_KINDS: dict[Kind, ItemKind] = {
    Kind.TABLE: "table",
    Kind.VIEW: "view",
    Kind.MATERIALIZED_VIEW: "materialized-view",
    Kind.INDEX: "index",
    Kind.TYPE: "type",
}

_CASCADE = "Use DROP ... CASCADE to drop the dependent objects too."


def drop(statement: Drop, work: Work) -> None:
    roots: list[Droppable] = []
    for name in statement.names:
        found = _named(work, statement, name)
        if found is not None and found not in roots:
            check_may_drop(work, found, name)
            roots.append(found)
    # A database is never empty, so it goes with what is in it unless that is forbidden.
    cascade = statement.behavior == "CASCADE" or (statement.kind is Kind.DATABASE and statement.behavior is None)
    drop_all(work, roots, cascade=cascade, quiet=statement.kind is Kind.DATABASE)


def _named(work: Work, statement: Drop, name: ObjectName) -> Droppable | None:
    """What the name means; None if it means nothing and that is fine."""
    try:
        match statement.kind:
            case Kind.DATABASE:
                return work.names.database_named(name.parts[-1], name.location)
            case Kind.SCHEMA:
                return work.names.schema(name)
            case kind if kind in ITEM_KINDS:
                return _item(work, name, ITEM_KINDS[kind])
    except (UndefinedDatabase, UndefinedSchema, UndefinedTable, UndefinedObject) as error:
        if not statement.if_exists:
            raise
        work.notice(f"{error}, skipping")
        return None
    raise UsageError(f"{statement.kind} is not dropped here")


def _item(work: Work, name: ObjectName, kind: ItemKind) -> Item:
    if len(name.parts) > 1:
        work.names.schema(ObjectName(name.parts[:-1], location=name.location))
    try:
        return work.names.item(name, kind)
    except UndefinedTable as error:
        shown_kind = kind.replace("-", " ")
        raise UndefinedTable(f'{shown_kind} "{".".join(name.parts)}" does not exist', name.location) from error
    except WrongObjectType as error:
        held = work.names.item(name)
        article = "an" if held.kind == "index" else "a"
        error.hint = f"Use DROP {held.noun.upper()} to remove {article} {held.noun}."
        raise


def check_may_drop(work: Work, found: Droppable, name: ObjectName) -> None:
    if isinstance(found, Schema) and found.database is None:
        what = shown(work.names, found)
        raise DependentObjects(f"cannot drop {what} because it is required by the database system")
    if isinstance(found, Item):
        require(work.state, work.role, work.state.schemas[found.schema], "USAGE")
    try:
        require_owner(work.state, work.role, found)
    except CatalogError as error:
        error.position = name.location
        raise


@dataclass(frozen=True, slots=True)
class Dependent:
    """An object that goes when `on` goes."""

    found: Droppable
    on: Droppable


def dependents(state: CatalogState, roots: Sequence[Droppable]) -> list[Dependent]:
    """All that cannot be without the roots, each once, none of the roots among them."""
    seen: set[tuple[type, object]] = {(type(root), root.id) for root in roots}
    found: list[Dependent] = []
    waiting: list[Droppable] = list(roots)
    while waiting:
        on = waiting.pop(0)
        for each in _next(state, on):
            key = (type(each), each.id)
            if key not in seen:
                seen.add(key)
                found.append(Dependent(each, on))
                waiting.append(each)
    return found


def _next(state: CatalogState, on: Droppable) -> Iterable[Droppable]:
    match on:
        case Database():
            return state.schemas_of(on.id)
        case Schema():
            return state.items_of(on.id)
        case Item():
            return [state.item(user) for user in sorted(state.used_by(on.id), key=lambda each: each.number)]


def drop_all(work: Work, roots: Sequence[Droppable], *, cascade: bool, quiet: bool = False) -> None:
    """Drop the roots, and with `cascade` what depends on them; else that nothing does is a condition.

    Indexes do not count: they go with their relation, without a word.
    """
    names = work.names
    found = dependents(work.state, roots)
    others = [each for each in found if not (isinstance(each.found, Item) and each.found.kind == "index")]
    if others and not cascade:
        several = len(roots) > 1
        what = "desired object(s)" if several else shown(names, roots[0])
        lines = [f"{shown(names, each.found)} depends on {shown(names, each.on)}" for each in others]
        message = f"cannot drop {what} because other objects depend on {'them' if several else 'it'}"
        raise DependentObjects(message, lines, _CASCADE)
    if others and not quiet:
        lines = [f"drop cascades to {shown(names, each.found)}" for each in others]
        if len(lines) == 1:
            work.notice(lines[0])
        else:
            work.notice(f"drop cascades to {len(lines)} other objects", detail="\n".join(lines))
    gone: list[Droppable] = [*roots, *(each.found for each in found)]
    work.remove(*gone, *_said_of(work.state, gone))


def _said_of(state: CatalogState, gone: Sequence[Droppable]) -> list[Object]:
    """Comments on the objects, and default privileges in them."""
    ids = {str(each.id) for each in gone}
    comments: list[Comment] = [each for each in state.comments.values() if each.object in ids]
    defaults: list[DefaultGrant] = [
        each for each in state.default_grants.values() if each.database in ids or each.schema in ids
    ]
    return [*comments, *defaults]


def drop_item(work: Work, item: Item) -> None:
    """Drop an item that nothing may depend on."""
    drop_all(work, [item], cascade=False)
