"""Recursions that go on from a change: those of sets of rows, in which more rows never make fewer.

Each binding of such a recursion is a set: it has a row or not, and never twice. Whether it has one is decided by which
rows there are of what it reads, not by how many; a row more there can only make rows here. So the rounds of `LetRec`
end in the least sets that follow from themselves, whichever way these are come by: from nothing, or from those before a
change and what follows from it.

Refused, and evaluated from scratch at each change, are recursions

- with a limit: what there is at the limit depends on the round in which each row comes;
- in which a row that comes may take another away: where a name is read below an aggregate, a limit, a window, an outer,
  semi or anti join, EXCEPT or INTERSECT, or another recursion. What a semi or anti join asks of a table that a name is
  joined with is asked below the join;
- in which rows are counted, by UNION ALL: how often a row is there is how often it follows, which may be without end;
- whose rows have values that are equal but not the same, as 0 and -0 are: which of them is there depends on the round.
"""

from __future__ import annotations

from holdfast.compute.delta.clock import reads_clock
from holdfast.plan.keys import unique_keys
from holdfast.plan.node import remembered
from holdfast.plan.order import is_itself
from holdfast.plan.rebuild import inlined, rebuilt
from holdfast.plan.relation import (
    Columns,
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    LetRec,
    Local,
    Map,
    Project,
    Recursive,
    Reduce,
    Relation,
    Union,
    Values,
    inputs,
)
from holdfast.plan.rewrite.order_joins import order_joins
from holdfast.plan.rewrite.push_down_semi_joins import push_down_semi_joins
from holdfast.plan.types import Numeric

Names = frozenset[str]


def opened(relation: Relation) -> Relation:
    """Plans in which each recursion that goes on from a change stands alone, once for each name that is read of it: as
    `LetRec(bindings, Local(name))`. What is above it is like what is above any other relation.
    """
    done: dict[Relation, Relation] = {}

    def visit(part: Relation) -> Relation:
        if part not in done:
            done[part] = alone(part) if isinstance(part, LetRec) else rebuilt(part, lambda b, _: visit(b), lambda s: s)
        return done[part]

    def alone(part: LetRec) -> Relation:
        found = None if is_alone(part) else as_sets(part)
        if found is None:
            return part
        each = {b.name: LetRec(found.bindings, Local(b.name, b.columns)) for b in found.bindings}
        # If nothing reads it, only its errors count.
        return visit(_put(found.body, each)) if names_in(found.body) & each.keys() else part

    return visit(relation)


def is_alone(relation: LetRec) -> bool:
    """Whether this is a name of a recursion that goes on from a change."""
    body, names = relation.body, {binding.name for binding in relation.bindings}
    return isinstance(body, Local) and body.name in names and as_sets(relation) is relation


@remembered
def as_sets(relation: LetRec) -> LetRec | None:
    """The same recursion with bindings that are sets only; None if it cannot go on from a change.

    Of a binding that is none, rounds need only know which rows it has. The body reads what it is in terms of the sets,
    which it is when nothing changes any more; and these decide whether something does, unless it reads itself.
    """
    if relation.limit is not None:
        return None
    values = (order_joins(push_down_semi_joins(binding.value)) for binding in relation.bindings)
    bindings = tuple(Recursive(b.name, value, b.columns) for b, value in zip(relation.bindings, values, strict=True))
    sets, body = _sets(bindings), relation.body
    others = {binding.name: binding.value for binding in bindings if binding.name not in sets}
    while others:
        name, value = others.popitem()
        if name in names_in(value):
            return None
        others = {other: inlined(each, name, value) for other, each in others.items()}
        body = inlined(body, name, value)
    bindings = tuple(each if each.name in sets else _made_set(each) for each in bindings)
    names = frozenset(binding.name for binding in bindings)
    return LetRec(bindings, body) if all(_goes_on(binding, names) for binding in bindings) else None


def _made_set(binding: Recursive) -> Recursive:
    return Recursive(binding.name, Distinct(binding.value), binding.columns)


def _sets(bindings: tuple[Recursive, ...]) -> Names:
    """The names of bindings that are sets in each round, since what they read was one in the round before."""
    sets = frozenset(binding.name for binding in bindings)
    while True:
        still = frozenset(binding.name for binding in bindings if binding.name in sets and _is_set(binding.value, sets))
        if still == sets:
            return sets
        sets = still


def _is_set(relation: Relation, sets: Names) -> bool:
    """Whether no row is there twice, given that none is of the names in `sets`."""
    match relation:
        case Local():
            return relation.name in sets
        case Map() | Filter() if _is_set(relation.input, sets):
            return True
        case Project() if set(relation.outputs) == set(range(len(relation.input.columns))):
            return _is_set(relation.input, sets)
        case Join() if all(_is_set(part, sets) for part in relation.inputs):
            return True
    return bool(unique_keys(relation))


def _goes_on(binding: Recursive, names: Names) -> bool:
    return are_plain(binding.columns) and not _has_clock(binding.value) and _is_monotone(binding.value, names)


def _is_monotone(relation: Relation, names: Names) -> bool:
    """Whether more rows of the names make more rows, and those that a row makes are found from it by lookups."""
    if not names_in(relation) & names:
        return True
    match relation:
        case Local():
            return True
        case Map() | Filter() | Project() | FlatMap():
            return _is_monotone(relation.input, names)
        case Distinct() | Reduce() if makes_different(relation):
            return _is_monotone(relation.input, names)
        case Union():
            return all(_is_monotone(part, names) for part in relation.inputs)
        case Join():
            return all(_is_monotone(part, names) and _is_found(part, names) for part in relation.inputs)
    return False


def _is_found(relation: Relation, names: Names) -> bool:
    """Whether rows are looked up in what they are made of. What reads no name is kept, if need be."""
    if not names_in(relation) & names:
        return True
    match relation:
        case Local() | Get() | Values():
            return True
        case Map() | Filter() | Project() | FlatMap() | Distinct() | Reduce():
            return _is_found(relation.input, names)
        case Union():
            return all(_is_found(part, names) for part in relation.inputs)
    return False


def makes_different(relation: Distinct | Reduce) -> bool:
    """Whether all that the operator does is to make rows different, which below a set is done there."""
    if not are_plain(relation.columns):
        return False
    return isinstance(relation, Distinct) or (bool(relation.keys) and not relation.aggregates)


def are_plain(columns: Columns) -> bool:
    """Whether values are the same wherever they are equal. Digits that a numeric does not declare are cut off late."""
    return all(
        is_itself(column.type) and (not isinstance(column.type, Numeric) or column.type.declared) for column in columns
    )


@remembered
def names_in(relation: Relation) -> Names:
    """The names that are read, of recursions around."""
    if isinstance(relation, Local):
        return frozenset({relation.name})
    found = frozenset[str]().union(*map(names_in, inputs(relation)))
    return found - {binding.name for binding in relation.bindings} if isinstance(relation, LetRec) else found


def _put(relation: Relation, values: dict[str, LetRec]) -> Relation:
    """The relation with `values` where their names stand."""
    done: dict[Relation, Relation] = {}

    def visit(part: Relation) -> Relation:
        if isinstance(part, Local):
            return values.get(part.name, part)
        if part not in done:
            done[part] = rebuilt(part, lambda below, _: visit(below), lambda scalar: scalar)
        return done[part]

    return visit(relation)


@remembered
def _has_clock(relation: Relation) -> bool:
    return reads_clock(relation) or any(map(_has_clock, inputs(relation)))
