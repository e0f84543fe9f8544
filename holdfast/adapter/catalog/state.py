"""The catalog as a value: all objects, by what they are found by.

Equal catalogs have the same objects; the version does not count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeAlias

from holdfast.adapter.catalog.objects import (
    PUBLIC,
    Comment,
    Database,
    DefaultGrant,
    Grant,
    Item,
    Object,
    Role,
    RoleId,
    Schema,
    Setting,
)
from holdfast.cached import cached_property
from holdfast.errors import UsageError
from holdfast.repr.ids import GlobalId, IdKind

Key: TypeAlias = Any
"""What an object is known by among those of its kind. Each kind has its own."""

SYSTEM: RoleId = "s1"
"""The role that owns what the system has made."""

TEMPORARY = "mz_temp"
"""The schema in which every session has its temporary items."""

CLUSTER_ID, CLUSTER = "u1", "quickstart"
"""The one cluster, which all is in."""

FIRST_OID = 20_000
"""Those below are the system's."""

_NEXT_ID = "catalog.next_id"


@dataclass(frozen=True, slots=True)
class Change:
    """One object made (`removed` is None), gone (`added` is None), or replaced by another of the same key."""

    removed: Object | None
    added: Object | None


def key_of(found: Object) -> Key:
    """What no two objects of one kind have in common."""
    match found:
        case DefaultGrant():
            return (found.creator, found.kind, found.grantee, found.database, found.schema)
        case Comment():
            return (found.object, found.column)
        case Setting():
            return found.name
        case _:
            return found.id


_FIELDS: Mapping[type, str] = {
    Role: "roles",
    Database: "databases",
    Schema: "schemas",
    Item: "items",
    DefaultGrant: "default_grants",
    Comment: "comments",
    Setting: "settings",
}


@dataclass(frozen=True)
class CatalogState:
    """One version of the catalog.

    - Names are unique: of roles, of databases, of schemas within a database, of items within a schema (and, for
      temporary ones, within a session). Functions have names of their own, unique together with the types that they
      take.
    - What an object refers to exists: owners, schemas, databases, grantees, the items that one uses.
    - `next_number` only grows, and no object of a user has a number that is not below it.
    """

    roles: Mapping[RoleId, Role] = field(default_factory=dict)
    databases: Mapping[str, Database] = field(default_factory=dict)
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    items: Mapping[GlobalId, Item] = field(default_factory=dict)
    default_grants: Mapping[Key, DefaultGrant] = field(default_factory=dict)
    comments: Mapping[Key, Comment] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    version: int = field(default=0, compare=False)

    @classmethod
    def system(cls) -> CatalogState:
        """What is there before anything was made: it is the version's, and never durable."""
        return cls(roles={SYSTEM: _SYSTEM_ROLE}, schemas={schema.id: schema for schema in _SYSTEM_SCHEMAS})

    @classmethod
    def initial(cls) -> CatalogState:
        """What a new store begins with."""
        return cls.system().changed([Change(None, found) for found in _INITIAL])

    def changed(self, changes: Sequence[Change]) -> CatalogState:
        """The next version. What is removed must be there as it is said to be, and what is added must not."""
        copies: dict[str, dict[Key, Object]] = {}
        for change in changes:
            for found in (change.removed, change.added):
                if found is not None and _FIELDS[type(found)] not in copies:
                    name = _FIELDS[type(found)]
                    copies[name] = dict(getattr(self, name))
        for change in changes:
            if change.removed is not None:
                held = copies[_FIELDS[type(change.removed)]].pop(key_of(change.removed), None)
                if held != change.removed:
                    raise UsageError(f"the catalog does not have {change.removed}")
            if change.added is not None:
                of_kind, key = copies[_FIELDS[type(change.added)]], key_of(change.added)
                if key in of_kind:
                    raise UsageError(f"the catalog has an object of key {key} already")
                of_kind[key] = change.added
        made: dict[str, Any] = {name: MappingProxyType(copy) for name, copy in copies.items()}  # a table per kind
        return replace(self, **made, version=self.version + 1)

    def objects(self) -> Iterator[Object]:
        """All of them, the system's too."""
        for name in _FIELDS.values():
            yield from getattr(self, name).values()

    def owned(self) -> Iterator[Database | Schema | Item]:
        """All that has an owner and privileges."""
        yield from self.databases.values()
        yield from self.schemas.values()
        yield from self.items.values()

    # Ids

    @property
    def next_number(self) -> int:
        """The number that the next object gets."""
        return int(self.settings[_NEXT_ID].value)

    def next_id(self) -> GlobalId:
        return GlobalId(IdKind.USER, self.next_number)

    def next_oid(self) -> int:
        return FIRST_OID + self.next_number

    def numbers_given(self, count: int) -> Change:
        """The change by which the next `count` numbers are never given again."""
        held = self.settings[_NEXT_ID]
        return Change(held, Setting(_NEXT_ID, str(int(held.value) + count)))

    # Names

    @cached_property
    def _roles_by_name(self) -> Mapping[str, Role]:
        return {role.name: role for role in self.roles.values()}

    @cached_property
    def _databases_by_name(self) -> Mapping[str, Database]:
        return {database.name: database for database in self.databases.values()}

    @cached_property
    def _schemas_by_name(self) -> Mapping[tuple[str | None, str], Schema]:
        return {(schema.database, schema.name): schema for schema in self.schemas.values()}

    @cached_property
    def _items_by_name(self) -> Mapping[tuple[str, int | None, str], Item]:
        return {(item.schema, item.session, item.name): item for item in self.items.values() if item.kind != "function"}

    @cached_property
    def _functions_by_name(self) -> Mapping[tuple[str, str], tuple[Item, ...]]:
        found: dict[tuple[str, str], list[Item]] = defaultdict(list)
        for item in self.items.values():
            if item.kind == "function":
                found[item.schema, item.name].append(item)
        return {name: tuple(items) for name, items in found.items()}

    def role_named(self, name: str) -> Role | None:
        return self._roles_by_name.get(name)

    def database_named(self, name: str) -> Database | None:
        return self._databases_by_name.get(name)

    def schema_named(self, database: str | None, name: str) -> Schema | None:
        """A schema of the database of this name, or one of the system's, which every database shows."""
        held = None if database is None else self.database_named(database)
        own = None if held is None else self._schemas_by_name.get((held.id, name))
        return own or self._schemas_by_name.get((None, name))

    def item_in(self, schema: str, name: str, session: int | None = None) -> Item | None:
        """By the id of its schema. Of temporary items only those of `session` are seen."""
        if self.schemas[schema].name != TEMPORARY or self.schemas[schema].database is not None:
            session = None
        return self._items_by_name.get((schema, session, name))

    def functions_in(self, schema: str, name: str) -> tuple[Item, ...]:
        """All functions of a name, by the id of their schema."""
        return self._functions_by_name.get((schema, name), ())

    def find_item(self, database: str | None, schema: str, name: str, session: int | None = None) -> Item | None:
        held = self.schema_named(database, schema)
        return None if held is None else self.item_in(held.id, name, session)

    def item(self, id: GlobalId) -> Item:
        return self.items[id]

    def path_of(self, found: Schema | Item) -> tuple[str, ...]:
        """The whole name: database, schema and item. The system's schemas are in no database."""
        schema = self.schemas[found.schema] if isinstance(found, Item) else found
        database = () if schema.database is None else (self.databases[schema.database].name,)
        own = (found.name,) if isinstance(found, Item) else ()
        return (*database, schema.name, *own)

    # Dependencies

    def uses(self, id: GlobalId) -> frozenset[GlobalId]:
        return self.items[id].uses

    @cached_property
    def _used_by(self) -> Mapping[GlobalId, frozenset[GlobalId]]:
        found: dict[GlobalId, set[GlobalId]] = defaultdict(set)
        for item in self.items.values():
            for used in item.uses:
                found[used].add(item.id)
        return {used: frozenset(users) for used, users in found.items()}

    def used_by(self, id: GlobalId) -> frozenset[GlobalId]:
        """The items that name this one."""
        return self._used_by.get(id, frozenset())

    def indexes_of(self, id: GlobalId) -> tuple[Item, ...]:
        """The indexes of a relation."""
        users = sorted(self.used_by(id), key=lambda each: each.number)
        return tuple(self.items[user] for user in users if self.items[user].on == id)

    @cached_property
    def _by_schema(self) -> Mapping[str, tuple[Item, ...]]:
        found: dict[str, list[Item]] = defaultdict(list)
        for item in self.items.values():
            found[item.schema].append(item)
        return {schema: tuple(items) for schema, items in found.items()}

    def items_of(self, schema: str) -> tuple[Item, ...]:
        return self._by_schema.get(schema, ())

    def schemas_of(self, database: str) -> tuple[Schema, ...]:
        return tuple(schema for schema in self.schemas.values() if schema.database == database)

    def items_of_session(self, session: int) -> tuple[Item, ...]:
        """The temporary items of a session."""
        temporary = self._schemas_by_name[None, TEMPORARY]
        return tuple(item for item in self.items_of(temporary.id) if item.session == session)

    def parameters(self) -> tuple[Setting, ...]:
        """What ALTER SYSTEM has set."""
        return tuple(setting for name, setting in self.settings.items() if name != _NEXT_ID)

    def parameter(self, name: str) -> str | None:
        """What ALTER SYSTEM said of a parameter."""
        found = self.settings.get(name)
        return None if found is None else found.value


_SYSTEM_ROLE = Role(SYSTEM, 10, "mz_system", superuser=True)
_USE = (Grant(PUBLIC, SYSTEM, frozenset("U")), Grant(SYSTEM, SYSTEM, frozenset("UC")))

_SYSTEM_SCHEMAS = (
    Schema("s2", 16601, "mz_catalog", None, SYSTEM, _USE),
    Schema("s3", 11, "pg_catalog", None, SYSTEM, _USE),
    Schema("s4", 16602, "mz_internal", None, SYSTEM, _USE),
    Schema("s5", 16603, "information_schema", None, SYSTEM, _USE),
    Schema("s6", 16604, "mz_introspection", None, SYSTEM, _USE),
    Schema("s7", 16605, TEMPORARY, None, SYSTEM, _USE),
)
"""What is in them has ids from s100 on."""

_ALL = frozenset("UC")
_INITIAL: tuple[Object, ...] = (
    Setting(_NEXT_ID, "4"),
    Role("u1", FIRST_OID + 1, "materialize", superuser=True),
    Database("u2", FIRST_OID + 2, "materialize", SYSTEM, (*_USE, Grant("u1", SYSTEM, _ALL))),
    Schema("u3", FIRST_OID + 3, "public", "u2", SYSTEM, (*_USE, Grant("u1", SYSTEM, _ALL))),
    DefaultGrant(None, "TYPES", PUBLIC, frozenset("U")),
)
