"""A view and its states made from scratch by Spark, one collection after another.

Each is computed once, by one job. Its rows come here if they are few, and what is made of such alone is made in this
process: a job of Spark's takes longer to begin. All else is written by the executors, and read back by what is made of
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import expr

from holdfast.compute.delta import state_input
from holdfast.compute.evaluate import evaluate
from holdfast.compute.evaluate.budget import TooManyRows
from holdfast.compute.render import SparkQuery, render
from holdfast.compute.run import running
from holdfast.persist import WriteHandle
from holdfast.persist.encoding import Stage
from holdfast.persist.spark.scan import staged_rows
from holdfast.persist.spark.schema import quoted, spark_type
from holdfast.persist.spark.stage import from_spark, gathered, with_updates
from holdfast.persist.write import Staged
from holdfast.plan.errors import NullValueNotAllowed
from holdfast.plan.relation import Get, Plan, Relation
from holdfast.plan.rewrite.reduce_joins import reduce_joins
from holdfast.plan.rewrite.spread_semi_joins import spread_semi_joins
from holdfast.plan.types import Type
from holdfast.repr.consolidate import consolidate
from holdfast.repr.frontier import Timestamp
from holdfast.repr.row import DIFF, TIME, RowType
from holdfast.repr.update import UpdateBatch

FEW = 20_000
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
    works: Sequence[Work], inputs: Mapping[str, DataFrame], few: frozenset[str], at: Timestamp, spark: SparkSession
) -> dict[str, Staged | UpdateBatch | None]:
    """What is to be appended to each collection. A work reads `inputs`, and states that come before it.

    `few` are the inputs that are known to have few rows.
    """
    read = frozenset(name for work in works for name in work.query.inputs)
    with ExitStack() as stack:
        hydrating = _Hydrating(spark, inputs, few, at, stack)
        found = {work.name: hydrating.made(work, is_read=state_input(work.name) in read) for work in works}
    return {name: updates if _is_some(updates) else None for name, updates in found.items()}


class _Hydrating:
    """`frames` are what works may read, `few` those with few rows, and `tables` the ones among these that are here."""

    def __init__(
        self,
        spark: SparkSession,
        inputs: Mapping[str, DataFrame],
        few: frozenset[str],
        at: Timestamp,
        stack: ExitStack,
    ) -> None:
        self._spark, self._at, self._stack, self._few = spark, at, stack, few
        self._frames, self._tables = dict(inputs), dict[str, pa.Table]()

    def made(self, work: Work, *, is_read: bool) -> Staged | UpdateBatch:
        old = None if work.old is None else _gathered(work.old)
        if work.old is not None and old is None:
            return self._replaced(work, work.old, is_read=is_read)
        table = self._evaluated(work)
        if table is None:
            made = gathered(self._rows(work), work.handle, work.stage, self._at, FEW)
        else:
            made = _at(work.handle.row_type, table.columns, self._at, np.ones(table.num_rows, np.int64))
        _check(work, made)
        if is_read:
            self._keep(work, made)
        return self._without(work, made, old)

    def _evaluated(self, work: Work) -> pa.Table | None:
        """The rows, if they are made of gathered ones alone, and joins of these are not too many for this process."""
        if work.counts or not self._tables.keys() >= set(work.query.inputs):
            return None
        with suppress(TooManyRows):
            return evaluate(work.plan, {each: self._tables[each] for each in work.query.inputs}, (), _MOST)
        return None

    def _rows(self, work: Work) -> DataFrame:
        relation = spread_semi_joins(reduce_joins(work.plan.relation, self._is_small), self._is_small)
        query = work.query if relation is work.plan.relation else render(replace(work.plan, relation=relation))
        frame = self._stack.enter_context(running(self._spark, query, self._frames, ()))
        schema = work.handle.row_type.schema
        columns = [f"CAST(c{index} AS {spark_type(field.type)}) AS c{index}" for index, field in enumerate(schema)]
        return frame.selectExpr(*columns, *([f"CAST(c{len(columns)} AS BIGINT) AS {DIFF}"] if work.counts else []))

    def _is_small(self, relation: Relation) -> bool:
        return isinstance(relation, Get) and (relation.name in self._tables or relation.name in self._few)

    def _keep(self, work: Work, made: Staged | UpdateBatch) -> None:
        """Others read the rows that were made. None of them was counted: each update is a row."""
        name = state_input(work.name)
        if isinstance(made, Staged):
            self._frames[name] = staged_rows(self._spark, work.handle, made)
        else:
            self._tables[name] = made.table.select(range(len(work.types)))
            self._frames[name] = self._spark.createDataFrame(_named(self._tables[name]), _schema(made.row_type))

    def _without(self, work: Work, made: Staged | UpdateBatch, old: pa.Table | None) -> Staged | UpdateBatch:
        """What was made, and that the old rows are gone."""
        row_type = work.handle.row_type
        gone = UpdateBatch.empty(row_type)
        if old is not None:
            timed = old.append_column(TIME, pa.array(np.full(old.num_rows, self._at, np.int64)))
            there = from_spark(row_type, timed).table
            gone = _at(row_type, there.columns[: len(row_type.names)], self._at, -np.asarray(there[DIFF]))
        if isinstance(made, Staged):
            return with_updates(made, gone, work.handle, work.stage)
        return consolidate(UpdateBatch.concat(row_type, [made, gone]))

    def _replaced(self, work: Work, old: DataFrame, *, is_read: bool) -> Staged | UpdateBatch:
        """The difference to many old rows, which Spark finds."""
        rows = self._rows(work)
        if is_read:
            rows = rows.persist()
            self._stack.callback(rows.unpersist)
            self._frames[state_input(work.name)] = rows
        counted = rows if work.counts else rows.withColumn(DIFF, expr("1L"))
        difference = _difference(counted, old, work.handle.row_type)
        made = gathered(difference, work.handle, work.stage, self._at, FEW)
        _check(work, made)
        return made


def _check(work: Work, made: Staged | UpdateBatch) -> None:
    """Refuse nulls where the view says that there are none."""
    for position, column in work.asserts.items():
        if isinstance(made, UpdateBatch):
            nulls = made.table.column(position).null_count
        else:
            nulls = sum(part.stats[position][1].nulls for part in made.parts)
        if nulls:
            raise NullValueNotAllowed(f'column "{column}" must not be null')


def _gathered(rows: DataFrame) -> pa.Table | None:
    """All rows, if they are few."""
    found = rows.limit(FEW + 1).toArrow()
    return found if found.num_rows <= FEW else None


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
