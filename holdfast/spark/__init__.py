"""Where a Spark session and its Java come from, and what its errors become.

No other layer builds a session, looks for Java or catches an exception of Spark's.
"""

from holdfast.spark.errors import SparkJobFailed, SparkReadFailed, SparkUnavailable, spark_errors
from holdfast.spark.java import JavaUnavailable, java_home
from holdfast.spark.session import SparkSettings, start, stop

__all__ = [
    "JavaUnavailable",
    "SparkJobFailed",
    "SparkReadFailed",
    "SparkSettings",
    "SparkUnavailable",
    "java_home",
    "spark_errors",
    "start",
    "stop",
]
