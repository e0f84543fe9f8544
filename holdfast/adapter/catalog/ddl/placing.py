"""Where a new object goes, and whether its name is free."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import (
    DuplicateObject,
    DuplicateRelation,
    InsufficientPrivilege,
    InvalidName,
    InvalidTableDefinition,
    ReservedName,
)
from holdfast.adapter.catalog.names import SessionNames
from holdfast.adapter.catalog.objects import Item, Schema
from holdfast.adapter.catalog.privileges import require_create_in
from holdfast.adapter.catalog.state import TEMPORARY, CatalogState
from holdfast.errors import UsageError
from holdfast.sql.syntax.name import ObjectName

_RESERVED = ("mz_", "pg_", "external_")


@dataclass(frozen=True, slots=True)
class Place:
    """A schema, and the session whose temporary item it will be."""

    schema: Schema
    session: int | None = None


def check_name(name: str, location: int = 0) -> None:
    if name in (".", "..") or not name:
        raise InvalidName(f'"{name}" is not a name that an object can have', location)


def check_not_reserved(kind: str, name: str, location: int = 0) -> None:
    """Names of roles, databases and schemas that users may give."""
    check_name(name, location)
    prefix = next((each for each in _RESERVED if name.startswith(each)), None)
    if prefix is not None:
        raise ReservedName(
            f'unacceptable {kind} name "{name}"',
            location,
            detail=f'The prefix "{prefix}" is reserved for system {kind}s.',
        )


def place_of(work: Work, name: ObjectName, *, temporary: bool) -> Place:
    """Where the object is made, if the role may make it there."""
    check_name(name.parts[-1], name.location)
    if temporary or is_temporary(work.names, name):
        return _temporary(work, name)
    schema = work.names.schema_to_create_in(name)
    check_not_system(schema, name.parts[-1], name.location)
    require_create_in(work.state, work.role, schema)
    return Place(schema)


def is_temporary(names: SessionNames, name: ObjectName) -> bool:
    return len(name.parts) == 2 and names.schema(ObjectName(name.parts[:1], location=name.location)).name == TEMPORARY


def check_not_system(schema: Schema, name: str, location: int = 0) -> None:
    if schema.database is None:
        raise InsufficientPrivilege(
            f'permission denied to create "{schema.name}.{name}"',
            location,
            detail="System catalog modifications are currently disallowed.",
        )


def _temporary(work: Work, name: ObjectName) -> Place:
    if len(name.parts) > 1 and not is_temporary(work.names, name):
        raise InvalidTableDefinition("cannot create temporary relation in non-temporary schema", name.location)
    if work.names.session is None:
        raise UsageError("temporary items are made by sessions")
    schema = work.state.schema_named(None, TEMPORARY)
    assert schema is not None  # the system has it
    return Place(schema, work.names.session)


def is_taken(work: Work, place: Place, name: ObjectName, *, skip: bool) -> bool:
    """Whether to leave it at what is there, of which the client is told; an error if that is not what was asked."""
    held = work.state.item_in(place.schema.id, name.parts[-1], place.session)
    if held is None:
        return False
    if not skip:
        raise taken(held, name.location)
    kind, code = ("type", "42710") if held.kind == "type" else ("relation", "42P07")
    work.notice(f'{kind} "{held.name}" already exists, skipping', code)
    return True


def taken(held: Item, location: int = 0) -> DuplicateRelation | DuplicateObject:
    """The error that the name is that of `held`."""
    if held.kind == "type":
        return DuplicateObject(f'type "{held.name}" already exists', location)
    return DuplicateRelation(f'relation "{held.name}" already exists', location)


def check_free(state: CatalogState, schema: Schema, name: str, location: int = 0, session: int | None = None) -> None:
    held = state.item_in(schema.id, name, session)
    if held is not None:
        raise taken(held, location)
