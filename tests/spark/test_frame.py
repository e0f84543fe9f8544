from __future__ import annotations

import pyarrow as pa
from pyspark.sql import SparkSession

from holdfast.spark.frame import frame_of

SCHEMA = "a ARRAY<INT>, t TIMESTAMP_NTZ, n INT"


def table(rows: int) -> pa.Table:
    """Its columns have no chunks if it has no rows."""
    types = {"a": pa.list_(pa.int32()), "t": pa.timestamp("us"), "n": pa.int32()}
    return pa.table(
        {name: pa.chunked_array([pa.nulls(rows, type_)] * bool(rows), type_) for name, type_ in types.items()}
    )


def test_a_table_is_a_frame_also_without_chunks(spark: SparkSession) -> None:
    for rows in (0, 2):
        frame = frame_of(spark, table(rows), SCHEMA)
        assert frame.columns == ["a", "t", "n"]
        assert frame.count() == rows
