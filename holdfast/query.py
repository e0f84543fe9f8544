"""`holdfast query`: SQL over files.

Queries over constants and plain reads are answered at once; all else starts Spark. The result is all that stdout gets.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from getpass import getuser
from importlib.metadata import version
from pathlib import Path
from typing import Literal, TypeAlias

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

from holdfast.adapter.known import Known, with_known
from holdfast.adapter.sqlstate import sqlstate
from holdfast.compute.evaluate import can_evaluate, evaluate
from holdfast.compute.evaluate.values import rows_of
from holdfast.compute.render import SparkQuery, render
from holdfast.compute.run import run, stream
from holdfast.errors import HoldfastError
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.printer import show
from holdfast.plan.relation import Get, Plan, Relation, inputs
from holdfast.plan.rewrite import optimize
from holdfast.plan.types import Type, spark_type
from holdfast.result_text import as_csv, as_json, as_table, csv_head
from holdfast.spark import SparkSettings, spark_errors, start, stop
from holdfast.sql import plan_query
from holdfast.sql.catalog import CatalogColumn, CatalogRelation, WithoutFunctions
from holdfast.sql.errors import UndefinedParameter
from holdfast.table_files import TableFile, open_table

Format: TypeAlias = Literal["table", "csv", "json"]
Explain: TypeAlias = Literal["plan", "decorrelated", "optimized", "spark"]

_SCHEMA = "public"
_DATABASE = "holdfast"


def query(sql: str, tables: Mapping[str, Path], shape: Format, explain: Explain | None) -> int:
    """Answer or explain a query; returns the exit status."""
    try:
        files = {name: open_table(path) for name, path in tables.items()}
        planned = plan_query(sql, _Files(files))
        if planned.parameters:
            raise UndefinedParameter("there is no parameter $1")
        for line in _explained(planned.plan, explain) if explain else _answered(planned.plan, files, shape):
            print(line)
    except HoldfastError as error:
        print("\n".join(complaint(error, sql)), file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Who reads has seen enough. What is still in the buffer must not be tried again when Python ends.
        sys.stdout = None
    return 0


def complaint(error: HoldfastError, sql: str) -> Iterator[str]:
    """What stderr says of an error: its code, where it is in the text, and what helps."""
    yield f"ERROR:  {sqlstate(error)}: {error}"
    yield from pointed(sql, getattr(error, "position", 0))
    for title, text in (("DETAIL", error.detail), ("HINT", error.hint)):
        if text:
            yield f"{title}:  {text}"


def pointed(sql: str, position: int) -> Iterator[str]:
    """The line with the character at `position`, which counts from 1, and a caret under it; nothing if it is 0."""
    if position:
        before, after = sql[: position - 1], sql[position - 1 :]
        start = before.rpartition("\n")[2]
        head = f"LINE {before.count(chr(10)) + 1}: "
        # A tab stays one, so that the caret is under its character however wide tabs are.
        margin = "".join("\t" if character == "\t" else " " for character in start)
        yield f"{head}{start}{after.partition(chr(10))[0]}"
        yield f"{' ' * len(head)}{margin}^"


@dataclass(frozen=True, slots=True)
class _Files(WithoutFunctions):
    """The catalog of a query over files."""

    files: Mapping[str, TableFile]

    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:
        *schema, name = parts
        if name not in self.files or tuple(schema) != (_DATABASE, _SCHEMA)[2 - len(schema) :]:
            return None
        file = self.files[name]
        columns = tuple(CatalogColumn(*column) for column in zip(file.names, file.types, strict=True))
        return CatalogRelation(name, name, columns, schema=(_DATABASE, _SCHEMA))

    def type(self, parts: tuple[str, ...]) -> Type | None:  # noqa: ARG002  # the protocol's
        return None


def _optimized(plan: Plan) -> Plan:
    known = Known(time.time_ns() // 1000, getuser(), _DATABASE, f"holdfast {version('holdfast')}")
    return optimize(with_known(decorrelate(plan), known))


def _explained(plan: Plan, explain: Explain) -> Iterator[str]:
    match explain:
        case "plan":
            yield show(plan)
        case "decorrelated":
            yield show(decorrelate(plan))
        case "optimized":
            yield show(_optimized(plan))
        case "spark":
            yield from _spark_texts(render(_optimized(plan)))


def _spark_texts(query: SparkQuery) -> Iterator[str]:
    """The text, after those that are iterated before it."""
    for loop in query.loops:
        for binding in loop.bindings:
            yield f"-- {binding.name}, until nothing changes:"
            yield from _spark_texts(binding.query)
            yield ""
    yield query.text


def _answered(plan: Plan, files: Mapping[str, TableFile], shape: Format) -> Iterator[str]:
    optimized = _optimized(plan)
    types = [column.type for column in optimized.relation.columns[: len(optimized.names)]]
    if can_evaluate(optimized):
        tables = {name: files[name].read() for name in _read_by(optimized.relation)}
        yield from _shown(optimized, types, iter((evaluate(optimized, tables),)), shape)
        return
    text = render(optimized)
    with _spark_inputs({name: files[name] for name in text.inputs}) as (spark, frames):
        if shape == "table":
            pieces = iter((run(spark, text, frames, (), optimized.names),))
        else:
            pieces = stream(spark, text, frames, (), optimized.names)
        yield from _shown(optimized, types, pieces, shape)


def _read_by(relation: Relation) -> set[str]:
    if isinstance(relation, Get):
        return {relation.name}
    return set[str]().union(*(_read_by(part) for part in inputs(relation)))


def _shown(plan: Plan, types: Sequence[Type], pieces: Iterator[pa.Table], shape: Format) -> Iterator[str]:
    rows = (row for piece in pieces for row in rows_of(piece, types))
    match shape:
        case "table":
            yield from as_table(plan.names, types, list(rows))
        case "csv":
            # The head comes only once there is an answer.
            first = next(rows, None)
            yield csv_head(plan.names)
            if first is not None:
                yield from as_csv(types, (row for some in ((first,), rows) for row in some))
        case "json":
            yield from as_json(plan.names, types, rows)


@contextmanager
def _spark_inputs(files: Mapping[str, TableFile]) -> Iterator[tuple[SparkSession, Mapping[str, DataFrame]]]:
    """A Spark that has the files."""
    with tempfile.TemporaryDirectory(prefix="holdfast-query-") as folder:
        paths = {name: _for_spark(file, Path(folder) / f"{i}.parquet") for i, (name, file) in enumerate(files.items())}
        spark = start(SparkSettings())
        try:
            with spark_errors():
                frames = {name: _frame(spark, paths[name], file) for name, file in files.items()}
            yield spark, frames
        finally:
            stop(spark)


def _for_spark(file: TableFile, path: Path) -> Path:
    """The file, or a copy of it that Spark can read with the same types."""
    if file.is_direct:
        return file.path
    table = file.read()
    pyarrow.parquet.write_table(table.rename_columns([f"c{i}" for i in range(table.num_columns)]), path)
    return path


def _frame(spark: SparkSession, path: Path, file: TableFile) -> DataFrame:
    names = file.names if file.is_direct else [f"c{i}" for i in range(len(file.names))]
    columns = (
        f"CAST(`{name.replace('`', '``')}` AS {spark_type(type_)}) AS c{i}"
        for i, (name, type_) in enumerate(zip(names, file.types, strict=True))
    )
    return spark.read.parquet(str(path.absolute())).selectExpr(*columns)
