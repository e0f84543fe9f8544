"""Frames: for each row of a partition, which rows a window function looks at.

Positions are those of the partition in its order. Rows that the ORDER BY leaves equal are peers, and a peer group is
all of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf, isnan
from typing import Any, TypeAlias

from holdfast.compute.evaluate.scalars import Row, compiled
from holdfast.plan.calendar import INFINITY, MICROS_PER_DAY, MINUS_INFINITY
from holdfast.plan.date_arithmetic import timestamp_minus, timestamp_of_date, timestamp_plus
from holdfast.plan.errors import InvalidPrecedingOrFollowingSize, NullValueNotAllowed
from holdfast.plan.functions.numeric_types import EXACT
from holdfast.plan.functions.windows import Peers
from holdfast.plan.interval_arithmetic import is_finite, minus, plus
from holdfast.plan.order import sort_key
from holdfast.plan.relation import Frame, FrameBound, OrderKey
from holdfast.plan.text.interval_text import INFINITE, MINUS_INFINITE
from holdfast.plan.types import Interval, Type


@dataclass(frozen=True, slots=True)
class Partition:
    """The rows of a partition in order, and which of them are peers."""

    rows: Sequence[Row]
    peers: Peers
    order: tuple[OrderKey, ...]


def frames(frame: Frame, partition: Partition, parameters: Sequence[object]) -> list[Sequence[int]]:
    """For each row, the positions in its frame, in order."""
    offsets = _Offsets(frame, parameters)
    starts, ends = _bounds(frame, partition, offsets, parameters)
    whole = [range(start, max(start, end)) for start, end in zip(starts, ends, strict=True)]
    if frame.exclude is None:
        return list(whole)
    return [_without(frame.exclude, positions, place, partition.peers) for place, positions in enumerate(whole)]


class _Offsets:
    """The offsets of a frame. They are the same for all rows."""

    def __init__(self, frame: Frame, parameters: Sequence[object]) -> None:
        self.start = _offset(frame, frame.start, "starting", parameters)
        self.end = _offset(frame, frame.end, "ending", parameters)


def _offset(frame: Frame, bound: FrameBound, which: str, parameters: Sequence[object]) -> Any:  # a value of its type
    if bound.offset is None:
        return None
    value = compiled(bound.offset, parameters)(())
    if value is None:
        raise NullValueNotAllowed(f"frame {which} offset must not be null")
    if frame.unit == "range":
        if _is_negative(value):
            raise InvalidPrecedingOrFollowingSize("invalid preceding or following size in window function")
    elif value < 0:
        raise InvalidPrecedingOrFollowingSize(f"frame {which} offset must not be negative")
    return value


def _is_negative(value: Any) -> bool:  # a number or an Interval
    if isinstance(value, Interval):
        # As PostgreSQL compares intervals, a month having thirty days.
        return (value.months * 30 + value.days) * MICROS_PER_DAY + value.micros < 0
    return bool(value < 0 or value != value)


def _bounds(
    frame: Frame, partition: Partition, offsets: _Offsets, parameters: Sequence[object]
) -> tuple[list[int], list[int]]:
    """The first position of each frame, and the one after its last."""
    match frame.unit:
        case "rows":
            return _row_bounds(frame, len(partition.rows), offsets)
        case "groups":
            return _group_bounds(frame, partition, offsets)
        case "range":
            return _range_bounds(frame, partition, offsets, parameters)


def _signed(bound: FrameBound, offset: Any) -> int:  # an int or None
    return -offset if bound.kind == "preceding" else offset if bound.kind == "following" else 0


def _row_bounds(frame: Frame, size: int, offsets: _Offsets) -> tuple[list[int], list[int]]:
    first, last = _signed(frame.start, offsets.start), _signed(frame.end, offsets.end)
    starts = [0 if frame.start.kind == "unbounded preceding" else _clamp(i + first, size) for i in range(size)]
    ends = [size if frame.end.kind == "unbounded following" else _clamp(i + last + 1, size) for i in range(size)]
    return starts, ends


def _clamp(position: int, size: int) -> int:
    return min(max(position, 0), size)


def _group_bounds(frame: Frame, partition: Partition, offsets: _Offsets) -> tuple[list[int], list[int]]:
    size, groups = len(partition.rows), sorted(set(partition.peers))
    number = {group: place for place, group in enumerate(groups)}
    first, last = _signed(frame.start, offsets.start), _signed(frame.end, offsets.end)

    def start(place: int) -> int:
        if frame.start.kind == "unbounded preceding" or place + first < 0:
            return 0
        return groups[place + first][0] if place + first < len(groups) else size

    def end(place: int) -> int:
        if frame.end.kind == "unbounded following" or place + last >= len(groups):
            return size
        return groups[place + last][1] if place + last >= 0 else 0

    places = [number[group] for group in partition.peers]
    return [start(place) for place in places], [end(place) for place in places]


def _range_bounds(
    frame: Frame, partition: Partition, offsets: _Offsets, parameters: Sequence[object]
) -> tuple[list[int], list[int]]:
    size, peers = len(partition.rows), partition.peers
    near = _Near(partition, parameters) if offsets.start is not None or offsets.end is not None else None
    match frame.start.kind:
        case "unbounded preceding":
            starts = [0] * size
        case "current row":
            starts = [start for start, _ in peers]
        case _ if near is not None:
            starts = [near.start(i, frame.start.kind == "preceding", offsets.start) for i in range(size)]
    match frame.end.kind:
        case "unbounded following":
            ends = [size] * size
        case "current row":
            ends = [end for _, end in peers]
        case _ if near is not None:
            ends = [near.end(i, frame.end.kind == "preceding", offsets.end) for i in range(size)]
    return starts, ends


class _Near:
    """Where the rows are whose value is at most an offset away from that of a row. Nulls are near to nulls only."""

    def __init__(self, partition: Partition, parameters: Sequence[object]) -> None:
        (order,) = partition.order
        self._peers, self._descending = partition.peers, order.descending
        value = compiled(order.expression, parameters)
        convert, self._shift = _arithmetic(order.expression.type)
        values = (value(row) for row in partition.rows)
        self._values = [None if value is None else convert(value) for value in values]
        self._key = sort_key(order.expression.type)
        present = [self._key(value) for value in self._values if value is not None]
        self._first = next((i for i, value in enumerate(self._values) if value is not None), 0)
        self._size = len(present)
        self._keys = present[::-1] if self._descending else present

    def start(self, place: int, preceding: bool, offset: Any) -> int:  # a value of the offset's type
        value = self._values[place]
        if value is None:
            return self._peers[place][0]
        bound = self._key(self._shift(value, offset, preceding is not self._descending, self._descending))
        if self._descending:
            return self._first + self._size - bisect_right(self._keys, bound)
        return self._first + bisect_left(self._keys, bound)

    def end(self, place: int, preceding: bool, offset: Any) -> int:  # as above
        value = self._values[place]
        if value is None:
            return self._peers[place][1]
        bound = self._key(self._shift(value, offset, preceding is not self._descending, not self._descending))
        if self._descending:
            return self._first + self._size - bisect_left(self._keys, bound)
        return self._first + bisect_right(self._keys, bound)


Shift: TypeAlias = Callable[[Any, Any, bool, bool], Any]
"""`shift(value, offset, subtract, high)` adds an offset to a value, or subtracts it. Of infinities that leave the sum
open it is the greatest or the least, as `high` says, so that every row is near."""


def _arithmetic(type_: Type) -> tuple[Callable[[Any], Any], Shift]:
    """How values of the type are converted before an offset is added to them, and how that is done."""
    match type_.base:
        case "date":
            return timestamp_of_date, _timestamp_shift
        case "timestamp" | "timestamptz":
            return _itself, _timestamp_shift
        case "time":
            return _itself, _time_shift
        case "interval":
            return _itself, _interval_shift
        case "float4" | "float8":
            return _itself, _float_shift
        case "numeric":
            return _itself, _decimal_shift
    return _itself, _integer_shift


def _itself(value: Any) -> Any:  # a value of any type
    return value


def _timestamp_shift(value: int, offset: Interval, subtract: bool, high: bool) -> int:
    if not is_finite(offset) and value == (INFINITY if subtract else MINUS_INFINITY):
        return INFINITY if high else MINUS_INFINITY
    return timestamp_minus(value, offset) if subtract else timestamp_plus(value, offset)


def _time_shift(value: int, offset: Interval, subtract: bool, _: bool) -> int:
    """Unlike the sum of a time and an interval it goes on beyond midnight."""
    return value - offset.micros if subtract else value + offset.micros


def _interval_shift(value: Interval, offset: Interval, subtract: bool, high: bool) -> Interval:
    if not is_finite(offset) and value == (INFINITE if subtract else MINUS_INFINITE):
        return INFINITE if high else MINUS_INFINITE
    return minus(value, offset) if subtract else plus(value, offset)


def _float_shift(value: float, offset: float, subtract: bool, high: bool) -> float:
    found = value - offset if subtract else value + offset
    if isnan(found) and not isnan(value):
        return inf if high else -inf
    return found


def _decimal_shift(value: Decimal, offset: Decimal, subtract: bool, _: bool) -> Decimal:
    return EXACT.subtract(value, offset) if subtract else EXACT.add(value, offset)


def _integer_shift(value: int, offset: int, subtract: bool, _: bool) -> int:
    return value - offset if subtract else value + offset


def _without(exclude: str, positions: range, place: int, peers: Peers) -> list[int]:
    start, end = (place, place + 1) if exclude == "current row" else peers[place]
    kept = [place] if exclude == "ties" and place in positions else []
    before = range(positions.start, min(positions.stop, start))
    after = range(max(positions.start, end), positions.stop)
    return [*before, *kept, *after]
