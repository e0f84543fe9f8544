"""Statements of every kind."""

from __future__ import annotations

from typing import assert_never

from holdfast.sql.render.alter import alter, drop
from holdfast.sql.render.create import create, with_options
from holdfast.sql.render.explain import explain
from holdfast.sql.render.privilege import privilege
from holdfast.sql.render.query import SQL
from holdfast.sql.render.quote import dotted, identifier, names, string
from holdfast.sql.render.session import reset_variable, set_transaction, set_variable, transaction
from holdfast.sql.render.show import show
from holdfast.sql.render.types import type_name
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement import Statement
from holdfast.sql.syntax.statement.alter import Alter
from holdfast.sql.syntax.statement.copy import CopyFrom, CopyTo
from holdfast.sql.syntax.statement.create import Create
from holdfast.sql.syntax.statement.cursor import Close, Declare, Fetch
from holdfast.sql.syntax.statement.dml import Delete, Insert, SelectStatement, Update
from holdfast.sql.syntax.statement.drop import Drop, DropFunctions, DropOwned, ReassignOwned
from holdfast.sql.syntax.statement.explain import Explain
from holdfast.sql.syntax.statement.inspect import Comment, Inspect, Mock, UnitTest, ValidateConnection, Verify
from holdfast.sql.syntax.statement.prepared import Deallocate, Execute, Prepare
from holdfast.sql.syntax.statement.privilege import AlterDefaultPrivileges, Grant, GrantRole, Revoke, RevokeRole
from holdfast.sql.syntax.statement.session import Discard, ResetVariable, SetTransaction, SetVariable, Unlisten
from holdfast.sql.syntax.statement.show import Show
from holdfast.sql.syntax.statement.subscribe import DebeziumOutput, OrderedOutput, Subscribe, UpsertOutput
from holdfast.sql.syntax.statement.transaction import Begin, Commit, Rollback, Savepoint


def render(statement: Statement) -> str:
    """Canonical SQL, without a semicolon."""
    match statement:
        case SelectStatement():
            return SQL.select_statement(statement)
        case Insert() | Update() | Delete():
            return SQL.change(statement)
        case Subscribe():
            return _subscribe(statement)
        case Declare() | Fetch() | Close():
            return _cursor(statement)
        case CopyFrom() | CopyTo():
            return _copy(statement)
        case Drop() | DropFunctions() | DropOwned() | ReassignOwned():
            return drop(statement)
        case SetVariable():
            return set_variable(statement)
        case ResetVariable():
            return reset_variable(statement)
        case SetTransaction():
            return set_transaction(statement)
        case Begin() | Commit() | Rollback() | Savepoint():
            return transaction(statement)
        case Grant() | Revoke() | GrantRole() | RevokeRole() | AlterDefaultPrivileges():
            return privilege(statement)
        case Prepare() | Execute() | Deallocate():
            return _prepared(statement)
        case Discard(what=what):
            return f"DISCARD {what}"
        case Unlisten(channel=channel):
            return f"UNLISTEN {'*' if channel is None else identifier(channel)}"
        case Verify() | Inspect() | ValidateConnection() | Comment() | UnitTest():
            return _inspection(statement)
        case _:
            return _object(statement)


def _object(statement: Create | Alter | Show | Explain) -> str:
    if isinstance(statement, Create):
        return create(statement)
    if isinstance(statement, Alter):
        return alter(statement)
    if isinstance(statement, Show):
        return show(statement)
    return explain(statement, render)


def _subscribe(statement: Subscribe) -> str:
    relation = statement.relation
    shown = dotted(relation.parts) if isinstance(relation, ObjectName) else f"({SQL.query(relation)})"
    parts = [f"SUBSCRIBE TO {shown}"]
    match statement.output:
        case None:
            pass
        case UpsertOutput(key=key):
            parts.append(f"ENVELOPE UPSERT (KEY ({names(key)}))")
        case DebeziumOutput(key=key):
            parts.append(f"ENVELOPE DEBEZIUM (KEY ({names(key)}))")
        case OrderedOutput(order_by=order_by):
            parts.append(f"WITHIN TIMESTAMP ORDER BY {SQL.order_by(order_by)}")
        case _:
            assert_never(statement.output)
    parts += with_options(statement.options)
    text = " ".join(parts) + SQL.as_of(statement.as_of)
    return text if statement.up_to is None else f"{text} UP TO {SQL.expression(statement.up_to)}"


def _cursor(statement: Declare | Fetch | Close) -> str:
    match statement:
        case Declare(name=name, statement=inner, hold=hold):
            return f"DECLARE {identifier(name)} CURSOR{' WITH HOLD' if hold else ''} FOR {render(inner)}"
        case Fetch(name=name, count=count, options=options):
            parts = [f"FETCH {'ALL' if count is None else count} FROM {identifier(name)}", *with_options(options)]
            return " ".join(parts)
        case Close(name=name):
            return "CLOSE ALL" if name is None else f"CLOSE {identifier(name)}"
        case _:
            assert_never(statement)


def _copy(statement: CopyFrom | CopyTo) -> str:
    columns = f" ({names(statement.columns)})" if statement.columns else ""
    match statement:
        case CopyFrom(table=table, source=source):
            place = "STDIN" if source is None else SQL.expression(source)
            parts = [f"COPY INTO {dotted(table.parts)}{columns} FROM {place}"]
        case CopyTo(relation=relation, target=target):
            copied = dotted(relation.parts) if isinstance(relation, ObjectName) else f"({render(relation)})"
            parts = [f"COPY {copied}{columns} TO {'STDOUT' if target is None else SQL.expression(target)}"]
        case _:
            assert_never(statement)
    return " ".join([*parts, *with_options(statement.options)])


def _prepared(statement: Prepare | Execute | Deallocate) -> str:
    match statement:
        case Prepare(name=name, statement=inner, types=types):
            listed = f" ({', '.join(map(type_name, types))})" if types else ""
            return f"PREPARE {identifier(name)}{listed} AS {render(inner)}"
        case Execute(name=name, arguments=arguments):
            return f"EXECUTE {identifier(name)}" + (f" ({SQL.listed(arguments)})" if arguments else "")
        case Deallocate(name=name):
            return "DEALLOCATE ALL" if name is None else f"DEALLOCATE PREPARE {identifier(name)}"
        case _:
            assert_never(statement)


def _inspection(statement: Verify | Inspect | ValidateConnection | Comment | UnitTest) -> str:
    match statement:
        case Verify(kind=kind, name=name, as_of=as_of):
            return f"VERIFY {kind.value} {dotted(name.parts)}{SQL.as_of(as_of)}"
        case Inspect(shard=shard):
            return f"INSPECT SHARD {string(shard)}"
        case ValidateConnection(name=name):
            return f"VALIDATE CONNECTION {dotted(name.parts)}"
        case Comment(kind=kind, name=name, text=text):
            on = "COLUMN" if kind is None else kind.value
            return f"COMMENT ON {on} {dotted(name.parts)} IS {'NULL' if text is None else string(text)}"
        case UnitTest():
            return _unit_test(statement)
        case _:
            assert_never(statement)


def _unit_test(test: UnitTest) -> str:
    parts = [f"EXECUTE UNIT TEST {identifier(test.name)} FOR {dotted(test.view.parts)}"]
    if test.at_time is not None:
        parts.append(f"AT TIME {SQL.expression(test.at_time)}")
    if test.mocks:
        parts.append(", ".join(map(_mock, test.mocks)))
    columns = f" ({names(test.expected_columns)})" if test.expected_columns else ""
    return " ".join([*parts, f"EXPECTED{columns} AS ({SQL.query(test.expected)})"])


def _mock(mock: Mock) -> str:
    columns = f" ({names(mock.columns)})" if mock.columns else ""
    return f"MOCK {dotted(mock.name.parts)}{columns} AS ({SQL.query(mock.query)})"
