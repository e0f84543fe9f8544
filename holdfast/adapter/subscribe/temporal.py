"""Queries that change as time passes, though nothing that they read does: those with `mz_now()`.

Where `mz_now()` is only compared, what a query says of a row can change only when time reaches what it is compared
with, or has just passed it. So the times at which to look again are values that a query of its own finds.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.plan.free import scalars
from holdfast.plan.relation import Filter, Join, Let, LetRec, Map, Plan, Project, Relation, inputs
from holdfast.plan.scalar import Call, Scalar, children
from holdfast.repr.frontier import Timestamp
from holdfast.sql.errors import NotSupported

_COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))


def depends_on_time(plan: Plan) -> bool:
    return _has_now_below(plan.relation) or any(map(_has_now, _around(plan)))


def turning_points(plan: Plan) -> tuple[Relation, ...]:
    """Relations whose columns are all times at which, or one after which, the plan's rows may be others.

    The plan is decorrelated, and what is known at a time has not been put in.
    """
    if any(map(_has_now, _around(plan))):
        raise _too_hard()
    return _points(plan.relation)


def next_turn(points: Iterable[tuple[object, ...]], now: Timestamp) -> Timestamp | None:
    """The first time after `now` that rows of turning points name."""
    found = (point + step for row in points for point in row if isinstance(point, int) for step in (0, 1))
    return min((Timestamp(time) for time in found if time > now), default=None)


def _around(plan: Plan) -> list[Scalar]:
    bounds = [bound for bound in (plan.limit, plan.offset) if bound is not None]
    return [*(key.expression for key in plan.order), *bounds]


def _points(relation: Relation) -> tuple[Relation, ...]:
    match relation:
        case Let():
            inside = (Let(relation.name, relation.value, found) for found in _points(relation.body))
            return (*_points(relation.value), *inside)
        case LetRec() if _has_now_below(relation):
            raise _too_hard()
    below = tuple(found for part in inputs(relation) for found in _points(part))
    compared = [each for scalar in scalars(relation) for each in _compared(scalar)]
    if not compared:
        return below
    rows = _rows(relation)
    width = len(rows.columns)
    return (*below, Project(Map(rows, tuple(compared)), tuple(range(width, width + len(compared)))))


def _rows(relation: Relation) -> Relation:
    """What the scalars of an operator are about, whatever the time is."""
    match relation:
        case Map():
            return relation.input
        case Filter():
            return Filter(relation.input, _timeless(relation.predicates))
        case Join():
            return Join(relation.inputs, _timeless(relation.predicates))
    raise _too_hard()


def _timeless(predicates: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    return tuple(each for each in predicates if not _has_now(each))


def _compared(scalar: Scalar) -> list[Scalar]:
    """What `mz_now()` is compared with."""
    if _is_now(scalar):
        raise _too_hard()
    if isinstance(scalar, Call) and scalar.function.name in _COMPARISONS:
        left, right = scalar.arguments
        for one, other in ((left, right), (right, left)):
            if _is_now(one) and not _has_now(other):
                return [other]
    return [found for part in children(scalar) for found in _compared(part)]


def _is_now(scalar: Scalar) -> bool:
    return isinstance(scalar, Call) and scalar.function.name == "mz_now"


def _has_now(scalar: Scalar) -> bool:
    return _is_now(scalar) or any(map(_has_now, children(scalar)))


def _has_now_below(relation: Relation) -> bool:
    return any(map(_has_now, scalars(relation))) or any(map(_has_now_below, inputs(relation)))


def _too_hard() -> NotSupported:
    return NotSupported(
        "this use of mz_now() is not supported in SUBSCRIBE",
        detail="Its value may only be compared, in conditions and columns of plain selections and joins.",
    )
