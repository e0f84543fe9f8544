"""Keys of rows: what makes them equal, and what puts them in order.

Null equals null here, as in GROUP BY, DISTINCT and PARTITION BY, and comes after all values unless asked otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from holdfast.compute.evaluate.scalars import Evaluate, Row, compiled
from holdfast.plan.order import is_itself, nullable_key, sort_key
from holdfast.plan.relation import OrderKey
from holdfast.plan.types import Type

Key: TypeAlias = Any  # hashable, and ordered as the types of the values are


def equality(types: Sequence[Type]) -> Callable[[Row], Key]:
    """A key of rows with columns of such types: equal for rows that are."""
    if all(map(is_itself, types)):
        return lambda row: row
    return _tuple_of([None if is_itself(type_) else nullable_key(type_) for type_ in types])


def ordering(types: Sequence[Type]) -> Callable[[Row], Key]:
    """A key of rows with columns of such types: ordered by the first, then by the next..."""
    return _tuple_of([nullable_key(type_) for type_ in types])


def _tuple_of(keys: Sequence[Callable[[Any], Key] | None]) -> Callable[[Row], Key]:  # of values of any type
    """The keys of the values of a row. Values for which there is None are their own."""

    def key(row: Row) -> Key:
        return tuple([value if of is None else of(value) for value, of in zip(row, keys, strict=True)])

    return key


def same(value: Any) -> Any:  # a value as `plan/types.py` lists them
    """The one value for all that are equal to this one: PostgreSQL and Spark leave open which of 0.0 and -0.0 it is."""
    if isinstance(value, float):
        return value + 0.0
    # Intervals and ranges, which are tuples with names, hold no floats.
    return tuple(map(same, value)) if type(value) is tuple else value


class Sorter:
    """Sorts rows by an ORDER BY, and those that it leaves equal by `ties`, so that their order is always the same."""

    def __init__(self, order: Sequence[OrderKey], ties: Callable[[Row], Key], parameters: Sequence[object]) -> None:
        self._passes = [_order_pass(key, compiled(key.expression, parameters)) for key in order]
        self._peers = [(compiled(key.expression, parameters), nullable_key(key.expression.type)) for key in order]
        self._ties = ties

    def sort(self, rows: Sequence[Row], *, break_ties: bool = True) -> list[Row]:
        """Without `break_ties`, rows that the ORDER BY leaves equal stay as they were."""
        found = sorted(rows, key=self._ties) if break_ties else list(rows)
        # Python's sort is stable, so the last key is the first to sort by, and each has its own direction.
        for key, descending in reversed(self._passes):
            found.sort(key=key, reverse=descending)
        return found

    def peer_key(self, row: Row) -> Key:
        """Equal for rows that the ORDER BY leaves equal."""
        return tuple([key(evaluate(row)) for evaluate, key in self._peers])


def _order_pass(key: OrderKey, evaluate: Evaluate) -> tuple[Callable[[Row], Key], bool]:
    of_value = sort_key(key.expression.type)
    # In a descending sort everything is turned round, also where nulls go.
    nulls_low = key.nulls_first is not key.descending
    null = (0,) if nulls_low else (2,)

    def pass_key(row: Row) -> Key:
        value = evaluate(row)
        return null if value is None else (1, of_value(value))

    return pass_key, key.descending
