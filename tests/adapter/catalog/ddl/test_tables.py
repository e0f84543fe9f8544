from __future__ import annotations

import pytest

from holdfast.sql.parser import parse_one
from holdfast.sql.render import render
from tests.adapter.catalog.build import Talk


def test_the_statement_is_kept_with_whole_names() -> None:
    talk = Talk("CREATE SCHEMA s; CREATE TYPE s.y AS (x int)")
    talk.run("CREATE TABLE IF NOT EXISTS t (p s.y NOT NULL DEFAULT row(1)::s.y, q text DEFAULT 'a' || 'b')")
    assert talk.sql("t") == (
        "CREATE TABLE materialize.public.t (p materialize.s.y NOT NULL DEFAULT (ROW(1)::materialize.s.y), "
        "q text DEFAULT ('a' || 'b'))"
    )
    assert render(parse_one(talk.sql("t")).statement) == talk.sql("t")


def test_columns_have_their_types_and_defaults() -> None:
    talk = Talk("CREATE TABLE t (a numeric(5, 2) NOT NULL, b varchar(3)[] DEFAULT '{x}', c int list, d map[text=>int])")
    assert talk.columns("t") == [
        ("a", "numeric(5,2)"),
        ("b", "character varying(3)[]"),
        ("c", "integer list"),
        ("d", "map[text=>integer]"),
    ]
    assert [(each.nullable, each.default) for each in talk.item("t").columns] == [
        (False, None),
        (True, "'{x}'"),
        (True, None),
        (True, None),
    ]


def test_a_table_that_is_made_is_told_of() -> None:
    decision = Talk().run("CREATE TABLE t (a int)")
    assert decision.tag == "CREATE TABLE"
    assert [item.name for item in decision.created] == ["t"]


def test_a_table_without_columns_can_be() -> None:
    assert Talk("CREATE TABLE t ()").columns("t") == []


@pytest.mark.parametrize("definition", ["a int PRIMARY KEY", "a int UNIQUE", "a int, PRIMARY KEY (a)"])
def test_constraints_are_refused(definition: str) -> None:
    code, message = Talk().refusal(f"CREATE TABLE t ({definition})")
    assert code == "0A000"
    assert message.endswith("constraints are not supported")


def test_history_is_kept_for_as_long_as_is_said() -> None:
    talk = Talk("CREATE TABLE t (a int) WITH (RETAIN HISTORY FOR '1 hour 30 minutes')", "CREATE TABLE u (a int)")
    assert (talk.item("t").retain_history, talk.item("u").retain_history) == (5_400_000, None)
    talk.run("ALTER TABLE u SET (RETAIN HISTORY = FOR '2 days'); ALTER TABLE t RESET (RETAIN HISTORY)")
    assert (talk.item("t").retain_history, talk.item("u").retain_history) == (None, 172_800_000)
    assert talk.sql("u") == "CREATE TABLE materialize.public.u (a integer) WITH (RETAIN HISTORY = FOR '2 days')"
    assert talk.sql("t") == "CREATE TABLE materialize.public.t (a integer)"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("RETAIN HISTORY FOR '1 month'", "22023"),
        ("RETAIN HISTORY FOR '-1 hour'", "22023"),
        ("RETAIN HISTORY FOR 'soon'", "22007"),
        ("RETAIN HISTORY = 5", "22023"),
        ("FILLFACTOR = 5", "22023"),
        ("PARTITION BY (b)", "22023"),
        ("PARTITION BY (z)", "42703"),
        ("PARTITION BY (a), PARTITION BY (a)", "22023"),
    ],
)
def test_options_that_a_table_cannot_have_are_refused(options: str, code: str) -> None:
    assert Talk().refusal(f"CREATE TABLE t (a int, b int) WITH ({options})")[0] == code


def test_partitioning_is_by_the_first_columns() -> None:
    assert Talk("CREATE TABLE t (a int, b int) WITH (PARTITION BY (a))").exists("t")


def test_options_are_those_of_tables_alone() -> None:
    talk = Talk("CREATE VIEW v AS SELECT 1 AS a")
    assert talk.refusal("ALTER VIEW v SET (RETAIN HISTORY FOR '1 hour')")[0] == "42809"
    assert talk.refusal("ALTER TABLE nothing RESET (RETAIN HISTORY)")[0] == "42P01"
    assert talk.run("ALTER TABLE IF EXISTS nothing RESET (RETAIN HISTORY)").changes == ()


def test_a_temporary_table_is_its_session_s() -> None:
    talk = Talk("CREATE TEMPORARY TABLE t (a int); CREATE TABLE pg_temp.u (a int)")
    for name in ("t", "u"):
        assert talk.item(name).session == 1
        assert talk.sql(name) == f"CREATE TEMPORARY TABLE mz_temp.{name} (a integer)"
    talk.session = 2
    assert talk.run("CREATE TEMPORARY TABLE t (b int)").created[0].session == 2


def test_what_lasts_cannot_depend_on_what_is_temporary() -> None:
    talk = Talk("CREATE TEMPORARY TABLE t (a int)")
    code, message = talk.refusal("CREATE VIEW v AS SELECT a FROM t")
    assert (code, message) == (
        "42P17",
        'an item that is not temporary cannot depend on temporary item "t"',
    )
    talk.run("CREATE TEMPORARY VIEW v AS SELECT a FROM t")


def test_names_that_are_dots_are_refused() -> None:
    assert Talk().refusal('CREATE TABLE ".." (a int)')[0] == "42602"
