"""Plans in the form that programs are made of.

Names are gone: a subplan that is used twice is one node, and its updates are made once. Keys of groups, partitions and
outer joins are columns of what is below. Windows with several partitions stand one above the other. Conditions on
`mz_now()`, and those of joins that may fail, stand alone, in filters of their own.
"""

from __future__ import annotations

from dataclasses import replace

from holdfast.compute.delta.clock import has_clock
from holdfast.compute.delta.equations import columns_of_parts, looked_up, of_one_type
from holdfast.compute.delta.join import equated_columns
from holdfast.compute.evaluate.scalars import can_fail
from holdfast.plan.keys import is_equation
from holdfast.plan.rebuild import inlined, rebuilt
from holdfast.plan.relation import (
    Distinct,
    Filter,
    Join,
    Let,
    LetRec,
    Map,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Window,
    WindowCall,
    column,
)
from holdfast.plan.scalar import Call, Column, Scalar, columns_of
from holdfast.plan.widened import widened


def normal(relation: Relation) -> Relation:
    done: dict[Relation, Relation] = {}

    def visit(part: Relation) -> Relation:
        if isinstance(part, LetRec):
            return part
        if part not in done:
            done[part] = _own(rebuilt(part, lambda below, _: visit(below), lambda scalar: scalar))
        return done[part]

    return visit(without_names(relation))


def without_names(relation: Relation) -> Relation:
    """The relation with what a `Let` calls by a name wherever the name stands, but for those of recursions."""
    done: dict[Relation, Relation] = {}

    def visit(part: Relation) -> Relation:
        if part not in done:
            if isinstance(part, Let):
                done[part] = visit(inlined(part.body, part.name, part.value))
            else:
                done[part] = rebuilt(part, lambda below, _: visit(below), lambda scalar: scalar)
        return done[part]

    return visit(relation)


def _own(relation: Relation) -> Relation:
    match relation:
        case Distinct():
            return Reduce(relation.input, tuple(column(relation, index) for index in range(len(relation.columns))))
        case Reduce() if not all(isinstance(key, Column) for key in relation.keys):
            below, keys = _with_columns(relation.input, relation.keys)
            return Reduce(below, keys, relation.aggregates)
        case Window():
            return _windows(relation)
        case OuterJoin() | SemiJoin() if not equated_columns(relation.predicates, len(relation.left.columns)):
            return _joined_by_columns(relation)
        case Join() if any(map(can_fail, relation.predicates)):
            # Where the changes of its inputs meet, a join makes pairs that cancel; those are not to be evaluated.
            surely = tuple(each for each in relation.predicates if not can_fail(each))
            return Filter(_own(Join(relation.inputs, surely)), tuple(filter(can_fail, relation.predicates)))
        case Join() if any(map(has_clock, relation.predicates)):
            timeless = tuple(each for each in relation.predicates if not has_clock(each))
            return _own(Filter(_own(Join(relation.inputs, timeless)), _timed(relation.predicates)))
        case Join():
            return _found_by_columns(relation)
        case Filter() if any(map(has_clock, relation.predicates)):
            timeless = tuple(each for each in relation.predicates if not has_clock(each))
            below = Filter(relation.input, timeless) if timeless else relation.input
            return Filter(below, _timed(relation.predicates))
    return relation


def _timed(predicates: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return tuple(each for each in predicates if has_clock(each))


def _with_columns(below: Relation, scalars: tuple[Scalar, ...]) -> tuple[Relation, tuple[Scalar, ...]]:
    """A relation in which all of the scalars are columns, and which these are."""
    added = tuple(dict.fromkeys(scalar for scalar in scalars if not isinstance(scalar, Column)))
    made = Map(below, added) if added else below
    places = {scalar: len(below.columns) + place for place, scalar in enumerate(added)}
    return made, tuple(scalar if isinstance(scalar, Column) else column(made, places[scalar]) for scalar in scalars)


def _windows(relation: Window) -> Relation:
    width, made = len(relation.input.columns), relation.input
    places: dict[int, int] = {}
    by_partition: dict[tuple[Scalar, ...], list[int]] = {}
    for number, call in enumerate(relation.calls):
        by_partition.setdefault(call.partition, []).append(number)
    for partition, numbers in by_partition.items():
        made, keys = _with_columns(made, partition)
        calls = tuple(_partitioned(relation.calls[number], keys) for number in numbers)
        places |= {number: len(made.columns) + place for place, number in enumerate(numbers)}
        made = Window(made, calls)
    wanted = (*range(width), *(places[number] for number in range(len(relation.calls))))
    return made if wanted == tuple(range(len(made.columns))) else Project(made, wanted)


def _partitioned(call: WindowCall, keys: tuple[Scalar, ...]) -> WindowCall:
    return replace(call, partition=keys)


def _found_by_columns(relation: Join) -> Relation:
    """With the sides of equations as columns of the inputs that they are about, unless rows are found by what is there.

    That keeps nothing: an input with such columns is state only where nothing else says which of its rows are wanted.
    """
    parts = columns_of_parts(relation)
    alike: dict[Scalar, Call] = {}
    added: dict[Scalar, int] = {}
    for predicate in relation.predicates:
        equation = of_one_type(predicate, *predicate.arguments) if is_equation(predicate) else None
        if equation is None or can_fail(predicate):
            continue
        for one, other in (equation.arguments, equation.arguments[::-1]):
            number = _part(one, other, parts)
            if number is not None and looked_up(one) is None:
                alike[predicate] = equation
                added[one] = number
    if not added:
        return relation
    found = widened(relation.inputs, [alike.get(each, each) for each in relation.predicates], added)
    return Project(Join(found.inputs, found.predicates), found.outputs)


def _part(one: Scalar, other: Scalar, parts: list[range]) -> int | None:
    """The input that one side of an equation is about, if the other is about others."""
    columns, others = columns_of(one), columns_of(other)
    if not columns or not others:
        return None
    return next((n for n, own in enumerate(parts) if columns <= set(own) and others.isdisjoint(own)), None)


def _joined_by_columns(relation: OuterJoin | SemiJoin) -> Relation:
    """With the sides of equations between expressions as columns, so that rows are found by them."""
    width = len(relation.left.columns)
    alike = {each: pair for each in relation.predicates if (pair := _sides(each, width)) is not None}
    if not alike:
        return relation
    sides = [(side, number) for pair in alike.values() for number, side in enumerate(pair.arguments)]
    added: dict[Scalar, int] = {side: number for side, number in sides if not isinstance(side, Column)}
    predicates = [alike.get(each, each) for each in relation.predicates]
    found = widened((relation.left, relation.right), predicates, added)
    left, right = found.inputs
    made = replace(relation, left=left, right=right, predicates=found.predicates)
    return Project(made, found.outputs[: len(relation.columns)])


def _sides(predicate: Scalar, left: int) -> Call | None:
    """An equation of values of one type, ours first, if each is about one side, and it cannot fail."""
    if not is_equation(predicate) or can_fail(predicate):
        return None
    one, other = predicate.arguments
    of_one, of_other = columns_of(one), columns_of(other)
    if not of_one or not of_other:
        return None
    if max(of_one) < left <= min(of_other):
        return of_one_type(predicate, one, other)
    if max(of_other) < left <= min(of_one):
        return of_one_type(predicate, other, one)
    return None
