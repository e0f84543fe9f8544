"""What planning asks of the catalog: the relations, types and functions that names mean.

The catalog itself is the caller's; this is what it looks like from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from holdfast.plan.functions.function import Function
from holdfast.plan.types import Type
from holdfast.sql.syntax.expression import Expression
from holdfast.sql.syntax.query import Query

RelationKind: TypeAlias = Literal["table", "view", "materialized view", "system"]


@dataclass(frozen=True, slots=True)
class CatalogColumn:
    """`default` is what a new row has here if it does not say: an expression or the text of one; None for null."""

    name: str
    type: Type
    nullable: bool = True
    default: Expression | str | None = None


@dataclass(frozen=True, slots=True)
class CatalogRelation:
    """A relation: `id` is what a plan gets it by; no two of its rows agree on the columns of a key.

    `name` is its last part, which is what it is called in a query without an alias; `schema` the parts before.
    A view that is not kept has a `view` to read instead: its query, or the text of it, with the columns' names.
    Only rows of a table can be changed by users; those of `system` relations are the system's own.
    `oid` is what `tableoid` is for all of its rows, if it has one.
    """

    id: str
    name: str
    columns: tuple[CatalogColumn, ...]
    keys: tuple[tuple[int, ...], ...] = ()
    schema: tuple[str, ...] = ()
    view: Query | str | None = None
    kind: RelationKind = "table"
    oid: int | None = None


class Catalog(Protocol):
    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        """The relation that a name of one to three parts means: database, schema, relation. None if there is none.

        Names without a schema are looked up along the search path.
        """

    def type(self, parts: tuple[str, ...]) -> Type | None:
        """The user-defined type of this name."""

    def functions(self, parts: tuple[str, ...]) -> Sequence[Function] | None:
        """The user-defined functions of this name; None if it names a schema that does not exist."""


class WithoutFunctions:
    """Part of a catalog in which there are no functions of users."""

    def functions(self, parts: tuple[str, ...]) -> Sequence[Function] | None:
        return () if len(parts) == 1 else None


class EmptyCatalog(WithoutFunctions):
    """No relations, types and functions: enough for queries over constants."""

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:  # noqa: ARG002  # the protocol's
        return None

    def type(self, parts: tuple[str, ...]) -> Type | None:  # noqa: ARG002  # the protocol's
        return None
