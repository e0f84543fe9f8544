"""Binding: a query for all the different values of the outer columns that it uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdfast.errors import QueryError
from holdfast.plan.columns import (
    all_same,
    appended,
    columns_at,
    empty_value,
    is_null,
    is_null_constant,
    moved_right,
    own_columns,
    projected,
    width_of,
)
from holdfast.plan.decorrelate.pull import try_pull
from holdfast.plan.decorrelate.row import Env, Row
from holdfast.plan.decorrelate.sides import (
    Answered,
    Pairs,
    about_both,
    full_as_union,
    on_sides,
    pair_moved,
    queries_in,
    side_marked,
    sided,
)
from holdfast.plan.decorrelate.ties import Pulled
from holdfast.plan.free import free_in, holds_query, scalars
from holdfast.plan.rebuild import inlined, window_with
from holdfast.plan.relation import (
    UNIT,
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
    inputs,
)
from holdfast.plan.scalar import (
    TRUE,
    Case,
    Column,
    Scalar,
    Subquery,
    children,
)


class CorrelatedRecursion(QueryError):
    """A recursive query that refers to the row of another query, and is read by a query inside of it."""

    def __init__(self) -> None:
        super().__init__("a recursive query that refers to an outer query cannot be read by a subquery")
        self.hint = "Compute it for all rows in a WITH MUTUALLY RECURSIVE of its own, and join."


def alone(relation: Relation) -> Relation:
    """A relation that refers to no outer row."""
    return bound(relation, None, ())


def bound(relation: Relation, bindings: Relation | None, env: Env, carrying: frozenset[str] = frozenset()) -> Relation:
    """`relation` for each row of `bindings`, whose columns come first; without bindings, the relation alone.

    The rows of `bindings` are all different. `env` says which of its columns are which outer columns. Locals that are
    `carrying` the bindings have their columns already.
    """
    if bindings is not None and not free_in(relation) and not _reads_any(relation, carrying):
        same = alone(relation)
        return bindings if same is UNIT else Join((bindings, same))
    return _Binder(bindings, env, carrying).relation(relation)


def _reads_any(relation: Relation, names: frozenset[str]) -> bool:
    if isinstance(relation, Local) and relation.name in names:
        return True
    return bool(names) and any(_reads_any(part, names) for part in inputs(relation))


def _asks_any(relation: Relation, names: frozenset[str]) -> bool:
    """Whether a query in an expression, or one to the right of another relation, reads one of these."""
    if any(_asked(scalar, names) for scalar in scalars(relation)):
        return True
    if isinstance(relation, Apply) and _reads_any(relation.right, names):
        return True
    return any(_asks_any(part, names) for part in inputs(relation))


def _asked(scalar: Scalar, names: frozenset[str]) -> bool:
    if isinstance(scalar, Subquery) and (_reads_any(scalar.relation, names) or _asks_any(scalar.relation, names)):
        return True
    return any(_asked(part, names) for part in children(scalar))


@dataclass(frozen=True, slots=True)
class _Binder:
    bindings: Relation | None
    env: Env
    carrying: frozenset[str] = frozenset()

    @property
    def prefix(self) -> int:
        return 0 if self.bindings is None else width_of(self.bindings)

    def _below(self, relation: Relation) -> Relation:
        return bound(relation, self.bindings, self.env, self.carrying)

    def _depends(self, relation: Relation) -> bool:
        return bool(free_in(relation)) or _reads_any(relation, self.carrying)

    def _row(self, relation: Relation) -> Row:
        """The rows of `relation`, one of our inputs, for scalars over it."""
        return Row(self._below(relation), self.prefix, width_of(relation), self.env, LOWERING)

    def relation(self, relation: Relation) -> Relation:
        prefix = self.prefix
        match relation:
            case Local() if relation.name in self.carrying and self.bindings is not None:
                return Local(relation.name, (*self.bindings.columns, *relation.columns))
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
                if self._depends(relation.value):
                    return self._below(inlined(relation.body, relation.name, relation.value))
                return Let(relation.name, alone(relation.value), self._below(relation.body))
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
            joined: Relation = Join(tuple(alone(part) for part in relation.inputs))
        else:
            joined = self._joined_inputs(relation.inputs)
        if not relation.predicates:
            return joined
        row = Row(joined, self.prefix, width_of(relation), self.env, LOWERING)
        row.keep(relation.predicates)
        return projected(_with_join_predicates(row.relation, joined), range(self.prefix + row.width))

    def _joined_inputs(self, parts: Sequence[Relation]) -> Relation:
        """The inputs side by side for each binding, each joined to those before by the columns of the bindings."""
        assert self.bindings is not None
        prefix = self.prefix
        joined = self._below(parts[0])
        for part in parts[1:]:
            if not self._depends(part):
                joined = Join((joined, alone(part)))
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
        rows = Row(self._below(left), prefix, width, self.env, LOWERING)
        others = Row(self._below(right), prefix, width_of(right), self.env, LOWERING)
        same = all_same(rows.relation, range(prefix), others.relation, range(prefix))
        queries = [query for predicate in predicates for query in about_both(predicate, width, width + others.width)]
        known: dict[Scalar, Column] = {}
        ties: list[tuple[int, int]] = [(place, place) for place in range(prefix)]
        if queries:
            shift = width_of(rows.relation)
            places = [*range(prefix, prefix + width), *range(shift + prefix, shift + prefix + others.width)]
            plain = [on_sides(predicate, rows, others, {}) for predicate in predicates if not holds_query(predicate)]
            # Only pairs that the rest of the condition is true for need an answer.
            same = (*same, *(sided(predicate, shift) for predicate in plain))
            pairs = Pairs(rows.relation, others.relation, same, places)
            answered = self._answered(queries, pairs, range(prefix))
            others.relation, known = answered.right, answered.known
            ties += answered.ties
        kept = [on_sides(predicate, rows, others, known) for predicate in predicates]
        shift = width_of(rows.relation)
        placed = [sided(predicate, shift) for predicate in kept]
        same = all_same(rows.relation, [our for our, _ in ties], others.relation, [their for _, their in ties])
        return rows.relation, others.relation, (*same, *placed)

    def _answered(self, queries: Sequence[Subquery], pairs: Pairs, bound: Sequence[int]) -> Answered:
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
        row = Row(different, prefix, len(used), self.env, LOWERING)
        values = [row.scalar(pair_moved(query, where.__getitem__, len(places), len(used))) for query in queries]
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
        return Answered(joined, known, ours)

    def _outer_join(self, relation: OuterJoin) -> Relation:
        prefix = self.prefix
        width, other = width_of(relation.left), width_of(relation.right)
        if relation.full and any(about_both(predicate, width, width + other) for predicate in relation.predicates):
            return self.relation(full_as_union(relation))
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
        calls = tuple(row.aggregate(call) for call in relation.aggregates)
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
        """One that depends on the bindings is evaluated for all of them at once, and carries them along."""
        if self.bindings is None or not any(self._depends(binding.value) for binding in relation.bindings):
            bindings = tuple(Recursive(b.name, alone(b.value), b.columns) for b in relation.bindings)
            return replace(relation, bindings=bindings, body=self._below(relation.body))
        names = frozenset(binding.name for binding in relation.bindings)
        if any(_asks_any(part, names) for part in inputs(relation)):
            raise CorrelatedRecursion
        within, prefix = replace(self, carrying=self.carrying | names), self.bindings.columns
        bindings = tuple(Recursive(b.name, within._below(b.value), (*prefix, *b.columns)) for b in relation.bindings)
        return replace(relation, bindings=bindings, body=within._below(relation.body))

    def _apply(self, relation: Apply) -> Relation:
        row = self._row(relation.left)
        width = width_of(relation.right)
        kept = range(self.prefix + row.width)
        pulled = LOWERING.try_pull(relation.right)
        asks = any(holds_query(predicate) for predicate in relation.predicates)
        # Of an outer row for which a condition drops the one row of an aggregate, nulls remain.
        pads = pulled is not None and pulled.default is not None and relation.outer and relation.predicates
        if pulled is not None and not asks and not pads:
            return self._applied(relation, row, pulled, list(kept))
        used, found = row.bindings(relation.right, ())
        before = width_of(row.relation)
        first = before + len(used)
        same = all_same(row.relation, used, found, range(len(used)))
        if relation.outer:
            return self._outer_applied(relation, row, used, found)
        joined = projected(Join((row.relation, found), same), [*kept, *range(first, first + width)])
        filtered = Row(joined, self.prefix, row.width + width, self.env, LOWERING)
        filtered.keep(relation.predicates)
        return projected(filtered.relation, range(self.prefix + row.width + width))

    def _outer_applied(self, relation: Apply, row: Row, used: list[int], found: Relation) -> Relation:
        """Our rows with those of `found`, where the columns `used` of ours come first, or with nulls."""
        before, width = width_of(row.relation), width_of(relation.right)
        ties = [(our, their) for their, our in enumerate(used)]
        first = before + len(used)
        places = [*range(row.shift, row.shift + row.width), *range(first, first + width)]
        queries = [query for predicate in relation.predicates for query in queries_in(predicate)]
        known: dict[Scalar, Column] = {}
        if queries:
            same = all_same(row.relation, used, found, range(len(used)))
            answered = self._answered(queries, Pairs(row.relation, found, same, places), ())
            found, known = answered.right, answered.known
            ties += answered.ties
        same = all_same(row.relation, [our for our, _ in ties], found, [their for _, their in ties])
        marked = [side_marked(row, predicate, found, len(used), known) for predicate in relation.predicates]
        joined = OuterJoin(row.relation, found, (*same, *(sided(predicate, before) for predicate in marked)))
        return projected(joined, [*range(self.prefix + row.width), *range(first, first + width)])

    def _applied(self, relation: Apply, row: Row, pulled: Pulled, kept: list[int]) -> Relation:
        before, width = width_of(row.relation), pulled.width
        if pulled.default is not None:
            values = row.joined(pulled)
            at = width_of(row.relation)
            rows = projected(appended(row.relation, values), [*kept, *range(at, at + width)])
            if not relation.predicates:
                return rows
            filtered = Row(rows, self.prefix, row.width + width, self.env, LOWERING)
            filtered.keep(relation.predicates)
            return filtered.relation
        answers = pulled.relation
        ties = (*row.tie_predicates(answers, pulled.ties), *row.residual(answers, pulled.residual))
        conditions = tuple(sided(side_marked(row, p, answers, 0, {}), before) for p in relation.predicates)
        predicates = (*ties, *conditions)
        both = (row.relation, answers)
        joined: Relation = OuterJoin(*both, predicates) if relation.outer else Join(both, predicates)
        return projected(joined, [*kept, *range(before, before + width)])


def _with_join_predicates(relation: Relation, joined: Relation) -> Relation:
    """A filter right above a join is a condition of the join."""
    if isinstance(relation, Filter) and relation.input is joined and isinstance(joined, Join):
        return Join(joined.inputs, (*joined.predicates, *relation.predicates))
    return relation


def _order_key(key: OrderKey, row: Row) -> OrderKey:
    return replace(key, expression=row.scalar(key.expression))


def _window_call(call: WindowCall, row: Row, prefix: int) -> WindowCall:
    found = window_with(call, row.scalar)
    return replace(found, partition=(*columns_at(row.relation, range(prefix)), *found.partition))


class _Lowering:
    """Relations lowered by this module and by pulling."""

    def alone(self, relation: Relation) -> Relation:
        return alone(relation)

    def bound(self, relation: Relation, bindings: Relation | None, env: Env) -> Relation:
        return bound(relation, bindings, env)

    def try_pull(self, relation: Relation) -> Pulled | None:
        return try_pull(relation, self)


LOWERING = _Lowering()
