"""Of which rows an expression reads columns: its own, or those of the queries around."""

from __future__ import annotations

from holdfast.plan.free import free_in, free_in_scalar
from holdfast.plan.scalar import Column, Scalar, Subquery, children
from holdfast.sql.lower.block import QUERY


def lowest_level(scalar: Scalar) -> int | None:
    """How many levels out the nearest row is that the expression reads; 0 is its own. None if it reads none."""
    if _reads_own(scalar):
        return 0
    return min((level for level, _ in free_in_scalar(scalar)), default=None)


def _reads_own(scalar: Scalar) -> bool:
    if isinstance(scalar, Column):
        return scalar.index < QUERY
    if isinstance(scalar, Subquery) and any(level == 1 for level, _ in free_in(scalar.relation)):
        return True
    return any(_reads_own(part) for part in children(scalar))


def reads(scalar: Scalar, base: int, level: int = 0) -> bool:
    """Whether the expression reads one of the columns from `base` on of the row `level` out."""
    if level:
        return any(found == level and base <= index < base << 1 for found, index in free_in_scalar(scalar))
    if isinstance(scalar, Column):
        return base <= scalar.index < base << 1
    if isinstance(scalar, Subquery) and any(
        found == 1 and base <= index < base << 1 for found, index in free_in(scalar.relation)
    ):
        return True
    return any(reads(part, base) for part in children(scalar))


def reads_row(scalar: Scalar) -> bool:
    """Whether the expression reads any column of its own row."""
    return _reads_own(scalar)
