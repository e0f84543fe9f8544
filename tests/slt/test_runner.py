"""The runner reads records, and finds what is not as they say, in the answers of a PostgreSQL."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest

from tests.slt.records import Malformed, Query, Restart, records
from tests.slt.runner import Connection, Difference, Runner

PAGE = Path(__file__).parent.parent.parent / "docs" / "testing.md"

RIGHT = """
# A comment.

statement ok
CREATE TEMP TABLE t (a int, b text, c boolean, d numeric)

statement count 2
INSERT INTO t VALUES (1, '', true, 1.50), (2, NULL, false, 'NaN')

query ITBR colnames
SELECT * FROM t ORDER BY a
----
a b c d
1  (empty)  true  1.50
2  NULL  false  NaN

query I rowsort
SELECT a FROM t ORDER BY a DESC
----
1
2

query IT valuesort
SELECT a, b FROM t
----
(empty)  1
2  NULL

query T
SELECT E'x\\ny' || now()
----
x⏎y...

query error 22012 division by zero
SELECT 1 / 0

statement error relation "..." does not exist
SELECT * FROM nowhere

statement notice 42P07 relation "t" already exists, skipping
CREATE TEMP TABLE IF NOT EXISTS t (a int)

let two
SELECT 1 + 1

query I
SELECT ${two} + 1
----
3

statement count 2
COPY t (a, b) FROM STDIN
----
5\tfive
6\t\\N

query T
COPY (SELECT a, b FROM t WHERE a > 4 ORDER BY a) TO STDOUT
----
5\tfive
6\t\\N

query I conn=other
SELECT count(*) FROM pg_class WHERE relname = 'nowhere'
----
0
"""

WRONG = {
    "rows": "query I\nSELECT 1\n----\n2",
    "fewer rows": "query I\nSELECT 1\n----",
    "more rows": "query I\nSELECT 1\n----\n1\n1",
    "names": "query I colnames\nSELECT 1 AS a\n----\nb\n1",
    "the number of columns": "query I\nSELECT 1, 2\n----\n1  2",
    "the type of a column": "query I\nSELECT 'x'\n----\nx",
    "an error that there is": "query I\nSELECT 1 / 0\n----\n1",
    "an error that there is not": "statement error\nSELECT 1",
    "an error of which nothing is said": "statement error\nSELECT 1 / 0",
    "the code of an error": "statement error 22003\nSELECT 1 / 0",
    "the text of an error": "statement error 22012 zero division\nSELECT 1 / 0",
    "how many rows change": "statement count 2\nCREATE TEMP TABLE u AS SELECT 1",
    "a notice": "statement notice skipping\nSELECT 1",
    "a notice of which nothing is said": "statement notice\nDROP TABLE IF EXISTS nowhere",
}


def runner(url: str) -> Runner:
    def connect(user: str) -> Connection:
        assert user == "materialize"
        return psycopg.connect(url, autocommit=True)

    return Runner(connect, lambda: None)


def test_what_is_as_a_file_says_passes(postgres: str, tmp_path: Path) -> None:
    (tmp_path / "right.slt").write_text(RIGHT)
    runner(postgres).run(tmp_path / "right.slt")


def test_the_example_in_the_documentation_passes(postgres: str, tmp_path: Path) -> None:
    example = re.findall(r"^```\n(statement .+?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "example.slt").write_text(*example)
    runner(f"{postgres}&options=-csearch_path%3Dpg_temp").run(tmp_path / "example.slt")


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_not_as_a_file_says_is_found(text: str, postgres: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.slt").write_text(f"# Wrong:\n\n{text}\n")
    with pytest.raises(Difference, match=r"^wrong\.slt:3: "):
        runner(postgres).run(tmp_path / "wrong.slt")


@pytest.mark.parametrize("text", ["query\nSELECT 1", "statement\nSELECT 1", "query I sorted\nSELECT 1\n----", "hello"])
def test_what_is_no_record_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(Malformed, match=r"^line 2: "):
        list(records(f"\n{text}"))


def test_records_know_where_they_are() -> None:
    found = list(records("query I conn=a user=b\nSELECT 1\n----\n1\n\n\nrestart\n"))
    assert found == [
        Query(0, 4, "SELECT 1", "a", "b", "I", "nosort", None, ("1",)),
        Restart(6, 7, "", "default", None),
    ]
