"""Programs: how changes of a view's inputs become changes of the view, stage by stage.

An *update* is a row with two more columns: its time and its diff. A program is made once, of a plan; a step of the
view runs its stages in order, over the updates of the inputs in an interval of times, and what was there before it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.cached import cached_property
from holdfast.compute.delta.quick import Quick
from holdfast.plan.printer import show
from holdfast.plan.relation import Columns, ColumnType, Local, Plan, Relation, inputs
from holdfast.plan.types import INT8, Type

TIME = ColumnType(INT8, False)
DIFF = ColumnType(INT8, False)

VERSION = 1
"""Counts up when a program that reads the same makes other state."""

UPPER = 1
"""The number of the parameter that is where the step ends."""

FIRST = 2
"""The number of the parameter that is the first time at which anything happens in the step."""


def update_columns(columns: Columns) -> Columns:
    """The columns of updates of rows with these."""
    return (*columns, TIME, DIFF)


def changes_of(name: str) -> str:
    """What stages call the updates of an input in the step."""
    return f"d {name}"


def taken_of(name: str) -> str:
    """What rounds of a recursion call the rows that were taken from a state."""
    return f"taken {name}"


def state_input(name: str) -> str:
    """What a state is called where it is read like an input."""
    return f"state {name}"


@dataclass(frozen=True, slots=True)
class State:
    """What a view keeps between steps: the contents of `relation`, a relation over the inputs, with `columns`."""

    name: str
    relation: Relation
    columns: Columns

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(column.type for column in self.columns)


@dataclass(frozen=True, slots=True)
class Restored:
    """What a relation is that is found in a state, which `relation` reads by its `state_input`."""

    state: str
    relation: Relation


@dataclass(frozen=True, slots=True)
class Bind:
    """`name` is what the relation is, which reads what stages before it are called by; made by the `quick` way if
    there is one.
    """

    name: str
    relation: Relation
    quick: Quick | None = None


@dataclass(frozen=True, slots=True)
class Lookup:
    """`name` are the updates of `source`, an input or a state, before the step whose `columns` have a value of `keys`.

    Without columns, they are all of its updates if there is any row of `keys`.
    """

    name: str
    source: str
    columns: tuple[int, ...]
    keys: Relation
    of: Columns


@dataclass(frozen=True, slots=True)
class Due:
    """`name` are the updates of `source` before the step whose column `at` is a time before the end of the step."""

    name: str
    source: str
    at: int
    of: Columns


@dataclass(frozen=True, slots=True)
class Scratch:
    """`name` are the updates of a relation over inputs that is evaluated anew at each time at which one changes."""

    name: str
    relation: Relation
    inputs: Mapping[str, Columns]


@dataclass(frozen=True, slots=True)
class Rounds:
    """What is done in each round of a recursion: `made` names the stages whose rows are those of a state."""

    stages: tuple[Bind | Lookup, ...]
    made: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Recursion:
    """The updates of states that are made of each other, each called by its `changes_of`.

    Rounds read changes of these states and of other collections, which all have their `columns`, and look up what
    there is of them. What `follows` from changes is made again and again; of the rows that were taken from a state,
    called by `taken_of`, those are back that `stays` makes. `changes` names the updates in the step of the others.
    """

    name: str
    follows: Rounds
    stays: Rounds
    columns: Mapping[str, Columns]
    changes: Mapping[str, str]


Stage = Bind | Lookup | Due | Scratch | Recursion


@dataclass(frozen=True)
class Program:
    """`output` is the stage whose updates are the view's; `writes` names those that are the states'.

    `plan` is what the view is from scratch; `inputs` are the collections that it reads. Relations in the plan, and in
    those that states are of, are `restored` from states.
    """

    plan: Plan
    inputs: Mapping[str, Columns]
    stages: tuple[Stage, ...]
    states: tuple[State, ...]
    output: str
    writes: Mapping[str, str]
    restored: Mapping[Relation, Restored]

    @property
    def columns(self) -> tuple[Type, ...]:
        return tuple(column.type for column in self.plan.relation.columns)

    @cached_property
    def is_temporal(self) -> bool:
        """Whether the view may change while its inputs do not."""
        return any(isinstance(stage, Due) for stage in self.stages)

    @cached_property
    def lookups(self) -> frozenset[str]:
        """The inputs of which more is read than what changes."""
        found: set[str] = set()
        for stage in self.stages:
            match stage:
                case Lookup():
                    found.add(stage.source)
                case Scratch():
                    found |= stage.inputs.keys()
                case Recursion():
                    found |= stage.columns.keys()
        return frozenset(found) & self.inputs.keys()

    @cached_property
    def reads(self) -> Mapping[str, frozenset[str]]:
        """What each stage reads of what was made before it in the step."""
        changing = (*self.inputs, *(state.name for state in self.states))
        made = {*map(changes_of, changing), *(stage.name for stage in self.stages)}
        return {stage.name: _read_by(stage) & made for stage in self.stages}

    @cached_property
    def fingerprint(self) -> str:
        """Programs that keep other state have other fingerprints."""
        parts = [str(VERSION), show(self.plan)]
        for state in self.states:
            parts += [state.name, show(state.relation), *(str(type_) for type_ in state.types)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _read_by(stage: Stage) -> frozenset[str]:
    match stage:
        case Bind():
            return frozenset[str]().union(*map(_locals_in, stage.quick.reads if stage.quick else (stage.relation,)))
        case Lookup():
            return _locals_in(stage.keys)
        case Due():
            return frozenset()
        case Scratch():
            return frozenset(map(changes_of, stage.inputs))
        case Recursion():
            return frozenset(stage.changes.values())


def _locals_in(relation: Relation) -> frozenset[str]:
    if isinstance(relation, Local):
        return frozenset({relation.name})
    return frozenset[str]().union(*map(_locals_in, inputs(relation)))
