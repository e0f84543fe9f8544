"""What a column of a result is called when the user does not say: as PostgreSQL does."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.sql.syntax.expression import (
    Array,
    Call,
    Case,
    Cast,
    Choice,
    Collate,
    CollectionQuery,
    Column,
    Current,
    Exists,
    Expression,
    Field,
    Grouping,
    List,
    Map,
    Row,
    Slice,
    Star,
    Subquery,
    Subscript,
)
from holdfast.sql.syntax.types import ArrayType, IntervalType, ListType, MapType, NamedType, TypeName

NAMELESS = "?column?"


def column_name(expression: Expression, queries: Mapping[int, str]) -> str:
    """The name; `queries` has those of queries in the place of values, by the identity of their syntax."""
    return _name(expression, queries)[0] or NAMELESS


def _name(expression: Expression, queries: Mapping[int, str]) -> tuple[str | None, bool]:
    """A name, and whether it is a good one: a cast's own is only taken if what it casts has none as good."""
    match expression:
        case Column():
            return expression.parts[-1], True
        case Star() if expression.qualifier:
            return expression.qualifier[-1], True
        case Field():
            return expression.name, True
        case Subscript() | Slice() | Collate():
            return _name(expression.operand, queries)
        case Call():
            return expression.name.parts[-1], True
        case Choice():
            return expression.kind.lower(), True
        case Cast():
            found, good = _name(expression.operand, queries)
            if good:
                return found, True
            return _type_name(expression.type) or found, False
        case Case():
            if expression.otherwise is not None:
                found, good = _name(expression.otherwise, queries)
                if good:
                    return found, True
            return "case", False
        case Array():
            return "array", True
        case List():
            return "list", True
        case Map():
            return "map", True
        case Row():
            return "row", True
        case Exists():
            return "exists", True
        case CollectionQuery():
            return expression.kind.lower(), True
        case Grouping():
            return "grouping", True
        case Current():
            return expression.kind.lower(), True
        case Subquery():
            return queries.get(id(expression.query)), True
    return None, False


def _type_name(name: TypeName) -> str | None:
    match name:
        case NamedType():
            return name.parts[-1]
        case IntervalType():
            return "interval"
        case ArrayType():
            return _type_name(name.element)
        case ListType():
            return "list"
        case MapType():
            return "map"
