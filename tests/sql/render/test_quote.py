from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.sql.parser import parse_expression
from holdfast.sql.parser.postgres import enums, scan
from holdfast.sql.render.quote import KEYWORDS, identifier, string
from holdfast.sql.syntax.expression import Column, StringLiteral

_UNRESERVED = 1


def test_the_keywords_are_postgresqls() -> None:
    tokens = [name.lower() for name in enums.Token.DESCRIPTOR.values_by_name]
    candidates = {*tokens, *(name.removesuffix("_p") for name in tokens)}
    kinds = {word: scan(word).tokens[0].keyword_kind for word in candidates if word.isidentifier()}
    assert {word for word, kind in kinds.items() if kind > _UNRESERVED} == KEYWORDS


@given(name=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=15))
def test_any_name_survives(name: str) -> None:
    assert parse_expression(identifier(name)) == Column((name,))


@given(value=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_string_survives(value: str) -> None:
    assert parse_expression(string(value)) == StringLiteral(value)


def test_only_what_needs_quotes_has_them() -> None:
    assert [identifier(name) for name in ("a_1", "name", "A", "1a", "select", "left", "list", "ü")] == [
        "a_1",
        "name",
        '"A"',
        '"1a"',
        '"select"',
        '"left"',
        '"list"',
        '"ü"',
    ]
