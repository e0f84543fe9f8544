"""Sets of characters, as the insides of bracket expressions of Python's.

Letters and digits are Unicode's, as in a database of PostgreSQL whose locale is the builtin `PG_UNICODE_FAST`;
punctuation has the symbols too, as POSIX has it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby
from sys import maxunicode

_SPACE = " \\t-\\r\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"


def _is_alpha(character: str) -> bool:
    return character.isalpha() or unicodedata.category(character) == "Nl"


def _is_alnum(character: str) -> bool:
    return character.isdecimal() or _is_alpha(character)


def _is_graph(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cn", "Cs", "Zs", "Zl", "Zp")


_ASCII: Mapping[str, str] = {
    "alpha": "a-zA-Z",
    "alnum": "a-zA-Z0-9",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t-\\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
    "ascii": "\\x00-\\x7f",
    "word": "a-zA-Z0-9_",
}
_UNICODE: Mapping[str, Callable[[str], bool]] = {
    "alpha": _is_alpha,
    "alnum": _is_alnum,
    "blank": lambda character: character == "\t" or unicodedata.category(character) == "Zs",
    "cntrl": lambda character: unicodedata.category(character) == "Cc",
    "digit": str.isdecimal,
    "graph": _is_graph,
    "lower": str.islower,
    "print": lambda character: _is_graph(character) or unicodedata.category(character) == "Zs",
    "punct": lambda character: unicodedata.category(character)[0] in "PS",
    "space": lambda character: character.isspace() and character not in "\x1c\x1d\x1e\x1f",
    "upper": str.isupper,
    "word": lambda character: character == "_" or _is_alnum(character),
}
# Those that an escape can complement inside of brackets.
_ASCII_COMPLEMENTS: Mapping[str, str] = {"^digit": "\\D", "^space": "\\x00-\\x08\\x0e-\\x1f!-\\x7f", "^word": "\\W"}
_SAME_IN_PYTHON: Mapping[str, str] = {"digit": "\\d", "space": _SPACE, "xdigit": "0-9a-fA-F", "ascii": "\\x00-\\x7f"}

_LAST_LETTER = 0x323AF
"""Of the third ideographic plane. What follows is shown or not, but is no letter, digit, space or punctuation."""

CLASSES = frozenset(_ASCII)


def escaped(character: str) -> str:
    """A character inside of brackets."""
    return f"\\{character}" if character in "\\]^-[&~|" else character


@lru_cache(maxsize=32)
def _runs(name: str) -> tuple[tuple[int, int], ...]:
    """The first and the last code point of each run of characters of a class."""
    found: list[tuple[int, int]] = []
    code, last = 0, maxunicode if name in ("graph", "print") else _LAST_LETTER
    for belongs, run in groupby(map(_UNICODE[name], map(chr, range(last + 1)))):
        length = sum(1 for _ in run)
        if belongs:
            found.append((code, code + length - 1))
        code += length
    return tuple(found)


def _shown(runs: Iterable[tuple[int, int]]) -> str:
    return "".join(
        escaped(chr(low)) if low == high else f"{escaped(chr(low))}-{escaped(chr(high))}" for low, high in runs
    )


def _complement(runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    after = 0
    for low, high in runs:
        if low > after:
            yield after, low - 1
        after = high + 1
    if after <= maxunicode:
        yield after, maxunicode


@lru_cache(maxsize=64)
def of_class(name: str, *, full: bool) -> str:
    """The characters of a class, all of them or those that are ASCII; `^name` are those that are not in it."""
    if not full:
        return _ASCII_COMPLEMENTS[name] if name.startswith("^") else _ASCII[name]
    if name.startswith("^"):
        return _shown(_complement(_runs(name[1:])))
    return _SAME_IN_PYTHON.get(name) or _shown(_runs(name))


def both_cases(character: str) -> str:
    """The character and its other cases that are one character too."""
    variants = {character, character.lower(), character.upper()}
    return "".join(sorted(variant for variant in variants if len(variant) == 1))
