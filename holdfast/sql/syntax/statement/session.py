"""The variables of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from holdfast.sql.syntax.expression import Literals
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.statement.transaction import TransactionMode


@dataclass(frozen=True, slots=True)
class SetVariable(Node):
    """`values` are empty for DEFAULT. A bare word is a string."""

    name: str
    values: tuple[Literals, ...]
    local: bool = False


@dataclass(frozen=True, slots=True)
class ResetVariable(Node):
    """`name` is None for ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class SetTransaction(Node):
    """SET TRANSACTION, or SET SESSION CHARACTERISTICS when for the `session`."""

    modes: tuple[TransactionMode, ...]
    session: bool = False


@dataclass(frozen=True, slots=True)
class Discard(Node):
    what: Literal["ALL", "PLANS", "SEQUENCES", "TEMP"]


@dataclass(frozen=True, slots=True)
class Unlisten(Node):
    """`channel` is None for all. Pools of connections end with it what nobody began: there is no LISTEN."""

    channel: str | None
