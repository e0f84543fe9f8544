"""The object that an ALTER, GRANT or COMMENT names."""

from __future__ import annotations

from holdfast.adapter.catalog.ddl.drop import ITEM_KINDS
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import UndefinedDatabase
from holdfast.adapter.catalog.objects import Database, Item, Role, Schema
from holdfast.sql.errors import NotSupported, UndefinedObject, UndefinedSchema, UndefinedTable
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement.kind import Kind


def target_of(
    work: Work, kind: Kind, name: ObjectName, *, skip: bool = False
) -> Database | Schema | Item | Role | None:
    """The object of this kind and name; with `skip`, None if there is none, of which the client is told."""
    try:
        match kind:
            case Kind.DATABASE:
                return work.names.database_named(name.parts[-1], name.location)
            case Kind.SCHEMA:
                return work.names.schema(name)
            case Kind.ROLE:
                return work.names.role(name.parts[-1], name.location)
            case _ if kind in ITEM_KINDS:
                return work.names.item(name, ITEM_KINDS[kind])
    except (UndefinedDatabase, UndefinedSchema, UndefinedTable, UndefinedObject) as error:
        if not skip:
            raise
        work.notice(f"{error}, skipping")
        return None
    raise NotSupported(f"objects of kind {kind.value} are not supported yet", name.location)
