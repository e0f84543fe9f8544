"""ALTER TABLE ADD COLUMN: views that were there answer as if nothing had happened."""

from __future__ import annotations

import pyarrow as pa
import pytest

from holdfast.adapter.catalog import durable
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.rewrite import optimize
from holdfast.sql import plan_query
from tests.adapter.catalog.build import Talk

ROWS: dict[str, list[tuple[int | None, int]]] = {
    "t": [(1, 10), (2, 20), (2, 20), (None, 30)],
    "u": [(1, 100), (2, 200)],
}

VIEWS = [
    "SELECT * FROM t",
    "SELECT t.* FROM t",
    "SELECT public.t.* FROM t",
    "SELECT x.* FROM t AS x",
    "SELECT x.* FROM t AS x (p, q)",
    "SELECT t FROM t",
    "SELECT x FROM t AS x",
    "SELECT public.t.a FROM t WHERE public.t.b > 10",
    "SELECT * FROM t NATURAL JOIN u",
    "SELECT a FROM t NATURAL LEFT JOIN u",
    "SELECT c FROM t, u WHERE t.a = u.a",
    "SELECT t.a, (SELECT max(t.b) FROM t WHERE t.a = c) AS n FROM t, u",
    "SELECT (SELECT count(*) FROM t WHERE c > 100) AS n FROM u",
    "SELECT * FROM t JOIN u USING (a)",
    "SELECT count(*) FROM t",
    "SELECT b FROM t ORDER BY a LIMIT 1",
    "WITH t AS (SELECT * FROM t) SELECT * FROM t",
    "SELECT a FROM t UNION ALL SELECT x.b FROM t AS x",
]


def answer(talk: Talk, view: str) -> list[object]:
    planned = plan_query(f"SELECT * FROM {view}", talk.names)
    inputs: dict[str, pa.Table] = {}
    for name, rows in ROWS.items():
        item = talk.item(name)
        types = [column.type for column in item.columns]
        padded = [(*row, *(7 for _ in types[2:])) for row in rows]
        inputs[str(item.id)] = table_of(padded, types, [column.name for column in item.columns])
    table = evaluate(optimize(decorrelate(planned.plan)), inputs)
    rows = rows_of(table, [column.type for column in planned.columns])
    return [[column.name for column in planned.columns], sorted(map(repr, rows))]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("new", ["c", "a2"])
def test_a_view_answers_the_same_when_a_table_it_reads_gets_a_column(view: str, new: str) -> None:
    talk = Talk("CREATE TABLE t (a int, b int); CREATE TABLE u (a int, c int)")
    talk.run(f"CREATE VIEW v AS {view}; CREATE VIEW w AS SELECT * FROM v")
    before = answer(talk, "v"), answer(talk, "w")
    decision = talk.run(f"ALTER TABLE t ADD COLUMN {new} int")
    assert (answer(talk, "v"), answer(talk, "w")) == before
    assert [item.name for item in decision.altered] == ["t"]


def test_what_reads_a_view_that_is_narrowed_has_its_columns() -> None:
    talk = Talk("CREATE TABLE t (a int); CREATE VIEW v AS SELECT t FROM t; CREATE VIEW w AS SELECT * FROM v")
    talk.run("ALTER TABLE t ADD COLUMN b int")
    assert talk.item("w").columns == talk.item("v").columns
    assert durable.load(durable.rows(talk.state)) == talk.state


def test_a_view_that_names_its_columns_stays_as_it_is() -> None:
    talk = Talk("CREATE TABLE t (a int); CREATE VIEW v AS SELECT t.a FROM t")
    before = talk.item("v")
    talk.run("ALTER TABLE t ADD COLUMN b int")
    assert talk.item("v") is before


def test_the_new_column_is_the_last_and_may_be_null() -> None:
    talk = Talk("CREATE TABLE t (a int NOT NULL) WITH (RETAIN HISTORY FOR '2 hours')")
    talk.run("ALTER TABLE t ADD COLUMN b text")
    assert [(column.name, column.nullable) for column in talk.item("t").columns] == [("a", False), ("b", True)]
    assert talk.sql("t") == (
        "CREATE TABLE materialize.public.t (a integer NOT NULL, b text) WITH (RETAIN HISTORY = FOR '2 hours')"
    )


@pytest.mark.parametrize("column", ["b int NOT NULL", "b int DEFAULT 1"])
def test_a_column_that_older_rows_would_need_a_value_for_is_refused(column: str) -> None:
    code, _ = Talk("CREATE TABLE t (a int)").refusal(f"ALTER TABLE t ADD COLUMN {column}")
    assert code == "0A000"


def test_a_column_of_a_user_s_type_depends_on_it() -> None:
    talk = Talk("CREATE TABLE t (a int); CREATE TYPE y AS (x int); ALTER TABLE t ADD COLUMN p y")
    assert talk.item("t").uses == {talk.item("y").id}
    assert talk.refusal("DROP TYPE y")[0] == "2BP01"
