"""`holdfast sql` against a server: piped, given a command, and typed into a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast.sql.parser import is_finished
from tests.serving import ENOUGH, PROGRAM, ServerProcess, running_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("shell") / "data", "--http", "off") as running:
        with running.connect() as connection:
            connection.execute("CREATE TABLE t (a int, b text)")
            connection.execute("INSERT INTO t VALUES (1, 'x'), (20, NULL)")
        yield running


def command(server: ServerProcess, *flags: str) -> list[str]:
    return [sys.executable, "-c", PROGRAM, "sql", "--port", str(server.port), *flags]


def run(server: ServerProcess, *flags: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(server, "--no-psql", *flags), capture_output=True, text=True, input=given, timeout=ENOUGH, check=False
    )


def test_a_command_is_run_and_shown_as_a_table(server: ServerProcess) -> None:
    done = run(server, "-c", "SELECT a, b FROM t ORDER BY a; SELECT true AS yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == " a  | b\n----+---\n  1 | x\n 20 |\n(2 rows)\n yes\n-----\n t\n(1 row)\n"


def test_statements_are_read_from_a_pipe(server: ServerProcess) -> None:
    done = run(server, given="SET application_name = 'here';\nSHOW application_name;\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "SET"
    assert " here" in done.stdout.splitlines()


def test_an_error_says_where_and_is_the_exit_status(server: ServerProcess) -> None:
    done = run(server, "-c", "SELECT a,\n       nothing FROM t")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[:3] == [
        'ERROR:  42703: column "nothing" does not exist',
        "LINE 2:        nothing FROM t",
        "               ^",
    ]


def test_notices_are_shown(server: ServerProcess) -> None:
    done = run(server, "-c", "COMMIT")
    assert (done.stdout, done.stderr) == ("COMMIT\n", "WARNING:  there is no transaction in progress\n")


def test_copy_to_stdout_is_what_is_copied(server: ServerProcess) -> None:
    assert run(server, "-c", "COPY (SELECT a, b FROM t ORDER BY a) TO STDOUT").stdout == "1\tx\n20\t\\N\n"


def test_without_a_server_there_is_one_line_and_status_2(server: ServerProcess) -> None:
    done = run(server, "--host", "127.0.0.1", "--port", "1", "-c", "SELECT 1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: connection failed: ")


def test_psql_is_used_where_there_is_one(server: ServerProcess, tmp_path: Path) -> None:
    program = tmp_path / "psql"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        command(server, "-c", "SELECT 1"), capture_output=True, text=True, env=environment, timeout=ENOUGH, check=True
    )
    assert done.stdout == f"-h 127.0.0.1 -p {server.port} -U materialize -d materialize -c SELECT 1\n"


class Terminal:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def until(self, pattern: str) -> str:
        """What is shown up to a match."""
        shown = ""
        while not re.search(pattern, shown):
            ready, _, _ = select.select([self._descriptor], [], [], ENOUGH)
            assert ready, f"there was no {pattern!r} in {shown!r}"
            try:
                shown += os.read(self._descriptor, 1 << 16).decode().replace("\r", "")
            except OSError:  # nobody is at the other end any more
                raise AssertionError(f"the shell ended after {shown!r}") from None
        return shown


@contextmanager
def terminal(server: ServerProcess, home: Path) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command(server, "--no-psql"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "XDG_STATE_HOME": str(home), "TERM": "dumb", "INPUTRC": "/dev/null"},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that it gets what Control-C is
    )
    os.close(theirs)
    try:
        typing = Terminal(ours)
        typing.until("materialize=> ")
        yield typing
        typing.type("\\q\n")
        assert process.wait(ENOUGH) == 0
    finally:
        process.kill()
        process.wait(ENOUGH)
        os.close(ours)


def test_a_statement_may_take_several_lines_and_the_prompt_tells_the_transaction(
    server: ServerProcess, tmp_path: Path
) -> None:
    with terminal(server, tmp_path) as typing:
        typing.type("SELECT a\n")
        typing.until("materialize-> ")
        typing.type("FROM t WHERE b = 'x';\n")
        assert " a\n---\n 1\n(1 row)\n" in typing.until("=> $")
        typing.type("BEGIN;\n")
        typing.until(r"materialize=\*> $")
        typing.type("SELECT nothing;\n")
        assert "ERROR:  42703" in typing.until(r"materialize=!> $")
        typing.type("ROLLBACK;\n")
        typing.until("materialize=> $")
    assert "FROM t WHERE b = 'x';" in (tmp_path / "holdfast" / "history").read_text()


def test_commands_of_psql_that_people_type_first(server: ServerProcess, tmp_path: Path) -> None:
    script = tmp_path / "some.sql"
    script.write_text("SELECT 'from a file';\n")
    with terminal(server, tmp_path) as typing:
        for typed, shown in (
            ("\\?", "A statement ends with a semicolon"),
            ("\\dt", r"\n t "),
            ("\\d t", r"integer"),
            ("\\l", "materialize"),
            ("\\du", "materialize"),
            ("\\dn", "public"),
            (f"\\i {script}", "from a file"),
            ("\\i nowhere", "No such file"),
            ("\\nonsense", "invalid command"),
            ("\\timing", "Timing is on"),
            ("SELECT 1;", r"Time: \d+\.\d+ ms"),
        ):
            typing.type(f"{typed}\n")
            assert re.search(shown, typing.until("=> $"))


def test_a_subscription_is_shown_as_it_goes_until_it_is_interrupted(server: ServerProcess, tmp_path: Path) -> None:
    with server.connect() as connection:
        connection.execute("CREATE TABLE s (a int)")
        connection.execute("INSERT INTO s VALUES (1)")
        with terminal(server, tmp_path) as typing:
            typing.type("SUBSCRIBE s;\n")
            typing.until(r"mz_timestamp\tmz_diff\ta\n\d+\t1\t1\n")
            connection.execute("INSERT INTO s VALUES (2)")
            typing.until(r"\n?\d+\t1\t2\n")
            typing.type("\x03")
            typing.until("=> $")
            typing.type("SELECT 5 AS five;\n")
            assert " five\n------\n    5\n" in typing.until("=> $")


def test_a_view_that_gets_its_first_rows_is_watched_until_it_has_them_or_someone_leaves(
    server: ServerProcess, tmp_path: Path
) -> None:
    body = "import os, time\nwhile not os.path.exists(path): time.sleep(0.01)\nreturn a"
    with server.connect() as connection:
        connection.execute(f"CREATE FUNCTION waits(a int, path text) RETURNS int LANGUAGE python AS $$\n{body}\n$$")
        with terminal(server, tmp_path) as typing:
            for name in ("watched", "abandoned"):
                go = tmp_path / name
                typing.type(f"CREATE MATERIALIZED VIEW {name} AS SELECT waits(a, '{go}') AS a FROM t;\n")
                typing.until(rf"CREATE MATERIALIZED VIEW\n{name} \[\.+\]   \? %  of 2 rows")
                if name == "abandoned":
                    typing.type("\x03")
                    typing.until(r"abandoned goes on in the background\.\n.*=> $")
                    go.touch()
                else:
                    go.touch()
                    typing.until("=> $")
                assert connection.execute(f"SELECT a FROM {name} ORDER BY a").fetchall() == [(1,), (20,)]


def test_nothing_is_drawn_where_nobody_watches(server: ServerProcess) -> None:
    done = run(server, "-c", "CREATE MATERIALIZED VIEW unwatched AS SELECT count(*) FROM t")
    assert (done.stdout, done.stderr) == ("CREATE MATERIALIZED VIEW\n", "")


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("SELECT 1", False),
        ("SELECT 1;", True),
        ("SELECT 1; -- done", True),
        ("SELECT ';", False),
        ("SELECT ';';", True),
        ("SELECT $$;", False),
        ("/* ; ", False),
        ("", False),
        (";", True),
        ("SELECT 1; SELECT", False),
    ],
)
def test_a_statement_is_finished_by_a_semicolon_of_its_own(text: str, finished: bool) -> None:
    assert is_finished(text) == finished
