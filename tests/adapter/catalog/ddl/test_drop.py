from __future__ import annotations

import pytest

from tests.adapter.catalog.build import Talk

MADE = (
    "CREATE SCHEMA s; CREATE DATABASE d",
    "CREATE TABLE t (a int); CREATE TABLE s.u (a int); CREATE TABLE d.public.x (a int)",
    "CREATE VIEW v AS SELECT t.a FROM t, s.u; CREATE VIEW s.w AS SELECT a FROM v",
    "CREATE VIEW y AS SELECT a FROM d.public.x",
)


def test_what_goes_with_a_table_are_all_views_over_it() -> None:
    talk = Talk(*MADE)
    decision = talk.run("DROP TABLE t CASCADE")
    assert [item.name for item in decision.dropped] == ["t"]
    assert not talk.exists("v")
    assert not talk.exists("s.w")
    assert talk.exists("s.u")
    (notice,) = decision.notices
    assert notice.message == "drop cascades to 2 other objects"
    assert notice.detail == "drop cascades to view v\ndrop cascades to view s.w"


def test_an_error_lists_what_depends_directly_and_not() -> None:
    error = Talk(*MADE).refused("DROP TABLE t")
    assert error.detail == "view v depends on table t\nview s.w depends on view v"
    assert error.hint == "Use DROP ... CASCADE to drop the dependent objects too."


def test_several_dropped_together_may_depend_on_each_other() -> None:
    talk = Talk(*MADE)
    assert talk.run("DROP VIEW s.w, v").dropped == ()
    assert talk.refusal("DROP TABLE t, nothing")[0] == "42P01"
    talk.run("DROP TABLE t, s.u")
    assert not talk.exists("t")


def test_a_schema_goes_only_when_empty_or_with_what_is_in_it() -> None:
    talk = Talk(*MADE)
    error = talk.refused("DROP SCHEMA s")
    assert str(error) == "cannot drop schema s because other objects depend on it"
    decision = talk.run("DROP SCHEMA s CASCADE")
    assert [item.name for item in decision.dropped] == ["u"]
    assert not talk.exists("v")
    assert talk.exists("t")


def test_a_database_goes_with_what_is_in_it_unless_that_is_forbidden() -> None:
    talk = Talk(*MADE)
    assert talk.refusal("DROP DATABASE d RESTRICT")[0] == "2BP01"
    assert talk.run("DROP DATABASE d").notices == ()
    assert talk.state.database_named("d") is None
    assert not talk.exists("y")
    assert talk.refusal("DROP DATABASE d") == ("3D000", 'database "d" does not exist')
    assert [each.message for each in talk.run("DROP DATABASE IF EXISTS d").notices] == [
        'database "d" does not exist, skipping'
    ]


def test_what_was_said_of_an_object_goes_with_it() -> None:
    talk = Talk(*MADE, "CREATE ROLE r")
    talk.run("COMMENT ON TABLE s.u IS 'x'; COMMENT ON COLUMN s.u.a IS 'y'; COMMENT ON SCHEMA s IS 'z'")
    talk.run("ALTER DEFAULT PRIVILEGES FOR ALL ROLES IN SCHEMA s GRANT SELECT ON TABLES TO r")
    before = Talk(*MADE).state.default_grants
    talk.run("DROP SCHEMA s CASCADE")
    assert talk.state.comments == {}
    assert talk.state.default_grants == before


def test_ids_of_what_is_gone_are_not_given_again() -> None:
    talk = Talk("CREATE TABLE t (a int)")
    first = talk.item("t")
    talk.run("DROP TABLE t; CREATE TABLE t (a int)")
    assert talk.item("t").id.number > first.id.number
    assert talk.item("t").oid > first.oid


@pytest.mark.parametrize("kind", ["SOURCE", "SINK", "CLUSTER", "CONNECTION", "SECRET"])
def test_kinds_that_do_not_exist_yet_are_refused(kind: str) -> None:
    talk = Talk()
    assert talk.refusal(f"DROP {kind} x") == ("0A000", f"DROP {kind} is not supported yet")
    assert talk.refusal(f"ALTER {kind} x RENAME TO y") == ("0A000", f"ALTER {kind} is not supported yet")
    assert talk.refusal(f"COMMENT ON {kind} x IS 'y'") == ("0A000", f"COMMENT ON {kind} is not supported yet")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE SOURCE x FROM LOAD GENERATOR COUNTER",
        "CREATE SECRET x AS 'y'",
        "CREATE CLUSTER x (SIZE = '1')",
        "CREATE CONNECTION x TO KAFKA (BROKER 'b')",
        "ALTER SECRET x AS 'y'",
        "GRANT USAGE ON SECRET x TO materialize",
    ],
)
def test_statements_that_do_not_exist_yet_are_refused(statement: str) -> None:
    code, message = Talk().refusal(statement)
    assert code == "0A000"
    assert message.endswith("not supported yet")


def test_temporary_items_end_with_their_session() -> None:
    talk = Talk("CREATE TEMPORARY TABLE t (a int); CREATE TEMPORARY VIEW v AS SELECT a FROM t; CREATE TABLE u (a int)")
    decision = talk.end_session()
    assert [item.name for item in decision.dropped] == ["t"]
    assert [item.name for item in talk.state.items.values()] == ["u"]
    assert talk.end_session().changes == ()
