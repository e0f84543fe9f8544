"""What changes come to: rows that go and come, types of parameters, defaults and what is returned."""

from __future__ import annotations

from collections import Counter

import pytest

from holdfast.adapter.sqlstate import sqlstate
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.values import rows_of
from holdfast.errors import HoldfastError
from holdfast.plan.types import DATE, INT4, INT8, NUMERIC, TEXT, Modified, Type, array_of
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, EmptyCatalog
from holdfast.sql.change import plan_change, plan_columns, plan_expression
from holdfast.sql.parser import parse_one
from holdfast.sql.syntax.statement.dml import Insert
from tests.differential.ask import Tables
from tests.differential.schema import Table
from tests.sql.catalog import TestCatalog
from tests.sql.change.apply import ChangedTables, Outcome, apply, plan_of_change

VARCHAR3 = Modified("varchar", 3)
T = Table("t", (("a", INT4), ("s", TEXT)), (("1", "x"), ("1", "x"), ("2", "y"), (None, None)))
U = Table("u", (("a", INT4), ("n", INT8), ("e", DATE)), (("1", "10", None), ("1", "20", None), ("2", "30", None)))
W = Table("w", (("v", VARCHAR3), ("l", array_of(VARCHAR3)), ("g", array_of(INT4))), ())


def catalog() -> ChangedTables:
    return ChangedTables(Tables((T, U, W)), {("u", "n"): "3 + 4", ("t", "s"): "'none'"})


def rows(outcome: Outcome) -> Counter[tuple[str | None, ...]]:
    assert outcome.table is not None, outcome.error
    return Counter(outcome.table.rows)


def returned(outcome: Outcome) -> list[tuple[str | None, ...]]:
    assert outcome.returned is not None, outcome.error
    return sorted(outcome.returned.rows, key=str)


def test_equal_rows_are_each_updated_and_only_once() -> None:
    outcome = apply("UPDATE t SET s = n::text FROM u WHERE t.a = u.a", catalog())
    assert rows(outcome) == {("1", "10"): 2, ("2", "30"): 1, (None, None): 1}


def test_equal_rows_are_each_deleted_and_only_once() -> None:
    assert rows(apply("DELETE FROM t USING u WHERE t.a = u.a", catalog())) == {(None, None): 1}


def test_an_update_returns_columns_of_the_relations_that_it_reads() -> None:
    outcome = apply("UPDATE t SET s = 'z' FROM u WHERE t.a = u.a AND n > 10 RETURNING t.*, u.n + 1", catalog())
    assert returned(outcome) == [("1", "z", "21"), ("1", "z", "21"), ("2", "z", "31")]


def test_a_delete_returns_each_row_once_with_one_row_of_the_relations_that_it_reads() -> None:
    outcome = apply("DELETE FROM t USING u WHERE t.a = u.a RETURNING s, n", catalog())
    assert returned(outcome) == [("x", "10"), ("x", "10"), ("y", "30")]


def test_queries_in_returning_read_what_there_was_before() -> None:
    outcome = apply("INSERT INTO t VALUES (5) RETURNING a, s, (SELECT count(*) FROM t)", catalog())
    assert returned(outcome) == [("5", "none", "4")]


def test_what_a_statement_leaves_out_has_its_default() -> None:
    assert rows(apply("INSERT INTO u (a) VALUES (9)", catalog()))["9", "7", None] == 1
    assert rows(apply("INSERT INTO u VALUES (9, DEFAULT), (DEFAULT, 8)", catalog()))[None, "8", None] == 1
    assert rows(apply("INSERT INTO u DEFAULT VALUES", catalog()))[None, "7", None] == 1
    assert rows(apply("UPDATE u SET (n, a) = (DEFAULT, 0)", catalog())) == {("0", "7", None): 3}


def test_each_row_of_values_gets_the_types_of_the_columns_by_itself() -> None:
    outcome = apply("INSERT INTO u (a, e) VALUES (1, '2020-01-01'), ('2', date '2020-01-02')", catalog())
    assert rows(outcome)["2", "7", "2020-01-02"] == 1


def test_literals_of_a_query_with_common_tables_get_the_types_of_the_columns() -> None:
    for text in (
        "INSERT INTO u (a, e) WITH q AS (SELECT 4 AS z) SELECT z, '2020-01-01' FROM q",
        "WITH q AS (SELECT 4 AS z) INSERT INTO u (a, e) SELECT z, '2020-01-01' FROM q",
    ):
        assert rows(apply(text, catalog()))["4", "7", "2020-01-01"] == 1


def test_a_row_of_functions_that_return_rows_is_inserted_as_many() -> None:
    outcome = apply("INSERT INTO t VALUES (generate_series(7, 8), 'r')", catalog())
    assert rows(outcome)["7", "r"] == rows(outcome)["8", "r"] == 1


def test_columns_without_a_row_for_them_become_null() -> None:
    outcome = apply("UPDATE t SET (a, s) = (SELECT a + 1, 'q' FROM u WHERE u.a = t.a AND n > 10)", catalog())
    assert rows(outcome) == {("2", "q"): 2, ("3", "q"): 1, (None, None): 1}


def test_columns_with_two_rows_for_them_are_an_error() -> None:
    assert apply("UPDATE t SET (a, s) = (SELECT a, 'q' FROM u WHERE u.a = t.a)", catalog()).error == "21000"


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("INSERT INTO t VALUES ($1, $2, $3, $4), ($5, NULL, $3, 1)", (INT4, INT8, TEXT, NUMERIC, INT4)),
        ("INSERT INTO t (c, a) SELECT $2, $1", (INT4, TEXT)),
        ("UPDATE t SET b = $1 WHERE c = $2", (INT8, TEXT)),
        ("UPDATE t SET (b, c) = ($1, $2)", (INT8, TEXT)),
        ("DELETE FROM t WHERE d > $1 RETURNING a + $2", (NUMERIC, INT4)),
    ],
)
def test_parameters_have_the_types_of_the_columns_that_they_are_for(text: str, types: tuple[Type, ...]) -> None:
    statement = parse_one(text).statement
    assert isinstance(statement, Insert) or hasattr(statement, "table")
    assert plan_change(statement, TestCatalog()).parameters == types  # type: ignore[arg-type]  # which it is was asked


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        ("INSERT INTO t VALUES (1, 'x'), ($1, $2)", True),
        ("INSERT INTO t SELECT 1, 'x'", True),
        ("INSERT INTO t SELECT g, 'x' FROM generate_series(1, 3) AS g", True),
        ("INSERT INTO t VALUES ((SELECT max(a) FROM u))", False),
        ("INSERT INTO t SELECT a FROM u", False),
        ("INSERT INTO t VALUES (1) RETURNING (SELECT max(a) FROM u)", True),
        ("DELETE FROM t", False),
    ],
)
def test_an_insert_is_constant_if_it_reads_no_relation(text: str, constant: bool) -> None:
    assert plan_of_change(text, catalog()).is_constant is constant


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("INSERT INTO w (v) VALUES ('abcd')", "22001"),
        ("INSERT INTO w (v) VALUES ('abcd'::text)", "22001"),
        ("INSERT INTO w (v) VALUES ('abcd'::varchar(3))", None),
        ("INSERT INTO w (v) VALUES ('abc   ')", None),
        ("INSERT INTO w (v) VALUES (1234)", "22001"),
        ("INSERT INTO w (l) VALUES ('{a,abcd}')", "22001"),
        ("INSERT INTO w (l) VALUES (ARRAY['a', 'abc'])", None),
        ("INSERT INTO w (g) VALUES ('{}')", None),
        ("INSERT INTO w (g) VALUES ('{{1},{2}}')", "0A000"),
    ],
)
def test_a_value_that_a_column_has_no_room_for_is_refused_rather_than_cut(text: str, error: str | None) -> None:
    assert apply(text, catalog()).error == error


def test_a_system_relation_cannot_be_changed() -> None:
    class System(EmptyCatalog):
        def relation(self, parts: tuple[str, ...]) -> CatalogRelation:
            return CatalogRelation("s1", parts[-1], (CatalogColumn("a", INT4),), kind="system")

    statement = parse_one("DELETE FROM pg_class").statement
    with pytest.raises(HoldfastError) as caught:
        plan_change(statement, System())  # type: ignore[arg-type]  # a DELETE
    assert (sqlstate(caught.value), str(caught.value)) == (
        "42501",
        'permission denied: "pg_class" is a system catalog',
    )


def test_columns_that_rows_come_without_have_planned_defaults() -> None:
    columns = (CatalogColumn("a", INT4), CatalogColumn("b", INT8, default="40 + 2"), CatalogColumn("c", TEXT))
    found = plan_columns(CatalogRelation("u1", "t", columns), ("c", "a"), EmptyCatalog())
    assert found.given == (2, 0)
    assert list(found.defaults) == [1]
    assert rows_of(evaluate(found.defaults[1].plan, {}), [INT8]) == [(42,)]


def test_an_expression_is_one_value_of_the_type_that_is_wanted() -> None:
    found = plan_expression("$1 + 1", EmptyCatalog(), INT8)
    assert found.parameters == (INT4,)
    assert rows_of(evaluate(found.plan, {}, (41,)), [INT8]) == [(42,)]


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("a + 1", "0A000", "cannot use column reference in DEFAULT expression"),
        ("(SELECT 1)", "0A000", "cannot use subquery in DEFAULT expression"),
        ("count(*)", "42803", "aggregate functions are not allowed in DEFAULT expressions"),
        ("generate_series(1, 2)", "0A000", "set-returning functions are not allowed in DEFAULT expressions"),
        ("now()", "42804", 'column "k" is of type integer but default expression is of type timestamp with time zone'),
    ],
)
def test_an_expression_on_its_own_is_refused_what_it_cannot_have(text: str, code: str, message: str) -> None:
    with pytest.raises(HoldfastError) as caught:
        plan_expression(text, EmptyCatalog(), INT4, column="k")
    assert (sqlstate(caught.value), str(caught.value)) == (code, message)
