from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest

from holdfast.plan.order import nullable_key, same, sort_key
from holdfast.plan.text import read_of
from holdfast.plan.types import (
    FLOAT8,
    INT4,
    INT4RANGE,
    INTERVAL,
    JSONB,
    NUMRANGE,
    TEXT,
    Array,
    Interval,
    Type,
    array_of,
    list_of,
    map_of,
    record_of,
)

# Ascending, as PostgreSQL sorted them.

PAIR = record_of(("a", "b"), (INT4, INT4))
GRID = Array("_int4", INT4, 2)

ASCENDING: list[tuple[Type, Sequence[object]]] = [
    (FLOAT8, [-math.inf, -1.0, 0.0, 1.0, math.inf, math.nan]),
    (TEXT, ["", "B", "a", "ab", "é", "\U0001f600"]),
    (array_of(INT4), [(), (1,), (1, 2), (1, 2, 3), (1, None), (2,), (None,)]),
    (GRID, [(), ((1, 2),), ((1,), (2,)), ((1, 2), (3, 4)), ((2, 1),)]),
    (PAIR, [(0, 9), (1, 1), (1, 2), (1, None), (None, 1)]),
    (INTERVAL, [Interval(0, 0, 5), Interval(0, 31, 0), Interval(1, 0, 0), Interval(1, 0, 1)]),
    (list_of(list_of(INT4)), [(), ((),), ((1,),), ((1,), (2,)), ((1, 2),), (None,)]),
    (map_of(INT4), [(), (("a", 1),), (("a", 1), ("b", 1)), (("a", None),), (("b", 0),)]),
]
RANGES = [
    (INT4RANGE, "empty (,1) (,2) (,) [0,5) [1,2) [1,3) [1,)"),
    (NUMRANGE, "empty (,1) (,1] (,) [1,2) [1,2] [1,) (1,2) (1,2]"),
]
JSON = [
    "[]",
    "null",
    '""',
    '"B"',
    '"a"',
    "-2",
    "1",
    "1.5",
    "false",
    "true",
    "[null]",
    '["z"]',
    "[1]",
    "[[]]",
    "[{}]",
    "[0, 0]",
    "{}",
    '{"a": 1}',
    '{"aa": 0}',
    '{"b": 0}',
    '{"a": 1, "b": 2}',
]


def assert_ascending(type_: Type, values: Sequence[object]) -> None:
    shuffled = list(values)
    random.Random(7).shuffle(shuffled)
    assert list(map(repr, sorted(shuffled, key=sort_key(type_)))) == list(map(repr, values))


@pytest.mark.parametrize(("type_", "values"), ASCENDING)
def test_values_are_ordered_as_in_postgres(type_: Type, values: Sequence[object]) -> None:
    assert_ascending(type_, values)


@pytest.mark.parametrize(("type_", "texts"), RANGES)
def test_ranges_are_ordered_by_their_bounds_and_the_empty_one_is_first(type_: Type, texts: str) -> None:
    assert_ascending(type_, [read_of(type_)(text) for text in texts.split()])


def test_json_is_ordered_by_kind_then_size_then_parts() -> None:
    assert_ascending(JSONB, JSON)


def test_zeros_are_the_same_and_so_are_all_nans() -> None:
    assert same(FLOAT8)(0.0, -0.0)
    assert same(FLOAT8)(math.nan, float("nan"))
    assert hash(sort_key(FLOAT8)(0.0)) == hash(sort_key(FLOAT8)(-0.0))
    assert not same(FLOAT8)(math.nan, math.inf)


def test_nulls_inside_of_others_are_the_same() -> None:
    assert same(array_of(INT4))((1, None), (1, None))
    assert same(PAIR)((None, None), (None, None))


def test_arrays_of_other_shapes_are_not_the_same() -> None:
    assert not same(GRID)(((1, 2),), ((1,), (2,)))


def test_null_is_greater_than_all_values() -> None:
    assert sorted([None, 3, 1], key=nullable_key(INT4)) == [1, 3, None]
