"""A view and its states from scratch, as plans in an order in which each is made of what was made before it.

What a state is of is not computed a second time for the view, or for another state: it is read from the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.compute.delta.clock import at_time
from holdfast.compute.delta.linear import is_totals, linear_in
from holdfast.compute.delta.program import Program
from holdfast.compute.render.signed import is_signed, with_count
from holdfast.plan.rebuild import rebuilt
from holdfast.plan.relation import Plan, Reduce, Relation
from holdfast.plan.rewrite import optimize
from holdfast.repr.frontier import Timestamp

OUTPUT = "output"
"""What the view itself is called; states have names of their own."""


def hydration(program: Program, at: Timestamp) -> Mapping[str, Plan]:
    """The plans of the states and, last, of the view, at a time.

    Besides the inputs they read states that come before them, by the names of `state_input`. The plan of a state of
    which rows may be there less than zero times has one more column, which says how often; none reads such a state.
    """
    return {name: _plan(relation) for name, relation in _Hydration(program, at).relations.items()}


@dataclass(frozen=True, slots=True)
class Follows:
    """Collections from whose changes alone another is brought up to date: any one of them, while no other changes.

    It is the rows that follow from rows that come, and from those that go; or totals of `keys` to which these add.
    """

    any_of: frozenset[str]
    keys: int | None = None


def follows(program: Program, at: Timestamp) -> Mapping[str, Follows]:
    """How the states and the view follow changes of what their plans read."""
    found = {}
    for name, relation in _Hydration(program, at).relations.items():
        if isinstance(relation, Reduce) and is_totals(relation):
            found[name] = Follows(linear_in(relation.input), len(relation.keys))
        else:
            found[name] = Follows(linear_in(relation))
    return found


class _Hydration:
    """`relations` are what the states and the view are of."""

    def __init__(self, program: Program, at: Timestamp) -> None:
        self._program, self._at = program, at
        self._own = {state.name: state.relation for state in program.states}
        self.relations: dict[str, Relation] = {}
        for name in self._own:
            self._make(name)
        self.relations[OUTPUT] = self._relation(program.plan.relation, OUTPUT)

    def _make(self, state: str) -> None:
        if state not in self.relations:
            self.relations[state] = self._relation(self._own[state], state)

    def _relation(self, relation: Relation, name: str) -> Relation:
        done: dict[Relation, Relation] = {}

        def visit(part: Relation) -> Relation:
            if part not in done:
                done[part] = self._restored(part, name) or rebuilt(
                    part, lambda below, _: visit(below), lambda each: each
                )
            return done[part]

        return at_time(visit(relation), self._at + 1)

    def _restored(self, relation: Relation, name: str) -> Relation | None:
        """What a relation is made of a state, which is made first. None: there is none but what is called `name`."""
        found = self._program.restored.get(relation)
        if found is None or found.state == name or is_signed(self._own[found.state]):
            return None
        self._make(found.state)
        return found.relation


def _plan(relation: Relation) -> Plan:
    if is_signed(relation):
        relation = with_count(relation)
    return optimize(Plan(relation, tuple(f"c{index}" for index in range(len(relation.columns)))))
