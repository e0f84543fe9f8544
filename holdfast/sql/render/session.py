"""Variables, transactions and prepared statements' names."""

from __future__ import annotations

from typing import assert_never

from holdfast.sql.render.query import SQL
from holdfast.sql.render.quote import identifier, quoted
from holdfast.sql.syntax.statement.session import ResetVariable, SetTransaction, SetVariable
from holdfast.sql.syntax.statement.transaction import Begin, Commit, Rollback, Savepoint

_MEANS_MORE = frozenset({"all", "local", "session", "time", "transaction", "role", "names", "schema"})
"""Names that would begin another form of SET or SHOW."""


def variable(name: str) -> str:
    """The name of a variable, which has dots in it when it is an extension's."""
    return ".".join(quoted(part) if part in _MEANS_MORE else identifier(part) for part in name.split("."))


def set_variable(statement: SetVariable) -> str:
    values = ", ".join(map(SQL.expression, statement.values)) or "DEFAULT"
    return f"SET {'LOCAL ' if statement.local else ''}{variable(statement.name)} TO {values}"


def reset_variable(statement: ResetVariable) -> str:
    return "RESET ALL" if statement.name is None else f"RESET {variable(statement.name)}"


def set_transaction(statement: SetTransaction) -> str:
    words = "SESSION CHARACTERISTICS AS TRANSACTION" if statement.session else "TRANSACTION"
    return f"SET {words} {', '.join(statement.modes)}"


def transaction(statement: Begin | Commit | Rollback | Savepoint) -> str:
    match statement:
        case Begin(modes=modes):
            return f"BEGIN {', '.join(modes)}" if modes else "BEGIN"
        case Commit(chain=chain):
            return "COMMIT AND CHAIN" if chain else "COMMIT"
        case Rollback(chain=chain):
            return "ROLLBACK AND CHAIN" if chain else "ROLLBACK"
        case Savepoint(kind="ROLLBACK TO", name=name):
            return f"ROLLBACK TO SAVEPOINT {identifier(name)}"
        case Savepoint(kind=kind, name=name):
            return f"{kind} {quoted(name)}" if name == "savepoint" else f"{kind} {identifier(name)}"
        case _:
            assert_never(statement)
