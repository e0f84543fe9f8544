"""A line to PostgreSQL that can be cut at the worst moment."""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path

SOCKET = ".s.PGSQL.5432"


class Cut(Enum):
    """What is lost when the line is cut: the next thing the client says, or the server's answer to it."""

    REQUEST = "request"
    REPLY = "reply"


class Line:
    """Passes on what both ends say, from the socket in `directory` to the one of a server."""

    def __init__(self, directory: Path, server: Path) -> None:
        self.url = f"postgresql://postgres@/postgres?host={directory}"
        self.cut: Cut | None = None
        """Set to have the line of whoever speaks next cut, once."""
        self._server = server
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(directory / SOCKET))
        self._listener.listen()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._threads.append(threading.Thread(target=self._pass_on, args=(client,)))
            self._threads[-1].start()

    def _pass_on(self, client: socket.socket) -> None:
        cut: Cut | None = None
        with client, socket.socket(socket.AF_UNIX) as server, selectors.DefaultSelector() as ready:
            server.connect(str(self._server / SOCKET))
            ready.register(client, selectors.EVENT_READ)
            ready.register(server, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    speaker, listener = (client, server) if key.fileobj is client else (server, client)
                    data = speaker.recv(2**16)
                    if speaker is client and self.cut is not None:
                        cut, self.cut = self.cut, None
                    lost = cut is Cut.REQUEST or (cut is Cut.REPLY and speaker is server)
                    if lost or not data:
                        return
                    listener.sendall(data)


@contextmanager
def line(directory: Path, server: Path) -> Iterator[Line]:
    through = Line(directory, server)
    try:
        yield through
    finally:
        through.close()
