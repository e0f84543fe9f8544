"""The totals of groups after something came to them and something went."""

from __future__ import annotations

from holdfast.compute.delta.internal import EARLIER, call
from holdfast.compute.delta.totals import add, scale
from holdfast.plan.relation import (
    Columns,
    Filter,
    Get,
    Map,
    Plan,
    Project,
    Reduce,
    Union,
    column,
)
from holdfast.plan.scalar import Constant
from holdfast.plan.types import INT8

OLD, CAME, GONE = "old", "came", "gone"
"""What the plan reads."""


def totals_after(columns: Columns, keys: int) -> Plan:
    """The totals, in columns that come after the keys: first of all how many rows a group has.

    What came and what is gone are totals too, of other rows.
    """
    gone = Get(GONE, columns)
    scaled = Map(gone, tuple(scale(column(gone, place), Constant(-1, INT8)) for place in range(keys, len(columns))))
    taken = Project(scaled, (*range(keys), *range(len(columns), len(scaled.columns))))
    every = Union((Get(OLD, columns), Get(CAME, columns), taken))
    groups = Reduce(
        every,
        tuple(column(every, place) for place in range(keys)),
        tuple(add(column(every, place)) for place in range(keys, len(columns))),
    )
    there = Filter(groups, (call(EARLIER, Constant(0, INT8), column(groups, keys)),)) if keys else groups
    return Plan(there, tuple(f"c{index}" for index in range(len(columns))))
