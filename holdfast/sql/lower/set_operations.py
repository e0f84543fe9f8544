"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.plan.relation import Distinct, Get, Let, Local, Negate, Relation, Threshold, Union, Values
from holdfast.sql.errors import WrongSyntax
from holdfast.sql.lower.block import Rows, Statement
from holdfast.sql.lower.placement import emit
from holdfast.sql.lower.rows import columns_as_terms, ordered
from holdfast.sql.syntax.query import Body, SetOperation
from holdfast.sql.term import Term


def lower_set_operation(operation: SetOperation, statement: Statement, lower_branch: Callable[[Body], Rows]) -> Rows:
    """A chain to the left is followed by a loop: it may be as long as its text."""
    spine = [operation]
    while isinstance(spine[-1].left, SetOperation):
        spine.append(spine[-1].left)
    found = lower_branch(spine[-1].left)
    while spine:
        outer = spine.pop()
        found = _combined(outer, found, lower_branch(outer.right), statement)
    return found


def _combined(operation: SetOperation, left: Rows, right: Rows, statement: Statement) -> Rows:
    coercion, kind = statement.coercion, operation.kind
    left, right = _limited(left, statement), _limited(right, statement)
    if len(left.terms) != len(right.terms):
        place = right.terms[0].location if right.terms else 0
        raise WrongSyntax(f"each {kind} query must have the same number of columns", place)
    sides: tuple[list[Term], list[Term]] = ([], [])
    for pair in zip(left.terms, right.terms, strict=True):
        one, other = coercion.to_common(pair, kind)
        sides[0].append(one)
        sides[1].append(other)
    first, second = (
        emit(rows.relation, [term.scalar for term in terms]) for rows, terms in zip((left, right), sides, strict=True)
    )
    relation = _operated(operation, first, second, statement)
    return Rows(relation, columns_as_terms(relation, [term.location for term in sides[0]]), left.names)


def _limited(rows: Rows, statement: Statement) -> Rows:
    """A branch with a limit of its own, applied."""
    if rows.limit is None and rows.offset is None:
        return rows
    found = ordered(rows, statement.coercion)
    return Rows(found.relation, columns_as_terms(found.relation)[: found.width], rows.names)


def _operated(operation: SetOperation, left: Relation, right: Relation, statement: Statement) -> Relation:
    if operation.kind == "UNION":
        # A chain of them is one union.
        before = left.inputs if isinstance(left, Union) else (left,)
        if isinstance(left, Distinct) and isinstance(left.input, Union) and not operation.all:
            before = left.input.inputs
        joined = Union((*before, right))
        return joined if operation.all else Distinct(joined)
    if not operation.all:
        left, right = Distinct(left), Distinct(right)
    if operation.kind == "EXCEPT":
        return _minus(left, right)
    if isinstance(left, Get | Local | Values):
        return _minus(left, _minus(left, right))
    name = statement.fresh("intersected")
    shared = Local(name, left.columns)
    return Let(name, left, _minus(shared, _minus(shared, right)))


def _minus(left: Relation, right: Relation) -> Relation:
    """Each row as often as the left side has it more."""
    return Threshold(Union((left, Negate(right))))
