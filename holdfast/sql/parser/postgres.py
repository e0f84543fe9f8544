"""PostgreSQL's own parser and scanner, as libpg_query gives them.

The library walks its tree by recursion, so a text goes in only after
`nesting` has bounded how deep it can be. Positions in its errors count
characters from 1; those in its trees and tokens are byte offsets.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from google._upb._message import SetAllowOversizeProtos  # type: ignore[import-untyped] # protobuf has no types
from google.protobuf.message import DecodeError  # type: ignore[import-untyped] # protobuf has no types

from holdfast.sql.errors import StatementTooComplex

Proto = Any  # protobuf's messages have no types that a checker could follow

# Imported by name: the stub that comes with it is not valid Python, and a checker that follows it stops there.
postgast: Any = import_module("postgast")
enums: Any = import_module("postgast.pg_query_pb2")

# Protobuf refuses messages nested deeper than 100, which a sum of 50 terms already is. There is no setting for one
# message, only this one for the process; it lifts the limit to 65535, far above `nesting.MAX_DEPTH`.
SetAllowOversizeProtos(True)


class Refused(Exception):
    """PostgreSQL's scanner or grammar said no. `position` counts characters of the text given to it from 1."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message, self.position = message, position


def parse_tree(text: str) -> Proto:
    """PostgreSQL's raw parse tree of `text`."""
    try:
        return postgast.parse(text)
    except postgast.PgQueryError as error:
        raise Refused(error.message, error.cursorpos) from None
    except DecodeError:
        raise StatementTooComplex(65535) from None


def scan(text: str) -> Proto:
    """PostgreSQL's tokens of `text`, comments among them."""
    try:
        return postgast.scan(text)
    except postgast.PgQueryError as error:
        raise Refused(error.message, error.cursorpos) from None
