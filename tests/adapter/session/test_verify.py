from __future__ import annotations

import pytest

from holdfast.adapter.database import Database
from holdfast.adapter.session.session import Session
from holdfast.adapter.session.verify import difference
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
    assert await rows(session, "VERIFY INDEX i") == []
    await ask(session, "UPDATE t SET a = 5 WHERE b = 'y'")
    assert await rows(session, "VERIFY INDEX i") == []


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        ("VERIFY MATERIALIZED VIEW t", "42809", '"t" is not a materialized view'),
        ("VERIFY INDEX t", "42809", '"t" is not an index'),
        ("VERIFY INDEX missing", "42704", 'index "missing" does not exist'),
        ("VERIFY INDEX odd", "0A000", "VERIFY INDEX is only supported where"),
        ("VERIFY INDEX seen", "0A000", "VERIFY INDEX is only supported where"),
    ],
)
async def test_what_is_not_maintained_is_not_verified(
    session: Session, statement: str, code: str, message: str
) -> None:
    await ask(session, "CREATE TABLE t (a int, b numeric)")
    await ask(session, "CREATE VIEW w AS SELECT a FROM t")
    await ask(session, "CREATE INDEX odd ON t (a + 1)")
    await ask(session, "CREATE INDEX seen ON w (a)")
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
