"""EXPLAIN ANALYZE, and the relations that say the same."""

from __future__ import annotations

import re

import pytest

from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, refusal, rows


@pytest.fixture
async def shop(session: Session) -> Session:
    await ask(session, "CREATE TABLE orders (id int8, customer text, cents int8)")
    await ask(session, "CREATE TABLE customers (name text, town text)")
    await ask(session, "INSERT INTO customers VALUES ('ada', 'Paris'), ('bob', 'Rome')")
    await ask(session, "INSERT INTO orders VALUES (1, 'ada', 500)")
    await ask(
        session,
        "CREATE MATERIALIZED VIEW towns AS SELECT town, sum(cents) AS cents FROM orders "
        "JOIN customers ON name = customer GROUP BY town",
    )
    await ask(session, "SELECT * FROM towns")
    await ask(session, "INSERT INTO orders VALUES (2, 'ada', 70)")
    await ask(session, "SELECT * FROM towns")
    return session


async def analysis(session: Session, statement: str) -> str:
    answer = await ask(session, statement)
    assert answer.names == ("Analysis",)
    ((text,),) = answer.texts
    assert text is not None
    return text


async def test_a_view_is_analyzed_with_its_steps_its_stages_and_what_it_holds(shop: Session) -> None:
    text = await analysis(shop, "EXPLAIN ANALYZE MATERIALIZED VIEW towns")
    assert re.match(r"Status: running, complete at \d+, 0 ms behind\nLast steps:\n  until ", text)
    steps = [line.split(maxsplit=7) for line in text.splitlines()[3:5]]
    assert [(*step[1:4], step[7]) for step in steps] == [
        ("scratch", "3", "1", "first rows, of few rows"),
        ("incremental", "1", "2", "1 change at one time"),
    ]
    noted = r"Get materialize.public.customers \(arranged\)\n    -- in memory: 2 updates, \d+ (bytes|kB)\n"
    assert re.search(noted, text)
    assert re.search(r"s0 \(.*\) =\n    -- 1 row, \d+ bytes; in memory: \d updates, \d+ (bytes|kB)\n", text)
    looked_up = (
        r"= materialize.public.customers before, where \(#0\) in\n    -- last: 1 in, 1 looked up, 1 out, \d+.\d\d ms"
    )
    assert re.search(looked_up, text)
    not_run = r"= materialize.public.orders before, where \(#1\) in\n    -- last: nothing to do\n"
    assert re.search(not_run, text)
    assert "; ran in 1 of 1 steps: 1 in, 1 looked up, 1 out, " in text


async def test_without_its_notes_an_analysis_is_the_explanation(shop: Session) -> None:
    ((explained,),) = await rows(shop, "EXPLAIN MATERIALIZED VIEW towns")
    text = await analysis(shop, "EXPLAIN ANALYZE MATERIALIZED VIEW towns")
    program = text[text.index("Inputs:") :].splitlines()
    assert "\n".join(line for line in program if not line.startswith("    -- ")) == explained


async def test_what_is_wanted_of_an_analysis_can_be_said(shop: Session) -> None:
    cpu = await analysis(shop, "EXPLAIN ANALYZE CPU FOR MATERIALIZED VIEW towns")
    memory = await analysis(shop, "EXPLAIN ANALYZE MEMORY FOR MATERIALIZED VIEW towns")
    both = await analysis(shop, "EXPLAIN ANALYZE MEMORY, CPU FOR MATERIALIZED VIEW towns")
    assert ("Last steps" in cpu, "last: 1 in" in cpu, "in memory" in cpu) == (True, True, False)
    assert ("Last steps" in memory, "last: 1 in" in memory, "in memory" in memory) == (False, False, True)
    assert all(part in both for part in ("Last steps", "last: 1 in", "in memory"))


async def test_an_index_of_a_view_is_analyzed_like_a_materialized_one(session: Session) -> None:
    await ask(session, "CREATE TABLE t (k int8, n int8)")
    await ask(session, "CREATE VIEW v AS SELECT k, max(n) AS n FROM t GROUP BY k")
    await ask(session, "CREATE INDEX i ON v (k)")
    await ask(session, "CREATE INDEX of_table ON t (k)")
    await ask(session, "INSERT INTO t VALUES (1, 1)")
    await ask(session, "SELECT * FROM v")
    assert "1 change at one time" in await analysis(session, "EXPLAIN ANALYZE INDEX i")
    code, message = await refusal(session, "EXPLAIN ANALYZE INDEX of_table")
    assert (code, message) == ("0A000", 'no dataflow maintains index "of_table"')


async def test_what_we_do_not_have_is_refused(shop: Session) -> None:
    for statement in (
        "EXPLAIN ANALYZE CLUSTER CPU",
        "EXPLAIN ANALYZE HINTS FOR MATERIALIZED VIEW towns",
        "EXPLAIN ANALYZE CPU WITH SKEW FOR MATERIALIZED VIEW towns",
        "EXPLAIN ANALYZE CPU FOR MATERIALIZED VIEW towns AS SQL",
    ):
        assert (await refusal(shop, statement))[0] == "0A000"
    assert (await refusal(shop, "EXPLAIN ANALYZE MATERIALIZED VIEW nowhere"))[0] == "42P01"
    assert (await refusal(shop, "EXPLAIN ANALYZE MATERIALIZED VIEW orders"))[0] == "42809"


async def test_the_relations_of_the_system_say_the_same(shop: Session) -> None:
    of = "JOIN mz_materialized_views v ON v.id = object_id WHERE v.name = 'towns'"
    assert await rows(
        shop,
        f"SELECT step, mode, reason, rows_in, rows_out, error FROM mz_internal.mz_dataflow_steps {of} ORDER BY step",
    ) == [
        ("1", "scratch", "first rows, of few rows", "3", "1", None),
        ("2", "incremental", "1 change at one time", "1", "2", None),
    ]
    spent = "wait_ms >= 0 AND read_ms >= 0 AND compute_ms > 0 AND commit_ms > 0 AND began_at <= now() AND lower < upper"
    assert await rows(shop, f"SELECT count(*) FROM mz_internal.mz_dataflow_steps {of} AND {spent}") == [("2",)]
    stages = "SELECT position, stage, rows_in, rows_looked_up, rows_out, ms FROM mz_internal.{} {} AND {} ORDER BY 1"
    one = await rows(shop, stages.format("mz_dataflow_step_stages", of, "mode = 'incremental'"))
    assert one == await rows(shop, stages.format("mz_dataflow_stages", of, "steps = 1 AND steps_ran = 1"))
    assert ("1", "1", "1") in {row[2:5] for row in one}
    assert await rows(
        shop, f"SELECT kind, updates > 0, bytes > 0 FROM mz_internal.mz_dataflow_arrangements {of} ORDER BY 1"
    ) == [("input", "t", "t"), ("input", "t", "t"), ("state", "t", "t")]
