"""Which parser a statement's first words call for."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.parser.statements.alter import alter
from holdfast.sql.parser.statements.copy import copy
from holdfast.sql.parser.statements.create import create
from holdfast.sql.parser.statements.cursors import close, declare, fetch, move
from holdfast.sql.parser.statements.drop import drop, reassign
from holdfast.sql.parser.statements.explain import explain
from holdfast.sql.parser.statements.inspections import comment, inspect, validate, verify
from holdfast.sql.parser.statements.prepared import deallocate, execute, prepare
from holdfast.sql.parser.statements.privileges import grant, revoke
from holdfast.sql.parser.statements.show import show
from holdfast.sql.parser.statements.subscribe import subscribe
from holdfast.sql.parser.statements.transactions import begin, commit, release, rollback, savepoint
from holdfast.sql.parser.statements.variables import discard, reset_variable, set_statement, unlisten
from holdfast.sql.syntax.statement import Statement

_PARSERS: dict[str, Callable[[Cursor], Statement]] = {
    "ABORT": rollback,
    "ALTER": alter,
    "BEGIN": begin,
    "CLOSE": close,
    "COMMENT": comment,
    "COMMIT": commit,
    "COPY": copy,
    "CREATE": create,
    "DEALLOCATE": deallocate,
    "DECLARE": declare,
    "DISCARD": discard,
    "DROP": drop,
    "END": commit,
    "EXECUTE": execute,
    "EXPLAIN": explain,
    "FETCH": fetch,
    "GRANT": grant,
    "INSPECT": inspect,
    "MOVE": move,
    "PREPARE": prepare,
    "REASSIGN": reassign,
    "RELEASE": release,
    "RESET": reset_variable,
    "REVOKE": revoke,
    "ROLLBACK": rollback,
    "SAVEPOINT": savepoint,
    "SET": set_statement,
    "SHOW": show,
    "SUBSCRIBE": subscribe,
    "UNLISTEN": unlisten,
    "VALIDATE": validate,
    "VERIFY": verify,
}


def statement(cursor: Cursor) -> Statement:
    """The statement that begins here. What we have no parser for, PostgreSQL's grammar accepts or refuses."""
    if cursor.done:
        raise cursor.failure()
    if cursor.at_words("START", "TRANSACTION"):
        cursor.index += 2
        return begin(cursor)
    parser = _PARSERS.get(cursor.peek())
    if parser is None:
        return cursor.statement_by_grammar()
    cursor.index += 1
    return parser(cursor)
