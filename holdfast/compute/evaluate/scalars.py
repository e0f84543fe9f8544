"""Scalar expressions as Python functions of a row.

Arguments are evaluated from left to right, all of them, before a function is called; And, Or, Case and Coalesce stop
as soon as their answer is known. So what is run, and which error is raised, is a function of the row alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from holdfast.compute.evaluate.python_outcomes import is_of_user, outcome_of
from holdfast.errors import UsageError
from holdfast.plan.functions.function import Types
from holdfast.plan.scalar import (
    And,
    Call,
    Case,
    Coalesce,
    Column,
    Constant,
    Or,
    Outer,
    Parameter,
    Scalar,
    Subquery,
    children,
)

Row: TypeAlias = tuple[Any, ...]  # values as `plan/types.py` lists them
Evaluate: TypeAlias = Callable[[Row], Any]  # as above


def compiled(scalar: Scalar, parameters: Sequence[object]) -> Evaluate:
    """The value of `scalar` for a row; `$1` is the first of `parameters`."""
    match scalar:
        case Column():
            return itemgetter(scalar.index)
        case Constant():
            return _constant(scalar.value)
        case Parameter():
            if scalar.number > len(parameters):
                raise UsageError(f"there is no parameter ${scalar.number}")
            return _constant(parameters[scalar.number - 1])
        case Call():
            return _call(scalar, [compiled(argument, parameters) for argument in scalar.arguments])
        case And():
            return _first_of([compiled(term, parameters) for term in scalar.terms], decisive=False)
        case Or():
            return _first_of([compiled(term, parameters) for term in scalar.terms], decisive=True)
        case Case():
            branches = [(compiled(when, parameters), compiled(then, parameters)) for when, then in scalar.branches]
            return _case(branches, compiled(scalar.otherwise, parameters))
        case Coalesce():
            return _coalesce([compiled(term, parameters) for term in scalar.terms])
        case Outer() | Subquery():
            raise UsageError("the plan is not decorrelated")


def compiled_all(scalars: Sequence[Scalar], parameters: Sequence[object]) -> Evaluate:
    """The tuple of their values."""
    if scalars and all(isinstance(scalar, Column) for scalar in scalars):
        return columns_at([scalar.index for scalar in scalars if isinstance(scalar, Column)])
    parts = [compiled(scalar, parameters) for scalar in scalars]
    return lambda row: tuple([part(row) for part in parts])


def columns_at(indexes: Sequence[int]) -> Callable[[Row], Row]:
    """The tuple of the values at some positions."""
    if len(indexes) == 1:
        (index,) = indexes
        return lambda row: (row[index],)
    return itemgetter(*indexes) if indexes else lambda _: ()


def can_fail(scalar: Scalar) -> bool:
    """Whether evaluating it may raise an error."""
    return (isinstance(scalar, Call) and scalar.function.fails) or any(can_fail(part) for part in children(scalar))


def _constant(value: object) -> Evaluate:
    return lambda _: value


def _first_of(terms: Sequence[Evaluate], *, decisive: bool) -> Evaluate:
    def evaluate(row: Row) -> Any:  # bool or None
        unknown = False
        for term in terms:
            value = term(row)
            if value is decisive:
                return decisive
            unknown = unknown or value is None
        return None if unknown else not decisive

    return evaluate


def _case(branches: Sequence[tuple[Evaluate, Evaluate]], otherwise: Evaluate) -> Evaluate:
    def evaluate(row: Row) -> Any:  # a value of the case's type
        for when, then in branches:
            if when(row) is True:
                return then(row)
        return otherwise(row)

    return evaluate


def _coalesce(terms: Sequence[Evaluate]) -> Evaluate:
    def evaluate(row: Row) -> Any:  # a value of the terms' type
        for term in terms:
            value = term(row)
            if value is not None:
                return value
        return None

    return evaluate


def _call(call: Call, arguments: Sequence[Evaluate]) -> Evaluate:
    if is_of_user(call):
        return lambda row: outcome_of(call, tuple([argument(row) for argument in arguments]))
    function = call.function.python
    if function is None:
        raise UsageError(f"only a session knows the value of {call.function}")
    if call.function.typed:
        types = Types(tuple(argument.type for argument in call.arguments), call.type)
        inner = function
        function = lambda *values: inner(types, *values)  # noqa: E731  # a function among others
    if call.function.strict and arguments:
        return _strict(function, arguments)
    return lambda row: function(*[argument(row) for argument in arguments])


def _strict(function: Callable[..., object], arguments: Sequence[Evaluate]) -> Evaluate:
    def evaluate_one(row: Row) -> object:
        value = only(row)
        return None if value is None else function(value)

    def evaluate_two(row: Row) -> object:
        left, right = first(row), second(row)
        return None if left is None or right is None else function(left, right)

    def evaluate(row: Row) -> object:
        values = [argument(row) for argument in arguments]
        return None if None in values else function(*values)

    if len(arguments) == 1:
        (only,) = arguments
        return evaluate_one
    if len(arguments) == 2:
        first, second = arguments
        return evaluate_two
    return evaluate
