"""Indexes: CREATE INDEX, CREATE DEFAULT INDEX.

An index stands in the schema of its relation, and is its owner's.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from holdfast.adapter.catalog.ddl.clusters import cluster_of
from holdfast.adapter.catalog.ddl.making import make, named_wholly
from holdfast.adapter.catalog.ddl.placing import Place, check_name, is_taken
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.definition import RETAIN_HISTORY, defined
from holdfast.adapter.catalog.errors import InvalidParameter
from holdfast.adapter.catalog.maintainable import check_maintainable, check_scalar
from holdfast.adapter.catalog.names import as_relation
from holdfast.adapter.catalog.objects import RELATIONS, Item
from holdfast.adapter.catalog.privileges import require_create_in, require_owner
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.keys import unique_keys
from holdfast.plan.relation import Plan
from holdfast.sql import plan_query
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.index_key import named_columns, plan_key
from holdfast.sql.syntax.expression import Column, Expression
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement.create import CreateIndex


def create_index(statement: CreateIndex, work: Work) -> None:
    cluster = cluster_of(statement.cluster, statement.location)
    on = work.names.item(statement.on, *RELATIONS)
    require_owner(work.state, work.role, on)
    place = Place(work.state.schemas[on.schema], on.session)
    if place.schema.database is not None:
        require_create_in(work.state, work.role, place.schema)
    for option in statement.options:
        if option.name != RETAIN_HISTORY:
            raise InvalidParameter(f'unrecognized parameter "{option.name.lower()}"', option.location)
    relation, plan = as_relation(work.state, on), _plan(work, on)
    key = _default_key(relation, plan) if statement.key is None else named_columns(statement.key, relation)
    name = statement.name or _name(work, statement, place, on, key)
    check_name(name, statement.location)
    if is_taken(work, place, ObjectName((name,), location=statement.location), skip=statement.if_not_exists):
        return
    if plan is not None:
        check_maintainable(plan)
    for scalar in plan_key(key, relation, work.names):
        check_scalar(scalar)
    plain = replace(statement, name=name, cluster=cluster, key=key, if_not_exists=False)
    found = named_wholly(work, plain, place)
    item = make(work, "index", found, place, defined(found.statement, work.names))
    work.replace(item, replace(item, owner=on.owner))


def _plan(work: Work, on: Item) -> Plan | None:
    return None if on.query is None else plan_query(on.query, replace(work.names, session=on.session)).plan


def _default_key(relation: CatalogRelation, plan: Plan | None) -> tuple[Expression, ...]:
    """A key by which no two rows are alike, if one is known; else all columns."""
    width = len(relation.columns)
    keys = (
        [] if plan is None else [key for key in unique_keys(decorrelate(plan).relation) if max(key, default=0) < width]
    )
    chosen = min(keys, key=lambda key: (len(key), sorted(key)), default=None)
    columns = range(width) if not chosen else sorted(chosen)
    return tuple(Column((relation.columns[index].name,)) for index in columns)


def _name(work: Work, statement: CreateIndex, place: Place, on: Item, key: tuple[Expression, ...]) -> str:
    """After its relation and its columns, with a number if that name is taken."""
    words = ["primary"] if statement.key is None else [_word(part) for part in key]
    name = "_".join((on.name, *words, "idx"))
    if statement.if_not_exists:
        return name
    numbered = (f"{name}{number or ''}" for number in count())
    return next(each for each in numbered if work.state.item_in(place.schema.id, each, place.session) is None)


def _word(part: Expression) -> str:
    return part.parts[-1] if isinstance(part, Column) else "expr"
