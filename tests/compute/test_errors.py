"""Errors that Spark raises come back as ours, in PostgreSQL's words."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from holdfast.compute.errors import meant, query_errors
from holdfast.errors import HoldfastError
from holdfast.plan import errors as data
from holdfast.plan.errors import DataError
from holdfast.plan.functions.registry import CASTS
from holdfast.plan.functions.spark_text import failure, failure_of, quoted
from holdfast.plan.types import INT4, TEXT
from holdfast.spark.errors import SparkJobFailed


def as_integer(text: str) -> str:
    """SQL of a text cast to an integer."""
    function = CASTS["text", "int4"].function
    assert function is not None
    assert callable(function.spark)
    made = function.spark([f"concat({quoted(text)}, if(id = 0, '', 'x'))"], (TEXT,), INT4)
    assert made is not None
    return made


LONG = "First. Second\nthird SQLSTATE: 12345"

CASES: list[tuple[str, DataError]] = [
    ("1 / id", data.DivisionByZero()),
    ("1 div id", data.DivisionByZero()),
    ("1 % id", data.DivisionByZero()),
    ("CAST(id + 2147483648 AS INT)", data.NumericValueOutOfRange("integer out of range")),
    ("CAST(id + 2147483648 AS SMALLINT)", data.NumericValueOutOfRange("smallint out of range")),
    ("id + 9223372036854775807 + 1", data.NumericValueOutOfRange("bigint out of range")),
    ("(id + 2) * 9223372036854775807", data.NumericValueOutOfRange("bigint out of range")),
    ("CAST(id AS SMALLINT) + 32767S + 1S", data.NumericValueOutOfRange("smallint out of range")),
    ("CAST(id + 1000 AS DECIMAL(3, 0))", data.NumericValueOutOfRange("numeric field overflow")),
    (
        "CAST(concat('abc', id) AS INT)",
        data.InvalidTextRepresentation('invalid input syntax for type integer: "abc0"'),
    ),
    (
        "CAST(concat('it''s. A \"x\"', id) AS DOUBLE)",
        data.InvalidTextRepresentation('invalid input syntax for type double precision: "it\'s. A "x"0"'),
    ),
    ("CAST(concat('abc', id) AS DATE)", data.InvalidDatetimeFormat('invalid input syntax for type date: "abc0"')),
    (
        as_integer("9999999999.5"),
        data.NumericValueOutOfRange('value "9999999999.5" is out of range for type integer'),
    ),
    (
        as_integer("0x8000000000z"),
        data.NumericValueOutOfRange('value "0x8000000000z" is out of range for type integer'),
    ),
    (
        as_integer("2147483648.5"),
        data.InvalidTextRepresentation('invalid input syntax for type integer: "2147483648.5"'),
    ),
    ("array(1)[id + 5]", data.ArraySubscriptError("array subscript out of range")),
    ("(SELECT v FROM VALUES (1), (2) AS t(v))", data.CardinalityViolation()),
    (failure(data.InvalidRange, LONG), data.InvalidRange(LONG)),
    (failure_of(data.InvalidJson, "concat('path ', id)"), data.InvalidJson("path 0")),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text[:60] for text, _ in CASES])
def test_errors_of_data_are_ours(spark: SparkSession, text: str, expected: DataError) -> None:
    with pytest.raises(type(expected)) as found, query_errors():
        spark.sql(f"SELECT {text} FROM range(1)").toArrow()
    assert str(found.value) == str(expected)


def test_a_negative_limit_is_ours(spark: SparkSession) -> None:
    with pytest.raises(data.InvalidRowCountInLimit, match="LIMIT must not be negative"), query_errors():
        spark.sql("SELECT id FROM range(1) LIMIT :p1", args={"p1": -1})
    with pytest.raises(data.InvalidRowCountInOffset, match="OFFSET must not be negative"), query_errors():
        spark.sql("SELECT id FROM range(1) OFFSET :p1", args={"p1": -1})


def test_no_stack_trace_and_no_class_of_java_is_shown(spark: SparkSession) -> None:
    for text in ("SELECT nothing", "SELECT raise_error('NoSuchError: text') FROM range(1)", "SELEC"):
        with pytest.raises(HoldfastError) as found, query_errors():
            spark.sql(text).toArrow()
        assert "\n" not in str(found.value)
        assert "org.apache" not in str(found.value)
        assert "Exception" not in str(found.value)


def test_what_spark_does_not_explain_stays_what_it_is() -> None:
    error = SparkJobFailed("out of disk", "OUT_OF_DISK", "53100")
    assert meant(error) is error
