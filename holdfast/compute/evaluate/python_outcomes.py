"""What calls of functions that users wrote come to: values, and errors that are raised only where one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.compute.evaluate.batch import ScalarBatch, Typed, error_of
from holdfast.compute.evaluate.python_processes import answers
from holdfast.compute.evaluate.values import from_arrow
from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Types
from holdfast.plan.python_function import PythonFunction
from holdfast.plan.scalar import Call, Scalar


@dataclass(frozen=True, slots=True)
class Failure:
    error: DataError


def is_of_user(scalar: Scalar) -> bool:
    """Whether it is a call of a function that a user wrote."""
    return isinstance(scalar, Call) and isinstance(scalar.function.python, PythonFunction)


def outcomes_of(call: Call, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
    """For each row of arguments the value, or a `Failure`."""
    python, strict = call.function.python, call.function.strict
    assert python is not None
    types = Types(tuple(argument.type for argument in call.arguments), call.type)
    batch = ScalarBatch(Typed(python, types), types, strict, fails=True)
    found: list[Any] = []
    try:
        for part in answers(call.function.name, batch, arguments):
            values, errors = from_arrow(part.field(0), call.type), part.field(1).to_pylist()
            found += [
                value if error is None else Failure(error_of(error))
                for value, error in zip(values, errors, strict=True)
            ]
    except DataError as error:
        # Which of the rows it was is not known.
        found += [Failure(error)] * (len(arguments) - len(found))
    return found


def outcome_of(call: Call, arguments: tuple[Any, ...]) -> Any:
    """The value of one call."""
    return asked_for(outcomes_of(call, [arguments])[0])


def asked_for(outcome: Any) -> Any:
    """The value of a call that the query asks for."""
    if isinstance(outcome, Failure):
        raise outcome.error
    return outcome
