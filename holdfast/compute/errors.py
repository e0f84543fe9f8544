"""What went wrong with a value on Spark, as the error it is.

Texts of ours raise our own errors by name (`plan/functions/spark_text.py`), and so do Python functions. Where Spark
finds something wrong by itself, its condition says what.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from holdfast.errors import HoldfastError
from holdfast.plan import errors as data
from holdfast.plan.errors import DataError
from holdfast.spark.errors import SparkJobFailed, spark_errors

_BY_NAME: Mapping[str, type[DataError]] = {
    name: found for name, found in vars(data).items() if isinstance(found, type) and issubclass(found, DataError)
}

_RAISED = re.compile(r"\[USER_RAISED_EXCEPTION\] (\w+): (.*?) SQLSTATE: P0001(?:\n|$)", re.DOTALL)
_PYTHON = re.compile(r"^(?:\w+\.)*(\w+): (.*)\Z", re.MULTILINE | re.DOTALL)
_QUOTED_TYPE = re.compile(r'cast to "([A-Z_]+)')

_TYPES = {
    "TINYINT": "smallint",
    "SMALLINT": "smallint",
    "INT": "integer",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "DOUBLE": "double precision",
    "DECIMAL": "numeric",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "TIME": "time",
    "TIMESTAMP": "timestamp with time zone",
    "TIMESTAMP_NTZ": "timestamp",
}
"""Spark's types as messages of PostgreSQL name them."""


@contextmanager
def query_errors() -> Iterator[None]:
    """Around everything that Spark does for a query."""
    try:
        with spark_errors():
            yield
    except SparkJobFailed as error:
        found = meant(error)
        if found is error:
            raise
        raise found from error


def meant(error: SparkJobFailed) -> HoldfastError:
    """The error of the data behind one of Spark's, or the error itself."""
    said = str(error.__cause__ or error)
    own = _own(error, said)
    if own is not None:
        return own
    for condition, make in _CONDITIONS.items():
        if error.condition == condition or (error.condition or "").startswith(f"{condition}."):
            return make(said)
    return error


def _own(error: SparkJobFailed, said: str) -> DataError | None:
    """An error that a text or a function of ours raised."""
    found = _RAISED.search(said)
    if found is None and error.condition == "PYTHON_EXCEPTION":
        # The last traceback ends with the exception.
        found = _PYTHON.search(said.partition("SQLSTATE:")[0].rstrip().rpartition("\n  ")[2].partition("\n")[2])
    if found is None or found[1] not in _BY_NAME:
        return None
    return _BY_NAME[found[1]](found[2])


def _type_in(said: str, otherwise: str) -> str:
    found = _QUOTED_TYPE.search(said)
    return _TYPES.get(found[1], otherwise) if found else otherwise


def _out_of_range(otherwise: str) -> Callable[[str], DataError]:
    """A value too large for the type that Spark names, which it does only for casts, or for another."""

    def made(said: str) -> DataError:
        name = _type_in(said, otherwise)
        return data.NumericValueOutOfRange("numeric field overflow" if name == "numeric" else f"{name} out of range")

    return made


def _invalid_input(said: str) -> DataError:
    found = re.search(r"The value '(.*)' of the type \"\w+\" cannot be cast to", said, re.DOTALL)
    name, value = _type_in(said, "value"), re.sub(r"\\(.)", r"\1", found[1]) if found else ""
    if name in ("date", "time", "timestamp", "timestamp with time zone"):
        return data.InvalidDatetimeFormat(f'invalid input syntax for type {name}: "{value}"')
    return data.InvalidTextRepresentation(f'invalid input syntax for type {name}: "{value}"')


def _negative_limit(said: str) -> DataError:
    if "offset expression must be" in said:
        return data.InvalidRowCountInOffset("OFFSET must not be negative")
    return data.InvalidRowCountInLimit("LIMIT must not be negative")


_CONDITIONS: Mapping[str, Callable[[str], DataError]] = {
    "DIVIDE_BY_ZERO": lambda _: data.DivisionByZero(),
    "REMAINDER_BY_ZERO": lambda _: data.DivisionByZero(),
    "INTERVAL_DIVIDED_BY_ZERO": lambda _: data.DivisionByZero(),
    # Texts of ours add and multiply narrower integers as bigint, and cast the result: what overflows is a bigint.
    "ARITHMETIC_OVERFLOW": _out_of_range("bigint"),
    # Spark's own condition for integers of one and two bytes.
    "BINARY_ARITHMETIC_OVERFLOW": _out_of_range("smallint"),
    "CAST_OVERFLOW": _out_of_range("value"),
    "NUMERIC_VALUE_OUT_OF_RANGE": lambda _: data.NumericValueOutOfRange("numeric field overflow"),
    "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION": lambda _: data.NumericValueOutOfRange("numeric field overflow"),
    "CAST_INVALID_INPUT": _invalid_input,
    "INVALID_FORMAT": _invalid_input,
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": lambda _: data.CardinalityViolation(),
    "DATETIME_OVERFLOW": lambda _: data.DatetimeFieldOverflow("timestamp out of range"),
    "DATETIME_FIELD_OUT_OF_BOUNDS": lambda _: data.DatetimeFieldOverflow("date/time field value out of range"),
    "INTERVAL_ARITHMETIC_OVERFLOW": lambda _: data.IntervalFieldOverflow("interval out of range"),
    "INVALID_ARRAY_INDEX": lambda _: data.ArraySubscriptError("array subscript out of range"),
    "INVALID_ARRAY_INDEX_IN_ELEMENT_AT": lambda _: data.ArraySubscriptError("array subscript out of range"),
    "COLLECTION_SIZE_LIMIT_EXCEEDED": lambda _: data.ProgramLimitExceeded("array size exceeds the maximum allowed"),
    "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE": _negative_limit,
}
"""Spark's conditions, and what they are in PostgreSQL's words."""
