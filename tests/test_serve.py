"""`holdfast serve`, as a process that is asked, stopped, killed and taken over."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from tests.serving import ENOUGH, ServerProcess, refused, running_server, serve_command, start_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with running_server(tmp_path / "data") as running:
        yield running


def rows(server: ServerProcess, query: str) -> list[tuple[object, ...]]:
    with server.connect() as connection:
        return connection.execute(query).fetchall()


def test_one_line_on_stdout_says_that_it_is_ready_and_where(server: ServerProcess) -> None:
    assert rows(server, "SELECT 1") == [(1,)]
    assert server.terminate() == 0
    assert server.process.stdout is not None
    assert server.process.stdout.read() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_cleanly_with_clients_connected(server: ServerProcess, number: signal.Signals) -> None:
    with server.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        server.process.send_signal(number)
        assert server.process.wait(ENOUGH) == 0
        with pytest.raises(psycopg.OperationalError, match="terminating connection due to administrator command"):
            connection.execute("SELECT 1")
    assert "stopped" in server.log
    assert "ERROR" not in server.log


def test_what_was_acknowledged_is_there_after_a_kill_without_any_unlocking(tmp_path: Path) -> None:
    with running_server(tmp_path / "data") as server, server.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        connection.execute("INSERT INTO t VALUES (1), (2)")
        server.kill()
    with running_server(tmp_path / "data") as server:
        assert rows(server, "SELECT a FROM t ORDER BY a") == [(1,), (2,)]


def test_a_second_server_is_refused_with_the_name_of_the_first(server: ServerProcess, tmp_path: Path) -> None:
    said = refused(tmp_path / "data")
    assert f"is in use by process {server.process.pid} on {socket.gethostname()}, since " in said
    assert "hint: Stop it first, or start with --take-over to fence it." in said
    assert rows(server, "SELECT 1") == [(1,)]


def test_a_second_server_with_another_folder_on_the_same_store_is_refused(
    server: ServerProcess, tmp_path: Path
) -> None:
    said = refused(tmp_path / "other", *same_store(tmp_path))
    assert f"locked by another writer: process {server.process.pid} on {socket.gethostname()}" in said
    assert "--take-over" in said


def same_store(tmp_path: Path) -> list[str]:
    data = tmp_path / "data"
    return ["--metadata", f"sqlite://{data / 'metadata.db'}", "--blob", str(data / "parts")]


@pytest.mark.parametrize("folder", ["data", "other"])
def test_taking_over_fences_the_first_which_ends(server: ServerProcess, tmp_path: Path, folder: str) -> None:
    with server.connect() as connection:
        connection.execute("CREATE TABLE t (a int)")
        connection.execute("INSERT INTO t VALUES (1)")
        with running_server(tmp_path / folder, "--take-over", *same_store(tmp_path)) as second:
            assert server.process.wait(ENOUGH) == 1
            assert "error: this writer (epoch 1) was fenced by a later one" in server.log
            with pytest.raises(psycopg.OperationalError):
                connection.execute("INSERT INTO t VALUES (2)")
            assert rows(second, "SELECT a FROM t") == [(1,)]


def test_taking_over_where_nobody_is_just_starts(tmp_path: Path) -> None:
    with running_server(tmp_path / "data", "--take-over") as server:
        assert rows(server, "SELECT 1") == [(1,)]


def test_an_address_that_is_taken_is_an_error_of_one_line(server: ServerProcess, tmp_path: Path) -> None:
    said = refused(tmp_path / "more", "--listen", f"127.0.0.1:{server.port}")
    assert said.splitlines()[-1] == f"error: cannot listen on 127.0.0.1:{server.port}: address already in use"


def test_other_addresses_without_passwords_are_refused_unless_forced(tmp_path: Path) -> None:
    open_to_all = ("--listen", "0.0.0.0:0", "--authentication", "trust")
    assert 'error: refusing to listen on "0.0.0.0" without passwords' in refused(tmp_path / "data", *open_to_all)
    ended = subprocess.Popen(
        [*serve_command(tmp_path / "data"), *open_to_all, "--http", "off", "--force-trust"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert ended.stdout is not None
    with ended.stdout:
        assert ended.stdout.readline().startswith("holdfast is ready: postgresql://materialize@0.0.0.0:")
    ended.kill()
    ended.wait(ENOUGH)


def test_settings_come_from_flags_then_the_environment_then_a_file(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('http = "127.0.0.1:1"\nlog_level = "debug"\nmax_connections = 2\n')
    environment = {"HOLDFAST_CONFIG": str(tmp_path / "settings.toml"), "HOLDFAST_LOG_LEVEL": "error"}
    # The flag for the port of HTTP has the last word: port 1 would be refused.
    with running_server(tmp_path / "data", environment=environment) as server:
        assert server.log == ""
        with server.connect(), server.connect(), pytest.raises(psycopg.OperationalError, match="too many clients"):
            server.connect()


def test_passwords_are_not_logged(tmp_path: Path, postgres: str) -> None:
    secret = postgres.partition("://")[2].partition("@")[0].partition(":")[2]
    with running_server(tmp_path / "data", "--metadata", postgres, "--log-level", "debug") as server:
        with server.connect() as connection:
            connection.execute("CREATE ROLE someone LOGIN PASSWORD 'opensesame'")
        server.terminate()
        assert "opensesame" not in server.log
        assert not secret or secret not in server.log


def test_plain_statements_work_before_spark_is_up_and_while_it_is_replaced(tmp_path: Path) -> None:
    """And queries that need it wait for it."""
    needs_spark = "SELECT count(*) FROM (SELECT a, sum(b) FROM t GROUP BY a)"
    with running_server(tmp_path / "data", "--spark-eager") as server, server.connect() as connection:
        connection.execute("SET statement_timeout = 0")  # Spark may take longer to start
        connection.execute("CREATE TABLE t (a int, b int)")
        connection.execute("INSERT INTO t SELECT x, x FROM generate_series(1, 20000) AS s (x)")
        assert connection.execute("SELECT b FROM t WHERE a = 7").fetchall() == [(7,)]
        assert connection.execute(needs_spark).fetchall() == [(20000,)]
        (java,) = psutil.Process(server.process.pid).children()
        java.kill()
        while java.is_running() and java.status() != psutil.STATUS_ZOMBIE:
            pass
        assert connection.execute("SELECT b FROM t WHERE a = 8").fetchall() == [(8,)]
        connection.execute("INSERT INTO t VALUES (20001, 1)")
        # Spark ends while nothing runs on it: what needs it waits for the next.
        assert connection.execute(needs_spark).fetchall() == [(20001,)]
        assert "spark is gone, starting it again" in server.log


def test_a_server_that_is_killed_leaves_no_java_behind(tmp_path: Path) -> None:
    server = start_server(tmp_path / "data", "--spark-eager")
    children: list[psutil.Process] = []
    while not children:
        children = psutil.Process(server.process.pid).children(recursive=True)
    server.end()
    _, alive = psutil.wait_procs(children, timeout=ENOUGH)
    assert alive == []
