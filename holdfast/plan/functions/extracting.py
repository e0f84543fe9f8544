"""Columns extracted from text: by a regular expression, or as fields of CSV. How many there are, a constant says."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from io import StringIO

from holdfast.plan.errors import InvalidParameterValue
from holdfast.plan.functions.function import ColumnsByConstant, Family, ResultColumns, TableFunction
from holdfast.plan.regex.compiled import compiled
from holdfast.plan.regex.parse import Options, parsed
from holdfast.plan.types import INT4, TEXT

_MOST_COLUMNS = 1664
"""As many as a row of PostgreSQL can have."""
_LONGEST_FIELD = 2**31 - 1
_PLAIN = Options()


def _columns(count: int, *, nullable: bool) -> ResultColumns:
    names = tuple(f"column{number}" for number in range(1, count + 1))
    return ResultColumns(names, (TEXT,) * count, (nullable,) * count)


def _columns_of_pattern(pattern: str) -> ResultColumns:
    count = parsed(pattern, _PLAIN).groups
    if not count:
        raise InvalidParameterValue("the pattern of regexp_extract must have a group in parentheses")
    if count > _MOST_COLUMNS:
        raise InvalidParameterValue(f"regexp_extract can return at most {_MOST_COLUMNS} columns")
    return _columns(count, nullable=True)


def _regexp_extract(pattern: str, text: str) -> Iterator[tuple[str | None, ...]]:
    found = compiled(pattern, _PLAIN).search(text)
    if found is not None:
        yield tuple(None if span is None else text[slice(*span)] for span in found.groups)


def _columns_of_csv(count: int) -> ResultColumns:
    if not 1 <= count <= _MOST_COLUMNS:
        raise InvalidParameterValue(f"csv_extract returns between 1 and {_MOST_COLUMNS} columns, not {count}")
    return _columns(count, nullable=False)


def _csv_extract(count: int, text: str) -> Iterator[tuple[str, ...]]:
    """Lines with another number of fields are passed over."""
    csv.field_size_limit(_LONGEST_FIELD)
    return (tuple(row) for row in csv.reader(StringIO(text, newline="")) if len(row) == count)


FAMILY = Family(
    "Columns extracted from text",
    tables=(
        TableFunction(
            "regexp_extract",
            (TEXT, TEXT),
            ColumnsByConstant(_columns_of_pattern),
            _regexp_extract,
            fails=True,
            doc="The groups of the first match of a pattern, each in a column; no row if there is none.",
        ),
        TableFunction(
            "csv_extract",
            (INT4, TEXT),
            ColumnsByConstant(_columns_of_csv),
            _csv_extract,
            doc="The lines of CSV that have so many fields, each field in a column.",
        ),
    ),
)
