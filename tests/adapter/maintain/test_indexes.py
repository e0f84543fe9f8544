"""Indexes: what they keep, and what reads by them."""

from __future__ import annotations

import pytest

from holdfast.errors import UnavailableError
from tests.adapter.asking import ask, database, prepared, rows
from tests.adapter.books import book, quiet
from tests.persist.places import in_memory


async def test_an_indexed_view_is_kept_up_to_date_and_read_instead_of_its_query() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (k int8, n int8)")
        await ask(session, "INSERT INTO t VALUES (1, 1), (2, 2)")
        await ask(session, "CREATE VIEW v AS SELECT k, sum(n) AS s FROM t GROUP BY k")
        await ask(session, "CREATE VIEW w AS SELECT s FROM v WHERE k = 1")
        await ask(session, "CREATE INDEX by_k ON v (k)")
        assert "Get materialize.public.v" in str(await rows(session, "EXPLAIN SELECT * FROM v"))
        assert await rows(session, "SELECT * FROM v ORDER BY k") == [("1", "1"), ("2", "2")]
        await ask(session, "INSERT INTO t VALUES (1, 5)")
        assert (await prepared(session, "SELECT s FROM v WHERE k = $1", [1])).rows == ((6,),)
        assert await rows(session, "SELECT * FROM w") == [("6",)]
        await ask(session, "BEGIN")
        assert await rows(session, "SELECT count(*) FROM t") == [("3",)]
        assert await rows(session, "SELECT * FROM w") == [("6",)]
        await ask(session, "COMMIT")
        await ask(session, "CREATE MATERIALIZED VIEW m AS SELECT max(s) FROM v")
        await ask(session, "DROP INDEX by_k")
        assert "Get materialize.public.t" in str(await rows(session, "EXPLAIN SELECT * FROM v"))
        await ask(session, "INSERT INTO t VALUES (3, 10)")
        assert await rows(session, "SELECT * FROM m") == [("10",)]
        assert len(await rows(session, "SELECT * FROM v")) == 3


async def test_an_index_of_a_view_is_there_when_the_database_is_opened_again() -> None:
    stored = in_memory()
    async with book(stored) as opened:
        await opened.run("CREATE TABLE t (k int8, n int8)")
        await opened.run("CREATE VIEW v AS SELECT k, max(n) AS n FROM t GROUP BY k")
        await opened.run("CREATE INDEX i ON v (k)")
        await opened.run("CREATE INDEX j ON v (n)")
        await opened.insert("t", (1, 1), (1, 2))
        assert await opened.rows("v") == {(1, 2): 1}
    async with book(stored) as opened:
        await opened.delete("t", (1, 2))
        assert await opened.rows("v") == {(1, 1): 1}
        assert await opened.lookup("v", {0: 1}) == {(1, 1): 1}
        await opened.run("DROP INDEX i")
        assert await opened.rows("v") == {(1, 1): 1}
        await opened.run("DROP VIEW v CASCADE")
        assert not opened.ledger.maintainer.compute.statuses()
        assert not opened.ledger.maintainer.entries(opened.ledger.catalog)


async def test_an_index_can_be_made_again_at_once() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        await ask(session, "CREATE TABLE t (k int8, n int8)")
        await ask(session, "CREATE VIEW v AS SELECT k, sum(n) AS s FROM t GROUP BY k")
        for number in range(1, 31):
            await ask(session, "CREATE INDEX by_k ON v (k)")
            await ask(session, "INSERT INTO t VALUES (1, 1)")
            assert await rows(session, "SELECT s FROM v WHERE k = 1") == [(str(number),)]
            await ask(session, "DROP INDEX by_k")


async def test_an_index_waits_for_none_who_reads_what_the_last_one_kept() -> None:
    async with book() as opened:
        await opened.run("CREATE TABLE t (k int8)")
        await opened.run("CREATE VIEW v AS SELECT k FROM t WHERE k > 0")
        await opened.run("CREATE INDEX i ON v (k)")
        await opened.insert("t", (1,))
        assert await opened.rows("v") == {(1,): 1}
        (kept,) = [name for name in await opened.persist.names() if name.startswith("view ")]
        reader = await opened.persist.reader(kept)
        await opened.run("DROP INDEX i")
        with pytest.raises(UnavailableError, match="somebody still reads it"):
            await opened.run("CREATE INDEX i ON v (k)")
        await reader.close()
        await opened.run("CREATE INDEX i ON v (k)")
        assert await opened.rows("v") == {(1,): 1}


async def test_what_has_an_index_stays_in_memory() -> None:
    async with book(settings=quiet(memory_bytes=2_000)) as opened:
        for name in ("t", "u"):
            await opened.run(f"CREATE TABLE {name} (k int8, n int8)")
            await opened.insert(name, *((n, n) for n in range(1_000)))
        assert await opened.lookup("t", {0: 5}) is None
        await opened.run("CREATE INDEX i ON t (k)")
        assert await opened.lookup("t", {0: 5}) == {(5, 5): 1}
        await opened.let_pass(1_000)
        assert opened.ledger.tables.found(opened.id("t"), (0,), (5,), (1,)) == [(5,)]
        assert await opened.lookup("u", {0: 5}) is None
        await opened.run("DROP INDEX i")
        await opened.let_pass(1_000)
        assert opened.ledger.tables.found(opened.id("t"), (0,), (5,), (1,)) is None
