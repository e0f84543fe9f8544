"""WITH: common tables, plain, recursive and mutually recursive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from holdfast.plan.relation import ColumnType, Let, LetRec, Local, Recursive, Relation
from holdfast.sql.errors import (
    DatatypeMismatch,
    DuplicateAlias,
    DuplicateColumn,
    InvalidTypeModifier,
    WrongSyntax,
)
from holdfast.sql.lower.block import Common, Rows
from holdfast.sql.lower.placement import emit
from holdfast.sql.lower.recursive_table import MAX_ROUNDS, lower_recursive, recurs, renamed
from holdfast.sql.lower.rows import columns_as_terms, relation_of, unlimited
from holdfast.sql.lower.source import Inside
from holdfast.sql.syntax.expression import IntegerLiteral
from holdfast.sql.syntax.query import Query, RecursiveTable, With, WithMutuallyRecursive
from holdfast.sql.term import Term
from holdfast.sql.typenames import type_of

Wrap = Callable[[Relation], Relation]
LowerInside = Callable[[Query, Inside], Rows]


@dataclass(frozen=True, slots=True)
class _Bound:
    name: str
    value: Relation
    common: Common
    recursive: bool = False


def lower_with(
    common: With | WithMutuallyRecursive, inside: Inside, lower: LowerInside
) -> tuple[Inside, Callable[[Rows], Rows]]:
    """Where the body of the query stands, and what makes the tables known to what it comes to."""
    if isinstance(common, WithMutuallyRecursive):
        within, wrap = _recursive(common, inside, lower)
    else:
        within, wrap = _plain(common, inside, lower)
    return within, lambda rows: _wrapped(rows, wrap, inside)


def _wrapped(rows: Rows, wrap: Wrap, inside: Inside) -> Rows:
    """What the body computes, all of it inside of `wrap`, since any of it may read a common table."""
    found = unlimited(rows, inside.statement.coercion)
    relation = wrap(found.relation)
    terms = columns_as_terms(relation, [term.location for term in rows.terms])[: found.width]
    return Rows(relation, terms, rows.names, found.order, rows.limit, rows.offset)


def _plain(common: With, inside: Inside, lower: LowerInside) -> tuple[Inside, Wrap]:
    known: Mapping[str, Common] = inside.common
    bound: list[_Bound] = []
    for table in common.tables:
        if any(other.name == table.name for other in common.tables[: len(bound)]):
            raise DuplicateAlias(f'WITH query name "{table.name}" specified more than once', table.location)
        within = replace(inside, common=known)
        if common.recursive and recurs(table):
            made, relation = lower_recursive(table, within, lower)
            assert isinstance(made.relation, Local)
            bound.append(_Bound(made.relation.name, relation, made, recursive=True))
        else:
            later = [other.name for other in common.tables[len(bound) :]]
            inside.statement.coming += later
            rows = lower(table.query, within)
            del inside.statement.coming[len(inside.statement.coming) - len(later) :]
            relation = relation_of(rows, inside.statement.coercion)
            name = inside.statement.fresh(table.name)
            made = Common(Local(name, relation.columns), renamed(table, rows.names), [])
            bound.append(_Bound(name, relation, made))
        known = {**known, table.name: made}

    def wrap(body: Relation) -> Relation:
        for one in reversed(bound):
            if one.recursive:
                found = (Recursive(one.name, one.value, one.common.relation.columns),)
                body = LetRec(found, body, MAX_ROUNDS, error_at_limit=True)
            elif one.common.uses:
                body = Let(one.name, one.value, body)
        return body

    return replace(inside, common=known), wrap


def _recursive(common: WithMutuallyRecursive, inside: Inside, lower: LowerInside) -> tuple[Inside, Wrap]:
    """All tables see each other, by the columns that were declared for them."""
    declared: dict[str, Common] = {}
    for table in common.tables:
        if table.name in declared:
            raise DuplicateAlias(f'WITH query name "{table.name}" specified more than once', table.location)
        declared[table.name] = _declared(table, inside)
    within = replace(inside, common={**inside.common, **declared})
    bindings: list[Recursive] = []
    for table in common.tables:
        local = declared[table.name].relation
        assert isinstance(local, Local)
        bindings.append(Recursive(local.name, _value(table, local, within, lower), local.columns))
    limit, error = _limit(common)
    return within, lambda body: LetRec(tuple(bindings), body, limit, error)


def _declared(table: RecursiveTable, inside: Inside) -> Common:
    names = tuple(column.name for column in table.columns)
    for number, column in enumerate(table.columns):
        if column.name in names[:number]:
            raise DuplicateColumn(f'column "{column.name}" specified more than once', column.location)
    types = [type_of(column.type, inside.statement.catalog) for column in table.columns]
    columns = tuple(ColumnType(type_) for type_ in types)
    return Common(Local(inside.statement.fresh(table.name), columns), names, [])


def _value(table: RecursiveTable, local: Local, inside: Inside, lower: LowerInside) -> Relation:
    """The query of a recursive table, its columns assigned to those declared."""
    coercion = inside.statement.coercion
    rows = lower(table.query, inside)
    if len(rows.terms) != len(local.columns):
        raise WrongSyntax(
            f'WITH MUTUALLY RECURSIVE query "{table.name}" declares {len(local.columns)} columns, '
            f"but its query returns {len(rows.terms)}",
            table.location,
        )
    terms: list[Term] = []
    for term, wanted, declared in zip(rows.terms, local.columns, table.columns, strict=True):
        found = coercion.to_exact(term, wanted.type, "assignment")
        if found is None:
            raise DatatypeMismatch(
                f'WITH MUTUALLY RECURSIVE query "{table.name}" declares column "{declared.name}" as type '
                f"{wanted.type}, but its query returns type {term.type}",
                term.location or table.location,
            )
        terms.append(found)
    assigned = replace(rows, terms=tuple(terms))
    if rows.limit is None and rows.offset is None:
        return emit(rows.relation, [term.scalar for term in terms])
    return relation_of(assigned, coercion)


def _limit(common: WithMutuallyRecursive) -> tuple[int | None, bool]:
    """How many rounds there are at most, and whether it is an error not to be done by then."""
    limit, error = None, False
    for option in common.options:
        if option.name not in ("RECURSION LIMIT", "RETURN AT RECURSION LIMIT", "ERROR AT RECURSION LIMIT"):
            raise WrongSyntax(f"unknown option {option.name}", option.location)
        if limit is not None:
            raise WrongSyntax("more than one recursion limit given", option.location)
        value = option.value
        if not isinstance(value, IntegerLiteral) or value.value < 1:
            raise InvalidTypeModifier("recursion limit must be at least 1", option.location)
        limit, error = value.value, not option.name.startswith("RETURN")
    return limit, error
