"""What each kind of expression means: the table from syntax to the functions that lower it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from holdfast.plan.scalar import Column
from holdfast.plan.types import INT4
from holdfast.sql.errors import GroupingError
from holdfast.sql.lower import calls, columns, constructs, operators, subqueries
from holdfast.sql.lower.block import GROUPINGS, Block
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.syntax.query import Query
from holdfast.sql.term import Term


def lower_term(expression: syntax.Expression, block: Block) -> Term:
    return _TABLE[type(expression)](expression, block)


def _quantified(expression: syntax.Quantified, block: Block) -> Term:
    if isinstance(expression.right, Query):
        return subqueries.over_query(expression, expression.right, block)
    return operators.over_array(expression, expression.right, block)


def _grouping(expression: syntax.Grouping, block: Block) -> Term:
    """GROUPING(...): which of its arguments a row is not grouped by, as bits."""
    if not block.clause.aggregates:
        raise GroupingError(f"grouping operations are not allowed in {block.clause.name}", expression.location)
    before = len(block.references)
    scalars = tuple([block.term(item).scalar for item in expression.items])
    del block.references[before:]
    index = block.groupings.setdefault(scalars, len(block.groupings))
    block.grouping_locations.extend(
        (scalar, item.location) for scalar, item in zip(scalars, expression.items, strict=True)
    )
    return Term(Column(GROUPINGS + index, INT4, False), expression.location)


_TABLE: Mapping[type[syntax.Expression], Callable[[Any, Block], Term]] = {  # each takes the class it stands beside
    syntax.NullLiteral: constructs.null_literal,
    syntax.BooleanLiteral: constructs.boolean_literal,
    syntax.IntegerLiteral: constructs.integer_literal,
    syntax.NumericLiteral: constructs.numeric_literal,
    syntax.StringLiteral: constructs.string_literal,
    syntax.BitStringLiteral: constructs.bit_string_literal,
    syntax.Parameter: constructs.parameter,
    syntax.Column: columns.column,
    syntax.Star: columns.whole_star,
    syntax.Field: constructs.field,
    syntax.FieldStar: columns.misplaced_star,
    syntax.Subscript: constructs.subscript,
    syntax.Slice: constructs.subscript,
    syntax.Unary: operators.unary,
    syntax.Binary: operators.binary,
    syntax.And: operators.logical_and,
    syntax.Or: operators.logical_or,
    syntax.Not: operators.logical_not,
    syntax.Like: operators.like,
    syntax.Between: operators.between,
    syntax.IsDistinctFrom: operators.is_distinct,
    syntax.IsNull: operators.is_null,
    syntax.IsBoolean: operators.is_boolean,
    syntax.InList: operators.in_list,
    syntax.InQuery: subqueries.in_query,
    syntax.Quantified: _quantified,
    syntax.Exists: subqueries.exists,
    syntax.Subquery: subqueries.scalar,
    syntax.CollectionQuery: subqueries.collection,
    syntax.Row: columns.row,
    syntax.Array: constructs.array,
    syntax.List: constructs.list_,
    syntax.Map: constructs.map_,
    syntax.Case: constructs.case,
    syntax.Choice: constructs.choice,
    syntax.Cast: constructs.cast,
    syntax.Collate: constructs.collate,
    syntax.Current: constructs.current,
    syntax.Grouping: _grouping,
    syntax.Default: constructs.default,
    syntax.Call: calls.called,
}
