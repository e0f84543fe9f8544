"""The objects of an introspection as the relations of the system show them: the system's and users' in one form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from holdfast.adapter.catalog.builtin.introspection import Introspection
from holdfast.adapter.catalog.builtin.type_facts import TypeOids
from holdfast.adapter.catalog.objects import PUBLIC, Column, Grant, Item, RoleId, Schema
from holdfast.adapter.catalog.state import SYSTEM, CatalogState
from holdfast.cached import cached_property

_LETTERS = "arwdUCRBNP"
"""The order in which an aclitem has the letters of privileges."""

READABLE = (Grant(PUBLIC, SYSTEM, frozenset("r")), Grant(SYSTEM, SYSTEM, frozenset("r")))
"""What is granted on every relation of the system."""


@dataclass(frozen=True, slots=True)
class SystemRelation:
    """A relation of the system, as others are told of it. `definition` is the query of a view."""

    id: str
    oid: int
    schema: str
    name: str
    columns: tuple[Column, ...]
    definition: str | None


@dataclass(frozen=True, slots=True)
class ShownRelation:
    """A table or view, materialized or not. `sql` is the statement that made it, where one did."""

    id: str
    oid: int
    schema: Schema
    name: str
    kind: Literal["table", "view", "materialized-view"]
    columns: tuple[Column, ...]
    owner: RoleId
    grants: tuple[Grant, ...]
    sql: str | None
    item: Item | None
    definition: str | None = None

    @property
    def is_temporary(self) -> bool:
        return self.item is not None and self.item.session is not None


class Shown:
    """What one introspection shows. `mz_catalog` is about all databases, `pg_catalog` about the session's (`here`)."""

    def __init__(self, introspection: Introspection, system: Sequence[SystemRelation]) -> None:
        self.introspection, self.system = introspection, system

    @property
    def state(self) -> CatalogState:
        return self.introspection.state

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """All but the temporary ones of other sessions."""
        own = (None, self.introspection.session)
        return tuple(item for item in self.state.items.values() if item.session in own)

    @cached_property
    def relations(self) -> tuple[ShownRelation, ...]:
        return (*self._system_relations(), *self._user_relations(self.items))

    @cached_property
    def relations_here(self) -> tuple[ShownRelation, ...]:
        return tuple(relation for relation in self.relations if self.is_here(relation.schema))

    @cached_property
    def indexes(self) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.kind == "index")

    @cached_property
    def indexes_here(self) -> tuple[Item, ...]:
        return tuple(item for item in self.indexes if self.is_here(self.state.schemas[item.schema]))

    @cached_property
    def types(self) -> tuple[Item, ...]:
        """Those that users made."""
        return tuple(item for item in self.items if item.kind == "type")

    @cached_property
    def types_here(self) -> tuple[Item, ...]:
        return tuple(item for item in self.types if self.is_here(self.state.schemas[item.schema]))

    @cached_property
    def type_oid(self) -> TypeOids:
        return TypeOids({item.type: item.oid for item in self.types if item.type is not None})

    @cached_property
    def schemas_here(self) -> tuple[Schema, ...]:
        return tuple(schema for schema in self.state.schemas.values() if self.is_here(schema))

    def is_here(self, schema: Schema) -> bool:
        """Whether it is the system's, or in the session's database."""
        return schema.database is None or schema.database == self.database_id

    @cached_property
    def database_id(self) -> str | None:
        found = self.state.database_named(self.introspection.database)
        return None if found is None else found.id

    @cached_property
    def relations_by_id(self) -> Mapping[str, ShownRelation]:
        return {relation.id: relation for relation in self.relations}

    def _system_relations(self) -> Iterator[ShownRelation]:
        for found in self.system:
            schema = self.state.schema_named(None, found.schema)
            assert schema is not None, found.schema
            yield ShownRelation(
                found.id,
                found.oid,
                schema,
                found.name,
                "table" if found.definition is None else "view",
                found.columns,
                SYSTEM,
                READABLE,
                None,
                None,
                found.definition,
            )

    def _user_relations(self, items: Iterable[Item]) -> Iterator[ShownRelation]:
        for item in items:
            if item.kind == "table" or item.kind == "view" or item.kind == "materialized-view":
                yield ShownRelation(
                    str(item.id),
                    item.oid,
                    self.state.schemas[item.schema],
                    item.name,
                    item.kind,
                    item.columns,
                    item.owner,
                    item.grants,
                    item.sql,
                    item,
                )

    def role_oid(self, role: RoleId) -> int:
        return self.state.roles[role].oid

    def role_name(self, role: RoleId) -> str:
        return self.state.roles[role].name

    def acl(self, grants: Iterable[Grant]) -> tuple[str, ...] | None:
        """As PostgreSQL writes it: by the names of roles, none for PUBLIC. Null where nothing was granted."""
        found = tuple(
            f"{'' if grant.grantee == PUBLIC else _quoted(self.role_name(grant.grantee))}={letters(grant.privileges)}/"
            f"{_quoted(self.role_name(grant.grantor))}"
            for grant in grants
        )
        return found or None

    def mz_acl(self, grants: Iterable[Grant]) -> tuple[str, ...]:
        """By the ids of roles."""
        return tuple(
            f"{'' if grant.grantee == PUBLIC else grant.grantee}={letters(grant.privileges)}/{grant.grantor}"
            for grant in grants
        )


def letters(privileges: Iterable[str]) -> str:
    return "".join(sorted(privileges, key=_LETTERS.index))


def _quoted(name: str) -> str:
    if all(character.isalnum() or character == "_" for character in name):
        return name
    return '"' + name.replace('"', '""') + '"'
