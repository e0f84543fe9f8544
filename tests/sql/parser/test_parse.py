"""Whole texts: splitting, positions, limits, and what no text may do."""

from __future__ import annotations

import re
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.errors import HoldfastError, QueryError
from holdfast.sql.errors import InvalidText, NotSupported, StatementTooComplex, SyntaxFailure
from holdfast.sql.parser import Parsed, parse, parse_expression, parse_one, parse_query, parse_type_name
from holdfast.sql.render import render
from holdfast.sql.syntax.expression import Binary, Column, IntegerLiteral
from holdfast.sql.syntax.node import Node
from holdfast.sql.syntax.query import Select
from holdfast.sql.syntax.statement.dml import SelectStatement
from tests.sql.parser.corpus import STATEMENTS
from tests.sql.trees import walk


def locations(value: Node) -> list[int]:
    """The locations of all nodes of a tree, in order, without those that are not known."""
    return [node.location for node in walk(value) if node.location]


def pieces(text: str) -> list[str]:
    return [text[parsed.start : parsed.end] for parsed in parse(text)]


def test_semicolons_separate_statements_and_empty_ones_are_left_out() -> None:
    assert pieces(" ; select 1;;\n select 2 ;") == ["select 1", "select 2"]
    assert pieces("") == pieces(" -- nothing\n;; /* ; */") == []


def test_semicolons_in_strings_comments_and_names_separate_nothing() -> None:
    assert pieces("select ';' /* ; /* ; */ */ ; select $a$;$a$ -- ;\n, \";\" ; select e'\\';'") == [
        "select ';'",
        'select $a$;$a$ -- ;\n, ";"',
        "select e'\\';'",
    ]


def test_a_semicolon_inside_parentheses_is_blamed_where_it_stands() -> None:
    with pytest.raises(SyntaxFailure, match='syntax error at or near ";"') as raised:
        parse("select (1; select 2")
    assert raised.value.position == 10


def test_our_statements_and_postgresqls_mix_in_one_text() -> None:
    kinds = [
        type(parsed.statement).__name__
        for parsed in parse("begin; subscribe t; select 1; create view v as table t; end")
    ]
    assert kinds == ["Begin", "Subscribe", "SelectStatement", "CreateView", "Commit"]


def test_thousands_of_statements_are_parsed() -> None:
    assert len(parse("select 1; set a = b;" * 2000)) == 4000


@pytest.mark.parametrize(("text", "near"), [("", None), ("select 1; select 2", 11)])
def test_parse_one_wants_exactly_one(text: str, near: int | None) -> None:
    with pytest.raises(SyntaxFailure) as raised:
        parse_one(text)
    assert raised.value.position == (near or 1)


@pytest.mark.parametrize("prefix", ["select 'ü€😀'; ", "/* ü */ ", "\n\n"])
def test_locations_count_characters_of_the_whole_text(prefix: str) -> None:
    for text in STATEMENTS:
        alone, within = parse(text)[-1], parse(prefix + text)[-1]
        assert within.statement == alone.statement
        assert locations(within.statement) == [len(prefix) + place for place in locations(alone.statement)]
        assert (within.start, within.end) == (len(prefix) + alone.start, len(prefix) + alone.end)


def test_locations_point_at_what_they_are_of() -> None:
    text = "select 'ü', a + bc from t join u on a = 1 where LIST[x, 2] = $1"
    found = {
        re.split(r"\W", text[node.location - 1 :])[0]: node
        for node in walk(parse_one(text).statement)
        if isinstance(node, Column | IntegerLiteral)
    }
    assert set(found) == {"a", "bc", "x", "1", "2"}


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("select * form t", 'syntax error at or near "form"', 10),
        ("select 'ü' form t", 'syntax error at or near "t"', 17),
        ("select 1 from", "syntax error at end of input", 14),
        ("select 1; selec 2", 'syntax error at or near "selec"', 11),
        ("select 'a", 'unterminated quoted string at or near "\'a"', 8),
        ("select 'ü'; select 'a", 'unterminated quoted string at or near "\'a"', 20),
        ('select ""', 'zero-length delimited identifier at or near """"', 8),
        ("select 1 /* x", 'unterminated /* comment at or near "/* x"', 10),
        ("select ?", "syntax error at end of input", 9),
        ("subscribe (select 1 from) as of 4", 'syntax error at or near ")"', 25),
        ("subscribe t as of", "syntax error at end of input", 18),
        ("subscribe t with (snapshot = )", 'syntax error at or near ")"', 30),
        ("subscribe t nonsense", 'syntax error at or near "nonsense"', 13),
        ("create view v as select * from", "syntax error at end of input", 31),
        ("create view v as select a b c; select 1", 'syntax error at or near "c"', 29),
        ("create index i on t (a, b +)", 'syntax error at or near ")"', 28),
        ("create index i on t (a", "syntax error at end of input", 23),
        ("create table t (a int, b)", 'syntax error at or near ")"', 25),
        ("create table t (a int x)", 'syntax error at or near "x"', 23),
        ("create frobnicator x", 'syntax error at or near "frobnicator"', 8),
        ("create table t (a int check)", 'syntax error at or near "check"', 23),
        ("select list[1, 2", "syntax error at end of input", 17),
        ("select 'ü', list[1, 2,]", 'syntax error at or near "]"', 23),
        ("select map['a' => 1, 'b']", 'syntax error at or near "]"', 25),
        ("select map['a' => 1] frm t", 'syntax error at or near "t"', 26),
        ("select list[1, 2 3]", 'syntax error at or near "3"', 18),
        ("select list[list[1] list[2]]", 'syntax error at or near "list"', 21),
        ("select a::map[text=>] from t", 'syntax error at or near "]"', 21),
        ("select * from t as of", None, None),
        ("select * from t as of 1 limit 1", 'syntax error at or near "limit"', 25),
        ("select 1 as of 5, 6", 'syntax error at or near ","', 17),
        ("with mutually recursive c (a) as (select 1) select 1", 'syntax error at or near ")"', 29),
        ("with mutually recursive c as (select 1) select 1", 'syntax error at or near "as"', 27),
        ("with mutually recursive (limit) c (a int) as (select 1) select 1", 'syntax error at or near ")"', 31),
        (
            "with mutually recursive c (a int list) as (select 1 frm) select list[1] x y",
            'syntax error at or near "y"',
            75,
        ),
        ("select a from t options (aggregate input group size) order by 1", 'syntax error at or near ")"', 52),
        ("select a from t options (limit input group size = 1", "syntax error at end of input", 52),
        ("select distinct on a from t options (limit input group size = 1)", 'syntax error at or near "a"', 20),
        ("with mutually recursive (limit = 5 c", "syntax error at end of input", 37),
        (") ignore nulls t ) filter (", 'syntax error at or near ")"', 1),
        ("select f(a) filter ) ignore nulls", 'syntax error at or near ")"', 20),
        ("explain foo plan for select 1", 'syntax error at or near "foo"', 9),
        ("show create", 'syntax error at or near "create"', 6),
        ("begin isolation level chaos", 'syntax error at or near "isolation"', 7),
    ],
)
def test_syntax_errors_are_postgresqls(text: str, message: str | None, position: int | None) -> None:
    if message is None:
        assert isinstance(parse_one(text).statement, SelectStatement)
        return
    with pytest.raises(SyntaxFailure) as raised:
        parse(text)
    assert (str(raised.value), raised.value.position) == (message, position)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "with recursive c as (select 1) search depth first by a set b select * from c",
            "SEARCH and CYCLE are not supported",
        ),
        ("select * from t for update", "SELECT ... FOR UPDATE and FOR SHARE are not supported"),
        ("select 1 into x", "SELECT INTO is not supported"),
        ("select * from only t", "ONLY is not supported"),
        ("select * from t tablesample system (1)", "TABLESAMPLE is not supported"),
        ("with c as (delete from t returning *) select * from c", "WITH may only have queries, no changes of data"),
        ("merge into t using u on true when matched then delete", "MERGE is not supported"),
        ("truncate t", "TRUNCATE is not supported"),
        ("drop sequence s", "SEQUENCE is not supported"),
        ("create table t (a int check (a > 1))", "CHECK is not supported"),
        ("create table t (a int, constraint c foreign key (a) references u)", "CONSTRAINT is not supported"),
        ("create table t (a int references u (a))", "REFERENCES is not supported"),
        ("create table t (a int generated always as identity)", "GENERATED is not supported"),
        ("create table t (like u)", "LIKE is not supported"),
        ("copy (insert into t values (1)) to stdout", "INSERT is not supported"),
        ("listen x", "LISTEN is not supported"),
        ("select xmlelement(name a)", "XML expressions are not supported"),
        ("select json_object('a': 1)", "this SQL/JSON expression is not supported"),
        ("select * from json_table('{}', '$' columns (a int)) as j", "XMLTABLE and JSON_TABLE are not supported"),
        ("update t set a[1] = 2", "assigning to a part of a column is not supported"),
        ("delete from t where current of c", "WHERE CURRENT OF is not supported"),
        ("set role r", "SET ROLE is not supported"),
    ],
)
def test_what_postgresql_has_and_we_do_not_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(NotSupported) as raised:
        parse(text)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    "text",
    [
        "select " + "(" * 10_000 + "1" + ")" * 10_000,
        "select " + "1+" * 100_000 + "1",
        "select " + "not " * 5_000 + "true",
        "select " + "- " * 5_000 + "a",
        "select " + "case when true then " * 3_000 + "1" + " end" * 3_000,
        "select " + "f(" * 5_000 + ")" * 5_000,
        "select " + "array[" * 5_000 + "]" * 5_000,
        "select " + "list[" * 5_000 + "1" + "]" * 5_000,
        "select " + "(select " * 900 + "1" + ")" * 900,
        "select 1" + " union select 1" * 5_000,
        "select * from t" + " join t on true" * 5_000,
        "select ((" + "1+" * 900 + "1)" + "+1" * 900 + ")",
        "create view v as select " + "(" * 10_000,
        "subscribe (select " + "1+" * 100_000 + "1)",
        "select 1::" + "map[text=>" * 2_000 + "int" + "]" * 2_000,
        "create table t (a int" + " list" * 20_000 + ")",
    ],
    ids=lambda text: text[:24],
)
def test_what_nests_too_deeply_is_refused_also_in_a_thread_with_a_small_stack(text: str) -> None:
    found: list[object] = []

    def run() -> None:
        try:
            found.append(parse(text))
        except HoldfastError as error:
            found.append(error)

    before = threading.stack_size(1024 * 1024)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert isinstance(found[0], StatementTooComplex)


def test_long_chains_within_the_limit_are_parsed() -> None:
    added = parse_one("select " + "1+" * 900 + "1").statement
    assert isinstance(added, SelectStatement)
    assert isinstance(added.query.body, Select)
    assert isinstance(added.query.body.targets[0].expression, Binary)
    parse("select 1" + " union all select 1" * 900)
    parse("select * from t" + " cross join t" * 900)
    parse("select a from t where " + " and ".join(["a = 1 or b = 2"] * 5_000))
    parse("select case " + "when a then b " * 5_000 + "end")
    parse("select a in (" + "1, " * 50_000 + "2)")


def test_a_text_of_ten_megabytes_is_parsed() -> None:
    row = f"(1, '{'abcdefghij' * 20}', 2.5), "
    text = "insert into t values " + row * (10_000_000 // len(row)) + "(2, '', 0)"
    parsed = parse_one(text)
    assert parsed.end == len(text)


def test_a_string_of_ten_megabytes_is_parsed() -> None:
    parse("select '" + "ü" * 5_000_000 + "'")


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("select 'a\0b'", 'invalid byte sequence for encoding "UTF8": 0x00', 10),
        ("select '\udcff'", 'invalid byte sequence for encoding "UTF8": 0xff', 9),
        ("select '\ud800'", 'invalid byte sequence for encoding "UTF8": 0xed 0xa0 0x80', 9),
    ],
)
def test_characters_that_no_statement_can_have_are_refused(text: str, message: str, position: int) -> None:
    with pytest.raises(InvalidText) as raised:
        parse(text)
    assert (str(raised.value), raised.value.position) == (message, position)


@pytest.mark.parametrize("name", ["a" * 64, '"' + "B" * 64 + '"', "ü" * 32])
def test_long_names_are_cut_with_a_notice(name: str) -> None:
    bare = name.strip('"')
    kept = bare.encode()[:63].decode(errors="ignore")
    for text in (f"select 1 as {name}", f"create schema {name}"):
        parsed = parse_one(text)
        assert parsed.notices == (f'identifier "{bare}" will be truncated to "{kept}"',)
        assert kept in render(parsed.statement)
    assert parse_one(f"select 1 as {kept}" if bare == name else f'select 1 as "{kept}"').notices == ()


def test_an_extremely_long_name_is_cut() -> None:
    assert len(parse_one("drop table " + "x" * 1_000_000).notices) == 1


def test_a_query_an_expression_and_a_type_can_be_parsed_alone() -> None:
    assert parse_query("select 1").location == 8
    assert parse_expression("a + 1") == Binary(
        parse_expression("x + 1").operator,  # type: ignore[union-attr] # a sum has one
        Column(("a",)),
        IntegerLiteral(1),
    )
    assert parse_type_name("int list[]") == parse_type_name("integer list []")


@pytest.mark.parametrize(
    "text", ["", "1, 2", "1 from t", "select 1", "1 as b", "1)", "(1", "default", "1; select 2", "*"]
)
def test_what_is_not_one_expression_is_refused(text: str) -> None:
    with pytest.raises(SyntaxFailure):
        parse_expression(text)


@pytest.mark.parametrize("text", ["", "int int", "int)", "1", "int;", "map[text]", "list", "int list list x"])
def test_what_is_not_one_type_is_refused(text: str) -> None:
    if text == "list":
        assert parse_type_name(text)
        return
    with pytest.raises(SyntaxFailure):
        parse_type_name(text)


def parsed_or_refused(text: str) -> list[Parsed]:
    """The statements, or none when an error of ours points into the text."""
    refused: QueryError | None = None
    parsed: list[Parsed] = []
    try:
        parsed = parse(text)
    except QueryError as error:
        refused = error
    assert refused is None or 0 <= getattr(refused, "position", -1) <= len(text) + 1
    return parsed


WORDS = re.compile(r"'[^']*'|\w+|\S")


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_a_damaged_statement_is_an_error_at_a_place_or_a_statement_that_renders(data: st.DataObject) -> None:
    words = WORDS.findall(data.draw(st.sampled_from(STATEMENTS)))
    other = WORDS.findall(data.draw(st.sampled_from(STATEMENTS)))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, max(len(words) - 1, 0)))
        match data.draw(st.sampled_from(["delete", "double", "insert", "cut"])):
            case "delete":
                del words[at : at + 1]
            case "double":
                words[at:at] = words[at : at + 1]
            case "insert":
                words.insert(at, data.draw(st.sampled_from(other)))
            case "cut":
                words = words[:at]
    text = " ".join(words)
    for one in parsed_or_refused(text):
        assert parse_one(render(one.statement)).statement == one.statement


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.sampled_from("select()[],;'\"$-+*/: \nfromü\0=>as of list map"), max_size=80))
def test_no_text_does_more_than_raise_an_error_of_ours(text: str) -> None:
    parsed_or_refused(text)
