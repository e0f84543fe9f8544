"""Which of the functions that users made a call means: those of its name, by the same rules as those of the system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.plan.functions.function import Function
from holdfast.plan.python_function import PythonFunction
from holdfast.sql.catalog import Catalog
from holdfast.sql.errors import UndefinedSchema
from holdfast.sql.modifiers import bare
from holdfast.sql.resolve import Ambiguous, NoMatch, Resolution, resolve_among
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.term import Term


@dataclass(frozen=True, slots=True)
class UserCall:
    """The function, and the arguments of the call in the order of its own."""

    resolution: Resolution
    terms: tuple[Term, ...]


def user_call(
    name: ObjectName, terms: Sequence[Term], named: tuple[str, ...], catalog: Catalog
) -> UserCall | NoMatch | Ambiguous:
    """The last arguments have the names `named`."""
    functions = catalog.functions(name.parts)
    if functions is None:
        raise UndefinedSchema(f'schema "{name.parts[-2]}" does not exist', name.location)
    found: list[UserCall] = []
    for order in dict.fromkeys(_order(function, len(terms), named) for function in functions):
        if order is None:
            continue
        same = [function for function in functions if _order(function, len(terms), named) == order]
        ordered = tuple(terms[place] for place in order)
        match resolve_among(same, tuple(bare(term.type) for term in ordered)):
            case Resolution() as resolution:
                found.append(UserCall(resolution, ordered))
            case Ambiguous():
                return Ambiguous()
    if len(found) > 1:
        return Ambiguous()
    return found[0] if found else NoMatch()


def _order(function: Function, count: int, named: tuple[str, ...]) -> tuple[int, ...] | None:
    """Where the function's arguments stand in the call; None if it has not these."""
    assert isinstance(function.python, PythonFunction)  # as all functions of users are
    parameters, given = function.python.parameters, count - len(named)
    if len(parameters) != count or (named and set(parameters[given:]) != set(named)):
        return None
    if not named:
        return tuple(range(count))
    return (*range(given), *(given + named.index(parameter) for parameter in parameters[given:]))
