from __future__ import annotations

import pytest

from holdfast.adapter.catalog.objects import PUBLIC, Setting
from holdfast.adapter.catalog.state import CatalogState, Change
from holdfast.errors import UsageError
from tests.adapter.catalog.build import Talk


def test_a_new_store_has_a_database_a_schema_and_a_superuser() -> None:
    state = CatalogState.initial()
    database, role = state.database_named("materialize"), state.role_named("materialize")
    assert database is not None
    assert [schema.name for schema in state.schemas_of(database.id)] == ["public"]
    assert role is not None
    assert role.superuser
    assert role.login


def test_everyone_may_use_the_first_schema_and_only_some_may_create_in_it() -> None:
    state = CatalogState.initial()
    schema = state.schema_named("materialize", "public")
    assert schema is not None
    assert {grant.grantee: set(grant.privileges) for grant in schema.grants}[PUBLIC] == {"U"}


def test_a_change_makes_another_version_and_leaves_this_one() -> None:
    before = CatalogState.initial()
    after = before.changed([Change(None, Setting("max_tables", "3"))])
    assert after.version > before.version
    assert (before.parameter("max_tables"), after.parameter("max_tables")) == (None, "3")


def test_what_is_not_there_cannot_be_removed() -> None:
    with pytest.raises(UsageError, match="does not have"):
        CatalogState.initial().changed([Change(Setting("max_tables", "3"), None)])


def test_what_was_there_otherwise_cannot_be_removed() -> None:
    state = CatalogState.initial().changed([Change(None, Setting("max_tables", "3"))])
    with pytest.raises(UsageError, match="does not have"):
        state.changed([Change(Setting("max_tables", "4"), None)])


def test_a_key_is_not_given_twice() -> None:
    state = CatalogState.initial().changed([Change(None, Setting("max_tables", "3"))])
    with pytest.raises(UsageError, match="already"):
        state.changed([Change(None, Setting("max_tables", "4"))])


def test_schemas_of_the_system_are_in_every_database() -> None:
    talk = Talk("CREATE DATABASE d")
    one, other = talk.state.schema_named("materialize", "pg_catalog"), talk.state.schema_named("d", "pg_catalog")
    assert one is not None
    assert one == other


def test_the_next_id_is_above_all_that_were_given() -> None:
    talk = Talk("CREATE TABLE t (a int)", "CREATE SCHEMA s")
    numbers = [int(str(found.id)[1:]) for found in talk.state.owned() if str(found.id).startswith("u")]
    assert talk.state.next_number == max(numbers) + 1
    assert str(talk.state.next_id()) == f"u{talk.state.next_number}"


def test_ids_are_unique_whatever_they_are_of() -> None:
    talk = Talk("CREATE TABLE t (a int)", "CREATE SCHEMA s", "CREATE ROLE r", "CREATE DATABASE d")
    ids = [str(found.id) for found in (*talk.state.owned(), *talk.state.roles.values())]
    assert len(set(ids)) == len(ids)


def test_users_of_an_item_are_those_that_name_it() -> None:
    talk = Talk("CREATE TABLE t (a int)", "CREATE VIEW v AS SELECT a FROM t", "CREATE VIEW w AS SELECT a FROM v")
    assert talk.state.used_by(talk.item("t").id) == {talk.item("v").id}
    assert talk.state.used_by(talk.item("v").id) == {talk.item("w").id}
    assert talk.state.used_by(talk.item("w").id) == set()
