"""What PostgreSQL says to a statement about objects, we say, where it has the statement too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import psycopg
import pytest
from psycopg.errors import Diagnostic

from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from tests.adapter.catalog.build import Talk

ROLES = ("hf_a", "hf_b", "hf_c")

SCENARIOS = {
    "tables": """
        CREATE TABLE t (a int NOT NULL, b text DEFAULT 'x');
        CREATE TABLE t (a int);
        CREATE TABLE IF NOT EXISTS t (a int);
        CREATE VIEW t AS SELECT 1 AS a;
        CREATE TABLE twice (a int, a text);
        CREATE TABLE nowhere.t (a int);
        CREATE TABLE u (a nothing);
        CREATE TABLE u (a int DEFAULT b);
        CREATE TABLE u (a int DEFAULT (SELECT 1));
        CREATE TABLE u (a int DEFAULT count(*));
        CREATE TABLE u (a int DEFAULT generate_series(1, 2));
        CREATE TABLE u (a int DEFAULT now());
        CREATE TABLE u (a int DEFAULT 'one'::text);
        CREATE TABLE u (a int DEFAULT 'one');
        CREATE TABLE u (a timestamp DEFAULT now(), b numeric(3, 1) DEFAULT 1, c int DEFAULT 2.5, d bool DEFAULT 'yes');
        CREATE TABLE v (a record);
        CREATE TABLE pg_catalog.w (a int);
        DROP TABLE nothing;
        DROP TABLE IF EXISTS nothing;
        DROP TABLE IF EXISTS nowhere.t;
        DROP TABLE nowhere.t;
        DROP VIEW t;
        DROP TABLE t, nothing;
        DROP TABLE t;
        DROP TABLE t;
    """,
    "columns": """
        CREATE TABLE t (a int);
        CREATE VIEW v AS SELECT * FROM t;
        ALTER TABLE t ADD COLUMN b text;
        ALTER TABLE t ADD COLUMN b text;
        ALTER TABLE t ADD COLUMN IF NOT EXISTS b text;
        ALTER TABLE IF EXISTS nothing ADD COLUMN c int;
        ALTER TABLE nothing ADD COLUMN c int;
        ALTER TABLE t ADD COLUMN c nothing;
        CREATE VIEW w AS SELECT b FROM v;
        CREATE VIEW w AS SELECT b FROM t;
    """,
    "views": """
        CREATE TABLE t (a int, b text);
        CREATE VIEW v AS SELECT a, b AS c FROM t;
        CREATE VIEW w AS SELECT c FROM v;
        CREATE VIEW w AS SELECT 1 AS one;
        CREATE VIEW x AS SELECT a, a FROM t;
        CREATE VIEW x (a, b, c) AS SELECT a, b FROM t;
        CREATE VIEW x AS SELECT nothing FROM t;
        CREATE VIEW x AS SELECT a FROM nothing;
        CREATE VIEW x AS SELECT a FROM t WHERE b > 1;
        CREATE VIEW x AS SELECT $1;
        CREATE OR REPLACE VIEW t AS SELECT 1 AS a;
        DROP TABLE t;
        DROP VIEW v;
        DROP VIEW v, w;
        DROP TABLE v;
        DROP TABLE t;
    """,
    "cascade": """
        CREATE TABLE t (a int);
        CREATE VIEW v AS SELECT a FROM t;
        DROP TABLE t RESTRICT;
        DROP TABLE t CASCADE;
        DROP VIEW v;
        CREATE TABLE t (a int);
        CREATE VIEW v AS SELECT a FROM t;
        CREATE VIEW w AS SELECT a FROM v;
        DROP TABLE t CASCADE;
    """,
    "schemas": """
        CREATE SCHEMA s;
        CREATE SCHEMA s;
        CREATE SCHEMA IF NOT EXISTS s;
        CREATE SCHEMA pg_mine;
        CREATE TABLE s.t (a int);
        CREATE VIEW v AS SELECT a FROM s.t;
        DROP SCHEMA s;
        DROP SCHEMA nothing;
        DROP SCHEMA IF EXISTS nothing;
        DROP SCHEMA pg_catalog;
        ALTER SCHEMA s RENAME TO public;
        ALTER SCHEMA s RENAME TO s2;
        ALTER SCHEMA s RENAME TO s3;
        CREATE VIEW w AS SELECT v.a FROM v, s2.t WHERE t.a = v.a AND s2.t.a = 1;
        ALTER TABLE s2.t SET SCHEMA public;
        ALTER TABLE t SET SCHEMA nowhere;
        DROP SCHEMA s2;
        DROP TABLE t CASCADE;
    """,
    "types": """
        CREATE TYPE pair AS (x int, y text);
        CREATE TYPE pair AS (x int);
        CREATE TYPE doubled AS (x int, x int);
        CREATE TYPE missing AS (x nothing);
        CREATE TABLE t (p pair, q pair[]);
        CREATE VIEW v AS SELECT (p).x FROM t;
        ALTER TYPE pair RENAME TO two;
        DROP TYPE pair;
        DROP TYPE IF EXISTS pair;
        DROP TABLE two;
        DROP TABLE t CASCADE;
        DROP TYPE two;
    """,
    "names": """
        CREATE TABLE t (a int);
        CREATE TABLE u (a int);
        CREATE VIEW v AS SELECT t.a, u.a AS b FROM t JOIN u ON t.a = u.a;
        ALTER TABLE t RENAME TO u;
        ALTER TABLE t RENAME TO t2;
        ALTER TABLE t RENAME TO t3;
        ALTER TABLE IF EXISTS t RENAME TO t3;
        ALTER VIEW v RENAME TO w;
        DROP TABLE t2;
    """,
    "roles": """
        CREATE ROLE hf_a;
        CREATE ROLE hf_a;
        CREATE ROLE hf_b LOGIN SUPERUSER;
        CREATE ROLE hf_c LOGIN NOLOGIN;
        CREATE ROLE hf_c LOGIN LOGIN;
        CREATE ROLE pg_x;
        GRANT hf_a TO hf_b;
        GRANT hf_b TO hf_a;
        GRANT nobody TO hf_a;
        GRANT hf_a TO nobody;
        CREATE TABLE t (a int);
        GRANT SELECT ON t TO hf_a;
        GRANT SELECT ON t TO nobody;
        GRANT SELECT ON nothing TO hf_a;
        GRANT USAGE ON TABLE t TO hf_a;
        DROP ROLE hf_a;
        REVOKE ALL ON t FROM hf_a;
        ALTER TABLE t OWNER TO hf_b;
        ALTER TABLE t OWNER TO nobody;
        DROP ROLE hf_b;
        REASSIGN OWNED BY hf_b TO hf_a;
        DROP ROLE hf_b;
        DROP ROLE hf_a;
        DROP OWNED BY hf_a;
        DROP ROLE hf_a;
        DROP ROLE hf_a;
        DROP ROLE IF EXISTS hf_a, hf_b;
        ALTER ROLE hf_a LOGIN;
        DROP TABLE t;
    """,
    "comments": """
        CREATE TABLE t (a int);
        COMMENT ON TABLE t IS 'a table';
        COMMENT ON COLUMN t.a IS 'a column';
        COMMENT ON COLUMN t.b IS 'no column';
        COMMENT ON TABLE nothing IS 'no table';
        COMMENT ON VIEW t IS 'no view';
        COMMENT ON TABLE t IS NULL;
        COMMENT ON ROLE nobody IS 'no role';
        COMMENT ON SCHEMA nowhere IS 'no schema';
    """,
    "temporary": """
        CREATE TEMPORARY TABLE t (a int);
        CREATE TEMPORARY TABLE public.u (a int);
        CREATE TABLE t (a text);
        CREATE TEMPORARY VIEW v AS SELECT a FROM t;
        ALTER TABLE t SET SCHEMA public;
        DROP TABLE t CASCADE;
        DROP TABLE t;
        DROP TABLE t;
    """,
}

Said = list[tuple[str | None, ...]]


@pytest.fixture
def connection(postgres: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres, autocommit=True) as admin:
        admin.execute("DROP DATABASE IF EXISTS hf_catalog")
        admin.execute("CREATE DATABASE hf_catalog")
        with psycopg.connect(postgres, autocommit=True, dbname="hf_catalog") as found:
            yield found
        admin.execute("DROP DATABASE hf_catalog")
        for role in ROLES:
            with suppress(psycopg.Error):
                admin.execute(f"DROP ROLE IF EXISTS {role}")


def by_postgres(connection: psycopg.Connection, statement: str) -> Said:
    said: Said = []

    def heard(notice: Diagnostic) -> None:
        said.append(
            (notice.severity, notice.sqlstate, notice.message_primary, notice.message_detail, notice.message_hint)
        )

    connection.add_notice_handler(heard)
    try:
        connection.execute(statement)
    except psycopg.Error as error:
        diag = error.diag
        said.append(("ERROR", diag.sqlstate, diag.message_primary, diag.message_detail, diag.message_hint))
    finally:
        connection.remove_notice_handler(heard)
    return said


def by_us(talk: Talk, statement: str) -> Said:
    try:
        decision = talk.run(statement)
    except HoldfastError as error:
        return [("ERROR", sqlstate(error), str(error), error.detail, error.hint)]
    return [(each.severity, each.code, each.message, each.detail, each.hint) for each in decision.notices]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_is_said_is_what_postgres_says(scenario: str, connection: psycopg.Connection) -> None:
    talk = Talk()
    statements = [each.strip() for each in SCENARIOS[scenario].split(";") if each.strip()]
    ours = [(each, by_us(talk, each)) for each in statements]
    theirs = [(each, by_postgres(connection, each)) for each in statements]
    assert ours == theirs
