"""The time that a query reads at.

Bounds come from what is read (its `since`), from the session's isolation and from the query itself; the time chosen is
the earliest within them, or, where freshness is wanted without waiting, the latest that is complete everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from holdfast.adapter.errors import NoTimestamp, TooStale
from holdfast.adapter.session.variables import staleness
from holdfast.plan.text.codec import write_of
from holdfast.plan.types import TIMESTAMP
from holdfast.repr.frontier import MIN_TIME, Frontier, Timestamp
from holdfast.repr.ids import GlobalId

MAX_TIME = Timestamp(2**63 - 1)


@dataclass(frozen=True, slots=True)
class Input:
    """A collection that is read: `name` is its whole name."""

    id: GlobalId
    name: str
    since: Frontier
    upper: Frontier


@dataclass(frozen=True, slots=True)
class Wanted:
    """AS OF [AT LEAST] `time`."""

    time: Timestamp
    at_least: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound, with what set it."""

    time: Timestamp
    reason: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The time chosen, and why."""

    as_of: Timestamp
    oracle: Timestamp | None
    inputs: tuple[Input, ...]
    lower: tuple[Bound, ...]
    upper: tuple[Bound, ...] = ()

    @property
    def since(self) -> Frontier:
        return (
            Frontier(Timestamp(max(_least(each.since) for each in self.inputs))) if self.inputs else Frontier(MIN_TIME)
        )

    @property
    def complete_before(self) -> Frontier:
        """The times before it are complete in all inputs."""
        times = [each.upper.time for each in self.inputs if each.upper.time is not None]
        return Frontier(min(times)) if times else Frontier(None)

    @property
    def at_once(self) -> bool:
        return self.since.less_equal(self.as_of) and not self.complete_before.less_equal(self.as_of)


def _least(frontier: Frontier) -> Timestamp:
    """The least time in advance of a frontier; of the empty one there is none, so a time nothing reaches."""
    return MAX_TIME if frontier.time is None else frontier.time


def choose(inputs: Sequence[Input], isolation: str, oracle: Timestamp, wanted: Wanted | None) -> Choice:
    """`oracle` is the time of the last write that anyone was told of."""
    lower = [Bound(Timestamp(max((_least(each.since) for each in inputs), default=MIN_TIME)), "Storage inputs")]
    upper: list[Bound] = []
    candidates = [_least(each.upper) for each in inputs]
    complete = Timestamp(max(min(candidates) - 1, MIN_TIME)) if candidates else MAX_TIME
    if wanted is not None:
        lower.append(Bound(wanted.time, "Query as of"))
        if not wanted.at_least:
            upper.append(Bound(wanted.time, "Query as of"))
        earliest = max(bound.time for bound in lower)
        # Any later time would do: the freshest that need not be waited for is the best of them.
        time = max(earliest, complete) if wanted.at_least and inputs else earliest
        return _checked(Choice(Timestamp(time), None, tuple(inputs), tuple(lower), tuple(upper)))
    stale = staleness(isolation)
    if stale is not None:
        return _bounded(inputs, oracle, stale, complete, lower)
    if isolation == "serializable":
        time = Timestamp(max(complete if inputs else oracle, *(bound.time for bound in lower)))
        return Choice(time, None, tuple(inputs), tuple(lower))
    lower.append(Bound(oracle, "Isolation level: StrictSerializable"))
    return Choice(Timestamp(max(bound.time for bound in lower)), oracle, tuple(inputs), tuple(lower))


def _bounded(
    inputs: Sequence[Input], oracle: Timestamp, stale: float, complete: Timestamp, lower: list[Bound]
) -> Choice:
    earliest = Timestamp(max(oracle - round(stale * 1000), MIN_TIME))
    lower.append(Bound(earliest, "Isolation level: BoundedStaleness"))
    least = max(bound.time for bound in lower)
    time = min(complete, oracle)
    if time < least:
        raise TooStale(
            f"cannot serve query under bounded staleness {stale:g}s; "
            f"freshest available timestamp is {least - time}ms older than the bound"
        )
    bound = Bound(complete, "Isolation level: BoundedStaleness")
    return Choice(Timestamp(time), oracle, tuple(inputs), tuple(lower), (bound,))


def _checked(choice: Choice) -> Choice:
    if any(choice.as_of > bound.time for bound in choice.upper):
        error = NoTimestamp("could not find a valid timestamp for the query")
        constraints = _constraints("lower", choice.lower) + _constraints("upper", choice.upper)
        error.detail = "\n".join(["constraints:", *constraints])
        raise error
    return choice


def _constraints(side: str, bounds: Sequence[Bound]) -> list[str]:
    return [f"{side}:", *(f"  ({bound.reason}): [{shown(bound.time)}]" for bound in bounds)] if bounds else []


def shown(time: Timestamp) -> str:
    """A time as a number and as people read it."""
    if abs(time) > 2**53:
        return str(time)
    text = write_of(TIMESTAMP)(time * 1000)
    whole, point, fraction = text.partition(".")
    return f"{time} ({whole}.{fraction.ljust(3, '0') if point else '000'})"


def _frontier(frontier: Frontier) -> str:
    return "[]" if frontier.time is None else f"[{shown(frontier.time)}]"


def explained(choice: Choice, wall: Timestamp, output: Literal["TEXT", "JSON"]) -> str:
    """What EXPLAIN TIMESTAMP says."""
    return _as_json(choice, wall) if output == "JSON" else "\n".join(_lines(choice, wall))


def _lines(choice: Choice, wall: Timestamp) -> list[str]:
    complete = choice.complete_before
    largest = MAX_TIME if complete.time is None else Timestamp(max(complete.time - 1, MIN_TIME))

    def line(title: str, value: str) -> str:
        return f"{title:>31}:{value if value.startswith('[') else ' ' + value}"

    lines = [line("query timestamp", shown(choice.as_of))]
    if choice.oracle is not None:
        lines.append(line("oracle read timestamp", shown(choice.oracle)))
    lines += [
        line("largest not in advance of upper", shown(largest)),
        line("upper", _frontier(complete)),
        line("since", _frontier(choice.since)),
        line("can respond immediately", str(choice.at_once).lower()),
        line("timeline", "Some(EpochMilliseconds)" if choice.inputs else "None"),
        line("session wall time", shown(wall)),
    ]
    for each in choice.inputs:
        lines += [
            "",
            f"source {each.name} ({each.id}, storage):",
            line("read frontier", _frontier(each.since)),
            line("write frontier", _frontier(each.upper)),
        ]
    binding = [bound for bound in choice.lower if bound.time == choice.as_of]
    above = [bound for bound in choice.upper if bound.time == choice.as_of]
    return [*lines, "", "binding constraints:", *_constraints("lower", binding), *_constraints("upper", above)]


def _as_json(choice: Choice, wall: Timestamp) -> str:
    def times(frontier: Frontier) -> list[int]:
        return [] if frontier.time is None else [frontier.time]

    complete = choice.complete_before
    found = {
        "determination": {
            "timestamp": choice.as_of,
            "since": times(choice.since),
            "upper": times(complete),
            "largest_not_in_advance_of_upper": MAX_TIME if complete.time is None else complete.time - 1,
            "oracle_read_ts": choice.oracle,
            "session_wall_time": wall,
            "can_respond_immediately": choice.at_once,
            "timeline": "EpochMilliseconds" if choice.inputs else None,
        },
        "sources": [
            {
                "name": f"{each.name} ({each.id}, storage)",
                "read_frontier": times(each.since),
                "write_frontier": times(each.upper),
            }
            for each in choice.inputs
        ],
    }
    return json.dumps(found, indent=2)
