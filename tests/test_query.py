"""`holdfast query`, as people run it."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from holdfast.cli import main

ORDERS = """\
id,customer,price,note
1,1,1.50,"hello, world"
2,1,22.25,
3,2,0.5,x
4,,3,y
"""
CUSTOMERS = {"id": [1, 2, 3], "name": ["ada", "bob", "eve"]}


@pytest.fixture
def tables(tmp_path: Path) -> list[str]:
    (tmp_path / "orders.csv").write_text(ORDERS)
    pyarrow.parquet.write_table(pa.table(CUSTOMERS), tmp_path / "customers.parquet")
    return ["--table", f"orders={tmp_path}/orders.csv", "--table", f"customers={tmp_path}/customers.parquet"]


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["query", *arguments])
    shown = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, shown.out, shown.err


def test_constants_are_answered_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "SELECT 1 AS a, 'x' AS \"B\"") == (0, " a | B\n---+---\n 1 | x\n(1 row)\n", "")


def test_plain_reads_are_answered_at_once(capsys: pytest.CaptureFixture[str], tables: list[str]) -> None:
    status, out, err = asked(capsys, "SELECT id, price FROM orders WHERE id > 2 ORDER BY id DESC", *tables)
    assert (status, err) == (0, "")
    assert out == " id | price\n----+-------\n  4 |     3\n  3 |   0.5\n(2 rows)\n"


def test_results_are_csv_or_json_on_demand(capsys: pytest.CaptureFixture[str], tables: list[str]) -> None:
    sql = "SELECT id, note FROM orders ORDER BY id LIMIT 2"
    assert asked(capsys, sql, *tables, "--format", "csv")[1] == 'id,note\n1,"hello, world"\n2,\n'
    out = asked(capsys, sql, *tables, "--format", "json")[1]
    assert [json.loads(line) for line in out.splitlines()] == [
        {"id": 1, "note": "hello, world"},
        {"id": 2, "note": None},
    ]
    assert asked(capsys, "SELECT id FROM orders WHERE false", *tables, "--format", "csv")[1] == "id\n"


def test_tables_may_be_qualified(capsys: pytest.CaptureFixture[str], tables: list[str]) -> None:
    for name in ("customers", "public.customers", "holdfast.public.customers"):
        assert asked(capsys, f"SELECT id FROM {name} LIMIT 1", *tables)[0] == 0
    assert asked(capsys, "SELECT id FROM other.customers LIMIT 1", *tables)[0] == 1


def test_explain_shows_each_stage_of_the_plan_and_the_text(
    capsys: pytest.CaptureFixture[str], tables: list[str]
) -> None:
    sql = "SELECT name, (SELECT count(*) FROM orders WHERE customer = customers.id) FROM customers WHERE id < 3"
    raw = asked(capsys, sql, *tables, "--explain", "plan")[1]
    decorrelated = asked(capsys, sql, *tables, "--explain", "decorrelated")[1]
    optimized = asked(capsys, sql, *tables, "--explain", "optimized")[1]
    spark = asked(capsys, sql, *tables, "--explain", "spark")[1]
    assert all("Get customers" in shown for shown in (raw, decorrelated, optimized))
    assert "scalar" in raw
    assert "scalar" not in decorrelated
    assert len({raw, decorrelated, optimized}) == 3
    assert spark.startswith(("SELECT", "WITH"))
    assert "`in_customers`" in spark


@pytest.mark.parametrize(
    ("sql", "complaint"),
    [
        ("SELECT 1/0", "ERROR:  22012: division by zero\n"),
        (
            "SELECT id,\n\tnothing\nFROM orders",
            'ERROR:  42703: column "nothing" does not exist\nLINE 2: \tnothing\n        \t^\n',
        ),
        (
            "SELECT 'x",
            "ERROR:  42601: unterminated quoted string at or near \"'x\"\nLINE 1: SELECT 'x\n               ^\n",
        ),
        (
            "SELECT 1 FROM nothing",
            'ERROR:  42P01: relation "nothing" does not exist\n'
            "LINE 1: SELECT 1 FROM nothing\n                      ^\n",
        ),
        ("SELECT $1::int", "ERROR:  42P02: there is no parameter $1\n"),
    ],
)
def test_errors_say_what_and_where(
    capsys: pytest.CaptureFixture[str], tables: list[str], sql: str, complaint: str
) -> None:
    assert asked(capsys, sql, *tables) == (1, "", complaint)


def test_errors_give_hints(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = asked(capsys, "SELECT upper(1, 2)")
    assert (status, out) == (1, "")
    assert "\nHINT:  " in err


def test_a_file_that_is_not_there_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = asked(capsys, "SELECT 1", "--table", "t=nothing.csv")
    assert (status, out, err) == (1, "", 'ERROR:  58P01: file "nothing.csv" does not exist\n')


def test_a_table_is_a_name_and_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(capsys, "SELECT 1", "--table", "orders.csv")[0] == 2


def holdfast(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, since it starts and stops its own Spark."""
    program = "from holdfast.cli import main; main()"
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)


def test_joins_and_aggregates_run_on_spark(tables: list[str]) -> None:
    sql = """
        SELECT c.name, count(o.id) AS orders, sum(o.price) AS total, string_agg(o.note, ', ' ORDER BY o.id) AS notes
        FROM customers c LEFT JOIN orders o ON o.customer = c.id
        GROUP BY c.name ORDER BY c.name
    """
    shown = holdfast("query", sql, *tables, "--format", "csv")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert list(csv.reader(shown.stdout.splitlines())) == [
        ["name", "orders", "total", "notes"],
        ["ada", "2", "23.75", "hello, world"],
        ["bob", "1", "0.5", "x"],
        ["eve", "0", "", ""],
    ]


def test_an_error_on_spark_is_that_of_postgres(tables: list[str]) -> None:
    sql = "SELECT 1 / (o.id - c.id) FROM orders o, customers c"
    shown = holdfast("query", sql, *tables)
    assert (shown.returncode, shown.stdout, shown.stderr) == (1, "", "ERROR:  22012: division by zero\n")
