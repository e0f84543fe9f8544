from __future__ import annotations

import pytest

from holdfast.adapter.catalog.objects import PUBLIC
from tests.adapter.catalog.build import Talk


@pytest.fixture
def talk() -> Talk:
    return Talk(
        "CREATE ROLE a; CREATE ROLE b; CREATE SCHEMA s; CREATE DATABASE d",
        "CREATE TABLE t (x int); CREATE TABLE s.u (x int); CREATE TABLE d.public.w (x int)",
        "CREATE VIEW v AS SELECT x FROM t; CREATE TYPE y AS (x int)",
    )


def held(talk: Talk, name: str, role: str) -> str:
    """The letters that a role has on an item."""
    id_ = PUBLIC if role == "public" else talk.names.role(role).id
    return "".join(sorted(p for grant in talk.item(name).grants if grant.grantee == id_ for p in grant.privileges))


def test_the_owner_has_all_from_the_start(talk: Talk) -> None:
    assert held(talk, "t", "materialize") == "adrw"
    assert held(talk, "v", "materialize") == "r"
    assert held(talk, "y", "materialize") == "U"
    assert held(talk, "y", "public") == "U"


def test_all_is_what_the_object_can_have(talk: Talk) -> None:
    assert talk.run("GRANT ALL ON t TO a, b; GRANT ALL PRIVILEGES ON v TO a; GRANT ALL ON TYPE y TO a").tag == "GRANT"
    assert [held(talk, name, "a") for name in ("t", "v", "y")] == ["adrw", "r", "U"]
    assert held(talk, "t", "b") == "adrw"
    assert talk.run("REVOKE ALL ON t FROM a").tag == "REVOKE"
    assert (held(talk, "t", "a"), held(talk, "t", "b")) == ("", "adrw")


def test_grants_add_up_and_are_taken_one_by_one(talk: Talk) -> None:
    talk.run("GRANT SELECT, INSERT ON t TO a; GRANT UPDATE ON TABLE t TO a; REVOKE INSERT ON t FROM a")
    assert held(talk, "t", "a") == "rw"
    assert talk.run("REVOKE INSERT ON t FROM a").changes == ()
    assert talk.run("GRANT SELECT ON t TO a").changes == ()


def test_all_of_a_kind_are_those_of_schemas_databases_or_everywhere(talk: Talk) -> None:
    talk.run("GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO a")
    assert [held(talk, name, "a") for name in ("t", "v", "s.u", "d.public.w")] == ["ar", "r", "", ""]
    talk.run("GRANT SELECT ON ALL TABLES IN DATABASE materialize TO b")
    assert [held(talk, name, "b") for name in ("t", "v", "s.u", "d.public.w")] == ["r", "r", "r", ""]
    talk.run("GRANT UPDATE ON ALL TABLES TO PUBLIC; REVOKE UPDATE ON ALL TABLES IN SCHEMA s FROM PUBLIC")
    assert [held(talk, name, "public") for name in ("t", "v", "s.u", "d.public.w")] == ["w", "", "", "w"]


def test_schemas_and_databases_are_used_and_created_in(talk: Talk) -> None:
    talk.run("GRANT USAGE, CREATE ON SCHEMA s TO a; GRANT ALL ON DATABASE d TO a; GRANT USAGE ON ALL SCHEMAS TO b")
    a, b = talk.names.role("a").id, talk.names.role("b").id
    schema = talk.state.schema_named("materialize", "s")
    assert schema is not None
    grants = {grant.grantee: set(grant.privileges) for grant in schema.grants}
    assert (grants[a], grants[b]) == ({"U", "C"}, {"U"})
    assert {grant.grantee: set(grant.privileges) for grant in talk.names.database_named("d").grants}[a] == {"U", "C"}


def test_privileges_on_the_system_are_the_role_s(talk: Talk) -> None:
    talk.run("GRANT CREATEDB, CREATEROLE ON SYSTEM TO a; GRANT ALL ON SYSTEM TO b")
    assert talk.names.role("a").system_privileges == {"B", "R"}
    talk.run("REVOKE CREATEDB ON SYSTEM FROM a, b")
    assert talk.names.role("a").system_privileges == {"R"}
    assert talk.names.role("b").system_privileges == {"R", "N", "P"}
    assert talk.refusal("GRANT CREATEDB ON SYSTEM TO PUBLIC")[0] == "0A000"


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("GRANT USAGE ON t TO a", ("0LP01", "invalid privilege type USAGE for table")),
        ("GRANT INSERT ON v TO a", ("0LP01", "invalid privilege type INSERT for view")),
        ("GRANT SELECT ON SCHEMA s TO a", ("0LP01", "invalid privilege type SELECT for schema")),
        ("GRANT SELECT ON SYSTEM TO a", ("0LP01", "invalid privilege type SELECT for system")),
        ("GRANT SELECT ON x TO a", ("42P01", 'relation "x" does not exist')),
        ("GRANT SELECT ON t TO x", ("42704", 'role "x" does not exist')),
        ("GRANT SELECT ON pg_class TO a", ("42501", 'permission denied: "pg_class" is a system catalog')),
        ("GRANT CREATE ON SCHEMA pg_catalog TO a", ("42501", 'system schema "pg_catalog" cannot be modified')),
    ],
)
def test_what_cannot_be_granted_is_refused(statement: str, refusal: tuple[str, str], talk: Talk) -> None:
    assert talk.refusal(statement) == refusal


def test_an_owner_hands_its_grants_to_the_next(talk: Talk) -> None:
    talk.run("GRANT SELECT ON t TO a; ALTER TABLE t OWNER TO b; GRANT INSERT ON t TO a")
    b = talk.names.role("b").id
    assert talk.item("t").owner == b
    assert {grant.grantor for grant in talk.item("t").grants} == {b}
    assert (held(talk, "t", "a"), held(talk, "t", "b"), held(talk, "t", "materialize")) == ("ar", "adrw", "")


def test_all_that_roles_own_is_given_to_another(talk: Talk) -> None:
    talk.run("ALTER TABLE t OWNER TO a; ALTER SCHEMA s OWNER TO a; ALTER DATABASE d OWNER TO a")
    assert talk.run("REASSIGN OWNED BY a TO b").tag == "REASSIGN OWNED"
    b = talk.names.role("b").id
    owned = {found.name for found in talk.state.owned() if found.owner == b}
    assert owned == {"t", "s", "d"}


def test_all_that_a_role_owns_is_dropped_and_what_it_was_granted_taken(talk: Talk) -> None:
    talk.run("ALTER TABLE t OWNER TO a; GRANT SELECT ON s.u TO a")
    talk.run("ALTER DEFAULT PRIVILEGES FOR ROLE a GRANT SELECT ON TABLES TO b")
    assert talk.refusal("DROP OWNED BY a")[0] == "2BP01"
    decision = talk.run("DROP OWNED BY a CASCADE")
    assert decision.tag == "DROP OWNED"
    assert [item.name for item in decision.dropped] == ["t"]
    assert not talk.exists("v")
    assert held(talk, "s.u", "a") == ""
    talk.run("DROP ROLE a")


def test_the_system_s_own_objects_have_no_other_owner(talk: Talk) -> None:
    assert talk.refusal("DROP OWNED BY mz_system")[0] == "42939"
    assert talk.refusal("ALTER SCHEMA pg_catalog OWNER TO a")[0] == "42501"


# Default privileges


def test_objects_to_come_are_granted_what_was_said_of_them(talk: Talk) -> None:
    talk.run("ALTER DEFAULT PRIVILEGES FOR ROLE materialize GRANT SELECT ON TABLES TO a")
    talk.run("ALTER DEFAULT PRIVILEGES FOR ALL ROLES IN SCHEMA s GRANT INSERT ON TABLES TO a")
    talk.run("ALTER DEFAULT PRIVILEGES FOR ROLE b IN DATABASE d GRANT DELETE ON TABLES TO a")
    talk.run("CREATE TABLE n (x int); CREATE TABLE s.n (x int); CREATE TABLE d.public.n (x int)")
    talk.run("CREATE VIEW s.m AS SELECT 1 AS a")
    assert [held(talk, name, "a") for name in ("t", "n", "s.n", "d.public.n", "s.m")] == ["", "r", "ar", "r", "r"]
    talk.run("GRANT CREATE ON SCHEMA d.public TO b; GRANT CREATE ON SCHEMA s TO b; GRANT USAGE ON SCHEMA s TO b")
    talk.run("CREATE TABLE d.public.o (x int); CREATE TABLE s.o (x int)", role="b")
    assert [held(talk, name, "a") for name in ("d.public.o", "s.o")] == ["d", "a"]


def test_what_was_said_is_taken_back(talk: Talk) -> None:
    before = talk.state.default_grants
    talk.run("ALTER DEFAULT PRIVILEGES FOR ROLE b GRANT ALL ON TABLES TO a")
    talk.run("ALTER DEFAULT PRIVILEGES FOR ROLE b REVOKE INSERT, UPDATE ON TABLES FROM a")
    (said,) = (each for each in talk.state.default_grants.values() if each.creator is not None)
    assert said.privileges == {"r", "d"}
    talk.run("ALTER DEFAULT PRIVILEGES FOR ROLE b REVOKE ALL ON TABLES FROM a")
    assert talk.state.default_grants == before


def test_types_are_no_longer_everyone_s_if_that_is_said(talk: Talk) -> None:
    talk.run("ALTER DEFAULT PRIVILEGES FOR ALL ROLES REVOKE USAGE ON TYPES FROM PUBLIC; CREATE TYPE z AS (x int)")
    assert held(talk, "z", "public") == ""


def test_schemas_and_databases_to_come_have_default_privileges_too(talk: Talk) -> None:
    talk.run("ALTER DEFAULT PRIVILEGES FOR ALL ROLES GRANT USAGE ON SCHEMAS TO a; CREATE SCHEMA n")
    schema = talk.state.schema_named("materialize", "n")
    assert schema is not None
    assert talk.names.role("a").id in {grant.grantee for grant in schema.grants}


@pytest.mark.parametrize(
    "said",
    [
        "FOR ROLE a GRANT USAGE ON TABLES TO b",
        "FOR ROLE a IN SCHEMA s GRANT USAGE ON SCHEMAS TO b",
        "FOR ROLE a IN DATABASE d GRANT USAGE ON DATABASES TO b",
        "FOR ROLE a GRANT SELECT ON VIEWS TO b",
    ],
)
def test_default_privileges_that_cannot_be_are_refused(said: str, talk: Talk) -> None:
    assert talk.refusal(f"ALTER DEFAULT PRIVILEGES {said}")[0] == "0LP01"
