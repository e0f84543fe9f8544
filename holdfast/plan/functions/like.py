"""LIKE and ILIKE.

In a pattern a backslash takes the next character as it is. One at the end has none to take, which PostgreSQL finds out
only if a text matches all that stands before it, and so do we.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from holdfast.plan.errors import InvalidEscapeSequence
from holdfast.plan.functions.function import Family, Function, Types
from holdfast.plan.functions.spark_text import failure, quoted, unquoted
from holdfast.plan.text.strings import length_of, padded
from holdfast.plan.types import BOOL, BPCHAR, BYTEA, NAME, TEXT, Type

_ENDS_WITH_ESCAPE = "LIKE pattern must not end with escape character"
_DANGLING = re.compile(r"(?:[^\\]|\\.)*\\", re.DOTALL)
_LAST_WILD = re.compile(r"((?:[^\\]|\\.)*?)%([%_]*)", re.DOTALL)
_PIECE = re.compile(r"\\(.)|([%_]+)|([^\\%_]+)", re.DOTALL)


def _regex(pattern: str) -> str:
    def piece(match: re.Match[str]) -> str:
        if match[2]:
            count = match[2].count("_")
            return "." * count + (".*" if "%" in match[2] else "")
        return re.escape(match[1] or match[3])

    return _PIECE.sub(piece, pattern)


@lru_cache(maxsize=1024)
def _matcher(pattern: str) -> Callable[[str], object]:
    if _DANGLING.fullmatch(pattern) is None:
        return re.compile(_regex(pattern), re.DOTALL).fullmatch
    # No text matches. One that gets as far as the last escape is an error, if anything is left for it to take.
    before = pattern[:-1]
    wild = _LAST_WILD.fullmatch(before)
    reached = f"{wild[1]}%{'_' * max(wild[2].count('_'), 1)}" if wild else f"{before}_%"
    reaches = re.compile(_regex(reached), re.DOTALL).fullmatch

    def match(text: str) -> None:
        if reaches(text):
            raise InvalidEscapeSequence(_ENDS_WITH_ESCAPE)

    return match


def like(text: str, pattern: str) -> bool:
    return _matcher(pattern)(text) is not None


def _ilike(text: str, pattern: str) -> bool:
    return like(text.lower(), pattern.lower())


def _like_bytes(data: bytes, pattern: bytes) -> bool:
    return like(data.decode("latin-1"), pattern.decode("latin-1"))


def _like_escape(pattern: str, escape: str) -> str:
    """The pattern with a backslash for each escape character, and no escapes where that is empty."""
    if not escape:
        return pattern.replace("\\", "\\\\")
    if len(escape) > 1:
        error = InvalidEscapeSequence("invalid escape string")
        error.hint = "Escape string must be empty or one character."
        raise error
    if escape == "\\":
        return pattern
    found, escaped = [], False
    for character in pattern:
        if character == escape and not escaped:
            found.append("\\")
            escaped = True
        elif character == "\\":
            found.append(character if escaped else "\\\\")
            escaped = False
        else:
            found.append(character)
            escaped = False
    return "".join(found)


# Spark lets a backslash stand only before what has a meaning.
_PLAIN, _KEPT = r"(?s)\\([^%_\\])|(\\.)", "$1$2"
_SPARK_DANGLING = quoted(r"(?s)^([^\\]|\\.)*\\\z")
_SPARK_WILD_BEFORE = quoted(r"(?s)^([^\\]|\\.)*?%[%_]*_[%_]*\\\z")


def _spark_plain(pattern: str) -> str:
    return f"regexp_replace({pattern}, {quoted(_PLAIN)}, {quoted(_KEPT)})"


def _spark_like(text: str, pattern: str) -> str:
    """As `_matcher`: what a text has to match for the escape at the end to be reached is the pattern before it, or that
    and one character more."""
    constant = unquoted(pattern)
    if constant is not None and _DANGLING.fullmatch(constant) is None:
        return f"({text} LIKE {quoted(re.sub(_PLAIN, lambda piece: piece[1] or piece[2], constant))})"
    before = f"left({pattern}, char_length({pattern}) - 1)"
    reached = _spark_plain(f"concat({before}, if({pattern} RLIKE {_SPARK_WILD_BEFORE}, '', '_%'))")
    error = failure(InvalidEscapeSequence, _ENDS_WITH_ESCAPE)
    return (
        f"CASE WHEN {pattern} RLIKE {_SPARK_DANGLING} THEN if({text} LIKE {reached}, {error}, {text} <> {text}) "
        f"ELSE {text} LIKE {_spark_plain(pattern)} END"
    )


def _spark_like_of(text: str, pattern: str, *, fold: bool) -> str:
    if not fold:
        return _spark_like(text, pattern)
    constant = unquoted(pattern)
    return _spark_like(f"lower({text})", f"lower({pattern})" if constant is None else quoted(constant.lower()))


def _overload(name: str, type_: Type, *, infix: bool, fold: bool = False, negated: bool = False) -> Function:
    match: Callable[..., bool] = _ilike if fold else _like_bytes if type_ is BYTEA else like

    def python(types: Types, value: str, pattern: str) -> bool:
        if type_ is BPCHAR:
            value = padded(value, types.arguments[0])
        return match(value, pattern) is not negated

    def spark(arguments: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
        if type_ is BYTEA:
            return None
        text = f"rpad({arguments[0]}, {length_of(types[0]) or 0}, ' ')" if length_of(types[0]) else arguments[0]
        found = _spark_like_of(text, arguments[1], fold=fold)
        return f"(NOT {found})" if negated else found

    second = BYTEA if type_ is BYTEA else TEXT
    return Function(name, (type_, second), BOOL, python, spark, fails=True, typed=True, infix=infix)


_BYTES_OR_TEXT = (TEXT, NAME, BYTEA)

FAMILY = Family(
    "LIKE",
    functions=(
        *(_overload("like", type_, infix=False) for type_ in _BYTES_OR_TEXT),
        *(_overload("notlike", type_, infix=False, negated=True) for type_ in _BYTES_OR_TEXT),
        Function(
            "like_escape",
            (TEXT, TEXT),
            TEXT,
            _like_escape,
            fails=True,
            doc="A LIKE pattern with backslashes for another escape character.",
        ),
        Function(
            "like_escape",
            (BYTEA, BYTEA),
            BYTEA,
            lambda pattern, escape: _like_escape(pattern.decode("latin-1"), escape.decode("latin-1")).encode("latin-1"),
            fails=True,
            doc="A LIKE pattern with backslashes for another escape character.",
        ),
    ),
    operators=(
        *(_overload("~~", type_, infix=True) for type_ in (TEXT, NAME, BPCHAR, BYTEA)),
        *(_overload("!~~", type_, infix=True, negated=True) for type_ in (TEXT, NAME, BPCHAR, BYTEA)),
        *(_overload("~~*", type_, infix=True, fold=True) for type_ in (TEXT, NAME, BPCHAR)),
        *(_overload("!~~*", type_, infix=True, fold=True, negated=True) for type_ in (TEXT, NAME, BPCHAR)),
    ),
)
