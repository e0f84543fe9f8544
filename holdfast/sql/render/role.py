"""What a role is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from holdfast.sql.render.quote import string
from holdfast.sql.syntax.statement.role import RoleAttribute, RoleFlag, RolePassword


def role_attributes(attributes: Iterable[RoleAttribute]) -> list[str]:
    return [_attribute(attribute) for attribute in attributes]


def _attribute(attribute: RoleAttribute) -> str:
    match attribute:
        case RoleFlag(name=name):
            return name
        case RolePassword(value=value):
            return "PASSWORD NULL" if value is None else f"PASSWORD {string(value)}"
        case _:
            assert_never(attribute)
