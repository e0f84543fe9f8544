"""Progress: how much of the jobs that a thread runs with a tag is done.

Only what Spark tells everyone is used. It knows of recent jobs, and of each how many tasks of its stages are done; how
many jobs are to come it does not know.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pyspark import StatusTracker
from pyspark.sql import SparkSession

from holdfast.spark.errors import spark_errors
from holdfast.spark.session import SparkSettings

_SUCCEEDED = "SUCCEEDED"


class Progress:
    """Of one tag. It is asked from any thread, and knows something once the jobs are run in the block of `watched`."""

    def __init__(self, session: SparkSession, settings: SparkSettings, tag: str) -> None:
        self._session, self._settings, self._tag = session, settings, tag
        self._operations: dict[str | None, float] = {}

    def shares(self) -> Sequence[float]:
        """For each job that is known, how much of it is done: 1 if all is."""
        if self._settings.is_connect:
            return tuple(self._operations.values())
        with spark_errors():
            tracker = self._session.sparkContext.statusTracker()
            return [_share(tracker, job) for job in tracker.getJobIdsForGroup(self._tag)]

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Know of what this thread runs in the block. Spark Connect tells only while it runs, and only this thread."""
        if not self._settings.is_connect:
            yield
            return
        thread = threading.get_ident()

        def told(stages: Iterable[Any] | None, operation_id: str | None, done: bool, **_: object) -> None:
            if threading.get_ident() == thread:
                tasks = [(stage.num_completed_tasks, stage.num_tasks) for stage in stages or ()]
                self._operations = self._operations | {operation_id: 1.0 if done else _part(tasks)}

        # It is called with names for what it is given, as Spark documents, and need not be of its class.
        self._session.registerProgressHandler(told)  # type: ignore[arg-type]
        try:
            yield
        finally:
            self._session.removeProgressHandler(told)  # type: ignore[arg-type]


def _share(tracker: StatusTracker, job: int) -> float:
    known = tracker.getJobInfo(job)
    if known is None or known.status == _SUCCEEDED:
        # What is not known any more has ended before all that is.
        return 1.0
    stages = [tracker.getStageInfo(stage) for stage in known.stageIds]
    return _part([(stage.numCompletedTasks, stage.numTasks) for stage in stages if stage is not None])


def _part(tasks: Sequence[tuple[int, int]]) -> float:
    """How much of the tasks is done, of which each pair says how many are, and how many there are."""
    return sum(done for done, _ in tasks) / max(sum(number for _, number in tasks), 1)
