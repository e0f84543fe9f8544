from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from holdfast.compute.values import from_values, to_values
from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.types import (
    BOOL,
    BYTEA,
    DATE,
    DATERANGE,
    INT2VECTOR,
    INT4,
    INT4RANGE,
    INTERVAL,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT8,
    Interval,
    RangeValue,
    Type,
    array_of,
    arrow_type,
    list_of,
    map_of,
    numeric,
    record_of,
)

CASES: list[tuple[Type, list[object]]] = [
    (BOOL, [True, False, None]),
    (TEXT, ["", "äöü", None]),
    (BYTEA, [b"\0", None]),
    (UINT8, [2**64 - 1, None]),
    (DATE, [2**31 - 1, -(2**31), None]),
    (TIME, [1, None]),
    (TIMESTAMP, [2**63 - 1, -(2**63), None]),
    (TIMESTAMPTZ, [5, None]),
    (numeric(10, 2), [Decimal("1.50"), None]),
    (INTERVAL, [Interval(1, -2, 3), None]),
    (INT2VECTOR, [(1, 2), None]),
    (array_of(DATE), [(1, None, 2**31 - 1), (), None]),
    (array_of(UINT8), [(2**64 - 1,)]),
    (array_of(array_of(INTERVAL)), [((Interval(1, 2, 3), None), ()), None]),
    (list_of(list_of(TIME)), [((1, None), None), None]),
    (map_of(TIMESTAMP), [(("a", 2**63 - 1), ("b", None)), (), None]),
    (record_of(("a", "a"), (INT4, TIME)), [(1, 2), (None, None), None]),
    (record_of((), ()), [(), None]),
    (INT4RANGE, [RangeValue(1, None, True, False), RangeValue(None, None, False, False, True), None]),
    (DATERANGE, [RangeValue(1, 2**31 - 1, True, False)]),
]


@pytest.mark.parametrize(("type_", "values"), CASES, ids=lambda case: str(case) if isinstance(case, Type) else "")
def test_values_come_back_from_arrow_as_they_were(type_: Type, values: list[object]) -> None:
    column = from_values(values, type_)
    assert column.type == arrow_type(type_)
    assert to_values(column, type_) == values
    assert [type(value) for value in to_values(column, type_)] == [type(value) for value in values]


@pytest.mark.parametrize(("type_", "values"), CASES, ids=lambda case: str(case) if isinstance(case, Type) else "")
def test_a_part_of_a_column_has_its_own_values(type_: Type, values: list[object]) -> None:
    column = from_values([*values, *values], type_)
    assert to_values(column.slice(1), type_) == [*values, *values][1:]
    assert to_values(column.slice(0, 0), type_) == []
    assert to_values(pa.chunked_array([column, column]), type_) == values * 4


def test_the_entries_of_a_map_are_sorted_by_key() -> None:
    column = pa.array([[("b", 1), ("a", 2)]], pa.map_(pa.string(), pa.int32()))
    assert to_values(column, map_of(INT4)) == [(("a", 2), ("b", 1))]


def test_times_of_spark_have_nanoseconds() -> None:
    assert to_values(pa.array([1000], pa.int64()).view(pa.time64("ns")), TIME) == [1]


def test_a_numeric_that_does_not_fit_its_column_is_out_of_range() -> None:
    with pytest.raises(NumericValueOutOfRange):
        from_values([Decimal("123")], numeric(2, 0))
