"""RENAME, SWAP and SET SCHEMA."""

from __future__ import annotations

from dataclasses import replace

from holdfast.adapter.catalog.ddl.drop import ITEM_KINDS
from holdfast.adapter.catalog.ddl.moving import move
from holdfast.adapter.catalog.ddl.placing import check_free, check_name, check_not_reserved, check_not_system
from holdfast.adapter.catalog.ddl.roles import rename_role
from holdfast.adapter.catalog.ddl.target import target_of
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import DuplicateDatabase, DuplicateSchema, InsufficientPrivilege
from holdfast.adapter.catalog.objects import Database, Item, Role, Schema
from holdfast.adapter.catalog.privileges import require_create_in, require_owner
from holdfast.adapter.catalog.state import CatalogState, Change
from holdfast.repr.ids import GlobalId
from holdfast.sql.errors import NotSupported, WrongObjectType, WrongSyntax
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement.alter import ChangeSchema, Rename, Swap
from holdfast.sql.syntax.statement.kind import Kind


def rename(statement: Rename, work: Work) -> None:
    found = target_of(work, statement.kind, statement.name, skip=statement.if_exists)
    if found is None:
        return
    new = statement.new_name
    match found:
        case Role():
            rename_role(work, found, new, statement.location)
        case Database():
            require_owner(work.state, work.role, found)
            check_not_reserved("database", new, statement.location)
            if work.state.database_named(new) is not None:
                raise DuplicateDatabase(f'database "{new}" already exists', statement.location)
            move(work, [Change(found, replace(found, name=new))], _items_of_database(work.state, found))
        case Schema():
            _rename_schema(work, found, new, statement.location)
        case Item():
            require_owner(work.state, work.role, found)
            check_name(new, statement.location)
            check_free(work.state, work.state.schemas[found.schema], new, statement.location, found.session)
            move(work, [Change(found, replace(found, name=new))], [found.id])


def _items_of_database(state: CatalogState, database: Database) -> list[GlobalId]:
    return [item.id for schema in state.schemas_of(database.id) for item in state.items_of(schema.id)]


def _check_own_schema(work: Work, schema: Schema) -> str:
    """The name of the database of a schema that the role may rename."""
    if schema.database is None:
        raise InsufficientPrivilege(f'system schema "{schema.name}" cannot be modified')
    require_owner(work.state, work.role, schema)
    return work.state.databases[schema.database].name


def _rename_schema(work: Work, schema: Schema, new: str, location: int) -> None:
    database = _check_own_schema(work, schema)
    check_not_reserved("schema", new, location)
    if work.state.schema_named(database, new) is not None:
        raise DuplicateSchema(f'schema "{new}" already exists', location)
    items = [item.id for item in work.state.items_of(schema.id)]
    move(work, [Change(schema, replace(schema, name=new))], items)


def swap(statement: Swap, work: Work) -> None:
    """Two schemas of one database, each by the name of the other."""
    if statement.kind is not Kind.SCHEMA:
        raise NotSupported(f"ALTER {statement.kind.value} ... SWAP WITH is not supported yet", statement.location)
    one = work.names.schema(statement.name)
    _check_own_schema(work, one)
    other = work.names.schema(ObjectName((*statement.name.parts[:-1], statement.other), location=statement.location))
    _check_own_schema(work, other)
    if one == other:
        return
    items = [item.id for schema in (one, other) for item in work.state.items_of(schema.id)]
    changes = [Change(one, replace(one, name=other.name)), Change(other, replace(other, name=one.name))]
    move(work, changes, items)


def change_schema(statement: ChangeSchema, work: Work) -> None:
    if statement.kind not in ITEM_KINDS:
        raise WrongSyntax(f"ALTER {statement.kind.value} ... SET SCHEMA is not supported", statement.location)
    item = target_of(work, statement.kind, statement.name, skip=statement.if_exists)
    if not isinstance(item, Item):
        return
    if item.kind == "index":
        raise WrongObjectType(
            f'cannot move index "{item.name}" to another schema',
            statement.location,
            "An index is in the schema of its relation: move that.",
        )
    require_owner(work.state, work.role, item)
    schema = work.names.schema(statement.schema)
    if item.session is not None or schema.database is None:
        check_not_system(schema, item.name, statement.location)
        raise NotSupported("cannot move objects into or out of temporary schemas", statement.location)
    if schema.id == item.schema:
        return
    require_create_in(work.state, work.role, schema)
    moved = (item, *work.state.indexes_of(item.id))
    for each in moved:
        check_free(work.state, schema, each.name, statement.location)
    move(work, [Change(each, replace(each, schema=schema.id)) for each in moved], [each.id for each in moved])
