"""`SELECT set_config(name, value, is_local)`: SET, as clients that only send queries write it.

The function itself returns the value, as any other would. What it sets is found in the query, before it runs, where it
stands in the list of a SELECT without FROM and is called with constants or parameters: there it runs exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.sql.syntax.expression import BooleanLiteral, Call, Cast, Expression, NullLiteral, Parameter, StringLiteral
from holdfast.sql.syntax.query import Query, Select


@dataclass(frozen=True, slots=True)
class SettingChange:
    """`value` is None to set it back to its default; `local` ends with the transaction."""

    name: str
    value: str | None
    local: bool


def setting_values(change: SettingChange) -> tuple[str, ...]:
    """The values as SET would have them: those of a list are written with commas between them."""
    if change.value is None:
        return ()
    if change.name != "search_path":
        return (change.value,)
    return tuple(part.strip().strip('"') for part in change.value.split(","))


def settings_changed(query: Query, values: Sequence[object]) -> list[SettingChange]:
    """What the query sets, in order; `values` are those of its parameters."""
    body = query.body
    if not isinstance(body, Select) or body.from_items or body.where is not None or query.limit is not None:
        return []
    return [change for target in body.targets for change in _changes(target.expression, values)]


def _changes(expression: Expression, values: Sequence[object]) -> Iterator[SettingChange]:
    if isinstance(expression, Cast):
        yield from _changes(expression.operand, values)
    elif isinstance(expression, Call) and expression.name.parts[-1] == "set_config" and len(expression.arguments) == 3:
        parts = [argument for argument in expression.arguments if isinstance(argument, Expression)]
        if all(_is_known(part) for part in parts):
            name, value, local = (_value(part, values) for part in parts)
            if isinstance(name, str) and (value is None or isinstance(value, str)):
                yield SettingChange(name.lower(), value, local is True)


def _is_known(part: Expression) -> bool:
    if isinstance(part, Cast):
        return _is_known(part.operand)
    return isinstance(part, StringLiteral | BooleanLiteral | NullLiteral | Parameter)


def _value(part: Expression, values: Sequence[object]) -> object:
    match part:
        case Cast():
            return _value(part.operand, values)
        case StringLiteral() | BooleanLiteral():
            return part.value
        case Parameter():
            return values[part.number - 1]
    return None
