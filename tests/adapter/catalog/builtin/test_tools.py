"""What tools ask is answered: every query that they send, and the rows that matter to them."""

from __future__ import annotations

import pytest

from tests.adapter.catalog.builtin.tools import ALL, BY_NAME, Sent, Shop


@pytest.fixture(scope="module")
def shop() -> Shop:
    return Shop()


@pytest.mark.parametrize("query", ALL, ids=str)
def test_every_query_of_every_tool_has_an_answer(query: Sent, shop: Shop) -> None:
    shop.answer(query)


def answers(shop: Shop, tool: str, name: str) -> list[tuple[object, ...]]:
    return shop.answer(BY_NAME[tool, name])


def test_psql_lists_relations_of_users_and_no_others(shop: Shop) -> None:
    assert answers(shop, "psql", r"\d") == [
        ("public", "big", "view", "materialize"),
        ("public", "orders", "table", "materialize"),
    ]
    assert answers(shop, "psql", r"\dt") == [("public", "orders", "table", "materialize")]
    assert answers(shop, "psql", r"\dv") == [("public", "big", "view", "materialize")]


def test_psql_describes_a_table(shop: Shop) -> None:
    assert answers(shop, "psql", r"\d orders") == [(shop.oids["orders"], "public", "orders")]
    assert answers(shop, "psql", r"\d orders (3)") == [
        ("id", "integer", None, True, None, "", ""),
        ("amount", "numeric(10,2)", "0", False, None, "", ""),
        ("note", "character varying(20)", None, False, None, "", ""),
        ("tags", "text[]", None, False, None, "", ""),
    ]


def test_psql_shows_comments_and_definitions_with_a_plus(shop: Shop) -> None:
    rows = answers(shop, "psql", r"\d+ orders (2)")
    assert [(row[0], row[-1]) for row in rows] == [("id", "key"), ("amount", None), ("note", None), ("tags", None)]
    assert [row[-1] for row in answers(shop, "psql", r"\dt+")] == ["all orders"]
    definition = Sent("psql", "viewdef", "SELECT pg_catalog.pg_get_viewdef('{big}'::pg_catalog.oid, true)")
    assert shop.answer(definition) == [("SELECT id, amount FROM materialize.public.orders WHERE amount > 100;",)]


def test_psql_shows_privileges_roles_schemas_databases_and_types(shop: Shop) -> None:
    assert answers(shop, "psql", r"\dp") == [
        ("public", "big", "view", "materialize=r/materialize", "", ""),
        ("public", "orders", "table", "=r/materialize\nmaterialize=arwd/materialize", "", ""),
    ]
    assert [row[0] for row in answers(shop, "psql", r"\du")] == ["materialize", "mz_system", "reader"]
    assert {"public", "other"} <= {row[0] for row in answers(shop, "psql", r"\dn")}
    assert [row[:3] for row in answers(shop, "psql", r"\l")] == [("materialize", "mz_system", "UTF8")]
    assert answers(shop, "psql", r"\dT") == [("public", "pair", None)]


def test_psql_shows_the_overloads_of_a_function(shop: Shop) -> None:
    rows = answers(shop, "psql", r"\df+ abs")
    assert ("pg_catalog", "abs", "integer", "integer", "func") in [row[:5] for row in rows]


def test_psql_completes_the_names_of_tables_and_columns(shop: Shop) -> None:
    assert answers(shop, "psql_completion", "completion 1") == [("orders", None)]
    columns = [query for query in ALL if query.tool == "psql_completion" and "attname" in query.sql]
    assert {row[0] for row in shop.answer(columns[0])} == {"id", "amount", "note", "tags"}


def test_sqlalchemy_reflects_columns_with_their_types_and_comments(shop: Shop) -> None:
    found = next(query for query in ALL if query.tool == "sqlalchemy" and "AS format_type" in query.sql)
    rows = shop.answer(found)
    assert [row[:6] for row in rows if row[4] == "orders"] == [
        ("id", "integer", None, True, "orders", "key"),
        ("amount", "numeric(10,2)", "0", False, "orders", None),
        ("note", "character varying(20)", None, False, "orders", None),
        ("tags", "text[]", None, False, "orders", None),
    ]


def test_psycopg_fetches_composite_types(shop: Shop) -> None:
    found = next(query for query in ALL if query.tool == "psycopg" and "field_names" in query.sql)
    assert shop.answer(found) == [("pair", shop.oids["pair"], 0, "pair", ("a", "b"), (23, 25))]


def test_asyncpg_is_told_of_types_and_those_they_are_made_of(shop: Shop) -> None:
    found = next(query for query in ALL if query.tool == "asyncpg" and "typeinfo_tree" in query.sql)
    rows = {row[2]: row for row in shop.answer(found)}
    assert set(rows) == {"pair", "int4range", "int4", "text"}
    assert rows["pair"][8:10] == ((23, 25), ("a", "b"))
    assert rows["int4range"][7] == 23
    assert rows["int4range"][-1] == "integer"


def test_jdbc_metadata_names_tables_and_columns(shop: Shop) -> None:
    tables = next(query for query in ALL if query.tool == "pgjdbc" and "TABLE_NAME LIKE" not in query.sql)
    assert ("public", "orders") in {row[1:3] for row in shop.answer(tables)}


def test_dbeaver_finds_relations_columns_and_comments(shop: Shop) -> None:
    relations = answers(shop, "dbeaver", "relations of a schema")
    assert {(row[0], row[2], row[-3]) for row in relations} == {
        (shop.oids["orders"], "orders", "all orders"),
        (shop.oids["big"], "big", None),
    }
    columns = answers(shop, "dbeaver", "columns of a relation")
    assert [(row[2], row[-3], row[-2]) for row in columns] == [
        ("id", None, "key"),
        ("amount", "0", None),
        ("note", None, None),
        ("tags", None, None),
    ]


def test_metabase_finds_tables_columns_and_privileges(shop: Shop) -> None:
    assert answers(shop, "metabase", "tables") == [
        ("public", "orders", "TABLE", "all orders", 0),
        ("public", "big", "VIEW", None, None),
    ]
    columns = answers(shop, "metabase", "columns")
    assert [row[:7] for row in columns if row[4] == "orders"] == [
        ("id", "int4", 0, "public", "orders", False, "key"),
        ("amount", "numeric", 1, "public", "orders", False, None),
        ("note", "varchar", 2, "public", "orders", False, None),
        ("tags", "_text", 3, "public", "orders", False, None),
    ]
    privileges = {row[1:3]: row[3:] for row in answers(shop, "metabase", "privileges")}
    assert privileges["public", "orders"] == (True, True, True, True)


def test_grafana_finds_tables_and_columns_along_the_search_path(shop: Shop) -> None:
    assert answers(shop, "grafana", "version") == [(1700,)]
    assert answers(shop, "grafana", "tables of a schema") == [("big",), ("orders",)]
    tables = [row[0] for row in answers(shop, "grafana", "tables")]
    assert tables[:2] == ["big", "orders"]
    assert "other.t" in tables
    assert answers(shop, "grafana", "columns") == [
        ("id", "integer"),
        ("amount", "numeric"),
        ("note", "character varying"),
        ("tags", "ARRAY"),
    ]


def test_npgsql_loads_all_types_arrays_after_what_they_hold(shop: Shop) -> None:
    rows = answers(shop, "npgsql", "types")
    places = {row[2]: place for place, row in enumerate(rows)}
    assert places["int4"] < places["int4range"] < places["pair"] < places["_int4"]
    assert rows[places["_int4"]][3:] == ("a", False, 23)
    assert answers(shop, "npgsql", "fields of composite types") == [
        (shop.oids["pair"], "a", 23),
        (shop.oids["pair"], "b", 25),
    ]
