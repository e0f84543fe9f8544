"""Recursions from changes: what follows from rows that come or go, by the rules by which other relations change.

The relations of a recursion are states. Within one stage they, and all that they read, are like inputs that change from
round to round: `follows` are the rows that follow from those that changed in the round before, made by lookups in what
there is of the others. Where rows go, all that followed from them are taken first; `stays` are those of the taken that
follow from what is left, again by lookups, of the rows from which they could.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.compute.delta.join import join_updates, joined_before, term_updates
from holdfast.compute.delta.making import Making, can_find, stored
from holdfast.compute.delta.monotone import makes_different, names_in, opened
from holdfast.compute.delta.normal import normal
from holdfast.compute.delta.program import Bind, Lookup, Restored, Rounds, changes_of, taken_of, update_columns
from holdfast.compute.evaluate.scalars import can_fail
from holdfast.errors import UsageError
from holdfast.plan.columns import is_same
from holdfast.plan.relation import (
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    LetRec,
    Local,
    Map,
    Project,
    Reduce,
    Relation,
    Union,
    Values,
    column,
)
from holdfast.plan.rewrite.fuse_maps import fuse_maps
from holdfast.plan.scalar import Column, Scalar, columns_of, moved, transform


def recursion_updates(making: Making, relation: LetRec) -> Relation:
    """The updates of a name of a recursion that is alone. Those of its other names are made with them."""
    each = {
        binding.name: LetRec(relation.bindings, Local(binding.name, binding.columns)) for binding in relation.bindings
    }
    if relation not in making.states:
        _make(making, relation, each)
    return Local(changes_of(making.states[relation].name), update_columns(relation.columns))


def _make(making: Making, relation: LetRec, each: Mapping[str, LetRec]) -> None:
    states = {name: making.keep(alone, alone.columns) for name, alone in each.items()}
    read = {name: Get(state.name, state.columns) for name, state in states.items()}
    reader = _Reader(making, read)
    values = {states[b.name].name: normal(reader.read(b.value)) for b in relation.bindings}
    taken = {name: Get(taken_of(name), value.columns) for name, value in values.items()}
    follows = _rounds(_Body(), values)
    stays = _rounds(_Checks(), {name: _among(taken[name], value) for name, value in values.items()})
    columns = {get.name: get.columns for get in (*read.values(), *reader.others)}
    making.recursion(follows, stays, columns, reader.changes)
    for name, state in states.items():
        making.restored[each[name]] = Restored(state.name, stored(state))
        making.write(state, Local(changes_of(state.name), update_columns(state.columns)))


class _Reader:
    """Values of bindings as they are read in rounds: of collections that change, and without what makes rows different.

    `others` are those that are not names, `changes` what their updates in the step are called.
    """

    def __init__(self, making: Making, names: Mapping[str, Get]) -> None:
        self._making, self._names = making, names
        self._done: dict[Relation, Relation] = {}
        self.others: list[Get] = []
        self.changes: dict[str, str] = {}

    def read(self, relation: Relation) -> Relation:
        if relation not in self._done:
            self._done[relation] = self._read(relation)
        return self._done[relation]

    def _read(self, relation: Relation) -> Relation:
        match relation:
            case Local():
                return self._names[relation.name]
            case Get():
                self._making.delta(relation)
                return self._other(relation, changes_of(relation.name))
            case Values():
                return relation
            case Map():
                return Map(self.read(relation.input), relation.scalars)
            case Filter():
                return Filter(self.read(relation.input), relation.predicates)
            case Project():
                return Project(self.read(relation.input), relation.outputs)
            case FlatMap():
                below, rest = self.read(relation.input), (relation.ordinality, relation.outer)
                return FlatMap(below, relation.function, relation.arguments, relation.returns, *rest)
            case Union():
                return Union(tuple(map(self.read, relation.inputs)))
            case Join():
                return self._joined(relation)
            case Distinct() if makes_different(relation):
                return self.read(relation.input)
            case Reduce() if makes_different(relation):
                keyed, width = Map(self.read(relation.input), relation.keys), len(relation.input.columns)
                return Project(keyed, tuple(range(width, len(keyed.columns))))
        return self._kept(relation)

    def _joined(self, relation: Join) -> Relation:
        """The join with names last. Of two inputs in which to look, the one that follows from others is the larger."""
        order = sorted(range(len(relation.inputs)), key=lambda number: self._is_named(relation.inputs[number]))
        widths = [len(part.columns) for part in relation.inputs]
        places: dict[int, int] = {}
        for number in order:
            start, end = sum(widths[:number]), len(places)
            places |= {start + index: end + index for index in range(widths[number])}
        parts = tuple(self._found(relation.inputs[number]) for number in order)
        predicates = tuple(moved(each, places.__getitem__) for each in relation.predicates)
        return Project(Join(parts, predicates), tuple(places[index] for index in range(len(relation.columns))))

    def _is_named(self, relation: Relation) -> bool:
        return bool(names_in(relation) & self._names.keys())

    def _found(self, relation: Relation) -> Relation:
        """In a join rows are looked up in what they are made of, and if they cannot be, they are kept."""
        read = self.read(relation)
        return read if can_find(read, ()) else self._kept(relation)

    def _kept(self, relation: Relation) -> Relation:
        if self._is_named(relation):
            raise UsageError("a relation in a recursion that does not go on from a change")
        state = self._making.state_of(normal(opened(relation)))
        return self._other(Get(state.name, state.columns), self._making.writes[state.name])

    def _other(self, get: Get, changes: str) -> Get:
        read = Get(get.name, get.columns)
        if get.name not in self.changes:
            self.others.append(read)
            self.changes[get.name] = changes
        return read


class _Body(Making):
    """A round: what changes are inputs, which are looked up in, and nothing is kept."""

    def __init__(self) -> None:
        super().__init__(self._changed, lambda *_: None, joined_before)

    def _changed(self, making: Making, relation: Relation) -> Relation:
        assert isinstance(relation, Join)
        return join_updates(making, relation)

    def before(self, relation: Relation, columns: Sequence[int], keys: Relation) -> Relation:
        """All that there was, where none of the columns says what to look for."""
        if not can_find(relation, tuple(columns)):
            columns, keys = (), Project(keys, ())
        return super().before(relation, columns, keys)


class _Checks(_Body):
    """A round about what was taken, which is the first input of each join; nothing else changes."""

    def _changed(self, making: Making, relation: Relation) -> Relation:
        assert isinstance(relation, Join)
        return term_updates(making, relation, 0)


def _rounds(body: _Body, values: Mapping[str, Relation]) -> Rounds:
    made = {name: body.bind(body.delta(value)).name for name, value in values.items()}
    stages: list[Bind | Lookup] = []
    for stage in body.stages:
        match stage:
            case Bind():
                stages.append(Bind(stage.name, fuse_maps(stage.relation)))
            case Lookup():
                stages.append(stage)
            case _:
                raise UsageError(f"{type(stage).__name__} in a round of a recursion")
    return Rounds(tuple(stages), made)


# What of the rows that were taken is there all the same


def _among(taken: Get, value: Relation) -> Relation:
    """The rows of `taken` that are rows of `value`, found from the former."""
    width = len(taken.columns)
    same = {place: column(value, place) for place in range(width)}
    return Project(_beside(taken, value, same), tuple(range(width)))


def _beside(taken: Get, value: Relation, same: Mapping[int, Scalar]) -> Relation:
    """Rows of `taken`, each beside the rows of `value` for which its columns are what `same` says of these.

    Conditions go down as far as they can be told without evaluating what may fail.
    """
    width = len(taken.columns)
    match value:
        case Union():
            return Union(tuple(_beside(taken, part, same) for part in value.inputs))
        case Project():
            below = {place: moved(each, value.outputs.__getitem__) for place, each in same.items()}
            made = _beside(taken, value.input, below)
            return Project(made, (*range(width), *(width + index for index in value.outputs)))
        case Filter():
            return Filter(_beside(taken, value.input, same), _moved(value.predicates, width))
        case Map():
            own = len(value.input.columns)
            told = {place: _instead(each, value.scalars, own) for place, each in same.items()}
            below = {place: each for place, each in told.items() if not can_fail(each)}
            made = Map(_beside(taken, value.input, below), _moved(value.scalars, width))
            return _where(made, taken, {place: same[place] for place in same.keys() - below.keys()})
        case FlatMap():
            own = len(value.input.columns)
            below = {place: each for place, each in same.items() if all(index < own for index in columns_of(each))}
            arguments, rest = _moved(value.arguments, width), (value.ordinality, value.outer)
            made = FlatMap(_beside(taken, value.input, below), value.function, arguments, value.returns, *rest)
            return _where(made, taken, {place: same[place] for place in same.keys() - below.keys()})
        case Join():
            both = Join((taken, *value.inputs))
            return Join(both.inputs, (*_equations(taken, same), *_moved(value.predicates, width)))
    return Join((taken, value), _equations(taken, same))


def _where(made: Relation, taken: Get, same: Mapping[int, Scalar]) -> Relation:
    return Filter(made, _equations(taken, same)) if same else made


def _equations(taken: Get, same: Mapping[int, Scalar]) -> tuple[Scalar, ...]:
    width = len(taken.columns)
    return tuple(
        is_same(column(taken, place), moved(same[place], lambda index: index + width)) for place in sorted(same)
    )


def _moved(scalars: tuple[Scalar, ...], by: int) -> tuple[Scalar, ...]:
    return tuple(moved(each, lambda index: index + by) for each in scalars)


def _instead(scalar: Scalar, scalars: tuple[Scalar, ...], width: int) -> Scalar:
    """An expression of the columns below, of which those after `width` are scalars of these."""

    def below(part: Scalar) -> Scalar:
        return scalars[part.index - width] if isinstance(part, Column) and part.index >= width else part

    return transform(scalar, below)
