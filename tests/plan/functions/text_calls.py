"""Calls of functions with arguments and answers as text, so that a table of cases reads as PostgreSQL shows it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import pytest

from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Family, Function, Types
from holdfast.plan.text.codec import read_of, write_of
from holdfast.plan.types import BASES, NUMERIC, Modified, Numeric, Type


class Case(NamedTuple):
    """`types` are the bases of the arguments; `answer` is None for null."""

    name: str
    types: str
    arguments: tuple[str, ...]
    answer: str | None


def type_of(shown: str) -> Type:
    """`timestamp(3)` or `date`."""
    base, _, digits = shown.rstrip(")").partition("(")
    if digits:
        return Modified(base, int(digits))
    assert base in BASES
    return NUMERIC if base == "numeric" else Type(base)


def overload(family: Family, name: str, types: str) -> Function:
    bases = tuple(types.split())
    for function in (*family.functions, *family.operators):
        if function.name == name and tuple(getattr(a, "base", None) for a in function.arguments) == bases:
            return function
    raise AssertionError(f"no {name}({types})")


def called(function: Function, arguments: Sequence[str], result: Type | None = None) -> str | None:
    """The answer as text. `result` is a type with modifiers, for casts."""
    types = tuple(argument for argument in function.arguments if isinstance(argument, Type))
    made = function.result if result is None else result
    assert isinstance(made, Type)
    assert function.python is not None
    values = [read_of(type_)(text) for type_, text in zip(types, arguments, strict=True)]
    value = function.python(Types(types, made), *values) if function.typed else function.python(*values)
    if value is None:
        return None
    if isinstance(made, Numeric):
        assert isinstance(value, Decimal)
        assert -value.as_tuple().exponent <= made.scale  # type: ignore[operator]  # of a finite number
        return f"{value.normalize():f}"
    return write_of(made)(value)


def check(family: Family, case: Case) -> None:
    assert called(overload(family, case.name, case.types), case.arguments) == case.answer


def check_refused(family: Family, case: Case) -> None:
    with pytest.raises(DataError) as raised:
        called(overload(family, case.name, case.types), case.arguments)
    assert str(raised.value) == case.answer


def cast_of(family: Family, source: str, target: str) -> Function:
    found = [cast.function for cast in family.casts if (cast.source, cast.target) == (source, target)]
    assert len(found) == 1
    assert found[0] is not None
    return found[0]
