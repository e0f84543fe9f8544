"""RENAME, SWAP and SET SCHEMA: what depends on a thing means the same by its new name."""

from __future__ import annotations

import re

import pytest

from holdfast.sql import plan_query
from tests.adapter.catalog.build import Talk

VIEWS = [
    "SELECT * FROM t",
    "SELECT t.* FROM t",
    "SELECT t.a FROM t",
    "SELECT t FROM t",
    "SELECT public.t.a FROM public.t",
    "SELECT materialize.public.t.a FROM t",
    "SELECT x.a FROM t AS x",
    "SELECT t.a FROM s.t AS t JOIN t AS x ON t.a = x.a",
    "SELECT s.t.b, public.t.a FROM s.t, public.t",
    "WITH t AS (SELECT 1 AS a) SELECT t.a FROM t",
    "WITH u AS (SELECT * FROM t) SELECT u.a, t.b FROM u, t",
    "WITH t AS (SELECT * FROM t) SELECT t.a FROM t",
    "WITH u AS (SELECT a FROM t), t AS (SELECT a FROM u) SELECT t.a FROM t",
    "WITH MUTUALLY RECURSIVE r (a int) AS (SELECT a FROM t UNION SELECT a + 1 FROM r WHERE a < 3) SELECT * FROM r",
    "WITH MUTUALLY RECURSIVE t (a int) AS (SELECT a FROM u UNION SELECT a FROM t) SELECT t.a FROM t",
    "SELECT (SELECT max(t.a) FROM t) AS most, u.a FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.a = u.a)",
    "SELECT a FROM t UNION ALL (SELECT a FROM u ORDER BY a LIMIT 1)",
    "SELECT t.a FROM t ORDER BY t.b LIMIT 2",
    "SELECT a FROM t JOIN u USING (a)",
    "SELECT t.a, n FROM t, LATERAL (SELECT u.b AS n FROM u WHERE u.a = t.a) AS l",
    "SELECT t.b, count(*) FROM t GROUP BY t.b HAVING count(t.a) > 1",
    "SELECT sum(t.a) OVER (PARTITION BY t.b) FROM t",
    "SELECT row(t.a, 'x')::y AS r, (row(1, 'z')::y).n FROM t",
    "SELECT ARRAY[row(1, 'z')::public.y] AS r FROM t",
    "SELECT relname FROM pg_class JOIN t ON relnatts = a",
    "VALUES (1, (SELECT max(a) FROM t))",
]
CHANGES = [
    "ALTER TABLE t RENAME TO renamed",
    'ALTER TABLE t RENAME TO "Odd name"',
    "ALTER TABLE t SET SCHEMA other",
    "ALTER SCHEMA public RENAME TO renamed",
    "ALTER DATABASE materialize RENAME TO renamed",
    "ALTER SCHEMA public SWAP WITH s",
    "ALTER TYPE y RENAME TO renamed",
    "ALTER TYPE y SET SCHEMA other",
    "ALTER TABLE t RENAME TO u2; ALTER TABLE u RENAME TO t; ALTER TABLE u2 RENAME TO u",
]


def talk_with(view: str) -> Talk:
    talk = Talk(
        "CREATE SCHEMA s; CREATE SCHEMA other; CREATE TYPE y AS (m int, n text)",
        "CREATE TABLE t (a int, b int); CREATE TABLE u (a int, b int); CREATE TABLE s.t (a int, b int)",
    )
    talk.run(f"CREATE VIEW v AS {view}; CREATE VIEW w AS SELECT * FROM v")
    return talk


TYPE_NAME = re.compile(r", name=('[^']*'|\"[^\"]*\")\)")
"""The row of a relation is of a type of the relation's name."""


def plans(talk: Talk) -> list[tuple[str, list[str]]]:
    """What the views mean: plans read tables by ids that no renaming changes."""
    return [
        (TYPE_NAME.sub("", repr(plan_query(item.query, talk.names).plan)), [column.name for column in item.columns])
        for item in sorted(talk.state.items.values(), key=lambda each: each.id.number)
        if item.query is not None
    ]


@pytest.mark.parametrize("change", [each for each in CHANGES if "TYPE" not in each])
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_means_the_same_whatever_what_it_reads_is_called(view: str, change: str) -> None:
    talk = talk_with(view)
    before = plans(talk)
    talk.run(change)
    assert plans(talk) == before


@pytest.mark.parametrize("change", [each for each in CHANGES if "TYPE" in each])
def test_columns_of_a_type_that_is_renamed_are_of_the_type(change: str) -> None:
    talk = Talk("CREATE SCHEMA other", "CREATE TYPE y AS (m int, n text)", "CREATE TYPE ys AS LIST (ELEMENT TYPE = y)")
    talk.run("CREATE TABLE t (p y, q y[], r ys DEFAULT NULL::ys); CREATE VIEW v AS SELECT *, (p).m FROM t")
    talk.run(change)
    name = "renamed" if "RENAME" in change else "y"
    assert talk.columns("v") == [("p", name), ("q", f"{name}[]"), ("r", f"{name} list"), ("m", "integer")]
    assert "public.y," not in talk.sql("t")


def test_a_name_that_a_view_says_of_columns_becomes_an_alias() -> None:
    talk = talk_with("SELECT t.a FROM t")
    talk.run("ALTER TABLE t RENAME TO z")
    assert talk.sql("v") == "CREATE VIEW materialize.public.v AS SELECT t.a FROM materialize.public.z AS t"


def test_a_name_that_a_view_says_only_of_the_relation_is_changed() -> None:
    talk = talk_with("SELECT a FROM t")
    talk.run("ALTER TABLE t RENAME TO z")
    assert talk.sql("v") == "CREATE VIEW materialize.public.v AS SELECT a FROM materialize.public.z"


def test_a_renaming_that_would_make_a_view_ambiguous_is_refused() -> None:
    talk = Talk("CREATE SCHEMA s; CREATE TABLE t (a int); CREATE TABLE s.t (a int)")
    talk.run("CREATE VIEW v AS SELECT public.t.a FROM public.t, s.t WHERE EXISTS (SELECT t.a FROM t)")
    code, message = talk.refusal("ALTER TABLE public.t RENAME TO z")
    assert (code, message) == ("2BP01", "renaming conflict: view v would mean something else")


def test_swapped_schemas_have_each_other_s_names() -> None:
    talk = Talk("CREATE SCHEMA blue; CREATE SCHEMA green; CREATE TABLE blue.t (a int); CREATE TABLE green.t (b int)")
    blue, green = talk.item("blue.t"), talk.item("green.t")
    assert talk.run("ALTER SCHEMA blue SWAP WITH green").tag == "ALTER SCHEMA"
    assert talk.item("blue.t").id == green.id
    assert talk.item("green.t").id == blue.id
    assert talk.sql("green.t") == "CREATE TABLE materialize.green.t (a integer)"


def test_a_name_that_is_taken_is_not_given_again() -> None:
    talk = Talk("CREATE TABLE t (a int); CREATE VIEW v AS SELECT 1 AS a; CREATE SCHEMA s; CREATE DATABASE d")
    assert talk.refusal("ALTER TABLE t RENAME TO v") == ("42P07", 'relation "v" already exists')
    assert talk.refusal("ALTER SCHEMA s RENAME TO public") == ("42P06", 'schema "public" already exists')
    assert talk.refusal("ALTER SCHEMA s RENAME TO pg_catalog")[0] == "42939"
    assert talk.refusal("ALTER DATABASE d RENAME TO materialize") == ("42P04", 'database "materialize" already exists')
    talk.run("CREATE TABLE s.t (a int)")
    assert talk.refusal("ALTER TABLE t SET SCHEMA s") == ("42P07", 'relation "t" already exists')


def test_schemas_of_the_system_keep_their_names() -> None:
    talk = Talk("CREATE SCHEMA s")
    assert talk.refusal("ALTER SCHEMA pg_catalog RENAME TO mine")[0] == "42501"
    assert talk.refusal("ALTER SCHEMA s SWAP WITH pg_catalog")[0] == "42501"


def test_a_temporary_table_can_be_renamed_and_not_moved() -> None:
    talk = Talk("CREATE TEMPORARY TABLE t (a int); CREATE TEMPORARY VIEW v AS SELECT t.a FROM t")
    talk.run("ALTER TABLE t RENAME TO z")
    assert talk.sql("v") == "CREATE TEMPORARY VIEW mz_temp.v AS SELECT t.a FROM mz_temp.z AS t"
    assert talk.refusal("ALTER TABLE z SET SCHEMA public")[0] == "0A000"


def test_a_temporary_view_of_another_session_follows_a_renaming() -> None:
    talk = Talk("CREATE TABLE t (a int)")
    talk.session = 2
    talk.run("CREATE TEMPORARY TABLE t2 (a int); CREATE TEMPORARY VIEW v AS SELECT t.a FROM t, t2")
    talk.session = 1
    talk.run("ALTER TABLE t RENAME TO z")
    talk.session = 2
    assert talk.sql("v").endswith("SELECT t.a FROM materialize.public.z AS t, mz_temp.t2")
