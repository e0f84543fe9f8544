"""Joins of two sources: their conditions, and the columns that USING and NATURAL make one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from holdfast.plan.relation import Columns, OuterJoin, Project, Relation, column
from holdfast.plan.scalar import TRUE, And, Coalesce, Column, Scalar
from holdfast.sql.errors import AmbiguousColumn, UndefinedColumn
from holdfast.sql.lower.apply import operator
from holdfast.sql.lower.block import JOIN, Block
from holdfast.sql.lower.placement import Placement, with_columns
from holdfast.sql.lower.source import Inside, Source, aliased
from holdfast.sql.scope import Item, Scope
from holdfast.sql.syntax import query as syntax
from holdfast.sql.syntax.expression import Expression
from holdfast.sql.term import Term

Kind = Literal["INNER", "LEFT", "RIGHT", "FULL", "CROSS"]


def conjuncts(scalar: Scalar) -> tuple[Scalar, ...]:
    """The terms that must all be true, without those that always are."""
    if isinstance(scalar, And):
        return tuple([part for term in scalar.terms for part in conjuncts(term)])
    return () if scalar is TRUE else (scalar,)


def condition(on: Expression, items: Sequence[Item], columns: Columns, inside: Inside) -> tuple[Scalar, ...]:
    """The predicates of ON, which sees the relations of its join and no others of FROM."""
    scope = Scope(items, columns, inside.outer)
    scope.beside = inside.beside
    block = Block(inside.statement, scope, inside.common, JOIN)
    with inside.not_lateral():
        found = inside.statement.coercion.boolean(block.term(on), "JOIN/ON")
    return Placement(len(columns)).scalars(conjuncts(found))


@dataclass(frozen=True, slots=True)
class Merged:
    """One column of USING: where it is on either side, counted over both, and what it is called."""

    name: str
    left: int
    right: int


def merged_columns(join: syntax.Join, left: Source, right: Source) -> list[Merged]:
    """The columns that a join makes one, if any."""
    names = join.using
    if join.natural:
        others = {name for item in right.items if item.bare for name in item.columns}
        names = tuple(name for item in left.items if item.bare for name in item.columns if name in others)
    width = len(left.relation.columns)
    return [Merged(name, _place(left, name, "left"), width + _place(right, name, "right")) for name in names]


def _place(source: Source, name: str, side: str) -> int:
    found = [
        place
        for item in source.items
        if item.bare
        for column_name, place in zip(item.columns, item.places, strict=True)
        if column_name == name
    ]
    if not found:
        raise UndefinedColumn(f'column "{name}" specified in USING clause does not exist in {side} table')
    if len(found) > 1:
        raise AmbiguousColumn(f'common column name "{name}" appears more than once in {side} table')
    return found[0]


def equalities(merged: Sequence[Merged], columns: Columns, inside: Inside, location: int) -> tuple[Scalar, ...]:
    """The predicates of USING."""
    return tuple(
        operator(
            "=",
            [_column(columns, pair.left, location), _column(columns, pair.right, location)],
            location,
            inside.statement.coercion,
        ).scalar
        for pair in merged
    )


def _column(columns: Columns, index: int, location: int) -> Term:
    found = columns[index]
    return Term(Column(index, found.type, found.nullable), location)


def outer_join(kind: Kind, left: Relation, right: Relation, predicates: tuple[Scalar, ...]) -> Relation:
    """LEFT, RIGHT and FULL, with the columns of the left side first."""
    if kind != "RIGHT":
        return OuterJoin(left, right, predicates, kind == "FULL")
    before, after = len(left.columns), len(right.columns)

    def swap(found: Column) -> Column:
        if found.index >= before + after:
            return found  # of the query of an ANY, after both sides
        index = found.index + after if found.index < before else found.index - before
        return Column(index, found.type, found.nullable)

    # The predicates are placed already, but for the order of the sides.
    placement = Placement(before + after, swap)
    swapped = OuterJoin(right, left, placement.scalars(predicates))
    return Project(swapped, (*range(after, after + before), *range(after)))


def join_source(
    join: syntax.Join, relation: Relation, items: tuple[Item, ...], merged: Sequence[Merged], inside: Inside
) -> Source:
    """The joined relation with its names: columns that were made one come first, and stand for both."""
    if merged:
        relation, items = _with_merged(join, relation, items, merged, inside)
    if join.alias is None:
        return Source(relation, items)
    names = [name for item in items if item.bare for name in item.columns]
    places = [place for item in items if item.bare for place in item.places]
    called = aliased(names, join.alias, None)
    return Source(relation, (Item(join.alias.name, called, tuple(places)),), items)


def _with_merged(
    join: syntax.Join, relation: Relation, items: tuple[Item, ...], merged: Sequence[Merged], inside: Inside
) -> tuple[Relation, tuple[Item, ...]]:
    coercion, location = inside.statement.coercion, join.location
    made: list[Scalar] = []
    for pair in merged:
        left, right = Term(column(relation, pair.left), location), Term(column(relation, pair.right), location)
        same = [term.scalar for term in coercion.to_common([left, right], "JOIN/USING")]
        if join.kind == "FULL":
            made.append(Coalesce((same[0], same[1])))
        else:
            made.append(same[1] if join.kind == "RIGHT" else same[0])
    relation, columns = with_columns(relation, made)
    gone = {place for pair in merged for place in (pair.left, pair.right)}
    names = [pair.name for pair in merged]
    places = [found.index for found in columns]
    for item in items:
        if item.bare:
            for name, place in zip(item.columns, item.places, strict=True):
                if place not in gone:
                    names.append(name)
                    places.append(place)
    inner = [replace(item, bare=False) for item in items if item.qualified]
    whole = Item(None, tuple(names), tuple(places), qualified=False)
    extra: list[Item] = []
    if join.using_alias is not None:
        count = len(merged)
        extra.append(Item(join.using_alias, tuple(names[:count]), tuple(places[:count]), bare=False))
    return relation, (*inner, whole, *extra)
