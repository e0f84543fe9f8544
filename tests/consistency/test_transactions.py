"""The checkers of lists and of sets find every kind of anomaly, and nothing in histories that have none."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from tests.consistency.anomaly import Anomaly, report
from tests.consistency.build import a, followed_by, in_turn, of_one_process, r, t, together
from tests.consistency.graph import Level
from tests.consistency.history import Operation
from tests.consistency.lists import check_lists
from tests.consistency.sets import check_sets
from tests.consistency.simulate import FAULTS, Fault, Simulation
from tests.consistency.transactions import Transaction, Transactions

X, Y, Z = 1, 2, 3
Check = Callable[[Transactions, Level], list[Anomaly]]


def kinds(anomalies: list[Anomaly]) -> set[str]:
    return {anomaly.kind for anomaly in anomalies}


LISTS: tuple[tuple[str, list[Operation[Transaction]], str], ...] = (
    (
        "two transactions overwrite each other in opposite order",
        followed_by(together(t(a(X, 1), a(Y, 1)), t(a(X, 2), a(Y, 2))), t(r(X, 1, 2), r(Y, 2, 1))),
        "G0",
    ),
    ("a transaction that failed is seen", in_turn((t(a(X, 1)), "fail"), t(r(X, 1))), "G1a"),
    ("a version from the midst of a transaction is seen", together(t(a(X, 1), a(X, 2)), t(r(X, 1))), "G1b"),
    ("two transactions each see the other", together(t(a(X, 1), r(Y, 1)), t(a(Y, 1), r(X, 1))), "G1c"),
    (
        "a read sees one append of a transaction and not the other",
        together(t(a(X, 1), a(Y, 1)), t(r(X, 1), r(Y))),
        "G-single",
    ),
    (
        "two transactions each miss the other",
        followed_by(together(t(r(X), a(Y, 1)), t(r(Y), a(X, 1))), t(r(X, 1), r(Y, 1))),
        "G2",
    ),
    (
        "two reads see two appends in opposite order",
        together(t(a(X, 1)), t(a(Y, 1)), t(r(X, 1), r(Y)), t(r(X), r(Y, 1))),
        "G2",
    ),
    ("a read misses what was over before it began", in_turn(t(a(X, 1)), t(r(X))), "G-single-realtime"),
    ("a read sees what begins after it is over", in_turn(t(r(X, 1)), t(a(X, 1))), "G1c-realtime"),
    (
        "two appends that do not overlap are in opposite order",
        followed_by(in_turn(t(a(X, 1)), t(a(X, 2))), t(r(X, 2, 1))),
        "G0-realtime",
    ),
    ("a process does not see what it appended itself", of_one_process(t(a(X, 1)), t(r(X))), "G-single-process"),
    ("an append that was acknowledged is gone", in_turn(t(a(X, 1)), t(r(X, 1)), t(r(X))), "G-single-realtime"),
    ("a value is there twice", in_turn(t(a(X, 1)), t(r(X, 1, 1))), "duplicate"),
    ("a value is there that nobody wrote", in_turn(t(r(X, 7))), "garbage"),
    (
        "two reads have different orders",
        together(t(a(X, 1)), t(a(X, 2)), t(r(X, 1, 2)), t(r(X, 2))),
        "incompatible order",
    ),
    ("a transaction does not see its own append", in_turn(t(a(X, 1), r(X))), "internal"),
    ("a transaction sees its own append too early", in_turn(t(r(X, 1), a(X, 1))), "internal"),
    ("a transaction sees a key change", together(t(a(X, 1)), t(r(X), r(X, 1))), "internal"),
)


@pytest.mark.parametrize(("history", "kind"), [case[1:] for case in LISTS], ids=[case[0] for case in LISTS])
def test_every_kind_of_anomaly_is_found_among_lists(history: list[Operation[Transaction]], kind: str) -> None:
    assert kind in kinds(check_lists(history))


SETS: tuple[tuple[str, list[Operation[Transaction]], str], ...] = (
    *(case for case in LISTS if case[2] not in ("G0", "G0-realtime", "incompatible order", "G1b")),
    ("a part of what a transaction appended is seen", together(t(a(X, 1), a(X, 2)), t(r(X, 2))), "G1b"),
)


@pytest.mark.parametrize(("history", "kind"), [case[1:] for case in SETS], ids=[case[0] for case in SETS])
def test_every_kind_of_anomaly_is_found_among_sets(history: list[Operation[Transaction]], kind: str) -> None:
    assert kind in kinds(check_sets(history))


@pytest.mark.parametrize("check", [check_lists, check_sets])
@pytest.mark.parametrize(
    "history",
    [
        [],
        in_turn(t(a(X, 1)), t(r(X, 1), r(Y)), t(a(X, 2), a(Y, 1)), t(r(X, 1, 2), r(Y, 1))),
        in_turn((t(a(X, 1)), "fail"), t(r(X))),
        together((t(a(X, 1), a(Y, 1)), "info"), t(r(X), r(Y)), t(r(X, 1), r(Y, 1))),
        in_turn((t(a(X, 1)), "info"), t(r(X)), t(r(X, 1))),
        in_turn((t(a(X, 1)), "info"), t(r(X))),
        in_turn(t(a(X, 1), r(X, 1), a(X, 2), r(X, 1, 2))),
        together(t(a(X, 1)), t(r(X)), t(r(X, 1))),
    ],
)
def test_what_has_an_order_is_accepted(check: Check, history: list[Operation[Transaction]]) -> None:
    assert check(history, "strict") == []


@pytest.mark.parametrize("check", [check_lists, check_sets])
def test_what_only_time_forbids_is_serializable(check: Check) -> None:
    late = in_turn(t(a(X, 1)), t(r(X)))
    assert check(late, "serializable") == check(late, "strong session") == []
    own = of_one_process(t(a(X, 1)), t(r(X)))
    assert check(own, "serializable") == []
    assert kinds(check(own, "strong session")) == {"G-single-process"}


@pytest.mark.parametrize("check", [check_lists, check_sets])
def test_an_unknown_transaction_that_was_seen_in_part_has_happened_in_part(check: Check) -> None:
    history = together((t(a(X, 1), a(Y, 1)), "info"), t(r(X, 1), r(Y)))
    assert kinds(check(history, "strict")) == {"G-single"}


@pytest.mark.parametrize("check", [check_lists, check_sets])
@pytest.mark.parametrize("seed", range(20))
def test_histories_of_a_serial_database_are_accepted(check: Check, seed: int) -> None:
    history = Simulation(Random(seed)).run(transactions=200)
    assert len(history) > 150
    found = check(history, "strict")
    assert not found, report(found)


EXPECTED: dict[Fault, set[str]] = {
    "stale read": {"G-single-realtime", "G-single-process", "G2-realtime", "G2-process"},
    "torn read": {"G-single", "G2", "G-single-realtime", "G-single-process"},
    "lost append": {"G-single-realtime", "G-single", "G-single-process", "G1b"},
    "aborted append seen": {"G1a"},
    "torn append": {"G1b", "G-single", "G-single-process", "G-single-realtime"},
}


@pytest.mark.parametrize("check", [check_lists, check_sets])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("seed", range(5))
def test_histories_of_a_faulty_database_are_refused(check: Check, fault: Fault, seed: int) -> None:
    found = check(Simulation(Random(seed), fault).run(transactions=300), "strict")
    assert found
    assert kinds(found) & EXPECTED[fault]


def test_one_fault_among_many_transactions_is_found() -> None:
    history = Simulation(Random(1), "lost append", one_in=150).run(transactions=600)
    assert check_lists(history)


def test_a_value_that_two_transactions_append_is_no_history() -> None:
    with pytest.raises(ValueError, match="twice"):
        check_lists(in_turn(t(a(X, 1)), t(a(X, 1))))


def test_an_anomaly_says_which_operations_show_it_and_why() -> None:
    (found,) = check_lists(in_turn(t(a(X, 1)), t(r(X))))
    assert found.evidence == (
        "[2, 3] process 1 ok: read 1: []",
        "  rw: 1 of 1 was not yet read",
        "[0, 1] process 0 ok: append 1 to 1",
        "  realtime: it was over before the other began",
        "[2, 3] process 1 ok: read 1: [] again",
    )
