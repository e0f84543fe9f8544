"""What the search path finds: names without a schema, and which objects they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from holdfast.adapter.catalog.builtin.routines import operators, routines
from holdfast.adapter.catalog.builtin.shown import Shown
from holdfast.adapter.catalog.builtin.system_types import SYSTEM_TYPES, TYPE_FUNCTIONS
from holdfast.adapter.catalog.builtin.user_functions import functions
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Schema
from holdfast.cached import cached_property

Named = tuple[str, str, int]
"""The id of its schema, its own name, its oid."""


@dataclass(frozen=True, slots=True)
class Found:
    """Objects of one kind: the oid of each name in each schema, those found without a schema, and who is who."""

    by_schema: Mapping[tuple[str, str], int]
    by_name: Mapping[str, int]
    names: Mapping[int, tuple[str, str]]

    unlisted: frozenset[str] = frozenset()
    """Schemas that are searched, and whose objects are not said to be visible: tools list all that are."""

    def is_visible(self, oid: int) -> bool | None:
        if oid not in self.names:
            return None
        schema, name = self.names[oid]
        return self.by_name.get(name) == oid and schema not in self.unlisted


class Visible:
    """The objects of a session's database, as it finds them by name."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        asked = shown.introspection
        self.names = SessionNames(shown.state, asked.database, asked.search_path, asked.session)

    @cached_property
    def schemas(self) -> tuple[Schema, ...]:
        """Along the search path, those that need not be named included."""
        return tuple(self.names.searched())

    @cached_property
    def schema_names(self) -> Mapping[str, str]:
        return {schema.id: schema.name for schema in self._shown.state.schemas.values()}

    @cached_property
    def relations(self) -> Found:
        listed = [(found.schema.id, found.name, found.oid) for found in self._shown.relations_here]
        others = (*self._shown.indexes_here, *self._shown.types_here)
        listed += [(item.schema, item.name, item.oid) for item in others]
        return self._found(listed)

    @cached_property
    def types(self) -> Found:
        listed = [(self._system(found.schema), found.name, found.oid) for found in SYSTEM_TYPES]
        listed += [(item.schema, item.name, item.oid) for item in self._shown.types_here]
        return self._found(listed)

    @cached_property
    def functions(self) -> Found:
        own = self._system("pg_catalog")
        listed = [(own, found.name, found.oid) for found in routines()]
        listed += [(own, name, oid) for name, oid in TYPE_FUNCTIONS.items()]
        listed += [(found.item.schema, found.item.name, found.item.oid) for found in functions(self._shown, here=True)]
        return self._found(listed, overloaded=True)

    @cached_property
    def operators(self) -> Found:
        own = self._system("pg_catalog")
        return self._found([(own, found.name, found.oid) for found in operators()], overloaded=True)

    def _system(self, name: str) -> str:
        found = self._shown.state.schema_named(None, name)
        assert found is not None  # the schemas of the system are always there
        return found.id

    def _found(self, listed: Iterable[Named], *, overloaded: bool = False) -> Found:
        by_schema: dict[tuple[str, str], int] = {}
        names: dict[int, tuple[str, str]] = {}
        for schema, name, oid in listed:
            by_schema.setdefault((self.schema_names[schema], name), oid)
            names[oid] = (self.schema_names[schema], name)
        by_name: dict[str, int] = {}
        for schema_ in self.schemas:
            for (of_schema, name), oid in by_schema.items():
                if of_schema == schema_.name:
                    by_name.setdefault(name, oid)
        unlisted = frozenset({"mz_catalog"}) - set(self.names.search_path)
        return (_Overloaded if overloaded else Found)(by_schema, by_name, names, unlisted)


class _Overloaded(Found):
    """Functions and operators: one of a name does not hide another of the same name and schema."""

    __slots__ = ()

    def is_visible(self, oid: int) -> bool | None:
        if oid not in self.names:
            return None
        schema, name = self.names[oid]
        found = self.by_name.get(name)
        return found is not None and self.names[found][0] == schema
