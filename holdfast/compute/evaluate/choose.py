"""Which queries are answered here, without a Spark job."""

from __future__ import annotations

from holdfast.plan.free import scalars
from holdfast.plan.relation import Filter, FlatMap, Get, Map, Plan, Project, Relation, TopK, inputs
from holdfast.plan.scalar import Call, Scalar, children


def can_evaluate(plan: Plan) -> bool:
    """Whether the query is over constants alone, or a plain read of one collection, with immutable expressions."""
    bounds = [bound for bound in (plan.limit, plan.offset) if bound is not None]
    own = [*(key.expression for key in plan.order), *bounds]
    return all(map(_is_immutable, own)) and (_is_constant(plan.relation) or _is_plain(plan.relation))


def _is_constant(relation: Relation) -> bool:
    if isinstance(relation, Get) or (isinstance(relation, FlatMap) and relation.function.long):
        return False
    return all(map(_is_immutable, scalars(relation))) and all(map(_is_constant, inputs(relation)))


def _is_plain(relation: Relation) -> bool:
    match relation:
        case Get():
            return True
        case Map() | Filter() | Project() | TopK():
            return all(map(_is_immutable, scalars(relation))) and _is_plain(relation.input)
    return False


def _is_immutable(scalar: Scalar) -> bool:
    own = not isinstance(scalar, Call) or scalar.function.stability == "immutable"
    return own and all(map(_is_immutable, children(scalar)))
