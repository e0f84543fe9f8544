"""Relations that have no rows since what they read has none: in most steps most stages are about nothing."""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.compute.evaluate.multiset import Multiset
from holdfast.plan.relation import (
    Distinct,
    Filter,
    FlatMap,
    Join,
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


def is_empty(relation: Relation, bound: Mapping[str, Multiset]) -> bool:
    """Whether that follows from the rows of `bound` at once. If not, there may be none all the same."""
    match relation:
        case Local():
            return not bound[relation.name].rows
        case Values():
            return not relation.rows
        case Map() | Filter() | Project() | FlatMap() | Negate() | Distinct() | Threshold() | TopK() | Window():
            return is_empty(relation.input, bound)
        case Reduce():
            return bool(relation.keys) and is_empty(relation.input, bound)
        case Join():
            return any(is_empty(part, bound) for part in relation.inputs)
        case Union():
            return all(is_empty(part, bound) for part in relation.inputs)
        case SemiJoin():
            return is_empty(relation.left, bound) or (not relation.anti and is_empty(relation.right, bound))
        case OuterJoin():
            return is_empty(relation.left, bound) and (not relation.full or is_empty(relation.right, bound))
    return False
