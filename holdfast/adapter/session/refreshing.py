"""REFRESH of a materialized view that is made: when it is, as times that mean the same to everyone and for ever."""

from __future__ import annotations

from dataclasses import replace

from holdfast.adapter.catalog.materialized import AT_CREATION, REFRESH
from holdfast.adapter.session.queries import time_of
from holdfast.adapter.session.state import SessionState
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import TIMESTAMPTZ
from holdfast.sql.errors import WrongSyntax
from holdfast.sql.syntax.expression import Expression, StringLiteral
from holdfast.sql.syntax.option import Option, OptionValue, Phrase
from holdfast.sql.syntax.statement.create import CreateMaterializedView

_AT_CREATION = Option(REFRESH, Phrase(AT_CREATION))


async def with_times(state: SessionState, statement: CreateMaterializedView) -> CreateMaterializedView:
    """The statement with texts for the times of its strategies.

    What is aligned to nothing is to the present, so the view is refreshed when it is made.
    """
    options = [
        replace(option, value=await _settled(state, option.value))
        if option.name == REFRESH and isinstance(option.value, Phrase)
        else option
        for option in statement.options
    ]
    if _AT_CREATION not in options and any(map(_is_aligned_to_nothing, statement.options)):
        options.append(_AT_CREATION)
    return replace(statement, options=tuple(options))


def _is_aligned_to_nothing(option: Option) -> bool:
    match option:
        case Option(name="REFRESH", value=Phrase(words="EVERY", arguments=(_,))):
            return True
    return False


async def _settled(state: SessionState, value: Phrase) -> Phrase:
    match value:
        case Phrase(words="AT", arguments=(time,)):
            return replace(value, arguments=(await _text(state, time),))
        case Phrase(words="EVERY", arguments=(interval, aligned)):
            return replace(value, arguments=(interval, await _text(state, aligned)))
        case Phrase(words="EVERY", arguments=(interval,)):
            return replace(value, arguments=(interval, _written(state.shared.ledger.read_ts)))
    return value


async def _text(state: SessionState, value: OptionValue) -> StringLiteral:
    if isinstance(value, StringLiteral):
        return value
    if not isinstance(value, Expression):
        raise WrongSyntax("REFRESH needs a time", value.location)
    return _written(await time_of(state, value))


def _written(milliseconds: int) -> StringLiteral:
    text = write_of(TIMESTAMPTZ)(milliseconds * 1000)
    assert text is not None
    return StringLiteral(text)
