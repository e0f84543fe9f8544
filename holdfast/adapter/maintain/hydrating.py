"""A view and its states made from scratch by Spark, one collection after another.

What another collection is made of is computed once, and kept until all are there. Collections of few rows are gathered
here, and what is made of such alone is made in this process: a job of Spark's takes longer to begin. All else is
written by the executors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from holdfast.compute.conform import conformed_table
from holdfast.compute.delta import state_input
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.compute.render import SparkQuery
from holdfast.compute.run import running
from holdfast.persist import WriteHandle
from holdfast.persist.encoding import Stage
from holdfast.persist.spark.schema import quoted, spark_type
from holdfast.persist.spark.stage import from_spark, staged
from holdfast.persist.write import Staged
from holdfast.plan.errors import NullValueNotAllowed
from holdfast.plan.relation import Plan
from holdfast.plan.types import Type
from holdfast.repr.consolidate import consolidate
from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch

_FEW = 20_000
"""Rows of a collection that are gathered."""

_MOST = 1_000_000
"""Rows that a join of gathered ones may come to here."""


@dataclass(frozen=True, slots=True)
class Work:
    """A collection to write: what it is to be, what it was, and which of its columns must not be null.

    `plan` and `query` say the same. If they have a column more than the collection, it says how often a row is there.
    """

    name: str
    plan: Plan
    query: SparkQuery
    types: tuple[Type, ...]
    handle: WriteHandle
    stage: Stage
    old: DataFrame | None
    asserts: Mapping[int, str]

    @property
    def counts(self) -> bool:
        return len(self.plan.names) > len(self.types)


def written(
    works: Sequence[Work], inputs: Mapping[str, DataFrame], at: Timestamp, spark: SparkSession
) -> dict[str, Staged | UpdateBatch | None]:
    """What is to be appended to each collection. A work reads `inputs`, and states that come before it."""
    read = frozenset(name for work in works for name in work.query.inputs)
    with ExitStack() as stack:
        hydrating = _Hydrating(spark, inputs, at, stack)
        found = {work.name: hydrating.made(work, is_read=state_input(work.name) in read) for work in works}
    return {name: updates if _is_some(updates) else None for name, updates in found.items()}


class _Hydrating:
    """`frames` are what works may read; `tables` those of them that were gathered."""

    def __init__(self, spark: SparkSession, inputs: Mapping[str, DataFrame], at: Timestamp, stack: ExitStack) -> None:
        self._spark, self._at, self._stack = spark, at, stack
        self._frames, self._tables = dict(inputs), dict[str, pa.Table]()

    def made(self, work: Work, *, is_read: bool) -> Staged | UpdateBatch:
        old = None if work.old is None else _gathered(work.old)
        is_little = work.old is None or old is not None
        name = state_input(work.name)
        table = self._evaluated(work) if is_little else None
        if table is not None:
            if is_read:
                self._tables[name] = table
                self._frames[name] = self._spark.createDataFrame(_named(table), _schema(work.handle.row_type))
            return self._updates(work, table, old)
        rows = self._rows(work)
        if is_read:
            rows = rows.persist()
            self._stack.callback(rows.unpersist)
            self._frames[name] = rows
            found = _gathered(rows)
            if found is not None:
                self._tables[name] = conformed_table(found, list(work.types), found.column_names)
                if is_little:
                    return self._updates(work, self._tables[name], old)
        return self._staged(work, rows)

    def _evaluated(self, work: Work) -> pa.Table | None:
        """The rows, if they are made of gathered ones alone, and joins of these are not too many for this process."""
        if work.counts or not self._tables.keys() >= set(work.query.inputs):
            return None
        with suppress(TooManyRows):
            return evaluate(work.plan, {each: self._tables[each] for each in work.query.inputs}, (), _MOST)
        return None

    def _updates(self, work: Work, rows: pa.Table, old: pa.Table | None) -> UpdateBatch:
        """The difference between rows that are gathered, which are told apart here."""
        for position, column in work.asserts.items():
            if rows.column(position).null_count:
                raise _null(column)
        row_type = work.handle.row_type
        updates = _at(row_type, rows.columns, self._at, np.ones(rows.num_rows, np.int64))
        if old is not None and old.num_rows:
            timed = old.append_column(TIME, pa.array(np.full(old.num_rows, self._at, np.int64)))
            there = from_spark(row_type, timed).table
            gone = _at(row_type, there.columns[: len(row_type.names)], self._at, -np.asarray(there[DIFF]))
            updates = UpdateBatch.concat(row_type, [updates, gone])
        return consolidate(updates)

    def _rows(self, work: Work) -> DataFrame:
        frame = self._stack.enter_context(running(self._spark, work.query, self._frames, ()))
        schema = work.handle.row_type.schema
        columns = [f"CAST(c{index} AS {spark_type(field.type)}) AS c{index}" for index, field in enumerate(schema)]
        return frame.selectExpr(*columns, *([f"CAST(c{len(columns)} AS BIGINT) AS {DIFF}"] if work.counts else []))

    def _staged(self, work: Work, rows: DataFrame) -> Staged:
        for position, column in work.asserts.items():
            if rows.where(f"c{position} IS NULL").take(1):
                raise _null(column)
        if work.old is not None:
            rows = _difference(
                rows if work.counts else rows.withColumn(DIFF, expr("1L")), work.old, work.handle.row_type
            )
        return staged(rows, work.handle, work.stage, self._at)


def _gathered(rows: DataFrame) -> pa.Table | None:
    """All rows, if they are few."""
    found = rows.limit(_FEW + 1).toArrow()
    return found if found.num_rows <= _FEW else None


def _difference(new: DataFrame, old: DataFrame, row_type: RowType) -> DataFrame:
    """What has to be added to the old rows to get the new ones."""
    columns = [quoted(name) for name in row_type.names]
    both = new.unionAll(old.selectExpr(*columns, f"-{DIFF} AS {DIFF}"))
    return both.groupBy(*columns).agg(expr(f"coalesce(sum({DIFF}), 0L) AS {DIFF}")).where(f"{DIFF} <> 0")


def _at(row_type: RowType, columns: Iterable[pa.ChunkedArray], time: Timestamp, diffs: np.ndarray) -> UpdateBatch:
    times = np.full(len(diffs), time, np.int64)
    arrays = [*columns, pa.array(times), pa.array(diffs)]
    return UpdateBatch(row_type, pa.Table.from_arrays(arrays, names=row_type.updates_schema.names))


def _named(table: pa.Table) -> pa.Table:
    return table.rename_columns([f"c{index}" for index in range(table.num_columns)])


def _schema(row_type: RowType) -> str:
    return ", ".join(f"c{index} {spark_type(field.type)}" for index, field in enumerate(row_type.schema))


def _is_some(updates: Staged | UpdateBatch) -> bool:
    return bool(updates.parts if isinstance(updates, Staged) else updates.rows)


def _null(column: str) -> NullValueNotAllowed:
    return NullValueNotAllowed(f'column "{column}" must not be null')
