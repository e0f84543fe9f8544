"""A guess at how much of its collections a relation keeps: 1 is all of them, 0 next to nothing.

How large collections are is not known to a plan, which is made once and runs for long. What it says itself is how they
are filtered.
"""

from __future__ import annotations

from math import prod

from holdfast.plan.relation import Filter, Join, Reduce, Relation, SemiJoin, TopK, Values, inputs
from holdfast.plan.scalar import Call, Or, Scalar, columns_of

_EQUALITY, _PATTERN, _RANGE, _OTHER = 0.1, 0.2, 0.5, 0.9
_PATTERNS = frozenset(("~~", "~~*", "~", "~*", "like_escape", "= ANY"))
_RANGES = frozenset(("<", "<=", ">", ">="))
_GROUPED = 0.5


def kept(relation: Relation) -> float:
    match relation:
        case Values():
            return 0.0
        case Filter():
            return kept(relation.input) * prod(map(_true, relation.predicates))
        case Reduce():
            return kept(relation.input) * _GROUPED if relation.keys else 0.0
        case TopK() if not relation.group and relation.limit is not None:
            return 0.0
        case Join():
            return prod(map(kept, relation.inputs))
        case SemiJoin():
            return kept(relation.left) * (_OTHER if relation.anti else kept(relation.right))
    return max(map(kept, inputs(relation)), default=1.0)


def _true(predicate: Scalar) -> float:
    """The part of rows for which it is true."""
    if isinstance(predicate, Or):
        return min(sum(map(_true, predicate.terms)), 1.0)
    if not isinstance(predicate, Call) or all(columns_of(argument) for argument in predicate.arguments):
        return _OTHER
    name = predicate.function.name
    if name == "=":
        return _EQUALITY
    if name in _PATTERNS:
        return _PATTERN
    return _RANGE if name in _RANGES else _OTHER
