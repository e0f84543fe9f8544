from __future__ import annotations

import json

import pytest

from holdfast.adapter.errors import NoTimestamp, TooStale
from holdfast.adapter.session.as_of import Input, Wanted, choose, explained
from holdfast.repr.frontier import Frontier, Timestamp, at
from holdfast.repr.ids import GlobalId

STRICT = "strict serializable"


def read(number: int, since: int, upper: int | None) -> Input:
    name = f"materialize.public.t{number}"
    return Input(GlobalId.parse(f"u{number}"), name, at(since), Frontier(None) if upper is None else at(upper))


def test_strict_reads_are_at_the_last_write_that_anyone_was_told_of() -> None:
    assert choose([read(1, 5, 21)], STRICT, Timestamp(20), None).as_of == 20
    assert choose([read(1, 30, 31)], STRICT, Timestamp(20), None).as_of == 30


def test_serializable_reads_are_at_the_latest_complete_time() -> None:
    inputs = [read(1, 5, 21), read(2, 3, 15)]
    assert choose(inputs, "serializable", Timestamp(20), None).as_of == 14
    assert choose([read(1, 5, 21), read(2, 18, 15)], "serializable", Timestamp(20), None).as_of == 18
    assert choose([read(1, 5, None)], "serializable", Timestamp(20), None).as_of > 20


def test_a_time_that_was_asked_for_is_taken_or_refused() -> None:
    inputs = [read(1, 5, 21)]
    assert choose(inputs, STRICT, Timestamp(20), Wanted(Timestamp(7), at_least=False)).as_of == 7
    assert choose(inputs, STRICT, Timestamp(20), Wanted(Timestamp(7), at_least=True)).as_of == 20
    assert choose(inputs, STRICT, Timestamp(20), Wanted(Timestamp(30), at_least=True)).as_of == 30
    with pytest.raises(NoTimestamp, match="could not find a valid timestamp for the query") as caught:
        choose(inputs, STRICT, Timestamp(20), Wanted(Timestamp(2), at_least=False))
    assert caught.value.detail is not None
    assert "1970-01-01 00:00:00.005" in caught.value.detail


def test_bounded_staleness_takes_the_freshest_time_within_the_bound_and_never_waits() -> None:
    bounded = "bounded staleness 5s"
    assert choose([read(1, 0, 9_001)], bounded, Timestamp(10_000), None).as_of == 9_000
    assert choose([read(1, 0, 20_000)], bounded, Timestamp(10_000), None).as_of == 10_000
    with pytest.raises(TooStale, match="freshest available timestamp is 7000ms older than the bound"):
        choose([read(1, 0, 3_001)], bounded, Timestamp(15_000), None)


def test_the_choice_is_explained_in_the_known_layout() -> None:
    choice = choose([read(2014, 1673618184000, 1673618185153)], STRICT, Timestamp(1673618185152), None)
    text = explained(choice, Timestamp(1673618185152), "TEXT")
    assert text.split("\n") == [
        "                query timestamp: 1673618185152 (2023-01-13 13:56:25.152)",
        "          oracle read timestamp: 1673618185152 (2023-01-13 13:56:25.152)",
        "largest not in advance of upper: 1673618185152 (2023-01-13 13:56:25.152)",
        "                          upper:[1673618185153 (2023-01-13 13:56:25.153)]",
        "                          since:[1673618184000 (2023-01-13 13:56:24.000)]",
        "        can respond immediately: true",
        "                       timeline: Some(EpochMilliseconds)",
        "              session wall time: 1673618185152 (2023-01-13 13:56:25.152)",
        "",
        "source materialize.public.t2014 (u2014, storage):",
        "                  read frontier:[1673618184000 (2023-01-13 13:56:24.000)]",
        "                 write frontier:[1673618185153 (2023-01-13 13:56:25.153)]",
        "",
        "binding constraints:",
        "lower:",
        "  (Isolation level: StrictSerializable): [1673618185152 (2023-01-13 13:56:25.152)]",
    ]
    assert json.loads(explained(choice, Timestamp(0), "JSON"))["determination"]["timestamp"] == 1673618185152
