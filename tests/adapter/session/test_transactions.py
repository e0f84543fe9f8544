from __future__ import annotations

import asyncio

import pytest

from holdfast.adapter.errors import SessionEnded
from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, ask_all, prepared, refusal, rows


@pytest.fixture(autouse=True)
async def tables(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int, b text)")
    await ask(session, "CREATE TABLE u (a int)")


async def test_what_is_written_in_a_transaction_shows_when_it_commits(session: Session, other: Session) -> None:
    await ask(session, "BEGIN")
    assert session.status == "T"
    assert (await ask(session, "INSERT INTO t VALUES (1, 'x'), (2, 'y')")).tag == "INSERT 0 2"
    await ask(session, "INSERT INTO u VALUES (3)")
    assert await rows(other, "SELECT * FROM t") == []
    assert (await ask(session, "COMMIT")).tag == "COMMIT"
    assert session.status == "I"
    assert await rows(other, "SELECT a, b FROM t ORDER BY a") == [("1", "x"), ("2", "y")]
    assert await rows(other, "SELECT a FROM u") == [("3",)]


async def test_what_is_rolled_back_leaves_no_trace(session: Session, other: Session) -> None:
    await ask_all(session, "BEGIN; INSERT INTO t VALUES (1, 'x'); ROLLBACK")
    assert await rows(other, "SELECT * FROM t") == []


async def test_statements_of_one_text_are_one_transaction(session: Session, other: Session) -> None:
    assert (await refusal(session, "INSERT INTO t VALUES (1, 'x'); SELECT 1 / 0"))[0] == "22012"
    assert await rows(other, "SELECT * FROM t") == []
    assert session.status == "I"


async def test_after_an_error_a_transaction_can_only_be_ended(session: Session) -> None:
    await ask(session, "BEGIN")
    await refusal(session, "SELECT wrong")
    assert session.status == "E"
    assert await refusal(session, "SELECT 1") == (
        "25P02",
        "current transaction is aborted, commands ignored until end of transaction block",
    )
    assert (await ask(session, "COMMIT")).tag == "ROLLBACK"
    assert session.status == "I"


async def test_reads_of_a_transaction_are_at_one_time(session: Session, other: Session) -> None:
    await ask(session, "BEGIN")
    assert await rows(session, "SELECT count(*) FROM t") == [("0",)]
    time = await rows(session, "SELECT mz_now()")
    await ask(other, "INSERT INTO t VALUES (1, 'x')")
    await ask(other, "INSERT INTO u VALUES (1)")
    assert await rows(session, "SELECT count(*) FROM t") == [("0",)]
    assert await rows(session, "SELECT count(*) FROM u") == [("0",)]
    assert await rows(session, "SELECT mz_now()") == time
    await ask(session, "COMMIT")
    assert await rows(session, "SELECT count(*) FROM t") == [("1",)]


async def test_a_transaction_reads_or_writes(session: Session) -> None:
    await ask_all(session, "BEGIN; SELECT * FROM t")
    assert await refusal(session, "INSERT INTO t VALUES (1, 'x')") == ("25006", "transaction in read-only mode")
    await ask_all(session, "ROLLBACK; BEGIN; INSERT INTO t VALUES (1, 'x')")
    assert await rows(session, "SELECT 1") == [("1",)]
    assert await refusal(session, "SELECT * FROM t") == ("25000", "transaction in write-only mode")
    await ask_all(session, "ROLLBACK; BEGIN READ ONLY")
    assert (await refusal(session, "INSERT INTO t VALUES (1, 'x')"))[0] == "25006"
    await ask(session, "ROLLBACK")


async def test_a_definition_is_the_one_statement_of_its_transaction(session: Session, other: Session) -> None:
    await ask_all(session, "BEGIN; CREATE TABLE v (a int)")
    assert await refusal(session, "INSERT INTO t VALUES (1, 'x')") == (
        "25000",
        "this transaction can only execute a single statement",
    )
    await ask_all(session, "ROLLBACK")
    assert (await refusal(other, "SELECT * FROM v"))[0] == "42P01"
    await ask_all(session, "BEGIN; CREATE TABLE v (a int); COMMIT")
    assert await rows(other, "SELECT * FROM v") == []
    await ask_all(session, "BEGIN; INSERT INTO t VALUES (1, 'x')")
    assert await refusal(session, "CREATE VIEW w AS SELECT 1") == (
        "25001",
        "CREATE VIEW cannot be run inside a transaction block",
    )
    await ask(session, "ROLLBACK")


async def test_updates_are_transactions_of_their_own(session: Session) -> None:
    await ask(session, "BEGIN")
    assert await refusal(session, "UPDATE t SET a = 1") == (
        "25001",
        "UPDATE cannot be run inside a transaction block",
    )
    await ask(session, "ROLLBACK")
    assert (await refusal(session, "DELETE FROM t; DELETE FROM u"))[0] == "25001"


async def test_savepoints_are_refused(session: Session) -> None:
    await ask(session, "BEGIN")
    assert (await refusal(session, "SAVEPOINT s"))[0] == "0A000"
    await ask(session, "ROLLBACK")


async def test_a_transaction_reads_only_what_its_first_query_could(session: Session) -> None:
    await ask(session, "CREATE SCHEMA far")
    await ask(session, "CREATE TABLE far.away (a int)")
    await ask_all(session, "BEGIN; SELECT * FROM t; SELECT * FROM u")
    code, message = await refusal(session, "SELECT * FROM far.away")
    assert code == "25000"
    assert message == "Transactions can only reference objects in the same timedomain."
    await ask(session, "ROLLBACK")


async def test_warnings_tell_of_a_beginning_or_end_that_is_none(session: Session) -> None:
    await ask_all(session, "BEGIN; BEGIN; COMMIT; COMMIT")
    assert [(notice.code, notice.message) for notice in session.drain_notices()] == [
        ("25001", "there is already a transaction in progress"),
        ("25P01", "there is no transaction in progress"),
    ]


async def test_a_transaction_that_waits_too_long_ends_the_session(session: Session) -> None:
    ended: asyncio.Future[SessionEnded] = asyncio.get_running_loop().create_future()
    session.on_terminate = ended.set_result
    await ask(session, "SET idle_in_transaction_session_timeout = '10ms'")
    await ask(session, "BEGIN")
    assert "idle-in-transaction" in str(await ended)
    with pytest.raises(SessionEnded):
        await ask(session, "SELECT 1")


async def test_messages_before_a_sync_are_one_transaction(session: Session, other: Session) -> None:
    for value in (1, 2):
        await session.prepare("", "INSERT INTO u VALUES ($1)", ())
        await session.bind("", "", (value,))
        await session.execute("")
    assert await rows(other, "SELECT * FROM u") == []
    await session.sync()
    assert await rows(other, "SELECT a FROM u ORDER BY a") == [("1",), ("2",)]


async def test_isolation_is_set_before_the_first_query(session: Session) -> None:
    await ask_all(session, "BEGIN; SELECT * FROM t")
    assert (await refusal(session, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"))[0] == "25001"
    await ask(session, "ROLLBACK")
    await ask_all(session, "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT * FROM t; COMMIT")
    assert (await prepared(session, "SELECT $1 + 1", (4,))).rows == ((5,),)


async def test_a_statement_is_cancelled_while_it_waits_and_between_its_pieces(session: Session) -> None:
    await ask(session, "SET statement_timeout = 0")
    task = asyncio.create_task(refusal(session, "SELECT * FROM t AS OF 9000000000000"))
    while session.entry.state != "active":  # noqa: ASYNC110  # it tells nobody
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    session.cancel()
    assert await task == ("57014", "canceling statement due to user request")
    session.cancel()
    assert await rows(session, "SELECT 1") == [("1",)]
