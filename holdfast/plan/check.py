"""Checking plans: that every operator and every scalar fits what stands below it.

Rewrites are trusted with users' answers, so tests check every plan that one returns.
"""

from __future__ import annotations

from collections.abc import Mapping

from holdfast.errors import UsageError
from holdfast.plan.functions.function import Function
from holdfast.plan.relation import (
    AggregateCall,
    Apply,
    Columns,
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
    Reduce,
    Relation,
    SemiJoin,
    Threshold,
    TopK,
    Union,
    Values,
    Window,
    WindowCall,
)
from holdfast.plan.scalar import And, Call, Case, Coalesce, Column, Or, Outer, Scalar, Subquery, children
from holdfast.plan.types import BOOL, Type

Locals = Mapping[str, Columns]
Outers = tuple[Columns, ...]
"""The columns of the rows around, the nearest last."""


def check(plan: Plan | Relation, *, decorrelated: bool = False) -> None:
    """Raise `UsageError` for a plan that makes no sense. Once `decorrelated`, no query refers to rows of another."""
    checker = _Checker(decorrelated)
    if not isinstance(plan, Plan):
        checker.relation(plan, {}, ())
        return
    columns = plan.relation.columns
    checker.relation(plan.relation, {}, ())
    _require(len(plan.names) <= len(columns), f"{len(plan.names)} names for {len(columns)} columns")
    checker.order(plan.order, columns, {}, ())
    for bound in (plan.limit, plan.offset):
        if bound is not None:
            checker.scalar(bound, (), {}, ())


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise UsageError(f"plan is wrong: {otherwise}")


class _Checker:
    def __init__(self, decorrelated: bool) -> None:
        self._decorrelated = decorrelated
        self._seen: set[tuple[Relation, tuple[tuple[str, Columns], ...], Outers]] = set()

    def relation(self, relation: Relation, local: Locals, outer: Outers) -> None:
        key = (relation, tuple(sorted(local.items(), key=lambda item: item[0])), outer)
        if key in self._seen:
            return
        self._seen.add(key)
        match relation:
            case Values():
                _require(all(len(row) == len(relation.columns) for row in relation.rows), "a row of another length")
            case Get():
                _require(all(i < len(relation.columns) for k in relation.keys for i in k), "a key of no column")
            case Local():
                _require(relation.name in local, f"nothing is called {relation.name}")
                _same_types(relation.columns, local[relation.name], f"Local {relation.name}")
            case Let():
                self.relation(relation.value, local, outer)
                self.relation(relation.body, {**local, relation.name: relation.value.columns}, outer)
            case LetRec():
                inside = {**local, **{binding.name: binding.columns for binding in relation.bindings}}
                for binding in relation.bindings:
                    self.relation(binding.value, inside, outer)
                    _same_types(binding.columns, binding.value.columns, f"recursive {binding.name}")
                self.relation(relation.body, inside, outer)
            case Apply():
                _require(not self._decorrelated, "an Apply is left")
                self.relation(relation.left, local, outer)
                self.relation(relation.right, local, (*outer, relation.left.columns))
                both = (*relation.left.columns, *relation.right.columns)
                self._predicates(relation.predicates, both, local, outer)
            case Join():
                _require(len(relation.inputs) >= 2, "a join of fewer than two inputs")
                for part in relation.inputs:
                    self.relation(part, local, outer)
                self._predicates(relation.predicates, relation.columns, local, outer)
            case OuterJoin() | SemiJoin():
                self.relation(relation.left, local, outer)
                self.relation(relation.right, local, outer)
                both = (*relation.left.columns, *relation.right.columns)
                self._predicates(relation.predicates, both, local, outer)
            case Union():
                _require(bool(relation.inputs), "a union of nothing")
                for part in relation.inputs:
                    self.relation(part, local, outer)
                    _same_types(part.columns, relation.inputs[0].columns, "union")
            case _:
                self.relation(relation.input, local, outer)
                self._unary(relation, relation.input.columns, local, outer)

    def _unary(
        self,
        relation: Map | Filter | Project | FlatMap | Reduce | Distinct | TopK | Window | Negate | Threshold,
        columns: Columns,
        local: Locals,
        outer: Outers,
    ) -> None:
        match relation:
            case Map():
                for scalar in relation.scalars:
                    self.scalar(scalar, columns, local, outer)
            case Filter():
                self._predicates(relation.predicates, columns, local, outer)
            case Project():
                _require(all(0 <= i < len(columns) for i in relation.outputs), "a projection of no column")
            case FlatMap():
                for scalar in relation.arguments:
                    self.scalar(scalar, columns, local, outer)
            case Reduce():
                for scalar in relation.keys:
                    self.scalar(scalar, columns, local, outer)
                for call in relation.aggregates:
                    self._aggregate(call, columns, local, outer)
            case TopK():
                _require(all(0 <= i < len(columns) for i in relation.group), "a group by no column")
                self.order(relation.order, columns, local, outer)
                for bound in (relation.limit, relation.offset):
                    if bound is not None:
                        self.scalar(bound, columns, local, outer)
            case Window():
                for window in relation.calls:
                    self._window(window, columns, local, outer)
            case Distinct() | Negate() | Threshold():
                pass

    def _predicates(self, predicates: tuple[Scalar, ...], columns: Columns, local: Locals, outer: Outers) -> None:
        for predicate in predicates:
            self.scalar(predicate, columns, local, outer)
            _require(predicate.type is BOOL, f"a predicate of type {predicate.type}")

    def order(self, keys: tuple[OrderKey, ...], columns: Columns, local: Locals, outer: Outers) -> None:
        for key in keys:
            self.scalar(key.expression, columns, local, outer)

    def _aggregate(self, call: AggregateCall, columns: Columns, local: Locals, outer: Outers) -> None:
        for argument in call.arguments:
            self.scalar(argument, columns, local, outer)
        self.order(call.order, columns, local, outer)
        if call.filter is not None:
            self._predicates((call.filter,), columns, local, outer)

    def _window(self, call: WindowCall, columns: Columns, local: Locals, outer: Outers) -> None:
        for part in (*call.arguments, *call.partition):
            self.scalar(part, columns, local, outer)
        self.order(call.order, columns, local, outer)
        if call.filter is not None:
            self._predicates((call.filter,), columns, local, outer)

    def scalar(self, scalar: Scalar, columns: Columns, local: Locals, outer: Outers) -> None:
        match scalar:
            case Column():
                _require(0 <= scalar.index < len(columns), f"column #{scalar.index} of {len(columns)}")
                found = columns[scalar.index]
                _same_type(scalar.type, found.type, f"column #{scalar.index}")
                _require(scalar.nullable or not found.nullable, f"column #{scalar.index} may be null")
            case Outer():
                _require(not self._decorrelated, "a column of an outer query is left")
                _require(1 <= scalar.level <= len(outer), f"no outer query of level {scalar.level}")
                around = outer[-scalar.level]
                _require(scalar.index < len(around), f"outer column #{scalar.index} of {len(around)}")
                _same_type(scalar.type, around[scalar.index].type, f"outer column #{scalar.index}")
            case Subquery():
                _require(not self._decorrelated, "a subquery is left")
                self.relation(scalar.relation, local, (*outer, columns))
                if scalar.predicate is not None:
                    both = (*columns, *scalar.relation.columns)
                    self._predicates((scalar.predicate,), both, local, outer)
                return
            case Call():
                _arity(scalar.function, len(scalar.arguments))
            case And() | Or():
                _require(len(scalar.terms) >= 2, "fewer than two terms")
                _require(all(term.type is BOOL for term in scalar.terms), "a term that is not boolean")
            case Coalesce():
                _require(all(term.type is scalar.type for term in scalar.terms), "coalesce of several types")
            case Case():
                for condition, result in scalar.branches:
                    _require(condition.type is BOOL, "a condition that is not boolean")
                    _same_type(result.type, scalar.type, "case")
        for part in children(scalar):
            self.scalar(part, columns, local, outer)


def _arity(function: Function, count: int) -> None:
    declared = len(function.arguments)
    fits = count >= declared if function.variadic else count == declared
    _require(fits, f"{function} of {count} arguments")


def _same_type(one: Type, other: Type, where: str) -> None:
    _require(one is other, f"{where} is {other}, not {one}")


def _same_types(some: Columns, others: Columns, where: str) -> None:
    _require(len(some) == len(others), f"{where}: {len(others)} columns, not {len(some)}")
    for one, other in zip(some, others, strict=True):
        _same_type(one.type, other.type, where)
