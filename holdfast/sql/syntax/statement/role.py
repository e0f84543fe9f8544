"""What a role is given when it is created or altered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from holdfast.sql.syntax.node import Node


@dataclass(frozen=True, slots=True)
class RoleFlag(Node):
    name: Literal[
        "SUPERUSER",
        "NOSUPERUSER",
        "LOGIN",
        "NOLOGIN",
        "INHERIT",
        "NOINHERIT",
        "CREATEDB",
        "CREATEROLE",
        "CREATECLUSTER",
    ]


@dataclass(frozen=True, slots=True)
class RolePassword(Node):
    """PASSWORD 'value', never shown by `repr`, or PASSWORD NULL."""

    value: str | None = field(repr=False)


RoleAttribute = RoleFlag | RolePassword
