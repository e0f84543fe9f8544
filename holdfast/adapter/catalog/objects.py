"""What the catalog has in it.

Every object has an id that is never given to another, of whatever kind, an oid for those who speak PostgreSQL's
catalogs, and an owner. Users make objects in databases and schemas of their own; the system's are in the schemas
without a database. Ids of users' objects begin with `u`, those of the system's with `s`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from holdfast.plan.functions.function import Function
from holdfast.plan.scalar import Column as ColumnScalar
from holdfast.plan.scalar import Scalar
from holdfast.plan.types import Type
from holdfast.repr.ids import GlobalId
from holdfast.sql.syntax.query import Query

RoleId: TypeAlias = str
"""`u1`, `s1` for roles, `p` for PUBLIC."""

PUBLIC: RoleId = "p"


@dataclass(frozen=True, slots=True)
class Grant:
    """`privileges` are letters as in an aclitem: r SELECT, a INSERT, w UPDATE, d DELETE, U USAGE, C CREATE.

    One role is granted privileges by another once: no two grants of an object have the same grantee and grantor.
    """

    grantee: RoleId
    grantor: RoleId
    privileges: frozenset[str]


@dataclass(frozen=True, slots=True)
class Role:
    """`verifier` is what SCRAM-SHA-256 needs to know a password again; the password itself is kept nowhere.

    `system_privileges` are letters: R CREATEROLE, B CREATEDB, N CREATECLUSTER, P CREATENETWORKPOLICY.
    `parameters` are sorted by name.
    """

    id: RoleId
    oid: int
    name: str
    superuser: bool = False
    login: bool = True
    inherit: bool = True
    system_privileges: frozenset[str] = frozenset()
    verifier: str | None = field(default=None, repr=False)
    parameters: tuple[tuple[str, str], ...] = ()
    member_of: frozenset[RoleId] = frozenset()


@dataclass(frozen=True, slots=True)
class Database:
    id: str
    oid: int
    name: str
    owner: RoleId
    grants: tuple[Grant, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """`database` is None for those of the system, which every database shows."""

    id: str
    oid: int
    name: str
    database: str | None
    owner: RoleId
    grants: tuple[Grant, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """`default` is the text of an expression."""

    name: str
    type: Type
    nullable: bool = True
    default: str | None = None


ItemKind: TypeAlias = Literal["table", "view", "materialized-view", "index", "type", "function"]

RELATIONS: tuple[ItemKind, ...] = ("table", "view", "materialized-view")
"""The kinds of items that queries read."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """One of the strategies that say when a materialized view is brought up to date. All times are milliseconds.

    - "at-creation": at the first time that it has rows for.
    - "at": once, at the time `at`.
    - "every": at every time that is a multiple of `interval` away from `at`, before it and after.
    """

    kind: Literal["at-creation", "at", "every"]
    at: int | None = None
    interval: int | None = None


@dataclass(frozen=True, slots=True)
class KeyPart:
    """One of the expressions over the columns of a relation that an index finds rows by, and its text."""

    sql: str
    scalar: Scalar

    @property
    def type(self) -> Type:
        return self.scalar.type

    @property
    def nullable(self) -> bool:
        return self.scalar.nullable

    @property
    def position(self) -> int | None:
        """Which column it is, if it is just that."""
        return self.scalar.index if isinstance(self.scalar, ColumnScalar) else None


@dataclass(frozen=True, slots=True)
class Item:
    """A table, view, materialized view, index, type or function: what stands in a schema.

    - `sql` is the statement that made it, as the renderer writes it, all names in it whole. The rest of what is here
      follows from it, but for what only the catalog knows.
    - `uses` are the items of users that `sql` names: those that it reads or calls, and the types it mentions.
    - `query` is that of a view, materialized or not, with names whole.
    - `retain_history` is in milliseconds; None where nothing was said.
    - `refresh` says when a materialized view is brought up to date: with every change, if there is no strategy. All
      of its strategies together say all of the times.
    - `asserts` are the columns of a materialized view, by position, whose nulls make it err. They are not nullable.
    - `on` is the relation that an index is of, and `key` what it finds rows by. It has no columns of its own.
    - `function` is that of a function as plans call it.
    - `session` is the one whose temporary item it is, None for all others. Those are never durable.
    - `broken` is why nothing follows from its statement, which this version cannot plan; None where it can. Such an
      item has no columns; it can be shown and dropped, and nothing reads it.
    """

    id: GlobalId
    oid: int
    name: str
    schema: str
    kind: ItemKind
    sql: str
    owner: RoleId
    columns: tuple[Column, ...] = ()
    query: Query | None = None
    type: Type | None = None
    uses: frozenset[GlobalId] = frozenset()
    grants: tuple[Grant, ...] = ()
    retain_history: int | None = None
    session: int | None = None
    refresh: tuple[Refresh, ...] = ()
    asserts: tuple[int, ...] = ()
    on: GlobalId | None = None
    key: tuple[KeyPart, ...] = ()
    function: Function | None = None
    broken: str | None = None

    @property
    def noun(self) -> str:
        """The words for what it is."""
        return self.kind.replace("-", " ")


DefaultKind: TypeAlias = Literal["TABLES", "TYPES", "SCHEMAS", "DATABASES", "SECRETS", "CONNECTIONS", "CLUSTERS"]


@dataclass(frozen=True, slots=True)
class DefaultGrant:
    """What objects to come are given: those that `creator` makes (None: anyone), perhaps only within a schema.

    Views, materialized or not, are TABLES too. There is one for all that is said of the same objects and grantee.
    """

    creator: RoleId | None
    kind: DefaultKind
    grantee: RoleId
    privileges: frozenset[str]
    database: str | None = None
    schema: str | None = None


@dataclass(frozen=True, slots=True)
class Comment:
    """On the object of this id, or on one of its columns, which count from 1."""

    object: str
    column: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Setting:
    """What the system was told, by its name: a parameter, or how far the ids are given out."""

    name: str
    value: str


Object: TypeAlias = Role | Database | Schema | Item | DefaultGrant | Comment | Setting
