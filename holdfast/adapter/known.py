"""What only a session knows: who asks, of which database, and when.

Functions that are stable are one value throughout a query. They are written into its plan before it runs: those without
arguments as constants, and those of the catalog as functions that have what they need of it in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from holdfast.plan.functions.function import Function
from holdfast.plan.functions.registry import FUNCTIONS
from holdfast.plan.rebuild import rebuilt
from holdfast.plan.relation import OrderKey, Plan, Relation
from holdfast.plan.scalar import Call, Constant, Scalar, Subquery, transform
from holdfast.sql.errors import NotSupported

_DAY = 86_400_000_000


def _nothing(_: Function) -> Function | None:
    return None


@dataclass(frozen=True, slots=True)
class Known:
    """`now` is when the query began, in microseconds since 1970; `logical` the time that it reads at, where it does.

    `bound` is a function as the catalog and the session have it, or None for one that they know nothing of.
    """

    now: int
    user: str
    database: str
    version: str
    schemas: tuple[str, ...] = ("public",)
    logical: int | None = None
    bound: Callable[[Function], Function | None] = _nothing


_VALUES: Mapping[str, Callable[[Known], object]] = {
    "now": lambda known: known.now,
    "statement_timestamp": lambda known: known.now,
    "clock_timestamp": lambda known: known.now,
    "localtimestamp": lambda known: known.now,
    "current_date": lambda known: known.now // _DAY,
    "current_time": lambda known: known.now % _DAY,
    "mz_now": lambda known: known.now // 1000 if known.logical is None else known.logical,
    "current_user": lambda known: known.user,
    "session_user": lambda known: known.user,
    "system_user": lambda _: None,
    "current_database": lambda known: known.database,
    "current_schema": lambda known: known.schemas[0] if known.schemas else None,
    "version": lambda known: known.version,
    "mz_version": lambda known: known.version,
}


def _age(call: Call, known: Known) -> Scalar:
    """Counted from the start of today, `age(t)` is a function of its argument alone."""
    between = next(each for each in FUNCTIONS["age"] if each.arguments == call.function.arguments * 2)
    today = Constant(known.now // _DAY * _DAY, call.arguments[0].type)
    return Call(between, (today, *call.arguments), call.type, call.nullable)


@cache
def _immutable(function: Function) -> Function:
    return replace(function, stability="immutable")


def with_known(plan: Plan, known: Known, *, clock: bool = True) -> Plan:
    """The plan with the values of stable functions in it; without `clock`, `mz_now()` stays what it is."""

    def scalar(part: Scalar) -> Scalar:
        return transform(part, value)

    def value(part: Scalar) -> Scalar:
        if isinstance(part, Subquery):
            return Subquery(part.kind, relation(part.relation), part.predicate, part.type, part.nullable)
        if not isinstance(part, Call):
            return part
        function = known.bound(part.function)
        if function is not None:
            return Call(function, part.arguments, part.type, part.nullable)
        if part.function.stability != "stable" or (part.function.name == "mz_now" and not clock):
            return part
        if part.function.name == "age":
            return _age(part, known)
        if part.function.name in _VALUES:
            return Constant(_VALUES[part.function.name](known), part.type)
        if part.function.python is not None:
            # What it says without a catalog.
            return Call(_immutable(part.function), part.arguments, part.type, part.nullable)
        raise NotSupported(f"function {part.function.name} is not supported here")

    done: dict[Relation, Relation] = {}

    def relation(part: Relation) -> Relation:
        if part not in done:
            done[part] = rebuilt(part, lambda below, _: relation(below), scalar)
        return done[part]

    return replace(
        plan,
        relation=relation(plan.relation),
        order=tuple(OrderKey(scalar(k.expression), k.descending, k.nulls_first) for k in plan.order),
        limit=plan.limit and scalar(plan.limit),
        offset=plan.offset and scalar(plan.offset),
    )
