"""Decorrelation: queries inside of queries become joins.

A query that refers to the row of another (`Subquery`, `Apply`) means: for each such row, its own rows. There are two
ways to say that without a loop.

- *By pulling*: a query whose only ties to the outer row are comparisons that filter it is evaluated without them, once,
  for all outer rows; the columns they compare come along, and the comparisons become those of a join.
- *By binding*: the different values of the outer columns that a query uses are a relation themselves. The query is
  evaluated for all of them at once: they are the first columns of everything below, keys of every group. This always
  works, and is tried second since it reads the outer rows once more.

A query for one value is joined so that each outer row stays exactly once; EXISTS and IN that filter are semi-joins.
Where PostgreSQL would not evaluate a query because a CASE does not come to it, we do, and drop its value. That it has
more than one row is an error only where the value is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from holdfast.errors import QueryError
from holdfast.plan.columns import (
    all_same,
    appended,
    columns_at,
    empty_value,
    is_null,
    is_null_constant,
    may_fail,
    moved_right,
    own_columns,
    projected,
    replaced,
    width_of,
)
from holdfast.plan.free import free_in, free_in_scalar, holds_query, scalars
from holdfast.plan.functions.internal import SINGLE_VALUE, SOME_VALUE
from holdfast.plan.functions.registry import AGGREGATES, FUNCTIONS
from holdfast.plan.rebuild import aggregate_with, inlined, outer_moved, window_with
from holdfast.plan.relation import (
    UNIT,
    AggregateCall,
    Apply,
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    Let,
    LetRec,
    Local,
    Map,
    Negate,
    OrderKey,
    OuterJoin,
    Plan,
    Project,
    Recursive,
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Union,
    Values,
    Window,
    WindowCall,
    column,
)
from holdfast.plan.scalar import (
    FALSE,
    TRUE,
    Call,
    Case,
    Coalesce,
    Column,
    Constant,
    Outer,
    Scalar,
    Subquery,
    children,
    null,
    transform,
    with_children,
)
from holdfast.plan.types import BOOL, INT8

Env: TypeAlias = tuple[Callable[[int], int], ...]
"""For each level of outer rows, the nearest first: where its columns are in the relation at hand."""


class CorrelatedRecursion(QueryError):
    """A recursive query that refers to the row of another query."""

    def __init__(self) -> None:
        super().__init__("a recursive query that refers to an outer query is not supported")
        self.hint = "Compute it for all rows in a WITH MUTUALLY RECURSIVE of its own, and join."


def decorrelate(plan: Plan) -> Plan:
    """The same plan without `Subquery`, `Apply` and `Outer`."""
    return replace(plan, relation=_alone(plan.relation))


def _alone(relation: Relation) -> Relation:
    """A relation that refers to no outer row."""
    return _bound(relation, None, ())


def _is_not(scalar: Scalar) -> Scalar | None:
    """What `scalar` is the negation of."""
    if isinstance(scalar, Call) and scalar.function is FUNCTIONS["not"][0]:
        return scalar.arguments[0]
    return None


# Scalars


def _translated(scalar: Scalar, relation: Relation, shift: int, env: Env) -> Scalar:
    """A scalar without queries, over `relation`: its own columns are from `shift` on, outer ones where `env` says."""

    def place(part: Scalar) -> Scalar:
        match part:
            case Column():
                return column(relation, shift + part.index)
            case Outer():
                return column(relation, env[part.level - 1](part.index))
        return part

    return transform(scalar, place)


@dataclass(slots=True)
class _Row:
    """A relation that grows columns while the scalars over it are translated.

    The scalars' own columns are at `shift` and after, `width` of them; outer columns are where `env` says.
    """

    relation: Relation
    shift: int
    width: int
    env: Env

    def scalar(self, scalar: Scalar) -> Scalar:
        """`scalar` over the columns of the relation, to which those of queries inside of it are added."""
        if isinstance(scalar, Subquery):
            return self._attached(scalar)
        if not holds_query(scalar):
            return _translated(scalar, self.relation, self.shift, self.env)
        return with_children(scalar, tuple(self.scalar(part) for part in children(scalar)))

    def inner_env(self) -> Env:
        """Where a query inside of a scalar finds outer columns: ours are its nearest."""
        return (lambda index: self.shift + index, *self.env)

    def _attached(self, query: Subquery) -> Scalar:
        match query.kind:
            case "scalar":
                return self._attach_value(query)
            case "exists":
                return self._attach_exists(query)
            case "any":
                return self._attach_any(query)

    def _attach_value(self, query: Subquery) -> Scalar:
        pulled = _try_pull(query.relation)
        if pulled is not None and not pulled.residual:
            if pulled.one_row:
                return self._joined(pulled)[0]
            return _checked(*self._joined(_counted(pulled)))
        used, found = self._bindings(query.relation, ())
        if used and _has_one_row(query.relation):
            return self._looked_up(used, found)
        keys = tuple(columns_at(found, range(len(used))))
        value = self._looked_up(used, Reduce(found, keys, _value_and_count(column(found, len(used)))))
        assert isinstance(value, Column)
        return _checked(value, column(self.relation, value.index + 1))

    def _attach_exists(self, query: Subquery) -> Scalar:
        if not free_in(query.relation):
            return self._attach_any_row(_alone(query.relation))
        pulled = _try_pull(query.relation)
        if pulled is not None and not pulled.residual and pulled.default is None:
            keys = Distinct(projected(pulled.relation, [tie.inner for tie in pulled.ties]))
            marked = appended(keys, [TRUE])
            ties = tuple(_Tie(tie.equals, tie.outer, place) for place, tie in enumerate(pulled.ties))
            flag = self._tied(marked, ties, len(ties))
            return Coalesce((flag, FALSE)) if flag.nullable else flag
        used, found = self._bindings(query.relation, ())
        there = appended(Distinct(projected(found, range(len(used)))), [TRUE])
        flag = self._looked_up(used, there)
        return Coalesce((flag, FALSE)) if flag.nullable else flag

    def _attach_any_row(self, relation: Relation) -> Scalar:
        """Whether there are rows that are the same for all of ours."""
        flagged = projected(appended(relation, [TRUE]), [width_of(relation)])
        at = width_of(self.relation)
        self.relation = OuterJoin(self.relation, TopK(flagged, (), (), Constant(1, INT8)), ())
        return Coalesce((column(self.relation, at), FALSE))

    def _lifted(self, predicate: Scalar) -> Scalar:
        """The predicate of an `any` with the queries about our rows answered in columns of ours.

        They become outer columns of one level more, at which every column of the relation is.
        """
        if isinstance(predicate, Subquery):
            if any(index >= self.width for index in own_columns(predicate)):
                raise QueryError("a subquery that refers to the rows of an ANY or ALL around it is not supported")
            self.relation = Map(self.relation, (self.scalar(predicate),))
            return Outer(len(self.env), width_of(self.relation) - 1, predicate.type, predicate.nullable)
        return with_children(predicate, tuple(self._lifted(part) for part in children(predicate)))

    def _lift(self, query: Subquery) -> Scalar:
        assert query.predicate is not None
        if not holds_query(query.predicate):
            return query.predicate
        self.env = (*self.env, lambda index: index)
        return self._lifted(query.predicate)

    def _attach_any(self, query: Subquery) -> Scalar:
        predicate = self._lift(query)
        used, found = self._bindings(query.relation, (predicate,))
        places = {place: index for index, place in enumerate(used)}
        rows, width = len(used), self.width

        def place(part: Scalar) -> Scalar:
            match part:
                case Column() if part.index < width:
                    return column(found, places[self.shift + part.index])
                case Column():
                    return column(found, rows + part.index - width)
                case Outer():
                    return column(found, places[self.env[part.level - 1](part.index)])
            return part

        predicate = transform(predicate, place)
        bool_or = AGGREGATES["bool_or"][0]
        calls = tuple(AggregateCall(bool_or, (part,), BOOL, True) for part in (predicate, is_null(predicate)))
        reduced = Reduce(found, tuple(columns_at(found, range(len(used)))), calls)
        some = self._looked_up(used, reduced)
        assert isinstance(some, Column)
        unknown = Column(some.index + 1, BOOL, True)
        return Case(((some, TRUE), (unknown, null(BOOL))), FALSE)

    def _bindings(self, relation: Relation, also: tuple[Scalar, ...]) -> tuple[list[int], Relation]:
        """The places of the outer columns that a query or the scalars `also` use, and the query for each value of them.

        That has these columns first. Scalars in `also` see our columns as their own.
        """
        env = self.inner_env()
        places = {env[level - 1](index) for level, index in free_in(relation)}
        for scalar in also:
            places |= {self.shift + index for index in own_columns(scalar) if index < self.width}
            places |= {self.env[level - 1](index) for level, index in free_in_scalar(scalar)}
        used = sorted(places)
        where = {place: index for index, place in enumerate(used)}
        bindings = Distinct(projected(self.relation, used)) if used else None
        narrowed: Env = tuple(_composed(where, level) for level in env)
        return used, _bound(relation, bindings, narrowed)

    def _looked_up(self, used: list[int], answers: Relation) -> Scalar:
        """Join `answers`, at most one row for each value of the columns `used`; its first column after these."""
        if not used:
            # One row: it was grouped by nothing. EXISTS may have none.
            single = isinstance(answers, Reduce)
            predicates: tuple[Scalar, ...] = ()
        else:
            single = False
            predicates = all_same(self.relation, used, answers, range(len(used)))
        at = width_of(self.relation) + len(used)
        both = (self.relation, answers)
        self.relation = Join(both) if single else OuterJoin(*both, predicates)
        return column(self.relation, at)

    def _joined(self, pulled: _Pulled) -> list[Scalar]:
        """Join a query that has at most one row for each outer row; its columns, or what they are where it has none."""
        count = width_of(pulled.relation)
        marked = pulled.relation
        defaults = pulled.default
        if not pulled.ties and pulled.one_row:
            at = width_of(self.relation)
            self.relation = Join((self.relation, marked))
            return [column(self.relation, at + index) for index in range(pulled.width)]
        if defaults is not None and any(not is_null_constant(default) for default in defaults):
            marked = appended(marked, [TRUE])
        at = width_of(self.relation)
        self._tied(marked, pulled.ties, 0)
        found: list[Scalar] = []
        for index in range(pulled.width):
            value: Scalar = column(self.relation, at + index)
            if defaults is not None and not is_null_constant(defaults[index]):
                missing = is_null(column(self.relation, at + count))
                value = Case(((missing, defaults[index]),), value)
            found.append(value)
        return found

    def _tied(self, answers: Relation, ties: tuple[_Tie, ...], wanted: int) -> Scalar:
        """Join `answers` by ties, keeping our rows without any; the column `wanted` of it."""
        at = width_of(self.relation)
        self.relation = OuterJoin(self.relation, answers, self.tie_predicates(answers, ties))
        return column(self.relation, at + wanted)

    def tie_predicates(self, answers: Relation, ties: tuple[_Tie, ...]) -> tuple[Scalar, ...]:
        """The ties as predicates over our columns and then those of `answers`."""
        at = width_of(self.relation)
        env = self.inner_env()
        found: list[Scalar] = []
        for tie in ties:
            outer = _translated(tie.outer, self.relation, 0, env)
            other = answers.columns[tie.inner]
            inner = Column(at + tie.inner, other.type, other.nullable)
            found.append(Call(tie.equals.function, (outer, inner), BOOL, outer.nullable or inner.nullable))
        return tuple(found)

    # Filters

    def keep(self, predicates: Sequence[Scalar]) -> None:
        """Keep the rows for which all predicates are true."""
        plain = [predicate for predicate in predicates if not holds_query(predicate)]
        if plain:
            self.relation = Filter(self.relation, tuple(self.scalar(predicate) for predicate in plain))
        for predicate in predicates:
            if holds_query(predicate):
                self._keep_query(predicate)

    def _keep_query(self, predicate: Scalar) -> None:
        negated = _is_not(predicate)
        query = predicate if negated is None else negated
        if isinstance(query, Subquery) and query.kind != "scalar":
            self._semi_join(query, anti=negated is not None)
        else:
            value = self.scalar(predicate)
            self.relation = Filter(self.relation, (value,))

    def _semi_join(self, query: Subquery, anti: bool) -> None:
        """Keep the rows for which the query has some row, or none."""
        predicate = None if query.predicate is None else self._lift(query)
        relation = query.relation
        while query.kind == "exists" and isinstance(relation, Distinct | Map | Project) and _is_plain(relation):
            relation = relation.input  # how many rows there are and what is in them does not matter
        pulled = _try_pull(relation)
        if pulled is not None and pulled.default is None:
            answers = pulled.relation
            matches = [*self.tie_predicates(answers, pulled.ties), *self._residual(answers, pulled.residual)]
            if predicate is not None:
                matches.append(self._match(predicate, answers, 0, anti))
            self.relation = SemiJoin(self.relation, answers, tuple(matches), anti)
            return
        used, found = self._bindings(relation, ())
        matches = list(all_same(self.relation, used, found, range(len(used))))
        if predicate is not None:
            matches.append(self._match(predicate, found, len(used), anti))
        self.relation = SemiJoin(self.relation, found, tuple(matches), anti)

    def _match(self, predicate: Scalar, answers: Relation, first: int, anti: bool) -> Scalar:
        """The predicate of an `any` over our columns and those of `answers`, where the query's begin at `first`.

        A row that it is null for matches where none may: `NOT (x = ANY ...)` is true only if all are different.
        """
        at, width = width_of(self.relation), self.width

        def place(part: Scalar) -> Scalar:
            match part:
                case Column() if part.index < width:
                    return column(self.relation, self.shift + part.index)
                case Column():
                    other = answers.columns[first + part.index - width]
                    return Column(at + first + part.index - width, other.type, other.nullable)
                case Outer():
                    return column(self.relation, self.env[part.level - 1](part.index))
            return part

        placed = transform(predicate, place)
        return Coalesce((placed, TRUE)) if anti and placed.nullable else placed

    def _residual(self, answers: Relation, residual: tuple[Scalar, ...]) -> list[Scalar]:
        at, env = width_of(self.relation), self.inner_env()

        def place(part: Scalar) -> Scalar:
            match part:
                case Column():
                    other = answers.columns[part.index]
                    return Column(at + part.index, other.type, other.nullable)
                case Outer():
                    return column(self.relation, env[part.level - 1](part.index))
            return part

        return [transform(predicate, place) for predicate in residual]


def _composed(where: dict[int, int], level: Callable[[int], int]) -> Callable[[int], int]:
    return lambda index: where[level(index)]


def _is_plain(relation: Distinct | Map | Project) -> bool:
    """Whether leaving the operator out changes nothing but columns and how often rows occur."""
    return not any(may_fail(scalar) for scalar in scalars(relation))


# Pulling


@dataclass(frozen=True, slots=True)
class _Tie:
    """`equals` compares `outer`, a scalar of outer columns alone, with the column `inner`."""

    equals: Call
    outer: Scalar
    inner: int


@dataclass(frozen=True, slots=True)
class _Pulled:
    """A query without what ties it to outer rows.

    - The first `width` columns of `relation` are those of the query; more may follow.
    - Its rows for an outer row are those for which all ties are equal and all `residual` predicates true.
    - `default` is the one row for an outer row for which there are none of these, if that is how the query is.
    - `one_row`: there is never more than one row for an outer row.
    """

    relation: Relation
    width: int
    ties: tuple[_Tie, ...] = ()
    residual: tuple[Scalar, ...] = ()
    default: tuple[Scalar, ...] | None = None
    one_row: bool = False

    @property
    def tied(self) -> list[int]:
        return [tie.inner for tie in self.ties]


class _CannotPull(Exception):  # not an error: the query must be bound instead
    pass


def _try_pull(relation: Relation) -> _Pulled | None:
    try:
        return _pull(relation)
    except _CannotPull:
        return None


def _value_and_count(value: Scalar) -> tuple[AggregateCall, ...]:
    count = next(found for found in AGGREGATES["count"] if not found.arguments)
    return AggregateCall(SOME_VALUE, (value,), value.type, True), AggregateCall(count, (), INT8, False)


def _checked(value: Scalar, count: Scalar) -> Scalar:
    """The value, with an error where there is more than one: only for rows that ask for it."""
    return Call(SINGLE_VALUE, (value, count), value.type, True)


def _counted(pulled: _Pulled) -> _Pulled:
    """A query for one value as that value and how many rows there are."""
    relation = pulled.relation
    value = column(relation, 0)
    keys = tuple(columns_at(relation, pulled.tied))
    first = len(keys)
    reduced = projected(Reduce(relation, keys, _value_and_count(value)), [first, first + 1, *range(first)])
    ties = tuple(_Tie(tie.equals, tie.outer, 2 + place) for place, tie in enumerate(pulled.ties))
    return _Pulled(reduced, 2, ties, default=(null(value.type), null(INT8)), one_row=True)


def _pull(relation: Relation) -> _Pulled:
    if not free_in(relation):
        return _Pulled(_alone(relation), width_of(relation), one_row=_has_one_row(relation))
    match relation:
        case Filter():
            return _pull_filter(_pull(relation.input), relation.predicates)
        case Join():
            return _pull_join(relation)
        case Map():
            return _pull_map(relation)
        case Project():
            return _pull_project(relation)
        case Reduce():
            return _pull_reduce(relation)
        case Distinct():
            pulled = _without_residual(_pull(relation.input))
            return replace(pulled, relation=Distinct(_trimmed(pulled).relation), ties=_trimmed(pulled).ties)
        case TopK():
            return _pull_topk(relation)
        case Window():
            return _pull_window(relation)
        case Union():
            return _pull_union(relation)
        case OuterJoin() if not relation.full and not free_in(relation.right):
            return _pull_outer_join(relation)
    raise _CannotPull


def _has_one_row(relation: Relation) -> bool:
    while isinstance(relation, Map | Project):
        relation = relation.input
    return (isinstance(relation, Reduce) and not relation.keys) or (
        isinstance(relation, Values) and len(relation.rows) == 1
    )


def _without_residual(pulled: _Pulled) -> _Pulled:
    if pulled.residual:
        raise _CannotPull
    return pulled


def _trimmed(pulled: _Pulled) -> _Pulled:
    """Only the query's own columns and those of ties."""
    outputs = [*range(pulled.width), *pulled.tied]
    ties = tuple(_Tie(t.equals, t.outer, pulled.width + place) for place, t in enumerate(pulled.ties))
    return replace(pulled, relation=projected(pulled.relation, outputs), ties=ties)


def _inside(scalars: Sequence[Scalar]) -> None:
    """Refuse scalars that refer to outer rows."""
    if any(free_in_scalar(scalar) for scalar in scalars):
        raise _CannotPull


def _pull_filter(pulled: _Pulled, predicates: Sequence[Scalar]) -> _Pulled:
    if pulled.default is not None:
        raise _CannotPull
    row = _Row(pulled.relation, 0, pulled.width, ())
    row.keep([predicate for predicate in predicates if not free_in_scalar(predicate)])
    relation, ties, residual = row.relation, list(pulled.ties), list(pulled.residual)
    for predicate in predicates:
        if not free_in_scalar(predicate):
            continue
        if holds_query(predicate):
            raise _CannotPull
        sides = _tie_sides(predicate)
        if sides is None:
            residual.append(predicate)
            continue
        equals, outer, inner = sides
        if isinstance(inner, Column):
            ties.append(_Tie(equals, outer, inner.index))
        else:
            relation = appended(relation, [_translated(inner, relation, 0, ())])
            ties.append(_Tie(equals, outer, width_of(relation) - 1))
    return replace(pulled, relation=relation, ties=tuple(ties), residual=tuple(residual))


def _tie_sides(predicate: Scalar) -> tuple[Call, Scalar, Scalar] | None:
    """For an equality of something outer with something of ours: the call, and both."""
    if not isinstance(predicate, Call) or predicate.function.name != "=" or len(predicate.arguments) != 2:
        return None
    if predicate.function.arguments[0] is not predicate.function.arguments[1]:
        return None  # the sides of such an equality cannot change places
    for outer, inner in (predicate.arguments, predicate.arguments[::-1]):
        if free_in_scalar(outer) and not own_columns(outer) and not free_in_scalar(inner) and own_columns(inner):
            return predicate, outer, inner
    return None


def _pull_join(relation: Join) -> _Pulled:
    parts = [_pull(part) for part in relation.inputs]
    if any(part.default is not None for part in parts):
        raise _CannotPull
    starts, at = [], 0
    for part in parts:
        starts.append(at)
        at += width_of(part.relation)
    joined: Relation = Join(tuple(part.relation for part in parts))
    own = [start + i for start, part in zip(starts, parts, strict=True) for i in range(part.width)]
    extra = [place for place in range(at) if place not in set(own)]
    where = {place: index for index, place in enumerate((*own, *extra))}
    joined = projected(joined, [*own, *extra])
    ties: list[_Tie] = []
    residual: list[Scalar] = []
    for start, part in zip(starts, parts, strict=True):
        ties += [_Tie(tie.equals, tie.outer, where[start + tie.inner]) for tie in part.ties]
        residual += [replaced(scalar, start, where) for scalar in part.residual]
    pulled = _Pulled(joined, len(own), tuple(ties), tuple(residual))
    return _pull_filter(pulled, relation.predicates)


def _pull_map(relation: Map) -> _Pulled:
    _inside(relation.scalars)
    pulled = _pull(relation.input)
    row = _Row(pulled.relation, 0, pulled.width, ())
    scalars = [row.scalar(scalar) for scalar in relation.scalars]
    before = width_of(row.relation)
    mapped = appended(row.relation, scalars)
    added = range(before, before + len(scalars))
    outputs = [*range(pulled.width), *added, *range(pulled.width, before)]
    where = {place: index for index, place in enumerate(outputs)}
    default = pulled.default
    if default is not None:
        if any(holds_query(scalar) for scalar in relation.scalars):
            raise _CannotPull
        default = (*default, *(_on_default(scalar, default) for scalar in relation.scalars))
    return _Pulled(
        projected(mapped, outputs),
        pulled.width + len(scalars),
        tuple(_Tie(tie.equals, tie.outer, where[tie.inner]) for tie in pulled.ties),
        tuple(replaced(scalar, 0, where) for scalar in pulled.residual),
        default,
        pulled.one_row,
    )


def _on_default(scalar: Scalar, default: tuple[Scalar, ...]) -> Scalar:
    """A scalar over the default row."""

    def place(part: Scalar) -> Scalar:
        if isinstance(part, Column):
            return default[part.index]
        if isinstance(part, Call) and part.function.strict and any(is_null_constant(a) for a in part.arguments):
            return null(part.type)
        return part

    return transform(scalar, place)


def _pull_project(relation: Project) -> _Pulled:
    pulled = _pull(relation.input)
    width = len(relation.outputs)
    outputs = [*relation.outputs, *range(width_of(pulled.relation))]
    # Residual predicates may need any column: all stay, after those that are wanted.
    where = {place: width + place for place in range(width_of(pulled.relation))}
    return _Pulled(
        Project(pulled.relation, tuple(outputs)),
        width,
        tuple(_Tie(tie.equals, tie.outer, where[tie.inner]) for tie in pulled.ties),
        tuple(replaced(scalar, 0, where) for scalar in pulled.residual),
        None if pulled.default is None else tuple(pulled.default[index] for index in relation.outputs),
        pulled.one_row,
    )


def _pull_reduce(relation: Reduce) -> _Pulled:
    _inside(scalars(relation))
    pulled = _without_residual(_pull(relation.input))
    if pulled.default is not None:
        raise _CannotPull
    row = _Row(pulled.relation, 0, pulled.width, ())
    keys = [row.scalar(key) for key in relation.keys]
    calls = [_aggregate(call, row) for call in relation.aggregates]
    reduced = Reduce(row.relation, (*keys, *columns_at(row.relation, pulled.tied)), tuple(calls))
    first, second, third = len(keys), len(pulled.ties), len(calls)
    outputs = [*range(first), *range(first + second, first + second + third), *range(first, first + second)]
    ties = tuple(_Tie(tie.equals, tie.outer, first + third + place) for place, tie in enumerate(pulled.ties))
    default = None if relation.keys else tuple(empty_value(call) for call in calls)
    return _Pulled(projected(reduced, outputs), first + third, ties, (), default, not relation.keys)


def _pull_topk(relation: TopK) -> _Pulled:
    _inside(scalars(relation))
    pulled = _without_residual(_pull(relation.input))
    if pulled.default is not None or any(holds_query(key.expression) for key in relation.order):
        raise _CannotPull
    pulled = _trimmed(pulled)
    group = (*relation.group, *pulled.tied)
    single = relation.limit is not None and isinstance(relation.limit, Constant) and relation.limit.value == 1
    topk = TopK(pulled.relation, group, relation.order, relation.limit, relation.offset)
    return replace(pulled, relation=topk, one_row=pulled.one_row or (single and not relation.group))


def _pull_window(relation: Window) -> _Pulled:
    _inside(scalars(relation))
    pulled = _without_residual(_pull(relation.input))
    if pulled.default is not None or any(holds_query(scalar) for scalar in scalars(relation)):
        raise _CannotPull
    extra = tuple(columns_at(pulled.relation, pulled.tied))
    calls = tuple(replace(call, partition=(*extra, *call.partition)) for call in relation.calls)
    before, added = width_of(pulled.relation), len(calls)
    outputs = [*range(pulled.width), *range(before, before + added), *range(pulled.width, before)]
    where = {place: index for index, place in enumerate(outputs)}
    ties = tuple(_Tie(tie.equals, tie.outer, where[tie.inner]) for tie in pulled.ties)
    windowed = projected(Window(pulled.relation, calls), outputs)
    return _Pulled(windowed, pulled.width + added, ties, (), None, pulled.one_row)


def _pull_union(relation: Union) -> _Pulled:
    parts = [_trimmed(_without_residual(_pull(part))) for part in relation.inputs]
    ties = [tuple((tie.equals.function, tie.outer) for tie in part.ties) for part in parts]
    if any(part.default is not None for part in parts) or any(tie != ties[0] for tie in ties):
        raise _CannotPull
    first = parts[0]
    if any(
        part.relation.columns[t.inner].type is not first.relation.columns[f.inner].type
        for part in parts
        for t, f in zip(part.ties, first.ties, strict=True)
    ):
        raise _CannotPull
    return replace(first, relation=Union(tuple(part.relation for part in parts)), one_row=False)


def _pull_outer_join(relation: OuterJoin) -> _Pulled:
    _inside(relation.predicates)
    pulled = _pull(relation.left)
    if pulled.default is not None or any(holds_query(predicate) for predicate in relation.predicates):
        raise _CannotPull
    right = _alone(relation.right)
    before, added = width_of(pulled.relation), width_of(right)
    shift = {i: i if i < pulled.width else before + i - pulled.width for i in range(pulled.width + added)}
    predicates = tuple(replaced(predicate, 0, shift) for predicate in relation.predicates)
    joined = OuterJoin(pulled.relation, right, predicates)
    outputs = [*range(pulled.width), *range(before, before + added), *range(pulled.width, before)]
    where = {place: index for index, place in enumerate(outputs)}
    return _Pulled(
        projected(joined, outputs),
        pulled.width + added,
        tuple(_Tie(tie.equals, tie.outer, where[tie.inner]) for tie in pulled.ties),
        tuple(replaced(scalar, 0, where) for scalar in pulled.residual),
    )


# Binding


def _bound(relation: Relation, bindings: Relation | None, env: Env) -> Relation:
    """`relation` for each row of `bindings`, whose columns come first; without bindings, the relation alone.

    The rows of `bindings` are all different. `env` says which of its columns are which outer columns.
    """
    if bindings is not None and not free_in(relation):
        alone = _alone(relation)
        return bindings if alone is UNIT else Join((bindings, alone))
    return _Binder(bindings, env).relation(relation)


@dataclass(frozen=True, slots=True)
class _Binder:
    bindings: Relation | None
    env: Env

    @property
    def prefix(self) -> int:
        return 0 if self.bindings is None else width_of(self.bindings)

    def _below(self, relation: Relation) -> Relation:
        return _bound(relation, self.bindings, self.env)

    def _row(self, relation: Relation) -> _Row:
        """The rows of `relation`, one of our inputs, for scalars over it."""
        return _Row(self._below(relation), self.prefix, width_of(relation), self.env)

    def relation(self, relation: Relation) -> Relation:
        prefix = self.prefix
        match relation:
            case Values() | Get() | Local():
                return relation if self.bindings is None else Join((self.bindings, relation))
            case Map():
                return self._map(relation)
            case Filter():
                row = self._row(relation.input)
                row.keep(relation.predicates)
                return projected(row.relation, range(prefix + row.width))
            case Project():
                below = self._below(relation.input)
                return Project(below, (*range(prefix), *(prefix + index for index in relation.outputs)))
            case FlatMap():
                return self._flat_map(relation)
            case Join():
                return self._join(relation)
            case OuterJoin():
                return self._outer_join(relation)
            case SemiJoin():
                left, right, predicates = self._both_sides(relation.left, relation.right, relation.predicates)
                joined = SemiJoin(left, right, predicates, relation.anti)
                return projected(joined, range(prefix + width_of(relation)))
            case Reduce():
                return self._reduce(relation)
            case Distinct():
                return Distinct(self._below(relation.input))
            case TopK():
                return self._topk(relation)
            case Window():
                return self._window(relation)
            case Union():
                return Union(tuple(self._below(part) for part in relation.inputs))
            case Negate():
                return Negate(self._below(relation.input))
            case Threshold():
                return Threshold(self._below(relation.input))
            case Let():
                if free_in(relation.value):
                    return self._below(inlined(relation.body, relation.name, relation.value))
                return Let(relation.name, _alone(relation.value), self._below(relation.body))
            case LetRec():
                return self._recursive(relation)
            case Apply():
                return self._apply(relation)

    def _map(self, relation: Map) -> Relation:
        row = self._row(relation.input)
        scalars = [row.scalar(scalar) for scalar in relation.scalars]
        before, kept = width_of(row.relation), self.prefix + row.width
        mapped = appended(row.relation, scalars)
        return projected(mapped, [*range(kept), *range(before, before + len(scalars))])

    def _flat_map(self, relation: FlatMap) -> Relation:
        row = self._row(relation.input)
        arguments = tuple(row.scalar(argument) for argument in relation.arguments)
        before, kept = width_of(row.relation), self.prefix + row.width
        found = replace(relation, input=row.relation, arguments=arguments)
        return projected(found, [*range(kept), *range(before, width_of(found))])

    def _join(self, relation: Join) -> Relation:
        if self.bindings is None:
            joined: Relation = Join(tuple(_alone(part) for part in relation.inputs))
        else:
            joined = self._joined_inputs(relation.inputs)
        if not relation.predicates:
            return joined
        row = _Row(joined, self.prefix, width_of(relation), self.env)
        row.keep(relation.predicates)
        return projected(_with_join_predicates(row.relation, joined), range(self.prefix + row.width))

    def _joined_inputs(self, parts: Sequence[Relation]) -> Relation:
        """The inputs side by side for each binding, each joined to those before by the columns of the bindings."""
        assert self.bindings is not None
        prefix = self.prefix
        joined = self._below(parts[0])
        for part in parts[1:]:
            if not free_in(part):
                joined = Join((joined, _alone(part)))
                continue
            right = self._below(part)
            before = width_of(joined)
            same = all_same(joined, range(prefix), right, range(prefix))
            both = Join((joined, right), same)
            joined = projected(both, [*range(before), *range(before + prefix, width_of(both))])
        return joined

    def _both_sides(
        self, left: Relation, right: Relation, predicates: tuple[Scalar, ...]
    ) -> tuple[Relation, Relation, tuple[Scalar, ...]]:
        """Both sides of a join for each binding, and its predicates over them. The right side has the bindings too.

        A query in a predicate that is about one side is answered there; one about both sides for each pair of rows.
        """
        prefix, width = self.prefix, width_of(left)
        rows = _Row(self._below(left), prefix, width, self.env)
        others = _Row(self._below(right), prefix, width_of(right), self.env)
        same = all_same(rows.relation, range(prefix), others.relation, range(prefix))
        queries = [query for predicate in predicates for query in _about_both(predicate, width, width + others.width)]
        known: dict[Scalar, Column] = {}
        ties: list[tuple[int, int]] = [(place, place) for place in range(prefix)]
        if queries:
            shift = width_of(rows.relation)
            places = [*range(prefix, prefix + width), *range(shift + prefix, shift + prefix + others.width)]
            plain = [_on_sides(predicate, rows, others, {}) for predicate in predicates if not holds_query(predicate)]
            # Only pairs that the rest of the condition is true for need an answer.
            same = (*same, *(_sided(predicate, shift) for predicate in plain))
            pairs = _Pairs(rows.relation, others.relation, same, places)
            answered = self._answered(queries, pairs, range(prefix))
            others.relation, known = answered.right, answered.known
            ties += answered.ties
        kept = [_on_sides(predicate, rows, others, known) for predicate in predicates]
        shift = width_of(rows.relation)
        placed = [_sided(predicate, shift) for predicate in kept]
        same = all_same(rows.relation, [our for our, _ in ties], others.relation, [their for _, their in ties])
        return rows.relation, others.relation, (*same, *placed)

    def _answered(self, queries: Sequence[Subquery], pairs: _Pairs, bound: Sequence[int]) -> _Answered:
        """Queries about both sides of a join, answered in columns of the right side.

        They are asked for each different pair of what they use. The right side has its rows once for every pair that
        they are in, and the ties say which columns of the left side a row is for. `bound` are the columns of the
        right side that are the bindings.
        """
        prefix, places, shift, base = self.prefix, pairs.places, width_of(pairs.left), width_of(pairs.right)
        used = sorted({index for query in queries for index in own_columns(query) if index < len(places)})
        where = {index: place for place, index in enumerate(used)}
        both = Join((pairs.left, pairs.right), pairs.same)
        different = Distinct(projected(both, [*range(prefix), *(places[index] for index in used)]))
        row = _Row(different, prefix, len(used), self.env)
        values = [row.scalar(_moved(query, where.__getitem__, len(places), len(used))) for query in queries]
        at, first = width_of(row.relation), prefix + len(used)
        answers = projected(appended(row.relation, values), [*range(first), *range(at, at + len(values))])
        theirs = [(their, place) for place, their in enumerate(bound)]
        theirs += [(places[i] - shift, prefix + where[i]) for i in used if places[i] >= shift]
        same = all_same(pairs.right, [their for their, _ in theirs], answers, [place for _, place in theirs])
        joined = Join((pairs.right, answers), same)
        ours = [(place, base + place) for place in range(prefix)]
        ours += [(places[i], base + prefix + where[i]) for i in used if places[i] < shift]
        known: dict[Scalar, Column] = {
            query: column(joined, base + first + place) for place, query in enumerate(queries)
        }
        return _Answered(joined, known, ours)

    def _outer_join(self, relation: OuterJoin) -> Relation:
        prefix = self.prefix
        width, other = width_of(relation.left), width_of(relation.right)
        if relation.full and any(_about_both(predicate, width, width + other) for predicate in relation.predicates):
            return self.relation(_full_as_union(relation))
        left, right, predicates = self._both_sides(relation.left, relation.right, relation.predicates)
        if relation.full and prefix:
            left = appended(left, [TRUE])
            predicates = tuple(moved_right(p, width_of(left) - 1) for p in predicates)
        before = width_of(left)
        joined: Relation = OuterJoin(left, right, predicates, relation.full)
        kept = [*range(prefix, prefix + width), *range(before + prefix, before + prefix + other)]
        if not (relation.full and prefix):
            return projected(joined, [*range(prefix), *kept])
        missing = is_null(column(joined, before - 1))
        bound = [Case(((missing, column(joined, before + i)),), column(joined, i)) for i in range(prefix)]
        at = width_of(joined)
        return projected(appended(joined, bound), [*range(at, at + prefix), *kept])

    def _reduce(self, relation: Reduce) -> Relation:
        row = self._row(relation.input)
        keys = [row.scalar(key) for key in relation.keys]
        calls = tuple(_aggregate(call, row) for call in relation.aggregates)
        bound = columns_at(row.relation, range(self.prefix))
        reduced = Reduce(row.relation, (*bound, *keys), calls)
        if relation.keys or self.bindings is None:
            return reduced
        # A binding without rows has a row of its own here: what the aggregates are over nothing.
        marked = appended(reduced, [TRUE])
        prefix, width = self.prefix, len(calls)
        same = all_same(self.bindings, range(prefix), marked, range(prefix))
        joined = OuterJoin(self.bindings, marked, same)
        missing = is_null(column(joined, 2 * prefix + width))
        values: list[Scalar] = []
        for place, call in enumerate(calls):
            value, empty = column(joined, 2 * prefix + place), empty_value(call)
            values.append(value if is_null_constant(empty) else Case(((missing, empty),), value))
        at = width_of(joined)
        return projected(appended(joined, values), [*range(prefix), *range(at, at + width)])

    def _topk(self, relation: TopK) -> Relation:
        row = self._row(relation.input)
        order = tuple(_order_key(key, row) for key in relation.order)
        limit = None if relation.limit is None else row.scalar(relation.limit)
        offset = None if relation.offset is None else row.scalar(relation.offset)
        group = (*range(self.prefix), *(self.prefix + index for index in relation.group))
        return projected(TopK(row.relation, group, order, limit, offset), range(self.prefix + row.width))

    def _window(self, relation: Window) -> Relation:
        row = self._row(relation.input)
        calls = [_window_call(call, row, self.prefix) for call in relation.calls]
        before, kept = width_of(row.relation), self.prefix + row.width
        windowed = Window(row.relation, tuple(calls))
        return projected(windowed, [*range(kept), *range(before, before + len(calls))])

    def _recursive(self, relation: LetRec) -> Relation:
        if any(free_in(binding.value) for binding in relation.bindings):
            raise CorrelatedRecursion
        bindings = tuple(Recursive(b.name, _alone(b.value), b.columns) for b in relation.bindings)
        return replace(relation, bindings=bindings, body=self._below(relation.body))

    def _apply(self, relation: Apply) -> Relation:
        row = self._row(relation.left)
        width = width_of(relation.right)
        kept = range(self.prefix + row.width)
        pulled = _try_pull(relation.right)
        asks = any(holds_query(predicate) for predicate in relation.predicates)
        # Of an outer row for which a condition drops the one row of an aggregate, nulls remain.
        pads = pulled is not None and pulled.default is not None and relation.outer and relation.predicates
        if pulled is not None and not asks and not pads:
            return self._applied(relation, row, pulled, list(kept))
        used, found = row._bindings(relation.right, ())
        before = width_of(row.relation)
        first = before + len(used)
        same = all_same(row.relation, used, found, range(len(used)))
        if relation.outer:
            return self._outer_applied(relation, row, used, found)
        joined = projected(Join((row.relation, found), same), [*kept, *range(first, first + width)])
        filtered = _Row(joined, self.prefix, row.width + width, self.env)
        filtered.keep(relation.predicates)
        return projected(filtered.relation, range(self.prefix + row.width + width))

    def _outer_applied(self, relation: Apply, row: _Row, used: list[int], found: Relation) -> Relation:
        """Our rows with those of `found`, where the columns `used` of ours come first, or with nulls."""
        before, width = width_of(row.relation), width_of(relation.right)
        ties = [(our, their) for their, our in enumerate(used)]
        first = before + len(used)
        places = [*range(row.shift, row.shift + row.width), *range(first, first + width)]
        queries = [query for predicate in relation.predicates for query in _queries(predicate)]
        known: dict[Scalar, Column] = {}
        if queries:
            same = all_same(row.relation, used, found, range(len(used)))
            answered = self._answered(queries, _Pairs(row.relation, found, same, places), ())
            found, known = answered.right, answered.known
            ties += answered.ties
        same = all_same(row.relation, [our for our, _ in ties], found, [their for _, their in ties])
        marked = [_side_marked(row, predicate, found, len(used), known) for predicate in relation.predicates]
        joined = OuterJoin(row.relation, found, (*same, *(_sided(predicate, before) for predicate in marked)))
        return projected(joined, [*range(self.prefix + row.width), *range(first, first + width)])

    def _applied(self, relation: Apply, row: _Row, pulled: _Pulled, kept: list[int]) -> Relation:
        before, width = width_of(row.relation), pulled.width
        if pulled.default is not None:
            values = row._joined(pulled)
            at = width_of(row.relation)
            rows = projected(appended(row.relation, values), [*kept, *range(at, at + width)])
            if not relation.predicates:
                return rows
            filtered = _Row(rows, self.prefix, row.width + width, self.env)
            filtered.keep(relation.predicates)
            return filtered.relation
        answers = pulled.relation
        ties = (*row.tie_predicates(answers, pulled.ties), *row._residual(answers, pulled.residual))
        conditions = tuple(_sided(_side_marked(row, p, answers, 0, {}), before) for p in relation.predicates)
        predicates = (*ties, *conditions)
        both = (row.relation, answers)
        joined: Relation = OuterJoin(*both, predicates) if relation.outer else Join(both, predicates)
        return projected(joined, [*kept, *range(before, before + width)])


def _with_join_predicates(relation: Relation, joined: Relation) -> Relation:
    """A filter right above a join is a condition of the join."""
    if isinstance(relation, Filter) and relation.input is joined and isinstance(joined, Join):
        return Join(joined.inputs, (*joined.predicates, *relation.predicates))
    return relation


_RIGHT = 1 << 40
"""Added to the positions of the right side while it is not known where that begins."""


def _marked(scalar: Scalar) -> Scalar:
    def place(part: Scalar) -> Scalar:
        return Column(part.index + _RIGHT, part.type, part.nullable) if isinstance(part, Column) else part

    return transform(scalar, place)


def _sided(scalar: Scalar, before: int) -> Scalar:
    """The scalar with the right side at its place, after `before` columns of the left."""

    def place(part: Scalar) -> Scalar:
        if isinstance(part, Column) and part.index >= _RIGHT:
            return Column(part.index - _RIGHT + before, part.type, part.nullable)
        return part

    return transform(scalar, place)


def _side_marked(row: _Row, predicate: Scalar, right: Relation, first: int, known: Mapping[Scalar, Column]) -> Scalar:
    """A predicate over our own columns and those of `right` from `first` on, the latter marked.

    The answers to queries that are `known` are columns of `right`.
    """
    match predicate:
        case Subquery():
            return _marked(known[predicate])
        case Column() if predicate.index < row.width:
            return column(row.relation, row.shift + predicate.index)
        case Column():
            return _marked(column(right, first + predicate.index - row.width))
        case Outer():
            return column(row.relation, row.env[predicate.level - 1](predicate.index))
    below = tuple(_side_marked(row, part, right, first, known) for part in children(predicate))
    return with_children(predicate, below)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The rows of two relations for which all of `same` are true.

    `places` says where the columns that a predicate on both has as its own are in the two side by side.
    """

    left: Relation
    right: Relation
    same: tuple[Scalar, ...]
    places: list[int]


@dataclass(frozen=True, slots=True)
class _Answered:
    """A right side with the answers of queries, and which of its columns have to be the same as which of the left."""

    right: Relation
    known: dict[Scalar, Column]
    ties: list[tuple[int, int]]


def _on_sides(predicate: Scalar, left: _Row, right: _Row, known: Mapping[Scalar, Column]) -> Scalar:
    """The predicate over the columns of `left`, and those of `right` marked by `_RIGHT`."""
    width, total = left.width, left.width + right.width
    match predicate:
        case Subquery():
            if predicate in known:
                return _marked(known[predicate])
            if all(index < width or index >= total for index in own_columns(predicate)):
                return left.scalar(_moved(predicate, lambda index: index, total, width))
            return _marked(right.scalar(_moved(predicate, lambda index: index - width, total, right.width)))
        case Column() if predicate.index >= width:
            return _marked(right.scalar(Column(predicate.index - width, predicate.type, predicate.nullable)))
        case Column() | Outer():
            return left.scalar(predicate)
    return with_children(predicate, tuple(_on_sides(part, left, right, known) for part in children(predicate)))


def _queries(predicate: Scalar) -> list[Subquery]:
    """The queries of a predicate, not those inside of them."""
    if isinstance(predicate, Subquery):
        return [predicate]
    return [query for part in children(predicate) for query in _queries(part)]


def _about_both(predicate: Scalar, width: int, total: int) -> list[Subquery]:
    """The queries of a predicate that are about both sides of a join: the left has `width` of `total` columns."""
    found = []
    for query in _queries(predicate):
        own = {index for index in own_columns(query) if index < total}
        if any(index < width for index in own) and any(index >= width for index in own):
            found.append(query)
    return found


def _moved(scalar: Scalar, places: Callable[[int], int], total: int, width: int) -> Scalar:
    """A scalar about a row of `total` columns as one about a row of `width`, where they are elsewhere.

    What follows the row are the columns of the query of an `any`.
    """

    def move(index: int) -> int:
        return places(index) if index < total else index - total + width

    match scalar:
        case Column():
            return Column(move(scalar.index), scalar.type, scalar.nullable)
        case Subquery():
            predicate = None if scalar.predicate is None else _moved(scalar.predicate, places, total, width)
            relation = outer_moved(scalar.relation, 1, move)
            return Subquery(scalar.kind, relation, predicate, scalar.type, scalar.nullable)
    return with_children(scalar, tuple(_moved(part, places, total, width) for part in children(scalar)))


def _full_as_union(relation: OuterJoin) -> Relation:
    """A full join as the left join and the rows of the right side that have no partner."""
    left, right = width_of(relation.left), width_of(relation.right)
    total = left + right

    def swap(index: int) -> int:
        return index + right if index < left else index - left

    predicates = tuple(_moved(predicate, swap, total, total) for predicate in relation.predicates)
    lonely: Relation = SemiJoin(relation.right, relation.left, predicates, anti=True)
    padded = appended(lonely, [null(found.type) for found in relation.left.columns])
    lonely = projected(padded, [*range(right, total), *range(right)])
    return Union((replace(relation, full=False), lonely))


def _aggregate(call: AggregateCall, row: _Row) -> AggregateCall:
    return aggregate_with(call, row.scalar)


def _order_key(key: OrderKey, row: _Row) -> OrderKey:
    return replace(key, expression=row.scalar(key.expression))


def _window_call(call: WindowCall, row: _Row, prefix: int) -> WindowCall:
    found = window_with(call, row.scalar)
    return replace(found, partition=(*columns_at(row.relation, range(prefix)), *found.partition))
