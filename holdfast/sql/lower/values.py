"""VALUES."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.relation import UNIT, ColumnType, Map, Relation, Union, Values
from holdfast.plan.scalar import Constant, Scalar
from holdfast.sql.errors import WrongSyntax
from holdfast.sql.lower import columns
from holdfast.sql.lower.block import VALUES, Block, Rows
from holdfast.sql.lower.placement import Placement
from holdfast.sql.lower.rows import columns_as_terms
from holdfast.sql.lower.source import Inside
from holdfast.sql.scope import Scope
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.syntax.query import Values as ValuesSyntax
from holdfast.sql.term import Term


def lower_values(values: ValuesSyntax, inside: Inside) -> Rows:
    block = Block(inside.statement, Scope((), (), inside.outer), inside.common, VALUES)
    rows = [row_terms(row, block) for row in values.rows]
    width = len(rows[0])
    for row in rows[1:]:
        if len(row) != width:
            place = row[0].location if row else 0
            raise WrongSyntax("VALUES lists must all be the same length", place)
    names = tuple(f"column{number}" for number in range(1, width + 1))
    if len(rows) == 1:
        # One row may still get types from where it stands.
        terms = tuple(Term(Placement(0).scalar(term.scalar), term.location) for term in rows[0])
        return Rows(UNIT, terms, names)
    by_column = [block.coercion.to_common([row[index] for row in rows], "VALUES") for index in range(width)]
    relation = rows_relation(
        [[by_column[index][number].scalar for index in range(width)] for number in range(len(rows))]
    )
    return Rows(relation, columns_as_terms(relation, [term.location for term in rows[0]]), names)


def row_terms(items: Sequence[syntax.Expression], block: Block) -> list[Term]:
    """The values of one row, in which `(value).*` stands for several."""
    found: list[Term] = []
    for item in items:
        match item:
            case syntax.Star():
                found.extend(named.term for named in columns.star(item, block))
            case syntax.FieldStar():
                found.extend(named.term for named in columns.field_star(item, block))
            case _:
                found.append(block.term(item))
    return found


def rows_relation(rows: Sequence[Sequence[Scalar]]) -> Relation:
    """Rows of constants as they are; others are computed, each by itself."""
    if all(isinstance(scalar, Constant) for row in rows for scalar in row):
        constants = tuple(tuple([scalar.value for scalar in row if isinstance(scalar, Constant)]) for row in rows)
        types = tuple(
            ColumnType(rows[0][index].type, any(row[index] is None for row in constants))
            for index in range(len(rows[0]))
        )
        return Values(constants, types)
    place = Placement(0)
    return Union(tuple([Map(UNIT, place.scalars(row)) for row in rows]))
