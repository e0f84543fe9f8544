"""Values go to Arrow and come back as they were."""

from __future__ import annotations

from decimal import Decimal
from math import inf, nan

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.compute.evaluate.values import from_arrow, rows_of, table_of, to_arrow
from holdfast.plan.errors import NumericValueOutOfRange
from holdfast.plan.types import (
    BOOL,
    BYTEA,
    DATE,
    DATERANGE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT2VECTOR,
    INT4,
    INT8,
    INTERVAL,
    JSONB,
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

GREATEST, LEAST = 2**63 - 1, -(2**63)
SIMPLE: dict[Type, st.SearchStrategy[object]] = {
    BOOL: st.booleans(),
    INT2: st.integers(-(2**15), 2**15 - 1),
    INT4: st.integers(-(2**31), 2**31 - 1),
    INT8: st.integers(LEAST, GREATEST),
    UINT8: st.integers(0, 2**64 - 1),
    FLOAT4: st.floats(width=32, allow_nan=False),
    FLOAT8: st.floats(allow_nan=False),
    numeric(10, 2): st.decimals(-(10**7), 10**7, places=2),
    numeric(38, 0): st.integers(1 - 10**38, 10**38 - 1).map(Decimal),
    TEXT: st.text(),
    JSONB: st.just('{"a": 1}'),
    BYTEA: st.binary(),
    DATE: st.integers(-(2**31), 2**31 - 1),
    TIME: st.integers(0, 86_399_999_999),
    TIMESTAMP: st.integers(LEAST, GREATEST),
    TIMESTAMPTZ: st.integers(LEAST, GREATEST),
    INTERVAL: st.builds(
        Interval,
        st.integers(-(2**31), 2**31 - 1),
        st.integers(-(2**31), 2**31 - 1),
        st.integers(LEAST, GREATEST),
    ),
    INT2VECTOR: st.lists(st.integers(0, 9)).map(tuple),
    DATERANGE: st.builds(
        RangeValue, st.none() | st.integers(0, 9), st.none() | st.integers(10, 20), st.booleans(), st.booleans()
    ),
}

Typed = tuple[Type, st.SearchStrategy[object]]


@st.composite
def typed(draw: st.DrawFn, depth: int = 2) -> Typed:
    """A type and values of it."""
    kind = draw(st.sampled_from(["simple", "array", "list", "map", "record"] if depth else ["simple"]))
    if kind == "simple":
        type_ = draw(st.sampled_from(sorted(SIMPLE, key=str)))
        return type_, SIMPLE[type_]
    inner, values = draw(typed(depth - 1))
    item = st.none() | values
    match kind:
        case "array":
            # An array of arrays is one with two dimensions, whose inner arrays are not null.
            present = values if inner.base.startswith("_") else item
            return array_of(inner), st.lists(present, max_size=3).map(tuple)
        case "list":
            return list_of(inner), st.lists(item, max_size=3).map(tuple)
        case "map":
            pairs = st.dictionaries(st.text(max_size=2), item, max_size=3)
            return map_of(inner), pairs.map(lambda members: tuple(sorted(members.items())))
    other, others = draw(typed(depth - 1))
    return record_of(("a", "a"), (inner, other)), st.tuples(item, st.none() | others)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_values_come_back_from_arrow_as_they_went(data: st.DataObject) -> None:
    type_, strategy = data.draw(typed())
    values = data.draw(st.lists(st.none() | strategy, max_size=5))
    column = to_arrow(values, type_)
    assert column.type == arrow_type(type_)
    column.validate(full=True)
    assert from_arrow(column, type_) == values
    assert from_arrow(column.slice(1, 2), type_) == values[1:3]
    assert from_arrow(pa.chunked_array([column, column.slice(1)]), type_) == values + values[1:]


def test_floats_that_are_no_numbers_come_back_too() -> None:
    assert [str(value) for value in from_arrow(to_arrow([nan, inf, -0.0], FLOAT8), FLOAT8)] == ["nan", "inf", "-0.0"]


def test_a_numeric_is_rounded_half_away_from_zero_to_the_digits_of_its_type() -> None:
    type_ = numeric(3, 1)
    given_values = [Decimal("0.25"), Decimal("-0.25"), Decimal("99.94")]
    assert from_arrow(to_arrow(given_values, type_), type_) == [Decimal("0.3"), Decimal("-0.3"), Decimal("99.9")]
    for large in (Decimal("99.95"), Decimal("1e50")):
        with pytest.raises(NumericValueOutOfRange, match="numeric field overflow"):
            to_arrow([large], type_)


def test_a_table_without_columns_still_has_rows() -> None:
    table = table_of([(), ()], (), ())
    assert table.num_rows == 2
    assert rows_of(table, ()) == [(), ()]


def test_a_map_from_elsewhere_is_sorted_by_key() -> None:
    column = pa.array([[("b", 1), ("a", None)], None], pa.map_(pa.string(), pa.int32()))
    assert from_arrow(column, map_of(INT4)) == [(("a", None), ("b", 1)), None]
