from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import holdfast
from holdfast.adapter.sqlstate import SQLSTATE, sqlstate
from holdfast.errors import HoldfastError
from holdfast.plan import errors as data
from holdfast.spark.errors import SparkJobFailed

CODE = re.compile("(0[0-389ABFLPZ]|2[0-8BDF]|3[489BDF]|4[024]|5[34578]|72|F0|HV|P0|XX)[0-9A-Z]{3}")
"""Codes of the classes that PostgreSQL's appendix lists."""


def every_error() -> list[type[HoldfastError]]:
    for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        importlib.import_module(module.name)
    found: list[type[HoldfastError]] = [HoldfastError]
    for cls in found:
        found += [below for below in cls.__subclasses__() if below.__module__.startswith("holdfast.")]
    return found


def test_every_error_has_a_code_of_its_own() -> None:
    assert [cls for cls in every_error() if cls not in SQLSTATE] == []


def test_every_code_is_of_a_class_that_postgres_has() -> None:
    assert [code for code in SQLSTATE.values() if not CODE.fullmatch(code)] == []


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (data.DivisionByZero(), "22012"),
        (data.NumericValueOutOfRange("integer out of range"), "22003"),
        (data.InvalidTextRepresentation(""), "22P02"),
        (data.DatetimeFieldOverflow(""), "22008"),
        (data.InvalidDatetimeFormat(""), "22007"),
        (data.IntervalFieldOverflow(""), "22015"),
        (data.CardinalityViolation(), "21000"),
        (data.InvalidRegularExpression(""), "2201B"),
        (data.ArraySubscriptError(""), "2202E"),
        (data.InvalidRowCountInLimit(""), "2201W"),
        (data.InvalidRowCountInOffset(""), "2201X"),
        (data.StringDataRightTruncation(""), "22001"),
        (data.NullValueNotAllowed(""), "22004"),
        (SparkJobFailed("spark job failed"), "XX000"),
    ],
)
def test_the_code_is_that_of_postgres(error: HoldfastError, code: str) -> None:
    assert sqlstate(error) == code


def test_an_error_without_a_row_has_the_code_of_what_it_is_one_of() -> None:
    class Special(data.DivisionByZero):
        pass

    assert sqlstate(Special()) == "22012"
