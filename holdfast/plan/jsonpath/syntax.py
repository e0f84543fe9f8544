"""What a path is made of. Predicates are true, false or unknown; all else is a sequence of items."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from holdfast.plan.regex.compiled import Compiled

Comparison: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
Arithmetic: TypeAlias = Literal["+", "-", "*", "/", "%"]


@dataclass(frozen=True, slots=True)
class Root:
    """`$`"""


@dataclass(frozen=True, slots=True)
class Current:
    """`@`, the item that a filter is about."""


@dataclass(frozen=True, slots=True)
class Last:
    """The last place of the array that a subscript is of."""


@dataclass(frozen=True, slots=True)
class Literally:
    value: bool | int | Decimal | str | None


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


@dataclass(frozen=True, slots=True)
class Unary:
    operator: Literal["+", "-"]
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    operator: Arithmetic
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Key:
    name: str


@dataclass(frozen=True, slots=True)
class AnyKey:
    """`.*`"""


@dataclass(frozen=True, slots=True)
class AnyElement:
    """`[*]`"""


@dataclass(frozen=True, slots=True)
class Subscripts:
    """Places, or pairs of the first and the last."""

    ranges: tuple[tuple[Expression, Expression | None], ...]


@dataclass(frozen=True, slots=True)
class Descendants:
    """`**{first to last}`: None is the level of the leaves."""

    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Filter:
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class Method:
    name: str
    arguments: tuple[int | str, ...]


Accessor: TypeAlias = Key | AnyKey | AnyElement | Subscripts | Descendants | Filter | Method


@dataclass(frozen=True, slots=True)
class Access:
    start: Expression
    accessors: tuple[Accessor, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    operator: Comparison
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class StartsWith:
    operand: Expression
    prefix: Expression


@dataclass(frozen=True, slots=True)
class LikeRegex:
    operand: Expression
    regex: Compiled


@dataclass(frozen=True, slots=True)
class Exists:
    operand: Expression


@dataclass(frozen=True, slots=True)
class IsUnknown:
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class Not:
    predicate: Predicate


@dataclass(frozen=True, slots=True)
class AndOr:
    operator: Literal["&&", "||"]
    left: Predicate
    right: Predicate


Predicate: TypeAlias = Compare | StartsWith | LikeRegex | Exists | IsUnknown | Not | AndOr
Expression: TypeAlias = Root | Current | Last | Literally | Variable | Unary | Binary | Access | Predicate

PREDICATES = (Compare, StartsWith, LikeRegex, Exists, IsUnknown, Not, AndOr)


@dataclass(frozen=True, slots=True)
class Path:
    strict: bool
    expression: Expression
