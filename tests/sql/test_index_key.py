from __future__ import annotations

import pytest

from holdfast.plan.scalar import Call, Column
from holdfast.plan.types import INT4, TEXT
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, EmptyCatalog
from holdfast.sql.errors import GroupingError, InvalidColumnReference, NotSupported, SemanticError, UndefinedColumn
from holdfast.sql.index_key import named_columns, plan_key
from holdfast.sql.parser import parse_expression
from holdfast.sql.render.query import SQL
from holdfast.sql.syntax.expression import Expression

RELATION = CatalogRelation(
    "u1", "t", (CatalogColumn("a", INT4, nullable=False), CatalogColumn("b", TEXT)), schema=("d", "s")
)


def key(*texts: str) -> list[Expression]:
    return [parse_expression(text) for text in texts]


def named(*texts: str) -> list[str]:
    return [SQL.expression(each) for each in named_columns(key(*texts), RELATION)]


def test_columns_are_known_by_their_names_alone() -> None:
    assert named("a", "t.a", "s.t.a", "d.s.t.b", "2", "lower(t.b)") == ["a", "a", "a", "b", "b", "lower(t.b)"]
    assert named("other.a") == ["other.a"]


@pytest.mark.parametrize("number", ["0", "3"])
def test_a_number_is_that_of_a_column(number: str) -> None:
    with pytest.raises(InvalidColumnReference, match=r"is out of range \(1 - 2\)"):
        named(number)


def test_expressions_are_over_the_columns_of_the_relation() -> None:
    first, second, third = plan_key(key("b", "a + 1", "'x'"), RELATION, EmptyCatalog())
    assert isinstance(first, Column)
    assert (first.index, first.type, first.nullable) == (1, TEXT, True)
    assert isinstance(second, Call)
    assert (second.type, second.nullable) == (INT4, False)
    assert third.type == TEXT


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("c", UndefinedColumn),
        ("count(*)", GroupingError),
        ("row_number() OVER ()", SemanticError),
        ("generate_series(1, a)", NotSupported),
        ("(SELECT a)", NotSupported),
        ("$1", SemanticError),
    ],
)
def test_a_key_is_of_one_row(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        plan_key(key(text), RELATION, EmptyCatalog())
