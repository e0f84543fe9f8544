"""Options: understood and refused as PostgreSQL does."""

from __future__ import annotations

from typing import Literal

import pytest

from holdfast.adapter.copy.options import CopyOptions, copy_options
from holdfast.adapter.sqlstate import sqlstate
from holdfast.errors import HoldfastError
from holdfast.sql.parser import parse_one
from holdfast.sql.syntax.statement.copy import CopyFrom, CopyTo
from tests.adapter.copy.theirs import Postgres

Direction = Literal["from", "to"]


def options_of(text: str, direction: Direction) -> CopyOptions:
    statement = parse_one(f"COPY t {'FROM STDIN' if direction == 'from' else 'TO STDOUT'} {text}").statement
    assert isinstance(statement, CopyFrom | CopyTo)
    return copy_options(statement.options, direction)


def refusal(text: str, direction: Direction) -> tuple[str, str] | None:
    try:
        options_of(text, direction)
    except HoldfastError as error:
        return sqlstate(error), str(error)
    return None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", CopyOptions()),
        ("(FORMAT text)", CopyOptions()),
        ("WITH (FORMAT CSV)", CopyOptions("csv", ",", "")),
        ("(FORMAT = 'csv', DELIMITER = '|', NULL 'x')", CopyOptions("csv", "|", "x")),
        ("(FORMAT csv, QUOTE '''', HEADER)", CopyOptions("csv", ",", "", "'", "'", header=True)),
        ("(FORMAT csv, ESCAPE '\\', HEADER match)", CopyOptions("csv", ",", "", '"', "\\", header="match")),
        ("(HEADER false)", CopyOptions()),
        ("(HEADER off, DELIMITER E'\\t')", CopyOptions()),
        ("(HEADER 1)", CopyOptions(header=True)),
        (
            "(FORMAT csv, FORCE_NULL (a, b), FORCE_NOT_NULL (c))",
            CopyOptions("csv", ",", "", force_null=("a", "b"), force_not_null=("c",)),
        ),
        ("(FORMAT csv, FORCE_NULL *)", CopyOptions("csv", ",", "", force_null="*")),
        ("(FORMAT binary)", CopyOptions("binary")),
        ("(FORMAT parquet)", CopyOptions("parquet")),
        ("(ENCODING 'UTF8', FREEZE false)", CopyOptions()),
        ("CSV HEADER", CopyOptions("csv", ",", "", header=True)),
        ("WITH CSV DELIMITER AS '|' NULL 'x' QUOTE '~'", CopyOptions("csv", "|", "x", "~", "~")),
        ("USING DELIMITERS '|' WITH NULL AS ''", CopyOptions("text", "|", "")),
        ("WITH BINARY", CopyOptions("binary")),
        ("CSV FORCE NOT NULL a, b", CopyOptions("csv", ",", "", force_not_null=("a", "b"))),
        ("CSV FORCE NULL *", CopyOptions("csv", ",", "", force_null="*")),
    ],
)
def test_options_say_how_data_are_laid_out(text: str, expected: CopyOptions) -> None:
    assert options_of(text, "from") == expected


def test_names_cannot_be_matched_on_the_way_out() -> None:
    assert refusal("(HEADER match)", "to") == ("0A000", 'cannot use "match" with HEADER in COPY TO')


def test_the_format_may_stand_before_the_table() -> None:
    statement = parse_one("COPY BINARY t TO STDOUT").statement
    assert isinstance(statement, CopyTo)
    assert copy_options(statement.options, "to") == CopyOptions("binary")


def test_all_columns_can_be_quoted() -> None:
    assert options_of("(FORMAT csv, FORCE_QUOTE *)", "to") == CopyOptions("csv", ",", "", force_quote="*")
    assert options_of("(FORMAT csv, FORCE_QUOTE (a))", "to") == CopyOptions("csv", ",", "", force_quote=("a",))


@pytest.mark.parametrize("direction", ["from", "to"])
@pytest.mark.parametrize(
    "text",
    [
        "(FORMAT xml)",
        "(FORMAT csv, FORMAT csv)",
        "(SPEED 3)",
        "(DELIMITER 'ab')",
        "(DELIMITER '')",
        "(DELIMITER 'é')",
        "(DELIMITER E'\\n')",
        "(DELIMITER 'a')",
        "(DELIMITER '.')",
        "(DELIMITER E'\\\\')",
        "(NULL E'a\\nb')",
        "(NULL E'a\\tb')",
        "(DELIMITER ',', NULL ',')",
        "(QUOTE '''')",
        "(ESCAPE '''')",
        "(FORMAT csv, QUOTE 'ab')",
        "(FORMAT csv, QUOTE '')",
        "(FORMAT csv, ESCAPE 'ab')",
        "(FORMAT csv, DELIMITER '\"')",
        "(FORMAT csv, NULL 'a\"b')",
        "(FORMAT csv, NULL 'a,b')",
        "(FORMAT binary, DELIMITER ',')",
        "(FORMAT binary, NULL 'x')",
        "(FORMAT binary, HEADER)",
        "(FORMAT binary, QUOTE '''')",
        "(FORMAT csv, HEADER maybe)",
        "(FORMAT csv, HEADER 2)",
        "(FORCE_QUOTE (a))",
        "(FORCE_NULL (a))",
        "(FORCE_NOT_NULL (a))",
        "(FORMAT csv, FORCE_QUOTE (a))",
        "(FORMAT csv, FORCE_NULL (a))",
        "(FORMAT csv, FORCE_NOT_NULL (a))",
        "(FORMAT csv, FORCE_NULL 3)",
        "(FORMAT)",
        "(DELIMITER)",
        "(FREEZE maybe)",
    ],
)
def test_options_are_refused_as_postgres_refuses_them(theirs: Postgres, text: str, direction: Direction) -> None:
    expected = theirs.refusal(f"COPY t {'FROM STDIN' if direction == 'from' else 'TO STDOUT'} {text}")
    assert refusal(text, direction) == expected
