from __future__ import annotations

import pytest

from holdfast.adapter.catalog.ddl import decide
from holdfast.adapter.scram import matches, parse_verifier
from holdfast.errors import QueryError
from holdfast.sql.parser import parse_one
from tests.adapter.catalog.build import Talk


def test_attributes_are_those_that_were_said() -> None:
    talk = Talk("CREATE ROLE a; CREATE ROLE b SUPERUSER LOGIN NOINHERIT CREATEDB CREATEROLE")
    a, b = talk.names.role("a"), talk.names.role("b")
    assert (a.superuser, a.login, a.inherit) == (False, False, True)
    assert (b.superuser, b.login, b.inherit) == (True, True, False)
    assert [a.system_privileges, b.system_privileges] == [set(), {"B", "R"}]
    talk.run("ALTER ROLE b NOSUPERUSER NOLOGIN INHERIT")
    b = talk.names.role("b")
    assert (b.superuser, b.login, b.inherit) == (False, False, True)


def test_a_password_is_kept_as_what_knows_it_again() -> None:
    talk = Talk("CREATE ROLE a PASSWORD 'pass word'")
    role = talk.names.role("a")
    assert role.login
    assert role.verifier is not None
    verifier = parse_verifier(role.verifier)
    assert verifier is not None
    assert matches(verifier, "pass word")
    assert not matches(verifier, "other")
    assert "pass" not in repr(role)
    talk.run("ALTER ROLE a PASSWORD NULL")
    assert talk.names.role("a").verifier is None


def test_what_is_a_verifier_already_is_kept_as_it_is() -> None:
    talk = Talk("CREATE ROLE a PASSWORD 'x'")
    verifier = talk.names.role("a").verifier
    talk.run(f"CREATE ROLE b PASSWORD '{verifier}'")
    assert talk.names.role("b").verifier == verifier


def test_parameters_of_a_role_are_set_and_reset() -> None:
    talk = Talk("CREATE ROLE a; ALTER ROLE a SET search_path = s, public; ALTER ROLE a SET statement_timeout TO 100")
    assert talk.names.role("a").parameters == (("search_path", "s, public"), ("statement_timeout", "100"))
    talk.run("ALTER ROLE a RESET search_path")
    assert talk.names.role("a").parameters == (("statement_timeout", "100"),)
    talk.run("ALTER ROLE a SET Application_Name = 'x'; ALTER ROLE a RESET ALL")
    assert talk.names.role("a").parameters == ()


def test_parameters_are_checked_by_whoever_knows_them() -> None:
    talk = Talk("CREATE ROLE a")

    def checked(name: str, values: object) -> tuple[str, str]:
        raise QueryError(f"no {name} of {values}")

    for statement in ("ALTER ROLE a SET x = 1", "ALTER SYSTEM SET x = 1"):
        with pytest.raises(QueryError, match=r"no x of \['1'\]"):
            decide(parse_one(statement).statement, talk.names, talk.current, checked)


def test_members_are_told_apart_from_others() -> None:
    talk = Talk("CREATE ROLE a; CREATE ROLE b; CREATE ROLE c; GRANT a TO b, c; GRANT b TO c")
    a, b, c = (talk.names.role(name) for name in "abc")
    assert [a.member_of, b.member_of, c.member_of] == [set(), {a.id}, {a.id, b.id}]
    (notice,) = talk.run("GRANT a TO b").notices
    assert notice.message == 'role "b" is already a member of role "a"'
    assert talk.run("REVOKE a FROM c").tag == "REVOKE ROLE"
    assert talk.names.role("c").member_of == {b.id}
    (notice,) = talk.run("REVOKE a FROM c").notices
    assert (notice.severity, notice.message) == ("WARNING", 'role "c" is not a member of role "a"')


@pytest.mark.parametrize("statement", ["GRANT c TO a", "GRANT c TO b", "GRANT a TO a"])
def test_no_role_is_a_member_of_itself(statement: str) -> None:
    talk = Talk("CREATE ROLE a; CREATE ROLE b; CREATE ROLE c; GRANT a TO b; GRANT b TO c")
    assert talk.refusal(statement)[0] == "0LP01"


def test_a_role_that_goes_leaves_those_it_had_members_in() -> None:
    talk = Talk("CREATE ROLE a; CREATE ROLE b; GRANT a TO b; COMMENT ON ROLE a IS 'x'; DROP ROLE a")
    assert talk.names.role("b").member_of == set()
    assert talk.state.comments == {}


def test_a_role_with_default_privileges_does_not_go() -> None:
    talk = Talk("CREATE ROLE a; ALTER DEFAULT PRIVILEGES FOR ROLE a GRANT SELECT ON TABLES TO materialize")
    error = talk.refused("DROP ROLE a")
    assert error.detail == "default privileges on tables"


@pytest.mark.parametrize(
    ("statement", "refusal"),
    [
        ("CREATE ROLE mz_mine", ("42939", 'role name "mz_mine" is reserved')),
        ('CREATE ROLE "public"', ("42939", 'role name "public" is reserved')),
        ("ALTER ROLE mz_system PASSWORD 'x'", ("42939", 'role name "mz_system" is reserved')),
        ("DROP ROLE mz_system", ("42939", 'role name "mz_system" is reserved')),
        ("GRANT mz_system TO materialize", ("42939", 'role name "mz_system" is reserved')),
        ("DROP ROLE materialize", ("55006", "current user cannot be dropped")),
        ("ALTER ROLE nobody LOGIN", ("42704", 'role "nobody" does not exist')),
        ("ALTER ROLE materialize RENAME TO mz_x", ("42939", 'role name "mz_x" is reserved')),
        ("GRANT materialize TO PUBLIC", ("0LP01", "PUBLIC cannot be a member of a role or have members")),
    ],
)
def test_what_a_role_cannot_be_is_refused(statement: str, refusal: tuple[str, str]) -> None:
    assert Talk().refusal(statement) == refusal


def test_parameters_of_the_system_are_set_and_reset() -> None:
    talk = Talk("ALTER SYSTEM SET max_tables = 10; ALTER SYSTEM SET enable_x = true; ALTER SYSTEM SET max_tables = 20")
    assert (talk.state.parameter("max_tables"), talk.state.parameter("enable_x")) == ("20", "true")
    talk.run("ALTER SYSTEM RESET max_tables")
    assert talk.state.parameter("max_tables") is None
    assert talk.run("ALTER SYSTEM RESET ALL").tag == "ALTER SYSTEM"
    assert talk.state.parameters() == ()
    assert talk.run("CREATE TABLE t (a int)").created


def test_a_role_that_is_gone_decides_nothing_and_one_that_changed_is_as_it_is_now() -> None:
    talk = Talk("CREATE ROLE a SUPERUSER; CREATE ROLE b SUPERUSER")
    a, b = talk.names.role("a"), talk.names.role("b")
    talk.run("DROP ROLE a; ALTER ROLE b NOSUPERUSER")
    statement = parse_one("CREATE DATABASE d").statement
    with pytest.raises(QueryError, match='role "a" does not exist'):
        decide(statement, talk.names, a)
    with pytest.raises(QueryError, match="permission denied for SYSTEM"):
        decide(statement, talk.names, b)
