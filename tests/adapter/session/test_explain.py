from __future__ import annotations

from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, refusal, rows


async def test_every_stage_of_a_plan_can_be_seen_with_the_names_of_what_it_reads(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int, b text)")
    query = "SELECT b FROM t WHERE a IN (SELECT max(a) FROM t)"
    for stage, expected in (
        ("RAW PLAN", "Get materialize.public.t"),
        ("DECORRELATED PLAN", "Get materialize.public.t"),
        ("OPTIMIZED PLAN", "Get materialize.public.t"),
        ("SPARK PLAN", "SELECT"),
    ):
        ((text,),) = await rows(session, f"EXPLAIN {stage} FOR {query}")
        assert text is not None
        assert expected in text
    ((text,),) = await rows(session, "EXPLAIN SELECT name FROM mz_catalog.mz_databases")
    assert "mz_catalog" in (text or "")


async def test_it_is_explained_who_answers_and_by_what_rows_are_found(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int, b text)")
    await ask(session, "CREATE INDEX i ON t (a)")
    await ask(session, "CREATE INDEX j ON t (lower(b), a)")
    for query, expected in (
        ("SELECT b FROM t", "the server"),
        ("SELECT a FROM t WHERE b = 'x'", "the server, which finds rows by (#1)"),
        ("SELECT b FROM t WHERE a = 1 AND b > 'x'", "the server, which finds rows by (#0), index materialize.public.i"),
        (
            "SELECT b FROM t WHERE a = 1 AND 'x' = lower(b)",
            "the server, which finds rows by (#0, lower(#1)), index materialize.public.j",
        ),
        ("SELECT b FROM t WHERE lower(b) = 'x'", "the server"),
        ("SELECT sum(g) FROM generate_series(1, 1000000000) AS g", "a job of Spark's"),
    ):
        ((text,),) = await rows(session, f"EXPLAIN {query}")
        assert (text or "").endswith(f"\n\nAnswered by: {expected}")
    ((text,),) = await rows(session, "EXPLAIN OPTIMIZED PLAN FOR SELECT b FROM t")
    assert "Answered by" not in (text or "")


async def test_a_view_is_explained_by_its_name(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int)")
    await ask(session, "CREATE VIEW v AS SELECT count(*) FROM t")
    ((text,),) = await rows(session, "EXPLAIN OPTIMIZED PLAN FOR VIEW v")
    assert "Reduce (count(*))" in (text or "")


async def test_a_materialized_view_is_explained_by_what_a_step_of_it_does(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int, b int)")
    query = "SELECT a, sum(b) FROM t GROUP BY a"
    ((planned,),) = await rows(session, f"EXPLAIN CREATE MATERIALIZED VIEW m AS {query}")
    await ask(session, f"CREATE MATERIALIZED VIEW m AS {query}")
    ((text,),) = await rows(session, "EXPLAIN MATERIALIZED VIEW m")
    assert text == planned
    for line in ("Get materialize.public.t", "States:", "Local d materialize.public.t", "Changes of the view: b"):
        assert line in (text or "")
    ((text,),) = await rows(session, "EXPLAIN OPTIMIZED PLAN FOR MATERIALIZED VIEW m")
    assert "Reduce by (#0) (sum(#1))" in (text or "")


async def test_the_time_of_a_query_is_explained(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int)")
    answer = await ask(session, "EXPLAIN TIMESTAMP FOR SELECT * FROM t")
    assert answer.names == ("Timestamp",)
    ((text,),) = answer.texts
    assert "source materialize.public.t (u" in (text or "")
    assert "can respond immediately: true" in (text or "")


async def test_what_cannot_be_explained_is_refused(session: Session) -> None:
    assert (await refusal(session, "EXPLAIN TIMESTAMP FOR INSERT INTO t VALUES (1)"))[0] in ("0A000", "42601")
    assert (await refusal(session, "EXPLAIN SELECT wrong"))[0] == "42703"
