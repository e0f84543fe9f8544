"""A program in the making: its stages so far, and the updates and states of relations that they are for.

- `delta(relation)`: the updates of a relation in the step.
- `before(relation, columns, keys)`: its updates before the step, at least those whose columns have values of `keys`.
  More may be among them: who asks compares.

A relation that is linear over inputs needs no state: what was there before is found in the inputs themselves. Nor
does a join of which rows are found by what it joins them by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from holdfast.compute.delta.clock import reads_clock
from holdfast.compute.delta.equations import found_from, looked_up
from holdfast.compute.delta.internal import BEFORE
from holdfast.compute.delta.program import (
    Bind,
    Due,
    Lookup,
    Program,
    Recursion,
    Restored,
    Rounds,
    Scratch,
    Stage,
    State,
    changes_of,
    state_input,
    update_columns,
)
from holdfast.compute.delta.quick import Quick, Settled
from holdfast.compute.delta.updates import Linear, consolidated, is_linear, lifted, no_updates, placed
from holdfast.compute.evaluate.scalars import can_fail
from holdfast.plan.free import scalars
from holdfast.plan.relation import (
    Columns,
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    Local,
    Map,
    Negate,
    Plan,
    Project,
    Relation,
    Union,
    Values,
    inputs,
)
from holdfast.plan.scalar import TRUE

Rule = Callable[["Making", Relation], Relation]
Kept = Callable[["Making", Relation, tuple[int, ...], Relation], Relation | None]
Joined = Callable[["Making", Join, tuple[int, ...], Relation], Relation]


class Making:
    """`rule` makes the updates of a relation that is not linear; `kept` those before the step, where the state of a
    relation is something else than its rows; `joined` those of a join that are found in its inputs.
    """

    def __init__(self, rule: Rule, kept: Kept, joined: Joined) -> None:
        self._rule, self._kept, self._joined = rule, kept, joined
        self.stages: list[Stage] = []
        self.states: dict[Relation, State] = {}
        self.writes: dict[str, str] = {}
        self.restored: dict[Relation, Restored] = {}
        self.inputs: dict[str, Columns] = {}
        self._deltas: dict[Relation, Relation] = {}
        self._settled: dict[Relation, Relation] = {}
        self._names = 0

    # Stages

    def bind(self, relation: Relation, quick: Quick | None = None) -> Local:
        """A stage that is this relation of updates, or of rows."""
        if isinstance(relation, Local):
            return relation
        name = self._name("b")
        self.stages.append(Bind(name, relation, quick))
        return Local(name, relation.columns)

    def lookup(self, source: str, columns: tuple[int, ...], keys: Relation, of: Columns) -> Local:
        name = self._name("l")
        self.stages.append(Lookup(name, source, columns, self.bind(Distinct(keys)), of))
        return Local(name, update_columns(of))

    def due(self, state: State, at: int) -> Local:
        name = self._name("q")
        self.stages.append(Due(name, state.name, at, state.columns))
        return Local(name, update_columns(state.columns))

    def scratch(self, relation: Relation) -> Local:
        read = gets_in(relation)
        self.inputs.update(read)
        name = self._name("x")
        self.stages.append(Scratch(name, relation, read))
        return Local(name, update_columns(relation.columns))

    def recursion(
        self, follows: Rounds, stays: Rounds, columns: Mapping[str, Columns], changes: Mapping[str, str]
    ) -> None:
        self.stages.append(Recursion(self._name("r"), follows, stays, columns, changes))

    def _name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"

    # States

    def keep(self, relation: Relation, columns: Columns) -> State:
        """A new state, which is the contents of `relation`; its updates are to be said by `write`."""
        state = State(f"s{len(self.states)}", relation, columns)
        self.states[relation] = state
        return state

    def write(self, state: State, updates: Relation) -> None:
        self.writes[state.name] = self.bind(updates).name

    def state_of(self, relation: Relation) -> State:
        """The rows of a relation as state. Rows without columns have one there: tables of Arrow's may lose them."""
        kept = relation if relation.columns else Map(relation, (TRUE,))
        updates = self.delta(kept)
        found = self.states.get(kept)
        if found is None:
            found = self.keep(kept, kept.columns)
            rows = stored(found) if relation.columns else Project(stored(found), ())
            self.restored.setdefault(relation, Restored(found.name, rows))
            self.write(found, updates)
        return found

    # Updates of relations

    def delta(self, relation: Relation) -> Relation:
        found = self._deltas.get(relation)
        if found is None:
            found = self._deltas[relation] = self._delta(relation)
        return found

    def _delta(self, relation: Relation) -> Relation:
        match relation:
            case Get():
                self.inputs[relation.name] = relation.columns
                return Local(changes_of(relation.name), update_columns(relation.columns))
            case Values():
                return no_updates(relation.columns)
        if is_linear(relation) and not reads_clock(relation):
            assert isinstance(relation, Linear)
            below = self.settled if may_fail(relation) else self.delta
            return self.bind(lifted(relation, below))
        return self.bind(self._rule(self, relation))

    def settled(self, relation: Relation) -> Relation:
        """The updates of a relation, none of them of a row that is not there before or after it: it is these for which
        expressions are evaluated from scratch, so for others they must not be if they may fail.
        """
        updates = self.delta(relation)
        if not _may_cancel(relation):
            return updates
        if relation not in self._settled:
            self._settled[relation] = self.bind(consolidated(updates), Settled(updates))
        return self._settled[relation]

    def before(self, relation: Relation, columns: Sequence[int], keys: Relation) -> Relation:
        """`keys` has a column for each of `columns`."""
        wanted = tuple(columns)
        if can_find(relation, wanted):
            return self._through(relation, wanted, keys)
        kept = self._kept(self, relation, wanted, keys)
        if kept is not None:
            return kept
        state = self.state_of(relation)
        found = self.lookup(state.name, wanted, keys, state.columns)
        return found if relation.columns else Project(found, (1, 2))

    def _through(self, relation: Relation, columns: tuple[int, ...], keys: Relation) -> Relation:
        """What was there before, found in what is below linear operators and joins."""
        match relation:
            case Get():
                self.inputs[relation.name] = relation.columns
                return self.lookup(relation.name, columns, keys, relation.columns)
            case Values():
                return placed(relation, len(relation.columns), BEFORE, 1)
            case Union():
                return Union(tuple(self._through(part, columns, keys) for part in relation.inputs))
            case Map() | Filter() | Project() | FlatMap() | Negate():
                below, places = _below(relation, columns)
                keys = keys if len(places) == len(columns) else Project(keys, places)
                found = self._through(relation.input, below, keys)
                return lifted(relation, lambda _: found)
            case Join():
                return self._joined(self, relation, columns, keys)
        raise AssertionError("only what can be found is looked for")

    def program(self, plan: Plan, output: Relation) -> Program:
        last = self.bind(output).name
        states = tuple(self.states.values())
        return Program(
            plan, dict(self.inputs), tuple(self.stages), states, last, dict(self.writes), dict(self.restored)
        )


def stored(state: State) -> Get:
    """The rows of a state, read like an input."""
    return Get(state_input(state.name), state.columns)


def can_find(relation: Relation, columns: tuple[int, ...]) -> bool:
    """Whether rows are found by the values of columns in the inputs themselves: all above these is linear, or joins by
    these values.
    """
    match relation:
        case Get() | Values():
            return True
        case Union():
            return all(can_find(part, columns) for part in relation.inputs)
        case Map() | Filter() | Project() | FlatMap() | Negate() if not reads_clock(relation):
            below, _ = _below(relation, columns)
            return bool(below or not columns) and can_find(relation.input, below)
        case Join():
            return found_from(relation, columns) is not None
    return False


def _below(
    relation: Map | Filter | Project | FlatMap | Negate, columns: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which columns of the input some columns of a relation are, and the places of those that are any."""
    if isinstance(relation, Project):
        return tuple(relation.outputs[index] for index in columns), tuple(range(len(columns)))
    width = len(relation.input.columns)
    below = [index if index < width else _same_below(relation, index - width) for index in columns]
    places = tuple(place for place, index in enumerate(below) if index is not None)
    return tuple(index for index in below if index is not None), places


def _same_below(relation: Filter | Map | FlatMap | Negate, added: int) -> int | None:
    """The column of the input that has the values of one that is added, perhaps in another type."""
    return looked_up(relation.scalars[added]) if isinstance(relation, Map) else None


def may_fail(relation: Relation) -> bool:
    """Whether evaluating the operator for a row may raise an error."""
    return any(map(can_fail, scalars(relation))) or (isinstance(relation, FlatMap) and relation.function.fails)


def _may_cancel(relation: Relation) -> bool:
    """Whether there may be updates of a relation that together are none."""
    match relation:
        case Get() | Values():
            return False
        case Map() | Filter() | Project() | FlatMap() | Negate() if not reads_clock(relation):
            return _may_cancel(relation.input)
        case Union():
            return any(map(_may_cancel, relation.inputs))
    return isinstance(relation, Filter | Join)


def gets_in(relation: Relation) -> dict[str, Columns]:
    if isinstance(relation, Get):
        return {relation.name: relation.columns}
    found: dict[str, Columns] = {}
    for part in inputs(relation):
        found |= gets_in(part)
    return found
