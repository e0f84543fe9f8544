"""A row of a segment is what its columns hold there, however they are cut."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.tables.segment import Segment
from holdfast.compute.evaluate.values import from_arrow, to_arrow
from holdfast.repr.frontier import Timestamp
from tests.compute.evaluate.test_values import typed


@settings(max_examples=300, deadline=None)
@given(data=st.data(), nulls=st.booleans())
def test_rows_are_read_where_a_column_is_a_part_of_another(data: st.DataObject, nulls: bool) -> None:
    type_, values = data.draw(typed(depth=1))
    held = data.draw(st.lists(st.none() | values if nulls else values, min_size=1, max_size=20))
    begin = data.draw(st.integers(0, len(held) - 1))
    column = to_arrow(held, type_)[begin:]
    segment = Segment(0, [column], len(column), (type_,), Timestamp(3))
    found = [segment.row(position) for position in range(segment.count)]
    # As they are written: numbers that are equal may have other digits.
    assert list(map(repr, found)) == [repr((value,)) for value in from_arrow(column, type_)]
