"""Sets of characters, as the insides of bracket expressions of Python's.

Letters and digits are Unicode's, as in a database of PostgreSQL whose locale is the builtin `PG_UNICODE_FAST`;
punctuation has the symbols too, as POSIX has it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
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
    "graph": _is_graph,
    "lower": str.islower,
    "print": lambda character: _is_graph(character) or unicodedata.category(character) == "Zs",
    "punct": lambda character: unicodedata.category(character)[0] in "PS",
    "upper": str.isupper,
    "word": lambda character: character == "_" or _is_alnum(character),
}
_SAME_IN_PYTHON: Mapping[str, str] = {"digit": "\\d", "space": _SPACE, "xdigit": "0-9a-fA-F", "ascii": "\\x00-\\x7f"}

CLASSES = frozenset(_ASCII)


def escaped(character: str) -> str:
    """A character inside of brackets."""
    return f"\\{character}" if character in "\\]^-[&~|" else character


def ranges(codes: Iterable[int]) -> str:
    """Of code points in order."""
    found: list[list[int]] = []
    for code in codes:
        if found and code == found[-1][1] + 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(
        escaped(chr(low)) if low == high else f"{escaped(chr(low))}-{escaped(chr(high))}" for low, high in found
    )


@lru_cache(maxsize=64)
def of_class(name: str, *, full: bool) -> str:
    """The characters of a class, all of them or those that are ASCII; `^name` are those that are not in it."""
    if name.startswith("^"):
        inside = re.compile(f"[{of_class(name[1:], full=full)}]")
        return ranges(code for code in range(maxunicode + 1 if full else 128) if not inside.match(chr(code)))
    if not full:
        return _ASCII[name]
    if name in _SAME_IN_PYTHON:
        return _SAME_IN_PYTHON[name]
    belongs = _UNICODE[name]
    return ranges(code for code in range(maxunicode + 1) if belongs(chr(code)))


def both_cases(character: str) -> str:
    """The character and its other cases that are one character too."""
    variants = {character, character.lower(), character.upper()}
    return "".join(sorted(variant for variant in variants if len(variant) == 1))
