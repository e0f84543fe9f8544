from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from holdfast.adapter.session.session import Session
from holdfast.errors import HoldfastError
from tests.adapter.asking import ask, ask_all, refusal, rows


@pytest.fixture(autouse=True)
async def table(session: Session) -> None:
    await ask(session, "CREATE TABLE t (a int NOT NULL, b text DEFAULT 'none', c numeric(5, 2))")


async def test_rows_are_copied_in_and_out(session: Session) -> None:
    assert (await ask(session, "COPY t FROM STDIN", b"1\tx\t2.5\n2\t\\N\t\\N\n")).tag == "COPY 2"
    assert await rows(session, "SELECT * FROM t ORDER BY a") == [("1", "x", "2.5"), ("2", None, None)]
    out = await ask(session, "COPY t TO STDOUT")
    assert (out.tag, sorted(out.rows[0][0].splitlines())) == ("COPY 2", [b"1\tx\t2.5", b"2\t\\N\t\\N"])
    csv = await ask(session, "COPY (SELECT a, b FROM t WHERE a = 1) TO STDOUT WITH (FORMAT csv, HEADER)")
    assert csv.rows[0][0] == b"a,b\n1,x\n"


async def test_columns_that_are_not_given_have_their_defaults(session: Session) -> None:
    await ask(session, "COPY t (a) FROM STDIN", b"1\n")
    assert await rows(session, "SELECT * FROM t") == [("1", "none", None)]


async def test_a_row_that_is_wrong_leaves_no_other_behind(session: Session) -> None:
    with pytest.raises(HoldfastError):
        await ask(session, "COPY t FROM STDIN", b"1\tx\t2.5\nwrong\ty\t1\n")
    with pytest.raises(HoldfastError, match='null value in column "a"'):
        await ask(session, "COPY t FROM STDIN", b"1\tx\t2.5\n\\N\ty\t1\n")
    assert await rows(session, "SELECT * FROM t") == []


async def test_what_is_copied_in_belongs_to_the_transaction(session: Session, other: Session) -> None:
    await ask(session, "BEGIN")
    await ask(session, "COPY t FROM STDIN", b"1\tx\t2.5\n")
    assert await rows(other, "SELECT * FROM t") == []
    await ask_all(session, "COMMIT")
    assert len(await rows(other, "SELECT * FROM t")) == 1


async def test_files_are_written_by_those_who_may(session: Session, tmp_path: Path) -> None:
    await ask(session, "INSERT INTO t SELECT g, 'row', 1 FROM generate_series(1, 100) g")
    folder = tmp_path / "out"
    answer = await ask(session, f"COPY (SELECT a, b FROM t) TO 'file://{folder}' WITH (FORMAT = 'parquet')")
    assert answer.tag == "COPY 100"
    (file,) = folder.iterdir()
    assert sorted(pq.read_table(file)["a"].to_pylist()) == list(range(1, 101))
    assert (await refusal(session, "COPY t TO 'ftp://elsewhere' WITH (FORMAT = 'csv')"))[0] == "22023"
