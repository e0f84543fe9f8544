"""TPC-H's tables as Parquet files, as a catalog, and in PostgreSQL."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import psycopg
import pyarrow.parquet as pq

from holdfast.plan.types import DATE, INT4, INT8, TEXT, Type, numeric
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, WithoutFunctions

Connection = psycopg.Connection[tuple[object, ...]]

MONEY = numeric(15, 2, declared=True)

SCHEMA: dict[str, str] = {
    "region": "r_regionkey bigint, r_name text, r_comment text",
    "nation": "n_nationkey bigint, n_name text, n_regionkey bigint, n_comment text",
    "supplier": "s_suppkey bigint, s_name text, s_address text, s_nationkey bigint, s_phone text, s_acctbal money,"
    " s_comment text",
    "part": "p_partkey bigint, p_name text, p_mfgr text, p_brand text, p_type text, p_size integer, p_container text,"
    " p_retailprice money, p_comment text",
    "partsupp": "ps_partkey bigint, ps_suppkey bigint, ps_availqty integer, ps_supplycost money, ps_comment text",
    "customer": "c_custkey bigint, c_name text, c_address text, c_nationkey bigint, c_phone text, c_acctbal money,"
    " c_mktsegment text, c_comment text",
    "orders": "o_orderkey bigint, o_custkey bigint, o_orderstatus text, o_totalprice money, o_orderdate date,"
    " o_orderpriority text, o_clerk text, o_shippriority integer, o_comment text",
    "lineitem": "l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber integer, l_quantity money,"
    " l_extendedprice money, l_discount money, l_tax money, l_returnflag text, l_linestatus text, l_shipdate date,"
    " l_commitdate date, l_receiptdate date, l_shipinstruct text, l_shipmode text, l_comment text",
}
"""Columns of every table; `money` is numeric(15,2)."""

_TYPES: dict[str, Type] = {"bigint": INT8, "integer": INT4, "text": TEXT, "date": DATE, "money": MONEY}

QUERIES: dict[int, str] = {
    int(path.stem[1:]): path.read_text() for path in sorted((Path(__file__).parent / "queries").glob("q*.sql"))
}


def columns(table: str) -> list[tuple[str, Type]]:
    pairs = (column.split() for column in SCHEMA[table].split(","))
    return [(name, _TYPES[type_]) for name, type_ in pairs]


def make(folder: Path, scale: float, format_: str = "parquet") -> None:
    """Write all tables into `folder`, one file each."""
    command = [str(Path(sys.executable).parent / "tpchgen-cli"), format_, "-s", str(scale), "--output-dir", str(folder)]
    subprocess.run(command, check=True, capture_output=True)


class TpchCatalog(WithoutFunctions):
    """TPC-H's tables. None of their columns is ever null."""

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        name = parts[-1]
        if name not in SCHEMA:
            return None
        return CatalogRelation(name, name, tuple(CatalogColumn(c, type_, False) for c, type_ in columns(name)))

    def type(self, parts: tuple[str, ...]) -> Type | None:  # noqa: ARG002 - there are none
        return None


def load(connection: Connection, folder: Path) -> None:
    """Make the tables in PostgreSQL, from Parquet files."""
    for table, definition in SCHEMA.items():
        connection.execute(f"CREATE TABLE {table} ({re.sub('money', 'numeric(15,2)', definition)})")
        rows = pq.read_table(folder / f"{table}.parquet").to_pylist()
        with connection.cursor().copy(f"COPY {table} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(tuple(row.values()))
    for table, key in (("lineitem", "l_orderkey"), ("lineitem", "l_partkey"), ("orders", "o_custkey")):
        connection.execute(f"CREATE INDEX ON {table} ({key})")
    connection.execute("ANALYZE")
