"""What a role is given."""

from __future__ import annotations

from typing import get_args, get_type_hints

from holdfast.sql.parser.cursor import Cursor
from holdfast.sql.syntax.statement.role import RoleAttribute, RoleFlag, RolePassword

_FLAGS: tuple[str, ...] = get_args(get_type_hints(RoleFlag)["name"])


def role_attributes(cursor: Cursor) -> tuple[RoleAttribute, ...]:
    """[WITH] attribute ..., as many as there are."""
    cursor.accept("WITH")
    found: list[RoleAttribute] = []
    while True:
        location = cursor.location
        if cursor.peek() in _FLAGS:
            flag: RoleAttribute = RoleFlag(cursor.peek(), location=location)  # type: ignore[arg-type] # one of _FLAGS
            cursor.index += 1
            found.append(flag)
        elif cursor.accept("PASSWORD"):
            value = None if cursor.accept("NULL") else cursor.string()
            found.append(RolePassword(value, location=location))
        else:
            return tuple(found)
