"""The relations of the system have the columns that PostgreSQL's have, and rows that are as their columns say."""

from __future__ import annotations

import re
from dataclasses import replace

import psycopg
import pytest

from holdfast.adapter.catalog.builtin import (
    BUILTINS,
    ActivityEntry,
    Builtin,
    Introspection,
    SessionEntry,
    find,
)
from holdfast.adapter.catalog.builtin.contents import Contents
from holdfast.adapter.catalog.builtin.registry import columns_of, system_relations
from holdfast.adapter.catalog.builtin.routines import operators, routines
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.builtin.system_types import SYSTEM_TYPES, TYPE_FUNCTIONS
from holdfast.adapter.catalog.state import FIRST_OID
from holdfast.plan.types import BASES
from tests.adapter.catalog.builtin.ask import NOW
from tests.adapter.catalog.builtin.tools import Shop
from tests.postgres import PostgresServer

MADE = [found for found in BUILTINS.values() if isinstance(found, Builtin)]

NARROWER = {"pg_stat_database", "pg_stat_all_tables", "pg_stat_user_tables", "pg_stat_sys_tables"}
"""Relations that lack columns of PostgreSQL's, about what is not counted."""


@pytest.fixture(scope="module")
def shop() -> Shop:
    return Shop()


def test_ids_oids_and_names_are_each_of_one_relation() -> None:
    relations = list(BUILTINS.values())
    assert len({found.oid for found in relations}) == len(relations)
    assert len({(found.schema, found.name) for found in relations}) == len(relations)
    assert all(found.oid < FIRST_OID for found in relations)
    assert all(BUILTINS[found.id] is found for found in relations)


def test_oids_of_relations_types_functions_and_operators_are_the_systems() -> None:
    for oids in (
        [found.oid for found in SYSTEM_TYPES],
        [*(found.oid for found in routines()), *TYPE_FUNCTIONS.values()],
        [found.oid for found in operators()],
    ):
        assert len(set(oids)) == len(oids)
        assert max(oids) < FIRST_OID


@pytest.mark.parametrize("relation", MADE, ids=lambda found: f"{found.schema}.{found.name}")
def test_rows_are_as_their_columns_say(relation: Builtin, shop: Shop) -> None:
    rows = list(relation.rows(Shown(shop.asking.introspection(), system_relations())))
    never_null = [place for place, column in enumerate(relation.columns) if not column.nullable]
    for row in rows:
        assert len(row) == len(relation.columns)
        assert all(row[place] is not None for place in never_null)
    for key in relation.keys:
        assert len({tuple(row[place] for place in key) for row in rows}) == len(rows)


@pytest.mark.parametrize("relation", BUILTINS.values(), ids=lambda found: f"{found.schema}.{found.name}")
def test_every_relation_can_be_read(relation: Builtin, shop: Shop) -> None:
    rows = shop.asking.answer(f'SELECT * FROM {relation.schema}."{relation.name}"')
    assert all(len(row) == len(columns_of(relation)) for row in rows)


def test_pg_catalog_and_information_schema_have_postgresqls_columns(postgres_server: PostgresServer) -> None:
    with psycopg.connect(postgres_server.url) as connection:
        rows = connection.execute(
            "SELECT n.nspname, c.relname, array_agg(a.attname::text ORDER BY a.attnum) FROM pg_class c "
            "JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid "
            "WHERE n.nspname IN ('pg_catalog', 'information_schema') AND a.attnum > 0 GROUP BY 1, 2"
        ).fetchall()
    theirs = {(schema, name): columns for schema, name, columns in rows}
    ours = [found for found in BUILTINS.values() if found.schema in ("pg_catalog", "information_schema")]
    assert ours
    for found in ours:
        columns, wanted = [column.name for column in columns_of(found)], theirs[found.schema, found.name]
        if found.name in NARROWER:
            assert set(columns) <= set(wanted), found.name
        else:
            assert columns == wanted, found.name


def test_pg_catalog_relations_have_postgresqls_oids(postgres_server: PostgresServer) -> None:
    """Those that are fixed: clients have them as numbers, and classoids are them."""
    with psycopg.connect(postgres_server.url) as connection:
        rows = connection.execute("SELECT relname, oid FROM pg_class WHERE oid < 10000 AND relkind = 'r'").fetchall()
    theirs: dict[str, int] = dict(rows)
    ours = {found.name: found.oid for found in BUILTINS.values() if found.schema == "pg_catalog"}
    shared = theirs.keys() & ours.keys()
    assert len(shared) > 40
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}


TYPE_COLUMNS = (
    "oid, typname, typlen, typbyval, typtype, typcategory, typispreferred, typisdefined, typdelim, typelem, typarray, "
    "typinput::text, typoutput::text, typreceive::text, typsend::text, typmodin::text, typmodout::text, typalign, "
    "typstorage, typcollation"
)


def test_types_are_as_postgresql_has_them(shop: Shop, postgres_server: PostgresServer) -> None:
    sql = f"SELECT {TYPE_COLUMNS} FROM pg_catalog.pg_type ORDER BY oid"
    ours = {row[1]: row for row in shop.asking.answer(sql)}
    with psycopg.connect(postgres_server.url) as connection:
        theirs = {row[1]: row for row in connection.execute(sql).fetchall()}
    shared = ours.keys() & theirs.keys()
    assert {base for base in BASES if not base.startswith(("uint", "mz_"))} <= shared
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}


def test_what_follows_from_the_catalog_is_made_once_for_each_version(shop: Shop) -> None:
    contents, before = Contents(), shop.asking.introspection()
    found = find("pg_catalog", "pg_class")
    assert found is not None
    table = contents.table(found.id, before)
    assert contents.table(found.id, shop.asking.introspection()) is table
    later = Shop()
    later.talk.run("CREATE TABLE more (a int)")
    changed = contents.table(found.id, later.asking.introspection())
    assert changed.num_rows == table.num_rows + 1


def test_temporary_relations_are_shown_to_their_session_alone() -> None:
    shop = Shop()
    shop.talk.run("CREATE TEMP TABLE mine (a int)")
    sql = "SELECT relname FROM pg_catalog.pg_class WHERE relpersistence = 't'"
    assert shop.asking.answer(sql) == [("mine",)]
    shop.asking.session = 2
    assert shop.asking.answer(sql) == []


def test_other_databases_are_shown_by_mz_catalog_and_not_by_pg_catalog() -> None:
    shop = Shop()
    shop.talk.run("CREATE DATABASE elsewhere")
    shop.talk.run("CREATE TABLE elsewhere.public.far (a int)")
    assert shop.asking.answer("SELECT name FROM mz_catalog.mz_tables WHERE name = 'far'") == [("far",)]
    assert shop.asking.answer("SELECT relname FROM pg_catalog.pg_class WHERE relname = 'far'") == []
    assert shop.asking.answer("SELECT count(*) FROM pg_catalog.pg_database") == [(2,)]


def test_columns_of_specs_are_names_and_types_that_exist() -> None:
    assert all(re.fullmatch(r"\w+", column.name) for found in MADE for column in found.columns)


def test_the_statements_of_others_are_for_superusers() -> None:
    shop = Shop()
    mine, theirs = shop.talk.state.role_named("reader"), shop.talk.current
    assert mine is not None
    sessions = (
        SessionEntry("1", 1, mine.id, None, NOW, "materialize", statement="SELECT 'mine'"),
        SessionEntry("2", 2, theirs.id, None, NOW, "materialize", statement="SELECT 'theirs'"),
    )
    activity = tuple(
        ActivityEntry(str(place), "1", role.name, "materialize", (), "", "", f"SELECT {place}", "select", NOW)
        for place, role in enumerate((mine, theirs))
    )
    asked = replace(shop.asking.introspection(), sessions=sessions, activity=activity)
    seen = {
        role.name: (
            _column(replace(asked, role=role), "pg_catalog", "pg_stat_activity", "query"),
            _column(replace(asked, role=role), "mz_internal", "mz_recent_activity_log", "sql"),
        )
        for role in (mine, theirs)
    }
    assert seen == {
        "reader": (["SELECT 'mine'", "<insufficient privilege>"], ["SELECT 0"]),
        "materialize": (["SELECT 'mine'", "SELECT 'theirs'"], ["SELECT 0", "SELECT 1"]),
    }


def _column(introspection: Introspection, schema: str, name: str, column: str) -> list[object]:
    found = find(schema, name)
    assert found is not None
    return Contents().table(found.id, introspection).column(column).to_pylist()  # type: ignore[no-any-return]
