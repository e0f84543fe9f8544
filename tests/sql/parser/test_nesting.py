from __future__ import annotations

import pytest

from holdfast.sql.errors import StatementTooComplex
from holdfast.sql.parser.nesting import MAX_DEPTH, check_nesting
from holdfast.sql.parser.source import Source


def check(text: str) -> None:
    source = Source(text)
    check_nesting(source, 0, len(source.tokens))


@pytest.mark.parametrize(
    "text",
    ["(" * 1_002 + ")" * 1_002, "a" + "+a" * 1_001, "not " * 1_002 + "a", "((" + "a+" * 600 + "a)" + "+a" * 600 + ")"],
    ids=["brackets", "operators", "prefixes", "a chain that begins with a chain"],
)
def test_levels_add_up(text: str) -> None:
    with pytest.raises(StatementTooComplex) as raised:
        check(text)
    assert str(MAX_DEPTH) in str(raised.value.detail)
    assert 0 < raised.value.position <= len(text)


@pytest.mark.parametrize(
    "text",
    ["(a + b), " * 2_000, "a = (b) and " * 2_000, "when (a) then f(b) " * 2_000, "a join b on (c) " * 900],
    ids=["commas", "conditions", "cases", "joins"],
)
def test_what_stands_side_by_side_does_not(text: str) -> None:
    check(text)
