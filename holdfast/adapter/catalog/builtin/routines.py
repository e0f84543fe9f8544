"""The functions and operators of the registry, as PostgreSQL's catalogs list them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Literal

from holdfast.adapter.catalog.builtin.system_types import OF_KIND
from holdfast.plan.functions import internal
from holdfast.plan.functions.function import (
    Aggregate,
    Any,
    ColumnsByConstant,
    Family,
    Function,
    Pattern,
    TableFunction,
    WindowFunction,
)
from holdfast.plan.functions.listing import STAND_INS, kind_of
from holdfast.plan.functions.registry import FAMILIES
from holdfast.plan.types import BASES, Array, Type

_FIRST_ROUTINE, _FIRST_OPERATOR = 10_000, 13_000
_KIND_OIDS = {
    Any.ANY: OF_KIND["any"],
    Any.LIST: OF_KIND["list"],
    Any.LIST_ELEMENT: OF_KIND["anyelement"],
    Any.MAP: OF_KIND["map"],
    Any.MAP_VALUE: OF_KIND["anyelement"],
    **{kind: OF_KIND[kind.value] for kind in Any if kind.value in OF_KIND},
}
_SYNTAX = frozenset(
    {
        *("array", "array_slice", "array_subscript", "greatest", "jsonb_subscript", "least", "list", "list_slice"),
        *("list_subscript", "map", "not", "row", "is_distinct", "is_not_distinct", "is_null", "is_not_null"),
        *(f"is_{negated}{value}" for negated in ("", "not_") for value in ("true", "false", "unknown")),
        *("current_catalog", "current_date", "current_role", "current_time", "current_timestamp", "localtime"),
        *("localtimestamp", "user"),
    }
)
"""Functions that only the grammar calls."""
_VOLATILITY = {"immutable": "i", "stable": "s", "volatile": "v"}

_Member = Function | Aggregate | WindowFunction | TableFunction


@dataclass(frozen=True, slots=True)
class Routine:
    """A function: `kind` is `f`, or `a` for an aggregate and `w` for a window function.

    `columns` are the names and oids of the types of what it returns, where that is more than one value.
    """

    oid: int
    name: str
    kind: Literal["f", "a", "w"]
    argument_oids: tuple[int, ...]
    result_oid: int
    variadic_oid: int
    returns_set: bool
    strict: bool
    volatility: str
    doc: str
    optional: int = 0
    direct: int = 0
    columns: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Operator:
    """`left_oid` is 0 for an operator that stands before its argument."""

    oid: int
    name: str
    left_oid: int
    right_oid: int
    result_oid: int
    doc: str


@cache
def routines() -> tuple[Routine, ...]:
    found = {(one.name, one.argument_oids): one for one in _routines()}
    return tuple(found.values())


@cache
def operators() -> tuple[Operator, ...]:
    return tuple(_operators())


def _routines() -> Iterator[Routine]:
    number = _FIRST_ROUTINE
    for family in FAMILIES:
        if family is internal.FAMILY:
            continue
        for member in _members(family):
            for name in (member.name, *(alias for alias, of in family.aliases.items() if of == member.name)):
                if name.isidentifier() and name not in _SYNTAX:
                    yield _routine(number, name, member)
                    number += 1


def _members(family: Family) -> Iterator[_Member]:
    return chain(family.functions, family.aggregates, family.windows, family.tables)


def _routine(oid: int, name: str, member: _Member) -> Routine:
    types, arguments = _stand_ins(member.arguments), tuple(map(_oid, member.arguments))
    variadic = not isinstance(member, WindowFunction) and member.variadic
    if variadic:
        types += types[-1:]
    columns: tuple[tuple[str, int], ...] = ()
    if isinstance(member, TableFunction):
        columns = _columns(member, types)
        result = columns[0][1] if len(columns) == 1 else OF_KIND["record"]
    elif callable(member.result):
        result = _result(member.result(types), member.arguments)
    else:
        result = _oid(member.result)
    stability = member.stability if isinstance(member, Function) else "immutable"
    return Routine(
        oid,
        name,
        "a" if isinstance(member, Aggregate) else "w" if isinstance(member, WindowFunction) else "f",
        arguments,
        result,
        arguments[-1] if variadic else 0,
        isinstance(member, TableFunction),
        not isinstance(member, WindowFunction | Aggregate) and member.strict,
        _VOLATILITY[stability],
        member.doc,
        member.optional if isinstance(member, WindowFunction) else 0,
        member.direct if isinstance(member, Aggregate) else 0,
        columns if len(columns) > 1 else (),
    )


def _columns(member: TableFunction, types: Sequence[Type]) -> tuple[tuple[str, int], ...]:
    if isinstance(member.columns, ColumnsByConstant):
        return (("record", OF_KIND["record"]),)
    found = member.columns(types) if callable(member.columns) else member.columns
    return tuple(zip(found.names, map(_oid, found.types), strict=True))


def _stand_ins(patterns: Sequence[Pattern]) -> tuple[Type, ...]:
    return tuple(STAND_INS[pattern] if isinstance(pattern, Any) else pattern for pattern in patterns)


def _oid(pattern: Pattern) -> int:
    if isinstance(pattern, Any):
        return _KIND_OIDS[pattern]
    if isinstance(pattern, Array) and pattern.element.base not in BASES:
        return OF_KIND["anyarray"]
    return pattern.oid


def _result(type_: Type, arguments: Sequence[Pattern]) -> int:
    """The oid of the kind of types that a stand-in stood for, or that of the type itself."""
    return OF_KIND.get(kind_of(type_, arguments)) or _oid(type_)


def _operators() -> Iterator[Operator]:
    number = _FIRST_OPERATOR
    for family in FAMILIES:
        for member in family.operators:
            if any(character.isalnum() or character in " _" for character in member.name):
                continue
            types = _stand_ins(member.arguments)
            result = _result(member.result(types), member.arguments) if callable(member.result) else _oid(member.result)
            left, right = (0, *map(_oid, member.arguments))[-2:]
            yield Operator(number, member.name, left, right, result, member.doc)
            number += 1
