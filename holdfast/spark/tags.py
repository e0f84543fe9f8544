"""Tags: how one thread ends the jobs of another.

A session's own tags would serve both kinds of Spark, but those of a classic one are found only by the thread that set
them. So its context's are used there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pyspark.sql import SparkSession

from holdfast.errors import HoldfastError
from holdfast.spark.errors import spark_errors
from holdfast.spark.session import SparkSettings

_GROUP = "spark.jobGroup.id"


@contextmanager
def tagged(session: SparkSession, settings: SparkSettings, tag: str) -> Iterator[None]:
    """What this thread runs in the block has the tag, a word without commas. It is the job group, too."""
    with spark_errors():
        if settings.is_connect:
            session.addTag(tag)
        else:
            session.sparkContext.addJobTag(tag)
            # Jobs are listed by their group alone.
            session.sparkContext.setLocalProperty(_GROUP, tag)
    try:
        yield
    finally:
        # Where Spark is gone, so is the tag.
        with suppress(HoldfastError), spark_errors():
            if settings.is_connect:
                session.removeTag(tag)
            else:
                session.sparkContext.removeJobTag(tag)
                session.sparkContext.setLocalProperty(_GROUP, None)  # type: ignore[arg-type]  # that removes it


def interrupt(session: SparkSession, settings: SparkSettings, tag: str) -> None:
    """End the jobs that run with the tag. Those that begin afterwards run."""
    with suppress(HoldfastError), spark_errors():
        if settings.is_connect:
            session.interruptTag(tag)
        else:
            session.sparkContext.cancelJobsWithTag(tag)
