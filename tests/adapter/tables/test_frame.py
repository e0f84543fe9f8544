"""Tables as Spark reads them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pyspark.sql import SparkSession

from holdfast.repr.frontier import Timestamp
from tests.adapter.books import Row, book
from tests.persist.places import in_folder


async def test_spark_reads_a_table_at_a_time_each_row_as_often_as_it_is_there(
    spark: SparkSession, tmp_path: Path
) -> None:
    async with book(in_folder(tmp_path)) as opened:
        await opened.run('CREATE TABLE t (n int8, "N" text)')
        id, tables = opened.id("t"), opened.ledger.tables

        async def rows(as_of: Timestamp) -> Counter[Row]:
            async with tables.frame(spark, id, as_of) as frame:
                assert frame.columns == [f"c{i}" for i in range(len(opened.item("t").columns))]
                return Counter(tuple(row) for row in frame.collect())

        assert await rows(opened.ledger.read_ts) == Counter()
        first = await opened.insert("t", (1, "a"), (2, "b"), (2, "b"))
        second = await opened.delete("t", (2, "b"))
        await opened.let_pass(1_000)
        assert await rows(first) == Counter({(1, "a"): 1, (2, "b"): 2})
        assert await rows(second) == await rows(opened.ledger.read_ts) == Counter({(1, "a"): 1, (2, "b"): 1})
        await opened.run("ALTER TABLE t ADD COLUMN other int8")
        await opened.insert("t", (3, "c", 3))
        assert await rows(opened.ledger.read_ts) == Counter({(1, "a", None): 1, (2, "b", None): 1, (3, "c", 3): 1})
