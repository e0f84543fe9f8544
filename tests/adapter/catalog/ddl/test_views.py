from __future__ import annotations

from holdfast.adapter.catalog.mentions import nodes
from holdfast.sql import plan_query
from holdfast.sql.syntax.node import Node
from tests.adapter.catalog.build import Talk


def test_the_query_is_kept_with_whole_names() -> None:
    talk = Talk("CREATE SCHEMA s; CREATE TABLE s.t (a int); CREATE TABLE u (a int)")
    talk.path = ("s", "public")
    talk.run("CREATE VIEW public.v (x) AS WITH w AS (SELECT a FROM t) SELECT s.t.a FROM w, t, u WHERE u.a = t.a")
    assert talk.sql("public.v") == (
        "CREATE VIEW materialize.public.v (x) AS WITH w AS (SELECT a FROM materialize.s.t) "
        "SELECT materialize.s.t.a FROM w, materialize.s.t, materialize.public.u WHERE u.a = t.a"
    )
    assert talk.item("public.v").uses == {talk.item("t").id, talk.item("u").id}


def test_a_view_means_the_same_to_every_session() -> None:
    talk = Talk("CREATE SCHEMA s; CREATE TABLE t (a int); CREATE TABLE s.t (a int); CREATE VIEW v AS SELECT a FROM t")
    before = plan_query("SELECT * FROM v", talk.names).plan
    talk.path, talk.session = ("s",), 2
    talk.run("CREATE TEMPORARY TABLE t (a int)")
    assert plan_query("SELECT * FROM public.v", talk.names).plan == before


def test_columns_have_types_and_may_be_null_where_the_query_says_so() -> None:
    talk = Talk("CREATE TABLE t (a int NOT NULL, b text)")
    talk.run("CREATE VIEW v AS SELECT a, b, count(*) AS n, 'x' AS k FROM t GROUP BY a, b")
    assert talk.columns("v") == [("a", "integer"), ("b", "text"), ("n", "bigint"), ("k", "text")]
    assert [column.nullable for column in talk.item("v").columns] == [False, True, False, False]


def test_a_view_knows_no_places_of_the_text_it_was_made_with() -> None:
    talk = Talk("CREATE TABLE t (a int); CREATE VIEW v AS SELECT a + 1 AS b FROM t WHERE a > 0")
    query = talk.item("v").query
    assert isinstance(query, Node)
    assert {node.location for node in nodes(query)} == {0}


def test_a_view_of_the_system_s_relations_depends_on_nothing() -> None:
    talk = Talk("CREATE VIEW v AS SELECT c.relname FROM pg_class AS c")
    assert talk.item("v").uses == set()
    assert talk.sql("v").endswith("SELECT c.relname FROM pg_catalog.pg_class AS c")


def test_replacing_a_view_makes_another_of_the_same_owner_and_grants() -> None:
    talk = Talk("CREATE ROLE r; CREATE VIEW v AS SELECT 1 AS a; GRANT SELECT ON v TO r; ALTER VIEW v OWNER TO r")
    old = talk.item("v")
    assert talk.run("CREATE OR REPLACE VIEW v AS SELECT 'x' AS b").tag == "CREATE VIEW"
    new = talk.item("v")
    assert talk.columns("v") == [("b", "text")]
    assert new.id != old.id
    assert (new.owner, new.grants) == (old.owner, old.grants)


def test_a_view_that_others_read_is_not_replaced() -> None:
    talk = Talk("CREATE VIEW v AS SELECT 1 AS a; CREATE VIEW w AS SELECT a FROM v")
    assert talk.refusal("CREATE OR REPLACE VIEW v AS SELECT 2 AS a")[0] == "2BP01"


def test_a_view_is_not_made_of_itself() -> None:
    talk = Talk("CREATE VIEW v AS SELECT 1 AS a")
    assert talk.refusal("CREATE OR REPLACE VIEW v AS SELECT a FROM v") == ("42P01", 'relation "v" does not exist')


def test_replacing_what_is_not_there_makes_it() -> None:
    talk = Talk("CREATE OR REPLACE VIEW v AS SELECT 1 AS a")
    assert talk.sql("v") == "CREATE VIEW materialize.public.v AS SELECT 1 AS a"


def test_a_view_that_exists_is_left_if_that_is_what_was_asked() -> None:
    talk = Talk("CREATE VIEW v AS SELECT 1 AS a")
    decision = talk.run("CREATE VIEW IF NOT EXISTS v AS SELECT 2 AS a")
    assert decision.changes == ()
    assert [(each.code, each.message) for each in decision.notices] == [
        ("42P07", 'relation "v" already exists, skipping')
    ]
