"""Spark in the background: started beside the server, watched, and started again when it dies.

Whoever needs Spark waits for it here; nobody else does. A job is one call in a thread. If whoever waits for it is
cancelled, so are the jobs of Spark's that it runs, and the wait ends when they have.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, TypeAlias, TypeVar

from pyspark.sql import SparkSession

from holdfast.errors import HoldfastError
from holdfast.plan.errors import DataError
from holdfast.spark import SparkSettings, SparkUnavailable, spark_errors
from holdfast.spark.progress import Progress
from holdfast.spark.session import forget_java
from holdfast.spark.shared import abandon, acquire, has_ended, is_alive, release
from holdfast.spark.tags import interrupt, tagged

log = logging.getLogger(__name__)

Result = TypeVar("Result")

_STOPPING = "the server is stopping"
_INTERRUPT_SECONDS = 0.1
_PROGRESS_SECONDS = 0.25

Phase: TypeAlias = Literal["idle", "starting", "up", "down", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class RuntimeState:
    """`idle`: nobody has asked for it yet. `down`: it died, and is being started again.

    `failed`: it did not start, again and again, for the `reason`.

    `since` is in seconds since 1970.
    """

    phase: Phase
    since: float
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RuntimeSettings:
    """`jobs` run at a time; more wait. The rest is in seconds.

    Spark is looked after every `probe`, and one that does not answer within `patience` is ended. `attempts` to start
    it follow one another after a `pause`; then those who wait are told, and it is tried once more after each `retry`.
    At the end it has `farewell` to stop.
    """

    jobs: int = 16
    probe: float = 2.0
    patience: float = 60.0
    attempts: int = 3
    pause: float = 1.0
    retry: float = 60.0
    farewell: float = 20.0


@dataclass(slots=True)
class RuntimeCounts:
    """What has happened since the runtime was made."""

    starts: int = 0
    deaths: int = 0
    jobs: int = 0
    failed: int = 0
    cancelled: int = 0
    seconds: float = 0.0


class SparkRuntime:
    """Begun by `start` or by the first who needs it, ended by `stop`, both in the event loop that uses it."""

    def __init__(self, spark: SparkSettings, settings: RuntimeSettings | None = None) -> None:
        self.spark, self.settings, self.counts = spark, settings or RuntimeSettings(), RuntimeCounts()
        self._state = RuntimeState("idle", time.time())
        self._changed = asyncio.Condition()
        self._session: SparkSession | None = None
        self._suspect = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._running: dict[str, tuple[SparkSession, asyncio.Future[Any]]] = {}
        self._slots = asyncio.Semaphore(self.settings.jobs)
        self._threads = ThreadPoolExecutor(self.settings.jobs, thread_name_prefix="holdfast-spark")
        self._names = count(1)

    @property
    def running(self) -> int:
        """How many jobs run now."""
        return len(self._running)

    @property
    def state(self) -> RuntimeState:
        return self._state

    # Starting, watching, stopping

    def start(self) -> None:
        """Begin to start Spark, and return at once."""
        self._state = RuntimeState("starting", time.time())
        self._task = asyncio.create_task(self._supervise(), name="holdfast-spark")

    async def stop(self) -> None:
        """Cancel the jobs and end Spark. While it is still starting, it is left to end by itself as soon as it can."""
        await self._enter("stopped")
        await asyncio.gather(*(self._ended(spark, tag, job) for tag, (spark, job) in self._running.items()))
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        session, self._session = self._session, None
        if session is not None:
            await self._released(session)
        self._threads.shutdown(wait=False)

    async def _released(self, session: SparkSession) -> None:
        releasing = asyncio.create_task(asyncio.to_thread(release, session, self.spark))
        await asyncio.wait([releasing], timeout=self.settings.farewell)
        if not releasing.done():
            log.warning("spark did not stop, its process is ended")
            await asyncio.to_thread(forget_java)
        await releasing

    async def session(self) -> SparkSession:
        """Spark, once it is up. It is started if nobody did."""
        if self._state.phase == "idle":
            self.start()
        if self._session is not None and has_ended(self._session, self.spark):
            self._suspect.set()
        async with self._changed:
            await self._changed.wait_for(self._is_settled)
            if self._session is None:
                raise SparkUnavailable(f"Spark is not available: {self._state.reason or _STOPPING}")
            return self._session

    def _is_settled(self) -> bool:
        """Whether it is known if there is a Spark: one that a job found dead is looked at first."""
        return self._state.phase in ("failed", "stopped") or (self._state.phase == "up" and not self._suspect.is_set())

    async def _supervise(self) -> None:
        while True:
            session = await self._started()
            self._session = session
            self.counts.starts += 1
            self._suspect.clear()
            await self._enter("up")
            reason = await self._watched(session)
            self._session = None
            self.counts.deaths += 1
            log.error("spark is gone, starting it again", extra={"reason": reason})
            await self._enter("down", reason)
            await asyncio.to_thread(abandon, session, self.spark)

    async def _started(self) -> SparkSession:
        for attempt in count(1):
            try:
                return await self._acquired()
            except Exception as error:  # whatever it was, it is tried again
                foreseen = isinstance(error, HoldfastError)
                reason = str(error) if foreseen else f"{type(error).__name__}: {error}"
                extra = {"attempt": attempt, "reason": reason}
                log.warning("spark did not start", extra=extra, exc_info=None if foreseen else error)
                if attempt >= self.settings.attempts:
                    await self._enter("failed", reason)
            await asyncio.sleep(self.settings.pause if attempt < self.settings.attempts else self.settings.retry)
        raise AssertionError("attempts never end")

    async def _acquired(self) -> SparkSession:
        """A session, from a thread of its own: a process that ends meanwhile need not wait for it."""
        loop, done = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

        def work() -> None:
            session = error = None
            try:
                session = acquire(self.spark)
            except Exception as raised:
                error = raised
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(tell, session, error)
                return
            if session is not None:
                release(session, self.spark)

        def tell(session: SparkSession | None, error: Exception | None) -> None:
            if not done.done():
                done.set_result(session) if error is None else done.set_exception(error)
            elif session is not None:
                threading.Thread(target=release, args=(session, self.spark), daemon=True).start()

        threading.Thread(target=work, name="holdfast-spark-start", daemon=True).start()
        session: SparkSession = await done
        return session

    async def _watched(self, session: SparkSession) -> str:
        """Why it is to be started again, once it is."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.settings.probe):
                    await self._suspect.wait()
            try:
                async with asyncio.timeout(self.settings.patience):
                    alive = await asyncio.to_thread(is_alive, session, self.spark)
            except TimeoutError:
                return f"it did not answer for {self.settings.patience:g} seconds"
            if not alive:
                return "its process ended, or its context was stopped"
            self._suspect.clear()
            await self._tell()

    async def _enter(self, phase: Phase, reason: str | None = None) -> None:
        if self._state.phase != "stopped":
            self._state = RuntimeState(phase, time.time(), reason)
        await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    # Jobs

    async def run(
        self,
        job: Callable[[SparkSession], Result],
        *,
        tag: str = "job",
        told: Callable[[Sequence[float]], None] | None = None,
    ) -> Result:
        """What the job returns, which runs in a thread. `tag` is a word without commas: Spark's jobs are named by it.

        `told` is told now and then how much of each of them is done.

        If it raises `SparkUnavailable`, Spark died under it, and the same job may succeed once it is back.
        """
        async with self._slots:
            spark = await self.session()
            return await self._run(spark, job, f"holdfast-{tag}-{next(self._names)}", told)

    async def _run(
        self,
        spark: SparkSession,
        job: Callable[[SparkSession], Result],
        tag: str,
        told: Callable[[Sequence[float]], None] | None,
    ) -> Result:
        given_up, progress = threading.Event(), Progress(spark, self.spark, tag)

        def work() -> Result:
            with spark_errors(), tagged(spark, self.spark, tag), progress.watched():
                if given_up.is_set():
                    raise SparkUnavailable("the job was cancelled")
                return job(spark)

        begun = time.monotonic()
        self.counts.jobs += 1
        future = asyncio.wrap_future(self._threads.submit(work))
        self._running[tag] = (spark, future)
        watching = None if told is None else asyncio.create_task(_watched(progress, told), name="holdfast-progress")
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            self.counts.cancelled += 1
            given_up.set()
            await self._ended(spark, tag, future)
            raise
        except Exception as error:
            self.counts.failed += 1
            if self._state.phase == "stopped":
                raise SparkUnavailable(_STOPPING) from error
            if isinstance(error, SparkUnavailable):
                self._suspect.set()
            elif self._session is not spark and not isinstance(error, DataError):
                # PySpark trips over what is missing of itself, in many ways.
                raise SparkUnavailable("Spark is gone") from error
            raise
        finally:
            del self._running[tag]
            if watching is not None:
                watching.cancel()
            self.counts.seconds += time.monotonic() - begun

    async def _ended(self, spark: SparkSession, tag: str, future: asyncio.Future[Any]) -> None:
        """Interrupt what has the tag until the call has returned: between two jobs of a call there is none to find.

        Not even a second cancellation ends the wait: what the job reads is held only as long as someone waits for it.
        """
        while not future.done():
            with suppress(asyncio.CancelledError):
                await asyncio.to_thread(interrupt, spark, self.spark, tag)
                await asyncio.wait([future], timeout=_INTERRUPT_SECONDS)
        future.exception()  # nobody else asks for it


async def _watched(progress: Progress, told: Callable[[Sequence[float]], None]) -> None:
    """Tell how far jobs are, until nobody wants to know or Spark is gone."""
    while True:
        await asyncio.sleep(_PROGRESS_SECONDS)
        try:
            told(await asyncio.to_thread(progress.shares))
        except HoldfastError:
            return
