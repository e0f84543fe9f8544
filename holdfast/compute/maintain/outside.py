"""What dataflows need of what is around them, besides collections: time, Spark, and codes of errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from pyspark.sql import SparkSession

from holdfast.plan.errors import DataError
from holdfast.repr.frontier import Timestamp

Result = TypeVar("Result")


class Timeline(Protocol):
    @property
    def read_ts(self) -> Timestamp:
        """The latest time that can be read. It only grows."""

    async def reached(self, time: Timestamp) -> None:
        """Wait until `time` can be read."""


class Runtime(Protocol):
    """Spark, started when it is first needed."""

    async def session(self) -> SparkSession:
        """Spark, once it is up."""

    async def run(
        self,
        job: Callable[[SparkSession], Result],
        *,
        tag: str = "job",
        told: Callable[[Sequence[float]], None] | None = None,
    ) -> Result:
        """What the job returns, which runs in a thread. Spark's jobs of it are named by the `tag`, a word.

        `told` is told now and then how much of each of them is done.
        """


class ErrorCodes(Protocol):
    """By what errors in data are known durably: a code, besides what they say."""

    def code_of(self, error: DataError) -> str: ...

    def error_of(self, code: str, message: str) -> DataError: ...
