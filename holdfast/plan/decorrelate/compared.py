"""Comparisons of a row with those of a query, and what is to be known of these.

`x = ANY (query)` is true if some row is equal to `x`; else it is null if one of them is null, or if `x` is and there
are rows; else it is false. So it is a join by equality, and two facts about all rows together. For `x < ANY (query)`
the greatest row stands for the join. No pair of rows is looked at beyond those that are equal.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.plan.columns import is_null, may_fail, own_columns
from holdfast.plan.free import free_in_scalar
from holdfast.plan.functions.function import Aggregate, Any, Function
from holdfast.plan.functions.registry import AGGREGATES, FUNCTIONS, OPERATORS
from holdfast.plan.relation import AggregateCall, Relation, column
from holdfast.plan.scalar import TRUE, Call, Column, Scalar, transform
from holdfast.plan.types import BOOL, Record, Type

_TURNED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPPOSITE = {"<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_EXTREME = {"<": "max", "<=": "max", ">": "min", ">=": "min"}
"""The row that the comparison is true of if it is of any."""


@dataclass(frozen=True, slots=True)
class Compared:
    """`ours` is about our row alone, `theirs` about a row of the query alone, whose columns it counts from 0 on.

    Neither can fail. What is equal to one value is one value. If the comparison is no equation, it is true of any row
    if it is of the `extreme` one.
    """

    function: Function
    ours: Scalar
    theirs: Scalar
    extreme: Aggregate | None

    def with_sides(self, ours: Scalar, theirs: Scalar) -> Call:
        return Call(self.function, (ours, theirs), BOOL, ours.nullable or theirs.nullable)


def compared(predicate: Scalar, width: int) -> Compared | None:
    """What an ANY compares, if that is one value of our row, of so many columns, with one of the query's."""
    negated = isinstance(predicate, Call) and predicate.function is FUNCTIONS["not"][0]
    if negated:
        assert isinstance(predicate, Call)
        (predicate,) = predicate.arguments
    if not isinstance(predicate, Call) or predicate.function not in OPERATORS.get(predicate.function.name, ()):
        return None
    function, symbol = predicate.function, predicate.function.name
    if negated:
        symbol = _OPPOSITE.get(symbol, "")
    if symbol not in _TURNED:
        return None
    one, other = predicate.arguments
    turned = (other, one, _TURNED[symbol], function.arguments[::-1])
    for ours, theirs, name, arguments in ((one, other, symbol, function.arguments), turned):
        if _is_ours(ours, width) and _is_theirs(theirs, width) and not any(map(_is_left_alone, (ours, theirs))):
            alike = next((each for each in OPERATORS[name] if each.arguments == arguments), None)
            extremes = AGGREGATES[_EXTREME[name]] if name in _EXTREME else ()
            extreme = next((each for each in extremes if _is_of(each, theirs.type)), None)
            if alike is not None and (extreme is not None or not extremes):
                return Compared(alike, ours, _from_0(theirs, width), extreme)
    return None


def facts(value: Scalar, extreme: Aggregate | None = None) -> tuple[AggregateCall, ...]:
    """Whether there are rows, whether some value is null, and the extreme one. All are null without rows."""
    some = AGGREGATES["bool_or"][0]
    calls = [AggregateCall(some, (part,), BOOL, True) for part in (TRUE, is_null(value))]
    if extreme is None:
        return tuple(calls)
    assert not isinstance(extreme.result, Any)
    result = extreme.result if isinstance(extreme.result, Type) else extreme.result((value.type,))
    return (*calls, AggregateCall(extreme, (value,), result, True))


def _is_of(extreme: Aggregate, type_: Type) -> bool:
    (argument,) = extreme.arguments
    return isinstance(argument, Type) and argument.base == type_.base


def _is_ours(scalar: Scalar, width: int) -> bool:
    return all(index < width for index in own_columns(scalar))


def _is_theirs(scalar: Scalar, width: int) -> bool:
    own = own_columns(scalar)
    return bool(own) and min(own) >= width and not free_in_scalar(scalar)


def _is_left_alone(scalar: Scalar) -> bool:
    """Of what may fail it counts for which rows it is evaluated. A record is null if all in it is."""
    return may_fail(scalar) or isinstance(scalar.type, Record)


def moved_to(scalar: Scalar, relation: Relation, first: int) -> Scalar:
    """What is about a row of the query, about one of a relation in which that begins at `first`."""
    return transform(scalar, lambda part: column(relation, first + part.index) if isinstance(part, Column) else part)


def _from_0(scalar: Scalar, width: int) -> Scalar:
    def place(part: Scalar) -> Scalar:
        return Column(part.index - width, part.type, part.nullable) if isinstance(part, Column) else part

    return transform(scalar, place)
