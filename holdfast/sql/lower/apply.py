"""Calls of functions and operators on terms: overload, casts of the arguments, type of the result."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.errors import UsageError
from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Function
from holdfast.plan.functions.registry import FUNCTIONS
from holdfast.plan.scalar import Call, Scalar
from holdfast.plan.types import UNKNOWN, Type
from holdfast.sql.coerce import Coercion, placed, shown
from holdfast.sql.errors import AmbiguousFunction, DatatypeMismatch, UndefinedFunction
from holdfast.sql.modifiers import bare
from holdfast.sql.resolve import Ambiguous, NoMatch, Resolution, resolve_operator, result_type
from holdfast.sql.term import Term, leftmost

_NO_OPERATOR = "No operator matches the given name and argument types. You might need to add explicit type casts."
_NO_PREFIX = "No operator matches the given name and argument type. You might need to add an explicit type cast."
_MANY_OPERATORS = "Could not choose a best candidate operator. You might need to add explicit type casts."


def call(function: Function, arguments: Sequence[Scalar], type_: Type | None = None) -> Call:
    """The call of a function whose arguments have the types it takes."""
    if type_ is None:
        type_ = result_type(function, [argument.type for argument in arguments])
    nullable = function.makes_null or (function.strict and any(argument.nullable for argument in arguments))
    return Call(function, tuple(arguments), type_, nullable)


def named(name: str, *arguments: Scalar) -> Call:
    """The call of a function that the grammar stands for, which has one overload for these arguments."""
    types = [argument.type for argument in arguments]
    for function in FUNCTIONS.get(name, ()):
        if len(function.arguments) == len(types) or (function.variadic and len(types) >= len(function.arguments)):
            return call(function, arguments)
    raise UsageError(f"no function {name} of {len(types)} arguments")


def arguments_of(resolution: Resolution, terms: Sequence[Term], coercion: Coercion) -> list[Scalar]:
    """The terms as the arguments that the overload takes."""
    found: list[Scalar] = []
    for term, target in zip(terms, resolution.targets, strict=True):
        if target is UNKNOWN:
            raise DatatypeMismatch("could not determine polymorphic type because input has type unknown")
        coerced = coercion.to_base(term, target)
        if coerced is None:
            raise UsageError(f"{resolution.overload} was found for {term.type} and does not take it")
        found.append(coerced.scalar)
    return found


def operator(symbol: str, terms: Sequence[Term], location: int, coercion: Coercion) -> Term:
    """An operator before one term, or between two."""
    resolution = resolved_operator(symbol, [term.type for term in terms], location)
    function = resolution.overload
    assert isinstance(function, Function)  # as all operators are
    scalars = arguments_of(resolution, terms, coercion)
    try:
        made = call(function, scalars)
    except DataError as error:
        raise placed(error, location) from None
    return Term(made, leftmost(location, *(term.location for term in terms)))


def resolved_operator(symbol: str, types: Sequence[Type], location: int) -> Resolution:
    found = resolve_operator(symbol, tuple([bare(type_) for type_ in types]))
    if isinstance(found, Resolution):
        return found
    names = [shown(type_) for type_ in types]
    written = f"{names[0]} {symbol} {names[1]}" if len(names) == 2 else f"{symbol} {names[0]}"
    match found:
        case NoMatch():
            hint = _NO_OPERATOR if len(names) == 2 else _NO_PREFIX
            raise UndefinedFunction(f"operator does not exist: {written}", location, hint)
        case Ambiguous():
            raise AmbiguousFunction(f"operator is not unique: {written}", location, _MANY_OPERATORS)
