"""What is too much for the server alone is asked of Spark: the client sees no difference."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Timer

import psycopg
import pytest

from tests.serving import ServerProcess

Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def connection(server: ServerProcess, schema: str) -> Iterator[Connection]:
    """Without a limit of time: Spark may have to be started first."""
    options = f"-c search_path={schema} -c statement_timeout=0"
    with psycopg.connect(server.dsn, autocommit=True, options=options) as opened:
        yield opened


def test_a_large_join_is_answered_and_one_that_is_too_large_can_be_cancelled(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a integer, b integer)")
    with connection.cursor() as cursor, cursor.copy("COPY t FROM STDIN") as into:
        for number in range(30_000):
            into.write_row((number, number // 2))
    query = "SELECT count(*), sum(t.a), sum(u.b) FROM t JOIN t AS u ON t.a = u.b"
    pairs = [(number // 2, number // 2) for number in range(30_000)]
    found = connection.execute(query).fetchall()
    assert found == [(len(pairs), sum(one for one, _ in pairs), sum(other for _, other in pairs))]
    timer = Timer(1, connection.cancel_safe)
    timer.start()
    with pytest.raises(psycopg.errors.QueryCanceled, match="canceling statement due to user request"):
        connection.execute("SELECT count(*) FROM t, t AS u, t AS v WHERE t.a + u.a + v.a = 7")
    timer.join()
    assert connection.execute("SELECT b FROM t WHERE a = 8").fetchall() == [(4,)]
