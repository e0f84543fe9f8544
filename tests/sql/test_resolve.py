"""Which overload a call means."""

from __future__ import annotations

import pytest

from holdfast.plan.functions.function import Function
from holdfast.plan.types import (
    DATE,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    MZ_TIMESTAMP,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    UNKNOWN,
    Type,
    array_of,
    list_of,
    numeric,
)
from holdfast.sql.resolve import Ambiguous, NoMatch, Resolution, resolve_function, resolve_operator, result_type


def found(resolution: Resolution | NoMatch | Ambiguous) -> tuple[list[str], str]:
    """The types that the arguments get, and that of the result."""
    assert isinstance(resolution, Resolution)
    overload = resolution.overload
    assert isinstance(overload, Function)
    result = result_type(overload, resolution.targets)
    return [type_.base for type_ in resolution.targets], result.base


@pytest.mark.parametrize(
    ("symbol", "types", "targets", "result"),
    [
        ("+", (INT4, INT4), ["int4", "int4"], "int4"),
        ("+", (INT2, INT8), ["int2", "int8"], "int8"),
        ("+", (INT4, NUMERIC), ["numeric", "numeric"], "numeric"),
        ("+", (INT4, FLOAT8), ["float8", "float8"], "float8"),
        ("+", (INT4, UNKNOWN), ["int4", "int4"], "int4"),
        ("-", (TIMESTAMP, UNKNOWN), ["timestamp", "timestamp"], "interval"),
        ("=", (UNKNOWN, UNKNOWN), ["text", "text"], "bool"),
        ("=", (DATE, TIMESTAMP), ["date", "timestamp"], "bool"),
        ("||", (TEXT, INT4), ["text", "int4"], "text"),
        ("||", (array_of(INT4), INT4), ["_int4", "int4"], "_int4"),
        ("||", (array_of(INT4), NUMERIC), ["_numeric", "numeric"], "_numeric"),
        ("||", (list_of(INT4), INT4), ["list", "int4"], "list"),
    ],
)
def test_an_operator_is_found_by_types(symbol: str, types: tuple[Type, ...], targets: list[str], result: str) -> None:
    assert found(resolve_operator(symbol, types)) == (targets, result)


def test_literals_alone_can_fit_too_many_operators() -> None:
    assert isinstance(resolve_operator("+", (UNKNOWN, UNKNOWN)), Ambiguous)
    assert isinstance(resolve_operator("+", (DATE, UNKNOWN)), Ambiguous)


def test_no_operator_takes_text_and_a_number() -> None:
    assert isinstance(resolve_operator("=", (TEXT, INT4)), NoMatch)


def test_integers_and_dates_do_not_compare_as_times_of_ours() -> None:
    assert isinstance(resolve_operator("=", (INT4, DATE)), NoMatch)
    assert found(resolve_operator("=", (INT4, MZ_TIMESTAMP))) == (["mz_timestamp", "mz_timestamp"], "bool")


def test_a_function_may_take_its_last_argument_any_number_of_times() -> None:
    assert found(resolve_function("concat", (TEXT, INT4, UNKNOWN))) == (["text", "int4", "text"], "text")


def test_all_arguments_of_one_kind_have_one_type() -> None:
    assert isinstance(resolve_operator("@>", (array_of(INT4), array_of(TEXT))), NoMatch)
    assert isinstance(resolve_operator("@>", (array_of(INT4), array_of(INT4))), Resolution)


def test_a_result_of_a_kind_keeps_the_digits_of_its_arguments() -> None:
    resolution = resolve_function("greatest", (NUMERIC, NUMERIC))
    assert isinstance(resolution, Resolution)
    assert isinstance(resolution.overload, Function)
    digits = [numeric(5, 2, declared=True), numeric(7, 1)]
    assert result_type(resolution.overload, digits) is numeric(8, 2)


def test_an_unknown_name_is_no_function() -> None:
    assert isinstance(resolve_function("nosuch", (INT4,)), NoMatch)
