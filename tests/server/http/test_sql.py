from __future__ import annotations

import asyncio
import json

import pytest
from aiohttp import ClientError

from tests.server.http.conftest import Site


async def test_a_simple_request_answers_each_statement(site: Site) -> None:
    assert await site.sql("CREATE TABLE t (a int, b text)") == [{"ok": "CREATE TABLE", "notices": []}]
    assert await site.sql("INSERT INTO t VALUES (1, 'x'), (2, NULL)") == [{"ok": "INSERT 0 2", "notices": []}]
    assert await site.sql("SELECT a, b FROM t ORDER BY a; SELECT count(*) FROM t") == [
        {
            "tag": "SELECT 2",
            "rows": [["1", "x"], ["2", None]],
            "desc": {
                "columns": [
                    {"name": "a", "type_oid": 23, "type_len": 4, "type_mod": -1},
                    {"name": "b", "type_oid": 25, "type_len": -1, "type_mod": -1},
                ]
            },
            "notices": [],
        },
        {
            "tag": "SELECT 1",
            "rows": [["2"]],
            "desc": {"columns": [{"name": "count", "type_oid": 20, "type_len": 8, "type_mod": -1}]},
            "notices": [],
        },
    ]


async def test_an_error_is_the_last_result_and_takes_the_transaction_with_it(site: Site) -> None:
    await site.sql("CREATE TABLE t (a int)")
    assert await site.sql("INSERT INTO t VALUES (1); SELECT nothing; INSERT INTO t VALUES (2)") == [
        {"ok": "INSERT 0 1", "notices": []},
        {
            "error": {"message": 'column "nothing" does not exist', "code": "42703", "position": 34},
            "notices": [],
        },
    ]
    assert await site.rows("SELECT * FROM t") == []


async def test_an_extended_request_has_parameters_as_texts(site: Site) -> None:
    await site.sql("CREATE TABLE t (a int, b text)")
    answered = await site.extended(
        ("BEGIN", []),
        ("INSERT INTO t VALUES ($1, $2), (2, NULL)", ["1", "x"]),
        ("INSERT INTO t VALUES (3, $1)", [None]),
        ("COMMIT", []),
        ("SELECT a + $1 AS s FROM t WHERE b = $2", ["100", "x"]),
    )
    assert [result.get("ok", result.get("rows")) for result in answered] == [
        "BEGIN",
        "INSERT 0 2",
        "INSERT 0 1",
        "COMMIT",
        [["101"]],
    ]


@pytest.mark.parametrize(
    ("params", "code"), [(["x"], "22P02"), ([], "08P01"), (["1", "2"], "08P01"), (["9999999999"], "22003")]
)
async def test_parameters_that_do_not_fit_are_errors_of_their_statement(
    site: Site, params: list[str | None], code: str
) -> None:
    first, second = await site.extended(("SELECT 1", []), ("SELECT $1::int", params))
    assert first["rows"] == [["1"]]
    assert second["error"]["code"] == code


async def test_an_extended_request_is_one_transaction_unless_it_says_otherwise(site: Site) -> None:
    await site.sql("CREATE TABLE t (a int)")
    ok, failed = await site.extended(("INSERT INTO t VALUES (1)", []), ("SELECT 1/0", []))
    assert (ok, failed["error"]["code"]) == ({"ok": "INSERT 0 1", "notices": []}, "22012")
    assert await site.rows("SELECT * FROM t") == []


async def test_nothing_is_answered_to_nothing(site: Site) -> None:
    assert await site.sql("  ;  ") == []
    assert await site.extended() == []


async def test_options_set_variables_of_the_session(site: Site) -> None:
    (shown,) = await site.sql("SHOW application_name", options='{"application_name": "here"}')
    assert shown["rows"] == [["here"]]
    async with site.client.post(f"{site.url}/api/sql", json={"query": "SELECT 1"}, params={"options": "3"}) as response:
        assert response.status == 400


async def test_each_request_is_a_session_of_its_own(site: Site) -> None:
    await site.sql("SET application_name = 'gone'; BEGIN")
    (shown,) = await site.sql("SHOW application_name")
    assert shown["rows"] == [[""]]
    assert len(site.database.sessions) == 0


async def test_notices_come_with_their_statement(site: Site) -> None:
    (result,) = await site.sql("COMMIT")
    assert result == {
        "ok": "COMMIT",
        "notices": [{"message": "there is no transaction in progress", "code": "25P01", "severity": "warning"}],
    }


@pytest.mark.parametrize(
    "query",
    ["SUBSCRIBE t", "COPY t TO STDOUT", "COPY t FROM STDIN", "DECLARE c CURSOR FOR SELECT 1", "FETCH 1 c", "CLOSE c"],
)
async def test_what_needs_a_conversation_is_refused_before_anything_runs(site: Site, query: str) -> None:
    await site.sql("CREATE TABLE t (a int)")
    (result,) = await site.sql(f"INSERT INTO t VALUES (1); {query}")
    assert result["error"] == {"message": f"unsupported via this API: {query}", "code": "0A000"}
    assert await site.rows("SELECT * FROM t") == []


async def test_values_are_json_where_json_has_them_and_numbers_are_texts(site: Site) -> None:
    (row,) = await site.rows(
        """SELECT true, 1::smallint, 12345678901234567890::numeric, 1.5::float8, 'NaN'::float8, 'a"b', NULL,
                  ARRAY[1, NULL, 3], '{"a": [1, 2.50]}'::jsonb, DATE '2026-02-03', '\\x01ff'::bytea, INTERVAL '1 day',
                  ARRAY[[true], [false]], LIST['x'], MAP['k' => 1]"""
    )
    assert row == [
        True,
        "1",
        "12345678901234567890",
        "1.5",
        "NaN",
        'a"b',
        None,
        ["1", None, "3"],
        {"a": [1, 2.5]},
        "2026-02-03",
        "\\x01ff",
        "1 day",
        [[True], [False]],
        ["x"],
        {"k": "1"},
    ]


async def test_a_long_result_is_streamed_and_whole(site: Site) -> None:
    await site.sql("CREATE TABLE t (a int, b text)")
    padding = "x" * 10_000
    for start in range(0, 1000, 50):
        values = ", ".join(f"({number}, '{padding}')" for number in range(start, start + 50))
        await site.sql(f"INSERT INTO t VALUES {values}")
    before, result, after = await site.sql("SELECT 1; SELECT a, b FROM t; SELECT 2")
    assert (before["rows"], result["tag"], after["rows"]) == ([["1"]], "SELECT 1000", [["2"]])
    assert sorted(int(row[0]) for row in result["rows"]) == list(range(1000))
    assert {row[1] for row in result["rows"]} == {padding}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b'{"query": 1}', 400),
        (b'{"query": "SELECT 1", "queries": []}', 400),
        (b'{"queries": [{"query": "SELECT $1", "params": [1]}]}', 400),
        (b'{"queries": [{"query": "SELECT 1", "parameters": []}]}', 400),
        (b'{"queries": "SELECT 1"}', 400),
        (b"[" * 100_000, 400),
        (b"\xff", 400),
    ],
)
async def test_what_is_no_request_is_refused(site: Site, body: bytes, status: int) -> None:
    headers = {"Content-Type": "application/json"}
    async with site.client.post(f"{site.url}/api/sql", data=body, headers=headers) as response:
        assert response.status == status
        assert (await response.json())["error"]["code"] == "08P01"


async def test_a_client_that_goes_away_cancels_its_statement(site: Site) -> None:
    await site.sql("CREATE TABLE t (a int)")
    async with site.database.ledger.exclusive():
        with pytest.raises((TimeoutError, ClientError)):
            async with asyncio.timeout(0.5):
                await site.sql("INSERT INTO t VALUES (1)")
        await site.deserted()


async def test_a_text_that_is_not_utf8_inside_is_an_error_of_the_statement(site: Site) -> None:
    body = json.dumps({"query": "SELECT '\ud800'"})
    headers = {"Content-Type": "application/json"}
    async with site.client.post(f"{site.url}/api/sql", data=body.encode("ascii"), headers=headers) as response:
        (result,) = (await response.json())["results"]
        assert "error" in result
