"""What is wrong with a read by itself, whatever the order of transactions was."""

from __future__ import annotations

from collections.abc import Iterator

from tests.consistency.anomaly import Anomaly
from tests.consistency.history import Operation
from tests.consistency.transactions import Append, Read, Transaction, Writers, own_before


def bad_reads(writers: Writers, *, lists: bool) -> Iterator[Anomaly]:
    """Values that nobody wrote, or that were never committed, or twice the same; reads that contradict each other."""
    for node, operation, read in writers.reads():
        values = read.values or ()
        if len(set(values)) < len(values):
            yield Anomaly("duplicate", (f"{read}", str(operation)))
        for value in values:
            writer = writers.by_value.get((read.key, value))
            if writer is None:
                yield Anomaly("garbage", (f"{value} of {read.key} was never written", str(operation)))
            elif writers.history[writer].status == "fail":
                yield Anomaly("G1a", (str(operation), str(writers.history[writer])))
        yield from _intermediate(writers, node, operation, read, lists=lists)
    for _, operation in writers.happened:
        if operation.status == "ok":
            yield from _internal(operation, lists=lists)


def _intermediate(
    writers: Writers, node: int, operation: Operation[Transaction], read: Read, *, lists: bool
) -> Iterator[Anomaly]:
    """A version from the midst of a transaction: in a list the last value tells, in a set any that is missing."""
    values = read.values or ()
    for value in values[-1:] if lists else values:
        writer = writers.by_value.get((read.key, value))
        if writer is None or writer == node or writers.history[writer].status == "fail":
            continue
        if lists and value == writers.last_of(writer, read.key):
            continue
        appended = {append.value for append in writers.history[writer].value.appends if append.key == read.key}
        if lists or not appended <= set(values):
            yield Anomaly("G1b", (str(operation), str(writers.history[writer])))
            return


def _internal(operation: Operation[Transaction], *, lists: bool) -> Iterator[Anomaly]:
    """Within a transaction, a read shows what it read and appended before, and nothing that it appends later."""
    known: dict[int, tuple[int, ...]] = {}
    transaction = operation.value
    for step in transaction.steps:
        if isinstance(step, Append):
            if step.key in known:
                known[step.key] = (*known[step.key], step.value)
            continue
        values = step.values or ()
        own = tuple(own_before(transaction, step))
        later = {append.value for append in transaction.appends if append.key == step.key} - set(own)
        wrong = bool(later & set(values))
        if step.key in known:
            expected = known[step.key]
            wrong = wrong or (values != expected if lists else set(values) != set(expected))
        elif lists:
            wrong = wrong or (bool(own) and values[-len(own) :] != own)
        else:
            wrong = wrong or not set(own) <= set(values)
        if wrong:
            yield Anomaly("internal", (str(step), str(operation)))
        known[step.key] = values
