"""What is ours inside a query ends up where it was written."""

from __future__ import annotations

import pytest

from holdfast.sql.parser import parse_expression, parse_one, parse_query
from holdfast.sql.syntax.expression import (
    Call,
    Cast,
    CollectionQuery,
    Column,
    IntegerLiteral,
    List,
    Map,
    StringLiteral,
    Subquery,
    Subscript,
)
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.query import AsOf, ColumnType, Derived, Functions, Select, WithMutuallyRecursive
from holdfast.sql.syntax.statement.dml import SelectStatement
from holdfast.sql.syntax.types import ArrayType, ListType, MapType, NamedType

INT, TEXT = NamedType(("pg_catalog", "int4")), NamedType(("text",))


def select(text: str) -> Select:
    body = parse_query(text).body
    assert isinstance(body, Select)
    return body


def test_brackets_inside_a_list_are_lists_and_inside_a_map_maps() -> None:
    one, two = IntegerLiteral(1), IntegerLiteral(2)
    assert parse_expression("LIST[[1], [], [[2]]]") == List((List((one,)), List(()), List((List((two,)),))))
    assert parse_expression("map['a' => ['b' => 1]]") == Map(((StringLiteral("a"), Map(((StringLiteral("b"), one),))),))


def test_an_array_inside_a_list_stays_an_array() -> None:
    assert parse_expression("LIST[ARRAY[1]]") == List((parse_expression("ARRAY[1]"),))
    assert parse_expression("LIST[a[1]]") == List((Subscript(Column(("a",)), IntegerLiteral(1)),))


def test_a_quoted_name_is_no_word_of_ours() -> None:
    assert parse_expression('"list"[1]') == Subscript(Column(("list",)), IntegerLiteral(1))
    assert parse_expression("t.list") == Column(("t", "list"))
    assert parse_expression("list + map") == parse_expression('"list" + "map"')


@pytest.mark.parametrize("kind", ["LIST", "MAP", "ARRAY"])
def test_a_query_can_be_collected(kind: str) -> None:
    found = parse_expression(f"{kind}(SELECT 1)")
    assert isinstance(found, CollectionQuery)
    assert found.kind == kind


@pytest.mark.parametrize("text", ["a::int list", "CAST(a AS int list)", "CAST((a) AS int LIST)"])
def test_every_spelling_of_a_cast_takes_our_types(text: str) -> None:
    assert parse_expression(text) == Cast(Column(("a",)), ListType(INT))


def test_types_nest() -> None:
    found = parse_expression("a::map[text => int list[]] list")
    assert isinstance(found, Cast)
    assert found.type == ListType(MapType(TEXT, ArrayType(ListType(INT))))


def test_types_after_a_function_in_from_may_be_ours() -> None:
    item = select("SELECT * FROM f() AS r (a int list, b text)").from_items[0]
    assert isinstance(item, Functions)
    assert item.columns == (ColumnType("a", ListType(INT)), ColumnType("b", TEXT))


def test_mutual_recursion_keeps_types_and_limits() -> None:
    query = parse_query(
        "WITH MUTUALLY RECURSIVE (RETURN AT RECURSION LIMIT 7)"
        " a (x int, y int list) AS (TABLE b), b (z text) AS (TABLE a) TABLE a"
    )
    assert isinstance(query.common, WithMutuallyRecursive)
    assert query.common.options == (Option("RETURN AT RECURSION LIMIT", IntegerLiteral(7)),)
    first, second = query.common.tables
    assert first.columns == (ColumnType("x", INT), ColumnType("y", ListType(INT)))
    assert second.columns == (ColumnType("z", TEXT),)


def test_mutual_recursion_may_stand_in_a_subquery() -> None:
    item = select("SELECT * FROM (WITH MUTUALLY RECURSIVE a (x int) AS (TABLE a) TABLE a) AS s").from_items[0]
    assert isinstance(item, Derived)
    assert isinstance(item.query.common, WithMutuallyRecursive)


def test_hints_belong_to_their_own_select() -> None:
    outer = select(
        "SELECT (SELECT DISTINCT ON (x) x FROM t OPTIONS (LIMIT INPUT GROUP SIZE = 1))"
        " FROM u OPTIONS (AGGREGATE INPUT GROUP SIZE 2)"
    )
    assert outer.hints == (Option("AGGREGATE INPUT GROUP SIZE", IntegerLiteral(2)),)
    subquery = outer.targets[0].expression
    assert isinstance(subquery, Subquery)
    assert isinstance(subquery.query.body, Select)
    assert subquery.query.body.hints == (Option("LIMIT INPUT GROUP SIZE", IntegerLiteral(1)),)


@pytest.mark.parametrize("text", ["lag(a) IGNORE NULLS OVER w", "s.lag(a) FILTER (WHERE b) IGNORE NULLS OVER w"])
def test_the_treatment_of_nulls_belongs_to_its_call(text: str) -> None:
    found = parse_expression(text)
    assert isinstance(found, Call)
    assert found.nulls == "IGNORE"


def test_as_of_is_a_time_where_a_time_follows_and_a_name_elsewhere() -> None:
    statement = parse_one("SELECT a AS of FROM t AS of LEFT JOIN u ON true, v AS of, w AS OF AT LEAST 5").statement
    assert isinstance(statement, SelectStatement)
    assert statement.as_of == AsOf(IntegerLiteral(5), at_least=True)
    assert isinstance(statement.query.body, Select)
    assert statement.query.body.targets[0].alias == "of"
