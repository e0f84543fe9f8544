from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.server.http.conftest import Site, Talk, serving, talking


async def test_a_login_is_answered_by_parameters_a_key_and_readiness(site: Site) -> None:
    async with talking(site, options={"application_name": "here"}) as talk:
        *parameters, key, ready = await talk.until_ready()
        assert {"name": "application_name", "value": "here"} in [payload for _, payload in parameters]
        assert {kind for kind, _ in parameters} == {"ParameterStatus"}
        (session,) = site.database.sessions
        assert key == ("BackendKeyData", {"conn_id": session.id, "secret_key": session.secret})
        assert ready == ("ReadyForQuery", "I")


async def test_a_request_is_answered_statement_by_statement(site: Site) -> None:
    async with talking(site) as talk:
        await talk.until_ready()
        assert await talk.ask("SELECT 1, 'x'; VALUES (4), (5)") == [
            ("CommandStarting", {"has_rows": True, "is_streaming": False}),
            ("Rows", columns(("?column?", 23, 4), ("?column?", 25, -1))),
            ("Row", ["1", "x"]),
            ("CommandComplete", "SELECT 1"),
            ("CommandStarting", {"has_rows": True, "is_streaming": False}),
            ("Rows", columns(("column1", 23, 4))),
            ("Row", ["4"]),
            ("Row", ["5"]),
            ("CommandComplete", "SELECT 2"),
            ("ReadyForQuery", "I"),
        ]


def columns(*described: tuple[str, int, int]) -> dict[str, Any]:
    return {
        "columns": [
            {"name": name, "type_oid": oid, "type_len": length, "type_mod": -1} for name, oid, length in described
        ]
    }


async def test_a_session_lasts_from_request_to_request(site: Site) -> None:
    async with talking(site) as talk:
        await talk.until_ready()
        assert (await talk.ask("CREATE TABLE t (a int)"))[-2:] == [
            ("CommandComplete", "CREATE TABLE"),
            ("ReadyForQuery", "I"),
        ]
        assert (await talk.ask("BEGIN"))[-1] == ("ReadyForQuery", "T")
        assert (await talk.ask("INSERT INTO t VALUES (1)"))[-1] == ("ReadyForQuery", "T")
        error, ready = await talk.ask("SELECT nothing")
        assert error == (
            "Error",
            {"message": 'column "nothing" does not exist', "code": "42703", "position": 8},
        )
        assert ready == ("ReadyForQuery", "E")
        assert (await talk.ask("ROLLBACK"))[-1] == ("ReadyForQuery", "I")
        changed = await talk.ask("SET application_name = 'other'")
        assert ("ParameterStatus", {"name": "application_name", "value": "other"}) in changed
        notice = ("Notice", {"message": "there is no transaction in progress", "code": "25P01", "severity": "warning"})
        assert notice in await talk.ask("COMMIT")


async def test_extended_requests_and_binary_messages_are_taken(site: Site) -> None:
    async with talking(site) as talk:
        await talk.until_ready()
        await talk.socket.send_bytes(b'{"queries": [{"query": "SELECT $1::int + 1", "params": ["1"]}]}')
        assert ("Row", ["2"]) in await talk.until_ready()
        await talk.socket.send_str("{}")
        error, ready = await talk.until_ready()
        assert (error[1]["code"], ready) == ("08P01", ("ReadyForQuery", "I"))


async def test_requests_may_be_sent_ahead(site: Site) -> None:
    async with talking(site) as talk:
        await talk.until_ready()
        for number in range(40):
            await talk.socket.send_json({"query": f"SELECT {number}"})
        for number in range(40):
            assert ("Row", [str(number)]) in await talk.until_ready()


async def test_a_subscription_streams_until_the_client_goes(site: Site) -> None:
    await site.sql("CREATE TABLE t (a int)")
    await site.sql("INSERT INTO t VALUES (1)")
    async with talking(site) as talk:
        await talk.until_ready()
        await talk.socket.send_json({"query": "SUBSCRIBE t"})
        assert await talk.next() == ("CommandStarting", {"has_rows": True, "is_streaming": True})
        assert (await talk.next())[0] == "Rows"
        assert await row(talk) == ["1", "1"]
        await site.sql("INSERT INTO t VALUES (2)")
        assert await row(talk) == ["1", "2"]
        await site.sql("DELETE FROM t WHERE a = 1")
        assert await row(talk) == ["-1", "1"]
    await site.deserted()


async def row(talk: Talk) -> list[str]:
    kind, payload = await talk.next()
    assert kind == "Row"
    values: list[str] = payload[1:]
    return values


async def test_a_subscription_is_cancelled_by_its_key(site: Site) -> None:
    await site.sql("CREATE TABLE t (a int)")
    async with talking(site) as talk:
        *_, (_, key), _ = await talk.until_ready()
        await talk.socket.send_json({"query": "SUBSCRIBE t"})
        await talk.next()
        await talk.next()
        site.database.cancel(key["conn_id"], key["secret_key"])
        error, ready = await talk.until_ready()
        assert error[1] == {"message": "canceling statement due to user request", "code": "57014"}
        assert ready == ("ReadyForQuery", "I")


@pytest.mark.parametrize("first", ["{}", "no json", '{"token": "x"}', '{"user": 1}', '{"user": "a", "options": 1}'])
async def test_a_first_message_that_names_nobody_closes_the_socket(site: Site, first: str) -> None:
    async with site.client.ws_connect(f"{site.url}/api/experimental/sql") as socket:
        await socket.send_str(first)
        message = await socket.receive()
        assert (message.type.name, message.data) == ("CLOSE", 1008)
    assert site.database.sessions == ()


async def test_copy_is_refused_and_the_session_goes_on(site: Site) -> None:
    async with talking(site) as talk:
        await talk.until_ready()
        error, _ = await talk.ask("COPY (SELECT 1) TO STDOUT")
        assert error[1]["code"] == "0A000"
        assert ("Row", ["1"]) in await talk.ask("SELECT 1")


async def test_stopping_the_server_tells_those_who_are_connected() -> None:
    async with serving() as site:
        await site.sql("CREATE TABLE t (a int)")
        async with talking(site) as idle, talking(site) as busy:
            await idle.until_ready()
            await busy.until_ready()
            await busy.socket.send_json({"query": "SUBSCRIBE t"})
            await busy.next()
            await busy.next()
            stopping = asyncio.create_task(site.server.stop())
            for talk in (idle, busy):
                message = await talk.socket.receive()
                assert (message.type.name, message.data) == ("CLOSE", 1001)
            async with asyncio.timeout(10):
                await stopping
        assert site.database.sessions == ()


async def test_a_session_that_is_idle_in_a_transaction_for_too_long_is_closed(site: Site) -> None:
    async with talking(site, options={"idle_in_transaction_session_timeout": "50ms"}) as talk:
        await talk.until_ready()
        await talk.ask("BEGIN")
        message = await talk.socket.receive()
        assert (message.type.name, message.data) == ("CLOSE", 1001)
        assert "idle-in-transaction timeout" in (message.extra or "")
