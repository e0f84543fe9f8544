"""Asks PostgreSQL about every query, and writes down what it says. Run it when queries were added."""

from __future__ import annotations

import json
from dataclasses import asdict

import psycopg

from tests.postgres import running_postgres
from tests.sql.answers import FOLDER, Recorded, queries

_TABLES = """
SET timezone = 'UTC';
CREATE TABLE t (a int PRIMARY KEY, b bigint, c text, d numeric(10, 2));
CREATE TABLE u (a bigint, x text, e date);
CREATE SCHEMA s;
CREATE TABLE s.t (flag boolean, items int[], j jsonb, at timestamp);
CREATE VIEW v AS SELECT a, count(*) AS n FROM t GROUP BY a;
CREATE TYPE pair AS (x int, y text);
"""


def ask(connection: psycopg.Connection[tuple[object, ...]], query: str) -> Recorded:
    try:
        result = connection.execute(query).pgresult
    except psycopg.Error as error:
        said = error.diag
        place = int(said.statement_position or 0)
        return Recorded((), (), said.message_primary, place, said.message_hint, said.message_detail, said.sqlstate)
    assert result is not None
    names, types = [], []
    for index in range(result.nfields):
        name = result.fname(index)
        assert name is not None
        names.append(name.decode())
        wanted = (result.ftype(index), result.fmod(index))
        found = connection.execute("SELECT format_type(%s, %s)", wanted).fetchone()
        assert found is not None
        types.append(str(found[0]))
    return Recorded(tuple(names), tuple(types))


def main() -> None:
    with running_postgres() as server, psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(_TABLES)
        said = {query: asdict(ask(connection, query)) for query in queries()}
    kept = {query: {key: part for key, part in answer.items() if part} for query, answer in said.items()}
    (FOLDER / "recorded.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
