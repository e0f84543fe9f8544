"""What a join leaves few rows of, though there are many, is found before the rest of the join is planned.

Who plans a join of many inputs without knowing how many rows come out of a part of it has to take that for many, and
moves all rows of the other inputs to meet them. What is found first is counted, and asked of the others where they are
read. It is the rows of one input that semi joins with smaller ones leave: never more than there are, whatever the keys.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.plan.relation import Get, Join, Relation
from holdfast.plan.rewrite.estimate import kept
from holdfast.plan.rewrite.reduce_joins import ask, collection, meeting, reduce_join
from holdfast.plan.rewrite.walk import bottom_up


@dataclass(frozen=True, slots=True)
class Finding:
    """`size` says how many rows a collection has, if that is known. `find` finds rows, and says where these are then
    and how many.

    Worth finding is what seems to be at most `few` of more rows, and meets at least `many`.
    """

    size: Callable[[Relation], int | None]
    find: Callable[[Relation], tuple[Get, int]]
    few: int
    many: int

    def is_small(self, relation: Relation) -> float | None:
        size = self.size(relation)
        return None if size is None or size > self.few else 1

    def may_be_few(self, part: Relation, left: Relation) -> bool:
        """Whether there are more rows, but few of them are left."""
        size = self.size(collection(part))
        return size is not None and size * kept(left) <= self.few < size

    def are_many(self, part: Relation) -> bool:
        return (self.size(collection(part)) or 0) * kept(part) >= self.many


def find_first(relation: Relation, finding: Finding) -> Relation:
    return bottom_up(relation, lambda part: _found(part, finding) if isinstance(part, Join) else part)


def _found(join: Join, finding: Finding) -> Join:
    reduced = reduce_join(join, finding.is_small)
    for number, (part, left) in enumerate(zip(join.inputs, reduced.inputs, strict=True)):
        others = [other for other in meeting(join, number) if finding.are_many(join.inputs[other])]
        if others and finding.may_be_few(part, left):
            found, count = finding.find(left)
            join = Join((*join.inputs[:number], found, *join.inputs[number + 1 :]), join.predicates)
            if count <= finding.few:
                join = ask(join, number, others)
    return join
