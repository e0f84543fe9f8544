"""Window functions over rows in memory."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.compute.evaluate.aggregation import Fold, fold_of
from holdfast.compute.evaluate.frames import Partition, frames
from holdfast.compute.evaluate.keys import Key, Sorter, equality, ordering
from holdfast.compute.evaluate.scalars import Row, compiled, compiled_all
from holdfast.plan.functions.function import Aggregate, WindowFunction
from holdfast.plan.functions.windows import Peers, WindowRows
from holdfast.plan.relation import Window, WindowCall
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
            counts = [keep is None or keep(row) is True for row in partition.rows]
            return _aggregates(fold_of(call, call.function), of_rows, in_frames, counts)


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
