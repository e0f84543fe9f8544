from __future__ import annotations

import pytest

from holdfast.adapter.catalog.durable import load, rows
from holdfast.adapter.catalog.objects import Refresh
from holdfast.plan.relation import Get
from holdfast.sql import plan_query
from tests.adapter.catalog.build import Talk

MIDNIGHT = 1_704_067_200_000
"""2024-01-01, in milliseconds."""


def talk_of_a_table() -> Talk:
    return Talk("CREATE TABLE t (a int, b text)")


def test_a_materialized_view_is_kept_with_whole_names_and_its_cluster() -> None:
    talk = talk_of_a_table()
    decision = talk.run("CREATE MATERIALIZED VIEW v (x) AS SELECT a, count(*) AS n FROM t GROUP BY a")
    assert decision.tag == "CREATE MATERIALIZED VIEW"
    assert [item.name for item in decision.created] == ["v"]
    assert talk.sql("v") == (
        "CREATE MATERIALIZED VIEW materialize.public.v (x) IN CLUSTER quickstart AS "
        "SELECT a, count(*) AS n FROM materialize.public.t GROUP BY a"
    )
    assert talk.columns("v") == [("x", "integer"), ("n", "bigint")]
    assert talk.item("v").kind == "materialized-view"
    assert talk.item("v").uses == {talk.item("t").id}


def test_a_materialized_view_is_read_as_it_is_kept_and_not_by_its_query() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE MATERIALIZED VIEW v AS SELECT a FROM t; CREATE VIEW w AS SELECT a FROM v")
    for name in ("v", "w"):
        relation = plan_query(f"SELECT a FROM {name}", talk.names).plan.relation
        assert isinstance(relation, Get)
        assert relation.name == str(talk.item("v").id)


def test_options_say_what_is_kept_and_when_it_is_brought_up_to_date() -> None:
    talk = talk_of_a_table()
    talk.run(
        "CREATE MATERIALIZED VIEW v WITH (ASSERT NOT NULL b, ASSERT NOT NULL = a, RETAIN HISTORY = FOR '1 min', "
        "PARTITION BY (a), REFRESH AT CREATION, REFRESH AT '2024-01-01 00:00:01', "
        "REFRESH = EVERY '1 day 2 hours' ALIGNED TO '2024-01-01') AS SELECT a, b FROM t"
    )
    item = talk.item("v")
    assert item.asserts == (0, 1)
    assert [column.nullable for column in item.columns] == [False, False]
    assert item.retain_history == 60_000
    assert item.refresh == (
        Refresh("at-creation"),
        Refresh("at", MIDNIGHT + 1000),
        Refresh("every", MIDNIGHT, 26 * 3_600_000),
    )
    talk.run("CREATE MATERIALIZED VIEW w WITH (REFRESH ON COMMIT) AS SELECT a FROM t")
    assert talk.item("w").refresh == ()


def test_all_that_is_said_of_it_outlives_the_server() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE MATERIALIZED VIEW v WITH (ASSERT NOT NULL a, REFRESH AT CREATION) AS SELECT a FROM t")
    talk.run("CREATE VIEW w AS SELECT a FROM v; CREATE MATERIALIZED VIEW x AS SELECT a FROM w; CREATE INDEX ON x (a)")
    assert load(rows(talk.state)) == talk.state


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("REFRESH ON COMMIT, REFRESH AT CREATION", "22023", "REFRESH ON COMMIT cannot be combined"),
        ("REFRESH AT 'never'", "22023", "invalid time of REFRESH"),
        ("REFRESH AT now()", "22023", "REFRESH needs a time that is known"),
        ("REFRESH EVERY '1 day'", "22023", "REFRESH EVERY needs a time"),
        ("REFRESH EVERY '1 month' ALIGNED TO '2024-01-01'", "22023", "REFRESH interval must not involve units larger"),
        ("REFRESH EVERY '-1 day' ALIGNED TO '2024-01-01'", "22023", "REFRESH interval must be positive"),
        ("REFRESH EVERY 'often' ALIGNED TO '2024-01-01'", "22023", "invalid REFRESH interval"),
        ("ASSERT NOT NULL c", "42703", 'column "c" in ASSERT NOT NULL option not found'),
        ("ASSERT NOT NULL a, ASSERT NOT NULL a", "42701", 'duplicate column "a" in non-null assertions'),
        ("ASSERT NOT NULL", "22023", "ASSERT NOT NULL needs the name of a column"),
        ("PARTITION BY (b)", "22023", "PARTITION BY columns must be a prefix"),
        ("RETAIN HISTORY FOR '1 h', RETAIN HISTORY FOR '1 h'", "22023", "RETAIN HISTORY specified more than once"),
        ("FASTER", "22023", 'unrecognized parameter "faster"'),
    ],
)
def test_options_that_cannot_be_are_refused(options: str, code: str, message: str) -> None:
    talk = talk_of_a_table()
    found = talk.refusal(f"CREATE MATERIALIZED VIEW v WITH ({options}) AS SELECT a, b FROM t")
    assert found[0] == code
    assert found[1].startswith(message)


@pytest.mark.parametrize(
    ("query", "call"),
    [
        ("SELECT now() AS n", "current_timestamp"),
        ("SELECT current_timestamp AS n", "current_timestamp"),
        ("SELECT current_date AS n FROM t", "current_timestamp"),
        ("SELECT a FROM t WHERE b < now()::text", "current_timestamp"),
        ("SELECT a FROM t ORDER BY random() LIMIT 1", "random"),
        ("SELECT count(*) FILTER (WHERE current_user = b) FROM t", "current_user"),
        ("SELECT (SELECT max(b) FROM t WHERE b > session_user) AS n", "session_user"),
        ("SELECT current_database() AS n", "current_database"),
        ("SELECT version() AS n", "version"),
        ("SELECT gen_random_uuid() AS n", "gen_random_uuid"),
        ("SELECT mz_now() AS n", "mz_now"),
        ("SELECT a FROM t WHERE mz_now() < a OR b = 'x'", "mz_now"),
        ("SELECT a FROM t WHERE mz_now() <> a", "mz_now"),
        ("SELECT a FROM t WHERE mz_now() < CASE WHEN mz_now() < 3 THEN 1 ELSE 2 END", "mz_now"),
        ("SELECT count(*) FILTER (WHERE mz_now() < a) FROM t", "mz_now"),
        ("SELECT a FROM w", "current_timestamp"),
    ],
)
def test_what_does_not_follow_from_what_is_read_is_refused(query: str, call: str) -> None:
    talk = talk_of_a_table()
    talk.run("CREATE VIEW w AS SELECT now() AS a")
    assert talk.refusal(f"CREATE MATERIALIZED VIEW v AS {query}") == ("0A000", f"cannot materialize call to {call}")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT a FROM t WHERE mz_now() < a",
        "SELECT a FROM t WHERE a >= mz_now() AND b = 'x'",
        "SELECT a FROM t WHERE mz_now() BETWEEN a AND a + 10",
        "SELECT b, max(a) FROM t GROUP BY b HAVING mz_now() <= max(a)",
        "SELECT x.a FROM t AS x JOIN t AS y ON x.a = y.a AND mz_now() > y.a",
    ],
)
def test_the_time_may_be_compared_in_conditions(query: str) -> None:
    talk = talk_of_a_table()
    talk.run(f"CREATE MATERIALIZED VIEW v AS {query}")
    assert talk.exists("v")


def test_relations_of_the_system_are_not_materialized() -> None:
    talk = Talk("CREATE VIEW w AS SELECT name FROM mz_tables")
    for query in ("SELECT name FROM mz_tables", "SELECT name FROM w"):
        code, message = talk.refusal(f"CREATE MATERIALIZED VIEW v AS {query}")
        assert (code, message) == ("0A000", "cannot materialize what reads relations of the system")


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        ("CREATE MATERIALIZED VIEW v IN CLUSTER c AS SELECT 1", "42704", "unknown cluster 'c'"),
        ("CREATE MATERIALIZED VIEW t AS SELECT 1", "42P07", 'relation "t" already exists'),
        ("CREATE OR REPLACE MATERIALIZED VIEW t AS SELECT 1", "42809", '"t" is not a materialized view'),
        ("CREATE OR REPLACE VIEW held AS SELECT 1", "42809", '"held" is not a view'),
        ("CREATE MATERIALIZED VIEW v AS SELECT a FROM other", "42P17", "an item that is not temporary cannot depend"),
        ("CREATE MATERIALIZED VIEW mz_temp.v AS SELECT 1", "42P17", "materialized views cannot be temporary"),
        ("CREATE MATERIALIZED VIEW v (x, y, z) AS SELECT a, b FROM t", "42601", "CREATE MATERIALIZED VIEW specifies"),
        ("CREATE MATERIALIZED VIEW v AS SELECT a, a FROM t", "42701", 'column "a" specified more than once'),
        ("CREATE MATERIALIZED VIEW v AS SELECT $1", "42P02", "there is no parameter $1"),
        ("CREATE MATERIALIZED VIEW v AS SELECT a FROM v", "42P01", 'relation "v" does not exist'),
        ("CREATE REPLACEMENT MATERIALIZED VIEW v FOR held AS SELECT 1", "0A000", "CREATE REPLACEMENT"),
        ("CREATE MATERIALIZED VIEW v AS SELECT 1 AS OF 3", "0A000", "CREATE MATERIALIZED VIEW ... AS OF"),
        ("ALTER MATERIALIZED VIEW t RENAME TO u", "42809", '"t" is not a materialized view'),
        ("ALTER MATERIALIZED VIEW held SET CLUSTER c", "42704", "unknown cluster 'c'"),
        ("ALTER VIEW held RENAME TO u", "42809", '"held" is not a view'),
        ("GRANT INSERT ON held TO materialize", "0LP01", "invalid privilege type INSERT for materialized view"),
        ("DROP MATERIALIZED VIEW v", "42P01", 'materialized view "v" does not exist'),
        ("DROP TABLE held", "42809", '"held" is not a table'),
    ],
)
def test_what_cannot_be_is_refused(statement: str, code: str, message: str) -> None:
    talk = talk_of_a_table()
    talk.run("CREATE TEMPORARY TABLE other (a int); CREATE MATERIALIZED VIEW held AS SELECT a FROM t")
    found = talk.refusal(statement)
    assert found[0] == code
    assert found[1].startswith(message)


def test_a_drop_that_names_the_wrong_kind_is_told_the_right_one() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE MATERIALIZED VIEW v AS SELECT a FROM t")
    assert talk.refused("DROP VIEW v").hint == "Use DROP MATERIALIZED VIEW to remove a materialized view."


def test_dependencies_go_both_ways() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE VIEW w AS SELECT a FROM t; CREATE MATERIALIZED VIEW v AS SELECT a FROM w")
    talk.run("CREATE MATERIALIZED VIEW u AS SELECT a FROM v; CREATE VIEW x AS SELECT a FROM u")
    error = talk.refused("DROP MATERIALIZED VIEW v")
    assert str(error) == "cannot drop materialized view v because other objects depend on it"
    assert error.detail == "materialized view u depends on materialized view v\nview x depends on materialized view u"
    assert talk.refusal("CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT 1 AS a")[0] == "2BP01"
    decision = talk.run("DROP TABLE t CASCADE")
    assert [item.name for item in decision.dropped] == ["t", "v", "u"]
    assert not talk.state.items


def test_replacing_makes_another_of_the_same_owner_and_grants_and_drops_indexes() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE ROLE r; CREATE MATERIALIZED VIEW v AS SELECT a FROM t; CREATE INDEX ON v (a)")
    talk.run("GRANT SELECT ON v TO r; ALTER MATERIALIZED VIEW v OWNER TO r")
    old = talk.item("v")
    decision = talk.run("CREATE OR REPLACE MATERIALIZED VIEW v AS SELECT b FROM t")
    new = talk.item("v")
    assert new.id != old.id
    assert (new.owner, new.grants) == (old.owner, old.grants)
    assert [item.name for item in decision.created] == ["v"]
    assert {item.name for item in decision.dropped} == {"v", "v_a_idx"}


def test_one_that_is_there_may_be_left_alone() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE MATERIALIZED VIEW v AS SELECT a FROM t")
    before = talk.item("v")
    decision = talk.run("CREATE MATERIALIZED VIEW IF NOT EXISTS v AS SELECT b FROM t")
    assert [notice.message for notice in decision.notices] == ['relation "v" already exists, skipping']
    assert talk.item("v") == before


def test_all_that_mentions_a_renamed_one_is_told() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE MATERIALIZED VIEW v AS SELECT a FROM t; CREATE INDEX i ON v (a)")
    talk.run("CREATE MATERIALIZED VIEW w AS SELECT v.a FROM v; CREATE SCHEMA s")
    talk.run("ALTER MATERIALIZED VIEW v RENAME TO x; ALTER MATERIALIZED VIEW x SET SCHEMA s")
    assert talk.sql("w").endswith("AS SELECT v.a FROM materialize.s.x AS v")
    assert talk.sql("s.i") == "CREATE INDEX i IN CLUSTER quickstart ON materialize.s.x (a)"
    assert load(rows(talk.state)) == talk.state


def test_a_new_column_of_a_table_is_no_column_of_what_reads_all_of_them() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE MATERIALIZED VIEW v AS SELECT * FROM t; ALTER TABLE t ADD COLUMN c int")
    assert talk.columns("v") == [("a", "integer"), ("b", "text")]
    assert load(rows(talk.state)) == talk.state


def test_how_long_history_is_kept_can_be_said_later() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE MATERIALIZED VIEW v WITH (REFRESH AT CREATION) AS SELECT a FROM t")
    talk.run("ALTER MATERIALIZED VIEW v SET (RETAIN HISTORY = FOR '2s')")
    assert talk.item("v").retain_history == 2000
    assert talk.item("v").refresh == (Refresh("at-creation"),)
    talk.run("ALTER MATERIALIZED VIEW v RESET (RETAIN HISTORY)")
    assert talk.item("v").retain_history is None


def test_its_owner_reads_what_it_reads() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE ROLE r; GRANT ALL ON SCHEMA public TO r")
    talk.run("CREATE MATERIALIZED VIEW v AS SELECT a FROM t", role="r")
    talk.run("COMMENT ON MATERIALIZED VIEW v IS 'x'; COMMENT ON COLUMN v.a IS 'y'", role="r")
    assert {comment.text for comment in talk.state.comments.values()} == {"x", "y"}
