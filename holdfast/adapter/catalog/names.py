"""Names, as one session means them.

A name without a schema is looked up among the session's temporary items, then in the system's schemas that need not be
named, then along its search path. A schema without a database is one of the session's database, or of the system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from holdfast.adapter.catalog.builtin import find as system_relation
from holdfast.adapter.catalog.errors import BrokenView, InsufficientPrivilege, InvalidSchemaName, UndefinedDatabase
from holdfast.adapter.catalog.objects import RELATIONS, Database, Item, ItemKind, Role, Schema
from holdfast.adapter.catalog.state import TEMPORARY, CatalogState
from holdfast.plan.functions.function import Function
from holdfast.plan.types import Type
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, RelationKind
from holdfast.sql.errors import UndefinedObject, UndefinedSchema, UndefinedTable, WrongObjectType, WrongSyntax
from holdfast.sql.render.quote import dotted
from holdfast.sql.syntax.name import ObjectName

IMPLICIT = ("mz_catalog", "pg_catalog")
"""Schemas that are searched before those of the search path, unless it names them itself."""

_ALIASES = {"pg_temp": TEMPORARY}
_RELATION_KINDS: Mapping[ItemKind, RelationKind] = {
    "table": "table",
    "view": "view",
    "materialized-view": "materialized view",
}


@dataclass(frozen=True)
class SessionNames:
    """What names mean to a session. It is the `Catalog` that its statements are planned with.

    `by_index`: views that have an index are read as it keeps them, and not by their query.
    """

    state: CatalogState
    database: str
    search_path: tuple[str, ...] = ("public",)
    session: int | None = None
    by_index: bool = False

    def at(self, state: CatalogState) -> SessionNames:
        """The same session, over another version of the catalog."""
        return replace(self, state=state)

    def anywhere(self) -> SessionNames:
        """The same session, without a place of its own: only whole names mean something."""
        return replace(self, database="", search_path=())

    # What planning asks

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        found = self.find(parts, *RELATIONS)
        return as_relation(self.state, found, by_index=self.by_index) if isinstance(found, Item) else found

    def type(self, parts: tuple[str, ...]) -> Type | None:
        found = self.find(parts, "type")
        return found.type if isinstance(found, Item) else None

    def functions(self, parts: tuple[str, ...]) -> Sequence[Function] | None:
        if len(parts) > 1 and not any(self._places(parts)):
            return None
        return [item.function for item in self.functions_named(parts) if item.function is not None]

    def functions_named(self, parts: tuple[str, ...]) -> tuple[Item, ...]:
        """The functions of this name: without a schema, those of the first one searched that has any."""
        found = (self.state.functions_in(schema.id, parts[-1]) for schema in self._places(parts))
        return next((items for items in found if items), ())

    # Items

    def find(self, parts: tuple[str, ...], *kinds: ItemKind) -> Item | CatalogRelation | None:
        """The item, or the relation of the system, that a name of one to three parts means.

        Types and relations do not hide each other: only items of `kinds` are seen, all if there are none given.
        """
        relations = not kinds or any(kind in RELATIONS for kind in kinds)
        for schema in self._places(parts):
            item = self.state.item_in(schema.id, parts[-1], self.session)
            if item is not None and (not kinds or item.kind in kinds):
                return item
            if relations and schema.database is None:
                found = system_relation(schema.name, parts[-1])
                if found is not None:
                    return found
        return None

    def item(self, name: ObjectName, *kinds: ItemKind) -> Item:
        """The item of one of `kinds`, of any if none is given; an error if there is none."""
        found = self.find(name.parts)
        shown = ".".join(name.parts)
        if isinstance(found, CatalogRelation):
            raise InsufficientPrivilege(f'permission denied: "{found.name}" is a system catalog', name.location)
        if found is None:
            if kinds in (("type",), ("index",)):
                raise UndefinedObject(f'{kinds[0]} "{shown}" does not exist', name.location)
            raise UndefinedTable(f'relation "{shown}" does not exist', name.location)
        if kinds and found.kind not in kinds:
            nouns = " or ".join(kind.replace("-", " ") for kind in kinds)
            article = "an" if nouns.startswith("i") else "a"
            raise WrongObjectType(f'"{found.name}" is not {article} {nouns}', name.location)
        return found

    def _places(self, parts: tuple[str, ...]) -> Iterator[Schema]:
        """The schemas that may have what the name means, first come first."""
        if len(parts) > 3:
            raise WrongSyntax(f"improper qualified name (too many dotted names): {dotted(parts)}")
        if len(parts) > 1:
            database = parts[0] if len(parts) == 3 else self.database
            if len(parts) == 3 and self.state.database_named(database) is None:
                return
            found = self._schema(database, parts[-2])
            if found is not None:
                yield found
            return
        yield from self.searched()

    def searched(self) -> Iterator[Schema]:
        """The schemas of the search path that exist, with those that need not be named."""
        path = tuple(_ALIASES.get(name, name) for name in self.search_path)
        implicit = tuple(name for name in (TEMPORARY, *IMPLICIT) if name not in path)
        for name in (*implicit, *path):
            found = self._schema(self.database, name)
            if found is not None:
                yield found

    def _schema(self, database: str, name: str) -> Schema | None:
        return self.state.schema_named(database, _ALIASES.get(name, name))

    # Schemas, databases, roles

    def schema(self, name: ObjectName) -> Schema:
        """The schema of a name of one or two parts."""
        if len(name.parts) > 2:
            raise WrongSyntax(f"improper schema name (too many dotted names): {dotted(name.parts)}", name.location)
        if len(name.parts) == 2:
            self.database_named(name.parts[0], name.location)
        database = name.parts[0] if len(name.parts) == 2 else self.database
        found = self._schema(database, name.parts[-1])
        if found is None:
            raise UndefinedSchema(f'schema "{".".join(name.parts)}" does not exist', name.location)
        return found

    def schema_to_create_in(self, name: ObjectName) -> Schema:
        """Where an object of this name is made: in the schema that it names, or the first of the search path."""
        if len(name.parts) > 3:
            raise WrongSyntax(f"improper qualified name (too many dotted names): {dotted(name.parts)}", name.location)
        if len(name.parts) > 1:
            return self.schema(ObjectName(name.parts[:-1], location=name.location))
        for searched in self.search_path:
            found = self._schema(self.database, searched)
            if found is not None:
                return found
        raise InvalidSchemaName("no schema has been selected to create in", name.location)

    def database_named(self, name: str, location: int = 0) -> Database:
        found = self.state.database_named(name)
        if found is None:
            raise UndefinedDatabase(f'database "{name}" does not exist', location)
        return found

    def role(self, name: str, location: int = 0) -> Role:
        found = self.state.role_named(name)
        if found is None:
            raise UndefinedObject(f'role "{name}" does not exist', location)
        return found


def as_relation(state: CatalogState, item: Item, *, by_index: bool = False) -> CatalogRelation:
    """A relation as planning sees it. Only views that nothing keeps are read by their query."""
    if item.broken is not None:
        raise BrokenView.of(item.noun, state.path_of(item), item.broken)
    columns = tuple(CatalogColumn(column.name, column.type, column.nullable, column.default) for column in item.columns)
    schema = state.path_of(item)[:-1]
    view = item.query if item.kind == "view" and not (by_index and state.indexes_of(item.id)) else None
    return CatalogRelation(
        str(item.id), item.name, columns, schema=schema, view=view, kind=_RELATION_KINDS[item.kind], oid=item.oid
    )
