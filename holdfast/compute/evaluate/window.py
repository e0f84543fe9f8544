"""Window functions over rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any

from holdfast.compute.evaluate.aggregation import Fold, fold_of
from holdfast.compute.evaluate.frames import Partition, frames
from holdfast.compute.evaluate.keys import Key, Sorter, equality, ordering
from holdfast.compute.evaluate.scalars import Row, compiled, compiled_all
from holdfast.plan.functions.function import Aggregate, Types, WindowFunction
from holdfast.plan.functions.running import Running
from holdfast.plan.functions.windows import Peers, WindowRows
from holdfast.plan.relation import Frame, Window, WindowCall
from holdfast.plan.types import Type


def windowed(window: Window, rows: Sequence[Row], parameters: Sequence[object]) -> list[Row]:
    types = [column.type for column in window.input.columns]
    added = [_column(call, rows, types, parameters) for call in window.calls]
    return [(*row, *values) for row, values in zip(rows, zip(*added, strict=True), strict=True)]


def _column(call: WindowCall, rows: Sequence[Row], types: Sequence[Type], parameters: Sequence[object]) -> list[object]:
    """The value of the call for each row."""
    by_columns = ordering(types)
    sorter = Sorter(call.order, lambda placed: by_columns(placed[:-1]), parameters)
    partition_of = compiled_all(call.partition, parameters)
    same_partition = equality([part.type for part in call.partition])
    partitions: dict[Key, list[Row]] = {}
    for place, row in enumerate(rows):
        partitions.setdefault(same_partition(partition_of(row)), []).append((*row, place))
    found: list[object] = [None] * len(rows)
    for members in partitions.values():
        placed = sorter.sort(members)
        partition = Partition(placed, _peers(placed, sorter), call.order)
        for row, value in zip(placed, _values(call, partition, parameters), strict=True):
            found[row[-1]] = value
    return found


def _peers(rows: Sequence[Row], sorter: Sorter) -> Peers:
    """For each row where its peer group starts and ends."""
    keys = [sorter.peer_key(row) for row in rows]
    starts = [place for place, key in enumerate(keys) if place == 0 or key != keys[place - 1]]
    return [
        (start, end) for start, end in zip(starts, [*starts[1:], len(rows)], strict=True) for _ in range(end - start)
    ]


def _values(call: WindowCall, partition: Partition, parameters: Sequence[object]) -> Sequence[object]:
    arguments = compiled_all(call.arguments, parameters)
    of_rows = [arguments(row) for row in partition.rows]
    match call.function:
        case WindowFunction():
            in_frames = frames(call.frame, partition, parameters) if call.function.framed else ()
            return call.function.python(WindowRows(of_rows, in_frames, partition.peers, call.ignore_nulls))
        case Aggregate():
            in_frames = frames(call.frame, partition, parameters)
            keep = None if call.filter is None else compiled(call.filter, parameters)
            strict = call.function.strict and bool(call.arguments)
            counts = [
                (keep is None or keep(row) is True) and not (strict and None in values)
                for row, values in zip(partition.rows, of_rows, strict=True)
            ]
            if call.function.running is None or not _grows(call.frame):
                return _aggregates(fold_of(call, call.function), of_rows, in_frames, counts)
            types = Types(tuple(argument.type for argument in call.arguments), call.type)
            return _running(partial(call.function.running, types), of_rows, in_frames, counts)


def _grows(frame: Frame) -> bool:
    """Whether frames go on from row to row, forward or backward, with all rows that they had."""
    return frame.exclude is None and "unbounded" in f"{frame.start.kind} {frame.end.kind}"


def _aggregates(
    fold: Fold, arguments: Sequence[Row], in_frames: Sequence[Sequence[int]], counts: Sequence[bool]
) -> list[object]:
    found: list[object] = []
    last: Sequence[int] | None = None
    for positions in in_frames:
        # Peers mostly have one frame.
        if positions != last:
            value = fold([arguments[place] for place in positions if counts[place]])
            last = positions
        found.append(value)
    return found


def _running(
    start: Callable[[], Running[Any]],  # a state of any kind
    arguments: Sequence[Row],
    in_frames: Sequence[Sequence[int]],
    counts: Sequence[bool],
) -> list[object]:
    """A frame that has all rows of the one before it adds to its state; any other begins anew.

    Frames grow from row to row if they begin where the partition does, and the other way round if they end there.
    """
    backward = bool(in_frames) and len(in_frames[0]) > len(in_frames[-1])
    found: list[object] = []
    there: Sequence[int] = ()
    state = start()
    for positions in reversed(in_frames) if backward else in_frames:
        if positions != there or not found:
            added: Iterable[int] = positions
            if isinstance(positions, range) and isinstance(there, range) and _has_all(positions, there):
                added = chain(range(positions.start, there.start), range(there.stop, positions.stop))
            else:
                state = start()
            for place in added:
                if counts[place]:
                    state.add(arguments[place])
            value, there = state.value(), positions
        found.append(value)
    return found[::-1] if backward else found


def _has_all(frame: range, other: range) -> bool:
    return bool(other) and frame.start <= other.start and other.stop <= frame.stop
