"""Classes of characters."""

from __future__ import annotations

import re
import unicodedata
from sys import maxunicode

import pytest

from holdfast.plan.regex.sets import of_class

SAMPLE = [*range(0x3000), *range(0x3000, maxunicode + 1, 97), 0x323AF]


@pytest.mark.parametrize("name", ["digit", "space", "word"])
def test_a_complement_has_what_the_class_has_not(name: str) -> None:
    for full in (False, True):
        inside, outside = (
            re.compile(f"[{of_class(name, full=full)}]"),
            re.compile(f"[{of_class(f'^{name}', full=full)}]"),
        )
        for code in SAMPLE if full else range(128):
            assert (inside.match(chr(code)) is None) is (outside.match(chr(code)) is not None)


@pytest.mark.parametrize(
    "name", ["alpha", "alnum", "blank", "cntrl", "digit", "lower", "punct", "space", "upper", "word"]
)
def test_a_class_has_the_same_characters_of_ascii_in_both_forms(name: str) -> None:
    ascii_, full = re.compile(f"[{of_class(name, full=False)}]"), re.compile(f"[{of_class(name, full=True)}]")
    assert [code for code in range(128) if ascii_.match(chr(code))] == [
        code for code in range(128) if full.match(chr(code))
    ]


def test_letters_are_letters_all_over_unicode() -> None:
    alpha = re.compile(f"[{of_class('alpha', full=True)}]")
    for code in SAMPLE:
        letter = unicodedata.category(chr(code)) in ("Lu", "Ll", "Lt", "Lm", "Lo", "Nl")
        assert (alpha.match(chr(code)) is not None) is letter
