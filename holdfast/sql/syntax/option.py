"""Options: what stands in the parentheses of WITH (...), CREATE CONNECTION (...) and the like.

A name is its words in upper case. Values that can be secrets are kept as they
were written, and left out of `repr`, so that no log or traceback shows them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.node import Node

if TYPE_CHECKING:
    from holdfast.sql.syntax.expression import Expression

_SENSITIVE = ("PASSWORD", "SECRET", "TOKEN", "SSL KEY", "ACCOUNT KEY", "ACCESS KEY")


@dataclass(frozen=True, slots=True)
class SecretReference(Node):
    """`SECRET name`: the value is in the catalog, not in the text."""

    name: ObjectName


@dataclass(frozen=True, slots=True)
class ValueList(Node):
    """Values in parentheses, or in brackets when `brackets`."""

    items: tuple[OptionValue, ...]
    brackets: bool = False


@dataclass(frozen=True, slots=True)
class OptionGroup(Node):
    """Options in parentheses as the value of an option, one or more."""

    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Phrase(Node):
    """A value that begins with words of the grammar: `FOR '1 hour'`, `EVERY '1 day' ALIGNED TO '...'`.

    `arguments` follow the phrase; of EVERY, the second is what it is aligned to.
    """

    words: str
    arguments: tuple[OptionValue, ...] = ()


@dataclass(frozen=True, slots=True)
class Broker(Node):
    """One broker of a Kafka connection, or a pattern of brokers, and the tunnel to it."""

    address: str
    matching: bool = False
    tunnel_kind: str | None = None
    tunnel: ObjectName | None = None
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Brokers(Node):
    items: tuple[Broker, ...]


@dataclass(frozen=True, slots=True)
class NetworkRule(Node):
    name: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class NetworkRules(Node):
    items: tuple[NetworkRule, ...]


@dataclass(frozen=True, slots=True)
class Option(Node):
    """`name` or `name = value`."""

    name: str
    value: OptionValue | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        hidden = any(word in self.name for word in _SENSITIVE) and not isinstance(self.value, SecretReference)
        return f"Option(name={self.name!r}, value={'...' if hidden else repr(self.value)})"


OptionValue: TypeAlias = (
    "Expression | ObjectName | SecretReference | ValueList | OptionGroup | Phrase | Brokers | NetworkRules"
)
