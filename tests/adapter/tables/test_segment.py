"""A row of a segment is what its columns hold there, however they are cut."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapter.tables.segment import Segment
from holdfast.plan.types import INT4, TEXT
from holdfast.repr.frontier import Timestamp

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)


@given(st.lists(st.tuples(st.integers(-(2**31), 2**31 - 1), texts | st.none()), min_size=1), st.data())
def test_rows_are_read_where_a_column_is_a_part_of_another(
    held: list[tuple[int, str | None]], data: st.DataObject
) -> None:
    begin = data.draw(st.integers(0, len(held) - 1))
    columns = [
        pa.array([row[index] for row in held], type_)[begin:] for index, type_ in ((0, pa.int32()), (1, pa.string()))
    ]
    segment = Segment(0, columns, len(held) - begin, (INT4, TEXT), Timestamp(3))
    assert [segment.row(position) for position in range(segment.count)] == held[begin:]
