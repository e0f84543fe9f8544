"""A view and its states from scratch, as plans in an order in which each is made of what was made before it.

What a state is of is not computed a second time for the view, or for another state: it is read from the state.
"""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.compute.delta.clock import at_time
from holdfast.compute.delta.program import Program
from holdfast.compute.render.signed import is_signed, with_count
from holdfast.plan.rebuild import rebuilt
from holdfast.plan.relation import Plan, Relation
from holdfast.plan.rewrite import optimize
from holdfast.repr.frontier import Timestamp

OUTPUT = "output"
"""What the view itself is called; states have names of their own."""


def hydration(program: Program, at: Timestamp) -> Mapping[str, Plan]:
    """The plans of the states and, last, of the view, at a time.

    Besides the inputs they read states that come before them, by the names of `state_input`. The plan of a state of
    which rows may be there less than zero times has one more column, which says how often; none reads such a state.
    """
    return _Hydration(program, at).plans


class _Hydration:
    def __init__(self, program: Program, at: Timestamp) -> None:
        self._program, self._at = program, at
        self._relations = {state.name: state.relation for state in program.states}
        self.plans: dict[str, Plan] = {}
        for name in self._relations:
            self._make(name)
        self.plans[OUTPUT] = self._plan(program.plan.relation, OUTPUT)

    def _make(self, state: str) -> None:
        if state not in self.plans:
            self.plans[state] = self._plan(self._relations[state], state)

    def _plan(self, relation: Relation, name: str) -> Plan:
        done: dict[Relation, Relation] = {}

        def visit(part: Relation) -> Relation:
            if part not in done:
                done[part] = self._restored(part, name) or rebuilt(
                    part, lambda below, _: visit(below), lambda each: each
                )
            return done[part]

        found = at_time(visit(relation), self._at + 1)
        if is_signed(found):
            found = with_count(found)
        return optimize(Plan(found, tuple(f"c{index}" for index in range(len(found.columns)))))

    def _restored(self, relation: Relation, name: str) -> Relation | None:
        """What a relation is made of a state, which is made first. None: there is none but what is called `name`."""
        found = self._program.restored.get(relation)
        if found is None or found.state == name or is_signed(self._relations[found.state]):
            return None
        self._make(found.state)
        return found.relation
