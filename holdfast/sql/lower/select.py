"""SELECT: from its clauses to a relation, in the order in which they are computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from holdfast.plan.relation import (
    UNIT,
    Apply,
    Distinct,
    Filter,
    FlatMap,
    OrderKey,
    Relation,
    TopK,
    Window,
    WindowCall,
    column,
    nullable,
)
from holdfast.plan.scalar import Column, Constant, Scalar, children, columns_of
from holdfast.plan.types import INT8
from holdfast.sql.coerce import Coercion
from holdfast.sql.errors import InvalidColumnReference
from holdfast.sql.lower.block import (
    DISTINCT_ON,
    HAVING,
    ORDER_BY,
    TABLES,
    WHERE,
    WINDOWS,
    Block,
    Clause,
    Reference,
    Rows,
    TableCall,
)
from holdfast.sql.lower.from_items import lower_from
from holdfast.sql.lower.functions_in_from import side_by_side
from holdfast.sql.lower.grouping import Grouped, Groups, lower_groups
from holdfast.sql.lower.joins import conjuncts
from holdfast.sql.lower.order import order_key
from holdfast.sql.lower.outer import lowered
from holdfast.sql.lower.placement import Placement, emit, projected
from holdfast.sql.lower.rows import columns_as_terms
from holdfast.sql.lower.source import Inside
from holdfast.sql.lower.targets import lower_targets, output
from holdfast.sql.lower.windows import check_windows, named_windows
from holdfast.sql.scope import Scope
from holdfast.sql.syntax.expression import Expression, Order
from holdfast.sql.syntax.query import GroupingSet, Select
from holdfast.sql.term import Term

_LIST_NEEDED = "for SELECT DISTINCT, ORDER BY expressions must appear in select list"
_ON_MISMATCH = "SELECT DISTINCT ON expressions must match initial ORDER BY expressions"


def lower_select(select: Select, order_by: Sequence[Order], inside: Inside) -> Rows:
    return _Select(select, order_by, inside).rows()


class _Select:
    """One SELECT. Everything is given its meaning first, over the rows of FROM, and computed after."""

    def __init__(self, select: Select, order_by: Sequence[Order], inside: Inside) -> None:
        source = lower_from(select.from_items, inside)
        self.select, self.order_by = select, order_by
        columns = source.relation.columns
        if any(isinstance(item, GroupingSet) for item in select.group_by):
            columns = nullable(columns)  # a key is null in the sets that lack it, also for queries inside
        scope = Scope(source.items, columns, inside.outer)
        scope.beside = source.hidden
        self.block = block = Block(inside.statement, scope, inside.common)
        block.named_windows = named_windows(select.windows)
        self.relation = source.relation
        self._grouped: Grouped | None = None
        self._window_at = 0
        self._table_at: dict[int, int] = {}
        self.targets = lower_targets(select.targets, block)
        self.predicates: tuple[Scalar, ...] = ()
        if select.where is not None:
            with block.in_clause(WHERE):
                self.predicates = conjuncts(block.coercion.boolean(block.term(select.where), "WHERE"))
        having_from = len(block.references)
        self.having: Scalar | None = None
        if select.having is not None:
            with block.in_clause(HAVING):
                self.having = block.coercion.boolean(block.term(select.having), "HAVING")
        self.having_references = block.references[having_from:]
        self.on: list[Term] = []
        order_from = len(block.references)
        self.order = [self._order_key(key) for key in order_by]
        if select.distinct is not None and select.distinct.on:
            self.on = [Term(self._item(part, DISTINCT_ON).scalar, part.location) for part in select.distinct.on]
        self.order_references = block.references[order_from:]
        check_windows(block)
        self.groups: Groups | None = None
        if select.group_by:
            self.groups = lower_groups(select.group_by, select.group_distinct, self.targets, block)
        elif block.aggregates or block.groupings or select.having is not None:
            self.groups = Groups([()])

    def _order_key(self, key: Order) -> OrderKey:
        return order_key(key, self._item(key.expression, ORDER_BY), self.block.coercion)

    def _item(self, expression: Expression, clause: Clause) -> Term:
        """An item of ORDER BY or DISTINCT ON: a column of the list by name or number, or an expression."""
        index = output(expression, self.targets, self.block, clause)
        if index is not None:
            return self.targets.settle(index, self.block)
        with self.block.in_clause(clause):
            return self.block.coercion.text_if_unknown(self.block.term(expression))

    def rows(self) -> Rows:
        if self.predicates:
            predicates = Placement(len(self.relation.columns)).scalars(self.predicates)
            self.relation = Filter(self.relation, predicates)
        if self.groups is not None:
            self._group(self.groups)
        self._windows()
        self._tables()
        if self.select.distinct is None:
            return self._plain()
        return self._distinct_on() if self.on else self._distinct()

    def _group(self, groups: Groups) -> None:
        # What rows are grouped by is there before they are.
        self._expand(_calls_in(groups.keys, self.block.tables), ())
        self._grouped = grouped = Grouped(groups, self.block, self._placement(()))
        met = (*self.targets.references, self.having_references, self.order_references, self.block.direct_references)
        for references in met:
            grouped.depend_on_keys(references)
        grouped.check_direct()
        self._table_at = {}
        self.relation = grouped.relation(self.relation)
        if self.having is not None:
            # It is taken apart only now: as a whole it may be a key.
            placed = self._placement(self.having_references).scalar(self.having)
            self.relation = Filter(self.relation, conjuncts(placed))

    def _placement(self, references: Sequence[Reference]) -> Placement:
        """On the relation as it now is, for expressions in which `references` were met."""
        base = None if self._grouped is None else self._grouped.placement(references)
        window_at, table_at = self._window_at, self._table_at

        def move(found: Column) -> Column:
            if found.index >= TABLES:
                return Column(table_at[found.index - TABLES], found.type, found.nullable)
            if found.index >= WINDOWS:
                return Column(window_at + found.index - WINDOWS, found.type, found.nullable)
            return found if base is None else base.move(found)

        return Placement(len(self.relation.columns), move, {} if base is None else base.known)

    def _windows(self) -> None:
        if not self.block.windows:
            return
        place = self._placement([one for references in self.targets.references for one in references])
        calls = [
            WindowCall(
                call.function,
                place.scalars(call.arguments),
                call.type,
                call.nullable,
                place.scalars(call.partition),
                place.order(call.order),
                call.frame,
                None if call.filter is None else place.scalar(call.filter),
                call.ignore_nulls,
            )
            for call in self.block.windows
        ]
        self._window_at = len(self.relation.columns)
        self.relation = Window(self.relation, tuple(calls))

    def _tables(self) -> None:
        references = [one for part in self.targets.references for one in part] + list(self.order_references)
        calls = self.block.tables
        if self.groups is not None:
            shown = (
                *(term.scalar for term in (*self.targets.terms, *self.on)),
                *(key.expression for key in self.order),
            )
            calls = _calls_in(tuple(_apart_from(self.groups.keys, shown)), calls)
        self._expand(calls, references)

    def _expand(self, calls: Mapping[TableCall, int], references: Sequence[Reference]) -> None:
        """Functions that return rows: side by side those that do not need each other, then those that need them."""
        waiting = dict(calls)
        while waiting:
            ready = [call for call in waiting if not _needs(call, waiting)]
            start = len(self.relation.columns)
            self.relation = _with_tables(self.relation, ready, self._placement(references), self.block.coercion)
            for call in ready:
                at = waiting.pop(call)
                for offset in range(len(call.returns)):
                    self._table_at[at + offset] = start
                    start += 1

    def _plain(self) -> Rows:
        terms = self._placed_terms()
        order = self._placed_order()
        return Rows(self.relation, terms, tuple(self.targets.names), order, scope=self.block.scope)

    def _placed_terms(self) -> tuple[Term, ...]:
        found = []
        for term, references in zip(self.targets.terms, self.targets.references, strict=True):
            found.append(Term(self._placement(references).scalar(term.scalar), term.location))
        return tuple(found)

    def _placed_order(self) -> tuple[OrderKey, ...]:
        every = [*self.order_references, *(one for part in self.targets.references for one in part)]
        return self._placement(every).order(self.order) if self.order else ()

    def _settled(self) -> None:
        for index in range(len(self.targets.terms)):
            self.targets.settle(index, self.block)

    def _distinct(self) -> Rows:
        self._settled()
        listed = {term.scalar for term in self.targets.terms}
        for key, written in zip(self.order, self.order_by, strict=True):
            if key.expression not in listed:
                raise InvalidColumnReference(_LIST_NEEDED, written.expression.location)
        terms, order = self._placed_terms(), self._placed_order()
        scalars = [term.scalar for term in terms]
        relation = Distinct(emit(self.relation, scalars))
        keys = [
            OrderKey(column(relation, scalars.index(key.expression)), key.descending, key.nulls_first) for key in order
        ]
        return Rows(relation, columns_as_terms(relation), tuple(self.targets.names), tuple(keys))

    def _distinct_on(self) -> Rows:
        """The first row of each group, in the order asked for."""
        self._settled()
        chosen = [term.scalar for term in self.on]
        skipped, matched = False, set[Scalar]()
        for key, written in zip(self.order, self.order_by, strict=True):
            if key.expression not in chosen:
                skipped = True
            elif skipped:
                raise InvalidColumnReference(_ON_MISMATCH, written.expression.location)
            else:
                matched.add(key.expression)
        if skipped and len(matched) < len(set(chosen)):
            missing = next(term for term in self.on if term.scalar not in matched)
            raise InvalidColumnReference(_ON_MISMATCH, missing.location)
        every = [*self.order_references, *(one for part in self.targets.references for one in part)]
        outputs = [term.scalar for term in self._placed_terms()]
        order = self._placed_order()
        groups = self._placement(every).scalars(chosen)
        width = len(outputs)
        for scalar in (*groups, *(key.expression for key in order)):
            if scalar not in outputs:
                outputs.append(scalar)
        relation = emit(self.relation, outputs)
        keys = tuple(
            OrderKey(column(relation, outputs.index(key.expression)), key.descending, key.nulls_first) for key in order
        )
        group = tuple(dict.fromkeys(outputs.index(scalar) for scalar in groups))
        first = TopK(relation, group, keys, Constant(1, INT8))
        return Rows(first, columns_as_terms(first)[:width], tuple(self.targets.names), keys)


def _calls_in(scalars: Sequence[Scalar], calls: Mapping[TableCall, int]) -> dict[TableCall, int]:
    """Those of the calls whose values are in the expressions, or in the arguments of calls that are."""
    columns = frozenset[int]().union(*(columns_of(scalar) for scalar in scalars))
    found = {
        call: at
        for call, at in calls.items()
        if any(TABLES + at + place in columns for place in range(len(call.returns)))
    }
    arguments = tuple(argument for call in found for argument in call.arguments)
    return {**_calls_in(arguments, calls), **found} if found else found


def _apart_from(keys: Sequence[Scalar], scalars: Sequence[Scalar]) -> Iterator[Column]:
    """The columns that the expressions have outside of those that are keys."""
    for scalar in scalars:
        if scalar in keys:
            continue
        if isinstance(scalar, Column):
            yield scalar
        else:
            yield from _apart_from(keys, children(scalar))


def _needs(call: TableCall, others: Mapping[TableCall, int]) -> bool:
    """Whether an argument of the call is a value that one of `others` returns."""
    waiting = {TABLES + at + place for other, at in others.items() for place in range(len(other.returns))}
    return any(not waiting.isdisjoint(columns_of(argument)) for argument in call.arguments)


def _with_tables(relation: Relation, calls: Sequence[TableCall], place: Placement, coercion: Coercion) -> Relation:
    """Each row with each row that the functions return for it; where one returns fewer than another, with nulls."""
    placed = [place.scalars(call.arguments) for call in calls]
    if len(calls) == 1:
        return FlatMap(relation, calls[0].function, placed[0], calls[0].returns)
    sides = [
        FlatMap(UNIT, call.function, tuple([lowered(argument) for argument in arguments]), call.returns, True)
        for call, arguments in zip(calls, placed, strict=True)
    ]
    together = side_by_side(sides, coercion)
    without_place = projected(together, range(len(together.columns) - 1))
    return Apply(relation, without_place)
