"""A database in memory, and sessions that ask of it as clients do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from holdfast.adapter.database import Database, DatabaseSettings
from holdfast.adapter.results import CopyIn, CopyOut, Done, Empty, Result, Rows
from holdfast.adapter.session.session import Session
from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.persist import Location, PersistSettings
from holdfast.persist.blob.memory import MemoryBlob
from holdfast.persist.metadata.memory import MemoryMetadata
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import Type

QUIET = PersistSettings(compact=False, notify=False)


@asynccontextmanager
async def database() -> AsyncIterator[Database]:
    """A new one, without Spark."""
    settings = DatabaseSettings(
        Location.of("memory:", "memory:"),
        persist=QUIET,
        metadata=MemoryMetadata(),
        blob=MemoryBlob(),
        eager_spark=False,
    )
    opened = await Database.open(settings)
    try:
        yield opened
    finally:
        await opened.stop()


@dataclass(frozen=True)
class Answer:
    tag: str
    names: tuple[str, ...] = ()
    types: tuple[Type, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()

    @property
    def texts(self) -> list[tuple[str | None, ...]]:
        """The rows as clients see them."""
        writers = [write_of(type_) for type_ in self.types]
        return [
            tuple(None if value is None else write(value) for write, value in zip(writers, row, strict=True))
            for row in self.rows
        ]


async def taken(result: Result, data: bytes = b"") -> Answer:
    """A result, read to its end."""
    match result:
        case Done():
            return Answer(result.tag)
        case Empty():
            return Answer("")
        case Rows():
            rows = [row async for piece in result.pieces for row in piece.rows()]
            tag = result.counted or f"{result.tag} {len(rows)}"
            columns = result.columns
            return Answer(tag, tuple(c.name for c in columns), tuple(c.type for c in columns), tuple(rows))
        case CopyOut():
            messages = [message async for some in result.messages for message in some]
            return Answer(f"COPY {result.count()}", rows=((b"".join(messages),),))
        case CopyIn():
            done = await result.take(_chunks(data))
            return Answer(done.tag)


async def _chunks(data: bytes) -> AsyncIterator[bytes]:
    yield data


async def ask_all(session: Session, text: str, data: bytes = b"") -> list[Answer]:
    """By the simple protocol: an answer for each statement."""
    async with aclosing(session.run(text)) as results:
        return [await taken(result, data) async for result in results]


async def ask(session: Session, text: str, data: bytes = b"") -> Answer:
    (answer,) = await ask_all(session, text, data)
    return answer


async def rows(session: Session, text: str) -> list[tuple[str | None, ...]]:
    return (await ask(session, text)).texts


async def prepared(session: Session, text: str, values: Sequence[object] = ()) -> Answer:
    """By the extended protocol."""
    await session.prepare("", text, ())
    await session.bind("", "", values)
    answer = await taken(await session.execute(""))
    await session.sync()
    return answer


async def refusal(session: Session, text: str) -> tuple[str, str]:
    """The code and the message of the error that the text gives."""
    try:
        await ask_all(session, text)
    except HoldfastError as error:
        return sqlstate(error), str(error)
    raise AssertionError(f"{text} did not fail")
