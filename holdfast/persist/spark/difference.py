"""What came to a collection between two frontiers and what went from it, as rows on Spark.

Updates that cancel are in neither. Where the parts say that all their updates add rows, or that all take some away,
none cancel, and this is a plain scan.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from holdfast.persist.batch import Slice
from holdfast.persist.read import Pinned, ReadHandle
from holdfast.persist.spark.scan import part_errors, scan
from holdfast.persist.spark.schema import quoted
from holdfast.repr.frontier import Frontier, Timestamp
from holdfast.repr.row import DIFF


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows, each as often as it came or went. None: there are none."""

    came: DataFrame | None
    gone: DataFrame | None


@asynccontextmanager
async def difference(
    spark: SparkSession, handle: ReadHandle, lower: Timestamp, upper: Frontier, columns: Sequence[str]
) -> AsyncIterator[Difference]:
    """Of the `columns`, of which there is one at least."""
    with await handle.pin_changes(lower, upper) as pinned, part_errors(pinned):
        yield await asyncio.to_thread(_difference, spark, handle, pinned, columns)


@asynccontextmanager
async def sides(
    spark: SparkSession, handle: ReadHandle, as_of: Timestamp, columns: Sequence[str]
) -> AsyncIterator[tuple[DataFrame, DataFrame]]:
    """The collection at `as_of` as all rows that are known to have come, and all that went: some are in both.

    That is enough for whatever is linear, and never dearer than a scan.
    """
    with await handle.pin_snapshot(as_of) as pinned, part_errors(pinned):
        yield await asyncio.to_thread(_sides, spark, handle, pinned, columns)


def _sides(
    spark: SparkSession, handle: ReadHandle, pinned: Pinned, columns: Sequence[str]
) -> tuple[DataFrame, DataFrame]:
    parts, pieces = handle.parts, pinned.slices

    def scanned(pieces: Sequence[Slice]) -> DataFrame:
        return scan(spark, parts.location, parts.blob, pinned.state, pieces, columns)

    added = [piece for piece in pieces if piece.part.max_diff > 0 and not piece.part.inserts_only]
    taken = [piece for piece in pieces if piece.part.min_diff < 0]
    least = min((piece.part.min_diff for piece in taken), default=-1)
    came = scanned([piece for piece in pieces if piece.part.inserts_only]).select(*map(quoted, columns))
    if added:
        came = came.unionAll(repeated(scanned(added).where(f"{DIFF} > 0"), columns))
    return came, repeated(_negated(scanned(taken).where(f"{DIFF} < 0"), columns), columns, -least)


def _difference(spark: SparkSession, handle: ReadHandle, pinned: Pinned, columns: Sequence[str]) -> Difference:
    pieces: Sequence[Slice] = pinned.slices
    if not pieces:
        return Difference(None, None)
    parts = handle.parts
    updates = scan(spark, parts.location, parts.blob, pinned.state, pieces, columns)
    least, most = min(piece.part.min_diff for piece in pieces), max(piece.part.max_diff for piece in pieces)
    if least > 0:
        return Difference(repeated(updates, columns, most), None)
    if most < 0:
        return Difference(None, repeated(_negated(updates, columns), columns, -least))
    return split(updates, columns)


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
