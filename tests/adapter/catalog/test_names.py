from __future__ import annotations

import pytest

from holdfast.adapter.catalog.errors import InsufficientPrivilege, InvalidSchemaName, UndefinedDatabase
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.sql.errors import UndefinedObject, UndefinedSchema, UndefinedTable, WrongObjectType
from holdfast.sql.syntax.name import ObjectName
from tests.adapter.catalog.build import Talk


@pytest.fixture
def talk() -> Talk:
    return Talk(
        "CREATE SCHEMA s; CREATE DATABASE d; CREATE SCHEMA d.s",
        "CREATE TABLE t (a int NOT NULL DEFAULT 1); CREATE TABLE s.t (b int); CREATE TABLE d.s.t (c int)",
        "CREATE TYPE y AS (x int)",
    )


@pytest.mark.parametrize(
    ("name", "column"), [("t", "a"), ("public.t", "a"), ("s.t", "b"), ("materialize.s.t", "b"), ("d.s.t", "c")]
)
def test_a_name_means_the_relation_of_its_path(name: str, column: str, talk: Talk) -> None:
    found = talk.names.relation(tuple(name.split(".")))
    assert found is not None
    assert [each.name for each in found.columns] == [column]


def test_the_search_path_is_searched_in_order(talk: Talk) -> None:
    talk.path = ("nowhere", "s", "public")
    assert talk.columns("t") == [("b", "integer")]


def test_the_session_database_is_where_schemas_are_looked_for(talk: Talk) -> None:
    talk.database = "d"
    assert talk.columns("s.t") == [("c", "integer")]
    assert talk.names.relation(("t",)) is None


def test_a_relation_says_what_planning_asks(talk: Talk) -> None:
    found = talk.names.relation(("t",))
    assert found is not None
    assert (found.id, found.name, found.schema) == (str(talk.item("t").id), "t", ("materialize", "public"))
    (column,) = found.columns
    assert (column.nullable, column.default, found.kind) == (False, "1", "table")


def test_relations_of_the_system_need_no_schema_and_hide_those_of_users(talk: Talk) -> None:
    talk.run("CREATE TABLE public.pg_class (a int)")
    for name in (("pg_class",), ("pg_catalog", "pg_class"), ("materialize", "pg_catalog", "pg_class")):
        found = talk.names.relation(name)
        assert found is not None
        assert found.kind == "system"
    assert isinstance(talk.names.find(("public", "pg_class")), Item)


def test_a_search_path_that_names_a_schema_of_the_system_says_when_it_is_searched(talk: Talk) -> None:
    talk.run("CREATE TABLE public.pg_class (a int)")
    talk.path = ("public", "pg_catalog")
    assert talk.columns("pg_class") == [("a", "integer")]


def test_temporary_items_come_first_and_only_for_their_session(talk: Talk) -> None:
    talk.run("CREATE TEMPORARY TABLE t (z int)")
    assert talk.columns("t") == [("z", "integer")]
    assert talk.columns("mz_temp.t") == talk.columns("pg_temp.t") == [("z", "integer")]
    talk.session = 2
    assert talk.columns("t") == [("a", "integer")]
    assert talk.names.relation(("mz_temp", "t")) is None


def test_a_type_is_found_like_a_relation(talk: Talk) -> None:
    found = talk.names.type(("y",))
    assert found is not None
    assert found is talk.names.type(("materialize", "public", "y"))
    assert talk.names.type(("t",)) is None
    assert talk.names.relation(("y",)) is None


@pytest.mark.parametrize(
    ("name", "kinds", "error", "code", "message"),
    [
        ("x", ("table",), UndefinedTable, "42P01", 'relation "x" does not exist'),
        ("s.x", (), UndefinedTable, "42P01", 'relation "s.x" does not exist'),
        ("x", ("type",), UndefinedObject, "42704", 'type "x" does not exist'),
        ("t", ("view",), WrongObjectType, "42809", '"t" is not a view'),
        ("y", ("table", "view"), WrongObjectType, "42809", '"y" is not a table or view'),
        ("pg_class", ("table",), InsufficientPrivilege, "42501", 'permission denied: "pg_class" is a system catalog'),
    ],
)
def test_a_name_of_nothing_is_an_error(
    name: str, kinds: tuple[str, ...], error: type[HoldfastError], code: str, message: str, talk: Talk
) -> None:
    with pytest.raises(error) as caught:
        talk.names.item(ObjectName(tuple(name.split("."))), *kinds)  # type: ignore[arg-type]  # kinds of items
    assert (sqlstate(caught.value), str(caught.value)) == (code, message)


def test_what_holds_objects_is_named_or_an_error(talk: Talk) -> None:
    assert talk.names.schema(ObjectName(("d", "s"))).database == talk.names.database_named("d").id
    with pytest.raises(UndefinedSchema, match=r'schema "d\.x" does not exist'):
        talk.names.schema(ObjectName(("d", "x")))
    with pytest.raises(UndefinedDatabase, match='database "x" does not exist'):
        talk.names.schema(ObjectName(("x", "s")))
    with pytest.raises(UndefinedObject, match='role "x" does not exist'):
        talk.names.role("x")


def test_an_object_is_made_in_the_first_schema_of_the_path_that_exists(talk: Talk) -> None:
    talk.path = ("nowhere", "s")
    assert talk.names.schema_to_create_in(ObjectName(("n",))).name == "s"
    talk.path = ("nowhere",)
    with pytest.raises(InvalidSchemaName, match="no schema has been selected to create in"):
        talk.names.schema_to_create_in(ObjectName(("n",)))


def test_names_of_the_system_mean_something_in_a_database_that_is_gone(talk: Talk) -> None:
    talk.run("DROP DATABASE d")
    talk.database = "d"
    assert talk.names.relation(("pg_catalog", "pg_class")) is not None
    assert talk.names.relation(("t",)) is None
