"""Rows of given types, as a collection has them: columns are named by their positions.

So they can be renamed, and called what persist or Spark would not take: names that differ only in case, `_time`. That a
column is NOT NULL is for those who write to see to.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pyarrow as pa

from holdfast.plan.types import Type, arrow_type
from holdfast.repr.row import RowType


def row_type_of(types: Sequence[Type]) -> RowType:
    return _row_type(tuple(types))


@lru_cache(maxsize=4096)
def _row_type(types: tuple[Type, ...]) -> RowType:
    return RowType(pa.schema([(f"c{index}", arrow_type(type_)) for index, type_ in enumerate(types)]))
