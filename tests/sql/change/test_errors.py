"""Statements that change rows and mean nothing are refused in PostgreSQL's words."""

from __future__ import annotations

import pytest

from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.sql.change import plan_change
from holdfast.sql.parser import parse_one
from holdfast.sql.syntax.statement.dml import Delete, Insert, Update
from tests.sql.catalog import TestCatalog

REFUSED = (
    ("INSERT INTO t VALUES (1, 2, 'x', 4, 5)", "42601", "INSERT has more expressions than target columns"),
    ("INSERT INTO t (a, b) VALUES (1)", "42601", "INSERT has more target columns than expressions"),
    ("INSERT INTO t (a, b) SELECT 1", "42601", "INSERT has more target columns than expressions"),
    ("INSERT INTO t (a, b) VALUES (1, 2), (3)", "42601", "VALUES lists must all be the same length"),
    ("INSERT INTO t (a, a) VALUES (1, 2)", "42701", 'column "a" specified more than once'),
    ("INSERT INTO t (z) VALUES (1)", "42703", 'column "z" of relation "t" does not exist'),
    ("INSERT INTO t (a) VALUES ('x'::text)", "42804", 'column "a" is of type integer but expression is of type text'),
    ("INSERT INTO t (a) VALUES ('x')", "22P02", 'invalid input syntax for type integer: "x"'),
    ("INSERT INTO t (a) VALUES (count(*))", "42803", "aggregate functions are not allowed in VALUES"),
    (
        "INSERT INTO t (a) VALUES (1), (generate_series(1, 2))",
        "0A000",
        "set-returning functions are not allowed in VALUES",
    ),
    ("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", "0A000", "INSERT with ON CONFLICT is not supported"),
    ("INSERT INTO nope VALUES (1)", "42P01", 'relation "nope" does not exist'),
    ("INSERT INTO v VALUES (1)", "55000", 'cannot insert into view "v"'),
    ("UPDATE v SET a = 1", "55000", 'cannot update view "v"'),
    ("DELETE FROM v", "55000", 'cannot delete from view "v"'),
    ("UPDATE t SET z = 1", "42703", 'column "z" of relation "t" does not exist'),
    ("UPDATE t SET a = 1, a = 2", "42601", 'multiple assignments to same column "a"'),
    ("UPDATE t SET (a, b) = (1, 2, 3)", "42601", "number of columns does not match number of values"),
    ("UPDATE t SET (a, b) = (SELECT 1)", "42601", "number of columns does not match number of values"),
    (
        "UPDATE t SET (a) = (1)",
        "0A000",
        "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
    ),
    ("UPDATE t SET b = count(*)", "42803", "aggregate functions are not allowed in UPDATE"),
    ("UPDATE t SET b = row_number() OVER ()", "42P20", "window functions are not allowed in UPDATE"),
    ("UPDATE t SET b = 1 FROM t", "42712", 'table name "t" specified more than once'),
    ("UPDATE t SET b = 1 WHERE a", "42804", "argument of WHERE must be type boolean, not type integer"),
    ("DELETE FROM t AS x WHERE t.a = 1", "42P01", 'invalid reference to FROM-clause entry for table "t"'),
    ("DELETE FROM t RETURNING count(*)", "42803", "aggregate functions are not allowed in RETURNING"),
    ("DELETE FROM t RETURNING generate_series(1, 2)", "0A000", "set-returning functions are not allowed in RETURNING"),
    ("INSERT INTO t VALUES (1) RETURNING z", "42703", 'column "z" does not exist'),
)


@pytest.mark.parametrize(("text", "code", "message"), REFUSED, ids=[text for text, _, _ in REFUSED])
def test_a_change_that_means_nothing_is_refused_in_postgresqls_words(text: str, code: str, message: str) -> None:
    statement = parse_one(text).statement
    assert isinstance(statement, Insert | Update | Delete)
    with pytest.raises(HoldfastError) as caught:
        plan_change(statement, TestCatalog())
    assert (sqlstate(caught.value), str(caught.value)) == (code, message)
