"""FROM: relations, queries, functions and joins, and the names that they bring into scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from holdfast.plan.free import holds_query
from holdfast.plan.relation import UNIT, Apply, ColumnType, Filter, FlatMap, Get, Join, Relation
from holdfast.plan.scalar import Scalar
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.errors import UndefinedTable
from holdfast.sql.lower.functions_in_from import lower_functions
from holdfast.sql.lower.joins import condition, equalities, join_source, merged_columns, outer_join
from holdfast.sql.lower.outer import raised, without_level
from holdfast.sql.lower.rows import relation_of
from holdfast.sql.lower.source import Inside, Source, aliased
from holdfast.sql.parser import parse_query
from holdfast.sql.scope import Item
from holdfast.sql.syntax import query as syntax

_WRONG_SIDE = "The combining JOIN type must be INNER or LEFT for a LATERAL reference."


def lower_from(items: Sequence[syntax.FromItem], inside: Inside) -> Source:
    """All items of one FROM; without any, one row without columns."""
    if not items:
        return Source(UNIT, ())
    found = lower_item(items[0], inside)
    for item in items[1:]:
        right, lateral = _right(found, item, replace(inside, beside=found.items), None)
        hidden = (*found.hidden, *right.hidden)
        found = Source(_combined(found.relation, right.relation, lateral=lateral), found.beside(right), hidden)
    return found


def lower_item(item: syntax.FromItem, inside: Inside) -> Source:
    match item:
        case syntax.Table():
            return _table(item, inside)
        case syntax.Derived():
            return _derived(item, inside)
        case syntax.Functions():
            return lower_functions(item, inside)
        case syntax.Join():
            return _join(item, inside)
    assert_never(item)


def _right(left: Source, item: syntax.FromItem, inside: Inside, forbids: str | None) -> tuple[Source, bool]:
    """What stands to the right of `left`, and whether it refers to it."""
    if not _may_refer_left(item):
        return lower_item(item, inside), False
    within, scope = inside.right_of(left, forbids)
    found = lower_item(item, within)
    if scope.used:
        return found, True
    return Source(without_level(found.relation), found.items), False


def _may_refer_left(item: syntax.FromItem) -> bool:
    match item:
        case syntax.Derived() | syntax.Functions():
            # A query that is not LATERAL must not, and is told so.
            return True
        case syntax.Join():
            return _may_refer_left(item.left) or _may_refer_left(item.right)
    return False


def _combined(
    left: Relation, right: Relation, predicates: tuple[Scalar, ...] = (), *, lateral: bool, outer: bool = False
) -> Relation:
    """The inner join of two sides, or with `outer` the left one, where the right one may be lateral."""
    if not lateral:
        return outer_join("LEFT", left, right, predicates) if outer else Join((left, right), predicates)
    plain = isinstance(right, FlatMap) and not any(holds_query(argument) for argument in right.arguments)
    if isinstance(right, FlatMap) and plain and right.input is UNIT and not (outer and predicates):
        arguments = tuple([raised(argument, 1) for argument in right.arguments])
        made = FlatMap(left, right.function, arguments, right.returns, right.ordinality, outer)
        return Filter(made, predicates) if predicates else made
    return Apply(left, right, predicates, outer)


def _table(item: syntax.Table, inside: Inside) -> Source:
    parts, location = item.name.parts, item.location
    common = inside.common.get(parts[0]) if len(parts) == 1 else None
    name = item.alias.name if item.alias is not None else parts[-1]
    if common is not None:
        common.uses.append(location)
        names = aliased(common.names, item.alias, parts[-1])
        places = tuple(range(len(names)))
        return Source(common.relation, (Item(name, names, places, relation=parts[-1]),))
    found = inside.statement.catalog.relation(parts)
    if found is None:
        raise _missing(parts, location, inside)
    relation = _of_catalog(found, inside)
    names = aliased([column.name for column in found.columns], item.alias, found.name)
    schema = found.schema if item.alias is None else ()
    places = tuple(range(len(names)))
    return Source(relation, (Item(name, names, places, schema, found.name, found.keys, known=found),))


def _missing(parts: tuple[str, ...], location: int, inside: Inside) -> UndefinedTable:
    message = f'relation "{".".join(parts)}" does not exist'
    if len(parts) > 1 or parts[0] not in inside.statement.coming:
        return UndefinedTable(message, location)
    return UndefinedTable(
        message,
        location,
        detail=f'There is a WITH item named "{parts[0]}", but it cannot be referenced from this part of the query.',
        hint="Use WITH MUTUALLY RECURSIVE, or re-order the WITH items to remove forward references.",
    )


def _of_catalog(found: CatalogRelation, inside: Inside) -> Relation:
    if found.view is None:
        columns = tuple([ColumnType(column.type, column.nullable) for column in found.columns])
        return Get(found.id, columns, found.keys)
    query = parse_query(found.view) if isinstance(found.view, str) else found.view
    rows = inside.statement.lower_query(query, inside.statement, None, {})
    return relation_of(rows, inside.statement.coercion)


def _derived(item: syntax.Derived, inside: Inside) -> Source:
    statement = inside.statement
    if item.lateral:
        rows = statement.lower_query(item.query, statement, inside.outer, inside.common)
    else:
        with inside.not_lateral():
            rows = statement.lower_query(item.query, statement, inside.outer, inside.common)
    relation = relation_of(rows, statement.coercion)
    name = item.alias.name if item.alias is not None else None
    names = aliased(rows.names, item.alias, name)
    return Source(relation, (Item(name, names, tuple(range(len(names))), qualified=name is not None),))


def _join(item: syntax.Join, inside: Inside) -> Source:
    """A chain to the left is followed by a loop: it may be as long as its text."""
    spine = [item]
    while isinstance(spine[-1].left, syntax.Join):
        spine.append(spine[-1].left)
    found = lower_item(spine[-1].left, inside)
    while spine:
        found = _one_join(spine.pop(), found, inside)
    return found


def _one_join(join: syntax.Join, left: Source, inside: Inside) -> Source:
    one_sided = join.kind in ("RIGHT", "FULL")
    right, lateral = _right(left, join.right, inside, _WRONG_SIDE if one_sided else None)
    items = left.beside(right)
    columns = (*left.relation.columns, *right.relation.columns)
    merged = merged_columns(join, left, right)
    predicates = equalities(merged, columns, inside, join.location)
    if join.on is not None:
        predicates = condition(join.on, items, columns, inside)
    if one_sided:
        relation = outer_join(join.kind, left.relation, right.relation, predicates)
    else:
        outer = join.kind == "LEFT"
        relation = _combined(left.relation, right.relation, predicates, lateral=lateral, outer=outer)
    return join_source(join, relation, items, merged, inside)
