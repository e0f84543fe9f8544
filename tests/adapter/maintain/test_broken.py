"""Views that a version cannot plan or load any more: they are in error, and nothing else is."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from holdfast import sql
from holdfast.adapter.catalog import definition
from holdfast.adapter.catalog.builtin import BUILTINS
from holdfast.adapter.catalog.errors import BrokenView
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.state import CatalogState
from holdfast.adapter.database import Database, DatabaseSettings
from holdfast.adapter.maintain import maintainer
from holdfast.adapter.maintain.view import viewed
from holdfast.adapter.tables.shape import collection_of
from holdfast.compute.delta.errors import CannotMaintain
from holdfast.compute.maintain import ViewDescription
from holdfast.persist import Append
from holdfast.repr.frontier import Frontier
from holdfast.repr.ids import GlobalId
from holdfast.sql.errors import UndefinedFunction
from holdfast.sql.render.query import SQL
from tests.adapter.asking import QUIET, ask, refusal, rows
from tests.adapter.books import HandClock, book, quiet
from tests.persist.places import Place, in_memory


@contextmanager
def without(function: str) -> Iterator[None]:
    """A version that has no such function."""

    def plan_query(query: Any, *arguments: Any, **named: Any) -> Any:  # as what it stands for
        if f"{function}(" in SQL.query(query):
            raise UndefinedFunction(f"function {function}(bigint) does not exist", 0)
        return sql.plan_query(query, *arguments, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(definition, "plan_query", plan_query)
        yield


@contextmanager
def unmaintainable(*names: str) -> Iterator[None]:
    """A version that can plan these views, but not maintain them."""

    def refused(item: Item, outputs: tuple[GlobalId, ...], catalog: CatalogState) -> ViewDescription:
        if item.name in names:
            raise CannotMaintain("this is not maintained any more")
        return viewed(item, outputs, catalog)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(maintainer, "viewed", refused)
        yield


@asynccontextmanager
async def database(place: Place) -> AsyncIterator[Database]:
    settings = DatabaseSettings(
        place.location, persist=QUIET, metadata=place.metadata, blob=place.blob, reentrance_id="t", eager_spark=False
    )
    opened = await Database.open(settings)
    try:
        yield opened
    finally:
        await opened.stop()


async def test_a_view_that_cannot_be_planned_is_in_error_and_nothing_else_is() -> None:
    place = in_memory()
    async with database(place) as opened:
        session = await opened.connect("materialize")
        for statement in (
            "CREATE TABLE t (k int8, n int8)",
            "INSERT INTO t VALUES (1, -1), (2, 2)",
            "CREATE MATERIALIZED VIEW m AS SELECT k, abs(n) AS n FROM t",
            "CREATE VIEW over AS SELECT sum(n) FROM m",
            "CREATE MATERIALIZED VIEW high AS SELECT max(n) FROM m",
            "CREATE INDEX by_k ON m (k)",
            "CREATE MATERIALIZED VIEW good AS SELECT sum(n) AS n FROM t",
        ):
            await ask(session, statement)
        assert await rows(session, "SELECT * FROM high") == [("2",)]
    with without("abs"):
        async with database(place) as opened:
            session = await opened.connect("materialize")
            await ask(session, "INSERT INTO t VALUES (3, 3)")
            assert await rows(session, "SELECT n FROM good") == [("4",)]
            reason = 'materialized view "materialize.public.m" is broken: function abs(bigint) does not exist'
            assert await refusal(session, "SELECT * FROM m") == ("55000", reason)
            for name in ("over", "high"):
                code, message = await refusal(session, f"SELECT * FROM {name}")
                assert (code, message.endswith(f"is broken: {reason}")) == ("55000", True)
            assert await refusal(session, "SUBSCRIBE m") == ("55000", reason)
            assert await refusal(session, "CREATE MATERIALIZED VIEW x AS SELECT * FROM m") == ("55000", reason)
            assert await refusal(session, "CREATE INDEX ON m (k)") == ("55000", reason)
            ((_, shown),) = await rows(session, "SHOW CREATE MATERIALIZED VIEW m")
            assert "abs(n)" in (shown or "")
            found = await rows(
                session, "SELECT name, status, error FROM mz_internal.mz_dataflow_statuses ORDER BY name"
            )
            assert [row[:2] for row in found] == [
                ("by_k", "stalled"),
                ("good", "running"),
                ("high", "stalled"),
                ("m", "stalled"),
            ]
            assert found[3][2] == reason
            await ask(session, "BEGIN")
            assert await rows(session, "SELECT count(*) FROM t") == [("3",)]
            await ask(session, "COMMIT")
    async with database(place) as opened:
        session = await opened.connect("materialize")
        assert await rows(session, "SELECT * FROM m ORDER BY k") == [("1", "1"), ("2", "2"), ("3", "3")]
        assert await rows(session, "SELECT * FROM high") == [("3",)]
        assert await rows(session, "SELECT n FROM m WHERE k = 3") == [("3",)]


async def test_a_broken_view_can_be_dropped_or_replaced() -> None:
    place = in_memory()
    async with database(place) as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (n int8)")
        await ask(session, "INSERT INTO t VALUES (-1), (-1)")
        names = set(await opened.persist.names())
        await ask(session, "CREATE MATERIALIZED VIEW m AS SELECT abs(n) AS n, count(*) FROM t GROUP BY n")
        await ask(session, "CREATE MATERIALIZED VIEW high AS SELECT max(n) FROM m")
        await ask(session, "CREATE VIEW v AS SELECT abs(n) AS n FROM t")
        await ask(session, "CREATE INDEX ON v (n)")
        await ask(session, "SELECT * FROM high")
        assert await rows(session, "SELECT n FROM v WHERE n = 1") == [("1",), ("1",)]
    with without("abs"):
        async with database(place) as opened:
            session = await opened.connect("materialize")
            await ask(session, "DROP MATERIALIZED VIEW high")
            await ask(session, "CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT -n AS n FROM t")
            assert await rows(session, "SELECT * FROM m") == [("1",), ("1",)]
            await ask(session, "DROP VIEW v")
            await ask(session, "DROP MATERIALIZED VIEW m")
    async with database(place) as opened:
        assert set(await opened.persist.names()) == names


async def test_relations_of_the_system_show_what_is_broken_and_renaming_leaves_it_alone() -> None:
    place = in_memory()
    async with database(place) as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (n int8)")
        await ask(session, "CREATE MATERIALIZED VIEW m AS SELECT abs(n) AS n FROM t")
        await ask(session, "CREATE VIEW v AS SELECT abs(n) AS n FROM t")
        for name in ("m", "v"):
            await ask(session, f"CREATE INDEX ON {name} (n)")
        await ask(session, "SELECT * FROM m")
    with without("abs"):
        async with database(place) as opened:
            session = await opened.connect("materialize")
            for relation in BUILTINS.values():
                await ask(session, f'SELECT * FROM {relation.schema}."{relation.name}"')
            shown = await rows(session, "SELECT name FROM mz_objects WHERE id LIKE 'u%' ORDER BY name")
            assert [name for (name,) in shown] == ["m", "m_n_idx", "t", "v", "v_n_idx"]
            for statement in ("ALTER TABLE t RENAME TO u", "ALTER MATERIALIZED VIEW m RENAME TO u"):
                code, message = await refusal(session, statement)
                assert (code, "is broken" in message) == ("55000", True)
            await ask(session, "ALTER MATERIALIZED VIEW m SET (RETAIN HISTORY FOR '1 h')")
            await ask(session, "COMMENT ON MATERIALIZED VIEW m IS 'to be looked at'")
            await ask(session, "DROP TABLE t CASCADE")
            assert await rows(session, "SELECT name FROM mz_objects WHERE id LIKE 'u%'") == []


async def test_a_view_that_cannot_be_maintained_goes_on_where_it_was_once_it_can() -> None:
    place, clock = in_memory(), HandClock()
    settings = quiet(retain_ms=1_000)
    async with book(place, clock, settings) as opened:
        await opened.run("CREATE TABLE t (k int8, n int8)")
        await opened.run("CREATE MATERIALIZED VIEW m AS SELECT k, max(n) AS n, count(*) FROM t GROUP BY k")
        await opened.run("CREATE MATERIALIZED VIEW high AS SELECT max(n) FROM m")
        await opened.insert("t", (1, 5), (1, 7), (2, 9))
        assert await opened.rows("high") == Counter([(9,)])
        await opened.let_pass(10)
        names = set(await opened.persist.names())
    with unmaintainable("m"):
        async with book(place, clock, settings) as opened:
            with pytest.raises(BrokenView, match="not maintained any more"):
                await opened.rows("high")
            for n in range(5):
                await opened.insert("t", (3, n))
                await opened.let_pass(10_000)
            await opened.delete("t", (1, 7))
            await opened.let_pass(10_000)
            assert set(await opened.persist.names()) == names
    async with book(place, clock, settings) as opened:
        assert await opened.rows("m") == Counter([(1, 5, 1), (2, 9, 1), (3, 4, 5)])
        assert await opened.rows("high") == Counter([(9,)])


async def test_a_broken_view_that_is_gone_holds_nothing_back() -> None:
    place, clock = in_memory(), HandClock()
    settings = quiet(retain_ms=1_000)
    async with book(place, clock, settings) as opened:
        await opened.run("CREATE TABLE t (k int8)")
        await opened.run("CREATE MATERIALIZED VIEW m AS SELECT count(*) FROM t")
        written = await opened.insert("t", (1,))
        await opened.rows("m")
        await opened.let_pass(10)
    with unmaintainable("m"):
        async with book(place, clock, settings) as opened:
            await opened.let_pass(10_000)
            since, _ = opened.ledger.tables.frontiers(opened.id("t"))
            assert since.time is not None
            assert written <= since.time < opened.ledger.read_ts - 1_000
            await opened.run("DROP MATERIALIZED VIEW m")
            since, _ = opened.ledger.tables.frontiers(opened.id("t"))
            assert since.time == opened.ledger.read_ts - 1_000


async def test_a_view_whose_inputs_have_forgotten_what_it_needs_is_in_error() -> None:
    place, clock = in_memory(), HandClock()
    settings = quiet(retain_ms=1_000)
    async with book(place, clock, settings) as opened:
        await opened.run("CREATE TABLE t (k int8)")
        await opened.run("CREATE MATERIALIZED VIEW m AS SELECT count(*) FROM t")
        await opened.insert("t", (1,))
        await opened.rows("m")
        await opened.let_pass(10)
        name = collection_of(opened.id("t"))
    with unmaintainable("m"):
        async with book(place, clock, settings) as opened:
            later = await opened.insert("t", (1,))
            await opened.let_pass(10)
    async with place.writer() as persist:
        handle = (await persist.writers([name]))[name]
        forgets = Append(handle, None, handle.upper, handle.upper, since=Frontier(later))
        assert await persist.multi([handle]).compare_and_append([forgets]) is None
    async with book(place, clock, settings) as opened:
        with pytest.raises(BrokenView, match="is broken"):
            await opened.rows("m")
        await opened.run("CREATE OR REPLACE MATERIALIZED VIEW m AS SELECT count(*) FROM t")
        assert await opened.rows("m") == Counter([(2,)])
