"""A client that says what it is told, byte by byte, and a server to say it to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from struct import pack, unpack_from
from typing import NamedTuple

from holdfast.adapter.database import Database
from holdfast.server.pgwire import PgwireSettings, Server, serve
from tests.adapter.asking import database as opened

HOST = "127.0.0.1"
PATIENCE = 20.0
"""Seconds after which a server that says nothing has failed the test."""


class Said(NamedTuple):
    """A message of the server's."""

    kind: str
    body: bytes

    @property
    def fields(self) -> dict[str, str]:
        """Those of an error or a notice."""
        assert self.kind in "EN", self
        return {part[:1].decode(): part[1:].decode() for part in self.body.split(b"\0") if part}

    @property
    def code(self) -> str:
        return self.fields["C"]

    @property
    def tag(self) -> str:
        assert self.kind == "C", self
        return self.body[:-1].decode()

    @property
    def row(self) -> tuple[bytes | None, ...]:
        assert self.kind == "D", self
        found: list[bytes | None] = []
        (count,), at = unpack_from(">H", self.body), 2
        for _ in range(count):
            (size,) = unpack_from(">i", self.body, at)
            at += 4
            found.append(None if size < 0 else self.body[at : at + size])
            at += max(0, size)
        assert at == len(self.body)
        return tuple(found)


def kinds(said: Sequence[Said]) -> str:
    return "".join(each.kind for each in said)


def rows(said: Sequence[Said]) -> list[tuple[bytes | None, ...]]:
    return [each.row for each in said if each.kind == "D"]


# What a client says.


def message(kind: str, body: bytes = b"") -> bytes:
    return kind.encode() + pack(">I", len(body) + 4) + body


def startup(parameters: dict[str, str] | None = None, *, version: int = 3 << 16) -> bytes:
    given = {"user": "materialize", "database": "materialize"} | (parameters or {})
    body = b"".join(text(name) + text(value) for name, value in given.items()) + b"\0"
    return pack(">II", len(body) + 8, version) + body


def text(value: str) -> bytes:
    return value.encode() + b"\0"


def query(sql: str) -> bytes:
    return message("Q", text(sql))


def parse(sql: str, name: str = "", types: Sequence[int] = ()) -> bytes:
    return message("P", text(name) + text(sql) + pack(f">H{len(types)}I", len(types), *types))


def bind(
    values: Sequence[bytes | None] = (),
    *,
    portal: str = "",
    statement: str = "",
    formats: Sequence[int] = (),
    result_formats: Sequence[int] = (),
) -> bytes:
    cells = b"".join(pack(">i", -1) if value is None else pack(">i", len(value)) + value for value in values)
    body = text(portal) + text(statement) + pack(f">H{len(formats)}h", len(formats), *formats)
    body += pack(">H", len(values)) + cells
    return message("B", body + pack(f">H{len(result_formats)}h", len(result_formats), *result_formats))


def describe(target: str, name: str = "") -> bytes:
    return message("D", target.encode() + text(name))


def close(target: str, name: str = "") -> bytes:
    return message("C", target.encode() + text(name))


def execute(portal: str = "", limit: int = 0) -> bytes:
    return message("E", text(portal) + pack(">i", limit))


SYNC, FLUSH, TERMINATE, COPY_DONE = message("S"), message("H"), message("X"), message("c")


def copy_data(data: bytes) -> bytes:
    return message("d", data)


def copy_fail(reason: str) -> bytes:
    return message("f", text(reason))


class Wire:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.key = (0, 0)

    def send(self, *data: bytes) -> None:
        self.writer.write(b"".join(data))

    async def exactly(self, size: int) -> bytes:
        async with asyncio.timeout(PATIENCE):
            return await self.reader.readexactly(size)

    async def one(self) -> Said:
        """The next message."""
        kind, length = unpack_from(">cI", await self.exactly(5))
        return Said(kind.decode(), await self.exactly(length - 4))

    async def until(self, ends: str = "Z") -> list[Said]:
        """The messages up to one of these kinds."""
        found = [await self.one()]
        while found[-1].kind not in ends:
            found.append(await self.one())
        return found

    async def ask(self, *data: bytes) -> list[Said]:
        """Says something, and returns what the server says until it is ready."""
        self.send(*data)
        return await self.until()

    async def ended(self) -> list[Said]:
        """What the server says until it closes the connection."""
        found = []
        while True:
            try:
                found.append(await self.one())
            except (asyncio.IncompleteReadError, ConnectionError):
                return found

    async def end(self) -> None:
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except ConnectionError:
            return

    async def log_in(self, parameters: dict[str, str] | None = None) -> list[Said]:
        said = await self.ask(startup(parameters))
        found = [unpack_from(">II", each.body) for each in said if each.kind == "K"]
        self.key = found[0]
        return said


@asynccontextmanager
async def connected(server: Server, *, log_in: bool = True) -> AsyncIterator[Wire]:
    reader, writer = await asyncio.open_connection(HOST, server.port)
    wire = Wire(reader, writer)
    try:
        if log_in:
            await wire.log_in()
        yield wire
    finally:
        await wire.end()


async def fill(server: Server, table: str, rows: Sequence[bytes]) -> None:
    """A new table of (n int, s text), whose plain reads need no Spark however large it is."""
    lines = b"".join(b"%d\t%s\n" % (number, row) for number, row in enumerate(rows))
    async with connected(server) as wire:
        await wire.ask(query(f"CREATE TABLE {table} (n int, s text)"))
        said = await wire.ask(query(f"COPY {table} FROM STDIN"), copy_data(lines), COPY_DONE)
        assert said[-2].tag == f"COPY {len(rows)}"


@asynccontextmanager
async def serving(settings: PgwireSettings | None = None) -> AsyncIterator[tuple[Server, Database]]:
    """A server of a new database in memory, without Spark."""
    async with opened() as database:
        server = await serve(database, HOST, 0, settings or PgwireSettings(stop_timeout=1))
        try:
            yield server, database
        finally:
            await server.stop()
