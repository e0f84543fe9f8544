"""Relational operators over rows in memory, each as `plan/relation.py` says what it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile

import pyarrow as pa

from holdfast.compute.evaluate.aggregation import distinct, reduced
from holdfast.compute.evaluate.budget import check_series, series_room
from holdfast.compute.evaluate.columns import columnar
from holdfast.compute.evaluate.joins import joined, outer_joined, semi_joined, true_for
from holdfast.compute.evaluate.keys import Key, Sorter, equality, ordering, same
from holdfast.compute.evaluate.limits import bounds
from holdfast.compute.evaluate.multiset import Multiset, union
from holdfast.compute.evaluate.python_calls import calls_users, reduce_with_calls, with_calls
from holdfast.compute.evaluate.scalars import Row, columns_at, compiled_all
from holdfast.compute.evaluate.values import rows_of
from holdfast.compute.evaluate.window import windowed
from holdfast.errors import UsageError
from holdfast.plan.errors import ProgramLimitExceeded
from holdfast.plan.functions.function import Types
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
    inputs,
)
from holdfast.plan.types import Type, record_of


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a relation is evaluated over: collections and parameters from outside, and bindings of Let and LetRec."""

    inputs: Mapping[str, pa.Table]
    parameters: Sequence[object] = ()
    bound: Mapping[str, Multiset] = field(default_factory=dict)
    kept: Mapping[Relation, Multiset] = field(default_factory=dict)
    """What was evaluated before, and stays the same in every round of a recursion."""
    most: int | None = None
    """Rows that a join or a series may come to."""

    def binding(self, name: str, value: Multiset) -> Surroundings:
        return replace(self, bound={**self.bound, name: value})


def types_of(relation: Relation) -> list[Type]:
    return [column.type for column in relation.columns]


def rows(
    relation: Relation, inputs: Mapping[str, pa.Table], parameters: Sequence[object] = ()
) -> list[tuple[object, ...]]:
    """The rows of a relation without `Outer` and `Apply`, in no particular order."""
    return list(expanded(relation, Surroundings(inputs, parameters)))


def expanded(relation: Relation, around: Surroundings) -> Sequence[Row]:
    return multiset(relation, around).expanded(types_of(relation))


def multiset(relation: Relation, around: Surroundings) -> Multiset:
    kept = around.kept.get(relation)
    if kept is not None:
        return kept
    parameters = around.parameters
    match relation:
        case Values():
            return Multiset(relation.rows)
        case Get() | Map() | Filter() | Project() | TopK():
            return _plain(relation, around)
        case Local():
            return around.bound[relation.name]
        case FlatMap():
            return _flat_map(relation, around)
        case Join():
            widths = [len(part.columns) for part in relation.inputs]
            parts = [multiset(part, around) for part in relation.inputs]
            return joined(parts, widths, relation.predicates, parameters, around.most)
        case OuterJoin():
            left, right = expanded(relation.left, around), expanded(relation.right, around)
            widths_of_both = len(relation.left.columns), len(relation.right.columns)
            return Multiset(
                outer_joined(
                    left, right, widths_of_both, relation.predicates, parameters, full=relation.full, most=around.most
                )
            )
        case SemiJoin():
            left_rows, width = multiset(relation.left, around), len(relation.left.columns)
            others = expanded(relation.right, around)
            return semi_joined(
                left_rows, others, width, relation.predicates, parameters, anti=relation.anti, most=around.most
            )
        case Reduce():
            reduce, members = reduce_with_calls(relation, expanded(relation.input, around), parameters)
            return Multiset(reduced(reduce, members, parameters))
        case Distinct():
            found = distinct(expanded(relation.input, around), equality(types_of(relation)))
            return Multiset([tuple(map(same, row)) for row in found])
        case Window():
            return Multiset(windowed(relation, expanded(relation.input, around), parameters))
        case Union():
            return union([multiset(part, around) for part in relation.inputs])
        case Negate():
            return multiset(relation.input, around).negated()
        case Threshold():
            return multiset(relation.input, around).positive(types_of(relation))
        case Let():
            return multiset(relation.body, around.binding(relation.name, multiset(relation.value, around)))
        case LetRec():
            return multiset(relation.body, _recursive(relation, around))
        case Apply():
            raise UsageError("the plan is not decorrelated")


def _plain(relation: Get | Map | Filter | Project | TopK, around: Surroundings) -> Multiset:
    """By whole columns as far as Arrow can say the same, and by rows from there on."""
    table = columnar(relation, around.inputs, around.parameters)
    if table is not None:
        return Multiset(rows_of(table, types_of(relation)))
    match relation:
        case Get():
            raise UsageError(f"there is no input {relation.name}")
        case Map():
            return _mapped(relation, multiset(relation.input, around), around.parameters)
        case Filter():
            return _filtered(relation, multiset(relation.input, around), around.parameters)
        case Project():
            return multiset(relation.input, around).each(columns_at(relation.outputs))
        case TopK():
            return Multiset(_top(relation, expanded(relation.input, around), around.parameters))


def _mapped(relation: Map, found: Multiset, parameters: Sequence[object]) -> Multiset:
    width = len(relation.input.columns)
    scalars, rows = with_calls(relation.scalars, found.rows, width, parameters)
    added = compiled_all(scalars, parameters)
    if rows is found.rows:
        return found.each(lambda row: row + added(row))
    return Multiset([row[:width] + added(row) for row in rows], found.counts)


def _filtered(relation: Filter, found: Multiset, parameters: Sequence[object]) -> Multiset:
    """What stands before the first call of a function of a user's is asked first."""
    plain = list(takewhile(lambda predicate: not calls_users(predicate), relation.predicates))
    found = found.where(true_for(plain, parameters))
    if len(plain) == len(relation.predicates):
        return found
    rest, width = relation.predicates[len(plain) :], len(relation.columns)
    scalars, rows = with_calls(rest, found.rows, width, parameters)
    kept = Multiset(rows, found.counts).where(true_for(scalars, parameters))
    return kept.each(lambda row: row[:width])


def _flat_map(relation: FlatMap, around: Surroundings) -> Multiset:
    function = relation.function
    arguments = compiled_all(relation.arguments, around.parameters)
    leading: tuple[object, ...] = ()
    if function.typed:
        of_columns = tuple(column.type for column in relation.returns)
        names = tuple(f"f{place}" for place in range(1, len(of_columns) + 1))
        result = of_columns[0] if len(of_columns) == 1 else record_of(names, of_columns)
        leading = (Types(tuple(argument.type for argument in relation.arguments), result),)
    missing = ((None,) * (len(relation.returns) + relation.ordinality),) if relation.outer else ()

    room = series_room(around.most) if function.long else None

    def change(row: Row) -> list[Row]:
        nonlocal room
        values = arguments(row)
        if function.strict and None in values:
            found: Sequence[Row] = ()
        else:
            made = function.python(*leading, *values)
            found = list(made if room is None else islice(made, room + 1))
        if room is not None:
            check_series(found, room, around.most)
            room -= len(found)
        if relation.ordinality:
            found = [(*new, place) for place, new in enumerate(found, start=1)]
        return [row + new for new in found or missing]

    return multiset(relation.input, around).flat(change)


def _top(relation: TopK, members: Sequence[Row], parameters: Sequence[object]) -> list[Row]:
    types = types_of(relation)
    sorter = Sorter(relation.order, ordering(types), parameters)
    group, same_group = columns_at(relation.group), equality([types[index] for index in relation.group])
    groups: dict[Key, list[Row]] = {} if relation.group else {(): []}
    for row in members:
        groups.setdefault(same_group(group(row)), []).append(row)
    found: list[Row] = []
    for part in groups.values():
        # Bounds are constants or, of a group, its columns.
        about = part[0] if part else (None,) * len(types)
        start, count = bounds(relation.limit, relation.offset, about, parameters)
        found.extend(islice(sorter.sort(part), start, None if count is None else start + count))
    return found


def _same_in_every_round(relation: Relation, names: frozenset[str]) -> set[Relation]:
    """The largest parts that read none of these."""
    if not _reads(relation, names):
        return set() if isinstance(relation, Get | Values | Local) else {relation}
    return set[Relation]().union(*(_same_in_every_round(part, names) for part in inputs(relation)))


def _reads(relation: Relation, names: frozenset[str]) -> bool:
    if isinstance(relation, Local):
        return relation.name in names
    return any(_reads(part, names) for part in inputs(relation))


def _recursive(relation: LetRec, around: Surroundings) -> Surroundings:
    outside, names = around, frozenset(binding.name for binding in relation.bindings)
    fixed = set[Relation]().union(*(_same_in_every_round(binding.value, names) for binding in relation.bindings))
    around = replace(around, kept={**around.kept, **{part: multiset(part, outside) for part in fixed}})
    for binding in relation.bindings:
        around = around.binding(binding.name, Multiset([]))
    rounds = 0
    while relation.limit is None or rounds < relation.limit:
        changed = False
        for binding in relation.bindings:
            types = [column.type for column in binding.columns]
            old, new = around.bound[binding.name], multiset(binding.value, around)
            changed = changed or bool(union([old.negated(), new]).consolidated(types))
            around = around.binding(binding.name, Multiset(new.expanded(types)))
        if not changed:
            return around
        rounds += 1
    if relation.error_at_limit:
        raise ProgramLimitExceeded(
            f"Recursive query exceeded the recursion limit {relation.limit}. (Use RETURN AT RECURSION LIMIT to not "
            "error, but return the current state as the final result when reaching the limit.)"
        )
    return around
