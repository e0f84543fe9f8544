"""SHOW."""

from __future__ import annotations

from typing import assert_never

from holdfast.sql.render.alter import signature
from holdfast.sql.render.query import SQL
from holdfast.sql.render.quote import dotted, identifier, quoted, string
from holdfast.sql.render.session import variable
from holdfast.sql.syntax.statement.kind import Kind
from holdfast.sql.syntax.statement.show import (
    Show,
    ShowColumns,
    ShowCreate,
    ShowCreateFunction,
    ShowLike,
    ShowObjects,
    ShowPrivileges,
    ShowRoleMembership,
    ShowVariable,
    ShowWhere,
)

_MEANS_MORE = frozenset({*(kind.plural.lower() for kind in Kind), "objects", "subsources", "privileges", "columns"})


def show(statement: Show) -> str:
    match statement:
        case ShowObjects():
            return _objects(statement)
        case ShowColumns(relation=relation, filter=given):
            return f"SHOW COLUMNS FROM {dotted(relation.parts)}{_filter(given)}"
        case ShowCreate(kind=kind, name=created, redacted=redacted):
            return f"SHOW {'REDACTED ' if redacted else ''}CREATE {kind.value} {dotted(created.parts)}"
        case ShowCreateFunction(function=function, redacted=redacted):
            return f"SHOW {'REDACTED ' if redacted else ''}CREATE FUNCTION {signature(function)}"
        case ShowPrivileges(on=on, role=role, default=default):
            parts = ["SHOW DEFAULT PRIVILEGES" if default else "SHOW PRIVILEGES"]
            parts += [f"ON {on}"] if on is not None else []
            parts += [f"FOR {identifier(role)}"] if role is not None else []
            return " ".join(parts)
        case ShowRoleMembership(role=role):
            return "SHOW ROLE MEMBERSHIP" if role is None else f"SHOW ROLE MEMBERSHIP FOR {identifier(role)}"
        case ShowVariable(name=name):
            if name is None:
                return "SHOW ALL"
            return f"SHOW {quoted(name) if name in _MEANS_MORE else variable(name)}"
        case _:
            assert_never(statement)


def _objects(statement: ShowObjects) -> str:
    parts = [f"SHOW {statement.what}"]
    if statement.within is not None:
        parts.append(f"FROM {dotted(statement.within.parts)}")
    if statement.on is not None:
        parts.append(f"ON {dotted(statement.on.parts)}")
    if statement.cluster is not None:
        parts.append(f"IN CLUSTER {identifier(statement.cluster)}")
    return " ".join(parts) + _filter(statement.filter)


def _filter(given: ShowLike | ShowWhere | None) -> str:
    match given:
        case None:
            return ""
        case ShowLike(pattern=pattern):
            return f" LIKE {string(pattern)}"
        case ShowWhere(condition=condition):
            return f" WHERE {SQL.expression(condition)}"
        case _:
            assert_never(given)
