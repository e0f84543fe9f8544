"""Collections on Spark: read as DataFrames, written from them.

Only these modules of persist know Spark. A DataFrame reads parts that are
named when it is made; the block it is made in keeps those parts from garbage
collection, so use it inside. Staging writes parts on the executors, and one
metadata transaction commits them. Executors read and write the store
themselves: they need to reach it, and to have this package.
"""

from holdfast.persist.spark.merge import SparkMerger
from holdfast.persist.spark.scan import SparkReader
from holdfast.persist.spark.stage import stage

__all__ = ["SparkMerger", "SparkReader", "stage"]
