"""Tables of Arrow's as DataFrames."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession


def frame_of(spark: SparkSession, table: pa.Table, schema: str) -> DataFrame:
    """PySpark fails where a column of times, or of values within others, has no chunks, as one without rows may."""
    return spark.createDataFrame(table if table.num_rows else table.schema.empty_table(), schema)
