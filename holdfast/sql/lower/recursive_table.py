"""WITH RECURSIVE: a table that reads itself.

PostgreSQL evaluates its first query once, and its second over the rows that were new in the round before, until there
are none. Where the second reads the table once, row by row, that is what is there when evaluating both over all rows
changes nothing any more: how a `LetRec` is evaluated. So other queries are refused, as PostgreSQL refuses them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace

from holdfast.plan.free import scalars
from holdfast.plan.relation import (
    Apply,
    ColumnType,
    Distinct,
    Filter,
    FlatMap,
    Join,
    Let,
    Local,
    Map,
    OuterJoin,
    Project,
    Relation,
    SemiJoin,
    Union,
    inputs,
)
from holdfast.plan.scalar import Scalar, Subquery, children
from holdfast.sql.coerce import Coercion
from holdfast.sql.errors import DatatypeMismatch, InvalidColumnReference, InvalidRecursion, WrongSyntax
from holdfast.sql.lower.block import Common, Rows
from holdfast.sql.lower.placement import emit
from holdfast.sql.lower.rows import columns_as_terms, relation_of
from holdfast.sql.lower.source import Inside
from holdfast.sql.modifiers import bare
from holdfast.sql.syntax.query import Body, CommonTable, Query, SetOperation, Table, With, WithMutuallyRecursive
from holdfast.sql.term import Term

MAX_ROUNDS = 10_000
"""Rounds after which a recursion is taken for one without end: a LIMIT does not stop it, as it does in PostgreSQL."""


def recurs(table: CommonTable) -> bool:
    """Whether its query names it."""
    return _names(table.query, table.name)


def _names(node: object, name: str) -> bool:
    if isinstance(node, tuple):
        return any(_names(part, name) for part in node)
    if isinstance(node, Table):
        return node.name.parts == (name,)
    if not is_dataclass(node):
        return False
    common = getattr(node, "common", None)
    if isinstance(common, With | WithMutuallyRecursive) and any(table.name == name for table in common.tables):
        # Another table of the same name, inside.
        return False
    return any(_names(getattr(node, field.name), name) for field in fields(node))


def renamed(table: CommonTable, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of columns, the first of which the table gives others."""
    if len(table.columns) > len(names):
        raise InvalidColumnReference(
            f'WITH query "{table.name}" has {len(names)} columns available but {len(table.columns)} columns specified',
            table.location,
        )
    return (*table.columns, *names[len(table.columns) :])


def lower_recursive(
    table: CommonTable, inside: Inside, lower: Callable[[Query, Inside], Rows]
) -> tuple[Common, Relation]:
    """The table, as others and itself may read it, and what it is in terms of itself."""
    operation = _operation(table)
    if _names(operation.left, table.name):
        message = f'recursive reference to query "{table.name}" must not appear within its non-recursive term'
        raise InvalidRecursion(message, table.location)
    coercion = inside.statement.coercion
    rows = lower(_as_query(operation.left), inside)
    first = relation_of(rows, coercion)
    columns = tuple([ColumnType(bare(column.type)) for column in first.columns])
    local = Local(inside.statement.fresh(table.name), columns)
    common = Common(local, renamed(table, rows.names), [])
    step = _step(table, operation, common, inside, lower)
    starts = [_exactly(term, to, coercion) for term, to in zip(columns_as_terms(first), columns, strict=True)]
    both = Union((emit(first, [term.scalar for term in starts if term is not None]), step))
    return common, both if operation.all else Distinct(both)


def _step(
    table: CommonTable,
    operation: SetOperation,
    common: Common,
    inside: Inside,
    lower: Callable[[Query, Inside], Rows],
) -> Relation:
    """The second query, which reads the table."""
    columns, coercion = common.relation.columns, inside.statement.coercion
    rows = lower(_as_query(operation.right), replace(inside, common={**inside.common, table.name: common}))
    reference = f'recursive reference to query "{table.name}"'
    if len(common.uses) > 1:
        raise InvalidRecursion(f"{reference} must not appear more than once", common.uses[1])
    if len(rows.terms) != len(columns):
        raise WrongSyntax("each UNION query must have the same number of columns", table.location)
    terms: list[Term] = []
    for place, (term, wanted) in enumerate(zip(rows.terms, columns, strict=True), start=1):
        found = _exactly(term, wanted, coercion)
        if found is None:
            raise DatatypeMismatch(
                f'recursive query "{table.name}" column {place} has type {wanted.type} in non-recursive term but type '
                f"{bare(term.type)} overall",
                term.location or table.location,
                hint="Cast the output of the non-recursive term to the correct type.",
            )
        terms.append(found)
    step = emit(rows.relation, [term.scalar for term in terms])
    limited = rows.limit is not None or rows.offset is not None
    assert isinstance(common.relation, Local)
    if limited or not _by_rows(step, common.relation.name):
        raise InvalidRecursion(
            f"{reference} must not appear where it is not read row by row",
            common.uses[0],
            hint="It cannot be aggregated, sorted, made optional by an outer join, or read by a subquery.",
        )
    return step


def _exactly(term: Term, wanted: ColumnType, coercion: Coercion) -> Term | None:
    """The term as one of the type that the first query gave the column: implicitly, so that no value is lost."""
    if bare(term.type) is wanted.type or term.unknown:
        return coercion.to_exact(term, wanted.type, "assignment")
    return coercion.to_exact(term, wanted.type)


def _as_query(body: Body) -> Query:
    return body if isinstance(body, Query) else Query(body, location=body.location)


def _by_rows(relation: Relation, name: str) -> bool:
    """Whether what comes of some rows of the table and what comes of others is what comes of all."""
    if any(_asks(scalar, name) for scalar in scalars(relation)):
        return False
    if not _reads(relation, name):
        return True
    match relation:
        case Local():
            return True
        case Map() | Filter() | Project() | FlatMap():
            return _by_rows(relation.input, name)
        case Join() | Union():
            return all(_by_rows(part, name) for part in relation.inputs)
        case OuterJoin() | SemiJoin() | Apply():
            full = isinstance(relation, OuterJoin) and relation.full
            inner = isinstance(relation, Apply) and not relation.outer
            right = not _reads(relation.right, name) or (inner and _by_rows(relation.right, name))
            return not full and right and _by_rows(relation.left, name)
        case Let():
            return not _reads(relation.value, name) and _by_rows(relation.body, name)
    return False


def _reads(relation: Relation, name: str) -> bool:
    if isinstance(relation, Local) and relation.name == name:
        return True
    if any(_asks(scalar, name) for scalar in scalars(relation)):
        return True
    return any(_reads(part, name) for part in inputs(relation))


def _asks(scalar: Scalar, name: str) -> bool:
    """Whether a query in the scalar reads the table."""
    if isinstance(scalar, Subquery) and _reads(scalar.relation, name):
        return True
    return any(_asks(part, name) for part in children(scalar))


def _operation(table: CommonTable) -> SetOperation:
    query, found = table.query, table.query.body
    plain = query.common is None and not query.order_by and query.limit is None and query.offset is None
    if not plain or not isinstance(found, SetOperation) or found.kind != "UNION":
        raise InvalidRecursion(
            f'recursive query "{table.name}" does not have the form non-recursive-term UNION [ALL] recursive-term',
            table.location,
        )
    return found
