"""LIMIT and OFFSET: how many rows, from which on."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.compute.evaluate.scalars import Row, compiled
from holdfast.plan.errors import InvalidRowCountInLimit, InvalidRowCountInOffset
from holdfast.plan.scalar import Scalar


def bounds(
    limit: Scalar | None, offset: Scalar | None, row: Row, parameters: Sequence[object]
) -> tuple[int, int | None]:
    """How many rows to leave out at first, and how many to keep after them, or None for all.

    Both may be columns of `row`, and null, which is as if they were not there.
    """
    start = None if offset is None else compiled(offset, parameters)(row)
    count = None if limit is None else compiled(limit, parameters)(row)
    if start is not None and start < 0:
        raise InvalidRowCountInOffset("OFFSET must not be negative")
    if count is not None and count < 0:
        raise InvalidRowCountInLimit("LIMIT must not be negative")
    return start or 0, count
