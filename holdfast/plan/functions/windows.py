"""Window functions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any as Value  # as `plan/types.py` lists them
from typing import TypeAlias

from holdfast.plan.errors import InvalidArgumentForNthValueFunction, InvalidArgumentForNtileFunction
from holdfast.plan.functions.function import Any, Family, WindowFunction
from holdfast.plan.types import FLOAT8, INT4, INT8

Peers: TypeAlias = Sequence[tuple[int, int]]
"""For each row of a partition, where the rows that its ORDER BY leaves equal to it start and end."""


@dataclass(frozen=True, slots=True)
class WindowRows:
    """The rows of a partition, in order.

    - `arguments`: those of the call, for each row.
    - `frames`: for each row, the positions of the rows in its frame, in order; nothing if the function is not `framed`.
    - `peers`: for each row, where its peers start, and the position after the last of them.
    - `ignore_nulls`: the call says IGNORE NULLS.
    """

    arguments: Sequence[tuple[Value, ...]]
    frames: Sequence[Sequence[int]]
    peers: Peers
    ignore_nulls: bool = False


def _row_number(rows: WindowRows) -> list[Value]:
    return list(range(1, len(rows.arguments) + 1))


def _rank(rows: WindowRows) -> list[Value]:
    return [start + 1 for start, _ in rows.peers]


def _dense_rank(rows: WindowRows) -> list[Value]:
    number = {peers: place for place, peers in enumerate(sorted(set(rows.peers)), start=1)}
    return [number[peers] for peers in rows.peers]


def _percent_rank(rows: WindowRows) -> list[Value]:
    others = len(rows.arguments) - 1
    return [start / others if others else 0.0 for start, _ in rows.peers]


def _cume_dist(rows: WindowRows) -> list[Value]:
    return [end / len(rows.arguments) for _, end in rows.peers]


def _ntile(rows: WindowRows) -> list[Value]:
    # The first row says how many there are, as in PostgreSQL.
    size, buckets = len(rows.arguments), rows.arguments[0][0]
    if buckets is None:
        return [None] * size
    if buckets <= 0:
        raise InvalidArgumentForNtileFunction("argument of ntile must be greater than zero")
    each, larger = divmod(size, buckets)
    sizes = [each + 1] * larger + [each] * (buckets - larger if each else 0)
    return [number for number, length in enumerate(sizes, start=1) for _ in range(length)]


def _shifted(direction: int) -> Callable[[WindowRows], list[Value]]:
    """The value some rows before or after: an offset of 1 and a default of null unless there are arguments for them."""

    def shifted(rows: WindowRows) -> list[Value]:
        values = [arguments[0] for arguments in rows.arguments]
        present = [place for place, value in enumerate(values) if value is not None] if rows.ignore_nulls else None
        return [_shift(values, present, place, direction, rows.arguments[place]) for place in range(len(values))]

    return shifted


def _shift(
    values: Sequence[Value], present: Sequence[int] | None, place: int, direction: int, arguments: tuple[Value, ...]
) -> Value:
    offset = arguments[1] if len(arguments) > 1 else 1
    default = arguments[2] if len(arguments) > 2 else None
    if offset is None:
        return None
    if present is None or offset == 0:
        target = place + direction * offset
        return values[target] if 0 <= target < len(values) else default
    steps = direction * offset
    target = bisect_right(present, place) + steps - 1 if steps > 0 else bisect_left(present, place) + steps
    return values[present[target]] if 0 <= target < len(present) else default


def _at(rows: WindowRows, choose: Callable[[int, Sequence[int]], int | None]) -> list[Value]:
    """The argument at the position chosen from each row's frame, or null if there is none."""
    found: list[Value] = []
    for place, frame in enumerate(rows.frames):
        if rows.ignore_nulls:
            frame = [other for other in frame if rows.arguments[other][0] is not None]
        chosen = choose(place, frame)
        found.append(None if chosen is None else rows.arguments[chosen][0])
    return found


def _first_value(rows: WindowRows) -> list[Value]:
    return _at(rows, lambda _, frame: frame[0] if frame else None)


def _last_value(rows: WindowRows) -> list[Value]:
    return _at(rows, lambda _, frame: frame[-1] if frame else None)


def _nth_value(rows: WindowRows) -> list[Value]:
    def choose(place: int, frame: Sequence[int]) -> int | None:
        number = rows.arguments[place][1]
        if number is None:
            return None
        if number <= 0:
            raise InvalidArgumentForNthValueFunction("argument of nth_value must be greater than zero")
        return frame[number - 1] if number <= len(frame) else None

    return _at(rows, choose)


def _shift_function(name: str, direction: int, which: str) -> WindowFunction:
    return WindowFunction(
        name,
        (Any.COMPATIBLE, INT4, Any.COMPATIBLE),
        Any.COMPATIBLE,
        _shifted(direction),
        spark=lambda arguments, _, __: f"{name}({', '.join(arguments)})",
        optional=2,
        constants=(1,),
        doc=f"The value some rows {which}, by default one, or where there is no such row the default.",
    )


_ROW_NUMBER = WindowFunction(
    "row_number", (), INT8, _row_number, spark="row_number()", makes_null=False, doc="The place of the row, from 1."
)
_RANK = WindowFunction(
    "rank", (), INT8, _rank, spark="rank()", makes_null=False, doc="The place of the first of the row's peers."
)
_DENSE_RANK = WindowFunction(
    "dense_rank", (), INT8, _dense_rank, spark="dense_rank()", makes_null=False, doc="The place of the peer group."
)
_PERCENT_RANK = WindowFunction(
    "percent_rank",
    (),
    FLOAT8,
    _percent_rank,
    spark="percent_rank()",
    makes_null=False,
    doc="How many of the other rows come before the row and its peers, from 0 to 1.",
)
_CUME_DIST = WindowFunction(
    "cume_dist",
    (),
    FLOAT8,
    _cume_dist,
    spark="cume_dist()",
    makes_null=False,
    doc="How many rows come not after the row and its peers, up to 1.",
)
_NTILE = WindowFunction(
    "ntile", (INT4,), INT4, _ntile, doc="Which of so many parts, as equal as can be, the row is in."
)
_FIRST_VALUE = WindowFunction(
    "first_value",
    (Any.ELEMENT,),
    Any.ELEMENT,
    _first_value,
    spark="first_value({0})",
    framed=True,
    doc="The value of the first row of the frame.",
)
_LAST_VALUE = WindowFunction(
    "last_value",
    (Any.ELEMENT,),
    Any.ELEMENT,
    _last_value,
    spark="last_value({0})",
    framed=True,
    doc="The value of the last row of the frame.",
)
_NTH_VALUE = WindowFunction(
    "nth_value",
    (Any.ELEMENT, INT4),
    Any.ELEMENT,
    _nth_value,
    framed=True,
    doc="The value of the row at a place in the frame, from 1.",
)

FAMILY = Family(
    "Window functions",
    windows=(
        _ROW_NUMBER,
        _RANK,
        _DENSE_RANK,
        _PERCENT_RANK,
        _CUME_DIST,
        _NTILE,
        _shift_function("lag", -1, "before"),
        _shift_function("lead", 1, "after"),
        _FIRST_VALUE,
        _LAST_VALUE,
        _NTH_VALUE,
    ),
)
