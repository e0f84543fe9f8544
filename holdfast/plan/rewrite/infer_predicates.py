"""What is said of one column of a join is said of all that equal it."""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.plan.keys import equated
from holdfast.plan.relation import Filter, Join, Relation
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import Call, Column, Constant, Scalar, columns_of, transform


def infer_predicates(relation: Relation) -> Relation:
    return bottom_up(relation, _inferred)


def _inferred(relation: Relation) -> Relation:
    match relation:
        case Filter(input=Join() as join):
            more = _more((*join.predicates, *relation.predicates), join)
            return Filter(join, (*relation.predicates, *more)) if more else relation
        case Join():
            more = _more(relation.predicates, relation)
            return Join(relation.inputs, (*relation.predicates, *more)) if more else relation
    return relation


def _more(predicates: tuple[Scalar, ...], join: Join) -> list[Scalar]:
    classes = equal_columns(predicates, join)
    known = set(predicates)
    found: list[Scalar] = []
    for predicate in predicates:
        column = _only_column(predicate)
        if column is None:
            continue
        for other in classes.get(column.index, ()):
            target = join.columns[other]
            if other == column.index or target.type is not column.type:
                continue
            inferred = _about(predicate, Column(other, target.type, target.nullable))
            if inferred not in known:
                known.add(inferred)
                found.append(inferred)
    return found


def equal_columns(predicates: Iterable[Scalar], join: Join) -> dict[int, tuple[int, ...]]:
    """For each column, all that equal it."""
    group: dict[int, set[int]] = {}
    for predicate in predicates:
        pair = equated(predicate)
        if pair is None or not isinstance(predicate, Call) or predicate.function.name != "=":
            continue
        left, right = pair
        if join.columns[left].type is not join.columns[right].type:
            continue
        together = group.get(left, {left}) | group.get(right, {right})
        for index in together:
            group[index] = together
    return {index: tuple(sorted(members)) for index, members in group.items()}


def _only_column(predicate: Scalar) -> Column | None:
    """The column that a comparison with a constant is about."""
    if not isinstance(predicate, Call) or predicate.function.fails or len(columns_of(predicate)) != 1:
        return None
    columns = [part for part in predicate.arguments if isinstance(part, Column)]
    others = [part for part in predicate.arguments if not isinstance(part, Column)]
    return columns[0] if len(columns) == 1 and all(isinstance(part, Constant) for part in others) else None


def _about(predicate: Scalar, column: Column) -> Scalar:
    return transform(predicate, lambda part: column if isinstance(part, Column) else part)
