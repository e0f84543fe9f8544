"""Bank: money moves between accounts. Every read of all of them has the same total, and none is overdrawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tests.consistency.anomaly import Anomaly
from tests.consistency.history import History, Operation, of_status


@dataclass(frozen=True, slots=True)
class Transfer:
    """`moved` says whether there was enough to move; None while it is not known."""

    source: int
    target: int
    amount: int
    moved: bool | None = None


@dataclass(frozen=True, slots=True)
class Balances:
    """A read of all accounts, as pairs of account and balance; None while it is not known."""

    accounts: tuple[tuple[int, int], ...] | None = None


Banking: TypeAlias = Transfer | Balances

_MOST_UNKNOWN = 16
"""Of how many transfers that may have happened all combinations are tried."""


def check_bank(history: History[Banking], initial: Mapping[int, int]) -> list[Anomaly]:
    """`initial` are the balances before anything happened. The last read is after all that did."""
    found: list[Anomaly] = []
    total = sum(initial.values())
    for operation in of_status(history, "ok"):
        if isinstance(operation.value, Balances):
            found += _wrong(operation, initial, total)
    return found + list(_lost(history, initial))


def _wrong(operation: Operation[Banking], initial: Mapping[int, int], total: int) -> Iterator[Anomaly]:
    assert isinstance(operation.value, Balances)
    accounts = operation.value.accounts or ()
    if sorted(account for account, _ in accounts) != sorted(initial):
        yield Anomaly("wrong accounts", (str(operation),))
    elif sum(balance for _, balance in accounts) != total:
        yield Anomaly("wrong total", (f"{sum(balance for _, balance in accounts)} is not {total}", str(operation)))
    if any(balance < 0 for _, balance in accounts):
        yield Anomaly("overdrawn", (str(operation),))


def _lost(history: History[Banking], initial: Mapping[int, int]) -> Iterator[Anomaly]:
    """Whether the last read has what all transfers come to that happened, with some of those that may have."""
    reads = [one for one in of_status(history, "ok") if isinstance(one.value, Balances)]
    if not reads:
        return
    last = max(reads, key=lambda read: read.invoked)
    if any(one.status == "ok" and not one.precedes(last) and one is not last for one in history):
        return
    assert isinstance(last.value, Balances)
    difference = dict(last.value.accounts or ())
    unknown: list[Transfer] = []
    for operation in history:
        transfer = operation.value
        if not isinstance(transfer, Transfer):
            continue
        if operation.status == "info":
            unknown.append(transfer)
        elif operation.status == "ok" and transfer.moved:
            _undo(difference, transfer)
    if len(unknown) <= _MOST_UNKNOWN and not _reachable(difference, initial, unknown):
        shown = f"less the transfers that happened: {difference}, at first {dict(initial)}, unknown {unknown}"
        yield Anomaly("lost update", (str(last), shown))


def _undo(balances: dict[int, int], transfer: Transfer) -> None:
    balances[transfer.source] = balances.get(transfer.source, 0) + transfer.amount
    balances[transfer.target] = balances.get(transfer.target, 0) - transfer.amount


def _reachable(balances: dict[int, int], initial: Mapping[int, int], unknown: list[Transfer]) -> bool:
    if balances == dict(initial):
        return True
    if not unknown:
        return False
    undone = dict(balances)
    _undo(undone, unknown[0])
    return _reachable(balances, initial, unknown[1:]) or _reachable(undone, initial, unknown[1:])
