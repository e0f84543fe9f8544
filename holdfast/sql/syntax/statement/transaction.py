"""The beginning and the end of transactions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from holdfast.sql.syntax.node import Node

TransactionMode = Literal[
    "ISOLATION LEVEL READ UNCOMMITTED",
    "ISOLATION LEVEL READ COMMITTED",
    "ISOLATION LEVEL REPEATABLE READ",
    "ISOLATION LEVEL SERIALIZABLE",
    "ISOLATION LEVEL STRICT SERIALIZABLE",
    "ISOLATION LEVEL STRONG SESSION SERIALIZABLE",
    "READ ONLY",
    "READ WRITE",
    "DEFERRABLE",
    "NOT DEFERRABLE",
]


@dataclass(frozen=True, slots=True)
class Begin(Node):
    """BEGIN and START TRANSACTION."""

    modes: tuple[TransactionMode, ...] = ()


@dataclass(frozen=True, slots=True)
class Commit(Node):
    """COMMIT and END. `chain` is kept so that it can be refused."""

    chain: bool = False


@dataclass(frozen=True, slots=True)
class Rollback(Node):
    """ROLLBACK and ABORT. `chain` is kept so that it can be refused."""

    chain: bool = False


@dataclass(frozen=True, slots=True)
class Savepoint(Node):
    """SAVEPOINT, RELEASE and ROLLBACK TO, kept so that they can be refused."""

    kind: Literal["SAVEPOINT", "RELEASE", "ROLLBACK TO"]
    name: str
