"""Calls with PostgreSQL's answers, one to a line: `+ int4 int4: 1, 2 => 3`, with `!` before the message of an error."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.plan.errors import DataError
from holdfast.plan.functions import arithmetic, comparison, powers, rounding, trigonometry, whole_numbers
from holdfast.plan.functions.function import Function, Types
from holdfast.plan.functions.numeric_types import numeric_of
from holdfast.plan.text import read_of, write_of
from holdfast.plan.types import BOOL, NUMERIC, Modified, Type

FUNCTIONS: list[Function] = [
    function
    for module in (comparison, arithmetic, rounding, powers, trigonometry, whole_numbers)
    for function in (*module.FAMILY.functions, *module.FAMILY.operators)
]


def rows(table: str) -> list[tuple[str, str]]:
    """Each call, with its answer."""
    return [(call, answer) for call, answer in (line.split(" => ") for line in table.strip().splitlines())]


def type_of(base: str) -> Type:
    if base == "numeric":
        return NUMERIC
    return Modified(base) if base in ("varchar", "bpchar", "timestamp", "timestamptz") else Type(base)


def shown(value: object, type_: Type) -> str:
    return str(value).lower() if type_ is BOOL else write_of(type_)(value)


def overload(name: str, bases: list[str]) -> Function:
    """The function of this name for these types."""
    for function in FUNCTIONS:
        arguments = [argument.base for argument in function.arguments if isinstance(argument, Type)]
        if function.name == name and arguments == bases and len(function.arguments) == len(bases):
            return function
    raise AssertionError(f"no function {name} of {bases}")


def result_of(function: Function, types: tuple[Type, ...]) -> Type:
    if isinstance(function.result, Type):
        return function.result
    assert callable(function.result)
    return function.result(types)


def run(function: Function, types: Types, values: Sequence[object]) -> str:
    assert function.python is not None
    try:
        value = function.python(types, *values) if function.typed else function.python(*values)
    except DataError as error:
        return f"!{error}"
    return shown(value, types.result)


def answer(call: str) -> str:
    head, _, texts = call.partition(":")
    name, *bases = head.split()
    function = overload(name, bases)
    values = [read_of(type_of(base))(text) for base, text in zip(bases, texts.strip().split(", "), strict=True)]
    types = tuple(
        numeric_of(value) if base == "numeric" else type_of(base) for base, value in zip(bases, values, strict=True)
    )
    return run(function, Types(types, result_of(function, types)), values)
