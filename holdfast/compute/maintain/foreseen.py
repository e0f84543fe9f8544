"""How much has happened to the inputs of a view, as far as persist knows without that anything is read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.compute.maintain.collection import Collection
from holdfast.persist.batch import slices
from holdfast.repr.frontier import Timestamp, after


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What happens at `time`: how many updates there are of each input that has any."""

    time: Timestamp
    updates: Mapping[str, int]

    @property
    def rows(self) -> int:
        return sum(self.updates.values())


def foreseen(inputs: Mapping[str, Collection], start: Timestamp, end: Timestamp) -> Foreseen | None:
    """What happens first, later than `start` and up to `end`, at which all inputs are complete.

    None if that is nothing, or if parts have updates of several times: only who reads them knows how many at which.
    """
    found: defaultdict[Timestamp, Counter[str]] = defaultdict(Counter)
    for name, table in inputs.items():
        state = table.handle.state
        for piece in slices(state.batches, state.upper, Timestamp(start + 1), after(end)):
            if piece.part.min_time != piece.part.max_time:
                return None
            found[piece.part.min_time][name] += piece.part.rows
    return Foreseen(min(found), found[min(found)]) if found else None


def all_between(inputs: Mapping[str, Collection], start: Timestamp, end: Timestamp) -> Foreseen:
    """All that happens later than `start`, as if it did at `end`; or some more, as parts may have updates of other
    times.
    """
    found = Counter[str]()
    for name, table in inputs.items():
        state = table.handle.state
        found[name] = sum(
            piece.part.rows for piece in slices(state.batches, state.upper, Timestamp(start + 1), after(end))
        )
    return Foreseen(end, +found)
