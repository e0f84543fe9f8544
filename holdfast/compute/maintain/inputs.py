"""What views are made of on Spark: collections at a time, and what changed of them.

Frames of them have all columns, of which those that are read have values. They are made when they are asked for:
perhaps nothing is, or only what is in some ranges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from pyspark.sql import DataFrame

from holdfast.persist.prune import Range, Ranges
from holdfast.persist.spark.difference import Change, Difference, came, gone
from holdfast.persist.spark.scan import Snapshot
from holdfast.persist.spark.schema import quoted, spark_type
from holdfast.repr.row import RowType

Places: TypeAlias = Mapping[int, Range]
"""For some columns, by their places, the values that are asked for: rows with others may be missing."""

EVERYWHERE: Places = {}


class Input:
    """A collection at a time, of which the columns `read` are."""

    def __init__(self, snapshot: Snapshot, read: Sequence[int], row_type: RowType) -> None:
        self._snapshot, self._read, self._row_type = snapshot, read, row_type

    def rows(self, places: Places = EVERYWHERE) -> DataFrame:
        return self._widened(self._snapshot.rows(self._ranges(places)))

    def came(self, places: Places = EVERYWHERE) -> DataFrame:
        """All that came to it, whether it is still there or not."""
        return self._widened(came(self._snapshot, self._ranges(places)))

    def gone(self, places: Places = EVERYWHERE) -> DataFrame:
        return self._widened(gone(self._snapshot, self._ranges(places)))

    def has_none(self, places: Places) -> bool:
        """Whether it is known that there is no such row."""
        return not self._snapshot.pieces(self._ranges(places))

    def _ranges(self, places: Places) -> Ranges:
        names = dict(zip(self._read, self._snapshot.columns, strict=True))
        return {names[place]: each for place, each in places.items()}

    def _widened(self, frame: DataFrame) -> DataFrame:
        return widened(frame, self._read, self._row_type)


class InputChange:
    """What changed of a collection."""

    def __init__(self, change: Change, read: Sequence[int], row_type: RowType) -> None:
        self._change, self._read, self._row_type = change, read, row_type

    def difference(self) -> Difference:
        found = self._change.difference()
        sides = (found.came, found.gone)
        return Difference(*(None if side is None else widened(side, self._read, self._row_type) for side in sides))

    def range_of(self, place: int) -> Range | None:
        """All values of a column that came or went are in it, but for nulls. None: that is not known."""
        return self._change.range_of(self._change.columns[self._read.index(place)])


def widened(frame: DataFrame, read: Sequence[int], row_type: RowType) -> DataFrame:
    """The columns that are `read`, in their places among all."""
    known = dict(zip(read, frame.columns, strict=True))
    return frame.selectExpr(
        *(
            f"{quoted(known[index])} AS c{index}"
            if index in known
            else f"CAST(NULL AS {spark_type(field.type)}) AS c{index}"
            for index, field in enumerate(row_type.schema)
        )
    )
