"""The checkers of banks, counters, forks and sequences find what is wrong, and nothing else."""

from __future__ import annotations

import pytest

from tests.consistency.anomaly import Anomaly
from tests.consistency.bank import Balances, Banking, Transfer, check_bank
from tests.consistency.build import followed_by, in_turn, together
from tests.consistency.counter import Count, Counting, Increment, check_counters
from tests.consistency.history import Operation
from tests.consistency.long_fork import Forking, ReadGroup, Write, check_long_fork
from tests.consistency.sequence import Numbering, Take, Taken, check_sequence

FIRST = {1: 10, 2: 0}


def kinds(anomalies: list[Anomaly]) -> list[str]:
    return [anomaly.kind for anomaly in anomalies]


def balances(one: int, two: int) -> Banking:
    return Balances(((1, one), (2, two)))


MOVE, REFUSED = Transfer(1, 2, 4, moved=True), Transfer(2, 1, 4, moved=False)

BANKS: tuple[tuple[str, list[Operation[Banking]], list[str]], ...] = (
    ("nothing happened", in_turn(balances(10, 0)), []),
    ("money moved", in_turn(balances(10, 0), MOVE, balances(6, 4)), []),
    ("a transfer that was refused", in_turn(REFUSED, balances(10, 0)), []),
    ("a transfer that nobody knows of happened", in_turn((MOVE, "info"), balances(6, 4)), []),
    ("a transfer that nobody knows of did not happen", in_turn((MOVE, "info"), balances(10, 0)), []),
    ("a transfer that failed", in_turn((MOVE, "fail"), balances(10, 0)), []),
    ("a read in the midst of a transfer", followed_by(together(MOVE, balances(6, 0)), balances(6, 4)), ["wrong total"]),
    ("an account is gone", in_turn(Balances(((1, 10),))), ["wrong accounts", "lost update"]),
    ("an account below nothing", in_turn(balances(-1, 11)), ["overdrawn", "lost update"]),
    ("a transfer that is gone", in_turn(MOVE, balances(10, 0)), ["lost update"]),
    ("a transfer that failed and yet moved", in_turn((MOVE, "fail"), balances(6, 4)), ["lost update"]),
    ("a transfer that moved twice", in_turn((MOVE, "info"), balances(2, 8)), ["lost update"]),
)


@pytest.mark.parametrize(("history", "expected"), [case[1:] for case in BANKS], ids=[case[0] for case in BANKS])
def test_money_is_neither_made_nor_lost(history: list[Operation[Banking]], expected: list[str]) -> None:
    assert kinds(check_bank(history, FIRST)) == expected


ADD = Increment(1)

COUNTERS: tuple[tuple[str, list[Operation[Counting]], list[str]], ...] = (
    ("counted", in_turn(ADD, Count(1, 1), ADD, Count(1, 2)), []),
    ("counted or not yet", together(ADD, ADD, Count(1, 0), Count(1, 2)), []),
    ("one that nobody knows of", in_turn((ADD, "info"), Count(1, 0), Count(1, 1)), []),
    ("two counters", in_turn(ADD, Increment(2), Count(1, 1), Count(2, 1)), []),
    ("lost", in_turn(ADD, ADD, Count(1, 1)), ["lost update"]),
    ("never added", in_turn(Count(1, 1)), ["garbage"]),
    ("one that failed", in_turn((ADD, "fail"), Count(1, 1)), ["garbage"]),
    ("less than before", in_turn((ADD, "info"), Count(1, 1), Count(1, 0)), ["nonmonotonic read"]),
)


@pytest.mark.parametrize(("history", "expected"), [case[1:] for case in COUNTERS], ids=[case[0] for case in COUNTERS])
def test_counters_have_what_was_added(history: list[Operation[Counting]], expected: list[str]) -> None:
    assert kinds(check_counters(history)) == expected


def seen(*keys: int) -> Forking:
    return ReadGroup((1, 2), frozenset(keys))


FORKS: tuple[tuple[str, list[Operation[Forking]], list[str]], ...] = (
    ("one order", together(Write(1), Write(2), seen(), seen(1), seen(1), seen(1, 2)), []),
    ("two orders", together(Write(1), Write(2), seen(1), seen(2)), ["long fork"]),
    ("other groups", together(Write(1), Write(2), seen(1), ReadGroup((2, 3), frozenset((2,)))), []),
)


@pytest.mark.parametrize(("history", "expected"), [case[1:] for case in FORKS], ids=[case[0] for case in FORKS])
def test_writes_are_seen_in_one_order(history: list[Operation[Forking]], expected: list[str]) -> None:
    assert kinds(check_long_fork(history)) == expected


def taken(*marks: int) -> Numbering:
    return Taken(tuple(enumerate(marks, start=1)))


SEQUENCES: tuple[tuple[str, list[Operation[Numbering]], list[str]], ...] = (
    ("taken in turn", in_turn(Take(7), taken(7), Take(8), taken(7, 8)), []),
    ("taken together", followed_by(together(Take(7), Take(8)), taken(8, 7)), []),
    ("one that nobody knows of", in_turn((Take(7), "info"), taken(), Take(8), taken(8, 7)), []),
    ("lost", in_turn(Take(7), taken()), ["lost update"]),
    ("one number for two", followed_by(together(Take(7), Take(8)), Taken(((1, 7), (1, 8)))), ["lost update"]),
    ("one that failed", in_turn((Take(7), "fail"), taken(7)), ["G1a"]),
    ("nobody's", in_turn(taken(7)), ["garbage"]),
    ("not yet taken", in_turn(taken(7), Take(7)), ["G1c-realtime"]),
    ("in the wrong order", in_turn(Take(7), Take(8), taken(8, 7)), ["disordered"]),
)


@pytest.mark.parametrize(("history", "expected"), [case[1:] for case in SEQUENCES], ids=[case[0] for case in SEQUENCES])
def test_numbers_are_taken_once_and_in_order(history: list[Operation[Numbering]], expected: list[str]) -> None:
    assert kinds(check_sequence(history)) == expected
