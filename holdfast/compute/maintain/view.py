"""A view that is to be maintained: its program, and all else that there is to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from holdfast.compute.delta import Program
from holdfast.repr.frontier import Timestamp
from holdfast.repr.ids import GlobalId


class Schedule(Protocol):
    """When a view is brought up to date that is not with every change."""

    def first(self, time: Timestamp) -> Timestamp:
        """The first time that a view has rows for which is made at `time`."""

    def next(self, time: Timestamp) -> Timestamp | None:
        """The first refresh at `time` or after; None if there is none."""


@dataclass(frozen=True)
class ViewDescription:
    """What a view is, whoever asks for it.

    - `inputs` are the collections that the program reads.
    - `outputs` are what its rows are kept for: the view itself, or indexes of it. Each is read by itself.
    - `asserts` are the columns of the rows that must not be null, with what people call them.
    - `refresh`: None if it is brought up to date with every change.
    - `is_exact`: Spark makes of the same rows the very same view. `runs_code`: it calls functions that users wrote.
    """

    id: GlobalId
    program: Program
    inputs: tuple[GlobalId, ...]
    outputs: tuple[GlobalId, ...]
    asserts: Mapping[int, str]
    refresh: Schedule | None
    is_exact: bool
    runs_code: bool
