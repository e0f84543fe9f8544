"""Rows of a relation while scalars over them are translated: it grows a column for each query that they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from holdfast.errors import QueryError
from holdfast.plan.columns import (
    all_same,
    appended,
    columns_at,
    is_not_null,
    is_null,
    is_null_constant,
    may_fail,
    own_columns,
    projected,
    width_of,
    with_column,
)
from holdfast.plan.decorrelate.compared import Compared, compared, facts, moved_to
from holdfast.plan.decorrelate.ties import Pulled, Tie, checked, counted, has_one_row, value_and_count
from holdfast.plan.decorrelate.turns import InTurn, asks_what_may_fail, comes_next
from holdfast.plan.free import free_in, free_in_scalar, holds_query, scalars
from holdfast.plan.functions.registry import AGGREGATES, FUNCTIONS
from holdfast.plan.rebuild import aggregate_with
from holdfast.plan.relation import (
    AggregateCall,
    Distinct,
    Filter,
    Join,
    Map,
    OuterJoin,
    Project,
    Reduce,
    Relation,
    SemiJoin,
    TopK,
    column,
)
from holdfast.plan.scalar import (
    FALSE,
    TRUE,
    And,
    Call,
    Case,
    Coalesce,
    Column,
    Constant,
    Or,
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


Same: TypeAlias = Callable[[Relation], tuple[Scalar, ...]]
"""The predicates by which a relation whose first columns say which rows it is for is joined to these."""


class Lowering(Protocol):
    """What a query inside of a scalar needs of those who know whole relations."""

    def alone(self, relation: Relation) -> Relation:
        """A relation that refers to no outer row, without queries inside of it."""

    def bound(self, relation: Relation, bindings: Relation | None, env: Env) -> Relation:
        """A relation for each row of `bindings`, whose columns come first."""

    def try_pull(self, relation: Relation) -> Pulled | None:
        """A relation without its ties to outer rows, if it has no others than can be pulled."""


def _is_not(scalar: Scalar) -> Scalar | None:
    """What `scalar` is the negation of."""
    if isinstance(scalar, Call) and scalar.function is FUNCTIONS["not"][0]:
        return scalar.arguments[0]
    return None


def translated(scalar: Scalar, relation: Relation, shift: int, env: Env) -> Scalar:
    """A scalar without queries, over `relation`: its own columns are from `shift` on, outer ones where `env` says."""

    def place(part: Scalar) -> Scalar:
        match part:
            case Column():
                return column(relation, shift + part.index)
            case Outer():
                return column(relation, env[part.level - 1](part.index))
        return part

    return transform(scalar, place)


def _composed(where: dict[int, int], level: Callable[[int], int]) -> Callable[[int], int]:
    return lambda index: where[level(index)]


def _is_plain(relation: Distinct | Map | Project) -> bool:
    """Whether leaving the operator out changes nothing but columns and how often rows occur."""
    return not any(may_fail(scalar) for scalar in scalars(relation))


@dataclass(slots=True)
class Row:
    """A relation that grows columns while the scalars over it are translated.

    - The scalars' own columns are at `shift` and after, `width` of them; outer columns are where `env` says.
    - A column stays where it is.
    - Queries are asked of no other rows than those for which the column `comes` is true, if there is one.
    """

    relation: Relation
    shift: int
    width: int
    env: Env
    lowering: Lowering
    comes: int | None = None

    def scalar(self, scalar: Scalar) -> Scalar:
        """`scalar` over the columns of the relation, to which those of queries inside of it are added."""
        if isinstance(scalar, Subquery):
            return self._attached(scalar)
        if not holds_query(scalar):
            return translated(scalar, self.relation, self.shift, self.env)
        if isinstance(scalar, InTurn):
            return self._in_turn(scalar)
        return with_children(scalar, tuple(self.scalar(part) for part in children(scalar)))

    def _in_turn(self, scalar: InTurn) -> Scalar:
        done: list[Scalar] = []
        for part in children(scalar):
            if done and asks_what_may_fail(part):
                done.append(self._where_it_comes(part, comes_next(scalar, done)))
            else:
                done.append(self.scalar(part))
        return with_children(scalar, tuple(done))

    def _where_it_comes(self, scalar: Scalar, comes: Scalar) -> Scalar:
        """`scalar` for the rows for which `comes` is true, over our columns."""
        around = self.comes
        self.relation, self.comes = with_column(self.relation, self._guarded(comes, FALSE))
        found = self.scalar(scalar)
        self.comes = around
        return found

    def _guarded(self, scalar: Scalar, otherwise: Scalar) -> Scalar:
        """A scalar over our columns that is not run for rows that queries are not asked of."""
        return scalar if self.comes is None else Case(((column(self.relation, self.comes), scalar),), otherwise)

    def _pulled(self, relation: Relation) -> Pulled | None:
        """What a query is for all rows, unless it is to be asked of some alone."""
        if self.comes is not None and free_in(relation):
            return None
        return self.lowering.try_pull(relation)

    def aggregate(self, call: AggregateCall) -> AggregateCall:
        return aggregate_with(call, self.scalar)

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
        pulled = self._pulled(query.relation)
        if pulled is not None and not pulled.residual:
            if pulled.one_row:
                return self.joined(pulled)[0]
            return checked(*self.joined(counted(pulled)))
        used, found = self.bindings(query.relation, ())
        if used and has_one_row(query.relation):
            return self._looked_up(used, found)
        keys = tuple(columns_at(found, range(len(used))))
        value = self._looked_up(used, Reduce(found, keys, value_and_count(column(found, len(used)))))
        assert isinstance(value, Column)
        return checked(value, column(self.relation, value.index + 1))

    def _attach_exists(self, query: Subquery) -> Scalar:
        if not free_in(query.relation):
            return self._attach_any_row(self.lowering.alone(query.relation))
        pulled = self._pulled(query.relation)
        if pulled is not None and not pulled.residual and pulled.default is None:
            keys = Distinct(projected(pulled.relation, [tie.inner for tie in pulled.ties]))
            marked = appended(keys, [TRUE])
            ties = tuple(Tie(tie.equals, tie.outer, place) for place, tie in enumerate(pulled.ties))
            flag = self._tied(marked, ties, len(ties))
            return Coalesce((flag, FALSE)) if flag.nullable else flag
        used, found = self.bindings(query.relation, ())
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
        said = compared(predicate, self.width)
        return self._attach_pairs(query, predicate) if said is None else self._attach_compared(query.relation, said)

    def _attach_compared(self, relation: Relation, said: Compared) -> Scalar:
        """Whether a comparison is true of any row of a query, without a look at each for each row of ours."""
        place = self._column_of(said.ours)
        answers, first, keys, same = self._answers(relation)
        answers, their_place = with_column(answers, moved_to(said.theirs, answers, first))
        ours, theirs = column(self.relation, place), column(answers, their_place)
        at = width_of(self.relation)
        if said.extreme is None:
            different = appended(Distinct(projected(answers, [*keys, their_place])), [TRUE])
            other = Column(at + len(keys), theirs.type, theirs.nullable)
            self.relation = OuterJoin(self.relation, different, (*same(different), said.with_sides(ours, other)))
            found: Scalar = column(self.relation, at + len(keys) + 1)
            if not ours.nullable and not theirs.nullable:
                return Coalesce((found, FALSE))
            some, unknown = self._known_of(answers, facts(theirs), keys, same)
        else:
            some, unknown, best = self._known_of(answers, facts(theirs, said.extreme), keys, same)
            found = said.with_sides(ours, best)
        not_known = And((is_null(ours), some))
        return Case(((found, TRUE), (not_known, null(BOOL)), (unknown, null(BOOL))), FALSE)

    def _known_of(
        self, answers: Relation, calls: tuple[AggregateCall, ...], keys: Sequence[int] = (), same: Same | None = None
    ) -> list[Column]:
        """Aggregates over all answers for each row of ours, which are null where there are none."""
        known = Reduce(answers, tuple(columns_at(answers, keys)), calls)
        at = width_of(self.relation) + len(keys)
        both = (self.relation, known)
        self.relation = Join(both) if same is None or not keys else OuterJoin(*both, same(known))
        return columns_at(self.relation, range(at, at + len(calls)))

    def _answers(self, relation: Relation) -> tuple[Relation, int, list[int], Same]:
        """A query for all rows of ours, where its own columns begin, those that say which row it is for, and how what
        begins with these is joined.
        """
        pulled = self._pulled(relation)
        if pulled is not None and not pulled.residual and pulled.default is None:
            ties = tuple(Tie(tie.equals, tie.outer, place) for place, tie in enumerate(pulled.ties))
            return pulled.relation, 0, pulled.tied, lambda found: self.tie_predicates(found, ties)
        used, answers = self.bindings(relation, ())
        keys = list(range(len(used)))
        return answers, len(used), keys, lambda found: all_same(self.relation, used, found, keys)

    def _column_of(self, scalar: Scalar) -> int:
        """Which column a scalar about our row is, or becomes."""
        ours = translated(scalar, self.relation, self.shift, self.env)
        self.relation, place = with_column(self.relation, self._guarded(ours, null(ours.type)))
        return place

    def _attach_pairs(self, query: Subquery, predicate: Scalar) -> Scalar:
        """Whether a predicate is true of any pair of a row of ours and one of a query."""
        used, found = self.bindings(query.relation, (predicate,))
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

    def bindings(self, relation: Relation, also: tuple[Scalar, ...]) -> tuple[list[int], Relation]:
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
        rows = self.relation if self.comes is None else Filter(self.relation, (column(self.relation, self.comes),))
        bindings = Distinct(projected(rows, used)) if used else None
        narrowed: Env = tuple(_composed(where, level) for level in env)
        return used, self.lowering.bound(relation, bindings, narrowed)

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

    def joined(self, pulled: Pulled) -> list[Scalar]:
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

    def _tied(self, answers: Relation, ties: tuple[Tie, ...], wanted: int) -> Scalar:
        """Join `answers` by ties, keeping our rows without any; the column `wanted` of it."""
        at = width_of(self.relation)
        self.relation = OuterJoin(self.relation, answers, self.tie_predicates(answers, ties))
        return column(self.relation, at + wanted)

    def tie_predicates(self, answers: Relation, ties: tuple[Tie, ...]) -> tuple[Scalar, ...]:
        """The ties as predicates over our columns and then those of `answers`."""
        at = width_of(self.relation)
        env = self.inner_env()
        found: list[Scalar] = []
        for tie in ties:
            outer = translated(tie.outer, self.relation, 0, env)
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
        if isinstance(query, Subquery) and self._is_join(query):
            self._semi_join(query, anti=negated is not None)
        else:
            value = self.scalar(predicate)
            self.relation = Filter(self.relation, (value,))

    def _is_join(self, query: Subquery) -> bool:
        """Whether to filter by it is a join: not so if it compares in other ways than by equality."""
        if query.kind == "scalar":
            return False
        said = None if query.predicate is None else compared(query.predicate, self.width)
        return said is None or said.extreme is None

    def _semi_join(self, query: Subquery, anti: bool) -> None:
        """Keep the rows for which the query has some row, or none."""
        predicate = None if query.predicate is None else self._lift(query)
        said = None if predicate is None or not anti else compared(predicate, self.width)
        if said is not None and said.extreme is None:
            self._keep_unequal(query.relation, said)
            return
        relation = query.relation
        while query.kind == "exists" and isinstance(relation, Distinct | Map | Project) and _is_plain(relation):
            relation = relation.input  # how many rows there are and what is in them does not matter
        answers, first, matches = self._matching(relation)
        if predicate is not None:
            matches.append(self._match(predicate, answers, first, anti))
        self.relation = SemiJoin(self.relation, answers, tuple(matches), anti)

    def _keep_unequal(self, relation: Relation, said: Compared) -> None:
        """Keep the rows that are known to differ from all rows of a query: null does only if there are none."""
        place = self._column_of(said.ours)
        answers, first, matches = self._matching(relation)
        answers, their_place = with_column(answers, moved_to(said.theirs, answers, first))
        ours, theirs = column(self.relation, place), column(answers, their_place)
        if not matches and (ours.nullable or theirs.nullable):
            some, unknown = self._known_of(answers, facts(theirs))
            known = And((is_not_null(ours), Call(FUNCTIONS["not"][0], (unknown,), BOOL, True)))
            self.relation = Filter(self.relation, (Or((is_null(some), known)),))
        elif theirs.nullable:
            self.relation = SemiJoin(self.relation, Filter(answers, (is_null(theirs),)), tuple(matches), True)
        if matches and ours.nullable:
            self.relation = SemiJoin(self.relation, answers, (*matches, is_null(ours)), True)
        other = Column(width_of(self.relation) + their_place, theirs.type, theirs.nullable)
        self.relation = SemiJoin(self.relation, answers, (*matches, said.with_sides(ours, other)), True)

    def _matching(self, relation: Relation) -> tuple[Relation, int, list[Scalar]]:
        """A query for all our rows, where its own columns begin, and the predicates that say which row it is for."""
        pulled = self.lowering.try_pull(relation)
        if pulled is not None and pulled.default is None:
            ties = self.tie_predicates(pulled.relation, pulled.ties)
            return pulled.relation, 0, [*ties, *self.residual(pulled.relation, pulled.residual)]
        used, found = self.bindings(relation, ())
        return found, len(used), list(all_same(self.relation, used, found, range(len(used))))

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

    def residual(self, answers: Relation, residual: tuple[Scalar, ...]) -> list[Scalar]:
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
