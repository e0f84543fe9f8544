"""What a regular expression is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Set:
    """One character: those of `inside`, which is what stands in brackets for Python, and of `classes`; or all others.

    The name of a class is one of `sets.CLASSES`, perhaps with a `^` before it for those that are not in it.
    """

    inside: str
    classes: tuple[str, ...] = ()
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Empty:
    pass


@dataclass(frozen=True, slots=True)
class Sequence:
    """Two parts or more."""

    parts: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """Two branches or more."""

    branches: tuple[Regex, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """No greatest count if `most` is None. `{m}` alone is neither greedy nor not."""

    part: Regex
    least: int
    most: int | None
    greedy: bool | None


@dataclass(frozen=True, slots=True)
class Group:
    """Parentheses that capture."""

    number: int
    part: Regex


@dataclass(frozen=True, slots=True)
class Back:
    """What the group matched, once more."""

    number: int


AnchorKind: TypeAlias = Literal[
    "text start", "text end", "line start", "line end", "word start", "word end", "edge", "inside"
]


@dataclass(frozen=True, slots=True)
class Anchor:
    """`edge` is where a word starts or ends, `inside` where none does."""

    kind: AnchorKind


@dataclass(frozen=True, slots=True)
class Look:
    """Whether `part` matches, or does not, from here on or up to here."""

    part: Regex
    behind: bool
    negated: bool


Regex: TypeAlias = Set | Empty | Sequence | Either | Repeat | Group | Back | Anchor | Look


@dataclass(frozen=True, slots=True)
class Parsed:
    regex: Regex
    groups: int
    fold: bool
    """Case is ignored: sets already have both cases, back references do not."""
