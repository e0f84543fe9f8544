"""Frames: for each row of a partition, which rows a window function looks at.

Positions are those of the partition in its order. Rows that the ORDER BY leaves equal are peers, and a peer group is
all of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from math import inf, isnan
from typing import Any

from holdfast.compute.evaluate.scalars import Row, compiled
from holdfast.errors import UsageError
from holdfast.plan.errors import InvalidPrecedingOrFollowingSize, NullValueNotAllowed
from holdfast.plan.functions.registry import OPERATORS
from holdfast.plan.functions.windows import Peers
from holdfast.plan.order import sort_key
from holdfast.plan.relation import Frame, FrameBound, OrderKey
from holdfast.plan.types import Interval, Type

_EXACT = Context(prec=100)
_MICROS_OF_A_DAY = 86_400_000_000


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
        return (value.months * 30 + value.days) * _MICROS_OF_A_DAY + value.micros < 0
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
        convert, self._shift, key_type = _arithmetic(order.expression.type)
        values = (value(row) for row in partition.rows)
        self._values = [None if value is None else convert(value) for value in values]
        self._key = sort_key(key_type)
        present = [self._key(value) for value in self._values if value is not None]
        self._first = next((i for i, value in enumerate(self._values) if value is not None), 0)
        self._size = len(present)
        self._keys = present[::-1] if self._descending else present

    def start(self, place: int, preceding: bool, offset: Any) -> int:  # a value of the offset's type
        value = self._values[place]
        if value is None:
            return self._peers[place][0]
        bound = self._key(self._shift(value, offset, preceding is not self._descending, False))
        if self._descending:
            return self._first + self._size - bisect_right(self._keys, bound)
        return self._first + bisect_left(self._keys, bound)

    def end(self, place: int, preceding: bool, offset: Any) -> int:  # as above
        value = self._values[place]
        if value is None:
            return self._peers[place][1]
        bound = self._key(self._shift(value, offset, preceding is not self._descending, True))
        if self._descending:
            return self._first + self._size - bisect_left(self._keys, bound)
        return self._first + bisect_right(self._keys, bound)


def _arithmetic(type_: Type) -> tuple[Callable[[Any], Any], Callable[[Any, Any, bool, bool], Any], Type]:
    """How values of the type are converted before an offset is added to them, how that is done, and their type then.

    Offsets are added as `shift(value, offset, subtract, is_end)`.
    """
    match type_.base:
        case "date":
            add = _timestamp_plus()
            return lambda day: day * _MICROS_OF_A_DAY, add, type_
        case "timestamp" | "timestamptz":
            return lambda micros: micros, _timestamp_plus(), type_
        case "time":
            return lambda micros: micros, _time_plus, type_
        case "interval":
            return lambda value: value, _interval_plus, type_
        case "float4" | "float8":
            return lambda value: value, _float_plus, type_
        case "numeric":
            return lambda value: value, _decimal_plus, type_
    return lambda value: value, lambda value, offset, subtract, _: value - offset if subtract else value + offset, type_


def _timestamp_plus() -> Callable[[int, Interval, bool, bool], Any]:  # micros
    for function in OPERATORS.get("+", ()):
        bases = [argument.base for argument in function.arguments if isinstance(argument, Type)]
        if bases == ["timestamp", "interval"] and function.python is not None:
            add = function.python
            return lambda value, offset, subtract, _: add(value, _negated(offset) if subtract else offset)
    raise UsageError("there is no function that adds an interval to a timestamp")


def _negated(interval: Interval) -> Interval:
    return Interval(-interval.months, -interval.days, -interval.micros)


def _time_plus(value: int, offset: Interval, subtract: bool, _: bool) -> int:
    return value - offset.micros if subtract else value + offset.micros


def _interval_plus(value: Interval, offset: Interval, subtract: bool, _: bool) -> Interval:
    other = _negated(offset) if subtract else offset
    return Interval(value.months + other.months, value.days + other.days, value.micros + other.micros)


def _float_plus(value: float, offset: float, subtract: bool, is_end: bool) -> float:
    found = value - offset if subtract else value + offset
    if isnan(found) and not isnan(value):
        # Infinitely far from infinity is everything but NaN.
        return inf if is_end else -inf
    return found


def _decimal_plus(value: Decimal, offset: Decimal, subtract: bool, _: bool) -> Decimal:
    return _EXACT.subtract(value, offset) if subtract else _EXACT.add(value, offset)


def _without(exclude: str, positions: range, place: int, peers: Peers) -> list[int]:
    start, end = (place, place + 1) if exclude == "current row" else peers[place]
    kept = [place] if exclude == "ties" and place in positions else []
    before = range(positions.start, min(positions.stop, start))
    after = range(max(positions.start, end), positions.stop)
    return [*before, *kept, *after]
