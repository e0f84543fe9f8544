"""What the tests of statements share."""

from __future__ import annotations

from holdfast.sql.parser import parse_one
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.statement import Statement


def parsed(text: str) -> Statement:
    return parse_one(text).statement


def name(*parts: str) -> ObjectName:
    return ObjectName(parts)
