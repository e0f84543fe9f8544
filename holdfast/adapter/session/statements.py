"""Each kind of statement: what it takes and returns, and how it is run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from holdfast.adapter.catalog.builtin.show import show_query
from holdfast.adapter.catalog.ddl import ITEM_KINDS, Decision, decide, session_ended
from holdfast.adapter.catalog.functions import function_named, signature
from holdfast.adapter.errors import (
    ActiveTransaction,
    ChangedResultType,
    DuplicatePreparedStatement,
    InvalidStatementName,
    InvalidVariableValue,
)
from holdfast.adapter.plan_cache import Compiled
from holdfast.adapter.results import CopyOut, Done, Notice, Piece, Result, Rows
from holdfast.adapter.session import changes, cursors, queries, subscriptions
from holdfast.adapter.session.copying import copied, copy_from, copy_to_client, copy_to_files
from holdfast.adapter.session.explain import explain, title
from holdfast.adapter.session.interrupt import Interrupt
from holdfast.adapter.session.options import seconds_of
from holdfast.adapter.session.peek import evaluated
from holdfast.adapter.session.refreshing import with_times
from holdfast.adapter.session.state import Cursor, SessionState, Statement
from holdfast.adapter.session.variables import checked, reported_name, variable
from holdfast.adapter.session.verify import COLUMNS as VERIFIED
from holdfast.adapter.session.verify import verify
from holdfast.adapter.set_config import setting_values, settings_changed
from holdfast.compute.evaluate.values import rows_of
from holdfast.plan.types import TEXT, Type
from holdfast.sql import OutputColumn
from holdfast.sql.change import plan_expression
from holdfast.sql.errors import NotSupported, SyntaxFailure
from holdfast.sql.render import render
from holdfast.sql.syntax.expression import (
    BooleanLiteral,
    IntegerLiteral,
    Literals,
    NumericLiteral,
    StringLiteral,
)
from holdfast.sql.syntax.statement import Statement as Syntax
from holdfast.sql.syntax.statement.alter import Alter
from holdfast.sql.syntax.statement.copy import CopyFrom, CopyTo
from holdfast.sql.syntax.statement.create import Create, CreateMaterializedView
from holdfast.sql.syntax.statement.cursor import Close, Declare, Fetch
from holdfast.sql.syntax.statement.dml import Delete, Insert, SelectStatement, Update
from holdfast.sql.syntax.statement.drop import Drop, DropFunctions, DropOwned, ReassignOwned
from holdfast.sql.syntax.statement.explain import Explain
from holdfast.sql.syntax.statement.inspect import Comment, Verify
from holdfast.sql.syntax.statement.prepared import Deallocate, Execute, Prepare
from holdfast.sql.syntax.statement.privilege import AlterDefaultPrivileges, Grant, GrantRole, Revoke, RevokeRole
from holdfast.sql.syntax.statement.session import Discard, ResetVariable, SetTransaction, SetVariable, Unlisten
from holdfast.sql.syntax.statement.show import Show, ShowCreate, ShowCreateFunction, ShowVariable
from holdfast.sql.syntax.statement.subscribe import Subscribe
from holdfast.sql.syntax.statement.transaction import TransactionMode
from holdfast.sql.typenames import type_of

_DEFINITIONS = (
    Create
    | Alter
    | Drop
    | DropFunctions
    | DropOwned
    | ReassignOwned
    | Comment
    | Grant
    | Revoke
    | GrantRole
    | RevokeRole
    | AlterDefaultPrivileges
)
_ISOLATION = "ISOLATION LEVEL "


class Statements:
    """The statements of one session."""

    def __init__(self, state: SessionState, interrupt: Interrupt) -> None:
        self._state, self._interrupt = state, interrupt

    # What a statement is

    async def described(self, text: str, syntax: Syntax | None, types: Sequence[Type | None]) -> Statement:
        """The statement with the types of its parameters and of the columns that it returns."""
        state = self._state
        found = Statement(text, syntax, tuple(types), key=state.key)
        match syntax:
            case SelectStatement():
                found.compiled = await queries.compiled_query(state, text, syntax.query, types)
                found.parameters, found.columns = found.compiled.parameters, found.compiled.columns
            case Insert() if not types and (inserted := await changes.literals(state, text, syntax)) is not None:
                found.inserted = inserted
            case Insert() | Update() | Delete():
                change = await changes.compiled_change(state, text, syntax, types)
                found.parameters = change.rows.parameters
                found.columns = None if change.returning is None else change.returning.columns
            case ShowVariable():
                found.columns = _variable_columns(syntax)
            case ShowCreate() | ShowCreateFunction():
                found.columns = _texts("name", "create_sql")
            case _ if isinstance(syntax, Show):
                found.columns = (await self._shown(syntax)).columns
            case _ if isinstance(syntax, Explain):
                found.columns = _texts(title(syntax))
            case Subscribe():
                found.columns = await subscriptions.columns(state, syntax, text)
            case Verify():
                found.columns = VERIFIED
            case Fetch() if syntax.name in state.cursors:
                found.columns = state.cursors[syntax.name].columns
            case Execute():
                found.columns = self._statement(syntax.name).columns
        return found

    # How it is run

    async def run(self, statement: Statement, values: Sequence[object]) -> Result:
        """Run one statement within the session's transaction. BEGIN and its like are the session's own."""
        state, syntax, text = self._state, statement.syntax, statement.text
        match syntax:
            case SelectStatement():
                queries.check_select(state, syntax)
                self._set_configs(syntax, values)
                assert statement.compiled is not None
                rows = await queries.select(state, statement.compiled, values, syntax.as_of)
                if syntax.as_of is None:
                    statement.quick = queries.quick(state, statement.compiled)
                return rows
            case Insert() if statement.inserted is not None:
                return changes.insert(state, syntax, statement.inserted)
            case Insert() | Update() | Delete():
                change = await changes.compiled_change(state, text, syntax, statement.types)
                return await changes.change(state, self._interrupt, syntax, change, values)
            case CopyFrom():
                return copy_from(state, syntax)
            case CopyTo():
                return await self._copy_to(syntax, text)
            case Subscribe():
                return await subscriptions.subscribe(state, syntax, text)
            case Declare():
                return await self._declare(syntax, text)
            case Fetch():
                timeout = seconds_of(syntax.options, "TIMEOUT")
                return await cursors.fetch(cursors.cursor(state, syntax.name), syntax.count, timeout)
            case Close():
                await cursors.close(state, syntax)
                return Done("CLOSE CURSOR")
            case Prepare():
                return await self._prepare(syntax)
            case Execute():
                return await self._execute(syntax)
            case Deallocate():
                return self._deallocate(syntax)
            case SetVariable():
                self._set(syntax)
                return Done("SET")
            case ResetVariable():
                self._reset(syntax)
                return Done("RESET")
            case SetTransaction():
                self._set_transaction(syntax)
                return Done("SET")
            case Discard():
                return await self._discard(syntax)
            case Unlisten():
                return Done("UNLISTEN")
            case _ if isinstance(syntax, Show):
                return await self._show(syntax)
            case _ if isinstance(syntax, Explain):
                return _rows(_texts(title(syntax)), [(await explain(state, syntax, text),)], "EXPLAIN")
            case Verify():
                return await verify(state, syntax)
            case _ if isinstance(syntax, _DEFINITIONS):
                return await self._define(syntax)
        assert syntax is not None
        raise NotSupported(f"{render(syntax).split(' ')[0]} is not supported", syntax.location)

    # Definitions

    async def _define(self, syntax: Syntax) -> Done:
        state = self._state
        if isinstance(syntax, CreateMaterializedView):
            syntax = await with_times(state, syntax)
        transaction, ledger = state.transaction, state.shared.ledger
        assert transaction is not None
        names, role = state.names, state.role
        if transaction.explicit or transaction.several:
            # It runs when the transaction commits; what is wrong with it is said now.
            decision = decide(syntax, names, role, checked)
            transaction.alone(decision.tag)

            async def later() -> None:
                await ledger.change_catalog(lambda catalog: decide(syntax, names.at(catalog), role, checked))

            transaction.pending = later
        else:
            with self._interrupt.masked():
                decision = await ledger.change_catalog(lambda catalog: decide(syntax, names.at(catalog), role, checked))
        self._tell(decision)
        return Done(decision.tag)

    def _tell(self, decision: Decision) -> None:
        for notice in decision.notices:
            self._state.notice(notice)

    # Rows out

    async def _declare(self, syntax: Declare, text: str) -> Done:
        state, inner = self._state, syntax.statement
        cursors.check_declare(state, syntax)
        rows = await self.run(await self.described(text, inner, ()), ())
        assert isinstance(rows, Rows)
        state.cursors[syntax.name] = Cursor(rows.columns, rows.pieces, waits=isinstance(inner, Subscribe))
        return Done("DECLARE CURSOR")

    async def _copy_to(self, syntax: CopyTo, text: str) -> CopyOut | Done:
        rows = await self.run(await self.described(text, copied(syntax), ()), ())
        assert isinstance(rows, Rows)
        if syntax.target is None:
            return copy_to_client(syntax, rows)
        return await copy_to_files(self._state, syntax, rows)

    async def _shown(self, syntax: Show) -> Compiled:
        query = show_query(syntax, self._state.names)
        return await queries.compiled_query(self._state, render(syntax), query)

    async def _show(self, syntax: Show) -> Rows:
        state = self._state
        match syntax:
            case ShowVariable():
                if syntax.name is None:
                    return _rows(_variable_columns(syntax), state.variables.show(), "SHOW")
                found = variable(syntax.name)
                return _rows(_variable_columns(syntax), [(state.variables[found.name],)], "SHOW")
            case ShowCreateFunction():
                item = function_named(syntax.function.name, syntax.function.arguments, state.names)
                name = ".".join((*state.catalog.path_of(item)[:-1], signature(item)))
                return _rows(_texts("name", "create_sql"), [(name, f"{item.sql};")], "SHOW")
            case ShowCreate():
                kind = ITEM_KINDS.get(syntax.kind)
                if kind is None:
                    raise NotSupported(f"SHOW CREATE {syntax.kind.value} is not supported", syntax.location)
                item = state.names.item(syntax.name, kind)
                name = ".".join(state.catalog.path_of(item))
                return _rows(_texts("name", "create_sql"), [(name, f"{item.sql};")], "SHOW")
        rows = await queries.select(state, await self._shown(syntax), (), None)
        return Rows(rows.columns, rows.pieces, "SHOW")

    # Prepared statements

    def _statement(self, name: str) -> Statement:
        found = self._state.statements.get(name)
        if found is None:
            raise InvalidStatementName(f'prepared statement "{name}" does not exist')
        return found

    async def _prepare(self, syntax: Prepare) -> Done:
        state = self._state
        if syntax.name in state.statements:
            raise DuplicatePreparedStatement(f'prepared statement "{syntax.name}" already exists')
        types = [type_of(name, state.names) for name in syntax.types]
        state.statements[syntax.name] = await self.described(render(syntax.statement), syntax.statement, types)
        return Done("PREPARE")

    async def _execute(self, syntax: Execute) -> Result:
        found = await self.current(self._statement(syntax.name))
        if len(syntax.arguments) != len(found.parameters):
            error = SyntaxFailure(f'wrong number of parameters for prepared statement "{syntax.name}"')
            error.detail = f"Expected {len(found.parameters)} parameters but got {len(syntax.arguments)}."
            raise error
        values: list[object] = []
        for argument, type_ in zip(syntax.arguments, found.parameters, strict=True):
            planned = plan_expression(argument, self._state.names, type_, place="EXECUTE parameter")
            table = await evaluated(Compiled(planned).prepared(self._state.knowing()), {}, ())
            ((value,),) = rows_of(table, [type_])
            values.append(value)
        return await self.run(found, values)

    async def current(self, found: Statement) -> Statement:
        """The statement as the catalog has it now, which must return what it did when it was prepared."""
        if found.key == self._state.key:
            return found
        again = await self.described(found.text, found.syntax, found.parameters)
        if again.columns != found.columns:
            raise ChangedResultType
        found.key, found.compiled, found.quick, found.inserted = again.key, again.compiled, None, again.inserted
        return found

    def _deallocate(self, syntax: Deallocate) -> Done:
        if syntax.name is None:
            self._state.statements.clear()
            return Done("DEALLOCATE ALL")
        self._statement(syntax.name)
        del self._state.statements[syntax.name]
        return Done("DEALLOCATE")

    # Variables

    def _set(self, syntax: SetVariable) -> None:
        state = self._state
        if syntax.local and (state.transaction is None or not state.transaction.explicit):
            state.notice(Notice("WARNING", "25P01", "SET LOCAL can only be used in transaction blocks"))
            return
        self._assign(syntax.name, [_literal(value) for value in syntax.values], local=syntax.local)

    def _set_configs(self, syntax: SelectStatement, values: Sequence[object]) -> None:
        """What set_config sets, where it is called for that."""
        for change in settings_changed(syntax.query, values):
            self._assign(change.name, setting_values(change), local=change.local)

    def _assign(self, name: str, values: Sequence[str], *, local: bool) -> None:
        state = self._state
        found = variable(name)
        if found.name == "transaction_isolation":
            self._check_fresh("SET TRANSACTION ISOLATION LEVEL")
        state.variables.set(found.name, values, local=local)
        if found.name == "transaction_isolation" and state.transaction is not None:
            state.transaction.isolation = state.variables["transaction_isolation"]
        if found.name == "database" and state.catalog.database_named(state.variables["database"]) is None:
            state.notice(Notice("NOTICE", "3D000", f'session database "{state.variables["database"]}" does not exist'))

    def _reset(self, syntax: ResetVariable) -> None:
        if syntax.name is None:
            self._state.variables.reset_all()
        else:
            self._state.variables.set(variable(syntax.name).name, ())

    def _set_transaction(self, syntax: SetTransaction) -> None:
        state = self._state
        assert state.transaction is not None
        if syntax.session:
            for mode in syntax.modes:
                if mode.startswith(_ISOLATION):
                    state.variables.set("transaction_isolation", [mode.removeprefix(_ISOLATION).lower()])
                elif mode in ("READ ONLY", "READ WRITE"):
                    state.variables.set("default_transaction_read_only", ["on" if mode == "READ ONLY" else "off"])
            return
        if not state.transaction.explicit:
            state.notice(Notice("WARNING", "25P01", "SET TRANSACTION can only be used in transaction blocks"))
            return
        self._check_fresh("SET TRANSACTION ISOLATION LEVEL")
        apply_modes(state, syntax.modes)

    def _check_fresh(self, what: str) -> None:
        transaction = self._state.transaction
        if transaction is not None and transaction.explicit and not transaction.is_fresh:
            raise ActiveTransaction(f"{what} must be called before any query")

    async def _discard(self, syntax: Discard) -> Done:
        state = self._state
        if syntax.what == "ALL":
            assert state.transaction is not None
            state.transaction.never("DISCARD ALL")
            for cursor in state.cursors.values():
                await cursors.shut(cursor)
            state.cursors.clear()
            state.statements.clear()
            state.variables.reset_all()
        if syntax.what in ("ALL", "TEMP"):
            await drop_temporary(state)
        return Done(f"DISCARD {syntax.what}")


async def drop_temporary(state: SessionState) -> None:
    """Drop the temporary items of the session."""
    if state.catalog.items_of_session(state.id):
        await state.shared.ledger.change_catalog(lambda catalog: session_ended(catalog, state.id))


def apply_modes(state: SessionState, modes: Sequence[TransactionMode]) -> None:
    """What BEGIN and SET TRANSACTION say of the transaction there is. Until it ends, variables tell the same."""
    transaction, variables = state.transaction, state.variables
    assert transaction is not None
    for mode in modes:
        if mode.startswith(_ISOLATION):
            variables.set("transaction_isolation", [mode.removeprefix(_ISOLATION).lower()], local=True)
            transaction.isolation = variables["transaction_isolation"]
        elif mode == "READ ONLY":
            transaction.read_only = True
        elif mode == "READ WRITE":
            if transaction.kind == "read":
                raise ActiveTransaction("transaction read-write mode must be set before any query")
            transaction.read_only = False
    if modes:
        variables.set("transaction_read_only", ["on" if transaction.read_only else "off"], local=True)


def _texts(*names: str) -> tuple[OutputColumn, ...]:
    return tuple(OutputColumn(name, TEXT) for name in names)


def _variable_columns(syntax: ShowVariable) -> tuple[OutputColumn, ...]:
    if syntax.name is None:
        return _texts("name", "setting", "description")
    return _texts(reported_name(variable(syntax.name).name))


def _rows(columns: tuple[OutputColumn, ...], rows: Sequence[tuple[object, ...]], tag: str) -> Rows:
    async def pieces() -> AsyncIterator[Piece]:
        yield Piece(tuple(column.type for column in columns), rows)

    return Rows(columns, pieces(), tag)


def _literal(value: Literals) -> str:
    match value:
        case StringLiteral():
            return value.value
        case IntegerLiteral():
            return str(value.value)
        case NumericLiteral():
            return value.text
        case BooleanLiteral():
            return "on" if value.value else "off"
    raise InvalidVariableValue("a variable cannot be set to this")
