"""What came to a collection between two frontiers and what went from it, as rows on Spark.

Updates that cancel are in neither. Where the parts say that all their updates add rows, or that all take some away,
none cancel, and this is a plain scan.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from holdfast.persist.prune import NO_RANGES, Range, Ranges
from holdfast.persist.read import ReadHandle
from holdfast.persist.spark.scan import Snapshot, part_errors
from holdfast.persist.spark.schema import quoted
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.row import DIFF


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows, each as often as it came or went. None: there are none."""

    came: DataFrame | None
    gone: DataFrame | None


class Change:
    """What happened to a collection between two frontiers, pinned. Nothing is read before it is asked for."""

    def __init__(self, updates: Snapshot) -> None:
        self._updates, self.columns = updates, updates.columns

    def range_of(self, column: str) -> Range | None:
        """All values of a column that came or went are in it, but for nulls. None: that is not known."""
        return self._updates.range_of(column)

    def difference(self) -> Difference:
        pieces, columns = self._updates.pieces(), self.columns
        if not pieces:
            return Difference(None, None)
        updates = self._updates.scan(pieces)
        least, most = min(piece.part.min_diff for piece in pieces), max(piece.part.max_diff for piece in pieces)
        if least > 0:
            return Difference(repeated(updates, columns, most), None)
        if most < 0:
            return Difference(None, repeated(_negated(updates, columns), columns, -least))
        return split(updates, columns)


@asynccontextmanager
async def changed(
    spark: SparkSession, handle: ReadHandle, lower: Timestamp, upper: Frontier, columns: Sequence[str]
) -> AsyncIterator[Change]:
    """Of the `columns`, of which there is one at least, to be read in the block."""
    with await handle.pin_changes(lower, upper) as pinned, part_errors(pinned):
        yield Change(Snapshot(spark, handle, pinned, columns))


def came(snapshot: Snapshot, ranges: Ranges = NO_RANGES) -> DataFrame:
    """All rows that are known to have come to a collection, whether they are still there or not.

    That and all that have `gone` is enough for whatever is linear, and never dearer than a scan.
    """
    pieces = snapshot.pieces(ranges)
    plain = [piece for piece in pieces if piece.part.inserts_only]
    added = [piece for piece in pieces if piece.part.max_diff > 0 and not piece.part.inserts_only]

    def frame() -> DataFrame:
        found = snapshot.scan(plain).select(*map(quoted, snapshot.columns))
        if not added:
            return found
        return found.unionAll(repeated(snapshot.scan(added).where(f"{DIFF} > 0"), snapshot.columns))

    return snapshot.known("came", [*plain, *added], frame)


def gone(snapshot: Snapshot, ranges: Ranges = NO_RANGES) -> DataFrame:
    """All rows that are known to have gone: some came, and went again."""
    pieces = [piece for piece in snapshot.pieces(ranges) if piece.part.min_diff < 0]

    def frame() -> DataFrame:
        least = min((piece.part.min_diff for piece in pieces), default=-1)
        taken = _negated(snapshot.scan(pieces).where(f"{DIFF} < 0"), snapshot.columns)
        return repeated(taken, snapshot.columns, -least)

    return snapshot.known("gone", pieces, frame)


def split(updates: DataFrame, columns: Sequence[str]) -> Difference:
    """The rows that updates add, and those that they take away, in all."""
    names = [quoted(name) for name in columns]
    summed = updates.groupBy(*names).agg(expr(f"sum({DIFF}) AS {DIFF}"))
    came, gone = summed.where(f"{DIFF} > 0"), _negated(summed.where(f"{DIFF} < 0"), columns)
    return Difference(repeated(came, columns), repeated(gone, columns))


def repeated(counted: DataFrame, columns: Sequence[str], most: int | None = None) -> DataFrame:
    """Each row as often as its diff says, which is at most as often as given."""
    names = [quoted(name) for name in columns]
    if most == 1:
        return counted.select(*names)
    return counted.selectExpr(*names, f"explode(sequence(1L, {DIFF})) AS {DIFF}").select(*names)


def _negated(counted: DataFrame, columns: Sequence[str]) -> DataFrame:
    return counted.selectExpr(*map(quoted, columns), f"-{DIFF} AS {DIFF}")
