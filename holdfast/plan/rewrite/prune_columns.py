"""Columns that nothing needs are not made, and not read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from holdfast.plan.columns import projected
from holdfast.plan.free import scalars
from holdfast.plan.keys import covers, equated
from holdfast.plan.rebuild import aggregate_with, window_with
from holdfast.plan.relation import (
    Apply,
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    Let,
    LetRec,
    Local,
    Map,
    Negate,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Union,
    Values,
    Window,
)
from holdfast.plan.scalar import Scalar, columns_of, moved

Places = dict[int, int]
"""Where each column that was kept is now."""


def prune_columns(relation: Relation) -> Relation:
    """The same columns, of inputs that have only what is needed for them."""
    every = range(len(relation.columns))
    pruned, places = _Pruner().prune(relation, frozenset(every))
    return projected(pruned, [places[index] for index in every])


def _used(parts: Iterable[Scalar]) -> frozenset[int]:
    return frozenset[int]().union(*(columns_of(part) for part in parts))


class _Pruner:
    """`wanted` columns of each binding of a Let are found by going through its body once to see, and once to prune."""

    def __init__(self) -> None:
        self._asked: dict[str, set[int]] = {}
        self._kept: dict[str, list[int]] = {}

    def prune(self, relation: Relation, wanted: frozenset[int]) -> tuple[Relation, Places]:
        """The relation with at least the wanted columns, and where they are."""
        match relation:
            case Project():
                below, places = self.prune(relation.input, frozenset(relation.outputs[i] for i in wanted))
                kept = sorted(wanted)
                return projected(below, [places[relation.outputs[i]] for i in kept]), _numbered(kept)
            case Map():
                return self._map(relation, wanted)
            case Filter():
                below, places = self.prune(relation.input, wanted | _used(relation.predicates))
                return Filter(below, _all_moved(relation.predicates, places)), places
            case FlatMap():
                return self._flat_map(relation, wanted)
            case Join():
                return self._join(relation, wanted)
            case OuterJoin():
                return self._outer_join(relation, wanted)
            case SemiJoin():
                return self._semi_join(relation, wanted)
            case Reduce():
                return self._reduce(relation, wanted)
            case TopK():
                needed = wanted | _used(scalars(relation)) | frozenset(relation.group)
                return self._ordered(relation, needed)
            case Window():
                return self._window(relation, wanted)
            case Union():
                kept = sorted(wanted)
                return Union(tuple(self.exactly(part, kept) for part in relation.inputs)), _numbered(kept)
            case Let():
                return self._let(relation, wanted)
            case Local() if relation.name in self._kept:
                kept = self._kept[relation.name]
                return Local(relation.name, tuple(relation.columns[i] for i in kept)), _numbered(kept)
            case Local():
                self._asked.setdefault(relation.name, set()).update(wanted)
                return relation, _numbered(range(len(relation.columns)))
            case Values() if relation.rows:
                kept = sorted(wanted)
                rows = tuple(tuple(row[i] for i in kept) for row in relation.rows)
                return Values(rows, tuple(relation.columns[i] for i in kept)), _numbered(kept)
            case Get():
                kept = sorted(wanted)
                return projected(relation, kept), _numbered(kept)
            case Distinct() | Negate() | Threshold():
                # Every column tells rows apart.
                every = frozenset(range(len(relation.columns)))
                below, places = self.prune(relation.input, every)
                return replace(relation, input=projected(below, [places[i] for i in sorted(every)])), _numbered(every)
            case Values() | LetRec() | Apply():
                return relation, _numbered(range(len(relation.columns)))

    def exactly(self, relation: Relation, kept: list[int]) -> Relation:
        """The columns `kept`, in this order."""
        below, places = self.prune(relation, frozenset(kept))
        return projected(below, [places[i] for i in kept])

    def _map(self, relation: Map, wanted: frozenset[int]) -> tuple[Relation, Places]:
        width = len(relation.input.columns)
        made = sorted(index for index in wanted if index >= width)
        needed = [relation.scalars[index - width] for index in made]
        below, places = self.prune(relation.input, frozenset(i for i in wanted if i < width) | _used(needed))
        if not made:
            return below, places
        at = len(below.columns)
        return Map(below, _all_moved(needed, places)), places | {index: at + n for n, index in enumerate(made)}

    def _flat_map(self, relation: FlatMap, wanted: frozenset[int]) -> tuple[Relation, Places]:
        width = len(relation.input.columns)
        needed = frozenset(i for i in wanted if i < width) | _used(relation.arguments)
        below, places = self.prune(relation.input, needed)
        arguments = _all_moved(relation.arguments, places)
        found = replace(relation, input=below, arguments=arguments)
        shift = len(below.columns) - width
        return found, places | {i: i + shift for i in range(width, len(relation.columns))}

    def _join(self, relation: Join, wanted: frozenset[int]) -> tuple[Relation, Places]:
        needed = wanted | _used(relation.predicates)
        parts, places = self._side_by_side(relation.inputs, needed)
        return Join(parts, _all_moved(relation.predicates, places)), places

    def _outer_join(self, relation: OuterJoin, wanted: frozenset[int]) -> tuple[Relation, Places]:
        if not relation.full and all(i < len(relation.left.columns) for i in wanted) and _looks_up(relation):
            return self.prune(relation.left, wanted)
        needed = wanted | _used(relation.predicates)
        (left, right), places = self._side_by_side((relation.left, relation.right), needed)
        predicates = _all_moved(relation.predicates, places)
        return replace(relation, left=left, right=right, predicates=predicates), places

    def _semi_join(self, relation: SemiJoin, wanted: frozenset[int]) -> tuple[Relation, Places]:
        needed = wanted | _used(relation.predicates)
        (left, right), places = self._side_by_side((relation.left, relation.right), needed)
        predicates = _all_moved(relation.predicates, places)
        return replace(relation, left=left, right=right, predicates=predicates), places

    def _side_by_side(self, parts: tuple[Relation, ...], needed: frozenset[int]) -> tuple[tuple[Relation, ...], Places]:
        pruned: list[Relation] = []
        places: Places = {}
        at = start = 0
        for part in parts:
            own = frozenset(i - start for i in needed if start <= i < start + len(part.columns))
            below, there = self.prune(part, own)
            pruned.append(below)
            places |= {start + old: at + new for old, new in there.items()}
            start += len(part.columns)
            at += len(below.columns)
        return tuple(pruned), places

    def _reduce(self, relation: Reduce, wanted: frozenset[int]) -> tuple[Relation, Places]:
        keys = len(relation.keys)
        kept = sorted(index for index in wanted if index >= keys)
        calls = tuple(relation.aggregates[index - keys] for index in kept)
        needed = _used(scalars(Reduce(relation.input, relation.keys, calls)))
        below, places = self.prune(relation.input, needed)
        moved_calls = tuple(aggregate_with(call, lambda scalar: _moved(scalar, places)) for call in calls)
        found = Reduce(below, _all_moved(relation.keys, places), moved_calls)
        return found, _numbered(range(keys)) | {index: keys + n for n, index in enumerate(kept)}

    def _ordered(self, relation: TopK, needed: frozenset[int]) -> tuple[Relation, Places]:
        # Rows that are equal in the order are told apart by all columns, so all stay.
        every = frozenset(range(len(relation.columns)))
        assert needed <= every
        below, places = self.prune(relation.input, every)
        return replace(relation, input=projected(below, [places[i] for i in sorted(every)])), _numbered(every)

    def _window(self, relation: Window, wanted: frozenset[int]) -> tuple[Relation, Places]:
        width = len(relation.input.columns)
        kept = sorted(index for index in wanted if index >= width)
        calls = tuple(relation.calls[index - width] for index in kept)
        if not kept:
            return self.prune(relation.input, wanted)
        needed = frozenset(i for i in wanted if i < width) | _used(scalars(Window(relation.input, calls)))
        below, places = self.prune(relation.input, needed)
        at = len(below.columns)
        moved_calls = tuple(window_with(call, lambda scalar: _moved(scalar, places)) for call in calls)
        return Window(below, moved_calls), places | {index: at + n for n, index in enumerate(kept)}

    def _let(self, relation: Let, wanted: frozenset[int]) -> tuple[Relation, Places]:
        looker = _Pruner()
        looker._kept = dict(self._kept)
        looker._asked = self._asked
        looker._asked[relation.name] = set()
        looker.prune(relation.body, wanted)
        kept = sorted(self._asked.pop(relation.name))
        value = self.exactly(relation.value, kept)
        inner = _Pruner()
        inner._kept = {**self._kept, relation.name: kept}
        inner._asked = self._asked
        body, places = inner.prune(relation.body, wanted)
        return Let(relation.name, value, body), places


def _looks_up(join: OuterJoin) -> bool:
    """Whether each row of the left side finds at most one of the right, so that it is there once either way."""
    width = len(join.left.columns)
    pairs = [pair for pair in map(equated, join.predicates) if pair is not None]
    bound = [max(pair) - width for pair in pairs if min(pair) < width <= max(pair)]
    return covers(join.right, bound)


def _numbered(kept: Iterable[int]) -> Places:
    return {old: new for new, old in enumerate(sorted(kept))}


def _moved(scalar: Scalar, places: Places) -> Scalar:
    return moved(scalar, lambda index: places[index])


def _all_moved(parts: Iterable[Scalar], places: Places) -> tuple[Scalar, ...]:
    return tuple(_moved(part, places) for part in parts)
