"""The options of statements, as values."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.adapter.errors import InvalidOption
from holdfast.adapter.session.variables import seconds
from holdfast.plan.errors import DataError
from holdfast.sql.syntax.expression import BooleanLiteral, Column, IntegerLiteral, NumericLiteral, StringLiteral
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import Option, OptionValue


def option(options: Sequence[Option], name: str) -> Option | None:
    found = [each for each in options if each.name == name]
    if len(found) > 1:
        raise InvalidOption(f"{name} specified more than once", found[1].location)
    return found[0] if found else None


def check_known(options: Sequence[Option], *names: str) -> None:
    for each in options:
        if each.name not in names:
            raise InvalidOption(f"unknown option {each.name}", each.location)


def text_of(value: OptionValue | None) -> str | None:
    """A value as text, where it is a literal or a word."""
    match value:
        case StringLiteral():
            return value.value
        case IntegerLiteral():
            return str(value.value)
        case NumericLiteral():
            return value.text
        case BooleanLiteral():
            return "true" if value.value else "false"
        case Column() if len(value.parts) == 1:
            return value.parts[0]
        case ObjectName() if len(value.parts) == 1:
            return value.parts[0]
    return None


def flag(options: Sequence[Option], name: str, *, default: bool) -> bool:
    """An option that is true when it stands alone."""
    found = option(options, name)
    if found is None:
        return default
    if found.value is None:
        return True
    text = (text_of(found.value) or "").lower()
    if text not in ("true", "on", "1", "false", "off", "0"):
        raise InvalidOption(f"invalid {name}: cannot use value as boolean", found.location)
    return text in ("true", "on", "1")


def seconds_of(options: Sequence[Option], name: str) -> float | None:
    """A duration; a number without unit is of seconds."""
    found = option(options, name)
    if found is None:
        return None
    text = text_of(found.value)
    try:
        if text is not None:
            return float(text) if text.replace(".", "", 1).isdigit() else seconds(text)
    except DataError:
        pass
    raise InvalidOption(f"invalid {name}: not an interval", found.location)
