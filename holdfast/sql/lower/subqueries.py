"""Queries inside of expressions."""

from __future__ import annotations

from holdfast.plan.functions.registry import AGGREGATES
from holdfast.plan.relation import AggregateCall, Reduce, column
from holdfast.plan.scalar import Coalesce, Column, Constant, Subquery
from holdfast.plan.types import BOOL, TEXT
from holdfast.sql.errors import WrongSyntax
from holdfast.sql.lower.block import QUERY, Block
from holdfast.sql.lower.operators import compare_rows, negation, symbol_of
from holdfast.sql.lower.rows import ordered, relation_of
from holdfast.sql.resolve import result_type
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.syntax.query import Query
from holdfast.sql.term import Term, leftmost

_COLLECTORS = {"ARRAY": "array_agg", "LIST": "list_agg", "MAP": "map_agg"}


def exists(expression: syntax.Exists, block: Block) -> Term:
    relation = relation_of(block.query(expression.query), block.coercion)
    return Term(Subquery("exists", relation, None, BOOL, False), expression.location)


def scalar(expression: syntax.Subquery, block: Block) -> Term:
    rows = block.query(expression.query)
    if len(rows.terms) != 1:
        raise WrongSyntax("subquery must return only one column", expression.location)
    block.statement.query_names[id(expression.query)] = rows.names[0]
    relation = relation_of(rows, block.coercion)
    found = Subquery("scalar", relation, None, relation.columns[0].type, True)
    return Term(found, expression.location)


def in_query(expression: syntax.InQuery, block: Block) -> Term:
    return _any("=", expression.operand, expression.query, expression.location, block)


def over_query(expression: syntax.Quantified, query: Query, block: Block) -> Term:
    """`left operator ANY (query)`; ALL is that none makes it false."""
    symbol = symbol_of(expression.operator)
    if expression.quantifier == "ANY":
        return _any(symbol, expression.left, query, expression.location, block)
    found = _any(symbol, expression.left, query, expression.location, block, every=True)
    return Term(negation(found.scalar), found.location)


def _any(
    symbol: str, left_side: syntax.Expression, query: Query, location: int, block: Block, *, every: bool = False
) -> Term:
    items = left_side.items if isinstance(left_side, syntax.Row) else (left_side,)
    left = [block.term(item) for item in items]
    rows = block.query(query)
    if len(rows.terms) != len(left):
        many = "many" if len(rows.terms) > len(left) else "few"
        raise WrongSyntax(f"subquery has too {many} columns", location)
    relation = relation_of(rows, block.coercion)
    right = [
        Term(Column(QUERY + index, found.type, found.nullable), location)
        for index, found in enumerate(relation.columns)
    ]
    term = compare_rows(symbol, left, right, location, block.coercion)
    predicate = negation(term.scalar) if every else term.scalar
    made = Subquery("any", relation, predicate, BOOL, True)
    return Term(made, leftmost(location, *(term.location for term in left)))


def collection(expression: syntax.CollectionQuery, block: Block) -> Term:
    """`ARRAY(query)` and its like: what the query returns, in its order, empty without rows."""
    rows = block.query(expression.query)
    wanted = 2 if expression.kind == "MAP" else 1
    if len(rows.terms) != wanted:
        what = "subquery must return only one column" if wanted == 1 else "expected map subquery to return 2 columns"
        raise WrongSyntax(what, expression.location)
    sorted_rows = ordered(rows, block.coercion)
    relation = sorted_rows.relation
    arguments = [column(relation, index) for index in range(wanted)]
    if expression.kind == "MAP" and arguments[0].type.base != TEXT.base:
        raise WrongSyntax("expected map subquery to return text for its keys", expression.location)
    function = AGGREGATES[_COLLECTORS[expression.kind]][0]
    type_ = result_type(function, [argument.type for argument in arguments])
    call = AggregateCall(function, tuple(arguments), type_, True, False, None, sorted_rows.order)
    made = Subquery("scalar", Reduce(relation, (), (call,)), None, type_, True)
    return Term(Coalesce((made, Constant((), type_))), expression.location)
