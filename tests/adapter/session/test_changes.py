from __future__ import annotations

import pytest

from holdfast.adapter.database import Database
from holdfast.adapter.errors import NotNullViolation
from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, prepared, refusal, rows


@pytest.fixture(autouse=True)
async def table(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int NOT NULL, b text DEFAULT 'none')")
    await ask(session, "INSERT INTO t VALUES (1, 'x'), (2, 'y'), (2, 'y')")


async def test_rows_come_change_and_go(session: Session) -> None:
    assert (await ask(session, "UPDATE t SET b = b || '!' WHERE a = 2")).tag == "UPDATE 2"
    assert (await ask(session, "DELETE FROM t WHERE a = 1")).tag == "DELETE 1"
    assert (await ask(session, "INSERT INTO t (a) SELECT a + 10 FROM t")).tag == "INSERT 0 2"
    assert await rows(session, "SELECT a, b, count(*) FROM t GROUP BY a, b ORDER BY a") == [
        ("2", "y!", "2"),
        ("12", "none", "2"),
    ]


async def test_returning_tells_the_rows_that_were_changed(session: Session) -> None:
    answer = await ask(session, "INSERT INTO t VALUES (5, 'z') RETURNING a * 2 AS double, b")
    assert (answer.tag, answer.names, answer.rows) == ("INSERT 0 1", ("double", "b"), ((10, "z"),))
    answer = await ask(session, "UPDATE t SET a = a + 1 WHERE b = 'z' RETURNING a")
    assert (answer.tag, answer.rows) == ("UPDATE 1", ((6,),))
    answer = await ask(session, "DELETE FROM t WHERE a = 6 RETURNING *")
    assert (answer.tag, answer.rows) == ("DELETE 1", ((6, "z"),))


async def test_returning_may_ask_what_was_there_before(session: Session) -> None:
    answer = await ask(session, "INSERT INTO t VALUES (9, 'new') RETURNING a, (SELECT count(*) FROM t)")
    assert answer.rows == ((9, 3),)
    answer = await ask(session, "DELETE FROM t WHERE a = 9 RETURNING (SELECT max(name) FROM mz_databases)")
    assert answer.rows == (("materialize",),)


async def test_a_null_where_none_can_be_is_refused_with_the_row(session: Session) -> None:
    code, message = await refusal(session, "INSERT INTO t VALUES (NULL, 'x')")
    assert (code, message) == (
        "23502",
        'null value in column "a" of relation "t" violates not-null constraint',
    )
    assert (await refusal(session, "UPDATE t SET a = NULL"))[0] == "23502"
    assert len(await rows(session, "SELECT * FROM t")) == 3


async def test_parameters_are_of_the_types_of_their_columns(session: Session) -> None:
    assert (await prepared(session, "INSERT INTO t VALUES ($1, $2)", (7, "seven"))).tag == "INSERT 0 1"
    assert (await prepared(session, "UPDATE t SET b = $2 WHERE a = $1", (7, "VII"))).tag == "UPDATE 1"
    assert (await prepared(session, "DELETE FROM t WHERE a = $1 RETURNING b", (7,))).rows == (("VII",),)


async def test_what_cannot_be_changed_is_refused(session: Session) -> None:
    await ask(session, "CREATE VIEW v AS SELECT * FROM t")
    assert (await refusal(session, "INSERT INTO v VALUES (1, 'x')"))[0] == "55000"
    assert (await refusal(session, "DELETE FROM mz_catalog.mz_databases"))[0] == "42501"
    assert (await refusal(session, "INSERT INTO t VALUES (1, 'x') ON CONFLICT DO NOTHING"))[0] == "0A000"
    assert (await refusal(session, "UPDATE t SET wrong = 1"))[0] == "42703"


async def test_rights_are_asked_for(session: Session, database: Database) -> None:
    await ask(session, "CREATE ROLE reader LOGIN")
    await ask(session, "GRANT SELECT ON t TO reader")
    other = await database.connect("reader", "materialize")
    assert len(await rows(other, "SELECT * FROM t")) == 3
    for text in ("INSERT INTO t VALUES (1, 'x')", "UPDATE t SET b = 'x'", "DELETE FROM t", "DROP TABLE t"):
        assert (await refusal(other, text))[0] == "42501"
    await ask(session, "GRANT INSERT, DELETE ON t TO reader")
    assert (await ask(other, "INSERT INTO t VALUES (8, 'mine')")).tag == "INSERT 0 1"
    assert (await ask(other, "DELETE FROM t WHERE a = 8")).tag == "DELETE 1"
    assert (await refusal(other, "UPDATE t SET b = 'x'"))[0] == "42501"


async def test_rows_of_parameters_are_those_of_literals(session: Session) -> None:
    columns = "b bool, s int2, i int4, l int8, r float4, d float8, t text, y bytea, n date, p timestamp, z timestamptz"
    await ask(session, f"CREATE TABLE one ({columns})")
    await ask(session, f"CREATE TABLE other ({columns})")
    infinity = float("inf")
    values: tuple[object, ...] = (True, -1, 2**31 - 1, -(2**63), 1.5, -infinity, "ä", b"\0", 1, 2, -3)
    told = "true, -1, 2147483647, -9223372036854775808, 1.5, '-infinity', 'ä', '\\x00', '1970-01-02', "
    moments = "timestamp '1970-01-01 00:00:00.000002', timestamptz '1969-12-31 23:59:59.999997+00'"
    marks = ", ".join(f"${number}" for number in range(1, 12))
    for row in (values, (None,) * 11):
        await prepared(session, f"INSERT INTO one VALUES ({marks})", row)
    await ask(session, f"INSERT INTO other VALUES ({told}{moments}), ({', '.join(['NULL'] * 11)})")
    both = [await rows(session, f"SELECT * FROM {name} ORDER BY i") for name in ("one", "other")]
    assert both[0] == both[1]


async def test_one_transaction_inserts_in_many_ways(session: Session) -> None:
    await ask(session, "BEGIN")
    for number in range(3):
        await prepared(session, "INSERT INTO t VALUES ($1, 'same')", (number,))
    await prepared(session, "INSERT INTO t (b, a) VALUES ($1, $2)", (None, 7))
    await ask(session, "INSERT INTO t VALUES (8, 'a' || 'b')")
    await ask(session, "COMMIT")
    assert await rows(session, "SELECT a, b FROM t WHERE a > 2 OR b = 'same' ORDER BY a") == [
        ("0", "same"),
        ("1", "same"),
        ("2", "same"),
        ("7", None),
        ("8", "ab"),
    ]
    for text, values in (("INSERT INTO t VALUES ($1, 'x')", (None,)), ("INSERT INTO t (b) VALUES ($1)", ("x",))):
        with pytest.raises(NotNullViolation, match='null value in column "a"'):
            await prepared(session, text, values)
        await session.sync()
