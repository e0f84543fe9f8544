"""Whatever is done to a catalog, in whatever order: it can be read again, and all that it names is there."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.adapter.catalog.durable import load, rows, updates
from holdfast.adapter.catalog.objects import PUBLIC
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import QueryError
from holdfast.sql.parser import parse_one
from holdfast.sql.render import render
from holdfast.sql.syntax.statement.create import CreateIndex
from tests.adapter.catalog.build import Talk

names = st.sampled_from(["t", "u", "v", "w", "x", "y", '"T"'])
schemas = st.sampled_from(["public", "public", "s", "s", "s2", "d.public", "mz_temp"])
roles = st.sampled_from(["a", "b", "materialize"])
others = st.sampled_from(["a", "b"])
kinds = st.sampled_from(["TABLE", "VIEW", "MATERIALIZED VIEW", "INDEX", "TYPE"])
skips = st.sampled_from(["", "IF EXISTS "])
endings = st.sampled_from(["", " CASCADE", " RESTRICT"])
items = st.one_of(names, names, st.builds("{}.{}".format, schemas, names))
relations = st.one_of(st.sampled_from(["t", "v", "s.t", "s.v"]), items)
plain = st.sampled_from(["int", "text", "numeric(4, 1)", "int list", "bool[]"])
types = st.one_of(plain, plain, st.just("y"), items)
columns = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3, unique=True)
queries = st.one_of(
    st.builds("SELECT * FROM {}".format, relations),
    st.builds("SELECT {0} AS a FROM {0}".format, st.sampled_from("tv")),
    st.builds("SELECT {0}.a FROM {0}".format, st.sampled_from("tv")),
    st.builds("SELECT x.a AS b, {1}.a FROM {0} AS x, {1}".format, relations, st.sampled_from("tv")),
    st.builds("WITH {0} AS (SELECT * FROM {1}) SELECT * FROM {0}".format, names, relations),
    st.builds("SELECT (SELECT count(*) FROM {}) AS n, {}".format, relations, st.sampled_from(["1 AS a", "2 AS b"])),
    st.builds("SELECT NULL::{} AS a".format, types),
    st.builds("SELECT relname AS a FROM pg_class, {}".format, relations),
)


@st.composite
def tables(draw: st.DrawFn) -> str:
    said = draw(st.sampled_from(["", "TEMPORARY ", ""]))
    listed = ", ".join(f"{name} {draw(types)}" for name in draw(columns))
    skip = draw(st.sampled_from(["", "IF NOT EXISTS "]))
    return f"CREATE {said}TABLE {skip}{draw(items)} ({listed})"


statements = st.one_of(
    tables(),
    st.builds("CREATE VIEW {} AS {}".format, items, queries),
    st.builds("CREATE VIEW {} AS {}".format, names, queries),
    st.builds("CREATE {}VIEW {} AS {}".format, st.sampled_from(["", "TEMPORARY ", "OR REPLACE "]), items, queries),
    st.builds("CREATE {}MATERIALIZED VIEW {} AS {}".format, st.sampled_from(["", "OR REPLACE "]), items, queries),
    st.builds("CREATE INDEX ON {} ({})".format, items, st.sampled_from(["a", "b, a", "t", "1", "coalesce(a, a)"])),
    st.builds("CREATE DEFAULT INDEX ON {}".format, items),
    st.builds("CREATE TYPE {} AS (x {}, y int)".format, items, types),
    st.builds("CREATE TYPE {} AS LIST (ELEMENT TYPE = {})".format, items, types),
    st.builds("CREATE SCHEMA {}".format, st.sampled_from(["s", "s2", "d.s", "t"])),
    st.builds("CREATE DATABASE {}".format, st.sampled_from(["d", "e"])),
    st.builds("CREATE ROLE {}".format, roles),
    st.builds("DROP {} {}{}{}".format, kinds, skips, items, endings),
    st.builds("DROP SCHEMA {}{}{}".format, skips, schemas, endings),
    st.builds("DROP DATABASE {}d".format, skips),
    st.builds("DROP ROLE {}{}".format, skips, others),
    st.builds("ALTER {} {} RENAME TO {}".format, kinds, items, names),
    st.builds("ALTER {} {} SET SCHEMA {}".format, kinds, items, schemas),
    st.builds("ALTER SCHEMA {} RENAME TO {}".format, schemas, names),
    st.builds("ALTER SCHEMA {} SWAP WITH {}".format, schemas, st.sampled_from(["public", "s", "s2"])),
    st.builds("ALTER DATABASE {} RENAME TO {}".format, st.sampled_from("de"), st.sampled_from("de")),
    st.builds("ALTER TABLE {} ADD COLUMN {} {}".format, items, st.sampled_from(["c", "d", "e"]), types),
    st.builds("ALTER TABLE {} SET (RETAIN HISTORY FOR '1 hour')".format, items),
    st.builds("ALTER {} {} OWNER TO {}".format, kinds, items, roles),
    st.builds("COMMENT ON {} {} IS 'x'".format, kinds, items),
    st.builds("COMMENT ON COLUMN {}.a IS 'x'".format, items),
    st.builds("GRANT {} ON {} TO {}".format, st.sampled_from(["SELECT", "ALL"]), items, roles),
    st.builds("REVOKE ALL ON {} FROM {}".format, items, roles),
    st.builds("GRANT {} TO {}".format, roles, roles),
    st.builds(
        "ALTER DEFAULT PRIVILEGES FOR ROLE {} IN SCHEMA {} GRANT ALL ON TABLES TO {}".format, roles, schemas, roles
    ),
    st.builds("DROP OWNED BY {}{}".format, others, endings),
    st.builds("REASSIGN OWNED BY {} TO {}".format, roles, roles),
)

BEGIN = (
    "CREATE ROLE a; CREATE ROLE b; CREATE SCHEMA s; CREATE DATABASE d",
    "CREATE TYPE y AS (x int, y int); CREATE TABLE t (a int, b y); CREATE TABLE s.t (a int, b text)",
    "CREATE VIEW v AS SELECT * FROM t; CREATE VIEW s.v AS SELECT v.a, t.b FROM v, s.t",
)


def check(state: CatalogState) -> None:
    """The invariants of a catalog."""
    held = list(state.items.values())
    assert len({(item.schema, item.session, item.name) for item in held}) == len(held)
    assert len({(schema.database, schema.name) for schema in state.schemas.values()}) == len(state.schemas)
    assert len({role.name for role in state.roles.values()}) == len(state.roles)
    assert len({database.name for database in state.databases.values()}) == len(state.databases)
    known = {*state.roles, PUBLIC}
    for found in state.owned():
        assert found.owner in known
        assert all({grant.grantee, grant.grantor} <= known and grant.privileges for grant in found.grants)
        assert len({(grant.grantee, grant.grantor) for grant in found.grants}) == len(found.grants)
    assert all(schema.database is None or schema.database in state.databases for schema in state.schemas.values())
    for item in held:
        assert item.schema in state.schemas
        assert all(used in state.items for used in item.uses)
        statement = parse_one(item.sql).statement
        assert render(statement) == item.sql
        if isinstance(statement, CreateIndex):
            assert item.on is not None
            relation = state.item(item.on)
            assert (statement.name, statement.on.parts) == (item.name, state.path_of(relation))
            assert (item.schema, item.session, item.owner) == (relation.schema, relation.session, relation.owner)
        else:
            assert statement.name.parts == state.path_of(item)  # type: ignore[union-attr]  # each makes an item
        if item.session is None:
            assert all(state.item(used).session is None for used in item.uses)
    assert all(role.member_of <= known for role in state.roles.values())
    ids = {*state.roles, *state.databases, *state.schemas, *map(str, state.items)}
    assert {comment.object for comment in state.comments.values()} <= ids
    for default in state.default_grants.values():
        assert {default.grantee, default.creator, default.database, default.schema} <= {*ids, PUBLIC, None}


def ids(state: CatalogState) -> set[str]:
    return {str(found.id) for found in (*state.owned(), *state.roles.values()) if str(found.id).startswith("u")}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(statements, max_size=25))
def test_a_catalog_keeps_its_laws_whatever_is_done_to_it(done: list[str]) -> None:
    talk = Talk(*BEGIN)
    seen, stored = ids(talk.state), set(rows(talk.state))
    refused: list[str] = []
    for statement in done:
        before = talk.state
        try:
            decision = talk.run(statement)
        except QueryError as error:
            refused.append(sqlstate(error))
            continue
        check(talk.state)
        new = ids(talk.state) - ids(before)
        assert not new & seen
        seen |= new
        for row, diff in updates(decision.changes):
            assert (row in stored) == (diff < 0)
            stored.symmetric_difference_update([row])
        assert set(rows(talk.state)) == stored
    assert load(stored) == talk.lasting()
    assert not {"XX000", "42000"} & set(refused)
