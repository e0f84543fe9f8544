"""Values of every type go to the server and come back, in text and in bytes, and as PostgreSQL has them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import psycopg
import pytest
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGconn

from tests.clients.samples import SAMPLES
from tests.postgres import PostgresServer
from tests.serving import ServerProcess

TEXT, BINARY = 0, 1
OURS = ("uint2", "uint4", "uint8", "mz_timestamp", "integer list", "text list list", "map[text=>integer]")
"""Types that PostgreSQL does not have."""


@pytest.fixture(scope="module")
def ours(server: ServerProcess) -> Iterator[PGconn]:
    with server.connect() as connection:
        yield connection.pgconn


@pytest.fixture(scope="module")
def theirs(postgres_server: PostgresServer) -> Iterator[PGconn]:

    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        yield connection.pgconn


def ask(connection: PGconn, sql: str, value: bytes | None, formats: tuple[int, int]) -> bytes | None:
    """The one value of a query with one parameter. `formats` are those of the parameter and of the result."""
    result = connection.exec_params(sql.encode(), [value], param_formats=formats[:1], result_format=formats[1])
    assert result.status == ExecStatus.TUPLES_OK, result.get_error_message()
    return result.get_value(0, 0)


@pytest.mark.parametrize("type_", SAMPLES)
def test_values_come_back_in_both_formats(ours: PGconn, type_: str) -> None:
    sql = f"SELECT $1::{type_}"
    for sample in SAMPLES[type_]:
        text = sample.encode()
        assert ask(ours, sql, text, (TEXT, TEXT)) == text
        data = ask(ours, sql, text, (TEXT, BINARY))
        assert ask(ours, sql, data, (BINARY, BINARY)) == data
        assert ask(ours, sql, data, (BINARY, TEXT)) == text
    for formats in ((TEXT, TEXT), (TEXT, BINARY), (BINARY, TEXT), (BINARY, BINARY)):
        assert ask(ours, sql, None, formats) is None


@pytest.mark.parametrize("type_", [type_ for type_ in SAMPLES if type_ not in OURS])
def test_both_formats_are_those_of_postgres(ours: PGconn, theirs: PGconn, type_: str) -> None:
    sql = f"SELECT $1::{type_}"
    for sample in SAMPLES[type_]:
        for format_ in (TEXT, BINARY):
            formats = (TEXT, format_)
            assert ask(ours, sql, sample.encode(), formats) == ask(theirs, sql, sample.encode(), formats), sample


def test_what_is_stored_comes_back_also_after_the_server_was_killed(server: ServerProcess, schema: str) -> None:
    """Every type has a column, and its samples are rows. A zero is kept without a sign."""
    columns = ", ".join(f"c{number} {type_}" for number, type_ in enumerate(SAMPLES))
    depth = max(map(len, SAMPLES.values()))
    rows: list[tuple[str | None, ...]] = [
        tuple(samples[row] if row < len(samples) else None for samples in SAMPLES.values()) for row in range(depth)
    ]
    query = f"SELECT * FROM {schema}.kept ORDER BY n"
    with server.connect() as connection:
        connection.execute(f"CREATE TABLE {schema}.kept (n integer, {columns})")
        places = ", ".join(["%s"] * (1 + len(SAMPLES)))
        for number, row in enumerate(rows):
            # As text of unknown type, the column says what it means.
            connection.execute(f"INSERT INTO {schema}.kept VALUES ({places})", (number, *row))
        before = [connection.pgconn.exec_params(query.encode(), None, result_format=format_) for format_ in (0, 1)]
    server.restart()
    with server.connect() as connection:
        after = [connection.pgconn.exec_params(query.encode(), None, result_format=format_) for format_ in (0, 1)]
    for one, other in zip(before, after, strict=True):
        assert one.status == other.status == ExecStatus.TUPLES_OK, one.get_error_message()
        for place in product(range(depth), range(1 + len(SAMPLES))):
            assert one.get_value(*place) == other.get_value(*place)
    for number, expected in enumerate(rows):
        found = [before[0].get_value(number, column) for column in range(1, 1 + len(SAMPLES))]
        assert found == [None if text is None else b"0" if text == "-0" else text.encode() for text in expected]
