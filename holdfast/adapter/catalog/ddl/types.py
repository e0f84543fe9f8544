"""Types: CREATE TYPE."""

from __future__ import annotations

from holdfast.adapter.catalog.ddl.making import make, named_wholly
from holdfast.adapter.catalog.ddl.placing import is_taken, place_of
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.sql.errors import DuplicateColumn
from holdfast.sql.syntax.statement.create import CreateType, RecordDefinition


def create_type(statement: CreateType, work: Work) -> None:
    place = place_of(work, statement.name, temporary=False)
    is_taken(work, place, statement.name, skip=False)
    if isinstance(statement.definition, RecordDefinition):
        seen: set[str] = set()
        for field in statement.definition.fields:
            if field.name in seen:
                raise DuplicateColumn(f'column "{field.name}" specified more than once', field.location)
            seen.add(field.name)
    make(work, "type", named_wholly(work, statement, place), place)
