"""INSERTs of literals: what is read without the grammar is what the grammar reads."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.errors import HoldfastError
from holdfast.sql.parser import Parsed, parse, parse_literals, parse_one, parse_type_name
from holdfast.sql.parser.literals import literals
from holdfast.sql.render import render
from holdfast.sql.syntax.expression import (
    BooleanLiteral,
    Cast,
    Expression,
    IntegerLiteral,
    NullLiteral,
    NumericLiteral,
    StringLiteral,
)
from holdfast.sql.syntax.literal_rows import LiteralRows
from holdfast.sql.syntax.query import Query, Values
from holdfast.sql.syntax.statement.dml import Insert

HEADS = (
    *("INSERT INTO t VALUES", "insert into t(a,b)values", ' InSeRt\n\tINTO\f"T"."ü x" ( "a" , b$1 )\rVALUES\v'),
    *("INSERT INTO select VALUES", "INSERT INTO values VALUES", "INSERT INTO t (a VALUES", "INSERT INTO t () VALUES"),
    *("INSERT INTO t (a.b) VALUES", "INSERT INTO t AS u VALUES", "INSERT INTO a . b VALUES", "INSERT INTO t"),
    *(f"INSERT INTO {'t' * 70} VALUES", "INSERT INTO \u212a VALUES", 'INSERT INTO "a""b" VALUES', "VALUES"),
    *("WITH w AS (SELECT 1) INSERT INTO t VALUES", "INSERT INTO t OVERRIDING USER VALUE VALUES", "INSERTINTO t VALUES"),
)
CELLS = (
    *("0", "1", "-1", "007", "2147483647", "2147483648", "-2147483648", "9" * 30, "1_000", "0x1F", "1e5", "1.e-5"),
    *(
        ".5",
        "-.5e+3",
        "1.",
        "1.5.5",
        "1..2",
        "1e",
        "12ab",
        "+1",
        "- 1",
        "--1",
        "-'1'",
        "''",
        "'it''s'",
        "'\n'",
        "'ü€😀'",
    ),
    *(
        "'a' 'b'",
        "'a'\n'b'",
        "E'a\\'b'",
        "U&'\\0041'",
        "B'01'",
        "X'1F'",
        "$$a$$",
        "N'a'",
        "'",
        "'\\'",
        "'(1), (2)'",
        "';'",
    ),
    *("NULL", "null", "True", "FALSE", "falſe", "nul", "nulls", "DEFAULT", "a", "$1", "(1)", "(1, 2)", "1 + 1", "f(1)"),
    *("date '2020-01-01'", "'1'::int", "'1' /* c */", "1 -- c\n", "", "CURRENT_DATE", "*", "t.*", "ARRAY[1]"),
    *("'1':: date", "'1'::date[]", "'1'::datex", "'1'::timestamp(3)", "'1'::timestamp with time zone", "1::text"),
    *("'1'::interval hour", "'1'::\"date\"", "'1'::pg_catalog.date", "'1'::date::text", "NULL::text", "'1'::int::text"),
)
PLAIN = (
    *("0", "-1", "1.5", "-.5e3", "'it''s'", "'ü€😀'", "'), ('", "NULL", "true", "False", "2147483648", "''"),
    *("'1'::date", "'a::b'::TEXT", "''::timestamp", "'1'::TimestampTZ", "'1'::time", "'1'::interval"),
    *("'\\x00'::bytea", "'1'::uuid", "'{}'::json", "'{}'::jsonb"),
)
ENDS = ("", ";", " ; ", "\n", ";;", "; SELECT 1", " RETURNING a", " ON CONFLICT DO NOTHING", ",", ")", " ORDER BY 1")

spaces = st.sampled_from(["", "", " ", "\n\t", "\r\f\v"])


@st.composite
def texts(draw: st.DrawFn, heads: tuple[str, ...], cells: tuple[str, ...], ends: tuple[str, ...]) -> str:
    rows: list[str] = []
    width = draw(st.integers(1, 3))
    for _ in range(draw(st.integers(1, 3))):
        own = draw(st.sampled_from([width] * 9 + [1]))
        row = [f"{draw(spaces)}{draw(st.sampled_from(cells))}{draw(spaces)}" for _ in range(own)]
        rows.append(f"{draw(spaces)}({','.join(row)}){draw(spaces)}")
    return draw(st.sampled_from(heads)) + ",".join(rows) + draw(st.sampled_from(ends))


def source_of(parsed: Parsed) -> tuple[Insert, Query, Values]:
    insert = parsed.statement
    assert isinstance(insert, Insert)
    assert insert.source is not None
    assert isinstance(insert.source.body, Values)
    return insert, insert.source, insert.source.body


def meant(written: str) -> Expression:
    """The expression that a literal is written for."""
    match written[0].lower():
        case "'" if written[-1] != "'":
            text, _, name = written.rpartition("::")
            return Cast(meant(text), parse_type_name(name))
        case "'":
            return StringLiteral(written[1:-1].replace("''", "'"))
        case "t" | "f":
            return BooleanLiteral(written.lower() == "true")
        case "n":
            return NullLiteral()
    if written.lstrip("-").isdigit() and abs(int(written)) < 2**31:
        return IntegerLiteral(int(written))
    return NumericLiteral(written)


@given(texts(HEADS, CELLS, ENDS) | texts(HEADS[:3], PLAIN, ENDS) | texts(HEADS[:3], PLAIN + CELLS, ENDS[:4]))
@example("INSERT INTO t VALUES (1), (1, 2)")
@example("INSERT INTO t VALUES (1, 2), (1)")
@example("INSERT INTO t VALUES (1,)")
@example("INSERT INTO t VALUES (1) (2)")
@example("INSERT INTO t VALUES (1, 2), (3, 4), (5, ")
def test_what_is_read_without_the_grammar_is_what_it_reads(text: str) -> None:
    found = parse_literals(text)
    if found is None:
        return
    expected = parse_one(text)
    assert found == expected
    ours, theirs = source_of(found), source_of(expected)
    assert [node.location for node in ours] == [node.location for node in theirs]
    assert ours[0].table.location == theirs[0].table.location
    assert isinstance(ours[2].rows, LiteralRows)
    assert list(zip(*(map(meant, column) for column in ours[2].rows.columns), strict=True)) == list(theirs[2].rows)


@given(texts(HEADS[:3], PLAIN, ("", ";", " ; ")))
def test_plain_literals_are_read_without_the_grammar(text: str) -> None:
    found = parse_literals(text)
    widths = {len(row) for row in source_of(parse_one(text))[2].rows}
    assert (found is not None) == (len(widths) == 1)


def test_rows_of_literals_are_rows_like_others() -> None:
    text = "INSERT INTO t VALUES (1, 'a'), (2, NULL)"
    (_, _, values), (_, _, others) = source_of(parse(text)[0]), source_of(parse_one(text))
    assert isinstance(values.rows, LiteralRows)
    assert isinstance(others.rows, tuple)
    assert (values, hash(values), len(values.rows)) == (others, hash(others), 2)
    assert [[each.location for each in row] for row in values.rows] == [[23, 26], [33, 36]]
    assert render(parse(text)[0].statement) == render(parse_one(text).statement)
    assert values != source_of(parse(text.replace("'a'", "'b'"))[0])[2]


@pytest.mark.parametrize("cell", ["'" * 99_999, "9" * 100_000 + "x", "'a''" * 25_000, "''x" * 30_000, "-" * 99_999])
def test_every_character_of_a_text_that_is_something_else_is_seen_once(cell: str) -> None:
    """If all that follow were seen for each, this would take minutes."""
    assert literals(f"INSERT INTO t VALUES ({cell}") is None


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES (1e)",
        "INSERT INTO t VALUES (1e+)",
        "INSERT INTO t VALUES ('a'::)",
        "INSERT INTO t. VALUES (1)",
        "INSERT INTO t (a VALUES (1)",
        "INSERT INTO t (a, ) VALUES (1)",
    ],
)
def test_what_breaks_off_is_not_taken_for_whole(text: str) -> None:
    """As Python before 3.11.5 did, of a possessive repeat whose group fails after some characters."""
    assert literals(text) is None


def test_a_text_that_no_text_may_be_is_refused_as_any() -> None:
    for text in ("INSERT INTO t VALUES ('\0')", "INSERT INTO t VALUES ('\ud800')"):
        with pytest.raises(HoldfastError, match="invalid byte sequence"):
            parse(text)
