"""Functions in Python: CREATE [OR REPLACE] FUNCTION, DROP FUNCTION.

What users write runs in processes of the server's, with the server's rights, so only superusers make functions.
"""

from __future__ import annotations

from dataclasses import replace

from holdfast.adapter.catalog.ddl.drop import check_may_drop, dependents, drop_all
from holdfast.adapter.catalog.ddl.making import make, named_wholly
from holdfast.adapter.catalog.ddl.placing import place_of
from holdfast.adapter.catalog.ddl.shown import shown
from holdfast.adapter.catalog.ddl.work import Work
from holdfast.adapter.catalog.errors import (
    DependentObjects,
    DuplicateFunction,
    InvalidFunctionDefinition,
    ReservedName,
)
from holdfast.adapter.catalog.functions import (
    check_source,
    function_named,
    function_of,
    signature,
    signature_type,
    uses_of,
)
from holdfast.adapter.catalog.objects import Item
from holdfast.adapter.catalog.privileges import require_owner, require_superuser
from holdfast.adapter.catalog.statement import statement_of, with_statement
from holdfast.adapter.catalog.whole import whole
from holdfast.plan.functions.function import Function
from holdfast.plan.python_function import is_parameter
from holdfast.plan.python_results import is_convertible
from holdfast.sql.errors import NotSupported, UndefinedFunction, UndefinedObject, UndefinedSchema
from holdfast.sql.resolve import CALLABLE
from holdfast.sql.syntax.statement.create import CreateFunction
from holdfast.sql.syntax.statement.drop import DropFunctions, Signature
from holdfast.sql.typenames import BUILT_IN

_MAINTAINED = frozenset({"materialized-view", "index"})
_DETERMINISTIC = "Leave it out, or say IMMUTABLE: a view is maintained by running the function again for the same row."


def create_function(statement: CreateFunction, work: Work) -> None:
    require_superuser(work.role, "create function")
    _check(statement)
    place = place_of(work, statement.name, temporary=False)
    if place.session is not None:
        raise NotSupported("temporary functions are not supported", statement.location)
    plain = replace(statement, if_not_exists=False, or_replace=False)
    found = named_wholly(work, plain, place)
    _check_types(found.statement, work)
    function = function_of(found.statement, work.names)
    held = work.state.functions_in(place.schema.id, statement.name.parts[-1])
    old = next((item for item in held if item.function and item.function.arguments == function.arguments), None)
    if old is not None and not statement.or_replace:
        message = f'function "{old.name}" already exists with same argument types'
        if not statement.if_not_exists:
            raise DuplicateFunction(message, statement.location)
        work.notice(f"{message}, skipping", "42723")
        return
    check_source(function)
    if old is None:
        _check_meaning(work, make(work, "function", found, place), held)
    else:
        _check_replaceable(work, old, function, statement.location)
        work.replace(old, with_statement(replace(old, uses=found.uses), found.statement, work.names))


def _check(statement: CreateFunction) -> None:
    name, location = statement.name.parts[-1], statement.location
    if statement.language != "python":
        raise UndefinedObject(
            f'language "{statement.language}" does not exist', location, hint="Functions are written in python."
        )
    if statement.returns is None:
        raise NotSupported("functions that return rows are not supported", location)
    if statement.volatility in ("STABLE", "VOLATILE"):
        raise NotSupported(f"{statement.volatility} functions are not supported", location, hint=_DETERMINISTIC)
    if statement.options:
        raise NotSupported("options of functions are not supported", statement.options[0].location)
    if name in CALLABLE or name in BUILT_IN:
        raise ReservedName(f'"{name}" is the name of a function or type of the system', statement.name.location)
    names = [argument.name for argument in statement.arguments if argument.name is not None]
    for each in names:
        if not is_parameter(each):
            raise InvalidFunctionDefinition(f'an argument in Python cannot be called "{each}"', location)
    said = [argument.name or f"arg{place}" for place, argument in enumerate(statement.arguments, start=1)]
    twice = next((each for each in said if said.count(each) > 1), None)
    if twice is not None:
        raise InvalidFunctionDefinition(f'parameter name "{twice}" used more than once', location)


def _check_types(statement: CreateFunction, work: Work) -> None:
    assert statement.returns is not None  # it was checked
    for name in (*(argument.type for argument in statement.arguments), statement.returns):
        type_ = signature_type(name, work.names)
        if not is_convertible(type_):
            raise NotSupported(f"functions in Python do not take or return {type_}", name.location)


def _check_replaceable(work: Work, old: Item, new: Function, location: int) -> None:
    require_owner(work.state, work.role, old)
    if old.function is not None and old.function.result != new.result:
        raise InvalidFunctionDefinition(
            "cannot change return type of existing function",
            location,
            hint=f"Use DROP FUNCTION {signature(old)} first.",
        )
    users = [each.found for each in dependents(work.state, [old])]
    kept = [found for found in users if isinstance(found, Item) and found.kind in _MAINTAINED]
    if kept:
        names = work.names
        raise DependentObjects(
            f"cannot replace {shown(names, old)} because rows that it made are kept",
            [f"{shown(names, found)} depends on {shown(names, old)}" for found in kept],
            "Drop them first, or give the new function another name.",
        )


def _check_meaning(work: Work, new: Item, others: tuple[Item, ...]) -> None:
    """That nothing which calls another function of the name would call the new one."""
    users = {user for other in others for user in work.state.used_by(other.id)}
    for id_ in sorted(users, key=lambda each: each.number):
        item = work.state.item(id_)
        names = replace(work.names, session=item.session)
        statement = statement_of(item)
        now = uses_of(statement, whole(statement, names).uses, names)
        if item.query is not None and now != item.uses:
            what = shown(work.names, item)
            raise DependentObjects(
                f"cannot create {shown(work.names, new)} because other objects would call it",
                [f"{what} calls another function of the name, and the new one fits better"],
            )
        if now != item.uses:
            work.replace(item, replace(item, uses=now))


def drop_functions(statement: DropFunctions, work: Work) -> None:
    roots: list[Item] = []
    for said in statement.functions:
        found = _named(work, said, skip=statement.if_exists)
        if found is not None and found not in roots:
            check_may_drop(work, found, said.name)
            roots.append(found)
    drop_all(work, roots, cascade=statement.behavior == "CASCADE")


def _named(work: Work, said: Signature, *, skip: bool) -> Item | None:
    try:
        return function_named(said.name, said.arguments, work.names)
    except (UndefinedFunction, UndefinedSchema, UndefinedObject) as error:
        if not skip:
            raise
        work.notice(f"{error}, skipping")
        return None
