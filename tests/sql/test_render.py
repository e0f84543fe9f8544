from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.sql.parser import parse_expression, parse_one, parse_type_name
from holdfast.sql.render import render
from holdfast.sql.render.query import SQL
from holdfast.sql.render.types import type_name
from holdfast.sql.syntax import types
from holdfast.sql.syntax.expression import Default, Expression, Star
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.statement import Statement
from tests.sql.trees import CLASSES, Trees, expressions, statements, walk

CORPUS = [
    pytest.param(line, id=f"{path.stem}-{number}")
    for path in sorted((Path(__file__).parent / "corpus").glob("*.sql"))
    for number, line in enumerate(path.read_text().splitlines(), start=1)
    if not line.startswith("--")
]
STATEMENTS = sorted(get_args(Statement), key=lambda cls: cls.__name__)
EXPRESSIONS = sorted(set(get_args(Expression)) - {Star, Default}, key=lambda cls: cls.__name__)
quickly = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("text", CORPUS)
def test_rendering_a_documented_statement_changes_nothing_it_says(text: str) -> None:
    statement = parse_one(text).statement
    assert parse_one(render(statement)).statement == statement


@pytest.mark.parametrize("cls", STATEMENTS, ids=lambda cls: cls.__name__)
@quickly
@given(data=st.data())
def test_every_kind_of_statement_survives_render_and_parse(cls: type[Any], data: st.DataObject) -> None:
    statement = data.draw(statements(cls))
    assert parse_one(render(statement)).statement == statement


@pytest.mark.parametrize("cls", EXPRESSIONS, ids=lambda cls: cls.__name__)
@quickly
@given(data=st.data())
def test_every_kind_of_expression_survives_render_and_parse(cls: type[Any], data: st.DataObject) -> None:
    expression = data.draw(expressions(cls))
    assert parse_expression(SQL.expression(expression)) == expression


@quickly
@given(data=st.data())
def test_every_kind_of_type_survives_render_and_parse(data: st.DataObject) -> None:
    made = data.draw(_types())
    assert parse_type_name(type_name(made)) == made


@st.composite
def _types(draw: st.DrawFn) -> types.TypeName:
    made: types.TypeName = Trees(draw).of(types.TypeName, 4)
    return made


def test_every_kind_of_node_is_among_the_trees() -> None:
    seen: set[type[Node]] = set()

    @settings(max_examples=20, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def collect(data: st.DataObject) -> None:
        for cls in STATEMENTS:
            seen.update(type(node) for node in walk(data.draw(statements(cls))))

    collect()
    assert seen == CLASSES
