"""Aggregates row by row are what they are of all rows at once."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Aggregate, Types
from holdfast.plan.functions.registry import AGGREGATES
from holdfast.plan.functions.running import FloatTotal
from holdfast.plan.functions.sums import exact_sum
from holdfast.plan.text import read_of
from holdfast.plan.types import Type
from holdfast.sql.resolve import result_type
from tests.differential.schema import VALUES

OF_TYPES = {type_.base: type_ for type_ in VALUES}


def argument_of(aggregate: Aggregate) -> Type | None:
    """A type of values that there are examples of."""
    if not aggregate.arguments:
        return None
    pattern = aggregate.arguments[0]
    return OF_TYPES.get(pattern.base) if isinstance(pattern, Type) else None


RUNNING = [
    (aggregate, type_)
    for overloads in AGGREGATES.values()
    for aggregate in overloads
    if aggregate.running is not None and (type_ := argument_of(aggregate)) is not None
]


def answer(run: Callable[[], Any]) -> str:
    try:
        return repr(run())
    except DataError as error:
        return f"{type(error).__name__}: {error}"


def test_there_are_some_of_every_kind() -> None:
    assert {aggregate.name for aggregate, _ in RUNNING} >= {"sum", "avg", "min", "max", "bool_or", "bit_and"}


@given(data=st.data())
@pytest.mark.parametrize(("aggregate", "type_"), RUNNING, ids=lambda value: str(value))
def test_each_row_more_gives_the_answer_for_all_so_far(aggregate: Aggregate, type_: Type, data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.sampled_from(VALUES[type_]), max_size=8))
    types = Types((type_,), result_type(aggregate, [type_]))
    assert aggregate.running is not None
    running = aggregate.running(types)
    rows: list[tuple[Any, ...]] = []
    for text in [None, *texts]:
        if text is not None:
            rows.append((read_of(type_)(text),))
            running.add(rows[-1])
        whole = answer(lambda: aggregate.python(*((types,) if aggregate.typed else ()), rows))
        assert answer(running.value) == whole


@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_a_total_of_floats_is_rounded_once(values: list[float]) -> None:
    total = FloatTotal()
    for value in values:
        total = total.plus(value)
    try:
        expected = math.fsum(values)
    except OverflowError:
        return  # in between, which says nothing of the sum
    assert total.rounded() == expected


def test_a_sum_that_overflows_on_the_way_to_infinity_is_infinite() -> None:
    largest = sys.float_info.max
    assert exact_sum([largest, largest, math.inf]) == math.inf
    assert math.isnan(exact_sum([largest, largest, math.inf, -math.inf]))
    assert math.isnan(exact_sum([largest, largest, math.nan]))
    assert exact_sum([largest, largest, -largest]) == largest
