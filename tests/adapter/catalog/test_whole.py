from __future__ import annotations

import pytest

from holdfast.adapter.catalog.whole import whole
from holdfast.sql.parser import parse_query
from holdfast.sql.render.query import SQL
from tests.adapter.catalog.build import Talk

QUERIES = {
    "SELECT a FROM t": "SELECT a FROM materialize.public.t",
    "SELECT t.a, t.* FROM public.t": "SELECT t.a, t.* FROM materialize.public.t",
    "SELECT public.t.a, public.t.* FROM t": (
        "SELECT materialize.public.t.a, materialize.public.t.* FROM materialize.public.t"
    ),
    "SELECT s.t.a FROM d.s.t": "SELECT d.s.t.a FROM d.s.t",
    "SELECT s.t.a FROM d.s.t, s.t": "SELECT s.t.a FROM d.s.t, materialize.s.t",
    "SELECT relname, x.oid FROM pg_class, pg_catalog.pg_type AS x": (
        "SELECT relname, x.oid FROM pg_catalog.pg_class, pg_catalog.pg_type AS x"
    ),
    "SELECT NULL::y, NULL::y[], NULL::int, NULL::pg_catalog.text": (
        "SELECT NULL::materialize.public.y, NULL::materialize.public.y[], NULL::integer, NULL::pg_catalog.text"
    ),
    "SELECT a FROM temporary, nothing, s.nothing": "SELECT a FROM mz_temp.temporary, nothing, s.nothing",
}


@pytest.mark.parametrize("text", QUERIES)
def test_names_are_made_whole(text: str) -> None:
    talk = Talk("CREATE SCHEMA s; CREATE DATABASE d; CREATE SCHEMA d.s; CREATE TYPE y AS (x int)")
    talk.run("CREATE TABLE t (a int); CREATE TABLE s.t (a int); CREATE TABLE d.s.t (a int)")
    talk.run("CREATE TEMPORARY TABLE temporary (a int)")
    found = whole(parse_query(text), talk.names)
    assert SQL.query(found.statement) == QUERIES[text]
    again = whole(found.statement, talk.names.anywhere())
    assert again == found


def test_what_is_used_are_items_of_users() -> None:
    talk = Talk("CREATE TYPE y AS (x int); CREATE TABLE t (a y); CREATE VIEW v AS SELECT a FROM t")
    found = whole(parse_query("SELECT NULL::y FROM v, pg_class"), talk.names)
    assert found.uses == {talk.item("y").id, talk.item("v").id}
