"""The parts of a plan, one by one: what it depends on, and how long one has to look at it."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.plan.free import scalars
from holdfast.plan.python_function import PythonFunction
from holdfast.plan.relation import Plan, Relation, inputs
from holdfast.plan.scalar import Call, Scalar, children


def parts(plan: Plan) -> Iterator[Scalar]:
    """Every expression in a decorrelated plan, and those inside of it. A shared operator is looked at once."""
    waiting: list[Relation] = [plan.relation]
    seen: set[Relation] = set()
    found = [key.expression for key in plan.order]
    found += [bound for bound in (plan.limit, plan.offset) if bound is not None]
    while waiting:
        relation = waiting.pop()
        if relation not in seen:
            seen.add(relation)
            waiting += inputs(relation)
            found += scalars(relation)
    return _within(found)


def _within(found: list[Scalar]) -> Iterator[Scalar]:
    while found:
        scalar = found.pop()
        yield scalar
        found += children(scalar)


def is_stable(plan: Plan) -> bool:
    """Whether it has functions whose values only a session knows."""
    return any(isinstance(part, Call) and part.function.stability == "stable" for part in parts(plan))


def runs_code(plan: Plan) -> bool:
    """Whether it has functions that users wrote: nobody knows how long they take."""
    return any(map(_is_of_user, parts(plan)))


def runs_code_in(scalar: Scalar) -> bool:
    """The same of an expression."""
    return any(map(_is_of_user, _within([scalar])))


def _is_of_user(part: Scalar) -> bool:
    return isinstance(part, Call) and isinstance(part.function.python, PythonFunction)


def size_of(plan: Plan) -> int:
    return sum(1 for _ in parts(plan))
