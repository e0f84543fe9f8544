"""Leaving out parts that cannot hold what is asked for.

A filter is a conjunction of comparisons of columns with values. A part is left out only if its statistics show
that no row of it satisfies all of them; what remains must still be filtered. A row and its retraction have the
same values, so both go or both stay.

Ranges say of whole numbers that a row is asked for only if it has one in them: what a join has to find is known by the
statistics of what it is joined with, before any of it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from holdfast.errors import UsageError
from holdfast.persist.batch import Slice
from holdfast.persist.part import Bound, ColumnStats
from holdfast.persist.stats import physical
from holdfast.repr.row import RowType

Operator = Literal["=", "<", "<=", ">", ">=", "is null", "is not null"]

_COMPARE = {"=": pc.equal, "<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal}


@dataclass(frozen=True, slots=True)
class Range:
    """The whole numbers from `lower` to `upper`, none if it is less."""

    lower: int
    upper: int


Ranges: TypeAlias = Mapping[str, Range]
"""For some columns, the values that are asked for."""

NO_RANGES: Ranges = {}


@dataclass(frozen=True, slots=True)
class Comparison:
    """`column operator value`, true or not: null compares with nothing. NaN is greater than all other numbers."""

    column: str
    operator: Operator
    value: object = None

    def scalar(self, row_type: RowType) -> pa.Scalar:
        """The value, in the column's type."""
        return pa.scalar(self.value, row_type.schema.field(self.column).type)

    def keep(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Which values satisfy the comparison."""
        if self.operator == "is null":
            return pc.is_null(column)
        if self.operator == "is not null":
            return pc.is_valid(column)
        value = pa.scalar(self.value, column.type)
        # Of Arrow, nothing compares with NaN.
        is_less = pa.scalar(self.operator in ("<", "<="))
        result = is_less if _is_nan(value) else _COMPARE[self.operator](column, value)
        if pa.types.is_floating(column.type):
            result = pc.if_else(pc.is_nan(column), pa.scalar(_nan_satisfies(self.operator, value)), result)
        return result.fill_null(False)


def filter_table(table: pa.Table, where: Sequence[Comparison]) -> pa.Table:
    for comparison in where:
        table = table.filter(comparison.keep(table[comparison.column]))
    return table


def prune(slices: Sequence[Slice], row_type: RowType, where: Sequence[Comparison]) -> list[Slice]:
    """The slices that may hold rows satisfying all of `where`."""
    for comparison in where:
        if comparison.column not in row_type.names:
            raise UsageError(f'there is no column "{comparison.column}" to compare')
    return [piece for piece in slices if all(_may_hold(piece, row_type, comparison) for comparison in where)]


def range_of(slices: Sequence[Slice], column: str) -> Range | None:
    """All values of a column, but for nulls, are in it. None: statistics do not say."""
    found = Range(1, 0)
    for piece in slices:
        stats = dict(piece.part.stats).get(column)
        if stats is None or stats.nulls == piece.part.rows:
            continue
        lower, upper = stats.lower, stats.upper
        if not isinstance(lower, int) or not isinstance(upper, int):
            return None
        is_first = found.lower > found.upper
        found = Range(lower, upper) if is_first else Range(min(found.lower, lower), max(found.upper, upper))
    return found


def within(slices: Sequence[Slice], ranges: Ranges) -> list[Slice]:
    """The slices that may hold rows with a value in each of the ranges. A null is in none."""
    return [piece for piece in slices if all(_meets(piece, column, each) for column, each in ranges.items())]


def _meets(piece: Slice, column: str, asked: Range) -> bool:
    known = range_of([piece], column)
    return known is None or (known.lower <= asked.upper and asked.lower <= known.upper and known.lower <= known.upper)


def _may_hold(piece: Slice, row_type: RowType, comparison: Comparison) -> bool:
    stats = dict(piece.part.stats).get(comparison.column)
    if stats is None:  # the part is older than the column: all its values are null
        return comparison.operator == "is null"
    if comparison.operator == "is null":
        return stats.nulls > 0
    if stats.nulls == piece.part.rows:
        return False
    if comparison.operator == "is not null":
        return True
    value = physical(comparison.scalar(row_type))
    return value is not None and _overlaps(stats, comparison.operator, value)


def _overlaps(stats: ColumnStats, operator: Operator, value: Bound) -> bool:
    """Whether a value within the bounds could compare so. Bounds that are not known exclude nothing."""
    if value != value:  # NaN: its order differs from Python's
        return True
    above = stats.lower is not None and _less(value, stats.lower)
    below = stats.upper is not None and _less(stats.upper, value)
    match operator:
        case "=":
            return not above and not below
        case "<":
            return stats.lower is None or _less(stats.lower, value)
        case "<=":
            return not above
        case ">":
            return stats.upper is None or _less(value, stats.upper)
        case _:
            return not below


def _less(left: Bound, right: Bound) -> bool:
    return bool(left < right)  # type: ignore[operator]  # both are bounds of one column, so of one type


def _nan_satisfies(operator: Operator, value: pa.Scalar) -> bool:
    """Whether NaN compares so with `value`: equal to NaN, greater than the rest."""
    if not value.is_valid:
        return False
    return operator in ("=", "<=", ">=") if _is_nan(value) else operator in (">", ">=")


def _is_nan(value: pa.Scalar) -> bool:
    return bool(value.as_py() != value.as_py())
