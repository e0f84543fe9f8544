"""The rows that the Spark benchmarks write and read: 5 million, of about 100 bytes."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from holdfast.repr.row import RowType
from holdfast.spark import SparkSettings, start

ROWS = 5_000_000
ROW_TYPE = RowType.of(
    ("id", pa.int64()),
    ("customer", pa.int64()),
    ("amount", pa.float64()),
    ("status", pa.string()),
    ("comment", pa.string()),
)


def session() -> SparkSession:
    return start(SparkSettings(driver_memory="6g"))


def rows(spark: SparkSession, folder: str, count: int = ROWS) -> DataFrame:
    """The rows, kept in a file so that making them is not measured."""
    made = spark.range(count).selectExpr(
        "id",
        "CAST(pmod(xxhash64(id), 100000) AS BIGINT) AS customer",
        "CAST(pmod(xxhash64(id, 1), 1000000) AS DOUBLE) / 100 AS amount",
        "element_at(array('new', 'paid', 'sent', 'done'), CAST(pmod(id, 4) AS INT) + 1) AS status",
        "concat_ws(' ', hex(xxhash64(id, 2)), hex(xxhash64(id, 3)), hex(xxhash64(id, 4)), hex(id)) AS comment",
    )
    made.write.mode("overwrite").parquet(f"{folder}/source")
    return spark.read.schema(made.schema).parquet(f"{folder}/source")
