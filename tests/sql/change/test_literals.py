"""INSERTs of literals: what they are read as is what they come to as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapter.sqlstate import sqlstate
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.values import rows_of, table_from
from holdfast.errors import HoldfastError
from holdfast.plan.rewrite import optimize
from holdfast.plan.types import (
    BOOL,
    BPCHAR,
    BYTEA,
    CHAR,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT4RANGE,
    INT8,
    INTERVAL,
    JSONB,
    MZ_TIMESTAMP,
    NAME,
    NUMERIC,
    OID,
    REGCLASS,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    VARCHAR,
    IntervalOf,
    Modified,
    Type,
    array_of,
    list_of,
    map_of,
    numeric,
)
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, WithoutFunctions
from holdfast.sql.change import plan_change, plan_literals
from holdfast.sql.parser import parse, parse_one
from holdfast.sql.syntax.statement.dml import Insert

TYPES = (
    *(BOOL, INT2, INT4, INT8, Type("uint2"), Type("uint4"), Type("uint8"), FLOAT4, FLOAT8, OID, MZ_TIMESTAMP),
    *(NUMERIC, numeric(5, 2, declared=True), numeric(38, 0, declared=True), numeric(3, 3, declared=True)),
    *(TEXT, VARCHAR, Modified("varchar", 3), BPCHAR, Modified("bpchar", 2), CHAR, NAME, BYTEA, JSONB, UUID),
    *(DATE, TIME, TIMESTAMP, Modified("timestamp", 0), TIMESTAMPTZ, Modified("timestamptz", 3)),
    *(INTERVAL, Modified("interval", 0), IntervalOf("interval", None, "HOUR"), REGCLASS, INT4RANGE),
    *(array_of(INT4), array_of(Modified("varchar", 3)), list_of(TEXT), map_of(INT4)),
)
NUMBERS = (
    *("0", "1", "-1", "007", "32767", "32768", "-32768", "-32769", "65535", "65536", "2147483647", "2147483648"),
    *("-2147483648", "-2147483649", "4294967296", "9223372036854775807", "9223372036854775808", "-9223372036854775808"),
    *("18446744073709551615", "18446744073709551616", "9" * 38, "9" * 39, "9" * 5000, "0" * 5000 + "1"),
    *("1.5", "-1.5", "2.5", "0.5", "-0.0", "1.", ".005", "999.994", "999.995", "-999.995", "1e3", "1.25e-3", "1e38"),
    *(
        "1e39",
        "1e308",
        "-1e308",
        "1e309",
        "1e-400",
        "5e-324",
        "1.123456789012345678901234567890123456789",
        "1e99999999999",
    ),
)
WORDS = ("NULL", "null", "true", "FALSE", "True")
TEXTS = (
    *("", " ", "a", "abc", "abcd", "abc ", "abcd  ", "it''s", "ü€😀", "x" * 70, "\\x00ff", "\\x0", "t", "yes", "maybe"),
    *("1", " 42 ", "-1", "1.5", "1e3", "0x1F", "1_000", "99999999999999999999", "NaN", "infinity", "-inf", "1e400"),
    *("2020-02-29", "2021-02-29", "20:15", "2020-01-01 12:00:00.1234567+02", "infinity", "epoch", "now", "BC", "25:00"),
    *("1 day", "3", "P1Y", "1 month -2 hours", "[1,3)", "(,)", "empty", "{1,2}", "{a,b}", "{}", "{{1},{2}}", "{a=>1}"),
    *('{"a": 1}', "[1, 2.50]", "nul", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC99", "t", "pg_class"),
)
TYPED = ("date", "TIME", "timestamp", "timestamptz", "interval", "bytea", "uuid", "json", "jsonb", "text")
LITERALS = (
    *(*NUMBERS, *WORDS, *(f"'{text}'" for text in TEXTS)),
    *(f"'{text}'::{name}" for text in TEXTS for name in TYPED),
)
cells = st.sampled_from(LITERALS)
numbers = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20).map(str)
own = (
    st.integers(-(2**66), 2**66).map(str)
    | numbers.map(lambda text: text.lower())
    | st.text(max_size=5).filter(lambda text: text.isprintable()).map(lambda text: "'" + text.replace("'", "''") + "'")
)


@dataclass(frozen=True)
class OneTable(WithoutFunctions):
    """A catalog of one table, t."""

    columns: tuple[CatalogColumn, ...]

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        return CatalogRelation("u1", "t", self.columns) if parts == ("t",) else None

    def type(self, parts: tuple[str, ...]) -> Type | None:  # noqa: ARG002 - there are none
        return None


Outcome = list[tuple[str, ...]] | tuple[str, str, int]
"""Rows, each value as Python shows it, so that 1.0 and 1.00 are two; or an error's code, message and place."""


def shown(rows: Sequence[tuple[object, ...]]) -> list[tuple[str, ...]]:
    return [tuple(map(repr, row)) for row in rows]


def planned(text: str, catalog: OneTable) -> Outcome:
    """The rows by way of expressions."""
    insert = parse_one(text).statement
    assert isinstance(insert, Insert)
    try:
        plan = plan_change(insert, catalog).plan
        return shown(rows_of(evaluate(optimize(plan), {}), [column.type for column in catalog.columns]))
    except HoldfastError as error:
        return sqlstate(error), str(error), getattr(error, "position", 0)


def read(text: str, catalog: OneTable) -> Outcome | None:
    """The rows as they are read; None if it takes expressions to tell."""
    (parsed,) = parse(text)
    insert = parsed.statement
    assert isinstance(insert, Insert)
    rows = insert.literal_rows
    assert rows is not None
    try:
        values = plan_literals(insert, len(rows.columns), catalog).values(rows.columns)
    except HoldfastError as error:
        return sqlstate(error), str(error), getattr(error, "position", 0)
    if values is None:
        return None
    types = [column.type for column in catalog.columns]
    return shown(rows_of(table_from(values, types, ["?"] * len(types)), types))


@st.composite
def inserts(draw: st.DrawFn) -> tuple[str, OneTable]:
    types = draw(st.lists(st.sampled_from(TYPES), min_size=1, max_size=3))
    columns = tuple(CatalogColumn(f"c{number}", type_) for number, type_ in enumerate(types))
    listed = draw(st.none() | st.permutations(range(len(types))))
    width = draw(st.sampled_from([len(types)] * 8 + [1, 2, 4]))
    rows = draw(st.lists(st.lists(cells | own, min_size=width, max_size=width), min_size=1, max_size=3))
    names = "" if listed is None else f" ({', '.join(f'c{place}' for place in listed)})"
    written = ", ".join("(" + ", ".join(row) + ")" for row in rows)
    return f"INSERT INTO t{names} VALUES {written}", OneTable(columns)


@given(inserts())
def test_literals_are_read_as_what_they_come_to_as_expressions(insert: tuple[str, OneTable]) -> None:
    found = read(*insert)
    assert found is None or found == planned(*insert)


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_each_literal_is_read_by_each_type_as_it_is_planned_or_is_left_to_be(type_: Type) -> None:
    catalog = OneTable((CatalogColumn("c", type_),))
    read_so = 0
    for cell in LITERALS:
        text = f"INSERT INTO t VALUES ({cell}), ({cell})"
        found, expected = read(text, catalog), planned(text, catalog)
        if found is not None:
            assert found == expected, cell
            read_so += 1
    assert read_so >= len(WORDS[:2])


@pytest.mark.parametrize(
    ("type_", "cells"),
    [
        (INT2, "1, -32768"),
        (INT4, "2147483647, -2147483648, '7', NULL"),
        (INT8, "1, 9223372036854775807, 2.5"),
        (FLOAT8, "1, 1.5, -1e300, 'NaN'"),
        (NUMERIC, "1, 1.50, '2.5', 99999999999999999999"),
        (numeric(5, 2, declared=True), "1, 1.555, '2'"),
        (TEXT, "'a', 'it''s', 5, true"),
        (Modified("varchar", 3), "'abc', 'abc   ', 12"),
        (BOOL, "true, FALSE, 't', NULL"),
        (DATE, "'2020-02-29', 'infinity', '2020-02-29'::date"),
        (TIMESTAMPTZ, "'2020-01-01 00:00:00+02', '2020-01-01 00:00:00+02'::timestamptz, '2020-01-01'::date"),
        (JSONB, """'{"b": 1, "a": 2}'"""),
    ],
    ids=str,
)
def test_plain_literals_are_read(type_: Type, cells: str) -> None:
    columns = tuple(CatalogColumn(f"c{number}", type_) for number in range(cells.count(", ") + 1))
    text = f"INSERT INTO t VALUES ({cells})" if type_ is not JSONB else f"INSERT INTO t (c0) VALUES ({cells})"
    assert read(text, OneTable(columns)) == planned(text, OneTable(columns)) != []


def test_columns_that_are_left_out_have_their_defaults_if_those_are_constants() -> None:
    columns = (CatalogColumn("a", INT4), CatalogColumn("b", TEXT, default="'none'"), CatalogColumn("c", INT8))
    for text in ("INSERT INTO t (c, a) VALUES (1, 2), (3, 4)", "INSERT INTO t VALUES (5)"):
        assert read(text, OneTable(columns)) == planned(text, OneTable(columns))
    assert read("INSERT INTO t VALUES (5)", OneTable(columns)) == [("5", "'none'", "None")]
    computed = (*columns[:2], replace(columns[2], default="length('a' || 'b')"))
    assert read("INSERT INTO t VALUES (5)", OneTable(computed)) is None
    assert read("INSERT INTO t VALUES (5, 'x', 6)", OneTable(computed)) == [("5", "'x'", "6")]


def test_what_is_wrong_with_the_columns_is_said_as_of_any_insert() -> None:
    catalog = OneTable((CatalogColumn("a", INT4), CatalogColumn("b", TEXT)))
    for text in (
        *(
            "INSERT INTO wrong VALUES (1)",
            "INSERT INTO t (a, wrong) VALUES (1, 2)",
            "INSERT INTO t (a, a) VALUES (1, 2)",
        ),
        *("INSERT INTO t VALUES (1, 2, 3)", "INSERT INTO t (a, b) VALUES (1)", "INSERT INTO t (a, b) VALUES (1), (2)"),
    ):
        expected = planned(text, catalog)
        assert isinstance(expected, tuple)
        assert read(text, catalog) in (None, expected)
