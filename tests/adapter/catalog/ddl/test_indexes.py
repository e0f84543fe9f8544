from __future__ import annotations

import pytest

from holdfast.adapter.catalog.durable import load, rows
from tests.adapter.catalog.build import Talk


def talk_of_a_table() -> Talk:
    return Talk("CREATE TABLE t (a int NOT NULL, b text)")


def test_an_index_is_kept_with_its_relation_and_its_key() -> None:
    talk = talk_of_a_table()
    decision = talk.run("CREATE INDEX i ON t USING arrangement (t.a, lower(b), 2)")
    assert decision.tag == "CREATE INDEX"
    assert [item.name for item in decision.created] == ["i"]
    item = talk.item("i")
    assert item.sql == "CREATE INDEX i IN CLUSTER quickstart ON materialize.public.t (a, lower(b), b)"
    assert (item.kind, item.on, item.uses) == ("index", talk.item("t").id, frozenset((talk.item("t").id,)))
    assert [(part.sql, str(part.type), part.nullable, part.position) for part in item.key] == [
        ("a", "integer", False, 0),
        ("lower(b)", "text", True, None),
        ("b", "text", True, 1),
    ]
    assert load(rows(talk.state)) == talk.state


def test_names_follow_from_relation_and_key_and_are_numbered_when_taken() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE INDEX ON t (a); CREATE INDEX ON t (a); CREATE INDEX ON t (a); CREATE INDEX ON t (a, lower(b))")
    talk.run("CREATE DEFAULT INDEX ON t; CREATE DEFAULT INDEX ON t")
    found = sorted(item.name for item in talk.state.items.values() if item.kind == "index")
    assert found == ["t_a_expr_idx", "t_a_idx", "t_a_idx1", "t_a_idx2", "t_primary_idx", "t_primary_idx1"]


def test_an_index_that_is_there_may_be_left_alone() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE INDEX ON t (a)")
    decision = talk.run("CREATE INDEX IF NOT EXISTS t_a_idx ON t (b); CREATE DEFAULT INDEX IF NOT EXISTS ON t")
    assert [item.name for item in decision.created] == ["t_primary_idx"]
    assert talk.run("CREATE DEFAULT INDEX IF NOT EXISTS ON t").notices[0].code == "42P07"
    assert talk.refusal("CREATE INDEX t_a_idx ON t (b)") == ("42P07", 'relation "t_a_idx" already exists')


@pytest.mark.parametrize(
    ("relation", "key"),
    [
        ("t", ["a", "b"]),
        ("grouped", ["b"]),
        ("distinct_rows", ["a", "b"]),
        ("all_rows", ["a", "b"]),
        ("one_row", ["n"]),
    ],
)
def test_the_default_key_tells_all_rows_apart_if_one_is_known_to(relation: str, key: list[str]) -> None:
    talk = talk_of_a_table()
    talk.run("CREATE VIEW grouped AS SELECT max(a) AS m, b FROM t GROUP BY b")
    talk.run("CREATE MATERIALIZED VIEW distinct_rows AS SELECT DISTINCT a, b FROM t")
    talk.run("CREATE VIEW all_rows AS SELECT a, b FROM t; CREATE VIEW one_row AS SELECT count(*) AS n FROM t")
    talk.run(f"CREATE DEFAULT INDEX ON {relation}")
    assert [part.sql for part in talk.item(f"{relation}_primary_idx").key] == key


def test_an_index_goes_with_its_relation_without_a_word() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE INDEX ON t (a); CREATE VIEW v AS SELECT a FROM t; CREATE INDEX ON v (a)")
    assert talk.refused("DROP TABLE t").detail == "view v depends on table t"
    decision = talk.run("DROP TABLE t CASCADE")
    assert [notice.message for notice in decision.notices] == ["drop cascades to view v"]
    assert {item.name for item in decision.dropped} == {"t", "t_a_idx", "v_a_idx"}
    assert not talk.state.items


def test_dropping_an_index_leaves_its_relation() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE INDEX i ON t (a); COMMENT ON INDEX i IS 'x'")
    decision = talk.run("DROP INDEX i")
    assert decision.tag == "DROP INDEX"
    assert [item.name for item in decision.dropped] == ["i"]
    assert not talk.state.comments
    assert talk.run("DROP INDEX IF EXISTS i").notices[0].message == 'index "i" does not exist, skipping'


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        ("CREATE INDEX ON missing (a)", "42P01", 'relation "missing" does not exist'),
        ("CREATE INDEX ON mz_tables (id)", "42501", 'permission denied: "mz_tables" is a system catalog'),
        ("CREATE INDEX ON i (a)", "42809", '"i" is not a table or view or materialized view'),
        ("CREATE INDEX ON t (c)", "42703", 'column "c" does not exist'),
        ("CREATE INDEX ON t (3)", "42P10", "column reference 3 in CREATE INDEX is out of range (1 - 2)"),
        ("CREATE INDEX ON t (sum(a))", "42803", "aggregate functions are not allowed in index expressions"),
        ("CREATE INDEX ON t (row_number() OVER ())", "42P20", "window functions are not allowed in index expressions"),
        ("CREATE INDEX ON t ((SELECT 1))", "0A000", "cannot use subquery in index expression"),
        ("CREATE INDEX ON t (a + $1)", "42P02", "there is no parameter $1"),
        ("CREATE INDEX ON t (random())", "0A000", "cannot materialize call to random"),
        ("CREATE INDEX ON t (now())", "0A000", "cannot materialize call to current_timestamp"),
        ("CREATE INDEX ON timely (n)", "0A000", "cannot materialize call to current_timestamp"),
        ("CREATE INDEX IN CLUSTER c ON t (a)", "42704", "unknown cluster 'c'"),
        ("CREATE INDEX ON t (a) WITH (FASTER)", "22023", 'unrecognized parameter "faster"'),
        ("ALTER INDEX i SET SCHEMA s", "42809", 'cannot move index "i" to another schema'),
        ("DROP INDEX t", "42809", '"t" is not an index'),
        ("DROP INDEX missing", "42704", 'index "missing" does not exist'),
    ],
)
def test_what_cannot_be_is_refused(statement: str, code: str, message: str) -> None:
    talk = talk_of_a_table()
    talk.run("CREATE INDEX i ON t (a); CREATE VIEW timely AS SELECT now() AS n; CREATE SCHEMA s")
    assert talk.refusal(statement) == (code, message)


def test_an_index_is_no_relation_of_queries() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE INDEX i ON t (a)")
    assert talk.names.relation(("i",)) is None


def test_an_index_is_the_owner_s_of_its_relation() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE ROLE r; CREATE ROLE q; GRANT ALL ON SCHEMA public TO r, q; ALTER TABLE t OWNER TO r")
    assert talk.refusal("CREATE INDEX ON t (a)", role="q")[0] == "42501"
    talk.run("CREATE INDEX i ON t (a)")
    assert talk.item("i").owner == talk.item("t").owner
    talk.run("ALTER TABLE t OWNER TO q")
    assert talk.item("i").owner == talk.item("t").owner
    warning = talk.run("ALTER INDEX i OWNER TO r").notices[0]
    assert (warning.severity, warning.message) == ("WARNING", 'cannot change owner of index "i"')
    assert talk.item("i").owner == talk.item("t").owner


def test_an_index_moves_with_its_relation_and_can_be_renamed() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE INDEX i ON t (a); CREATE SCHEMA s; CREATE TABLE s.i (a int)")
    assert talk.refusal("ALTER TABLE t SET SCHEMA s") == ("42P07", 'relation "i" already exists')
    talk.run("ALTER INDEX i RENAME TO j; ALTER TABLE t SET SCHEMA s; ALTER TABLE s.t RENAME TO u")
    assert talk.sql("s.j") == "CREATE INDEX j IN CLUSTER quickstart ON materialize.s.u (a)"
    talk.run("ALTER SCHEMA s RENAME TO z")
    assert talk.sql("z.j") == "CREATE INDEX j IN CLUSTER quickstart ON materialize.z.u (a)"
    assert load(rows(talk.state)) == talk.state


def test_a_key_of_whole_rows_follows_the_columns_of_the_table() -> None:
    talk = talk_of_a_table()
    talk.run("CREATE INDEX i ON t ((t)); ALTER TABLE t ADD COLUMN c int")
    assert load(rows(talk.state)) == talk.state


def test_an_index_of_a_temporary_relation_ends_with_it() -> None:
    talk = Talk("CREATE TEMPORARY TABLE t (a int); CREATE INDEX ON t (a)")
    assert talk.item("t_a_idx").session == talk.session
    assert load(rows(talk.state)) == talk.lasting()
    assert {item.name for item in talk.end_session().dropped} == {"t", "t_a_idx"}
