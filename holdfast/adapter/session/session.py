"""A session: one client's statements, one after another, each in a transaction."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeVar

from holdfast.adapter.catalog.builtin import ActivityEntry, SessionEntry
from holdfast.adapter.errors import (
    DuplicatePreparedStatement,
    FailedTransaction,
    IdleInTransaction,
    InvalidCursorName,
    InvalidStatementName,
    SessionEnded,
    StatementCancelled,
    WrongParameterCount,
)
from holdfast.adapter.results import CopyIn, CopyOut, Done, Empty, Notice, Piece, Result, Rows
from holdfast.adapter.session.changes import LONG_LITERALS
from holdfast.adapter.session.cursors import shut
from holdfast.adapter.session.interrupt import Interrupt
from holdfast.adapter.session.shared import new_execution_id
from holdfast.adapter.session.state import Portal, SessionState, Statement
from holdfast.adapter.session.statements import Statements, apply_modes, drop_temporary
from holdfast.adapter.session.transaction import Transaction
from holdfast.errors import HoldfastError
from holdfast.plan.types import Type
from holdfast.sql.errors import NotSupported, SyntaxFailure, UndefinedParameter
from holdfast.sql.parser import Parsed, parse, parse_literals
from holdfast.sql.syntax.statement import Statement as Syntax
from holdfast.sql.syntax.statement.alter import AlterConnection, AlterRole, AlterSecret
from holdfast.sql.syntax.statement.copy import CopyTo
from holdfast.sql.syntax.statement.create import CreateConnection, CreateRole, CreateSecret
from holdfast.sql.syntax.statement.cursor import Fetch
from holdfast.sql.syntax.statement.prepared import Prepare
from holdfast.sql.syntax.statement.subscribe import Subscribe
from holdfast.sql.syntax.statement.transaction import Begin, Commit, Rollback, Savepoint

log = logging.getLogger(__name__)

Item = TypeVar("Item")

_LONG = 4_000
"""Characters of a text that is parsed in a thread."""

_SOON = 0.05
"""Seconds for which a view that is behind is waited for without more ado."""

_SECRET = (CreateRole, AlterRole, CreateSecret, AlterSecret, CreateConnection, AlterConnection)
"""Statements whose texts may hold what nobody is to read later."""

_ENDLESS = (Subscribe, Fetch)
"""Statements that wait for what is to come, however long that takes."""


class Session:
    """Made by `Database.connect`, ended by `end`. Its calls come one after another, but for `cancel`.

    A result that is returned is read to its end, or closed, before the next call.
    """

    def __init__(self, state: SessionState, secret: int) -> None:
        self._state, self.secret = state, secret
        self._interrupt = Interrupt()
        self._statements = Statements(state, self._interrupt)
        self._idle: asyncio.TimerHandle | None = None
        self._ended: SessionEnded | None = None
        self._waiting: asyncio.Timeout | None = None
        self._running = ""
        self._began: int | None = None
        self.on_terminate: Callable[[SessionEnded], None] | None = None

    @property
    def id(self) -> int:
        return self._state.id

    @property
    def status(self) -> str:
        """As ReadyForQuery has it: `I` idle, `T` in a transaction, `E` in one that failed."""
        transaction = self._state.transaction
        if transaction is None or not transaction.explicit:
            return "I"
        return "E" if transaction.failed else "T"

    @property
    def entry(self) -> SessionEntry:
        """The session as others see it."""
        state, transaction = self._state, self._state.transaction
        is_active = self._began is not None or self._waiting is not None
        doing = "active" if is_active else "idle" if self.status == "I" else "idle in transaction"
        return SessionEntry(
            str(state.id),
            state.id,
            state.role_id,
            state.client,
            state.connected_at,
            state.variables["database"],
            state.variables["application_name"],
            doing,
            self._running,
            self._began,
            None if transaction is None else transaction.began,
        )

    # The simple protocol

    async def run(self, text: str) -> AsyncGenerator[Result, None]:
        """The result of each statement of `text`. Without BEGIN, they are one transaction.

        Who does not read it to its end closes it.
        """
        self._check_open()
        try:
            parsed = await self._parsed(text)
            if not parsed:
                yield Empty()
                return
            for number, each in enumerate(parsed, start=1):
                last = number == len(parsed)
                statement = text[each.start : each.end]
                for message in each.notices:
                    self._state.notice(Notice("NOTICE", "42622", message))
                self._begin(several=len(parsed) > 1)
                result = await self._one(each.statement, statement, None, ())
                if last and self.status == "I":
                    result = await self._ending(result)
                yield result
                if isinstance(result, Rows | CopyOut | CopyIn) and last and self.status == "I":
                    await self._commit()
        except BaseException as error:
            self.fail(error)
            raise
        finally:
            if self._state.transaction is not None and not self._state.transaction.explicit:
                await self._rollback()
            self._wait_for_next()

    async def _ending(self, result: Result) -> Result:
        """The result of the last statement of a transaction: it is told once the transaction is durable."""
        if isinstance(result, Done):
            await self._commit()
        elif isinstance(result, CopyIn):

            async def take(chunks: AsyncIterator[bytes]) -> Done:
                done = await result.take(chunks)
                await self._commit()
                return done

            return replace(result, take=take)
        elif isinstance(result, Rows) and self._writes():
            # What RETURNING tells is told once it is true.
            pieces = [piece async for piece in result.pieces]
            await self._commit()
            return replace(result, pieces=_again(pieces))
        return result

    def _writes(self) -> bool:
        transaction = self._state.transaction
        return transaction is not None and transaction.kind == "write"

    # The extended protocol

    async def prepare(self, name: str, text: str, types: Sequence[Type | None]) -> Statement:
        """Prepare the one statement of `text`, or none if it is empty. An empty name can be used again."""
        self._check_open()
        try:
            if name and name in self._state.statements:
                raise DuplicatePreparedStatement(f'prepared statement "{name}" already exists')
            parsed = await self._parsed(text)
            if len(parsed) > 1:
                raise SyntaxFailure("cannot insert multiple commands into a prepared statement")
            if parsed:
                self._begin()
                self._check_not_failed(parsed[0].statement)
                found = await self._statements.described(text, parsed[0].statement, types)
            else:
                found = Statement(text, None, tuple(types))
        except BaseException as error:
            self.fail(error)
            raise
        self._state.statements[name] = found
        return found

    def statement(self, name: str) -> Statement:
        found = self._state.statements.get(name)
        if found is None:
            error = InvalidStatementName(f'prepared statement "{name}" does not exist')
            if not name:
                error = InvalidStatementName("unnamed prepared statement does not exist")
            self.fail(error)
            raise error
        return found

    async def bind(self, portal: str, statement: str, values: Sequence[object]) -> Portal:
        self._check_open()
        found = self.statement(statement)
        try:
            if len(values) != len(found.parameters):
                raise WrongParameterCount(
                    f"bind message supplies {len(values)} parameters, "
                    f'but prepared statement "{statement}" requires {len(found.parameters)}'
                )
            if portal and portal in self._state.portals:
                raise InvalidCursorName(f'portal "{portal}" already exists')
            if found.syntax is not None:
                self._check_not_failed(found.syntax)
        except BaseException as error:
            self.fail(error)
            raise
        made = self._state.portals[portal] = Portal(found, tuple(values))
        return made

    def portal(self, name: str) -> Portal:
        """What was bound to the name, or a cursor of that name: executed, it gives the rows that are left."""
        found = self._state.portals.get(name)
        if found is None and name in self._state.cursors:
            fetch, columns = Fetch(name, count=None), self._state.cursors[name].columns
            found = Portal(Statement("FETCH ALL", fetch, (), columns=columns), ())
        if found is None:
            error = InvalidCursorName(f'portal "{name}" does not exist')
            self.fail(error)
            raise error
        return found

    def find(
        self, name: str, statement: Statement, parameters: Sequence[object]
    ) -> Sequence[tuple[object, ...]] | None:
        """The rows of a statement that only finds a few in memory, in a transaction of its own. None: `execute` it.

        It is what `bind`, `execute` and `sync` would give, without all that a statement may need and this one does not.
        It leaves no trace in the log of activity. `name` must still be that of the statement.
        """
        state, quick = self._state, statement.quick
        if quick is None or state.transaction is not None or self._ended is not None:
            return None
        ledger, lookup = state.shared.ledger, quick.lookup
        if (
            lookup.outputs is None
            or not ledger.is_ours
            or not state.is_current(statement.key)
            or state.statements.get(name) is not statement
        ):
            return None
        values = lookup.values(parameters)
        return () if None in values else ledger.tables.found(quick.table, lookup.by, values, lookup.outputs)

    async def caught_up(self, statement: Statement) -> bool:
        """Wait for the view that `find` looks into, if it is behind, but is about to be read.

        False: there is nothing to wait for, or it takes longer, or was cancelled: `execute` does what is left to do.
        """
        state, quick = self._state, statement.quick
        if quick is None or state.transaction is not None or self._ended is not None:
            return False
        lagging = state.shared.ledger.tables.lagging(quick.table)
        if lagging is None:
            return False
        timeout = state.variables.seconds("statement_timeout")
        try:
            async with asyncio.timeout(_SOON if timeout is None else min(_SOON, timeout)) as self._waiting:
                await lagging.reached(state.shared.ledger.read_ts)
        except (TimeoutError, HoldfastError):
            return False
        finally:
            self._waiting = None
        return not self._interrupt.is_pending

    async def execute(self, portal: str) -> Result:
        self._check_open()
        found = self.portal(portal)
        if found.statement.syntax is None:
            return Empty()
        try:
            self._begin()
            return await self._one(found.statement.syntax, found.statement.text, found.statement, found.values)
        except BaseException as error:
            self.fail(error)
            raise

    async def sync(self) -> None:
        """The end of a group of messages: without BEGIN, of their transaction."""
        transaction = self._state.transaction
        try:
            if transaction is not None and not transaction.explicit:
                if transaction.failed:
                    await self._rollback()
                else:
                    await self._commit()
        finally:
            if self.status == "I":
                self._state.portals.clear()
            if self._state.execution is None:
                self._interrupt.forget()  # what was to be cancelled never began
            self._wait_for_next()

    def close_statement(self, name: str) -> None:
        self._state.statements.pop(name, None)

    def close_portal(self, name: str) -> None:
        self._state.portals.pop(name, None)

    # What the server asks besides

    def fail(self, error: BaseException) -> None:
        """Something went wrong in the transaction: it can only be ended."""
        if self._state.execution is not None:
            self._finish(error, None)
        if self._state.transaction is not None:
            self._state.transaction.failed = True

    def drain_notices(self) -> list[Notice]:
        drained, self._state.notices = self._state.notices, []
        return drained

    def drain_parameters(self) -> list[tuple[str, str]]:
        """Variables that changed, of which clients are told."""
        return self._state.variables.drain_changed()

    def parameters(self) -> list[tuple[str, str]]:
        """All variables of which clients are told."""
        role = self._state.role
        own = [("is_superuser", "on" if role.superuser else "off"), ("session_authorization", role.name)]
        return [*self._state.variables.reported(), *own]

    def cancel(self) -> None:
        """End the statement that runs now, if one does."""
        if self._state.execution is not None or self._waiting is not None:
            self._interrupt.interrupt_next(StatementCancelled("canceling statement due to user request"))
        if self._waiting is not None and not self._waiting.expired():
            self._waiting.reschedule(0)

    def terminate(self, reason: SessionEnded) -> None:
        """End the session from the server's side."""
        if self._ended is None:
            self._ended = reason
            self._interrupt.interrupt(reason)
            if self.on_terminate is not None:
                self.on_terminate(reason)

    async def end(self) -> None:
        """The client is gone: so is all that it left open."""
        if self._idle is not None:
            self._idle.cancel()
        self._ended = self._ended or SessionEnded("the session is over")
        await self._rollback()
        await drop_temporary(self._state)

    # Statements

    async def _parsed(self, text: str) -> list[Parsed]:
        if len(text) < _LONG:
            return parse(text)
        if len(text) < LONG_LITERALS and (found := parse_literals(text)) is not None:
            return [found]
        return await asyncio.to_thread(parse, text)

    async def _one(self, syntax: Syntax, text: str, statement: Statement | None, values: Sequence[object]) -> Result:
        """Run one statement, in the transaction there is."""
        state = self._state
        self._check_not_failed(syntax)
        self._log(syntax, text)
        timeout = (
            None if isinstance(syntax, _ENDLESS) or _streams(syntax) else state.variables.seconds("statement_timeout")
        )
        deadline = None if timeout is None else asyncio.get_running_loop().time() + timeout
        with self._interrupt.interruptible(deadline, _late()):
            match syntax:
                case Begin():
                    result: Result = self._begin_block(syntax)
                case Commit():
                    result = await self._end_block(commit=True, chain=syntax.chain)
                case Rollback():
                    result = await self._end_block(commit=False, chain=syntax.chain)
                case Savepoint():
                    raise NotSupported(f"{syntax.kind} is not supported", syntax.location)
                case _:
                    if statement is None:
                        statement = await self._statements.described(text, syntax, ())
                        if statement.parameters:
                            raise UndefinedParameter("there is no parameter $1")
                    else:
                        statement = await self._statements.current(statement)
                    result = await self._statements.run(statement, values)
        return self._followed(result, deadline)

    def _followed(self, result: Result, deadline: float | None) -> Result:
        """The result, whose end is seen here: it is logged, and what goes wrong until then fails the transaction."""
        match result:
            case Rows():
                return replace(result, pieces=self._guarded(result.pieces, deadline, len))
            case CopyOut():
                return replace(result, messages=self._guarded(result.messages, deadline, lambda _: 0))
            case CopyIn():
                take = result.take

                async def taken(chunks: AsyncIterator[bytes]) -> Done:
                    try:
                        with self._interrupt.interruptible(None, _late()):
                            done = await take(chunks)
                    except BaseException as error:
                        self.fail(error)
                        raise
                    self._finish(None, None)
                    return done

                return replace(result, take=taken)
        self._finish(None, None)
        return result

    async def _guarded(
        self, items: AsyncIterator[Item], deadline: float | None, size: Callable[[Item], int]
    ) -> AsyncIterator[Item]:
        rows = 0
        try:
            while True:
                with self._interrupt.interruptible(deadline, _late()):
                    try:
                        item = await anext(items)
                    except StopAsyncIteration:
                        break
                rows += size(item)
                yield item
            self._finish(None, rows)
        except GeneratorExit:
            self._finish(None, rows)
            raise
        except BaseException as error:
            self.fail(error)
            raise
        finally:
            await _close(items)

    def _check_not_failed(self, syntax: Syntax) -> None:
        transaction = self._state.transaction
        if transaction is not None and transaction.failed and not isinstance(syntax, Commit | Rollback):
            raise FailedTransaction

    # Transactions

    def _begin(self, *, several: bool = False) -> None:
        """There is a transaction from here on."""
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        state = self._state
        if state.transaction is None:
            state.variables.begin()
            state.transaction = Transaction(
                state.shared.clock(),
                state.variables["transaction_isolation"],
                several=several,
                read_only=state.variables.flag("default_transaction_read_only"),
            )

    def _begin_block(self, syntax: Begin) -> Done:
        transaction = self._state.transaction
        assert transaction is not None
        if transaction.explicit:
            self._state.notice(Notice("WARNING", "25001", "there is already a transaction in progress"))
        apply_modes(self._state, syntax.modes)
        transaction.explicit = True
        return Done("BEGIN")

    async def _end_block(self, *, commit: bool, chain: bool) -> Done:
        transaction = self._state.transaction
        assert transaction is not None
        if chain:
            raise NotSupported(f"{'COMMIT' if commit else 'ROLLBACK'} AND CHAIN is not supported")
        if not transaction.explicit:
            self._state.notice(Notice("WARNING", "25P01", "there is no transaction in progress"))
        if not commit or transaction.failed:
            await self._rollback()
            return Done("ROLLBACK")
        await self._commit()
        return Done("COMMIT")

    async def _commit(self) -> None:
        """Make the transaction durable and visible, all of it at once. If that fails, none of it happened."""
        state, transaction = self._state, self._state.transaction
        if transaction is None:
            return
        if transaction.failed:
            await self._rollback()
            return
        try:
            with self._interrupt.masked():
                if transaction.pending is not None:
                    await transaction.pending()
                changes = transaction.changes()
                if changes:
                    await state.shared.ledger.write(changes)
        except BaseException:
            await self._rollback()
            raise
        await self._over(committed=True)

    async def _rollback(self) -> None:
        if self._state.transaction is not None:
            await self._over(committed=False)

    async def _over(self, *, committed: bool) -> None:
        state, transaction = self._state, self._state.transaction
        assert transaction is not None
        state.transaction = None
        cursors = list(state.cursors.values())
        state.cursors.clear()
        for cursor in cursors:
            await shut(cursor)
        transaction.release()
        state.variables.end(committed=committed)

    def _wait_for_next(self) -> None:
        """While a transaction waits for its next statement, it holds what it has read: not for ever."""
        if self.status == "I" or self._ended is not None:
            return
        timeout = self._state.variables.seconds("idle_in_transaction_session_timeout")
        if timeout is not None:
            self._idle = asyncio.get_running_loop().call_later(timeout, self.terminate, IdleInTransaction())

    def _check_open(self) -> None:
        if self._ended is not None:
            raise self._ended

    # The log of activity

    def _log(self, syntax: Syntax, text: str) -> None:
        state = self._state
        state.execution = new_execution_id()
        self._began = state.shared.clock()
        kind = _kind(type(syntax).__name__)
        hidden = isinstance(syntax.statement if isinstance(syntax, Prepare) else syntax, _SECRET)
        self._running = f"{kind} <redacted>" if hidden else text
        state.shared.activity.begin(
            ActivityEntry(
                state.execution,
                str(state.id),
                state.role.name,
                state.variables["database"],
                state.variables.search_path,
                state.variables["transaction_isolation"],
                state.variables["application_name"],
                self._running,
                kind,
                self._began,
            )
        )

    def _finish(self, error: BaseException | None, rows: int | None) -> None:
        state = self._state
        self._interrupt.forget()
        if state.execution is not None:
            state.shared.activity.finish(state.execution, state.shared.clock(), error, rows)
            state.execution, self._began = None, None


def _late() -> StatementCancelled:
    return StatementCancelled("canceling statement due to statement timeout")


def _streams(syntax: Syntax) -> bool:
    return isinstance(syntax, CopyTo) and isinstance(syntax.relation, Subscribe)


@cache
def _kind(name: str) -> str:
    """What a statement is called: the words of the name of its class."""
    name = name.removesuffix("Statement")
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in name).strip("_")
    return words.lower()


async def _again(pieces: Sequence[Piece]) -> AsyncIterator[Piece]:
    for piece in pieces:
        yield piece


async def _close(items: AsyncIterator[Item]) -> None:
    aclose: Callable[[], Awaitable[None]] | None = getattr(items, "aclose", None)
    if aclose is not None:
        await aclose()
