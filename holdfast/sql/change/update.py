"""UPDATE and DELETE: the rows of a table that a condition picks, perhaps by rows of other relations.

A table is a multiset, and each of its rows is changed at most once however many rows of the others it goes with:
equal rows are told apart by number, and of the changes that one row could have it gets the least.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.plan.functions.registry import WINDOWS
from holdfast.plan.relation import (
    Filter,
    Get,
    Join,
    OrderKey,
    Relation,
    SemiJoin,
    TopK,
    Window,
    WindowCall,
    column,
)
from holdfast.plan.scalar import Constant, Scalar, Subquery
from holdfast.plan.types import INT8
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.change.assign import assigned, default_of
from holdfast.sql.change.target import item_of_target, position, rows_of_target
from holdfast.sql.errors import NotSupported, WrongSyntax
from holdfast.sql.lower.block import WHERE, Block, Clause, Rows
from holdfast.sql.lower.constructs import field_at, record
from holdfast.sql.lower.from_items import lower_from
from holdfast.sql.lower.joins import conjuncts
from holdfast.sql.lower.placement import Placement, emit, projected
from holdfast.sql.lower.rows import columns_as_terms, relation_of
from holdfast.sql.lower.source import Inside, Source
from holdfast.sql.lower.values import row_terms
from holdfast.sql.scope import Item, Scope
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.syntax.query import FromItem
from holdfast.sql.syntax.statement.dml import Assignment
from holdfast.sql.term import Term

UPDATE = Clause("UPDATE")


@dataclass(frozen=True, slots=True)
class Picked:
    """The rows that the statement is about: a row of the table, and of the other relations those that go with it.

    `others` is None where there are no other relations. The columns of the table come first, those of the others
    from `others_at` on; between them is what tells equal rows apart.
    """

    table: CatalogRelation
    relation: Relation
    others: Source | None
    others_at: int
    block: Block

    @property
    def width(self) -> int:
        return len(self.table.columns)


def pick(table: CatalogRelation, alias: str | None, items: Sequence[FromItem], inside: Inside) -> Picked:
    """All pairs of rows, before any condition."""
    rows = rows_of_target(table)
    own = Source(rows, (item_of_target(table, alias),))
    if not items:
        return Picked(table, rows, None, len(rows.columns), _block(own.items, rows, inside))
    others = lower_from(items, replace(inside, beside=own.items))
    own = Source(_numbered(rows), own.items)
    names = own.beside(others)
    joined = Join((own.relation, others.relation))
    return Picked(table, joined, others, len(own.relation.columns), _block(names, joined, inside))


def _block(items: Sequence[Item], relation: Relation, inside: Inside) -> Block:
    return Block(inside.statement, Scope(items, relation.columns, inside.outer), inside.common)


def _numbered(rows: Get) -> Relation:
    """The rows with a number that tells equal ones apart; without one if a key does."""
    if rows.keys:
        return rows
    every = tuple(column(rows, index) for index in range(len(rows.columns)))
    row_number = WINDOWS["row_number"][0]
    return Window(rows, (WindowCall(row_number, (), INT8, False, every, tuple(map(OrderKey, every))),))


def predicates(picked: Picked, where: syntax.Expression | None) -> tuple[Scalar, ...]:
    if where is None:
        return ()
    block = picked.block
    with block.in_clause(WHERE):
        found = conjuncts(block.coercion.boolean(block.term(where), "WHERE"))
    return Placement(len(picked.relation.columns)).scalars(found)


def updated(picked: Picked, kept: Sequence[Scalar], new: Sequence[Scalar], extra: Sequence[int]) -> Rows:
    """The rows of the table, each beside its new one, and then the columns `extra` of the other relations."""
    relation = Filter(picked.relation, tuple(kept)) if kept else picked.relation
    width, names = picked.width, tuple(found.name for found in picked.table.columns)
    own = picked.others_at if picked.others is not None else width
    scalars = [*(column(relation, index) for index in (*range(own),)), *new]
    scalars += [column(relation, index) for index in extra]
    made = emit(relation, scalars)
    if picked.others is not None:
        made = TopK(made, tuple(range(own)), (), Constant(1, INT8))
        made = projected(made, [*range(width), *range(own, own + width + len(extra))])
    return Rows(made, columns_as_terms(made), (*names, *names, *(f"other{n}" for n, _ in enumerate(extra, start=1))))


def deleted(picked: Picked, kept: Sequence[Scalar], extra: Sequence[int]) -> Rows:
    """The rows of the table that go, and then the columns `extra` of the other relations."""
    names = tuple(found.name for found in picked.table.columns)
    if picked.others is None:
        relation = Filter(picked.relation, tuple(kept)) if kept else picked.relation
        return Rows(relation, columns_as_terms(relation), names)
    if not extra:
        assert isinstance(picked.relation, Join)
        left, right = picked.relation.inputs
        found = projected(SemiJoin(left, right, tuple(kept)), range(picked.width))
        return Rows(found, columns_as_terms(found), names)
    relation = Filter(picked.relation, tuple(kept)) if kept else picked.relation
    own = picked.others_at
    made = projected(relation, [*range(own), *extra])
    first = TopK(made, tuple(range(own)), (), Constant(1, INT8))
    found = projected(first, [*range(picked.width), *range(own, own + len(extra))])
    return Rows(found, columns_as_terms(found), (*names, *(f"other{n}" for n, _ in enumerate(extra, start=1))))


def assignments(picked: Picked, found: Sequence[Assignment]) -> list[Scalar]:
    """The new row: for each column what is assigned to it, or what it has."""
    block, table = picked.block, picked.table
    new: dict[int, Scalar] = {}
    with block.in_clause(UPDATE):
        for assignment in found:
            values = _values(assignment, block) if assignment.row else [_value(assignment.value, block)]
            for name, value in zip(assignment.columns, values, strict=True):
                place = position(table, name, assignment.location)
                if place in new:
                    raise WrongSyntax(f'multiple assignments to same column "{name}"', assignment.location)
                if value is None:
                    new[place] = default_of(table.columns[place], block.statement)
                else:
                    new[place] = assigned(value, table.columns[place], block.coercion)
    place_on = Placement(len(picked.relation.columns))
    return [
        place_on.scalar(new[index]) if index in new else column(picked.relation, index) for index in range(picked.width)
    ]


def _value(expression: syntax.Expression, block: Block) -> Term | None:
    """The value; None for DEFAULT."""
    return None if isinstance(expression, syntax.Default) else block.term(expression)


def _values(assignment: Assignment, block: Block) -> list[Term | None]:
    """The values for several columns: of a row, or of a query that has one row, or none for nulls."""
    expression = assignment.value
    found: list[Term | None] = []
    match expression:
        case syntax.Row():
            for item in expression.items:
                found += [None] if isinstance(item, syntax.Default) else row_terms((item,), block)
        case syntax.Subquery():
            relation = relation_of(block.query(expression.query), block.coercion)
            whole = record([column(relation, index) for index in range(len(relation.columns))])
            value = Subquery("scalar", emit(relation, [whole]), None, whole.type, True)
            found += [Term(field_at(value, index), expression.location) for index in range(len(relation.columns))]
        case _:
            raise NotSupported(
                "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
                expression.location,
            )
    if len(found) != len(assignment.columns):
        raise WrongSyntax("number of columns does not match number of values", expression.location)
    return found
