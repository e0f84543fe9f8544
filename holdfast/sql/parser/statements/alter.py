"""ALTER of every kind of object."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.kinds import kind_of
from holdfast.sql.parser.statements.options import option, option_list, option_name, with_options
from holdfast.sql.parser.statements.privileges import default_privileges
from holdfast.sql.parser.statements.roles import role_attributes
from holdfast.sql.parser.statements.sources import upstream_table
from holdfast.sql.parser.statements.tables import column_definition
from holdfast.sql.parser.statements.variables import reset_variable, set_variable
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
from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.statement.privilege import AlterDefaultPrivileges


def alter(cursor: Cursor) -> Alter | AlterDefaultPrivileges:
    """After ALTER."""
    location = cursor.location
    if cursor.accept("DEFAULT", "PRIVILEGES"):
        return default_privileges(cursor, location)
    if cursor.accept("SYSTEM"):
        cursor.expect_any("SET", "RESET")
        reset = cursor.tokens.word(cursor.index - 1) == "RESET"
        return AlterSystem(reset_variable(cursor) if reset else set_variable(cursor), location=location)
    kind = kind_of(cursor)
    skip = cursor.if_exists()
    name = cursor.name()
    if kind is Kind.ROLE and not cursor.at_words("RENAME") and not cursor.at_words("OWNER"):
        return _role(cursor, name, location)
    return _common(cursor, kind, name, skip, location) or _special(cursor, kind, name, skip, location)


def _common(cursor: Cursor, kind: Kind, name: ObjectName, skip: bool, location: int) -> Alter | None:
    """What most kinds of object have."""
    if cursor.accept("RENAME", "TO"):
        return Rename(kind, name, cursor.identifier(), skip, location=location)
    if cursor.accept("OWNER", "TO"):
        return ChangeOwner(kind, name, cursor.role(), skip, location=location)
    if cursor.accept("SET", "SCHEMA"):
        return ChangeSchema(kind, name, cursor.name(), skip, location=location)
    if cursor.accept("SET", "CLUSTER"):
        return ChangeCluster(kind, name, cursor.identifier(), skip, location=location)
    if kind in (Kind.CLUSTER, Kind.SCHEMA) and cursor.accept("SWAP", "WITH"):
        return Swap(kind, name, cursor.identifier(), location=location)
    if kind is Kind.CONNECTION:
        return None
    if cursor.at_words("SET", "("):
        cursor.accept("SET")
        options = option_list(cursor)
        return SetOptions(kind, name, options, with_options(cursor), skip, location=location)
    if cursor.at_words("RESET", "("):
        cursor.accept("RESET")
        names = cursor.parenthesized(lambda: option_name(cursor))
        return ResetOptions(kind, name, names, skip, location=location)
    return None


def _special(cursor: Cursor, kind: Kind, name: ObjectName, skip: bool, location: int) -> Alter:
    """What one kind of object has."""
    if kind is Kind.CONNECTION:
        if cursor.accept("ROTATE", "KEYS"):
            return RotateKeys(name, skip, location=location)
        changes = tuple(change for listed in cursor.separated(lambda: _changes(cursor)) for change in listed)
        return AlterConnection(name, changes, with_options(cursor), skip, location=location)
    if kind is Kind.MATERIALIZED_VIEW and cursor.accept("APPLY", "REPLACEMENT"):
        return ApplyReplacement(name, cursor.name(), location=location)
    if kind is Kind.SOURCE and cursor.accept("REFRESH", "REFERENCES"):
        return RefreshReferences(name, skip, location=location)
    if kind is Kind.SOURCE and cursor.accept("ADD"):
        cursor.expect_any("SUBSOURCE", "TABLE")
        tables = cursor.separated(lambda: upstream_table(cursor))
        return AddSubsources(name, tables, with_options(cursor), skip, location=location)
    if kind is Kind.SINK and cursor.accept("SET", "FROM"):
        return SetSinkFrom(name, cursor.name(), skip, location=location)
    if kind is Kind.SECRET and cursor.accept("AS"):
        return AlterSecret(name, cursor.expression(), skip, location=location)
    if kind is Kind.TABLE and cursor.accept("ADD"):
        cursor.accept("COLUMN")
        exists = cursor.if_not_exists()
        column, constraints = column_definition(cursor)
        if constraints:
            raise cursor.failure()
        return AddColumn(name, column, skip, exists, location=location)
    raise cursor.failure()


def _changes(cursor: Cursor) -> tuple[SetConnectionOption | DropConnectionOption, ...]:
    """SET (option, ...), DROP (name, ...) or RESET (name, ...), the parentheses of which may be left out of one."""
    location = cursor.location
    if cursor.expect_any("SET", "DROP", "RESET") == "SET":
        options = option_list(cursor) if cursor.at_words("(") else (option(cursor),)
        return tuple(SetConnectionOption(item, location=location) for item in options)
    listed = cursor.at_words("(")
    names = cursor.parenthesized(lambda: option_name(cursor)) if listed else (option_name(cursor),)
    return tuple(DropConnectionOption(item, location=location) for item in names)


def _role(cursor: Cursor, name: ObjectName, location: int) -> AlterRole:
    (role,) = name.parts if len(name.parts) == 1 else ("",)
    if not role:
        raise cursor.failure()
    if cursor.accept("SET"):
        return AlterRole(role, parameter=set_variable(cursor), location=location)
    if cursor.accept("RESET"):
        return AlterRole(role, parameter=reset_variable(cursor), location=location)
    attributes = role_attributes(cursor)
    if not attributes:
        raise cursor.failure()
    return AlterRole(role, attributes, location=location)
