"""Ids: the names by which layers speak of collections and shards. None is ever reused."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import NewType

from holdfast.errors import UsageError

ShardId = NewType("ShardId", int)
"""A shard of the store, which allots the numbers."""

MAX_NUMBER = 2**63 - 1
"""Ids are kept in signed 64-bit columns."""

_TEXT = re.compile(r"([ust])(0|[1-9][0-9]{0,18})", re.ASCII)


class IdKind(Enum):
    """Who made the object: a user, the system, or one query for its own duration."""

    USER = "u"
    SYSTEM = "s"
    TRANSIENT = "t"


@dataclass(frozen=True, slots=True)
class GlobalId:
    """An object of the catalog, printed as `u12`.

    `GlobalId.parse(str(id)) == id`, and no other text is read as `id`.
    """

    kind: IdKind
    number: int

    def __post_init__(self) -> None:
        if not 0 <= self.number <= MAX_NUMBER:
            raise UsageError(f"global id number {self.number} is outside [0, {MAX_NUMBER}]")

    def __hash__(self) -> int:
        """The kind need not count: few numbers are of two kinds, and ids are looked up for every row that is found."""
        return self.number

    @classmethod
    def parse(cls, text: str) -> GlobalId:
        return _parsed(text)

    def __str__(self) -> str:
        return f"{self.kind.value}{self.number}"


@lru_cache(maxsize=4096)
def _parsed(text: str) -> GlobalId:
    match = _TEXT.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a global id")
    return GlobalId(IdKind(match[1]), int(match[2]))
