"""One expression on its own: a default, or an argument of EXECUTE."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.free import holds_query
from holdfast.plan.relation import UNIT
from holdfast.plan.scalar import Scalar
from holdfast.plan.types import Type
from holdfast.sql.catalog import Catalog, CatalogColumn
from holdfast.sql.change.assign import REWRITE, assigned, coerced
from holdfast.sql.coerce import shown
from holdfast.sql.errors import DatatypeMismatch, NotSupported, StatementTooComplex, UndefinedColumn, UndefinedTable
from holdfast.sql.lower.block import Block, Clause, Rows, Statement
from holdfast.sql.lower.expressions import lower_term
from holdfast.sql.lower.names import column_name
from holdfast.sql.lower.placement import Placement
from holdfast.sql.lower.query import lower_query
from holdfast.sql.parameters import Parameters
from holdfast.sql.parser import parse_expression
from holdfast.sql.plan import MAX_DEPTH, Planned, plan_of, planned
from holdfast.sql.scope import Scope
from holdfast.sql.syntax.expression import Expression
from holdfast.sql.term import Term


def plan_expression(
    expression: Expression | str,
    catalog: Catalog,
    type_: Type | None,
    *,
    parameter_types: Sequence[Type | None] = (),
    place: str = "DEFAULT expression",
    column: str | None = None,
) -> Planned:
    """One row with one column: the expression, which may name no column and ask no query, assigned to `type_`.

    `place` is what errors call it, and `column` the one that it is the default of.
    """
    syntax = parse_expression(expression) if isinstance(expression, str) else expression
    state = Statement(catalog, Parameters(parameter_types), lower_term, lower_query)
    try:
        term = _lowered(syntax, state, place)
        scalar = _assigned(term, type_, column, state)
    except RecursionError:
        raise StatementTooComplex(MAX_DEPTH) from None
    rows = Rows(UNIT, (Term(scalar, 0),), (column_name(syntax, state.query_names),))
    return planned(plan_of(rows, state.coercion), state.parameters.types())


def _lowered(expression: Expression, state: Statement, place: str) -> Term:
    block = Block(state, Scope((), (), None), {}, Clause(f"{place}s"))
    try:
        term = block.term(expression)
    except (UndefinedColumn, UndefinedTable) as error:
        raise NotSupported(f"cannot use column reference in {place}", error.position) from None
    if holds_query(term.scalar):
        raise NotSupported(f"cannot use subquery in {place}", term.location)
    return Term(Placement(0).scalar(term.scalar), term.location)


def _assigned(term: Term, type_: Type | None, column: str | None, state: Statement) -> Scalar:
    if type_ is None:
        return state.coercion.text_if_unknown(term).scalar
    if column is not None:
        return assigned(term, CatalogColumn(column, type_), state.coercion, "default expression")
    found = coerced(term, type_, state.coercion)
    if found is None:
        raise DatatypeMismatch(
            f"expression of type {shown(term.type)} cannot be coerced to the expected type {shown(type_)}",
            term.location,
            REWRITE,
        )
    return found
