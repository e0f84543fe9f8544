"""Whether a row is kept that a join has made is asked of the one input that decides it."""

from __future__ import annotations

from holdfast.plan.columns import may_fail
from holdfast.plan.relation import Join, Relation, SemiJoin
from holdfast.plan.rewrite.walk import bottom_up
from holdfast.plan.scalar import columns_of, moved


def push_down_semi_joins(relation: Relation) -> Relation:
    """Semi and anti joins of joins, where all predicates are about one input and cannot fail: it is asked more rows.

    That may cost a query more than it saves, so it is not among the rules for all of them.
    """
    return bottom_up(relation, lambda part: _pushed(part) if isinstance(part, SemiJoin) else part)


def _pushed(relation: SemiJoin) -> Relation:
    join = relation.left
    if not isinstance(join, Join) or any(map(may_fail, relation.predicates)):
        return relation
    width = len(join.columns)
    asked = {index for predicate in relation.predicates for index in columns_of(predicate) if index < width}
    start = 0
    for number, part in enumerate(join.inputs):
        if asked and asked <= set(range(start, start + len(part.columns))):
            parts = list(join.inputs)
            parts[number] = _pushed(_of_one(relation, part, start, width))
            return Join(tuple(parts), join.predicates)
        start += len(part.columns)
    return relation


def _of_one(relation: SemiJoin, part: Relation, start: int, width: int) -> SemiJoin:
    """The same of one input of the join, whose columns begin at `start`; those of the right side come after them."""
    end = len(part.columns)

    def place(index: int) -> int:
        return index - start if index < width else index - width + end

    predicates = tuple(moved(predicate, place) for predicate in relation.predicates)
    return SemiJoin(part, relation.right, predicates, relation.anti)
