"""The words and numbers that the text of a date, a time or an interval is made of.

Text is cut where PostgreSQL cuts it, in lower case. What a number means is left to whoever reads the tokens: `1999` may
be a year or a time, `04-05` a date or a time with a zone.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    NUMBER = "number"
    """Digits, perhaps with a fraction."""
    DATE = "date"
    """Parts with one separator between them, or a name with punctuation: a date or a time zone."""
    TIME = "time"
    """Digits with colons."""
    WORD = "word"
    SIGNED = "signed"
    """A number with a sign: a displacement from UTC, or a field of an interval."""
    SPECIAL = "special"
    """A word with a sign."""


class Token(NamedTuple):
    kind: Kind
    text: str


MAX_TOKENS = 25
MAX_LENGTH = 128

_TIME = re.compile(r"\d+:[\d:.]*")
_DATE = re.compile(
    r"\d+(?:([-/])(?:\d+(?:\1[\d\-/]*)?|(?!\d)[a-z0-9]*(?:\1[a-z0-9]*)*)|(\.)(?:\d+\.[\d.]*|(?!\d)[a-z0-9.]*))"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d*")
_LETTERS = re.compile(r"[a-z]+")
_NAME = re.compile(r"[a-z0-9+\-/_.:]+")
_SIGNED = re.compile(r"[+-]\s*(\d[\d:.\-]*)")
_SPECIAL = re.compile(r"[+-]\s*([a-z]+)")
_IGNORED = re.compile(r"[!\"#$%&'()*,/:;<=>?@\[\\\]^_`{|}~]")


def tokens_of(text: str, keywords: frozenset[str]) -> list[Token] | None:
    """The tokens, or None for text that cannot be cut. A name runs on into digits unless it is one of `keywords`."""
    text = text.lower()
    found: list[Token] = []
    at, end = 0, len(text)
    if end > MAX_LENGTH or not text.isascii():
        return None
    while at < end:
        first = text[at]
        if first in " \t\n\r\v\f":
            at += 1
            continue
        token = _token_at(text, at, keywords)
        if token is None:
            # Other punctuation only keeps tokens apart.
            if _IGNORED.match(text, at) is None:
                return None
            at += 1
            continue
        kind, shown, at = token
        found.append(Token(kind, shown))
        if len(found) > MAX_TOKENS:
            return None
    return found


def _token_at(text: str, at: int, keywords: frozenset[str]) -> tuple[Kind, str, int] | None:
    if match := _TIME.match(text, at):
        return Kind.TIME, match[0], match.end()
    if match := _DATE.match(text, at):
        return Kind.DATE, match[0], match.end()
    if match := _NUMBER.match(text, at):
        return Kind.NUMBER, match[0], match.end()
    if match := _LETTERS.match(text, at):
        after = text[match.end() : match.end() + 1]
        if after in ("-", "/", ".") or ((after == "+" or after.isdigit()) and match[0] not in keywords):
            name = _NAME.match(text, at)
            if after and name is not None:
                return Kind.DATE, name[0], name.end()
        return Kind.WORD, match[0], match.end()
    if match := _SIGNED.match(text, at):
        return Kind.SIGNED, text[at] + match[1], match.end()
    if match := _SPECIAL.match(text, at):
        return Kind.SPECIAL, text[at] + match[1], match.end()
    return None
