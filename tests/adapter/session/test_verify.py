from __future__ import annotations

import pytest

from holdfast.adapter.catalog.names import as_relation
from holdfast.adapter.database import Database
from holdfast.adapter.plan_cache import collections_in
from holdfast.adapter.session.session import Session
from holdfast.adapter.session.verify import FromScratch, difference
from holdfast.adapter.tables.contents import Contents
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.rewrite import optimize
from holdfast.plan.types import INT8, TEXT
from holdfast.sql import plan_query
from tests.adapter.asking import ask, refusal, rows
from tests.adapter.catalog.build import Talk

KEPT = [("x", 2), ("y", None)]
"""What a view of the rows below has."""


def differing(kept: list[tuple[str | None, int | None]]) -> list[tuple[object, ...]]:
    """What is told of a view that has these rows, and should have those of `KEPT`."""
    talk = Talk("CREATE TABLE t (a int8, b text); CREATE MATERIALIZED VIEW v AS SELECT b, max(a) FROM t GROUP BY b")
    view, table = talk.item("v"), talk.item("t")
    inputs = {
        str(table.id): table_of([(1, "x"), (2, "x"), (None, "y")], [INT8, TEXT], ["a", "b"]),
        str(view.id): table_of(kept, [TEXT, INT8], ["b", "max"]),
    }
    planned = plan_query(difference(view, talk.state.path_of(view)), talk.names)
    found = evaluate(optimize(decorrelate(planned.plan)), inputs)
    return list(rows_of(found, [column.type for column in planned.columns]))


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        (KEPT, []),
        (list(reversed(KEPT)), []),
        ([], [("missing", "(x,2)", 1), ("missing", "(y,)", 1)]),
        ([("x", 2)], [("missing", "(y,)", 1)]),
        ([*KEPT, *KEPT, ("x", 2)], [("extra", "(x,2)", 2), ("extra", "(y,)", 1)]),
        ([("x", 1), ("y", None)], [("missing", "(x,2)", 1), ("extra", "(x,1)", 1)]),
    ],
)
def test_every_row_that_differs_is_told(
    kept: list[tuple[str | None, int | None]], told: list[tuple[object, ...]]
) -> None:
    assert differing(kept) == told


def test_nothing_but_what_is_verified_is_taken_from_what_is_kept() -> None:
    talk = Talk("CREATE TABLE t (a int); CREATE VIEW v AS SELECT a FROM t; CREATE INDEX ON v (a)")
    talk.run("CREATE VIEW w AS SELECT max(a) AS m FROM v; CREATE INDEX ON w (m)")
    view, path = talk.item("w"), talk.state.path_of(talk.item("w"))
    catalog = FromScratch(talk.names, as_relation(talk.state, view, by_index=True), path)
    planned = plan_query(difference(view, path), catalog)
    assert collections_in(decorrelate(planned.plan).relation) == {str(view.id), str(talk.item("t").id)}


async def test_what_is_maintained_is_what_the_query_says(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int, b text)")
    await ask(session, "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (2, 'y'), (NULL, NULL)")
    await ask(session, "CREATE MATERIALIZED VIEW v AS SELECT b, count(*) AS n, sum(a) AS s FROM t GROUP BY b")
    assert await rows(session, "VERIFY MATERIALIZED VIEW v") == []
    await ask(session, "DELETE FROM t WHERE a = 1")
    await ask(session, "INSERT INTO t SELECT 3, 'z' FROM generate_series(1, 100)")
    assert await rows(session, "VERIFY MATERIALIZED VIEW v") == []
    ((now,),) = await rows(session, "SELECT mz_now() FROM v LIMIT 1")
    assert await rows(session, f"VERIFY MATERIALIZED VIEW v AS OF {now}") == []
    assert (await refusal(session, "VERIFY MATERIALIZED VIEW v AS OF 3"))[0] == "22023"


async def test_rows_are_found_by_every_key_of_an_index(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int, b text)")
    await ask(session, "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (2, 'y'), (2, 'z'), (NULL, NULL)")
    await ask(session, "CREATE INDEX i ON t (a)")
    await ask(session, "CREATE INDEX j ON t (upper(b), 4 / a)")
    assert await rows(session, "VERIFY INDEX i") == await rows(session, "VERIFY INDEX j") == []
    await ask(session, "UPDATE t SET a = 5 WHERE b = 'y'")
    assert await rows(session, "VERIFY INDEX i") == await rows(session, "VERIFY INDEX j") == []
    await ask(session, "UPDATE t SET a = 0 WHERE b = 'x'")
    assert await rows(session, "VERIFY INDEX j") == []


async def test_rows_that_python_has_no_equality_for_are_found_by_their_index(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int, f float8, fs float8[])")
    await ask(session, "INSERT INTO t VALUES (1, 'NaN', NULL), (1, '-0', ARRAY['NaN'::float8]), (1, 0, ARRAY[0.0])")
    await ask(session, "CREATE INDEX i ON t (a)")
    assert await rows(session, "VERIFY INDEX i") == []


async def test_what_an_index_has_not_heard_of_is_told(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    await ask(session, "CREATE TABLE t (a int, b text)")
    await ask(session, "INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    await ask(session, "CREATE INDEX i ON t (a)")
    assert await rows(session, "VERIFY INDEX i") == []
    monkeypatch.setattr(Contents, "apply", lambda *_: None)
    await ask(session, "UPDATE t SET b = 'z' WHERE a = 2")
    assert await rows(session, "VERIFY INDEX i") == [("missing", "(2,z)", "1"), ("extra", "(2,y)", "1")]
    await ask(session, "DELETE FROM t WHERE a = 1")
    told = {("missing", "(2,z)", "1"), ("extra", "(1,x)", "1"), ("extra", "(2,y)", "1")}
    assert set(await rows(session, "VERIFY INDEX i")) == told


@pytest.mark.parametrize("key", ["b", "n", "b, n", "lower(b)"])
async def test_views_are_what_their_indexes_keep(session: Session, key: str) -> None:
    await ask(session, "CREATE TABLE t (a int, b text)")
    await ask(session, "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (2, 'y'), (NULL, NULL)")
    await ask(session, "CREATE VIEW inner_view AS SELECT a, b FROM t WHERE a IS NOT NULL")
    await ask(session, "CREATE INDEX ON inner_view (a)")
    await ask(session, "CREATE VIEW counted AS SELECT b, count(*) AS n FROM inner_view GROUP BY b")
    await ask(session, f"CREATE INDEX i ON counted ({key})")
    assert await rows(session, "VERIFY INDEX i") == []
    await ask(session, "DELETE FROM t WHERE a = 1")
    await ask(session, "INSERT INTO t VALUES (3, 'z')")
    assert await rows(session, "VERIFY INDEX i") == []
    assert await rows(session, "SELECT * FROM counted ORDER BY b") == [("y", "2"), ("z", "1")]


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        ("VERIFY MATERIALIZED VIEW t", "42809", '"t" is not a materialized view'),
        ("VERIFY INDEX t", "42809", '"t" is not an index'),
        ("VERIFY INDEX missing", "42704", 'index "missing" does not exist'),
        ("VERIFY INDEX odd", "0A000", "VERIFY INDEX of a table is only supported where"),
    ],
)
async def test_what_is_not_maintained_is_not_verified(
    session: Session, statement: str, code: str, message: str
) -> None:
    await ask(session, "CREATE TABLE t (a int, b numeric)")
    await ask(session, "CREATE INDEX odd ON t (b)")
    found = await refusal(session, statement)
    assert found[0] == code
    assert found[1].startswith(message)


async def test_those_verify_who_may_read(session: Session, database: Database) -> None:
    await ask(session, "CREATE TABLE t (a int)")
    await ask(session, "CREATE MATERIALIZED VIEW v AS SELECT a FROM t")
    await ask(session, "CREATE ROLE r LOGIN")
    other = await database.connect("r", "materialize")
    assert (await refusal(other, "VERIFY MATERIALIZED VIEW v"))[0] == "42501"
    await ask(session, "GRANT SELECT ON v TO r")
    assert await rows(other, "VERIFY MATERIALIZED VIEW v") == []
