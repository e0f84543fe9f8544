"""Pieces of Spark SQL that the texts of functions are made of."""

from __future__ import annotations

import re

from holdfast.plan.errors import DataError


def quoted(text: str) -> str:
    """A string literal."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_LITERAL = re.compile(r"'((?:[^'\\]|\\[\\'])*)'")


def unquoted(text: str) -> str | None:
    """The string that a literal made by `quoted` stands for, or None for other SQL."""
    literal = _LITERAL.fullmatch(text)
    return None if literal is None else re.sub(r"\\(.)", r"\1", literal[1])


_NUMBER = re.compile(r"\d+|\(-\d+\)")


def number_in(text: str) -> int | None:
    """The number that a literal stands for, or None for other SQL."""
    return int(text.strip("()")) if _NUMBER.fullmatch(text) else None


def failure(error: type[DataError], message: str) -> str:
    """An expression that raises: `compute` makes the error again from what Spark reports."""
    return f"raise_error({quoted(f'{error.__name__}: {message}')})"


def failure_of(error: type[DataError], message_sql: str) -> str:
    """The same with a message that is itself an expression."""
    return f"raise_error(concat({quoted(f'{error.__name__}: ')}, {message_sql}))"
