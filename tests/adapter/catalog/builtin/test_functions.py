"""Functions of the catalog give PostgreSQL's answers about the same objects, and its errors."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from tests.adapter.catalog.builtin.tools import SETUP, Shop
from tests.postgres import PostgresServer

SAME = (
    # Objects by name, and their names
    "'orders'::regclass::text",
    "'other.t'::regclass::text",
    "'\"orders\"'::regclass::text",
    "' orders '::regclass::text",
    "'ORDERS'::regclass::text",
    "'pg_class'::regclass::oid::text",
    "'pg_catalog.pg_type'::regclass::text",
    "'information_schema.tables'::regclass::text",
    "'-'::regclass::text",
    "'0'::regclass::text",
    "1259::regclass::text",
    "1259::oid::regclass::text",
    "999999::regclass::text",
    "to_regclass('orders')::text",
    "to_regclass('nothing')::text",
    "to_regclass('nothing.at_all')::text",
    "'orders'::text::regclass::text",
    "('or' || 'ders')::regclass::text",
    "'int4'::regtype::text",
    "'int'::regtype::text",
    "'integer[]'::regtype::text",
    "'_text'::regtype::text",
    "'character varying(20)'::regtype::text",
    "'timestamp with time zone'::regtype::oid::text",
    "'pair'::regtype::text",
    "to_regtype('nothing')::text",
    "to_regtype('numeric(10,2)')::text",
    "2950::regtype::text",
    "'array_in'::regproc::text",
    "'pg_catalog.array_in'::regproc::text",
    "'public'::regnamespace::text",
    "11::regnamespace::text",
    "'reader'::regrole::text",
    "to_regnamespace('nothing')::text",
    "to_regrole('nothing')::text",
    "'lower(text)'::regprocedure::text",
    "'mod(int,int)'::regprocedure::text",
    # Types
    "format_type('pair'::regtype, NULL)",
    "format_type('orders'::regclass::oid, -1) IS NOT NULL",
    "format_type(1043, 24)",
    "format_type(1700, 655366)",
    "format_type(1009, -1)",
    "format_type(0, NULL)",
    "format_type(999999, NULL)",
    # Visibility
    "pg_table_is_visible('orders'::regclass)",
    "pg_table_is_visible('other.t'::regclass)",
    "pg_table_is_visible('pg_class'::regclass)",
    "pg_table_is_visible('information_schema.tables'::regclass)",
    "pg_table_is_visible(999999)",
    "pg_type_is_visible('pair'::regtype)",
    "pg_type_is_visible(23)",
    "pg_type_is_visible(999999)",
    "pg_function_is_visible('array_in'::regproc)",
    "pg_function_is_visible(999999)",
    # Definitions and comments
    "pg_get_userbyid(999999)",
    "pg_get_viewdef('orders'::regclass) IS NULL",
    "obj_description('orders'::regclass, 'pg_class')",
    "obj_description('big'::regclass, 'pg_class')",
    "obj_description('orders'::regclass, 'pg_type')",
    "col_description('orders'::regclass, 1)",
    "col_description('orders'::regclass, 2)",
    "shobj_description(1, 'pg_database') IS NULL OR true",
    "pg_get_constraintdef(999999)",
    "pg_get_indexdef(999999)",
    "pg_get_serial_sequence('orders', 'id')",
    # Privileges
    "has_table_privilege('reader', 'orders', 'SELECT')",
    "has_table_privilege('reader', 'orders', 'INSERT')",
    "has_table_privilege('reader', 'orders', 'INSERT, SELECT')",
    "has_table_privilege('reader', 'other.t', 'SELECT')",
    "has_table_privilege('orders', 'select')",
    "has_table_privilege('orders'::regclass, 'DELETE')",
    "has_table_privilege('reader', 999999, 'SELECT')",
    "has_table_privilege('public', 'orders', 'SELECT')",
    "has_table_privilege('orders', 'SELECT WITH GRANT OPTION')",
    "has_any_column_privilege('reader', 'orders', 'SELECT')",
    "has_column_privilege('reader', 'orders', 'id', 'SELECT')",
    "has_column_privilege('reader', 'orders', 1::int2, 'UPDATE')",
    "has_schema_privilege('reader', 'public', 'USAGE')",
    "has_schema_privilege('reader', 'other', 'USAGE')",
    "has_schema_privilege('reader', 'pg_catalog', 'USAGE')",
    "has_schema_privilege('reader', 'pg_catalog', 'CREATE')",
    "has_database_privilege(current_database(), 'CONNECT')",
    "has_function_privilege('reader', 'array_in', 'EXECUTE') IS NULL OR true",
    "has_type_privilege('reader', 'pair', 'USAGE')",
    "has_type_privilege('reader', 'int4', 'USAGE')",
    "pg_has_role('reader', 'reader', 'MEMBER')",
    "pg_has_role('reader', 'USAGE')",
    # The session and the server
    "current_schemas(false)::text",
    "current_schema()",
    "current_setting('server_encoding')",
    "current_setting('nothing', true)",
    "pg_is_in_recovery()",
    "pg_encoding_to_char(6)",
    "pg_encoding_to_char(99)",
    "pg_char_to_encoding('utf-8')",
    "pg_char_to_encoding('LATIN1')",
    "pg_char_to_encoding('nothing')",
    "pg_size_pretty(0::int8)",
    "pg_size_pretty(10239::int8)",
    "pg_size_pretty(10240::int8)",
    "pg_size_pretty((-20479)::int8)",
    "pg_size_pretty(10485750::int8)",
    "pg_size_pretty(9223372036854775807)",
    "pg_size_pretty(10240.5)",
    "pg_size_pretty(12.5)",
    "pg_size_pretty(123456789012345678901234.5)",
    # Vectors, which count from 0
    "array_lower('1 2'::int2vector, 1)",
    "array_upper('1 2'::oidvector, 1)",
    "('3 4'::oidvector)[0]",
    "2 = ANY ('1 2'::int2vector)",
    "25 = ANY ('23 25'::oidvector)",
    "'23 25'::oidvector::text",
    "(SELECT string_agg(x || ':' || n, ',') FROM information_schema._pg_expandarray('7 8'::int2vector))",
    "(SELECT count(*) FROM unnest('7 8'::int2vector))",
)

REFUSED = (
    "'nothing'::regclass",
    "'no.thing'::regclass",
    "'\"'::regclass",
    "'a.b.'::regclass",
    "'nothing'::regtype",
    "'nothing'::regproc",
    "'abs'::regproc",
    "'abs'::regprocedure",
    "'nothing(int)'::regprocedure",
    "'nothing'::regnamespace",
    "'nothing'::regrole",
    "has_table_privilege('nobody', 'orders', 'SELECT')",
    "has_table_privilege('orders', 'FLY')",
    "has_table_privilege('nothing', 'SELECT')",
    "has_schema_privilege('nothing', 'USAGE')",
    "has_database_privilege('nothing', 'CONNECT')",
    "has_column_privilege('orders', 'nothing', 'SELECT')",
    "pg_has_role('nobody', 'USAGE')",
    "pg_has_role('reader', 'FLY')",
    "current_setting('nothing')",
    "pg_get_serial_sequence('nothing', 'id')",
)


@pytest.fixture(scope="module")
def shop() -> Shop:
    return Shop()


@pytest.fixture(scope="module")
def theirs(postgres_server: PostgresServer) -> Iterator[psycopg.Connection]:
    """A PostgreSQL with the same objects. What was made is undone."""
    with psycopg.connect(postgres_server.url) as connection:
        for statement in SETUP:
            connection.execute(statement)
        yield connection
        connection.rollback()


@pytest.mark.parametrize("expression", SAME)
def test_answers_are_postgresqls(expression: str, shop: Shop, theirs: psycopg.Connection) -> None:
    with theirs.transaction():
        row = theirs.execute(f"SELECT {expression}").fetchone()
    assert shop.asking.answer(f"SELECT {expression}") == [row]


@pytest.mark.parametrize("expression", REFUSED)
def test_errors_are_postgresqls(expression: str, shop: Shop, theirs: psycopg.Connection) -> None:
    with pytest.raises(psycopg.Error) as refused, theirs.transaction():
        theirs.execute(f"SELECT {expression}")
    with pytest.raises(HoldfastError) as raised:
        shop.asking.answer(f"SELECT {expression}")
    assert (sqlstate(raised.value), str(raised.value)) == (refused.value.sqlstate, refused.value.diag.message_primary)
