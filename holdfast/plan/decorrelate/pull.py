"""Pulling: a query without the comparisons that tie it to outer rows, and these comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdfast.plan.columns import (
    appended,
    columns_at,
    empty_value,
    projected,
    replaced,
    width_of,
)
from holdfast.plan.decorrelate.row import Lowering, Row, translated
from holdfast.plan.decorrelate.ties import (
    CannotPull,
    Pulled,
    Tie,
    has_one_row,
    on_default,
    tie_sides,
    trimmed,
    without_residual,
)
from holdfast.plan.free import free_in, free_in_scalar, holds_query, scalars
from holdfast.plan.relation import (
    Distinct,
    Filter,
    Join,
    Map,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    TopK,
    Union,
    Window,
)
from holdfast.plan.scalar import (
    Column,
    Constant,
    Scalar,
)


def try_pull(relation: Relation, lowering: Lowering) -> Pulled | None:
    try:
        return _pull(relation, lowering)
    except CannotPull:
        return None


def _pull(relation: Relation, lowering: Lowering) -> Pulled:
    if not free_in(relation):
        return Pulled(lowering.alone(relation), width_of(relation), one_row=has_one_row(relation))
    match relation:
        case Filter():
            return _pull_filter(_pull(relation.input, lowering), relation.predicates, lowering)
        case Join():
            return _pull_join(relation, lowering)
        case Map():
            return _pull_map(relation, lowering)
        case Project():
            return _pull_project(relation, lowering)
        case Reduce():
            return _pull_reduce(relation, lowering)
        case Distinct():
            pulled = without_residual(_pull(relation.input, lowering))
            return replace(pulled, relation=Distinct(trimmed(pulled).relation), ties=trimmed(pulled).ties)
        case TopK():
            return _pull_topk(relation, lowering)
        case Window():
            return _pull_window(relation, lowering)
        case Union():
            return _pull_union(relation, lowering)
        case OuterJoin() if not relation.full and not free_in(relation.right):
            return _pull_outer_join(relation, lowering)
    raise CannotPull


def _inside(scalars: Sequence[Scalar]) -> None:
    """Refuse scalars that refer to outer rows."""
    if any(free_in_scalar(scalar) for scalar in scalars):
        raise CannotPull


def _pull_filter(pulled: Pulled, predicates: Sequence[Scalar], lowering: Lowering) -> Pulled:
    if pulled.default is not None:
        raise CannotPull
    row = Row(pulled.relation, 0, pulled.width, (), lowering)
    row.keep([predicate for predicate in predicates if not free_in_scalar(predicate)])
    relation, ties, residual = row.relation, list(pulled.ties), list(pulled.residual)
    for predicate in predicates:
        if not free_in_scalar(predicate):
            continue
        if holds_query(predicate):
            raise CannotPull
        sides = tie_sides(predicate)
        if sides is None:
            residual.append(predicate)
            continue
        equals, outer, inner = sides
        if isinstance(inner, Column):
            ties.append(Tie(equals, outer, inner.index))
        else:
            relation = appended(relation, [translated(inner, relation, 0, ())])
            ties.append(Tie(equals, outer, width_of(relation) - 1))
    return replace(pulled, relation=relation, ties=tuple(ties), residual=tuple(residual))


def _pull_join(relation: Join, lowering: Lowering) -> Pulled:
    parts = [_pull(part, lowering) for part in relation.inputs]
    if any(part.default is not None for part in parts):
        raise CannotPull
    starts, at = [], 0
    for part in parts:
        starts.append(at)
        at += width_of(part.relation)
    joined: Relation = Join(tuple(part.relation for part in parts))
    own = [start + i for start, part in zip(starts, parts, strict=True) for i in range(part.width)]
    extra = [place for place in range(at) if place not in set(own)]
    where = {place: index for index, place in enumerate((*own, *extra))}
    joined = projected(joined, [*own, *extra])
    ties: list[Tie] = []
    residual: list[Scalar] = []
    for start, part in zip(starts, parts, strict=True):
        ties += [Tie(tie.equals, tie.outer, where[start + tie.inner]) for tie in part.ties]
        residual += [replaced(scalar, start, where) for scalar in part.residual]
    pulled = Pulled(joined, len(own), tuple(ties), tuple(residual))
    return _pull_filter(pulled, relation.predicates, lowering)


def _pull_map(relation: Map, lowering: Lowering) -> Pulled:
    _inside(relation.scalars)
    pulled = _pull(relation.input, lowering)
    row = Row(pulled.relation, 0, pulled.width, (), lowering)
    scalars = [row.scalar(scalar) for scalar in relation.scalars]
    before = width_of(row.relation)
    mapped = appended(row.relation, scalars)
    added = range(before, before + len(scalars))
    outputs = [*range(pulled.width), *added, *range(pulled.width, before)]
    where = {place: index for index, place in enumerate(outputs)}
    default = pulled.default
    if default is not None:
        if any(holds_query(scalar) for scalar in relation.scalars):
            raise CannotPull
        default = (*default, *(on_default(scalar, default) for scalar in relation.scalars))
    return Pulled(
        projected(mapped, outputs),
        pulled.width + len(scalars),
        tuple(Tie(tie.equals, tie.outer, where[tie.inner]) for tie in pulled.ties),
        tuple(replaced(scalar, 0, where) for scalar in pulled.residual),
        default,
        pulled.one_row,
    )


def _pull_project(relation: Project, lowering: Lowering) -> Pulled:
    pulled = _pull(relation.input, lowering)
    width = len(relation.outputs)
    outputs = [*relation.outputs, *range(width_of(pulled.relation))]
    # Residual predicates may need any column: all stay, after those that are wanted.
    where = {place: width + place for place in range(width_of(pulled.relation))}
    return Pulled(
        Project(pulled.relation, tuple(outputs)),
        width,
        tuple(Tie(tie.equals, tie.outer, where[tie.inner]) for tie in pulled.ties),
        tuple(replaced(scalar, 0, where) for scalar in pulled.residual),
        None if pulled.default is None else tuple(pulled.default[index] for index in relation.outputs),
        pulled.one_row,
    )


def _pull_reduce(relation: Reduce, lowering: Lowering) -> Pulled:
    _inside(scalars(relation))
    pulled = without_residual(_pull(relation.input, lowering))
    if pulled.default is not None:
        raise CannotPull
    row = Row(pulled.relation, 0, pulled.width, (), lowering)
    keys = [row.scalar(key) for key in relation.keys]
    calls = [row.aggregate(call) for call in relation.aggregates]
    reduced = Reduce(row.relation, (*keys, *columns_at(row.relation, pulled.tied)), tuple(calls))
    first, second, third = len(keys), len(pulled.ties), len(calls)
    outputs = [*range(first), *range(first + second, first + second + third), *range(first, first + second)]
    ties = tuple(Tie(tie.equals, tie.outer, first + third + place) for place, tie in enumerate(pulled.ties))
    default = None if relation.keys else tuple(empty_value(call) for call in calls)
    return Pulled(projected(reduced, outputs), first + third, ties, (), default, not relation.keys)


def _pull_topk(relation: TopK, lowering: Lowering) -> Pulled:
    _inside(scalars(relation))
    pulled = without_residual(_pull(relation.input, lowering))
    if pulled.default is not None or any(holds_query(key.expression) for key in relation.order):
        raise CannotPull
    pulled = trimmed(pulled)
    group = (*relation.group, *pulled.tied)
    single = relation.limit is not None and isinstance(relation.limit, Constant) and relation.limit.value == 1
    topk = TopK(pulled.relation, group, relation.order, relation.limit, relation.offset)
    return replace(pulled, relation=topk, one_row=pulled.one_row or (single and not relation.group))


def _pull_window(relation: Window, lowering: Lowering) -> Pulled:
    _inside(scalars(relation))
    pulled = without_residual(_pull(relation.input, lowering))
    if pulled.default is not None or any(holds_query(scalar) for scalar in scalars(relation)):
        raise CannotPull
    extra = tuple(columns_at(pulled.relation, pulled.tied))
    calls = tuple(replace(call, partition=(*extra, *call.partition)) for call in relation.calls)
    before, added = width_of(pulled.relation), len(calls)
    outputs = [*range(pulled.width), *range(before, before + added), *range(pulled.width, before)]
    where = {place: index for index, place in enumerate(outputs)}
    ties = tuple(Tie(tie.equals, tie.outer, where[tie.inner]) for tie in pulled.ties)
    windowed = projected(Window(pulled.relation, calls), outputs)
    return Pulled(windowed, pulled.width + added, ties, (), None, pulled.one_row)


def _pull_union(relation: Union, lowering: Lowering) -> Pulled:
    parts = [trimmed(without_residual(_pull(part, lowering))) for part in relation.inputs]
    ties = [tuple((tie.equals.function, tie.outer) for tie in part.ties) for part in parts]
    if any(part.default is not None for part in parts) or any(tie != ties[0] for tie in ties):
        raise CannotPull
    first = parts[0]
    if any(
        part.relation.columns[t.inner].type is not first.relation.columns[f.inner].type
        for part in parts
        for t, f in zip(part.ties, first.ties, strict=True)
    ):
        raise CannotPull
    return replace(first, relation=Union(tuple(part.relation for part in parts)), one_row=False)


def _pull_outer_join(relation: OuterJoin, lowering: Lowering) -> Pulled:
    _inside(relation.predicates)
    pulled = _pull(relation.left, lowering)
    if pulled.default is not None or any(holds_query(predicate) for predicate in relation.predicates):
        raise CannotPull
    right = lowering.alone(relation.right)
    before, added = width_of(pulled.relation), width_of(right)
    shift = {i: i if i < pulled.width else before + i - pulled.width for i in range(pulled.width + added)}
    predicates = tuple(replaced(predicate, 0, shift) for predicate in relation.predicates)
    joined = OuterJoin(pulled.relation, right, predicates)
    outputs = [*range(pulled.width), *range(before, before + added), *range(pulled.width, before)]
    where = {place: index for index, place in enumerate(outputs)}
    return Pulled(
        projected(joined, outputs),
        pulled.width + added,
        tuple(Tie(tie.equals, tie.outer, where[tie.inner]) for tie in pulled.ties),
        tuple(replaced(scalar, 0, where) for scalar in pulled.residual),
    )
