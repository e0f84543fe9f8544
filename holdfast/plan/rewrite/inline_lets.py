"""A name that is used once, or for next to nothing, is not needed."""

from __future__ import annotations

from holdfast.plan.rebuild import inlined
from holdfast.plan.relation import Filter, Get, Let, LetRec, Local, Map, Project, Relation, Values, inputs
from holdfast.plan.rewrite.walk import bottom_up


def inline_lets(relation: Relation) -> Relation:
    return bottom_up(relation, lambda part: _inlined(part) if isinstance(part, Let) else part)


def _inlined(relation: Let) -> Relation:
    uses = _uses(relation.body, relation.name)
    if uses == 0:
        return relation.body
    if (uses == 1 and not _in_loop(relation.body, relation.name)) or _is_trivial(relation.value):
        return inlined(relation.body, relation.name, relation.value)
    return relation


def _uses(relation: Relation, name: str) -> int:
    if isinstance(relation, Local):
        return int(relation.name == name)
    return sum(_uses(part, name) for part in inputs(relation))


def _in_loop(relation: Relation, name: str) -> bool:
    """Whether the name is used where a recursion would evaluate it in every round."""
    if isinstance(relation, LetRec) and any(_uses(binding.value, name) for binding in relation.bindings):
        return True
    return any(_in_loop(part, name) for part in inputs(relation))


def _is_trivial(relation: Relation) -> bool:
    while isinstance(relation, Filter | Map | Project):
        relation = relation.input
    return isinstance(relation, Get | Values | Local)
