"""Views with functions of users that take their time: they keep nobody else from work, and end."""

from __future__ import annotations

import os
from pathlib import Path

from holdfast.adapter.database import Database
from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, database, refusal, rows
from tests.adapter.maintain.test_trouble import until


async def hanging(opened: Database, file: Path) -> Session:
    """A view whose function does not return for rows of which n is 0; it writes its process to the file before."""
    session = await opened.connect("materialize")
    body = f"if n == 0:\n  open({str(file)!r}, 'w').write(str(__import__('os').getpid()))\nwhile n == 0: pass\nreturn n"
    await ask(session, f"CREATE FUNCTION f(n int8) RETURNS int8 LANGUAGE python AS $$\n{body}\n$$")
    await ask(session, "CREATE TABLE t (n int8)")
    await ask(session, "INSERT INTO t VALUES (1), (2)")
    await ask(session, "CREATE MATERIALIZED VIEW slow AS SELECT a.n, f(a.n) AS f FROM t a JOIN t b ON a.n = b.n")
    await ask(session, "CREATE MATERIALIZED VIEW quick AS SELECT a.n FROM t a JOIN t b ON a.n = b.n")
    assert await rows(session, "SELECT f FROM slow ORDER BY n") == [("1",), ("2",)]
    return session


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def begun_in(file: Path) -> bool:
    return file.exists() and bool(file.read_text())


async def test_a_function_that_never_returns_keeps_no_other_view_from_its_work(tmp_path: Path) -> None:
    file = tmp_path / "process"
    async with database() as opened:
        session = await hanging(opened, file)
        await ask(session, "INSERT INTO t VALUES (0)")
        await until(lambda: begun_in(file))
        for n in (3, 4):
            await ask(session, f"INSERT INTO t VALUES ({n})")
            assert await rows(session, f"SELECT n FROM quick WHERE n = {n}") == [(str(n),)]
        process = int(file.read_text())
        assert is_running(process)
        await ask(session, "DROP MATERIALIZED VIEW slow")
        await until(lambda: not is_running(process))


async def test_a_function_that_takes_too_long_makes_its_view_err_until_the_row_has_gone(tmp_path: Path) -> None:
    async with database() as opened:
        session = await hanging(opened, tmp_path / "process")
        await ask(session, "ALTER SYSTEM SET python_function_timeout = '300 ms'")
        await ask(session, "INSERT INTO t VALUES (0)")
        late = ("57014", "function f: did not return within 0.3 s")
        assert await refusal(session, "SELECT * FROM slow") == late
        assert await rows(session, "SELECT count(*) FROM quick") == [("3",)]
        await ask(session, "DELETE FROM t WHERE n = 0")
        assert await rows(session, "SELECT f FROM slow ORDER BY n") == [("1",), ("2",)]


async def test_the_limit_is_the_systems() -> None:
    async with database() as opened:
        session = await opened.connect("materialize")
        assert await rows(session, "SHOW python_function_timeout") == [("1 min",)]
        code, _ = await refusal(session, "SET python_function_timeout = '1 s'")
        assert code == "55P02"
        assert (await refusal(session, "ALTER SYSTEM SET python_function_timeout = 'soon'"))[0] == "22023"
