"""Clients: threads that run workloads against a server and record what came of it, also while the server dies.

Whoever has no answer to a change does not know whether it happened. Then the process is gone, and another takes its
place with a new connection; the server has as long as it takes to be back.
"""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Condition, Thread
from time import monotonic
from typing import Any, Generic, TypeAlias

import psycopg

from tests.consistency.anomaly import Anomaly
from tests.consistency.history import Operation, Recorder, Status, of_status, save
from tests.consistency.workload import Connection, Value, Workload

Connect: TypeAlias = Callable[[], Connection]
"""Opens a connection whose statements commit by themselves."""

_DID_NOT_HAPPEN = ("0A", "21", "22", "23", "25", "26", "34", "40001", "40P01", "42")
"""Codes and classes of codes with which a server says that a statement had no effect, and never will."""

_BUGS = ("0A", "22", "26", "34", "42", "XX")
"""What no statement of a workload should meet, dying servers or not."""

_RETRY_SECONDS = 0.05
_SHARE_AFTER = 4
"""After the last disturbance, one in so many operations is asked for once more."""


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Something done to the server once so many operations have been answered."""

    after: int
    act: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Run(Generic[Value]):
    """One workload, run. `errors` counts the codes of what failed; a connection that broke has none."""

    workload: Workload[Value]
    history: tuple[Operation[Value], ...]
    errors: Mapping[str, int]

    def count(self, status: Status) -> int:
        return len(of_status(self.history, status))

    def anomalies(self, folder: Path) -> list[Anomaly]:
        """What is wrong with the history, which is kept in the folder if anything is."""
        found = self.workload.check(self.history)
        if found:
            save(self.history, folder / f"{self.workload.name}.jsonl", self.workload.plain)
        return found


@dataclass(slots=True)
class _Progress:
    """How far all clients are, and what went wrong that ends the run."""

    deadline: float
    changed: Condition = field(default_factory=Condition)
    answered: int = 0
    ended: int = 0
    calm: bool = False
    """Whether nothing more is done to the server."""
    failure: BaseException | None = None

    def answer(self) -> None:
        with self.changed:
            self.answered += 1
            self.changed.notify_all()

    def end(self, failure: BaseException | None) -> None:
        with self.changed:
            self.ended += 1
            self.failure = self.failure or failure
            self.changed.notify_all()

    def pause(self, seconds: float) -> None:
        """Until then, or until the run has failed."""
        with self.changed:
            self.changed.wait_for(lambda: self.failure is not None, seconds)

    def wait(self, answered: int, clients: int) -> bool:
        """Until so many operations have been answered. False if they never will be."""
        with self.changed:
            self.changed.wait_for(
                lambda: self.answered >= answered or self.ended == clients or self.failure is not None,
                self.deadline - monotonic(),
            )
            return self.answered >= answered and self.failure is None

    @property
    def over(self) -> bool:
        return self.failure is not None or monotonic() > self.deadline


def run_workloads(
    workloads: Iterable[Workload[Any]],  # each has values of a type of its own
    connect: Connect,
    *,
    clients: int = 2,
    operations: int = 100,
    disturbances: Sequence[Disturbance] = (),
    seed: int = 0,
    seconds: float = 60,
) -> list[Run[Any]]:
    """All workloads at once, each with `clients` that ask for so many `operations` each, and then for what is left.

    They ask for more while there are disturbances to come, and for some after the last. The tables are made first. It
    is an error if all that takes more `seconds`.
    """
    chosen = list(workloads)
    progress = _Progress(monotonic() + seconds)
    with connect() as connection:
        for workload in chosen:
            workload.create(connection)
    recorders: list[Recorder[Any]] = [Recorder() for _ in chosen]
    errors: list[Counter[str]] = [Counter() for _ in chosen]
    made = [
        _Client(workload, recorder, counts, connect, progress, Random(f"{seed} {workload.name} {number}"))
        for workload, recorder, counts in zip(chosen, recorders, errors, strict=True)
        for number in range(clients)
    ]
    threads = [Thread(target=client.work, args=(operations,), daemon=True) for client in made]
    for thread in threads:
        thread.start()
    try:
        for disturbance in sorted(disturbances, key=lambda one: one.after):
            if progress.wait(disturbance.after, len(made)):
                disturbance.act()
    finally:
        progress.calm = True
        for thread, client in zip(threads, made, strict=True):
            thread.join(max(progress.deadline - monotonic(), 0))
            client.cut()
            thread.join()
    if progress.failure is not None:
        raise progress.failure
    for workload, recorder, counts in zip(chosen, recorders, errors, strict=True):
        _Client(workload, recorder, counts, connect, progress, Random(seed)).finish()
    return [Run(*one) for one in zip(chosen, (each.history() for each in recorders), errors, strict=True)]


class _Client(Generic[Value]):
    """One after another it asks, as one process until it loses an answer."""

    def __init__(
        self,
        workload: Workload[Value],
        recorder: Recorder[Value],
        errors: Counter[str],
        connect: Connect,
        progress: _Progress,
        random: Random,
    ) -> None:
        self._workload, self._recorder, self._errors = workload, recorder, errors
        self._connect, self._progress, self._random = connect, progress, random
        self._connection: Connection | None = None
        self._process = recorder.process()

    def work(self, operations: int) -> None:
        """What a thread does. What goes wrong is for the one that waits for all threads."""
        failure: BaseException | None = None
        try:
            asked = since = 0
            while asked < operations or since < operations // _SHARE_AFTER:
                since += self._progress.calm
                self._one(self._workload.next(self._random))
                asked += 1
        except BaseException as error:
            failure = error
        finally:
            self._close()
            self._progress.end(failure)

    def finish(self) -> None:
        """Reads all there is. Each is tried until it is answered."""
        try:
            for value in self._workload.last():
                while self._one(value) != "ok":
                    pass
        finally:
            self._close()

    def _one(self, value: Value) -> Status:
        connection = self._connected()
        if connection is None or self._progress.over:
            raise TimeoutError("the server did not answer in time")
        return self._ask(connection, value)

    def _connected(self) -> Connection | None:
        """A connection, as soon as there can be one."""
        while self._connection is None and not self._progress.over:
            try:
                self._connection = self._connect()
            except psycopg.OperationalError:
                self._progress.pause(_RETRY_SECONDS)
        return self._connection

    def _ask(self, connection: Connection, value: Value) -> Status:
        invoked = self._recorder.invoke(self._process, value)
        try:
            done = self._workload.run(connection, value)
        except psycopg.Error as error:
            return self._failed(invoked, value, error)
        self._recorder.complete(invoked, "ok", done)
        self._progress.answer()
        return "ok"

    def _failed(self, invoked: int, value: Value, error: psycopg.Error) -> Status:
        code = error.sqlstate or "none"
        self._errors[code] += 1
        if code.startswith(_BUGS):
            raise error
        if self._workload.changes(value) and not code.startswith(_DID_NOT_HAPPEN):
            self._close()
            self._process = self._recorder.process()
            return "info"
        self._recorder.complete(invoked, "fail")
        if self._connection is not None and (self._connection.closed or code == "none"):
            self._close()
        self._progress.answer()
        return "fail"

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def cut(self) -> None:
        """Give up on an answer that does not come: whoever waits for it is told that the connection is gone."""
        connection = self._connection
        if connection is not None and not connection.closed:
            with socket.socket(fileno=os.dup(connection.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)
