"""Where functions of users run for queries that are answered here: in processes that can be ended at any moment.

What a user wrote may never return, or end its process. So it runs in one of its own (`python_worker`), which one call
at a time has to itself, and which is kept for the next one. Work that may have to be broken off is done in a
`stoppable` block: when the block ends, so do the processes that still run for it, in whatever thread. The block may
limit how long each call takes.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock, Timer
from typing import Any

import pyarrow as pa

from holdfast.compute.evaluate.batch import ScalarBatch
from holdfast.compute.evaluate.values import to_arrow
from holdfast.compute.python_worker import READY, packed, receive, send, unpacked
from holdfast.plan.errors import ExternalRoutineError, RoutineTimedOut
from holdfast.plan.types import Type

_KEPT = 4
"""Processes that wait for the next call at most."""

AT_ONCE = 10_000
"""Rows of one call. What was computed for all of them is held twice."""

_COMMAND = (sys.executable, "-m", "holdfast.compute.python_worker")


class ProcessEnded(Exception):
    """It ended before it answered."""


class Process:
    """One process. It answers one call at a time; ended, it answers none."""

    def __init__(self) -> None:
        # A set has the order of hashes, which are to be the same in every process.
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        pipe = subprocess.PIPE
        # What interrupts the server at a terminal is for the server alone.
        self._running = subprocess.Popen(_COMMAND, stdin=pipe, stdout=pipe, env=environment, start_new_session=True)
        self._is_ready = False

    def wait(self) -> None:
        """Until it has begun, which takes it about a second."""
        if not self._is_ready:
            self._is_ready = self._answer() == READY

    def call(self, batch: ScalarBatch, columns: pa.Buffer) -> pa.Array:
        """Values and errors, as the batch returns them, of one that has begun."""
        assert self._running.stdin is not None  # it is a pipe
        try:
            send(self._running.stdin, pickle.dumps(batch), columns)
            return unpacked(self._answer())[1]
        except (OSError, ValueError, IndexError) as error:
            raise ProcessEnded from error

    def _answer(self) -> bytes:
        assert self._running.stdout is not None  # it is a pipe
        try:
            return receive(self._running.stdout)
        except (OSError, EOFError, ValueError) as error:
            raise ProcessEnded from error

    def kill(self) -> None:
        """From any thread: a call that waits for an answer ends."""
        self._running.kill()

    def end(self) -> None:
        self.kill()
        self._running.wait()
        for pipe in (self._running.stdin, self._running.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    # What was written last found nobody who would read it.
                    continue


class Stoppable:
    """The processes that run for one piece of work. Once it is stopped, no more run.

    `limit` is how many seconds each call may take; None: any number.
    """

    def __init__(self, limit: float | None = None) -> None:
        self._lock, self._running, self.stopped = Lock(), set[Process](), False
        self.limit = limit

    def begin(self, process: Process) -> None:
        with self._lock:
            if self.stopped:
                process.kill()
            self._running.add(process)

    def done(self, process: Process) -> None:
        with self._lock:
            self._running.discard(process)

    def stop(self) -> None:
        with self._lock:
            self.stopped = True
            for process in self._running:
                process.kill()


_work: ContextVar[Stoppable | None] = ContextVar("_work", default=None)


@contextmanager
def stoppable(limit: float | None = None) -> Iterator[None]:
    """What runs in this block, also in threads that it starts, is over when it ends, a call after `limit` seconds."""
    work = Stoppable(limit)
    token = _work.set(work)
    try:
        yield
    finally:
        _work.reset(token)
        work.stop()


class _Timer:
    """Ends a process after so many seconds, unless the block has ended before; never, if there is no limit."""

    def __init__(self, process: Process, limit: float | None) -> None:
        self.limit, self.is_over = limit, False
        self._process, self._timer = process, None if limit is None else Timer(limit, self._end)

    def _end(self) -> None:
        self.is_over = True
        self._process.kill()

    def __enter__(self) -> None:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()


class Processes:
    """Processes that wait, and those that are made when none does."""

    def __init__(self) -> None:
        self._lock, self._idle = Lock(), list[Process]()

    def call(self, name: str, batch: ScalarBatch, columns: pa.Buffer) -> pa.Array:
        """What the function of this name answers, which by itself may end the process that it runs in."""
        work = _work.get()
        for _ in range(2):
            # One that waited may have been ended by others meanwhile.
            process = self._taken()
            if work is not None:
                work.begin(process)
            timer = _Timer(process, None if work is None else work.limit)
            try:
                process.wait()
                with timer:
                    found = process.call(batch, columns)
            except ProcessEnded:
                process.end()
                if not timer.is_over and (work is None or not work.stopped):
                    continue
                # It takes a while to begin: the next call finds it ready.
                self._given_back(Process())
                if timer.is_over:
                    raise RoutineTimedOut(f"function {name}: did not return within {timer.limit:g} s") from None
                break
            except BaseException:
                process.end()
                raise
            finally:
                if work is not None:
                    work.done(process)
            self._given_back(process)
            return found
        raise ExternalRoutineError(f"function {name}: the process that it ran in has ended")

    def _taken(self) -> Process:
        with self._lock:
            if self._idle:
                # The one that has waited longest has begun longest ago.
                return self._idle.pop(0)
        return Process()

    def _given_back(self, process: Process) -> None:
        with self._lock:
            if len(self._idle) < _KEPT:
                self._idle.append(process)
                return
        process.end()

    def end(self) -> None:
        """End all that wait."""
        with self._lock:
            idle, self._idle = self._idle, []
        for process in idle:
            process.end()


PROCESSES = Processes()
atexit.register(PROCESSES.end)


def answers(name: str, batch: ScalarBatch, rows: Sequence[tuple[Any, ...]]) -> Iterator[pa.Array]:
    """Values and errors for the rows, each a tuple of arguments, some rows at a time."""
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        columns = [_column(part, place, type_) for place, type_ in enumerate(batch.types.arguments)]
        yield PROCESSES.call(name, batch, packed(columns, len(part)))


def _column(rows: Sequence[tuple[Any, ...]], place: int, type_: Type) -> pa.Array:
    return to_arrow([row[place] for row in rows], type_)
