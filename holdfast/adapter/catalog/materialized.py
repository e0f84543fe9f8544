"""The options of a materialized view: when it is brought up to date, and which columns must have no nulls."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.adapter.catalog.errors import InvalidParameter
from holdfast.adapter.catalog.objects import Column, Refresh
from holdfast.plan.errors import DataError
from holdfast.plan.text import read_of
from holdfast.plan.types import INTERVAL, TIMESTAMPTZ, Interval
from holdfast.sql.errors import DuplicateColumn, UndefinedColumn
from holdfast.sql.syntax.expression import StringLiteral
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import Option, OptionValue, Phrase

ASSERT_NOT_NULL = "ASSERT NOT NULL"
REFRESH = "REFRESH"
ON_COMMIT = "ON COMMIT"
AT_CREATION = "AT CREATION"


def refresh_of(options: Sequence[Option]) -> tuple[Refresh, ...]:
    """The strategies, none for ON COMMIT. Times in them are texts, which mean the same to everyone."""
    found = [(option, option.value) for option in options if option.name == REFRESH]
    commits = [option for option, value in found if isinstance(value, Phrase) and value.words == ON_COMMIT]
    if commits and len(found) > 1:
        raise InvalidParameter("REFRESH ON COMMIT cannot be combined with other REFRESH options", commits[0].location)
    return tuple(_strategy(option, value) for option, value in found if option not in commits)


def _strategy(option: Option, value: OptionValue | None) -> Refresh:
    match value:
        case Phrase(words="AT CREATION"):
            return Refresh("at-creation")
        case Phrase(words="AT", arguments=(time,)):
            return Refresh("at", _time(time, option.location))
        case Phrase(words="EVERY", arguments=(interval, aligned)):
            return Refresh("every", _time(aligned, option.location), _interval(interval, option.location))
        case Phrase(words="EVERY"):
            raise InvalidParameter("REFRESH EVERY needs a time that it is aligned to", option.location)
    raise InvalidParameter("invalid REFRESH strategy", option.location)


def _time(value: OptionValue, location: int) -> int:
    if not isinstance(value, StringLiteral):
        raise InvalidParameter("REFRESH needs a time that is known when the view is made", location)
    try:
        found = read_of(TIMESTAMPTZ)(value.value)
    except DataError as error:
        raise InvalidParameter(f"invalid time of REFRESH: {error}", location) from error
    assert isinstance(found, int)  # what the text of a timestamp is read as
    return found // 1000


def _interval(value: OptionValue, location: int) -> int:
    assert isinstance(value, StringLiteral)  # what the grammar has here
    try:
        found = read_of(INTERVAL)(value.value)
    except DataError as error:
        raise InvalidParameter(f"invalid REFRESH interval: {error}", location) from error
    assert isinstance(found, Interval)  # what the text of an interval is read as
    if found.months:
        raise InvalidParameter("REFRESH interval must not involve units larger than days", location)
    milliseconds = (found.days * 86_400_000_000 + found.micros) // 1000
    if milliseconds <= 0:
        raise InvalidParameter("REFRESH interval must be positive", location)
    return milliseconds


def asserted(options: Sequence[Option], columns: Sequence[Column]) -> tuple[int, ...]:
    """The columns of ASSERT NOT NULL, by position, in their order."""
    names = [column.name for column in columns]
    found: set[int] = set()
    for option in options:
        if option.name != ASSERT_NOT_NULL:
            continue
        if not isinstance(option.value, ObjectName) or len(option.value.parts) != 1:
            raise InvalidParameter("ASSERT NOT NULL needs the name of a column", option.location)
        (name,) = option.value.parts
        if name not in names:
            raise UndefinedColumn(f'column "{name}" in ASSERT NOT NULL option not found', option.location)
        if names.index(name) in found:
            raise DuplicateColumn(f'duplicate column "{name}" in non-null assertions', option.location)
        found.add(names.index(name))
    return tuple(sorted(found))
