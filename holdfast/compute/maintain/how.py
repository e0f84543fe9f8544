"""How a step is made: of the changes, or from scratch, in this process or on Spark; and why so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.compute.maintain.steps import StepMode
from holdfast.compute.maintain.stores import Stores
from holdfast.compute.maintain.view import ViewDescription

_FEW_ROWS = 50_000
"""Rows of all inputs from which a view is made in this process sooner than a job of Spark's begins."""

_LARGE_SHARE = 0.01
"""Share of the rows of all inputs that may change before a view is sooner made from scratch, if that is many: a row of
a step takes this process up to a hundred times as long as one that is read takes Spark.
"""

_LOADED = 10_000_000
"""Rows of all inputs that are loaded after a large change, so that the next can be looked through here."""

MOST = 1_000_000
"""Rows that a join may come to in this process, and pairs it may look at, where Spark can do the same."""

TOO_MANY = f"more than {MOST} rows, or pairs of them, to look at"


@dataclass(frozen=True, slots=True)
class How:
    mode: StepMode
    reason: str


def from_scratch(view: ViewDescription, rows: int, why: str, *, with_spark: bool) -> How:
    """How a view is made of all `rows` of its inputs, which has to be done for the reason given."""
    if not with_spark:
        return How("scratch", f"{why}, and there is no Spark")
    if rows <= _FEW_ROWS:
        return How("scratch", f"{why}, of few rows")
    if not view.is_exact:
        return How("scratch", f"{why}; Spark would add its floats up in another order")
    return How("spark", f"{why}, of many rows")


def of_changes(
    view: ViewDescription,
    stores: Stores,
    changed: int,
    times: int,
    rows: Callable[[], int],
    *,
    with_spark: bool,
) -> How:
    """How a view with rows takes so many changes at so many times. `rows` are those that its inputs have, counted if
    need be.
    """
    if not with_spark or not view.is_exact or times > 1 or changed <= _FEW_ROWS:
        return How("incremental", f"{counted(changed)} at {_times(times)}" if changed else "time passed")
    among = rows()
    if not can_be_replaced(view, stores) or changed <= few_among(among):
        return How("incremental", f"{counted(changed)}, to about {among} rows")
    return How("spark", f"{counted(changed)}, to about {among} rows: more than one in {round(1 / _LARGE_SHARE)}")


def few_among(rows: int) -> float:
    """How many changes, of views of so many rows, are taken in this process."""
    return max(_FEW_ROWS, _LARGE_SHARE * rows)


def is_worth_loading(rows: int) -> bool:
    """Whether what there is may be loaded just because much of it has changed."""
    return rows <= _LOADED


def can_be_replaced(view: ViewDescription, stores: Stores) -> bool:
    """Whether Spark can tell what a view that has rows is at another time, and how that differs."""
    holds_map = any(handle.row_type.holds_map for handle in stores.handles)
    return view.is_exact and not holds_map and not view.program.is_temporal


def counted(changes: int) -> str:
    return "1 change" if changes == 1 else f"{changes} changes"


def _times(count: int) -> str:
    return "one time" if count == 1 else f"{count} times"
