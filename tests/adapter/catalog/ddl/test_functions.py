"""CREATE FUNCTION and DROP FUNCTION: who may, what is refused, and what depends on a function."""

from __future__ import annotations

import pytest

from holdfast.adapter.catalog.durable import load, rows
from holdfast.adapter.catalog.objects import Item
from holdfast.plan.python_function import PythonFunction
from tests.adapter.catalog.build import Talk

TWICE = "CREATE FUNCTION twice(x int) RETURNS int LANGUAGE python AS $$ return x * 2 $$"


def function(talk: Talk, name: str = "twice", place: int = 0) -> Item:
    return talk.names.functions_named((name,))[place]


def test_a_function_is_what_its_statement_says() -> None:
    talk = Talk("CREATE FUNCTION f(a numeric(5, 2), text) RETURNS varchar(3) LANGUAGE python STRICT AS 'return arg2'")
    made = function(talk, "f").function
    assert made is not None
    assert isinstance(made.python, PythonFunction)
    assert made.python.parameters == ("a", "arg2")
    # Modifiers say nothing.
    assert [str(type_) for type_ in (*made.arguments, made.result)] == ["numeric", "text", "character varying"]
    assert made.strict


def test_the_catalog_is_the_same_when_it_is_read_again() -> None:
    talk = Talk(
        TWICE,
        "CREATE FUNCTION twice(x text) RETURNS text LANGUAGE python AS $$ return x + x $$",
        "CREATE TABLE t (a int)",
        "CREATE VIEW v AS SELECT twice(a) AS b FROM t",
    )
    again = load(rows(talk.state))
    assert again == talk.state
    assert [len(again.used_by(item.id)) for item in talk.names.functions_named(("twice",))] == [1, 0]


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        (
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "42704",
            'language "sql" does not exist',
        ),
        (
            "CREATE FUNCTION f() RETURNS int LANGUAGE python AS $$\nreturn (\n$$",
            "42601",
            "function f: line 2: '(' was never closed",
        ),
        (
            "CREATE FUNCTION f() RETURNS int LANGUAGE python STABLE AS 'return 1'",
            "0A000",
            "STABLE functions are not supported",
        ),
        (
            "CREATE FUNCTION f() RETURNS TABLE (a int) LANGUAGE python AS 'return 1'",
            "0A000",
            "functions that return rows are not supported",
        ),
        (
            "CREATE FUNCTION lower(a text) RETURNS text LANGUAGE python AS 'return a'",
            "42939",
            '"lower" is the name of a function or type of the system',
        ),
        (
            "CREATE FUNCTION f(class int) RETURNS int LANGUAGE python AS 'return 1'",
            "42P13",
            'an argument in Python cannot be called "class"',
        ),
        (
            "CREATE FUNCTION f(a int, a int) RETURNS int LANGUAGE python AS 'return 1'",
            "42P13",
            'parameter name "a" used more than once',
        ),
        (
            "CREATE FUNCTION f(a regclass) RETURNS int LANGUAGE python AS 'return 1'",
            "0A000",
            "functions in Python do not take or return regclass",
        ),
        (
            "CREATE FUNCTION twice(y int) RETURNS text LANGUAGE python AS 'return 1'",
            "42723",
            'function "twice" already exists with same argument types',
        ),
        (
            "CREATE OR REPLACE FUNCTION twice(y int) RETURNS text LANGUAGE python AS 'return 1'",
            "42P13",
            "cannot change return type of existing function",
        ),
        ("DROP FUNCTION f", "42883", 'could not find a function named "f"'),
        ("DROP FUNCTION twice(text)", "42883", "function twice(text) does not exist"),
        ("DROP FUNCTION nowhere.f()", "3F000", 'schema "nowhere" does not exist'),
        (
            "CREATE TABLE t (a int DEFAULT twice(1))",
            "0A000",
            "functions of users cannot be called in defaults of columns",
        ),
    ],
)
def test_what_is_refused(statement: str, code: str, message: str) -> None:
    assert Talk(TWICE).refusal(statement) == (code, message)


def test_only_superusers_make_functions() -> None:
    talk = Talk("CREATE ROLE joe", "GRANT CREATE, USAGE ON SCHEMA public TO joe")
    assert talk.refusal(TWICE, "joe") == ("42501", "permission denied to create function")


def test_functions_and_relations_do_not_hide_each_other() -> None:
    talk = Talk("CREATE TABLE twice (a int)", TWICE, "CREATE VIEW v AS SELECT twice(a) AS b FROM twice")
    talk.run("DROP VIEW v; DROP TABLE twice")
    assert function(talk).name == "twice"


def test_a_view_depends_on_the_function_that_it_calls_and_on_no_other_of_the_name() -> None:
    talk = Talk(
        TWICE,
        "CREATE FUNCTION twice(x text) RETURNS text LANGUAGE python AS $$ return x + x $$",
        "CREATE VIEW v AS SELECT twice(1) AS a",
        "CREATE VIEW w AS SELECT * FROM v",
    )
    talk.run("DROP FUNCTION twice(text)")
    error = talk.refused("DROP FUNCTION twice(int)")
    assert str(error) == "cannot drop function twice(integer) because other objects depend on it"
    assert error.detail == "view v depends on function twice(integer)\nview w depends on view v"
    talk.run("DROP FUNCTION twice(int) CASCADE")
    assert talk.names.find(("v",)) is None
    assert talk.names.functions_named(("twice",)) == ()


def test_a_function_is_replaced_under_its_own_id_and_views_call_the_new_one() -> None:
    talk = Talk(TWICE, "CREATE VIEW v AS SELECT twice(1) AS a")
    before = function(talk)
    talk.run("CREATE OR REPLACE FUNCTION twice(y int) RETURNS int LANGUAGE python AS $$ return y + y $$")
    after = function(talk)
    assert (after.id, after.oid, after.owner) == (before.id, before.oid, before.owner)
    assert after.function is not before.function
    assert len(talk.state.used_by(after.id)) == 1


def test_a_function_whose_rows_are_kept_is_not_replaced() -> None:
    talk = Talk(TWICE, "CREATE TABLE t (a int)", "CREATE MATERIALIZED VIEW v AS SELECT twice(a) AS a FROM t")
    error = talk.refused("CREATE OR REPLACE FUNCTION twice(y int) RETURNS int LANGUAGE python AS $$ return 0 $$")
    assert str(error) == "cannot replace function twice(integer) because rows that it made are kept"
    assert error.detail == "materialized view v depends on function twice(integer)"


def test_a_new_function_that_a_view_would_rather_call_is_refused() -> None:
    talk = Talk(
        "CREATE FUNCTION f(x bigint) RETURNS int LANGUAGE python AS 'return 1'",
        "CREATE TABLE t (a int)",
        "CREATE VIEW v AS SELECT f(a) AS a FROM t",
    )
    error = talk.refused("CREATE FUNCTION f(x int) RETURNS int LANGUAGE python AS 'return 2'")
    assert str(error) == "cannot create function f(integer) because other objects would call it"
    talk.run("CREATE FUNCTION f(x text) RETURNS int LANGUAGE python AS 'return 3'")
    assert len(talk.names.functions_named(("f",))) == 2


def test_functions_move_with_their_schema_and_views_go_on_to_call_them() -> None:
    talk = Talk(
        "CREATE SCHEMA s",
        "CREATE FUNCTION s.twice(x int) RETURNS int LANGUAGE python AS $$ return x * 2 $$",
        "CREATE VIEW v AS SELECT s.twice(1) AS a",
        "ALTER SCHEMA s RENAME TO r",
    )
    view = talk.names.find(("v",))
    assert isinstance(view, Item)
    assert "materialize.r.twice(1)" in view.sql
    (moved,) = talk.names.functions_named(("r", "twice"))
    assert moved.sql.startswith("CREATE FUNCTION materialize.r.twice")
    assert load(rows(talk.state)) == talk.state


def test_the_search_path_finds_functions() -> None:
    talk = Talk("CREATE SCHEMA s", "CREATE FUNCTION s.f() RETURNS int LANGUAGE python AS 'return 1'")
    assert talk.refusal("CREATE VIEW v AS SELECT f() AS a") == ("42883", "function f() does not exist")
    talk.path = ("s", "public")
    talk.run("CREATE VIEW v AS SELECT f() AS a")


def test_if_exists_and_if_not_exists_tell_and_do_nothing() -> None:
    talk = Talk(TWICE)
    again = TWICE.replace("FUNCTION", "FUNCTION IF NOT EXISTS")
    assert [n.message for n in talk.run(again).notices] == [
        'function "twice" already exists with same argument types, skipping'
    ]
    assert [n.message for n in talk.run("DROP FUNCTION IF EXISTS g(int)").notices] == [
        "function g(integer) does not exist, skipping"
    ]
