"""SHOW answers with the names, types and comments of what there is."""

from __future__ import annotations

import pytest

from holdfast.adapter.catalog.builtin import show_query
from holdfast.errors import HoldfastError
from holdfast.sql.parser import parse_one
from holdfast.sql.syntax.statement.show import Show
from tests.adapter.catalog.builtin.tools import Shop


@pytest.fixture(scope="module")
def shop() -> Shop:
    found = Shop()
    found.talk.run("COMMENT ON SCHEMA other IS 'elsewhere'")
    found.talk.run("CREATE ROLE writer")
    found.talk.run("GRANT reader TO writer")
    found.talk.run("ALTER DEFAULT PRIVILEGES FOR ROLE materialize GRANT SELECT ON TABLES TO reader")
    return found


def shown(shop: Shop, sql: str) -> tuple[list[str], list[tuple[object, ...]]]:
    """The names of the columns, and the rows."""
    statement = parse_one(sql).statement
    assert isinstance(statement, Show)
    query = show_query(statement, shop.talk.names)
    planned = shop.asking.planned(query)
    return [column.name for column in planned.columns], list(shop.asking.answer(query))


@pytest.mark.parametrize(
    ("sql", "columns", "rows"),
    [
        ("SHOW DATABASES", ["name", "comment"], [("materialize", "")]),
        ("SHOW TABLES", ["name", "comment"], [("orders", "all orders")]),
        ("SHOW TABLES FROM other", ["name", "comment"], [("t", "")]),
        ("SHOW TABLES FROM materialize.other", ["name", "comment"], [("t", "")]),
        ("SHOW VIEWS", ["name", "comment"], [("big", "")]),
        ("SHOW TYPES", ["name", "comment"], [("pair", "")]),
        (
            "SHOW OBJECTS",
            ["name", "type", "comment"],
            [("big", "view", ""), ("orders", "table", "all orders"), ("pair", "type", "")],
        ),
        ("SHOW TABLES LIKE 'ord%'", ["name", "comment"], [("orders", "all orders")]),
        ("SHOW TABLES LIKE 'x%'", ["name", "comment"], []),
        ("SHOW OBJECTS WHERE type = 'view'", ["name", "type", "comment"], [("big", "view", "")]),
        ("SHOW SCHEMAS LIKE 'oth%'", ["name", "comment"], [("other", "elsewhere")]),
        ("SHOW ROLES", ["name", "comment"], [("materialize", ""), ("mz_system", ""), ("reader", ""), ("writer", "")]),
        (
            "SHOW COLUMNS FROM orders",
            ["name", "nullable", "type", "comment"],
            [
                ("id", False, "integer", "key"),
                ("amount", True, "numeric(10,2)", ""),
                ("note", True, "character varying(20)", ""),
                ("tags", True, "text[]", ""),
            ],
        ),
        (
            "SHOW COLUMNS FROM big LIKE 'i%'",
            ["name", "nullable", "type", "comment"],
            [("id", False, "integer", "")],
        ),
        ("SHOW INDEXES", ["name", "on", "cluster", "key", "comment"], []),
        ("SHOW INDEXES ON orders", ["name", "on", "cluster", "key", "comment"], []),
        ("SHOW INDEXES IN CLUSTER quickstart", ["name", "on", "cluster", "key", "comment"], []),
        ("SHOW SOURCES", ["name", "type", "cluster", "comment"], []),
        ("SHOW SINKS", ["name", "type", "cluster", "comment"], []),
        ("SHOW CONNECTIONS", ["name", "type", "comment"], []),
        ("SHOW SECRETS", ["name", "comment"], []),
        ("SHOW MATERIALIZED VIEWS", ["name", "cluster", "comment", "replacing"], []),
        ("SHOW CLUSTERS", ["name", "replicas", "activity", "comment"], [("quickstart", None, None, "")]),
        ("SHOW CLUSTER REPLICAS", ["cluster", "replica", "size", "ready", "comment"], []),
        ("SHOW ROLE MEMBERSHIP", ["role", "member", "grantor"], [("reader", "writer", "mz_system")]),
        ("SHOW ROLE MEMBERSHIP FOR writer", ["role", "member", "grantor"], [("reader", "writer", "mz_system")]),
        ("SHOW ROLE MEMBERSHIP FOR materialize", ["role", "member", "grantor"], []),
    ],
)
def test_objects_are_shown(sql: str, columns: list[str], rows: list[tuple[object, ...]], shop: Shop) -> None:
    assert shown(shop, sql) == (columns, rows)


def test_schemas_are_those_of_the_database_and_the_systems(shop: Shop) -> None:
    _, rows = shown(shop, "SHOW SCHEMAS")
    assert {"public", "other", "mz_catalog", "pg_catalog", "information_schema"} <= {row[0] for row in rows}


def test_system_relations_have_columns_to_show(shop: Shop) -> None:
    _, rows = shown(shop, "SHOW COLUMNS FROM mz_databases")
    assert [row[0] for row in rows] == ["id", "oid", "name", "owner_id", "privileges"]


def test_privileges_are_shown_one_by_one(shop: Shop) -> None:
    columns, rows = shown(shop, "SHOW PRIVILEGES ON TABLES FOR reader")
    assert columns == ["grantor", "grantee", "database", "schema", "name", "object_type", "privilege_type"]
    assert rows == [("materialize", "PUBLIC", "materialize", "public", "orders", "table", "SELECT")]
    _, schemas = shown(shop, "SHOW PRIVILEGES ON SCHEMAS FOR materialize")
    assert ("mz_system", "materialize", "materialize", None, "public", "schema", "CREATE") in schemas


def test_default_privileges_are_shown(shop: Shop) -> None:
    columns, rows = shown(shop, "SHOW DEFAULT PRIVILEGES FOR reader")
    assert columns == ["object_owner", "database", "schema", "object_type", "grantee", "privilege_type"]
    assert ("materialize", None, None, "table", "reader", "SELECT") in rows
    assert ("PUBLIC", None, None, "type", "PUBLIC", "USAGE") in rows


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SHOW TABLES FROM nothing", 'schema "nothing" does not exist'),
        ("SHOW COLUMNS FROM nothing", 'relation "nothing" does not exist'),
        ("SHOW SCHEMAS FROM nothing", 'database "nothing" does not exist'),
        ("SHOW PRIVILEGES FOR nobody", 'role "nobody" does not exist'),
    ],
)
def test_what_does_not_exist_cannot_be_shown(sql: str, message: str, shop: Shop) -> None:
    with pytest.raises(HoldfastError, match=message):
        shown(shop, sql)
