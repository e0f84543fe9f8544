"""The database in this process, without a port.

`open` is for plain Python, `open_async` for programs with an event loop of their own. A folder belongs to one process
at a time (`holdfast.adapter.ownership`). Spark is started by the first query that needs it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapter import results
from holdfast.adapter.database import Database as Adapter
from holdfast.adapter.owned import owned
from holdfast.adapter.results import CopyIn, CopyOut, Done, Empty, Piece, Rows
from holdfast.adapter.session.session import Session
from holdfast.compute.evaluate.values import table_of
from holdfast.persist.sync import Loop
from holdfast.plan.python_values import python_rows, value_of
from holdfast.plan.types import spark_type
from holdfast.result_text import as_table
from holdfast.server.pgwire.rows import close_iterator
from holdfast.server.settings import ServerSettings
from holdfast.spark import spark_errors
from holdfast.spark.frame import frame_of
from holdfast.sql import OutputColumn
from holdfast.sql.errors import NotSupported

_USER = "materialize"

_PATIENT = {"statement_timeout": "0"}
"""Who waits here can stop waiting; and the first query that needs Spark waits for it to start."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a statement answered. `tag` is as psql shows it (`INSERT 0 1`); one without rows has no columns."""

    tag: str
    columns: tuple[OutputColumn, ...] = ()
    _pieces: tuple[Piece, ...] = field(default=(), repr=False)
    _session: Callable[[], SparkSession] | None = field(default=None, repr=False, compare=False)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def rows(self) -> list[tuple[Any, ...]]:
        """The values as `holdfast.plan.python_values` says."""
        types = [column.type for column in self.columns]
        return [row for piece in self._pieces for row in python_rows(types, piece.rows())]

    def arrow(self) -> pa.Table:
        """Names may repeat."""
        if not self._pieces:
            return table_of([], [column.type for column in self.columns], self.names)
        return pa.concat_tables([piece.table(self.names) for piece in self._pieces])

    def spark(self, session: SparkSession | None = None) -> DataFrame:
        """The rows in Spark: in `session`, or in that of the database, which is waited for."""
        if session is None:
            if self._session is None:
                raise NotSupported("this result needs to be told which session of Spark's to use")
            session = self._session()
        plain = [f"c{index}" for index in range(len(self.columns))]
        schema = ", ".join(f"c{index} {spark_type(column.type)}" for index, column in enumerate(self.columns))
        with spark_errors():
            return frame_of(session, self.arrow().rename_columns(plain), schema).toDF(*self.names)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows())

    def __len__(self) -> int:
        return sum(map(len, self._pieces))

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        """A table for people."""
        if not self.columns:
            return self.tag
        types = [column.type for column in self.columns]
        return "\n".join(as_table(self.names, types, [row for piece in self._pieces for row in piece.rows()]))


class AsyncDatabase:
    """Made by `open_async`. Its statements run in one session, one after another; streams have their own."""

    def __init__(self, adapter: Adapter, session: Session, user: str) -> None:
        self.adapter, self._session, self._user = adapter, session, user
        self._turn = asyncio.Lock()

    async def sql(self, text: str, params: Sequence[object] | None = None) -> Result:
        """Run it. Several statements are one transaction, unless they say otherwise; the last one's result is returned.

        With `params`, which `$1` and so on stand for, there is one statement.
        """
        async with self._turn:
            found = Result("")
            async with aclosing(_answers(self._session, text, params)) as answers:
                async for answer in answers:
                    found = await _taken(answer)
            return found

    async def stream(self, text: str, params: Sequence[object] | None = None) -> AsyncGenerator[Result, None]:
        """The rows of one statement as they come, some at a time: a large result, or a SUBSCRIBE, which goes on."""
        session = await self.adapter.connect(self._user, options=_PATIENT)
        try:
            async with aclosing(_answers(session, text, params)) as answers:
                async for answer in answers:
                    if not isinstance(answer, Rows):
                        raise NotSupported("only rows can be streamed")
                    async for piece in answer.pieces:
                        yield Result(answer.tag, answer.columns, (piece,))
        finally:
            await self.adapter.disconnect(session)

    async def spark(self) -> SparkSession:
        """The database's Spark, once it is up."""
        return await self.adapter.runtime.session()


class Database:
    """Made by `open`, ended by `close` or by leaving its `with` block. It can be used by several threads."""

    def __init__(self, loop: Loop, inner: AsyncDatabase, stack: AsyncExitStack) -> None:
        self._loop, self._inner, self._stack = loop, inner, stack

    def sql(self, text: str, params: Sequence[object] | None = None) -> Result:
        """As `AsyncDatabase.sql`."""
        return replace(self._loop.run(self._inner.sql(text, params)), _session=self.spark)

    def stream(self, text: str, params: Sequence[object] | None = None) -> Iterator[Result]:
        """As `AsyncDatabase.stream`."""
        return self._loop.iterate(self._inner.stream(text, params))

    def spark(self) -> SparkSession:
        """The database's Spark, once it is up."""
        return self._loop.run(self._inner.spark())

    def close(self) -> None:
        """End it. What was committed is durable already."""
        if self._loop.is_running:
            self._loop.run(self._stack.aclose())
            self._loop.stop()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open(
    folder: str | Path = "holdfast-data",
    *,
    user: str = _USER,
    take_over: bool = False,
    settings: ServerSettings | None = None,
) -> Database:
    """The database in a folder, which is made if there is none.

    With `take_over`, a process that has it is fenced. Of `settings` hold those that are about the store and Spark.
    """
    stack = AsyncExitStack()
    loop = Loop()
    opening = open_async(folder, user=user, take_over=take_over, settings=settings)
    try:
        return Database(loop, loop.run(stack.enter_async_context(opening)), stack)
    except BaseException:
        loop.stop()
        raise


@asynccontextmanager
async def open_async(
    folder: str | Path = "holdfast-data",
    *,
    user: str = _USER,
    take_over: bool = False,
    settings: ServerSettings | None = None,
) -> AsyncIterator[AsyncDatabase]:
    """As `open`, in this event loop."""
    found = replace(settings or ServerSettings(), data_dir=Path(folder), spark_eager=False)
    async with owned(found.data_dir, found.database, take_over=take_over) as adapter:
        yield AsyncDatabase(adapter, await adapter.connect(user, options=_PATIENT), user)


async def _answers(
    session: Session, text: str, params: Sequence[object] | None
) -> AsyncGenerator[results.Result, None]:
    if params is None:
        answers = session.run(text)
        try:
            async for answer in answers:
                yield answer
        finally:
            await close_iterator(answers)
        return
    try:
        statement = await session.prepare("", text, ())
        values = [value_of(*each) for each in zip(statement.parameters, params, strict=False)]
        # One too few or too many is for the session to refuse.
        await session.bind("", "", [*values, *params[len(values) :]])
        yield await session.execute("")
    except BaseException as error:
        session.fail(error)
        raise
    finally:
        await session.sync()


async def _taken(answer: results.Result) -> Result:
    match answer:
        case Rows():
            pieces = tuple([piece async for piece in answer.pieces])
            count = sum(map(len, pieces))
            return Result(answer.counted or f"{answer.tag} {count}", answer.columns, pieces)
        case Done(tag=tag):
            return Result(tag)
        case Empty():
            return Result("")
        case CopyIn() | CopyOut():
            raise NotSupported("COPY from and to a client needs a connection")
