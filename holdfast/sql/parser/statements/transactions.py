"""BEGIN, COMMIT, ROLLBACK and savepoints.

PostgreSQL's grammar does not have our isolation levels, so the modes are ours.
"""

from __future__ import annotations

from typing import get_args

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.syntax.statement.transaction import Begin, Commit, Rollback, Savepoint, TransactionMode

_MODES: tuple[TransactionMode, ...] = get_args(TransactionMode)


def begin(cursor: Cursor) -> Begin:
    """After BEGIN or START TRANSACTION."""
    location = cursor.location
    _work(cursor)
    return Begin(() if cursor.done else transaction_modes(cursor), location=location)


def transaction_modes(cursor: Cursor) -> tuple[TransactionMode, ...]:
    """One mode or more, with commas between them or not."""
    found = [_mode(cursor)]
    while not cursor.done:
        cursor.accept(",")
        found.append(_mode(cursor))
    return tuple(found)


def _mode(cursor: Cursor) -> TransactionMode:
    for mode in _MODES:
        if cursor.accept_phrase(mode):
            return mode
    raise cursor.failure()


def commit(cursor: Cursor) -> Commit:
    """After COMMIT or END."""
    location = cursor.location
    _work(cursor)
    return Commit(_chain(cursor), location=location)


def rollback(cursor: Cursor) -> Rollback | Savepoint:
    """After ROLLBACK or ABORT."""
    location = cursor.location
    _work(cursor)
    if cursor.accept("TO"):
        cursor.accept("SAVEPOINT")
        return Savepoint("ROLLBACK TO", cursor.identifier(), location=location)
    return Rollback(_chain(cursor), location=location)


def savepoint(cursor: Cursor) -> Savepoint:
    """After SAVEPOINT."""
    location = cursor.location
    return Savepoint("SAVEPOINT", cursor.identifier(), location=location)


def release(cursor: Cursor) -> Savepoint:
    """After RELEASE."""
    location = cursor.location
    cursor.accept("SAVEPOINT")
    return Savepoint("RELEASE", cursor.identifier(), location=location)


def _work(cursor: Cursor) -> None:
    _ = cursor.accept("WORK") or cursor.accept("TRANSACTION")


def _chain(cursor: Cursor) -> bool:
    if cursor.accept("AND", "NO", "CHAIN"):
        return False
    return cursor.accept("AND", "CHAIN")
