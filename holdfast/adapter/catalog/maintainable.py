"""Which queries can be kept up to date: those whose answer follows from what they read, and from the time.

The time may only be compared, in conditions all of which must hold: what a row's part in the answer is then changes at
times that the row itself tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdfast.adapter.catalog.errors import NotMaintainable
from holdfast.plan.decorrelate import decorrelate
from holdfast.plan.free import scalars
from holdfast.plan.relation import Filter, Get, Join, Plan, Relation, inputs
from holdfast.plan.scalar import And, Call, Scalar, children

_COMPARISONS = frozenset(("=", "<", "<=", ">", ">="))
_SHOWN = {"now": "current_timestamp"}


def check_maintainable(plan: Plan) -> None:
    """Refuse a query whose answer depends on who asks, on chance, or on the time in other ways than it may."""
    whole = decorrelate(plan)
    bounds = [bound for bound in (whole.limit, whole.offset) if bound is not None]
    for scalar in (*bounds, *(key.expression for key in whole.order)):
        check_scalar(scalar)
    for relation in _relations(whole.relation):
        if isinstance(relation, Get) and not relation.name.startswith("u"):
            raise NotMaintainable(
                "cannot materialize what reads relations of the system",
                hint="Relations of the system are made when they are asked for. Query them, or use a plain view.",
            )
        for scalar in _timeless(relation):
            check_scalar(scalar)


def check_scalar(scalar: Scalar) -> None:
    """Refuse calls whose values do not follow from their arguments."""
    if isinstance(scalar, Call) and scalar.function.stability != "immutable":
        name = scalar.function.name
        raise NotMaintainable(f"cannot materialize call to {_SHOWN.get(name, name)}", hint=_HINTS.get(name))
    for part in children(scalar):
        check_scalar(part)


_TEMPORAL = "Compare mz_now() with an expression in WHERE or HAVING, in a condition of its own."
_HINTS = {
    "mz_now": _TEMPORAL,
    "now": f"The time of a query is mz_now(). {_TEMPORAL}",
}


def _relations(relation: Relation) -> Iterator[Relation]:
    waiting, seen = [relation], set[Relation]()
    while waiting:
        found = waiting.pop()
        if found not in seen:
            seen.add(found)
            yield found
            waiting += inputs(found)


def _timeless(relation: Relation) -> Iterator[Scalar]:
    """The scalars of an operator. Of comparisons with the time in its conditions, what the time is compared with."""
    conditions: Sequence[Scalar] = relation.predicates if isinstance(relation, Filter | Join) else ()
    for condition in conditions:
        for term in condition.terms if isinstance(condition, And) else (condition,):
            yield _compared(term)
    if not conditions:
        yield from scalars(relation)


def _compared(term: Scalar) -> Scalar:
    if isinstance(term, Call) and term.function.name in _COMPARISONS:
        left, right = term.arguments
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Call) and one.function.name == "mz_now":
                return other
    return term
