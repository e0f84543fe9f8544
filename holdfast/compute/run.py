"""Queries run on Spark.

Views of a session have names that all its threads see, so each run has its own. The text that a query has does not
change by it; what Spark is told has the names of the run in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from holdfast.compute.conform import conformed_table
from holdfast.compute.errors import query_errors
from holdfast.compute.evaluate.keys import Key, equality
from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.compute.functions import register
from holdfast.compute.render.query import Binding, Loop, SparkQuery
from holdfast.compute.render.relations import input_name, quoted
from holdfast.compute.render.scalars import parameter_argument
from holdfast.errors import UsageError
from holdfast.plan.errors import ProgramLimitExceeded
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import Type, spark_type
from holdfast.spark.errors import SparkJobFailed
from holdfast.spark.frame import frame_of

_runs = count()
_NAME = re.compile(r"`(?:[^`]|``)*`")


def run(
    spark: SparkSession,
    query: SparkQuery,
    inputs: Mapping[str, DataFrame],
    parameters: Sequence[object],
    names: Sequence[str],
) -> pa.Table:
    """The result, with the columns named as the user calls them.

    An input has the columns of its collection, in order, whatever their names. `$1` is the first of `parameters`.
    """

    def once() -> pa.Table:
        with running(spark, query, inputs, parameters) as frame:
            return _conformed(query, frame.toArrow(), names)

    try:
        return once()
    except SparkJobFailed as failure:
        if not _can_do_without(spark, failure):
            raise
        return once()


def stream(
    spark: SparkSession,
    query: SparkQuery,
    inputs: Mapping[str, DataFrame],
    parameters: Sequence[object],
    names: Sequence[str],
) -> Iterator[pa.Table]:
    """The same in pieces, for results that may be larger than memory. The pieces come in order."""

    def once() -> Iterator[pa.Table]:
        with running(spark, query, inputs, parameters) as frame:
            for piece in _pieces(frame):
                yield _conformed(query, piece, names)

    try:
        yield from once()
    except SparkJobFailed as failure:
        # A plan fails before there is any row of it.
        if not _can_do_without(spark, failure):
            raise
        yield from once()


_AT_ONCE, _SHARE = 32 << 20, 1 << 20
"""Bytes of a result that are taken at once, about, and those of a task at least."""


def _pieces(frame: DataFrame) -> Iterator[pa.Table]:
    """The rows, all at once if they are not too many.

    To take them task by task is a job for each, one after another, so it is done only where one job shows that it must
    be: its tasks stop where they have more than their share.
    """
    tasks = int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 2)
    share = max(_AT_ONCE // tasks, _SHARE)
    found = frame.mapInArrow(partial(_serialized, most=share), "piece BINARY").toArrow()["piece"]
    if not found.null_count:
        yield from map(_deserialized, found.to_pylist())
        return
    del found
    for (piece,) in frame.mapInArrow(_serialized, "piece BINARY").toLocalIterator():
        yield _deserialized(piece)


def _serialized(batches: Iterable[pa.RecordBatch], most: int | None = None) -> Iterator[pa.RecordBatch]:
    """Batches as bytes. After the `most` bytes there is a null, and no more."""
    size = 0
    for batch in batches:
        if most is not None and size > most:
            yield _piece(None)
            return
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        data = sink.getvalue().to_pybytes()
        size += len(data)
        yield _piece(data)


def _piece(data: bytes | None) -> pa.RecordBatch:
    return pa.record_batch([pa.array([data], pa.binary())], names=["piece"])


def _deserialized(piece: bytes) -> pa.Table:
    return pa.ipc.open_stream(piece).read_all()


_EXCLUDED = "spark.sql.optimizer.excludedRules"
_FAULTY = "org.apache.spark.sql.catalyst.optimizer.RemoveRedundantAliases"
"""Loses columns of a window over a union of one subplan with itself, and Spark refuses what comes out."""


def _can_do_without(spark: SparkSession, failure: SparkJobFailed) -> bool:
    """Whether the query may go better now: without the rule of Spark's whose plan it refused, from here on."""
    if failure.condition != "PLAN_VALIDATION_FAILED_RULE_IN_BATCH":
        return False
    excluded = spark.conf.get(_EXCLUDED, "") or ""
    if _FAULTY in excluded:
        return False
    spark.conf.set(_EXCLUDED, ",".join(filter(None, (excluded, _FAULTY))))
    return True


def _conformed(query: SparkQuery, table: pa.Table, names: Sequence[str]) -> pa.Table:
    return conformed_table(table, [column.type for column in query.columns], list(names))


@contextmanager
def running(
    spark: SparkSession, query: SparkQuery, inputs: Mapping[str, DataFrame], parameters: Sequence[object]
) -> Iterator[DataFrame]:
    """The result while it can be read."""
    with query_errors(), ExitStack() as views:
        session = _Session(spark, views, parameters)
        for name in query.inputs:
            if name not in inputs:
                raise UsageError(f"the query reads {name}, which is not given")
            session.bind(input_name(name), inputs[name])
        yield session.frame(query)


class _Session:
    """One run: its views, which go away with it, and its parameters."""

    def __init__(self, spark: SparkSession, views: ExitStack, parameters: Sequence[object]) -> None:
        self._spark, self._views, self._parameters = spark, views, parameters
        self._number = next(_runs)
        self._bound: dict[str, str] = {}

    def bind(self, name: str, frame: DataFrame) -> None:
        """Let `name` in texts be the frame, also if it was another before."""
        if name not in self._bound:
            view = f"holdfast_{self._number}_{len(self._bound)}"
            self._bound[name] = quoted(view)
            self._views.callback(self._spark.catalog.dropTempView, view)
        columns = [f"c{index}" for index in range(len(frame.columns))]
        frame.toDF(*columns).createOrReplaceTempView(self._bound[name].strip("`"))

    def frame(self, query: SparkQuery) -> DataFrame:
        register(self._spark, query.functions)
        for loop in query.loops:
            self._iterate(loop)
        text = _NAME.sub(lambda found: self._bound.get(found[0], found[0]), query.text)
        return self._spark.sql(text, args={f"p{n}": self._argument(n, type_) for n, type_ in query.parameters})

    def _argument(self, number: int, type_: Type) -> object:
        if number > len(self._parameters):
            raise UsageError(f"there is no parameter ${number}")
        return parameter_argument(self._parameters[number - 1], type_, write_of(type_))

    def _iterate(self, loop: Loop) -> None:
        state = {binding.name: self._rows(binding, None) for binding in loop.bindings}
        rounds = 0
        while loop.limit is None or rounds < loop.limit:
            changed = False
            for binding in loop.bindings:
                rows = self._rows(binding, self.frame(binding.query))
                changed = changed or rows != state[binding.name]
                state[binding.name] = rows
            rounds += 1
            if not changed:
                return
        if loop.error_at_limit:
            raise ProgramLimitExceeded(
                f"Recursive query exceeded the recursion limit {loop.limit}. (Use RETURN AT RECURSION LIMIT to not "
                "error, but return the current state as the final result when reaching the limit.)"
            )

    def _rows(self, binding: Binding, frame: DataFrame | None) -> Counter[Key]:
        """Let the binding be the rows of the frame, or none, and return which these are."""
        types = [column.type for column in binding.query.columns]
        names = [f"c{index}" for index in range(len(types))]
        table = _conformed(binding.query, frame.toArrow(), names) if frame is not None else table_of([], types, names)
        schema = ", ".join(f"{name} {spark_type(type_)}" for name, type_ in zip(names, types, strict=True))
        self.bind(binding.name, frame_of(self._spark, table, schema))
        key = equality(types)
        return Counter(key(row) for row in rows_of(table, types))
