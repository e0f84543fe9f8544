"""The simple and the extended protocol, message by message."""

from __future__ import annotations

from struct import pack, unpack

import pytest

from holdfast.server.pgwire import PgwireSettings, Server
from tests.server.pgwire.wire import (
    FLUSH,
    SYNC,
    TERMINATE,
    Wire,
    bind,
    close,
    connected,
    describe,
    execute,
    kinds,
    message,
    parse,
    query,
    rows,
    serving,
    text,
)

INT4, INT8, TEXT_OID, JSON = 23, 20, 25, 114
SERIES = "SELECT * FROM generate_series(1, 10) AS s (n) ORDER BY n"


async def test_each_statement_of_a_query_is_answered(wire: Wire) -> None:
    said = await wire.ask(query("SELECT 1 AS a, NULL AS b; CREATE TABLE t (a int); SELECT 'x'"))
    assert kinds(said) == "TDCCTDCZ"
    assert [each.tag for each in said if each.kind == "C"] == ["SELECT 1", "CREATE TABLE", "SELECT 1"]
    assert rows(said) == [(b"1", None), (b"x",)]


async def test_a_row_description_says_what_postgres_says(wire: Wire) -> None:
    said = await wire.ask(query("SELECT 1::int AS a, 'x'::varchar(10) AS b, 1.5::numeric(8, 2) AS c"))
    field = ">IhIhih"
    assert said[0].body == pack(">H", 3) + b"".join(
        (
            text("a") + pack(field, 0, 0, 23, 4, -1, 0),
            text("b") + pack(field, 0, 0, 1043, -1, 14, 0),
            text("c") + pack(field, 0, 0, 1700, -1, (8 << 16 | 2) + 4, 0),
        )
    )


async def test_a_text_without_a_statement_is_an_empty_query(wire: Wire) -> None:
    for nothing in ("", "  ", ";", "-- nothing"):
        assert kinds(await wire.ask(query(nothing))) == "IZ"
    said = await wire.ask(parse(""), bind(), describe("P"), execute(), SYNC)
    assert kinds(said) == "12nIZ"


async def test_an_error_has_its_code_and_place_and_the_rest_of_the_query_is_not_run(wire: Wire) -> None:
    said = await wire.ask(query("SELECT 1; SELECT missing; SELECT 2"))
    assert kinds(said) == "TDCEZ"
    fields = said[3].fields
    assert fields["S"] == fields["V"] == "ERROR"
    assert fields["C"] == "42703"
    assert fields["M"] == 'column "missing" does not exist'
    assert fields["P"] == "18"


async def test_an_error_while_rows_are_sent_ends_the_statement(wire: Wire) -> None:
    said = await wire.ask(query("SELECT 1 / (5 - n) FROM generate_series(1, 10) AS s (n)"))
    assert kinds(said).endswith("EZ")
    assert said[-2].code == "22012"
    assert rows(await wire.ask(query("SELECT 1"))) == [(b"1",)]


async def test_the_status_follows_the_transaction(wire: Wire) -> None:
    statuses = [
        (await wire.ask(query(sql)))[-1].body
        for sql in ("BEGIN", "SELECT 1", "SELECT 1/0", "SELECT 1", "ROLLBACK", "SELECT 1")
    ]
    assert statuses == [b"T", b"T", b"E", b"E", b"I", b"I"]


async def test_a_change_of_a_reported_variable_is_told(wire: Wire) -> None:
    said = await wire.ask(query("SET application_name = 'mine'"))
    assert kinds(said) == "CSZ"
    assert said[1].body == b"application_name\0mine\0"


async def test_a_notice_comes_before_the_end_of_its_statement(wire: Wire) -> None:
    said = await wire.ask(query("ROLLBACK"))
    assert kinds(said) == "NCZ"
    assert said[0].fields["V"] == "WARNING"
    assert said[0].code == "25P01"


async def test_a_prepared_statement_runs_with_parameters_in_either_format(wire: Wire) -> None:
    sql = "SELECT $1::int + 1, $2::text"
    said = await wire.ask(parse(sql, "s"), describe("S", "s"), SYNC)
    assert kinds(said) == "1tTZ"
    assert said[1].body == pack(">HII", 2, INT4, TEXT_OID)
    said = await wire.ask(bind([b"41", b"x"], statement="s"), describe("P"), execute(), SYNC)
    assert kinds(said) == "2TDCZ"
    assert rows(said) == [(b"42", b"x")]
    said = await wire.ask(
        bind([pack(">i", 41), None], statement="s", formats=[1, 0], result_formats=[1, 0]),
        describe("P"),
        execute(),
        SYNC,
    )
    assert rows(said) == [(pack(">i", 42), None)]
    assert unpack(">h", said[1].body.split(b"\0", 1)[1][-2:]) == (0,)
    said = await wire.ask(close("S", "s"), bind([b"1", b""], statement="s"), execute(), SYNC)
    assert kinds(said) == "3EZ"
    assert said[1].code == "26000"


async def test_types_that_a_client_declares_are_taken(wire: Wire) -> None:
    said = await wire.ask(parse("SELECT $1, $2", types=[INT8, 0]), describe("S"), SYNC)
    assert said[1].body == pack(">HII", 2, INT8, TEXT_OID)
    said = await wire.ask(parse("SELECT $1", types=[999_999]), SYNC)
    assert (said[0].code, said[0].fields["M"]) == ("42704", "type with OID 999999 does not exist")


async def test_json_is_jsonb_and_its_bytes_are_its_text(wire: Wire) -> None:
    said = await wire.ask(parse("SELECT $1", types=[JSON]), bind([b'{"a": 1}'], formats=[1]), execute(), SYNC)
    assert rows(said) == [(b'{"a": 1}',)] or rows(said) == [(b'{"a":1}',)]


async def test_messages_sent_at_once_are_answered_in_order(wire: Wire) -> None:
    batches = [
        b"".join((parse("SELECT $1::int"), bind([str(number).encode()]), execute(), SYNC)) for number in range(200)
    ]
    wire.send(*batches)
    for number in range(200):
        said = await wire.until()
        assert kinds(said) == "12DCZ"
        assert rows(said) == [(str(number).encode(),)]


async def test_messages_may_come_a_byte_at_a_time(wire: Wire) -> None:
    for byte in parse("SELECT 1") + bind() + execute() + SYNC:
        wire.send(bytes((byte,)))
        await wire.writer.drain()
    assert kinds(await wire.until()) == "12DCZ"


async def test_after_an_error_everything_up_to_sync_is_passed_over(wire: Wire) -> None:
    said = await wire.ask(
        parse("SELECT 1/0"),
        bind(),
        execute(),
        parse("SELECT 2", "kept"),
        bind(statement="kept"),
        execute(),
        query("SELECT 3"),
        SYNC,
        parse("SELECT 4"),
        bind(),
        execute(),
        SYNC,
    )
    assert kinds(said) == "12EZ"
    assert said[2].code == "22012"
    assert rows(await wire.until()) == [(b"4",)]
    said = await wire.ask(bind(statement="kept"), SYNC)
    assert said[0].code == "26000"


async def test_flush_sends_what_there_is_before_sync(wire: Wire) -> None:
    wire.send(parse("SELECT 1"), FLUSH)
    assert (await wire.one()).kind == "1"
    wire.send(bind(), describe("P"), FLUSH)
    assert kinds(await wire.until("T")) == "2T"
    wire.send(execute(), SYNC)
    assert kinds(await wire.until()) == "DCZ"


async def test_an_answer_is_sent_although_the_next_statement_still_runs(server: Server, wire: Wire) -> None:
    await wire.ask(query("CREATE TABLE t (a int)"))
    wire.send(query("SELECT 1"), query("SUBSCRIBE t"))
    assert rows(await wire.until()) == [(b"1",)]
    async with connected(server) as other:
        await other.ask(query("INSERT INTO t VALUES (7)"))
    assert (await wire.until("D"))[-1].row[-1] == b"7"


async def test_a_portal_stops_at_its_limit_and_goes_on(wire: Wire) -> None:
    said = await wire.ask(parse(SERIES), bind(), execute(limit=4), execute(limit=4), execute(limit=4), execute(), SYNC)
    assert kinds(said) == "12DDDDsDDDDsDDCCZ"
    assert [row for (row,) in rows(said)] == [str(n).encode() for n in range(1, 11)]
    assert [each.tag for each in said if each.kind == "C"] == ["SELECT 2", "SELECT 0"]


async def test_a_limit_that_all_rows_reach_leaves_the_end_for_later(wire: Wire) -> None:
    said = await wire.ask(parse(SERIES), bind(), execute(limit=10), execute(limit=10), SYNC)
    assert kinds(said) == "12" + "D" * 10 + "sCZ"


async def test_portals_of_a_transaction_outlive_sync_and_run_side_by_side(wire: Wire) -> None:
    await wire.ask(query("BEGIN"))
    said = await wire.ask(
        parse(SERIES, "s"),
        bind(portal="a", statement="s"),
        bind(portal="b", statement="s"),
        execute("a", 2),
        execute("b", 3),
        SYNC,
    )
    assert [row for (row,) in rows(said)] == [b"1", b"2", b"1", b"2", b"3"]
    said = await wire.ask(execute("a", 2), execute("b", 1), close("P", "a"), execute("a", 1), SYNC)
    assert [row for (row,) in rows(said)] == [b"3", b"4", b"4"]
    assert kinds(said).endswith("3EZ")
    assert said[-2].code == "34000"


async def test_portals_end_with_their_transaction(wire: Wire) -> None:
    said = await wire.ask(parse(SERIES), bind(portal="p"), execute("p", 2), SYNC)
    assert kinds(said) == "12DDsZ"
    said = await wire.ask(execute("p", 2), SYNC)
    assert said[0].code == "34000"
    await wire.ask(query("BEGIN"))
    await wire.ask(parse(SERIES), bind(portal="p"), execute("p", 2), SYNC)
    await wire.ask(query("COMMIT"))
    said = await wire.ask(execute("p", 2), SYNC)
    assert said[0].code == "34000"


async def test_a_portal_that_did_something_does_it_once(wire: Wire) -> None:
    await wire.ask(query("CREATE TABLE t (a int)"))
    said = await wire.ask(parse("INSERT INTO t VALUES (1)"), bind(), execute(), execute(), SYNC)
    assert kinds(said) == "12CEZ"
    assert said[3].code == "55000"
    said = await wire.ask(query("SELECT * FROM t"))
    assert rows(said) == []


async def test_statements_of_one_sync_are_one_transaction(wire: Wire) -> None:
    await wire.ask(query("CREATE TABLE t (a int)"))
    insert = parse("INSERT INTO t VALUES (1)"), bind(), execute()
    said = await wire.ask(*insert, parse("SELECT 1/0"), bind(), execute(), SYNC)
    assert said[-2].code == "22012"
    assert rows(await wire.ask(query("SELECT * FROM t"))) == []
    await wire.ask(*insert, *insert, SYNC)
    assert rows(await wire.ask(query("SELECT * FROM t"))) == [(b"1",), (b"1",)]


@pytest.mark.parametrize(
    ("sent", "code", "complaint"),
    [
        (parse("SELECT 1") + bind([b"1"]), "08P01", 'supplies 1 parameters, but prepared statement "" requires 0'),
        (parse("SELECT $1::int") + bind([]), "08P01", "supplies 0 parameters"),
        (parse("SELECT $1::int") + bind([b"x"]), "22P02", 'invalid input syntax for type integer: "x"'),
        (parse("SELECT $1::int") + bind([b"xyz"], formats=[1]), "08P01", "insufficient data left in message"),
        (parse("SELECT $1::text") + bind([b"\xff"]), "22021", 'invalid byte sequence for encoding "UTF8": 0xff'),
        (parse("SELECT $1::text") + bind([b"a\0b"]), "22021", 'invalid byte sequence for encoding "UTF8": 0x00'),
        (parse("SELECT 1") + bind(result_formats=[0, 1]), "08P01", "has 2 result formats but query has 1 columns"),
        (parse("SELECT 1") + bind(result_formats=[7]), "08P01", "unsupported format code: 7"),
        (
            parse("SELECT $1::int, $2::int") + bind([b"1", b"1"], formats=[0, 0, 0]),
            "08P01",
            "3 parameter formats but 2",
        ),
        (parse("SELECT 1; SELECT 2"), "42601", "cannot insert multiple commands into a prepared statement"),
        (bind(statement="none"), "26000", 'prepared statement "none" does not exist'),
        (execute("none"), "34000", 'portal "none" does not exist'),
        (describe("P", "none"), "34000", 'portal "none" does not exist'),
        (describe("S", "none"), "26000", 'prepared statement "none" does not exist'),
        (describe("?", "none"), "08P01", "invalid DESCRIBE message subtype 63"),
        (message("B", b"\0"), "08P01", "invalid string in message"),
        (message("P", b"\0SELECT 1\0"), "08P01", "insufficient data left in message"),
        (message("E", b"\0"), "08P01", "invalid message format"),
        (message("P", b"\0SELECT '\xff'\0\0\0"), "22021", "invalid byte sequence"),
    ],
)
async def test_a_wrong_message_fails_its_batch_and_no_other(wire: Wire, sent: bytes, code: str, complaint: str) -> None:
    said = await wire.ask(sent, SYNC)
    assert kinds(said).endswith("EZ")
    assert said[-2].code == code
    assert complaint in said[-2].fields["M"]
    assert rows(await wire.ask(parse("SELECT 5"), bind(), execute(), SYNC)) == [(b"5",)]


async def test_a_wrong_query_message_is_answered_and_the_connection_lives_on(wire: Wire) -> None:
    said = await wire.ask(message("Q", b"SELECT 1"))
    assert kinds(said) == "EZ"
    assert said[0].code == "08P01"
    said = await wire.ask(message("Q", b"SELECT '\xc3'\0"))
    assert said[0].code == "22021"
    said = await wire.ask(message("F", pack(">IHHH", 1, 0, 0, 0)))
    assert kinds(said) == "EZ"
    assert said[0].code == "0A000"
    assert rows(await wire.ask(query("SELECT 1"))) == [(b"1",)]


@pytest.mark.parametrize(
    "sent", [b"?\0\0\0\4", b"S\0\0\0\0", b"Q\xff\xff\xff\xff", b"p\0\0\0\5x", b"X\x00\x01\x00\x00"]
)
async def test_what_is_no_message_ends_the_connection(wire: Wire, sent: bytes) -> None:
    wire.send(sent)
    said = await wire.ended()
    assert kinds(said) == "E"
    assert (said[0].fields["S"], said[0].code) == ("FATAL", "08P01")


async def test_a_message_that_is_too_long_is_refused_and_the_connection_lives_on() -> None:
    async with serving(PgwireSettings(message_limit=100_000)) as (server, _), connected(server) as wire:
        long = "SELECT '" + "x" * 200_000 + "'"
        said = await wire.ask(query(long))
        assert kinds(said) == "EZ"
        assert said[0].code == "54000"
        said = await wire.ask(parse(long), bind(), execute(), parse(long), SYNC)
        assert kinds(said) == "EZ"
        said = await wire.ask(parse("SELECT 1/0"), bind(), execute(), parse(long), SYNC)
        assert kinds(said) == "12EZ"
        assert said[2].code == "22012"
        assert rows(await wire.ask(query("SELECT 'x'"))) == [(b"x",)]


async def test_what_nobody_foresaw_is_an_internal_error_without_details(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret details")

    with monkeypatch.context() as patch:
        patch.setattr("holdfast.adapter.session.session.parse", broken)
        for sent in (query("SELECT 1"), parse("SELECT 1") + bind() + execute() + SYNC):
            said = await wire.ask(sent)
            assert kinds(said) == "EZ"
            assert (said[0].code, said[0].fields["M"]) == ("XX000", "internal error")
            assert "D" not in said[0].fields
    assert "secret details" in caplog.text
    assert rows(await wire.ask(query("SELECT 1"))) == [(b"1",)]


async def test_terminate_ends_the_session_after_what_was_asked_before(server: Server) -> None:
    async with connected(server) as wire:
        wire.send(query("CREATE TABLE t (a int)"), query("INSERT INTO t VALUES (1)"), TERMINATE, query("DROP TABLE t"))
        assert kinds(await wire.ended()) == "CZCZ"
    async with connected(server) as wire:
        assert rows(await wire.ask(query("SELECT * FROM t"))) == [(b"1",)]


async def test_a_transaction_that_waits_too_long_ends_its_connection(server: Server) -> None:
    async with connected(server) as wire:
        await wire.ask(query("SET idle_in_transaction_session_timeout = '20ms'"))
        assert (await wire.ask(query("BEGIN")))[-1].body == b"T"
        (said,) = await wire.ended()
        assert (said.fields["S"], said.code) == ("FATAL", "25P03")
    assert not [each for each in server._database.sessions if each.status != "I"]
