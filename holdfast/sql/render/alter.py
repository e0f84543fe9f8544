"""ALTER and DROP."""

from __future__ import annotations

from typing import assert_never

from holdfast.sql.render.create import column_definition, upstream_table, with_options
from holdfast.sql.render.option import options
from holdfast.sql.render.query import SQL
from holdfast.sql.render.quote import dotted, identifier, names
from holdfast.sql.render.role import role_attributes
from holdfast.sql.render.session import reset_variable, set_variable
from holdfast.sql.render.types import type_name
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement.alter import (
    AddColumn,
    AddSubsources,
    Alter,
    AlterConnection,
    AlterRole,
    AlterSecret,
    AlterSystem,
    ApplyReplacement,
    ChangeCluster,
    ChangeOwner,
    ChangeSchema,
    DropConnectionOption,
    RefreshReferences,
    Rename,
    ResetOptions,
    RotateKeys,
    SetConnectionOption,
    SetOptions,
    SetSinkFrom,
    Swap,
)
from holdfast.sql.syntax.statement.drop import Behavior, Drop, DropFunctions, DropOwned, ReassignOwned, Signature
from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.statement.session import SetVariable


def alter(statement: Alter) -> str:
    match statement:
        case Rename(kind=kind, name=name, new_name=new_name):
            return f"{_head(kind, name, statement.if_exists)} RENAME TO {identifier(new_name)}"
        case ChangeOwner(kind=kind, name=name, owner=owner):
            return f"{_head(kind, name, statement.if_exists)} OWNER TO {identifier(owner)}"
        case ChangeSchema(kind=kind, name=name, schema=schema):
            return f"{_head(kind, name, statement.if_exists)} SET SCHEMA {dotted(schema.parts)}"
        case ChangeCluster(kind=kind, name=name, cluster=cluster):
            return f"{_head(kind, name, statement.if_exists)} SET CLUSTER {identifier(cluster)}"
        case Swap(kind=kind, name=name, other=other):
            return f"{_head(kind, name)} SWAP WITH {identifier(other)}"
        case SetOptions(kind=kind, name=name, options=given, with_options=more):
            head = _head(kind, name, statement.if_exists)
            return " ".join([head, f"SET ({options(given, SQL)})", *with_options(more)])
        case ResetOptions(kind=kind, name=name, options=reset):
            return f"{_head(kind, name, statement.if_exists)} RESET ({', '.join(reset)})"
        case AlterConnection(name=name, changes=changes, with_options=more):
            head = _head(Kind.CONNECTION, name, statement.if_exists)
            return " ".join([head, ", ".join(map(_change, changes)), *with_options(more)])
        case RotateKeys(name=name):
            return f"{_head(Kind.CONNECTION, name, statement.if_exists)} ROTATE KEYS"
        case ApplyReplacement(name=name, replacement=replacement):
            return f"{_head(Kind.MATERIALIZED_VIEW, name)} APPLY REPLACEMENT {dotted(replacement.parts)}"
        case AddSubsources(name=name, tables=tables, options=given):
            head = _head(Kind.SOURCE, name, statement.if_exists)
            return " ".join([head, "ADD SUBSOURCE", ", ".join(map(upstream_table, tables)), *with_options(given)])
        case RefreshReferences(name=name):
            return f"{_head(Kind.SOURCE, name, statement.if_exists)} REFRESH REFERENCES"
        case SetSinkFrom(name=name, relation=relation):
            return f"{_head(Kind.SINK, name, statement.if_exists)} SET FROM {dotted(relation.parts)}"
        case AlterSecret(name=name, value=value):
            return f"{_head(Kind.SECRET, name, statement.if_exists)} AS {SQL.expression(value)}"
        case AddColumn(name=name, column=column):
            words = "ADD COLUMN IF NOT EXISTS" if statement.column_if_not_exists else "ADD COLUMN"
            return f"{_head(Kind.TABLE, name, statement.if_exists)} {words} {column_definition(column)}"
        case AlterRole():
            return _role(statement)
        case AlterSystem(change=change):
            changed = set_variable(change) if isinstance(change, SetVariable) else reset_variable(change)
            return f"ALTER SYSTEM {changed}"
        case _:
            assert_never(statement)


def _head(kind: Kind, name: ObjectName, if_exists: bool = False) -> str:
    return f"ALTER {kind.value} {'IF EXISTS ' if if_exists else ''}{dotted(name.parts)}"


def _change(change: SetConnectionOption | DropConnectionOption) -> str:
    match change:
        case SetConnectionOption(option=option):
            return f"SET ({options([option], SQL)})"
        case DropConnectionOption(name=name):
            return f"DROP ({name})"
        case _:
            assert_never(change)


def _role(statement: AlterRole) -> str:
    head = f"ALTER ROLE {identifier(statement.name)}"
    match statement.parameter:
        case None:
            return " ".join([head, *role_attributes(statement.attributes)])
        case SetVariable() as given:
            return f"{head} {set_variable(given)}"
        case reset:
            return f"{head} {reset_variable(reset)}"


def drop(statement: Drop | DropFunctions | DropOwned | ReassignOwned) -> str:
    match statement:
        case Drop(kind=kind, names=dropped, if_exists=if_exists, behavior=behavior):
            listed = ", ".join(dotted(name.parts) for name in dropped)
            return f"DROP {kind.value} {'IF EXISTS ' if if_exists else ''}{listed}{_behavior(behavior)}"
        case DropFunctions(functions=functions, if_exists=if_exists, behavior=behavior):
            listed = ", ".join(map(signature, functions))
            return f"DROP FUNCTION {'IF EXISTS ' if if_exists else ''}{listed}{_behavior(behavior)}"
        case DropOwned(roles=roles, behavior=behavior):
            return f"DROP OWNED BY {names(roles)}{_behavior(behavior)}"
        case ReassignOwned(roles=roles, to=to):
            return f"REASSIGN OWNED BY {names(roles)} TO {identifier(to)}"
        case _:
            assert_never(statement)


def signature(function: Signature) -> str:
    taken = "" if function.arguments is None else f"({', '.join(map(type_name, function.arguments))})"
    return f"{dotted(function.name.parts)}{taken}"


def _behavior(behavior: Behavior | None) -> str:
    return f" {behavior}" if behavior is not None else ""
