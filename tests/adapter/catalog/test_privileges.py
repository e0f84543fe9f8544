from __future__ import annotations

import pytest

from holdfast.adapter.catalog.errors import InsufficientPrivilege
from holdfast.adapter.catalog.objects import PUBLIC
from holdfast.adapter.catalog.privileges import (
    holds,
    require_delete,
    require_insert,
    require_select,
    require_update,
    roles_of,
)
from tests.adapter.catalog.build import Talk

DENIED = 'permission denied for TABLE "materialize.public.t"'


@pytest.fixture
def talk() -> Talk:
    return Talk("CREATE ROLE a; CREATE ROLE b; CREATE ROLE c NOINHERIT; CREATE TABLE t (x int)")


def may_select(talk: Talk, role: str, *names: str) -> bool:
    found = talk.state.role_named(role)
    assert found is not None
    try:
        require_select(talk.state, found, [talk.item(name).id for name in names])
    except InsufficientPrivilege:
        return False
    return True


def test_a_role_reads_what_it_was_granted(talk: Talk) -> None:
    assert not may_select(talk, "a", "t")
    talk.run("GRANT SELECT ON t TO a")
    assert may_select(talk, "a", "t")
    assert not may_select(talk, "b", "t")
    talk.run("REVOKE SELECT ON t FROM a")
    assert not may_select(talk, "a", "t")


def test_what_public_has_everyone_has(talk: Talk) -> None:
    talk.run("GRANT SELECT ON t TO PUBLIC")
    assert may_select(talk, "a", "t")
    assert holds(talk.state, PUBLIC, talk.item("t"), "SELECT")
    assert not holds(talk.state, PUBLIC, talk.item("t"), "INSERT")


def test_members_inherit_through_others(talk: Talk) -> None:
    talk.run("GRANT SELECT ON t TO a; GRANT a TO b; CREATE ROLE d; GRANT b TO d")
    assert may_select(talk, "d", "t")
    talk.run("REVOKE a FROM b")
    assert not may_select(talk, "d", "t")


def test_a_role_that_does_not_inherit_has_only_its_own(talk: Talk) -> None:
    talk.run("GRANT SELECT ON t TO a; GRANT a TO c")
    assert not may_select(talk, "c", "t")
    role = talk.state.role_named("c")
    assert role is not None
    assert roles_of(talk.state, role.id) == {role.id, PUBLIC}


def test_a_superuser_reads_everything(talk: Talk) -> None:
    talk.run("CREATE TABLE mine (x int)")
    talk.run("ALTER TABLE mine OWNER TO a")
    assert may_select(talk, "materialize", "mine")


def test_the_owner_may_do_all_until_it_is_revoked(talk: Talk) -> None:
    talk.run("GRANT CREATE ON SCHEMA public TO a")
    talk.run("CREATE TABLE own (x int)", role="a")
    assert may_select(talk, "a", "own")
    talk.run("REVOKE SELECT ON own FROM a", role="a")
    assert not may_select(talk, "a", "own")


def test_the_schema_must_be_usable_too(talk: Talk) -> None:
    talk.run("CREATE SCHEMA s; CREATE TABLE s.u (x int); GRANT SELECT ON s.u TO a")
    role = talk.state.role_named("a")
    assert role is not None
    with pytest.raises(InsufficientPrivilege) as caught:
        require_select(talk.state, role, [talk.item("s.u").id])
    assert str(caught.value) == 'permission denied for SCHEMA "materialize.s"'
    assert caught.value.detail == "The 'a' role needs USAGE privileges on SCHEMA \"materialize.s\""
    talk.run("GRANT USAGE ON SCHEMA s TO a")
    assert may_select(talk, "a", "s.u")


def test_what_a_view_reads_its_owner_reads(talk: Talk) -> None:
    talk.run("CREATE VIEW v AS SELECT x FROM t; GRANT SELECT ON v TO b; ALTER VIEW v OWNER TO a")
    talk.run("GRANT SELECT ON v TO b")
    assert not may_select(talk, "b", "v")
    talk.run("GRANT SELECT ON t TO b")
    assert not may_select(talk, "b", "v")
    talk.run("GRANT SELECT ON t TO a; REVOKE SELECT ON t FROM b")
    assert may_select(talk, "b", "v")
    assert not may_select(talk, "b", "t")


def test_the_owner_of_a_view_that_is_a_superuser_reads_all(talk: Talk) -> None:
    talk.run("CREATE VIEW v AS SELECT x FROM t; GRANT SELECT ON v TO b")
    assert may_select(talk, "b", "v")


def test_a_type_must_be_usable(talk: Talk) -> None:
    talk.run("CREATE TYPE y AS (x int)")
    assert may_select(talk, "a", "y")
    talk.run("REVOKE USAGE ON TYPE y FROM PUBLIC")
    assert not may_select(talk, "a", "y")


def test_writing_has_a_privilege_for_each_way(talk: Talk) -> None:
    role, id_ = talk.state.role_named("a"), talk.item("t").id
    assert role is not None
    for word, check in (("INSERT", require_insert), ("UPDATE", require_update), ("DELETE", require_delete)):
        with pytest.raises(InsufficientPrivilege) as caught:
            check(talk.state, role, [id_])
        assert str(caught.value) == DENIED
        assert caught.value.detail == f"The 'a' role needs {word} privileges on TABLE \"materialize.public.t\""
        talk.run(f"GRANT {word} ON t TO a")
        check(talk.state, role, [id_])


def test_checks_can_be_turned_off(talk: Talk) -> None:
    talk.run("ALTER SYSTEM SET enable_rbac_checks = off")
    assert may_select(talk, "a", "t")
    talk.run("ALTER SYSTEM RESET enable_rbac_checks")
    assert not may_select(talk, "a", "t")


OWN_TABLE = "ALTER TABLE t OWNER TO a"
CREATES_ROLES = "GRANT CREATEROLE ON SYSTEM TO a"
CREATES_HERE = "GRANT CREATE ON SCHEMA public TO a"
SUPERUSER = "ALTER ROLE a SUPERUSER"

STATEMENTS = {
    "CREATE DATABASE n": "GRANT CREATEDB ON SYSTEM TO a",
    "CREATE SCHEMA n": "GRANT CREATE ON DATABASE materialize TO a",
    "CREATE TABLE n (x int)": CREATES_HERE,
    "CREATE VIEW n AS SELECT x FROM t": CREATES_HERE,
    "CREATE TYPE n AS (x int)": CREATES_HERE,
    "CREATE ROLE n": CREATES_ROLES,
    "ALTER ROLE b LOGIN": CREATES_ROLES,
    "ALTER ROLE b SET database = 'x'": CREATES_ROLES,
    "ALTER ROLE b RENAME TO n": CREATES_ROLES,
    "DROP ROLE b": CREATES_ROLES,
    "GRANT b TO a": CREATES_ROLES,
    "REVOKE b FROM a": CREATES_ROLES,
    "GRANT CREATEDB ON SYSTEM TO b": CREATES_ROLES,
    "COMMENT ON ROLE b IS 'x'": CREATES_ROLES,
    "DROP TABLE t": OWN_TABLE,
    "ALTER TABLE t RENAME TO n": OWN_TABLE,
    "ALTER TABLE t ADD COLUMN y int": OWN_TABLE,
    "ALTER TABLE t SET (RETAIN HISTORY FOR '1 hour')": OWN_TABLE,
    "COMMENT ON TABLE t IS 'x'": OWN_TABLE,
    "COMMENT ON COLUMN t.x IS 'x'": OWN_TABLE,
    "GRANT SELECT ON t TO b": OWN_TABLE,
    "REVOKE SELECT ON t FROM b": OWN_TABLE,
    "CREATE OR REPLACE VIEW v AS SELECT 2 AS x": f"{CREATES_HERE}; ALTER VIEW v OWNER TO a",
    "ALTER TABLE t OWNER TO b": f"{OWN_TABLE}; GRANT b TO a; {CREATES_HERE}",
    "ALTER TABLE t SET SCHEMA s": f"{OWN_TABLE}; GRANT CREATE ON SCHEMA s TO a",
    "DROP SCHEMA s": "ALTER SCHEMA s OWNER TO a",
    "GRANT USAGE ON SCHEMA s TO b": "ALTER SCHEMA s OWNER TO a",
    "ALTER SCHEMA s RENAME TO n": "ALTER SCHEMA s OWNER TO a",
    "ALTER SCHEMA s SWAP WITH s2": "ALTER SCHEMA s OWNER TO a; ALTER SCHEMA s2 OWNER TO a",
    "ALTER SCHEMA s OWNER TO b": ("ALTER SCHEMA s OWNER TO a; GRANT b TO a; GRANT CREATE ON DATABASE materialize TO a"),
    "DROP DATABASE d": "ALTER DATABASE d OWNER TO a",
    "ALTER DATABASE d RENAME TO n": "ALTER DATABASE d OWNER TO a",
    "DROP OWNED BY b": "GRANT b TO a",
    "REASSIGN OWNED BY b TO c": "GRANT b TO a; GRANT c TO a",
    "ALTER DEFAULT PRIVILEGES FOR ROLE b GRANT SELECT ON TABLES TO c": "GRANT b TO a",
    "ALTER SYSTEM SET max_tables = 3": SUPERUSER,
    "ALTER ROLE b SUPERUSER": SUPERUSER,
    "CREATE ROLE n SUPERUSER": SUPERUSER,
    "ALTER DEFAULT PRIVILEGES FOR ALL ROLES GRANT SELECT ON TABLES TO c": SUPERUSER,
    "ALTER DEFAULT PRIVILEGES FOR ROLE a GRANT SELECT ON TABLES TO PUBLIC": SUPERUSER,
    "GRANT materialize TO a": SUPERUSER,
    "ALTER ROLE materialize PASSWORD 'x'": SUPERUSER,
}
"""Statements, and what makes `a` a role that may run them."""


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_needs_every_one_of_its_privileges(statement: str, talk: Talk) -> None:
    talk.run("CREATE SCHEMA s; CREATE SCHEMA s2; CREATE DATABASE d; CREATE VIEW v AS SELECT 1 AS x")
    for enabling in STATEMENTS[statement].split("; "):
        assert talk.refusal(statement, role="a")[0] == "42501"
        talk.run(enabling)
    talk.run(statement, role="a")


def test_a_role_may_change_its_own_password_and_parameters(talk: Talk) -> None:
    talk.run("ALTER ROLE a PASSWORD 'secret'; ALTER ROLE a SET database = 'd'", role="a")
    assert talk.refusal("ALTER ROLE a LOGIN", role="a")[0] == "42501"


def test_what_a_new_table_mentions_must_be_usable(talk: Talk) -> None:
    talk.run("CREATE SCHEMA s; CREATE TYPE s.y AS (x int); GRANT CREATE ON SCHEMA public TO a")
    assert talk.refusal("CREATE TABLE n (p s.y)", role="a") == (
        "42501",
        'permission denied for SCHEMA "materialize.s"',
    )
    talk.run("GRANT USAGE ON SCHEMA s TO a; REVOKE USAGE ON TYPE s.y FROM PUBLIC")
    assert talk.refusal("CREATE TABLE n (p s.y)", role="a") == (
        "42501",
        'permission denied for TYPE "materialize.s.y"',
    )
    talk.run("GRANT USAGE ON TYPE s.y TO a")
    talk.run("CREATE TABLE n (p s.y)", role="a")


def test_who_is_not_the_owner_is_told_so(talk: Talk) -> None:
    assert talk.refusal("DROP TABLE t", role="a")[1] == 'must be owner of TABLE "materialize.public.t"'
    assert talk.refusal("CREATE ROLE n", role="a")[1] == "permission denied for SYSTEM"
    assert talk.refused("CREATE ROLE n", role="a").detail == "The 'a' role needs CREATEROLE privileges on SYSTEM"
