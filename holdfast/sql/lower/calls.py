"""Calls: of scalar functions, aggregates, window functions, and functions that return rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from holdfast.plan.errors import DataError, InvalidParameterValue
from holdfast.plan.functions.argument_names import DEFAULTS, in_order
from holdfast.plan.functions.function import (
    Aggregate,
    Any,
    ColumnsByConstant,
    Function,
    ResultColumns,
    TableFunction,
    WindowFunction,
)
from holdfast.plan.functions.variadic import over_elements
from holdfast.plan.relation import AggregateCall, ColumnType, OrderKey
from holdfast.plan.scalar import Column, Constant, Outer, Scalar
from holdfast.plan.types import Array, Type, array_of
from holdfast.sql.coerce import as_deep, placed, shown
from holdfast.sql.errors import (
    AmbiguousFunction,
    DatatypeMismatch,
    GroupingError,
    InvalidColumnReference,
    NotSupported,
    UndefinedFunction,
    WrongObjectType,
    WrongSyntax,
)
from holdfast.sql.lower.apply import arguments_of, call
from holdfast.sql.lower.block import AGGREGATES, FILTER, TABLES, WINDOWS, Block, TableCall
from holdfast.sql.lower.constructs import record
from holdfast.sql.lower.hypothetical import HYPOTHETICAL, hypothetical
from holdfast.sql.lower.levels import lowest_level, reads
from holdfast.sql.lower.order import order_key
from holdfast.sql.lower.outer import raised
from holdfast.sql.lower.user_functions import UserCall, user_call
from holdfast.sql.lower.windows import window_call
from holdfast.sql.modifiers import bare
from holdfast.sql.resolve import CALLABLE, Ambiguous, NoMatch, Overload, Resolution, resolve_function, result_type
from holdfast.sql.syntax import expression as syntax
from holdfast.sql.term import Term
from holdfast.sql.typenames import BUILT_IN

_SCHEMAS = frozenset({"pg_catalog", "mz_catalog", "mz_internal", "mz_unsafe", "information_schema"})
_NO_FUNCTION = "No function matches the given name and argument types. You might need to add explicit type casts."
_MANY_FUNCTIONS = "Could not choose a best candidate function. You might need to add explicit type casts."
_MOVE_TO_FROM = "You might be able to move the set-returning function into a LATERAL FROM item."
_ORDERED_SETS = frozenset({"mode", "percentile_cont", "percentile_disc"})
"""The aggregates that are called with WITHIN GROUP."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A call whose overload has been found, with its arguments, or the cast that it stands for."""

    overload: Overload
    arguments: tuple[Scalar, ...]


def called(expression: syntax.Call, block: Block) -> Term:
    if expression.within_group and function_name(expression) in HYPOTHETICAL:
        return hypothetical(expression, block)
    found = resolved(expression, block)
    if isinstance(found, Term):
        return found
    match found.overload:
        case Function():
            return _scalar(found.overload, found.arguments, expression)
        case Aggregate() if expression.over is None:
            return _aggregate(found.overload, found.arguments, expression, block)
        case Aggregate() | WindowFunction():
            return window_call(found.overload, found.arguments, expression, block)
        case TableFunction():
            return _table(found.overload, found.arguments, expression, block)


def resolved(expression: syntax.Call, block: Block) -> Resolved | Term:
    """The overload and its arguments; or a term, where the name is that of a type, so that it is a cast."""
    name, location = function_name(expression), expression.location
    aggregate = any(isinstance(overload, Aggregate) for overload in CALLABLE.get(name, ()))
    before = len(block.references)
    terms = [
        block.term(argument.value if isinstance(argument, syntax.NamedArgument) else argument)
        for argument in expression.arguments
    ]
    if expression.within_group:
        block.direct_references += block.references[before:]
        terms += [block.term(key.expression) for key in expression.order_by]
    if aggregate and expression.over is None:
        # What an aggregate reads need not be grouped by.
        del block.references[before:]
    if expression.variadic:
        return _over_array(expression, name, terms, block)
    types = tuple([bare(term.type) for term in terms])
    names = _names(expression)
    ordered = _in_order(name, names, terms) if names else terms
    match NoMatch() if ordered is None else resolve_function(name, tuple([bare(term.type) for term in ordered])):
        case Resolution() as resolution:
            assert ordered is not None  # or nothing would match
            if names and isinstance(resolution.overload, Aggregate):
                raise NotSupported("aggregates cannot use named arguments", location)
            return Resolved(resolution.overload, tuple(arguments_of(resolution, ordered, block.coercion)))
        case NoMatch():
            own = None if len(expression.name.parts) > 1 and name else _of_user(expression, terms, names, block)
            if own is not None:
                return own
            target = BUILT_IN.get(name)
            if target is not None and len(terms) == 1 and not names:
                return block.coercion.cast(terms[0], target, location)
            raise UndefinedFunction(f"function {_shown(expression, types)} does not exist", location, _NO_FUNCTION)
        case Ambiguous():
            raise AmbiguousFunction(f"function {_shown(expression, types)} is not unique", location, _MANY_FUNCTIONS)


def function_name(expression: syntax.Call) -> str:
    """The name among functions of the system; empty if the schema that is named is none of the system's."""
    parts = expression.name.parts
    return parts[-1] if len(parts) == 1 or parts[-2] in _SCHEMAS else ""


def _of_user(expression: syntax.Call, terms: Sequence[Term], names: tuple[str, ...], block: Block) -> Resolved | None:
    """The function of a user that is called, if there is one."""
    match user_call(expression.name, terms, names, block.statement.catalog):
        case UserCall() as found:
            arguments = arguments_of(found.resolution, found.terms, block.coercion)
            return Resolved(found.resolution.overload, tuple(arguments))
        case Ambiguous():
            types = [bare(term.type) for term in terms]
            written = _shown(expression, types)
            raise AmbiguousFunction(f"function {written} is not unique", expression.location, _MANY_FUNCTIONS)
    return None


def _names(expression: syntax.Call) -> tuple[str, ...]:
    """The names of those arguments that have one, which are the last."""
    found: list[str] = []
    for argument in expression.arguments:
        if not isinstance(argument, syntax.NamedArgument):
            if found:
                raise WrongSyntax("positional argument cannot follow named argument", argument.location)
        elif argument.name in found:
            raise WrongSyntax(f'argument name "{argument.name}" used more than once', argument.location)
        else:
            found.append(argument.name)
    return tuple(found)


def _in_order(name: str, names: tuple[str, ...], terms: Sequence[Term]) -> list[Term] | None:
    """The arguments in the order of the function's own, with defaults among them; None if it has others."""
    places = in_order(name, len(terms) - len(names), names)
    if places is None:
        return None
    defaults = DEFAULTS.get(name, {})
    return [terms[place] if isinstance(place, int) else Term(defaults[place], 0) for place in places]


def _over_array(expression: syntax.Call, name: str, terms: Sequence[Term], block: Block) -> Resolved:
    """A call with VARIADIC, whose last argument is an array of what the function takes any number of."""
    *first, last = terms
    types = tuple([bare(term.type) for term in first])
    element = last.type.element if isinstance(last.type, Array) else last.type
    resolution = resolve_function(name, (*types, bare(element)))
    if isinstance(resolution, Resolution) and isinstance(resolution.overload, Function):
        function, target = resolution.overload, resolution.targets[-1]
        if function.variadic and len(function.arguments) == len(terms):
            if function.arguments[-1] is Any.ANY and not isinstance(last.type, Array):
                raise DatatypeMismatch("VARIADIC argument must be an array", last.location)
            array = block.coercion.to_base(last, as_deep(array_of(target), last.type))
            if array is not None:
                fixed = Resolution(function, resolution.targets[:-1])
                return Resolved(over_elements(function), (*arguments_of(fixed, first, block.coercion), array.scalar))
    written = _shown(expression, (*types, bare(last.type)))
    raise UndefinedFunction(f"function {written} does not exist", expression.location, _NO_FUNCTION)


def _shown(expression: syntax.Call, types: Sequence[Type]) -> str:
    names = [f"{a.name} => " if isinstance(a, syntax.NamedArgument) else "" for a in expression.arguments]
    names += [""] * (len(types) - len(names))
    shown_types = ", ".join(f"{name}{shown(type_)}" for name, type_ in zip(names, types, strict=False))
    return f"{'.'.join(expression.name.parts)}({shown_types})"


def _scalar(function: Function, arguments: tuple[Scalar, ...], expression: syntax.Call) -> Term:
    name, location = expression.name.parts[-1], expression.location
    _only_for_aggregates(expression, name)
    if expression.over is not None:
        raise WrongObjectType(
            f"OVER specified, but {name} is not a window function nor an aggregate function", location
        )
    try:
        return Term(call(function, arguments), location)
    except DataError as error:
        raise placed(error, location) from None


def _only_for_aggregates(expression: syntax.Call, name: str) -> None:
    location = expression.location
    if expression.star:
        raise WrongObjectType(f"{name}(*) specified, but {name} is not an aggregate function", location)
    if expression.distinct:
        raise WrongObjectType(f"DISTINCT specified, but {name} is not an aggregate function", location)
    if expression.within_group:
        raise WrongObjectType(f"WITHIN GROUP specified, but {name} is not an aggregate function", location)
    if expression.order_by:
        raise WrongObjectType(f"ORDER BY specified, but {name} is not an aggregate function", location)
    if expression.filter is not None:
        raise WrongObjectType(f"FILTER specified, but {name} is not an aggregate function", location)


def _aggregate(function: Aggregate, arguments: tuple[Scalar, ...], expression: syntax.Call, block: Block) -> Term:
    location, name = expression.location, expression.name.parts[-1]
    ordered_set = name in _ORDERED_SETS or function.direct > 0
    if ordered_set and not expression.within_group:
        raise WrongObjectType(f"WITHIN GROUP is required for ordered-set aggregate {name}", location)
    if expression.within_group and not ordered_set:
        raise WrongObjectType(f"{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP", location)
    if not (arguments or expression.star):
        raise WrongObjectType(f"{name}(*) must be used to call a parameterless aggregate function", location)
    if expression.distinct and not arguments:
        raise WrongSyntax("DISTINCT specified, but there are no arguments", location)
    order = _order_of(function, arguments, expression, block)
    counted = aggregate_filter(expression, block)
    parts = (*arguments, *(key.expression for key in order), *(() if counted is None else (counted,)))
    level = min((found for part in parts if (found := lowest_level(part)) is not None), default=0)
    owner = block.scope.at(level).block
    if owner is None:
        raise GroupingError("aggregate functions are not allowed in FROM clause of their own query level", location)
    _no_nesting(parts, level, owner.locations)
    if not owner.clause.aggregates:
        raise GroupingError(f"aggregate functions are not allowed in {owner.clause.name}", location)
    if not level:
        block.direct += arguments[: function.direct]
    else:
        arguments = tuple([raised(part, level) for part in arguments])
        order = tuple([OrderKey(raised(key.expression, level), key.descending, key.nulls_first) for key in order])
        counted = None if counted is None else raised(counted, level)
    type_ = result_type(function, [part.type for part in arguments])
    made = AggregateCall(function, arguments, type_, function.null_when_empty, expression.distinct, counted, order)
    column = owner.aggregate(made, location)
    return Term(column if not level else Outer(level, column.index, column.type, column.nullable), location)


def _order_of(
    function: Aggregate, arguments: tuple[Scalar, ...], expression: syntax.Call, block: Block
) -> tuple[OrderKey, ...]:
    if expression.within_group:
        collected = arguments[function.direct :]
        return tuple(
            order_key(key, Term(scalar, key.location), block.coercion)
            for key, scalar in zip(expression.order_by, collected, strict=False)
        )
    before = len(block.references)
    found = tuple(order_key(key, block.term(key.expression), block.coercion) for key in expression.order_by)
    del block.references[before:]
    if expression.distinct and any(key.expression not in arguments for key in found):
        raise InvalidColumnReference(
            "in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list",
            expression.order_by[0].location,
        )
    return found if function.ordered else ()


def aggregate_filter(expression: syntax.Call, block: Block) -> Scalar | None:
    if expression.filter is None:
        return None
    before = len(block.references)
    with block.in_clause(FILTER):
        found = block.coercion.boolean(block.term(expression.filter), "FILTER")
    del block.references[before:]
    return found


def _no_nesting(parts: Sequence[Scalar], level: int, locations: Mapping[int, int]) -> None:
    for part in parts:
        if reads(part, AGGREGATES, level):
            raise GroupingError("aggregate function calls cannot be nested", locations[AGGREGATES])
        if reads(part, WINDOWS, level):
            raise GroupingError("aggregate function calls cannot contain window function calls", locations[WINDOWS])
        if reads(part, TABLES, level):
            raise NotSupported(
                "aggregate function calls cannot contain set-returning function calls",
                locations[TABLES],
                _MOVE_TO_FROM,
            )


def _table(function: TableFunction, arguments: tuple[Scalar, ...], expression: syntax.Call, block: Block) -> Term:
    """In a SELECT list: a row for each row that the function returns."""
    location, name = expression.location, expression.name.parts[-1]
    _only_for_aggregates(expression, name)
    if expression.over is not None:
        raise WrongObjectType(
            f"OVER specified, but {name} is not a window function nor an aggregate function", location
        )
    if not block.clause.tables:
        raise NotSupported(f"set-returning functions are not allowed in {block.clause.name}", location)
    returned = returned_columns(function, arguments, location)
    columns = tuple(ColumnType(type_, True) for type_ in returned.types)
    made: list[Column] = block.table(TableCall(function, arguments, columns), location)
    return Term(made[0] if len(made) == 1 else record(made, returned.names), location)


def returned_columns(function: TableFunction, arguments: Sequence[Scalar], location: int) -> ResultColumns:
    columns = function.columns
    if isinstance(columns, ResultColumns):
        return columns
    try:
        if not isinstance(columns, ColumnsByConstant):
            return columns([argument.type for argument in arguments])
        first = arguments[0]
        if not isinstance(first, Constant) or first.value is None:
            raise InvalidParameterValue(f"the first argument of {function.name} must be a constant")
        return columns.of(first.value)
    except DataError as error:
        raise placed(error, location) from None
