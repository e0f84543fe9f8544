"""The checkers agree with trying every order, for histories that are small enough for that."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from tests.consistency.anomaly import report
from tests.consistency.history import Operation
from tests.consistency.lists import check_lists
from tests.consistency.sets import check_sets
from tests.consistency.simulate import FAULTS, Simulation
from tests.consistency.transactions import Append, Read, Transaction, Transactions

State = Mapping[int, tuple[int, ...]]


def has_order(history: Transactions, *, lists: bool) -> bool:
    """Whether some order, in which what was over comes before what began then, explains all that was read."""
    done = [one for one in history if one.status != "fail"]
    return _from({}, done, lists=lists)


def _from(state: State, left: list[Operation[Transaction]], *, lists: bool) -> bool:
    """Whether the operations that are left have an order; those of which nobody knows may be left out."""
    if all(one.status == "info" for one in left):
        return True
    for place, one in enumerate(left):
        if any(other.precedes(one) for other in left):
            continue
        after = _after(state, one, lists=lists)
        if after is not None and _from(after, [*left[:place], *left[place + 1 :]], lists=lists):
            return True
    return False


def _after(state: State, one: Operation[Transaction], *, lists: bool) -> State | None:
    """What the operation makes of the state; None if it has read something else."""
    found = dict(state)
    for step in one.value.steps:
        now = found.get(step.key, ())
        match step:
            case Append():
                found[step.key] = (*now, step.value)
            case Read() if one.status == "ok":
                values = step.values or ()
                if values != now if lists else sorted(values) != sorted(now):
                    return None
    return found


def small(seed: int) -> Transactions:
    """A few transactions, of a database that often errs, on one key or two."""
    random = Random(seed)
    fault = random.choice((None, *FAULTS))
    return Simulation(random, fault, one_in=2).run(transactions=random.randrange(3, 7), processes=3, keys=2)


@pytest.mark.parametrize("first", range(0, 1200, 300))
def test_a_history_of_sets_is_refused_if_and_only_if_it_has_no_order(first: int) -> None:
    refused = 0
    for seed in range(first, first + 300):
        history = small(seed)
        found = check_sets(history)
        assert has_order(history, lists=False) is not bool(found), f"seed {seed}: {report(found)}"
        refused += bool(found)
    assert 30 < refused < 270


@pytest.mark.parametrize("first", range(0, 1200, 300))
def test_a_history_of_lists_is_refused_if_and_only_if_it_has_no_order(first: int) -> None:
    refused = 0
    for seed in range(first, first + 300):
        history = small(seed)
        found = check_lists(history)
        assert has_order(history, lists=True) is not bool(found), f"seed {seed}: {report(found)}"
        refused += bool(found)
    assert 30 < refused < 270
