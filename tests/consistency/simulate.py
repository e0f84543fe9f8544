"""A database to try checkers on: strictly serializable, unless told to do something wrong.

Processes take turns by chance. A transaction takes effect, as a whole, somewhere between its begin and its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Literal, TypeAlias

from tests.consistency.history import Operation, Recorder
from tests.consistency.transactions import Append, Read, Transaction

Fault: TypeAlias = Literal["stale read", "torn read", "lost append", "aborted append seen", "torn append"]
State: TypeAlias = Mapping[int, tuple[int, ...]]

FAULTS: tuple[Fault, ...] = ("stale read", "torn read", "lost append", "aborted append seen", "torn append")


@dataclass(slots=True)
class Simulation:
    """`one_in` is how seldom the fault happens where it could."""

    random: Random
    fault: Fault | None = None
    one_in: int = 4
    versions: list[State] = field(default_factory=lambda: [{}])
    recorder: Recorder[Transaction] = field(default_factory=Recorder)
    _values: int = 0

    def run(self, transactions: int, processes: int = 5, keys: int = 4) -> tuple[Operation[Transaction], ...]:
        """Reads are of one or two keys, or of all of them at the end; what is appended is to one or two."""
        running = [self._process(keys) for _ in range(processes)]
        for _ in range(transactions * 3):
            next(self.random.choice(running))
        for process in running:
            # Each comes to the end of what it has begun.
            while next(process) != "idle":
                pass
        everything = Transaction(tuple(Read(key) for key in range(keys)))
        invoked = self.recorder.invoke(self.recorder.process(), everything)
        self.recorder.complete(invoked, "ok", _read(everything, self.versions[-1]))
        return self.recorder.history()

    def _process(self, keys: int) -> Iterator[str]:
        process = self.recorder.process()
        while True:
            transaction = self._transaction(keys)
            invoked = self.recorder.invoke(process, transaction)
            yield "begun"
            failed = self.random.randrange(10) == 0
            done = transaction if failed and not self._errs("aborted append seen") else self._commit(transaction)
            yield "done"
            if failed:
                self.recorder.complete(invoked, "fail")
            elif self.random.randrange(20) == 0:
                process = self.recorder.process()  # the answer is lost, and with it the process
            else:
                self.recorder.complete(invoked, "ok", done)
            yield "idle"

    def _transaction(self, keys: int) -> Transaction:
        some = self.random.sample(range(keys), self.random.choice((1, 2, 2)))
        if self.random.randrange(2):
            return Transaction(tuple(Read(key) for key in some))
        steps = []
        for key in some:
            for _ in range(self.random.choice((1, 1, 2))):
                self._values += 1
                steps.append(Append(key, self._values))
        return Transaction(tuple(steps))

    def _errs(self, fault: Fault) -> bool:
        return self.fault == fault and self.random.randrange(self.one_in) == 0

    def _commit(self, transaction: Transaction) -> Transaction:
        """The transaction takes effect: it reads the last version and makes the next."""
        seen = self.versions[-1]
        if self._errs("stale read"):
            seen = self.versions[-self.random.randrange(1, 6) :][0]
        appends = list(transaction.appends)
        if self._errs("lost append"):
            appends = appends[1:]
        state = dict(self.versions[-1])
        for place, append in enumerate(appends):
            state[append.key] = (*state.get(append.key, ()), append.value)
            if place < len(appends) - 1 and self._errs("torn append"):
                self.versions.append(dict(state))  # for those who read what is not the last
        if appends:
            self.versions.append(state)
        if self.fault == "torn append" and self._errs("torn append"):
            seen = self.versions[-self.random.randrange(1, 4) :][0]
        if self._errs("torn read"):
            return _read_apart(transaction, seen, self.versions[-self.random.randrange(1, 6) :][0])
        return _read(transaction, seen)


def _read(transaction: Transaction, state: State) -> Transaction:
    return Transaction(
        tuple(Read(step.key, state.get(step.key, ())) if isinstance(step, Read) else step for step in transaction.steps)
    )


def _read_apart(transaction: Transaction, first: State, rest: State) -> Transaction:
    """The first step reads one version, the others another."""
    return Transaction((*_read(transaction, first).steps[:1], *_read(transaction, rest).steps[1:]))
