"""psql: what people type."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from tests.clients.psql import environment, psql, psql_all, psql_command
from tests.clients.samples import SAMPLES
from tests.serving import ENOUGH, ServerProcess

PLAIN = ("-A", "-t")
"""Rows only, with | between columns."""

CREATE = """
CREATE TABLE items (id integer NOT NULL, name text DEFAULT 'x', price numeric(10, 2));
COMMENT ON TABLE items IS 'things';
CREATE VIEW dear AS SELECT * FROM items WHERE price > 1;
CREATE MATERIALIZED VIEW totals AS SELECT name, sum(price) AS total FROM items GROUP BY name;
CREATE INDEX ON totals (name, lower(name));
CREATE TYPE pair AS (a integer, b text);
INSERT INTO items VALUES (1, 'apple', 0.40), (2, 'pear', 1.5), (3, NULL, NULL);
"""


def test_rows_are_shown_as_everyone_knows_them(server: ServerProcess, schema: str) -> None:
    said = psql(server, schema, CREATE + "SELECT * FROM items ORDER BY id;")
    assert said.splitlines() == [
        " id | name  | price ",
        "----+-------+-------",
        "  1 | apple |   0.4",
        "  2 | pear  |   1.5",
        "  3 |       |      ",
        "(3 rows)",
        "",
    ]


COMMANDS = {
    r"\d": ["items", "dear", "totals", "table", "view", "materialized view", "materialize"],
    r"\d items": ["Column", "id", "integer", "not null", "name", "text", "'x'", "numeric(10,2)"],
    r"\d+ items": ["numeric(10,2)"],
    r"\d dear": ["View", "price"],
    r"\d+ dear": ["View definition", "SELECT"],
    r"\d totals": [
        "Materialized view",
        "total",
        'Indexes:\n    "totals_name_expr_idx" arrangement (name, lower(name))',
    ],
    r"\d+ totals": ["View definition", "SELECT"],
    r"\d totals_name_expr_idx": ["Index", "expr", "lower(name)", 'arrangement, for table "{schema}.totals"'],
    r"\dt": ["items"],
    r"\dt+": ["items", "things"],
    r"\dv": ["dear"],
    r"\dv+": ["dear"],
    r"\dn": ["{schema}"],
    r"\dn+": ["{schema}"],
    r"\du": ["materialize", "Superuser"],
    r"\l": ["materialize", "UTF8"],
    r"\dp": ["items", "dear"],
    r"\df substr*": ["substring"],
    r"\dT": ["pair"],
    r"\dT+ pair": ["pair"],
    r"\dd": [],
    r"\do": [],
    r"\di": ["totals_name_expr_idx", "index", "totals"],
    r"\di+": ["arrangement"],
    r"\ds": [],
    r"\dm": ["totals", "materialized view"],
    r"\dm+": ["totals", "permanent"],
    r"\dx": [],
    r"\db": ["pg_default"],
    r"\dC": [],
    r"\dconfig search_path": ["{schema}"],
    r"\ddp": [],
    r"\drds": [],
    r"\dO": [],
    r"\dL": [],
    r"\sv dear": ["VIEW", "price"],
    r"\conninfo": ["materialize"],
    r"\encoding": ["UTF8"],
    r"\gdesc": ["integer"],
    r"\d pg_catalog.pg_class": ["relname", "name"],
    r"\dS information_schema.tables": ["table_name", "table_type"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_about_the_catalog_are_answered(server: ServerProcess, schema: str, command: str) -> None:
    said = psql(server, schema, f"{CREATE}{'SELECT 1 AS a ' if command == chr(92) + 'gdesc' else ''}{command}\n")
    for expected in COMMANDS[command]:
        assert expected.format(schema=schema) in said


def test_every_type_is_shown(server: ServerProcess, schema: str) -> None:
    for type_, samples in SAMPLES.items():
        plain = [text for text in samples if "\n" not in text and "'" not in text]
        query = "".join(f"SELECT '{text}'::{type_};\n" for text in plain)
        assert psql(server, schema, query, *PLAIN).split("\n")[:-1] == plain


def test_errors_are_shown_with_their_place(server: ServerProcess, schema: str) -> None:
    text = f"{CREATE}\\set VERBOSITY verbose\nSELECT id,\n  wrong FROM items;\nSELECT 1;"
    status, said, errors = psql_all(server, schema, text, *PLAIN)
    assert (status, said) == (0, "1\n")
    assert errors.splitlines() == [
        'ERROR:  42703: column "wrong" does not exist',
        "LINE 2:   wrong FROM items;",
        "          ^",
    ]
    status, said, errors = psql_all(server, schema, "SELECT 1 / 0;\nSELECT 1;", "-v", "ON_ERROR_STOP=1")
    assert (status, said) == (3, "")
    assert "division by zero" in errors


def test_statements_of_one_text_are_one_transaction(server: ServerProcess, schema: str) -> None:
    psql(server, schema, "CREATE TABLE t (a integer);")
    failed = subprocess.run(
        psql_command(server, "-c", "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2), ('x')"),
        capture_output=True,
        text=True,
        timeout=ENOUGH,
        check=False,
        env=environment(schema),
    )
    assert failed.returncode == 1
    assert psql(server, schema, "SELECT count(*) FROM t;", *PLAIN) == "0\n"
    psql(server, schema, "INSERT INTO t VALUES (1);\nINSERT INTO t VALUES (2);\n", "--single-transaction")
    assert psql(server, schema, "SELECT count(*) FROM t;", *PLAIN) == "2\n"


def test_a_block_that_failed_says_so(server: ServerProcess, schema: str) -> None:
    _, said, errors = psql_all(server, schema, "BEGIN;\nSELECT nothing;\nSELECT 1;\nROLLBACK;\nSELECT 2;\n", *PLAIN)
    assert said == "2\n"
    assert "current transaction is aborted, commands ignored until end of transaction block" in errors


def test_statements_are_bound_and_described(server: ServerProcess, schema: str) -> None:
    text = (
        CREATE
        + r"""
SELECT name FROM items WHERE id = $1 \parse get
\bind_named get 2 \g
SELECT $1::integer + $2::integer AS sum \bind 1 2 \g
SELECT id, name FROM items \gdesc
SELECT 7 AS seven \gset
SELECT :seven + 1;
"""
    )
    assert psql(server, schema, text, *PLAIN).splitlines() == ["pear", "3", "id|integer", "name|text", "8"]


def test_a_pipeline_is_answered_in_order(server: ServerProcess, schema: str) -> None:
    text = (
        CREATE
        + r"""
\startpipeline
SELECT $1::integer \bind 1 \sendpipeline
INSERT INTO items VALUES ($1, 'z', NULL) \bind 9 \sendpipeline
\syncpipeline
SELECT count(*) FROM items \bind \sendpipeline
\endpipeline
"""
    )
    assert psql(server, schema, text, *PLAIN).splitlines() == ["1", "4"]


def test_rows_are_copied_by_every_way_there_is(server: ServerProcess, schema: str, tmp_path: Path) -> None:
    file = tmp_path / "items.csv"
    text = rf"""
CREATE TABLE t (a integer, b text);
COPY t FROM STDIN;
1	one
2	\N
\.
COPY t FROM STDIN (FORMAT csv, HEADER);
a,b
3,"three, or so"
\.
\copy t to '{file}' csv header
CREATE TABLE u (a integer, b text);
\copy u from '{file}' csv header
\copy (SELECT * FROM u ORDER BY a) to stdout
COPY (SELECT count(*) FROM u) TO STDOUT;
"""
    assert psql(server, schema, text).splitlines() == ["1\tone", "2\t\\N", "3\tthree, or so", "3"]
    assert sorted(file.read_text().splitlines()) == ["1,one", "2,", '3,"three, or so"', "a,b"]


def test_many_rows_are_fetched_in_parts(server: ServerProcess, schema: str) -> None:
    text = "\\set FETCH_COUNT 100\nSELECT n FROM generate_series(1, 1000) AS s (n) ORDER BY n;"
    assert psql(server, schema, text, *PLAIN).split() == [str(n) for n in range(1, 1001)]


@contextmanager
def typing(server: ServerProcess, schema: str) -> Iterator[tuple[subprocess.Popen[str], IO[str], IO[str]]]:
    """psql with a terminal for what it says, so that it says it at once: the process, its input, its output."""
    ours, theirs = pty.openpty()
    with (
        open(ours, newline="") as said,
        subprocess.Popen(
            psql_command(server, *PLAIN),
            stdin=subprocess.PIPE,
            stdout=theirs,
            stderr=theirs,
            text=True,
            env=environment(schema),
        ) as process,
    ):
        os.close(theirs)
        assert process.stdin is not None
        try:
            yield process, process.stdin, said
        finally:
            process.kill()


def test_changes_are_followed_as_they_happen_until_a_key_ends_it(server: ServerProcess, schema: str) -> None:
    psql(server, schema, "CREATE TABLE t (a integer);\nINSERT INTO t VALUES (1);")
    with typing(server, schema) as (process, keys, said):
        keys.write("COPY (SUBSCRIBE t) TO STDOUT;\n")
        keys.flush()
        assert said.readline().split()[1:] == ["1", "1"]
        psql(server, schema, "UPDATE t SET a = 5;")
        assert sorted(said.readline().split()[1:] for _ in range(2)) == [["-1", "1"], ["1", "5"]]
        process.send_signal(signal.SIGINT)
        until(said, "canceling statement due to user request")


def test_a_key_ends_a_statement_that_waits(server: ServerProcess, schema: str) -> None:
    psql(server, schema, "CREATE TABLE t (a integer);")
    with typing(server, schema) as (process, keys, said):
        keys.write("SELECT 'here';\nSELECT * FROM t AS OF 9000000000000;\n")
        keys.flush()
        assert said.readline().strip() == "here"
        # Between two statements the key would end psql itself.
        with server.connect() as other:
            while not other.execute(WAITING).fetchall():
                pass
        process.send_signal(signal.SIGINT)
        until(said, "canceling statement due to user request")


WAITING = (
    "SELECT 1 FROM mz_internal.mz_recent_activity_log "
    "WHERE finished_status IS NULL AND sql LIKE 'SELECT * FROM t AS OF 9000000000000%'"
)
"""A row for the statement while it runs."""


def until(said: IO[str], text: str) -> None:
    while text not in said.readline():
        pass
