"""Names in expressions: columns, whole rows, and all columns at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.plan.functions.quoting import quote_ident
from holdfast.plan.scalar import Column, Outer, Scalar
from holdfast.plan.types import Record
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.errors import NotSupported, WrongObjectType, WrongSyntax
from holdfast.sql.lower.block import Block, Reference
from holdfast.sql.lower.constructs import field_at, record
from holdfast.sql.lower.system_columns import SYSTEM_COLUMNS, system_column
from holdfast.sql.scope import FoundRow, Item
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.term import Term


@dataclass(frozen=True, slots=True)
class Named:
    """One column of a SELECT list."""

    name: str
    term: Term


def column(expression: syntax.Column, block: Block) -> Term:
    location = expression.location
    if expression.parts[-1] in SYSTEM_COLUMNS:
        system = system_column(expression.parts, block.scope)
        if system is not None:
            return Term(system, location)
    found = block.scope.column(expression.parts, location)
    if isinstance(found, FoundRow):
        return Term(whole_row(found.item, found.level, block, location), location)
    return Term(reference(found.level, found.index, block, location), location)


def whole_row(item: Item, level: int, block: Block, location: int) -> Scalar:
    """A relation's row as one value; a relation whose rows are single values is that value."""
    scalars = [reference(level, place, block, location) for place in item.places]
    if item.single and len(scalars) == 1:
        return scalars[0]
    return record(scalars, item.columns, None if item.known is None else _row_type(item.known, block))


def _row_type(relation: CatalogRelation, block: Block) -> str:
    """What the type of the relation's rows is called: by its schema too where its name alone means another."""
    seen = block.statement.catalog.relation((relation.name,))
    by_name = seen is not None and seen.id == relation.id
    return ".".join(map(quote_ident, (relation.name,) if by_name else (*relation.schema[-1:], relation.name)))


def reference(level: int, index: int, block: Block, location: int) -> Scalar:
    scope = block.scope.at(level)
    found = scope.columns[index]
    plain = Column(index, found.type, found.nullable)
    if scope.block is not None:
        scope.block.references.append(Reference(plain, _shown(scope.items, index), location, inner=level > 0))
    return plain if level == 0 else Outer(level, index, found.type, found.nullable)


def _shown(items: Sequence[Item], index: int) -> str:
    """The column as errors name it: with its relation."""
    for item in items:
        if item.name is not None and index in item.places:
            return f"{item.name}.{item.columns[item.places.index(index)]}"
    for item in items:
        if index in item.places:
            return item.columns[item.places.index(index)]
    return str(index)


def star(expression: syntax.Star, block: Block) -> list[Named]:
    """What `*` or `relation.*` stands for."""
    location = expression.location
    if expression.qualifier:
        row = block.scope.row(expression.qualifier, location)
        return _columns(row.item, row.level, block, location)
    items = [item for item in block.scope.items if item.bare]
    if not items:
        raise WrongSyntax("SELECT * with no tables specified is not valid", location)
    return [named for item in items for named in _columns(item, 0, block, location)]


def _columns(item: Item, level: int, block: Block, location: int) -> list[Named]:
    return [
        Named(name, Term(reference(level, place, block, location), location))
        for name, place in zip(item.columns, item.places, strict=True)
    ]


def field_star(expression: syntax.FieldStar, block: Block) -> list[Named]:
    """What `(value).*` stands for."""
    location = expression.location
    operand = block.term(expression.operand).scalar
    type_ = operand.type
    if not isinstance(type_, Record):
        raise WrongObjectType(f"type {type_} is not composite", location)
    return [Named(name, Term(field_at(operand, index), location)) for index, name in enumerate(type_.names)]


def whole_star(expression: syntax.Star, block: Block) -> Term:
    """`relation.*` where one value is wanted: its whole row."""
    if not expression.qualifier:
        return misplaced_star(expression, block)
    found = block.scope.row(expression.qualifier, expression.location)
    return Term(whole_row(found.item, found.level, block, expression.location), expression.location)


def row(expression: syntax.Row, block: Block) -> Term:
    """`ROW(...)`, in which `relation.*` stands for all columns."""
    terms: list[Term] = []
    for item in expression.items:
        match item:
            case syntax.Star():
                terms.extend(found.term for found in star(item, block))
            case syntax.FieldStar():
                terms.extend(found.term for found in field_star(item, block))
            case _:
                terms.append(block.coercion.text_if_unknown(block.term(item)))
    return Term(record([term.scalar for term in terms]), expression.location)


def misplaced_star(expression: syntax.Star | syntax.FieldStar, _: Block) -> Term:
    raise NotSupported('row expansion via "*" is not supported here', expression.location)
