"""COMMENT ON."""

from __future__ import annotations

from holdfast.adapter.catalog.ddl.target import target_of
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import InsufficientPrivilege
from holdfast.adapter.catalog.objects import RELATIONS, Comment, Role, Schema
from holdfast.adapter.catalog.privileges import require_of_system, require_owner
from holdfast.sql.errors import UndefinedColumn, WrongSyntax
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement import inspect as syntax


def comment(statement: syntax.Comment, work: Work) -> None:
    object_, column = _on_column(statement, work) if statement.kind is None else (_on_object(statement, work), None)
    held = work.state.comments.get((object_, column))
    if held is not None:
        work.remove(held)
    if statement.text:
        work.add(Comment(object_, column, statement.text))


def _on_object(statement: syntax.Comment, work: Work) -> str:
    assert statement.kind is not None  # else it is on a column
    found = target_of(work, statement.kind, statement.name)
    assert found is not None  # nothing is skipped
    if isinstance(found, Role):
        require_of_system(work.state, work.role, "CREATEROLE")
    elif isinstance(found, Schema) and found.database is None:
        raise InsufficientPrivilege(f'system schema "{found.name}" cannot be modified', statement.location)
    else:
        require_owner(work.state, work.role, found)
    return str(found.id)


def _on_column(statement: syntax.Comment, work: Work) -> tuple[str, int]:
    parts, location = statement.name.parts, statement.name.location
    if len(parts) < 2:
        raise WrongSyntax("column name must be qualified", location)
    relation = work.names.item(ObjectName(parts[:-1], location=location), *RELATIONS)
    require_owner(work.state, work.role, relation)
    for number, column in enumerate(relation.columns, start=1):
        if column.name == parts[-1]:
            return str(relation.id), number
    raise UndefinedColumn(f'column "{parts[-1]}" of relation "{relation.name}" does not exist', location)
