"""SET and RESET of what can be said of an object after it was made: RETAIN HISTORY."""

from __future__ import annotations

from dataclasses import replace

from holdfast.adapter.catalog.ddl.target import target_of
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.definition import RETAIN_HISTORY, retained
from holdfast.adapter.catalog.errors import InvalidParameter
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.privileges import require_owner
from holdfast.adapter.catalog.statement import statement_of
from holdfast.sql.errors import WrongObjectType
from holdfast.sql.render import render
from holdfast.sql.syntax.option import Option
from holdfast.sql.syntax.statement.alter import ResetOptions, SetOptions
from holdfast.sql.syntax.statement.create import CreateIndex, CreateMaterializedView, CreateTable


def set_options(statement: SetOptions, work: Work) -> None:
    for option in statement.options:
        _check(option.name, option.location)
    _change(statement, statement.options, work)


def reset_options(statement: ResetOptions, work: Work) -> None:
    for name in statement.options:
        _check(name, statement.location)
    _change(statement, (), work)


def _check(name: str, location: int) -> None:
    if name != RETAIN_HISTORY:
        raise InvalidParameter(f'unrecognized parameter "{name.lower()}"', location)


def _change(statement: SetOptions | ResetOptions, options: tuple[Option, ...], work: Work) -> None:
    item = target_of(work, statement.kind, statement.name, skip=statement.if_exists)
    if item is None:
        return
    made = statement_of(item) if isinstance(item, Item) else None
    if not isinstance(item, Item) or not isinstance(made, CreateTable | CreateMaterializedView | CreateIndex):
        raise WrongObjectType(f"RETAIN HISTORY is not an option of {statement.kind.value}", statement.location)
    require_owner(work.state, work.role, item)
    kept = tuple(option for option in made.options if option.name != RETAIN_HISTORY)
    made = replace(made, options=(*kept, *options))
    work.replace(item, replace(item, sql=render(made), retain_history=retained(made.options)))
