"""Databases and schemas: CREATE DATABASE, CREATE SCHEMA."""

from __future__ import annotations

from holdfast.adapter.catalog.ddl.making import first_grants
from holdfast.adapter.catalog.ddl.placing import check_not_reserved
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import DuplicateDatabase, DuplicateSchema
from holdfast.adapter.catalog.objects import PUBLIC, Database, Grant, Schema
from holdfast.adapter.catalog.privileges import OF_CONTAINERS, granted, require_create_in, require_of_system
from holdfast.sql.errors import WrongSyntax
from holdfast.sql.render.quote import dotted
from holdfast.sql.syntax.statement.create import CreateDatabase, CreateSchema


def create_database(statement: CreateDatabase, work: Work) -> None:
    """With a schema `public`, which everyone may use."""
    require_of_system(work.state, work.role, "CREATEDB")
    check_not_reserved("database", statement.name, statement.location)
    if work.state.database_named(statement.name) is not None:
        message = f'database "{statement.name}" already exists'
        if not statement.if_not_exists:
            raise DuplicateDatabase(message, statement.location)
        work.notice(f"{message}, skipping", "42P04")
        return
    known, owner = work.given(), work.role.id
    grants = first_grants(work, "DATABASES", OF_CONTAINERS)
    database = Database(known.id, known.oid, statement.name, owner, grants)
    work.add(database)
    known = work.given()
    grants = first_grants(work, "SCHEMAS", OF_CONTAINERS, database=database.id)
    open_to_all = granted([*grants, Grant(PUBLIC, owner, frozenset("U"))])
    work.add(Schema(known.id, known.oid, "public", database.id, owner, open_to_all))


def create_schema(statement: CreateSchema, work: Work) -> None:
    parts, location = statement.name.parts, statement.name.location
    if len(parts) > 2:
        raise WrongSyntax(f"improper schema name (too many dotted names): {dotted(parts)}", location)
    database = work.names.database_named(parts[0] if len(parts) == 2 else work.names.database, location)
    require_create_in(work.state, work.role, database)
    check_not_reserved("schema", parts[-1], location)
    if work.state.schema_named(database.name, parts[-1]) is not None:
        message = f'schema "{parts[-1]}" already exists'
        if not statement.if_not_exists:
            raise DuplicateSchema(message, location)
        work.notice(f"{message}, skipping", "42P06")
        return
    known = work.given()
    grants = first_grants(work, "SCHEMAS", OF_CONTAINERS, database=database.id)
    work.add(Schema(known.id, known.oid, parts[-1], database.id, work.role.id, grants))
