"""Which columns a program has a use for of what it looks up: all others may as well be null."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from holdfast.compute.delta.program import Bind, Due, Lookup, Program, Recursion, Scratch
from holdfast.plan.free import scalars
from holdfast.plan.relation import (
    Columns,
    Filter,
    Join,
    Local,
    Map,
    Negate,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    Union,
    inputs,
)
from holdfast.plan.scalar import Scalar, columns_of


def looked_at(program: Program) -> dict[str, frozenset[int]]:
    """The columns of each input that things are looked up in."""
    return _Demand(program).found


class _Demand:
    """`wanted` are columns of what stages are called, and `found` those of inputs, or states, in which they look up.

    A stage is wanted by later ones, so the last is asked first.
    """

    def __init__(self, program: Program) -> None:
        self._wanted: dict[str, frozenset[int]] = {}
        found: dict[str, frozenset[int]] = {}

        def look(source: str, columns: Iterable[int]) -> None:
            found[source] = found.get(source, frozenset()) | frozenset(columns)

        widths = {state.name: len(state.columns) + 2 for state in program.states}
        self._want(program.output, range(len(program.columns) + 2))
        for state, name in program.writes.items():
            self._want(name, range(widths[state]))
        for stage in reversed(program.stages):
            match stage:
                case Bind():
                    self._collect(stage.relation, self._wanted.get(stage.name, frozenset()))
                case Lookup():
                    self._collect(stage.keys, _all(stage.keys.columns))
                    width = len(stage.of)
                    own = (place for place in self._wanted.get(stage.name, ()) if place < width)
                    look(stage.source, (*stage.columns, *own))
                case Due():
                    look(stage.source, _all(stage.of))
                case Scratch():
                    for name, columns in stage.inputs.items():
                        look(name, _all(columns))
                case Recursion():
                    for name, columns in stage.columns.items():
                        look(name, _all(columns))
                        if name in stage.changes:
                            self._want(stage.changes[name], range(len(columns) + 2))
        self.found = {name: found[name] for name in program.lookups}

    def _want(self, name: str, columns: Iterable[int]) -> None:
        self._wanted[name] = self._wanted.get(name, frozenset()) | frozenset(columns)

    def _collect(self, relation: Relation, wanted: Collection[int]) -> None:
        """What is read so that these columns of a relation are right, and which rows there are."""
        match relation:
            case Local():
                self._want(relation.name, wanted)
            case Project():
                self._collect(relation.input, {relation.outputs[place] for place in wanted})
            case Filter():
                self._collect(relation.input, {*wanted, *_read(relation.predicates)})
            case Map():
                width = len(relation.input.columns)
                self._collect(relation.input, {*(each for each in wanted if each < width), *_read(relation.scalars)})
            case Negate():
                self._collect(relation.input, wanted)
            case Union():
                for part in relation.inputs:
                    self._collect(part, wanted)
            case Reduce():
                self._collect(relation.input, _read(scalars(relation)))
            case Join():
                self._split(relation.inputs, {*wanted, *_read(relation.predicates)})
            case SemiJoin():
                self._split((relation.left, relation.right), {*wanted, *_read(relation.predicates)})
            case _:
                for part in inputs(relation):
                    self._collect(part, _all(part.columns))

    def _split(self, parts: Iterable[Relation], wanted: Collection[int]) -> None:
        """Columns of several relations, one after the other."""
        start = 0
        for part in parts:
            end = start + len(part.columns)
            self._collect(part, {place - start for place in wanted if start <= place < end})
            start = end


def _all(columns: Columns) -> range:
    return range(len(columns))


def _read(expressions: Iterable[Scalar]) -> set[int]:
    return set().union(*map(columns_of, expressions))
