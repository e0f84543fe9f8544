"""Whether a text that someone types is one that they have finished."""

from __future__ import annotations

from holdfast.sql.errors import SyntaxFailure
from holdfast.sql.parser.source import Source
from holdfast.sql.parser.tokens import SEMICOLON


def is_finished(text: str) -> bool:
    """Whether it ends with a semicolon that is in no quotes and in no comment; what comes after it is blank."""
    try:
        tokens = Source(text).tokens
    except SyntaxFailure as error:
        return not str(error).startswith("unterminated")
    return len(tokens) > 0 and tokens.kinds[len(tokens) - 1] == SEMICOLON
