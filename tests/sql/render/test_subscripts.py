"""Subscripts in a row are those of one array; in parentheses, those of what they were taken of."""

from __future__ import annotations

import pytest

from holdfast.sql.parser import parse_one
from holdfast.sql.render import render


@pytest.mark.parametrize("text", ["a[1 : 2][3]", "(a[1 : 2])[3]", "((a[1])[2 : 3])[4]"])
def test_parentheses_between_subscripts_stay(text: str) -> None:
    assert render(parse_one(f"SELECT {text}").statement) == f"SELECT {text}"
