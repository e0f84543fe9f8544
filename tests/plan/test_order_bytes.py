from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.plan.order import sort_key
from holdfast.plan.order_bytes import order_bytes
from holdfast.plan.types import BYTEA, FLOAT8, INT8, JSONB, NUMERIC, TEXT, Type, array_of
from tests.plan.test_order import ASCENDING, JSON

NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=6) | st.integers().map(Decimal)
VALUES: list[tuple[Type, st.SearchStrategy[object]]] = [
    (INT8, st.integers(-(2**63), 2**63 - 1)),
    (FLOAT8, st.floats()),
    (NUMERIC, NUMBERS),
    (TEXT, st.text(st.characters(exclude_categories=["Cs"]))),
    (BYTEA, st.binary()),
    (array_of(TEXT), st.lists(st.none() | st.text("ab\0", max_size=3), max_size=4).map(tuple)),
]


@pytest.mark.parametrize(("type_", "values"), [*ASCENDING, (JSONB, JSON)])
def test_bytes_have_the_order_of_the_values(type_: Type, values: Sequence[object]) -> None:
    found = list(map(order_bytes(type_), values))
    assert found == sorted(found)
    assert len(set(found)) == len(values)


@given(data=st.data())
@pytest.mark.parametrize(("type_", "values"), VALUES, ids=lambda v: str(v) if isinstance(v, Type) else "")
def test_bytes_compare_as_keys_do(type_: Type, values: st.SearchStrategy[object], data: st.DataObject) -> None:
    one, other = data.draw(values), data.draw(values)
    key, encoded = sort_key(type_), order_bytes(type_)
    assert (encoded(one) < encoded(other)) is (key(one) < key(other))
    assert (encoded(one) == encoded(other)) is (key(one) == key(other))


def test_zeros_and_nans_are_one_each() -> None:
    encoded = order_bytes(FLOAT8)
    assert encoded(0.0) == encoded(-0.0)
    assert encoded(math.nan) == encoded(-math.nan)
