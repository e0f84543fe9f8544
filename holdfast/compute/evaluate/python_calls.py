"""Expressions over many rows, in which functions that users wrote are called for all of the rows at once.

Such a function runs in another process, so what it returns is computed first, into columns at the end of the rows, and
the expressions read these. Rows for which a call fails have its error there, raised only if the value is asked for: so
the answer is what it would be row by row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any as Anything

from holdfast.compute.evaluate.python_outcomes import Failure, asked_for, is_of_user, outcomes_of
from holdfast.compute.evaluate.scalars import Row, compiled_all
from holdfast.plan.errors import DataError
from holdfast.plan.free import scalars as scalars_of
from holdfast.plan.functions.function import Any, Function
from holdfast.plan.rebuild import rebuilt
from holdfast.plan.relation import Reduce
from holdfast.plan.scalar import Call, Column, Scalar, children, transform

_ASKED_FOR = Function("asked_for", (Any.ANY,), Any.ANY, asked_for, strict=False, makes_null=True, fails=True)


@lru_cache(maxsize=4096)
def calls_users(scalar: Scalar) -> bool:
    """Whether any part of it is a call of a function that a user wrote."""
    return is_of_user(scalar) or any(map(calls_users, children(scalar)))


def with_calls(
    scalars: Sequence[Scalar], rows: Sequence[Row], width: int, parameters: Sequence[object]
) -> tuple[Sequence[Scalar], Sequence[Row]]:
    """The same expressions without such calls, over rows that are longer by what the calls come to.

    The rows have `width` columns. Those without such calls stay as they are, and so do the rows if there are none.
    """
    if not any(map(calls_users, scalars)):
        return scalars, rows
    while calls := list(dict.fromkeys(call for scalar in scalars for call in _innermost(scalar))):
        columns = [_outcomes(call, rows, parameters) for call in calls]
        rows = [(*row, *added) for row, added in zip(rows, zip(*columns, strict=True), strict=True)]
        places = {call: width + place for place, call in enumerate(calls)}
        scalars = [transform(scalar, partial(_placed, places)) for scalar in scalars]
        width += len(calls)
    return scalars, rows


def reduce_with_calls(
    relation: Reduce, rows: Sequence[Row], parameters: Sequence[object]
) -> tuple[Reduce, Sequence[Row]]:
    """The same of groups and aggregates."""
    own = [scalar for scalar in scalars_of(relation) if calls_users(scalar)]
    if not own:
        return relation, rows
    ready, longer = with_calls(own, rows, len(relation.input.columns), parameters)
    instead = dict(zip(own, ready, strict=True))
    made = rebuilt(relation, lambda below, _: below, lambda scalar: instead.get(scalar, scalar))
    assert isinstance(made, Reduce)
    return made, longer


def _innermost(scalar: Scalar) -> list[Call]:
    """The calls whose arguments have no such calls in them."""
    below = [call for part in children(scalar) for call in _innermost(part)]
    if below or not isinstance(scalar, Call) or not is_of_user(scalar):
        return below
    return [scalar]


def _placed(places: Mapping[Call, int], part: Scalar) -> Scalar:
    if not isinstance(part, Call) or part not in places:
        return part
    return Call(_ASKED_FOR, (Column(places[part], part.type, True),), part.type, True)


def _outcomes(call: Call, rows: Sequence[Row], parameters: Sequence[object]) -> list[Anything]:
    arguments = compiled_all(call.arguments, parameters)
    found: list[Anything] = [None] * len(rows)
    asked: dict[int, Row] = {}
    for place, row in enumerate(rows):
        try:
            asked[place] = arguments(row)
        except DataError as error:
            found[place] = Failure(error)
    for place, outcome in zip(asked, outcomes_of(call, list(asked.values())), strict=True):
        found[place] = outcome
    return found
