"""Kinds of object, by their words."""

from __future__ import annotations

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.syntax.statement.kind import Kind

# Longer phrases first: CLUSTER begins CLUSTER REPLICA.
_KINDS = sorted(Kind, key=lambda kind: -len(kind.value))
_PLURALS = {kind.plural: kind for kind in _KINDS}


def kind_of(cursor: Cursor) -> Kind:
    found = accept_kind(cursor)
    if found is None:
        raise cursor.failure()
    return found


def accept_kind(cursor: Cursor) -> Kind | None:
    if cursor.accept("USER"):
        return Kind.ROLE
    return next((kind for kind in _KINDS if cursor.accept_phrase(kind.value)), None)


def plural_of(cursor: Cursor) -> Kind | None:
    """The kind whose plural stands here."""
    return next((kind for plural, kind in _PLURALS.items() if cursor.accept_phrase(plural)), None)
