"""The key of an index: expressions over the columns of one relation, for whose values rows are found."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.free import holds_query
from holdfast.plan.scalar import Scalar
from holdfast.sql.catalog import Catalog, CatalogRelation
from holdfast.sql.change.target import item_of_target, rows_of_target
from holdfast.sql.errors import InvalidColumnReference, NotSupported, StatementTooComplex, UndefinedParameter
from holdfast.sql.lower.block import Block, Clause, Statement
from holdfast.sql.lower.expressions import lower_term
from holdfast.sql.lower.placement import Placement
from holdfast.sql.lower.query import lower_query
from holdfast.sql.parameters import Parameters
from holdfast.sql.plan import MAX_DEPTH
from holdfast.sql.scope import Scope
from holdfast.sql.syntax.expression import Column, Expression, IntegerLiteral

_KEY = Clause("index expressions")


def named_columns(key: Sequence[Expression], relation: CatalogRelation) -> tuple[Expression, ...]:
    """The key with columns by their names alone, where they were given by number or with the relation's name."""
    return tuple(_named(expression, relation) for expression in key)


def _named(expression: Expression, relation: CatalogRelation) -> Expression:
    path = (*relation.schema, relation.name)
    if isinstance(expression, IntegerLiteral):
        count = len(relation.columns)
        if not 1 <= expression.value <= count:
            message = f"column reference {expression.value} in CREATE INDEX is out of range (1 - {count})"
            raise InvalidColumnReference(message, expression.location)
        return Column((relation.columns[expression.value - 1].name,), location=expression.location)
    if isinstance(expression, Column) and len(expression.parts) > 1:
        before = expression.parts[:-1]
        if path[-len(before) :] == before:
            return Column(expression.parts[-1:], location=expression.location)
    return expression


def plan_key(key: Sequence[Expression], relation: CatalogRelation, catalog: Catalog) -> tuple[Scalar, ...]:
    """The expressions over the columns of the relation. They may ask no query and gather no rows."""
    state = Statement(catalog, Parameters(()), lower_term, lower_query)
    rows = rows_of_target(relation)
    block = Block(state, Scope((item_of_target(relation, None),), rows.columns, None), {}, _KEY)
    try:
        terms = [block.coercion.text_if_unknown(block.term(expression)) for expression in key]
    except RecursionError:
        raise StatementTooComplex(MAX_DEPTH) from None
    for term in terms:
        if holds_query(term.scalar):
            raise NotSupported("cannot use subquery in index expression", term.location)
    if state.parameters.types():
        raise UndefinedParameter("there is no parameter $1", key[0].location)
    return Placement(len(rows.columns)).scalars([term.scalar for term in terms])
