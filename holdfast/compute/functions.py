"""Python functions in a Spark session: each is registered once, under the name that texts call it by."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.functions import ArrowUDFType, arrow_udf

from holdfast.compute.evaluate.batch import Batch
from holdfast.compute.render.calls import PythonCall

_registered: WeakKeyDictionary[SparkSession, dict[str, Batch]] = WeakKeyDictionary()
_lock = Lock()


def register(session: SparkSession, functions: Iterable[PythonCall]) -> None:
    """Let texts of this session call the functions."""
    with _lock:
        known = _registered.setdefault(session, {})
        for function in functions:
            # A function of a user may have been replaced by another of its name.
            if known.get(function.name) != function.batch:
                session.udf.register(function.name, _as_spark(function))
                known[function.name] = function.batch


def _as_spark(function: PythonCall) -> Any:  # PySpark has no type for what it makes of a function
    batch = function.batch

    def run(*columns: pa.Array) -> pa.Array:
        return batch(*columns)

    with warnings.catch_warnings():
        # PySpark would rather see types at the arguments, but does not find them at `*columns`.
        warnings.simplefilter("ignore", UserWarning)
        made = arrow_udf(run, function.result, ArrowUDFType.SCALAR)
    return made if function.deterministic else made.asNondeterministic()
