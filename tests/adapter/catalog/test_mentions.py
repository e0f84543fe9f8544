from __future__ import annotations

from dataclasses import replace

import pytest

from holdfast.adapter.catalog.mentions import Renaming, nodes, placeless, renamed
from holdfast.sql.parser import parse_query
from holdfast.sql.render.query import SQL
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.query import Table
from holdfast.sql.syntax.types import NamedType

QUERIES = {
    "SELECT t.a FROM t": "SELECT t.a FROM !t",
    "SELECT a FROM t AS x, s.u": "SELECT a FROM !t AS x, !s.u",
    "WITH t AS (SELECT a FROM t) SELECT a FROM t": "WITH t AS (SELECT a FROM !t) SELECT a FROM t",
    "WITH x AS (SELECT a FROM t), t AS (SELECT a FROM x) SELECT a FROM t, x, y": (
        "WITH x AS (SELECT a FROM !t), t AS (SELECT a FROM x) SELECT a FROM t, x, !y"
    ),
    "WITH x AS (SELECT 1 AS a) SELECT a FROM s.x": "WITH x AS (SELECT 1 AS a) SELECT a FROM !s.x",
    "SELECT a FROM (WITH x AS (SELECT 1 AS a) SELECT a FROM x) AS y, x": (
        "SELECT a FROM (WITH x AS (SELECT 1 AS a) SELECT a FROM x) AS y, !x"
    ),
    "WITH MUTUALLY RECURSIVE p (a integer) AS (SELECT a FROM q), q (a z) AS (SELECT a FROM p, r) SELECT a FROM p, q": (
        "WITH MUTUALLY RECURSIVE p (a integer) AS (SELECT a FROM q), q (a !z) AS (SELECT a FROM p, !r) "
        "SELECT a FROM p, q"
    ),
    "SELECT a::z, ARRAY[]::s.z[] FROM f(1) AS g WHERE a IN (SELECT b FROM t)": (
        "SELECT a::!z, ARRAY[]::!s.z[] FROM f(1) AS g WHERE a IN (SELECT b FROM !t)"
    ),
    "SELECT 1 UNION ALL SELECT (SELECT max(a) FROM t) ORDER BY 1": (
        "SELECT 1 UNION ALL SELECT (SELECT max(a) FROM !t) ORDER BY 1"
    ),
    "VALUES ((SELECT a FROM t))": "VALUES ((SELECT a FROM !t))",
}


def marked(parts: tuple[str, ...]) -> tuple[str, ...]:
    return (f"!{parts[0]}", *parts[1:])


@pytest.mark.parametrize("text", QUERIES)
def test_relations_and_types_are_mentioned_and_common_tables_are_not(text: str) -> None:
    def table(found: Table) -> Table:
        return replace(found, name=ObjectName(marked(found.name.parts)))

    def type_(found: NamedType) -> NamedType:
        return found if found.parts[0] == "pg_catalog" else replace(found, parts=marked(found.parts))

    changed = renamed(parse_query(text), Renaming(table, type_))
    assert SQL.query(changed).replace('"', "") == QUERIES[text]


@pytest.mark.parametrize("text", QUERIES)
def test_what_is_not_renamed_is_the_same_tree(text: str) -> None:
    query = parse_query(text)
    assert renamed(query, Renaming()) == query


@pytest.mark.parametrize("text", QUERIES)
def test_without_places_a_tree_says_the_same(text: str) -> None:
    query = parse_query(text)
    assert placeless(query) == query
    assert any(node.location for node in nodes(query))
    assert not any(node.location for node in nodes(placeless(query)))
