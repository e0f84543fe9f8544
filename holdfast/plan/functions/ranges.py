"""Ranges: made, measured, compared and combined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any as Anything

from holdfast.errors import UsageError
from holdfast.plan import range_value
from holdfast.plan.errors import DataError, SyntaxErrorInValue
from holdfast.plan.functions.function import Any, Family, Function
from holdfast.plan.types import (
    BOOL,
    DATERANGE,
    INT4RANGE,
    INT8RANGE,
    NUMRANGE,
    TEXT,
    TSRANGE,
    TSTZRANGE,
    Range,
    RangeValue,
    Type,
)

_ALL = (INT4RANGE, INT8RANGE, NUMRANGE, DATERANGE, TSRANGE, TSTZRANGE)


def _constructors(type_: Range) -> tuple[Function, Function]:
    def python(lower: Anything, upper: Anything, bounds: str | None = "[)") -> RangeValue:
        if bounds is None:
            raise DataError("range constructor flags argument must not be null")
        if bounds not in ("[]", "[)", "(]", "()"):
            error = SyntaxErrorInValue("invalid range bound flags")
            error.hint = 'Valid values are "[]", "[)", "(]", and "()".'
            raise error
        return range_value.range_of(type_.base, lower, upper, bounds[0] == "[", bounds[1] == "]")

    ends = (type_.subtype, type_.subtype)
    doc = "From one value to another, or without end where it is null."
    return (
        Function(type_.base, ends, type_, python, strict=False, fails=True, doc=f"{doc} The second is not in it."),
        Function(
            type_.base, (*ends, TEXT), type_, python, strict=False, fails=True, doc=f"{doc} `[` and `]` are in it."
        ),
    )


def _first(types: Sequence[Type]) -> Type:
    return types[0]


def _subtype(types: Sequence[Type]) -> Type:
    if not isinstance(types[0], Range):
        raise UsageError(f"{types[0]} is no range")
    return types[0].subtype


def _lower(value: RangeValue) -> object:
    return value.lower


def _upper(value: RangeValue) -> object:
    return value.upper


def _is_empty(value: RangeValue) -> bool:
    return value.empty


def _lower_inclusive(value: RangeValue) -> bool:
    return value.lower_inclusive


def _upper_inclusive(value: RangeValue) -> bool:
    return value.upper_inclusive


def _lower_infinite(value: RangeValue) -> bool:
    return value.lower is None and not value.empty


def _upper_infinite(value: RangeValue) -> bool:
    return value.upper is None and not value.empty


# In Spark


def _starts_by(lower: str, inclusive: str, upper: str, upper_inclusive: str) -> str:
    """SQL of whether a lower bound leaves anything below an upper one."""
    return (
        f"({lower} IS NULL OR {upper} IS NULL OR {lower} < {upper}"
        f" OR ({lower} = {upper} AND {inclusive} AND {upper_inclusive}))"
    )


def _spark_contains_element(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    value, element = texts
    after = _starts_by(f"({value}).lower", f"({value}).lower_inclusive", element, "true")
    before = _starts_by(element, "true", f"({value}).upper", f"({value}).upper_inclusive")
    return f"CASE WHEN {element} IS NOT NULL THEN NOT ({value}).empty AND {after} AND {before} END"


def _spark_contained_element(texts: Sequence[str], types: Sequence[Type], result: Type) -> str:
    return _spark_contains_element(texts[::-1], types[::-1], result)


def _spark_overlaps(texts: Sequence[str], _types: Sequence[Type], _result: Type) -> str:
    left, right = (f"({text})" for text in texts)
    ends = [
        _starts_by(f"{a}.lower", f"{a}.lower_inclusive", f"{b}.upper", f"{b}.upper_inclusive")
        for a, b in ((left, right), (right, left))
    ]
    answer = " AND ".join([f"NOT {left}.empty", f"NOT {right}.empty", *ends])
    return f"CASE WHEN {left} IS NOT NULL AND {right} IS NOT NULL THEN {answer} END"


# The family


def _contained(left: RangeValue, right: RangeValue) -> bool:
    return range_value.contains(right, left)


def _contained_element(element: object, value: RangeValue) -> bool:
    return range_value.contains_element(value, element)


def _after(left: RangeValue, right: RangeValue) -> bool:
    return range_value.before(right, left)


def _asking(
    symbol: str, python: Callable[[RangeValue, RangeValue], bool], doc: str, spark: Anything = None
) -> Function:
    return Function(symbol, (Any.RANGE, Any.RANGE), BOOL, python, spark, infix=True, doc=doc)


def _combining(
    symbol: str, python: Callable[[RangeValue, RangeValue], RangeValue], doc: str, *, fails: bool
) -> Function:
    return Function(symbol, (Any.RANGE, Any.RANGE), _first, python, fails=fails, infix=True, doc=doc)


def _measuring(name: str, python: Callable[[RangeValue], bool], spark: str, doc: str) -> Function:
    return Function(name, (Any.RANGE,), BOOL, python, spark, doc=doc)


FAMILY = Family(
    "Ranges",
    functions=(
        *(function for type_ in _ALL for function in _constructors(type_)),
        Function("lower", (Any.RANGE,), _subtype, _lower, "({0}).lower", makes_null=True, doc="Where it starts."),
        Function("upper", (Any.RANGE,), _subtype, _upper, "({0}).upper", makes_null=True, doc="Where it ends."),
        _measuring("isempty", _is_empty, "({0}).empty", "Whether nothing is in it."),
        _measuring("lower_inc", _lower_inclusive, "({0}).lower_inclusive", "Whether its start is in it."),
        _measuring("upper_inc", _upper_inclusive, "({0}).upper_inclusive", "Whether its end is in it."),
        _measuring("lower_inf", _lower_infinite, "({0}).lower IS NULL AND NOT ({0}).empty", "Whether it has no start."),
        _measuring("upper_inf", _upper_infinite, "({0}).upper IS NULL AND NOT ({0}).empty", "Whether it has no end."),
        Function(
            "range_merge", (Any.RANGE, Any.RANGE), _first, range_value.merge, doc="The smallest range that has both."
        ),
    ),
    operators=(
        *(
            function
            for type_ in _ALL
            for function in (
                Function(
                    "@>",
                    (type_, type_.subtype),
                    BOOL,
                    range_value.contains_element,
                    _spark_contains_element,
                    infix=True,
                    doc="Whether the value is in the range.",
                ),
                Function(
                    "<@",
                    (type_.subtype, type_),
                    BOOL,
                    _contained_element,
                    _spark_contained_element,
                    infix=True,
                    doc="Whether the value is in the range.",
                ),
            )
        ),
        _asking("@>", range_value.contains, "Whether all of the second is in the first."),
        _asking("<@", _contained, "Whether all of the first is in the second."),
        _asking("&&", range_value.overlaps, "Whether they have something in common.", _spark_overlaps),
        _asking("<<", range_value.before, "Whether the first ends before the second starts."),
        _asking(">>", _after, "Whether the first starts after the second ends."),
        _asking("&<", range_value.not_right_of, "Whether the first does not go on after the second ends."),
        _asking("&>", range_value.not_left_of, "Whether the first does not start before the second."),
        _asking("-|-", range_value.adjacent, "Whether one starts where the other ends, with nothing between."),
        _combining("+", range_value.union, "What is in either.", fails=True),
        _combining("*", range_value.intersection, "What is in both.", fails=False),
        _combining("-", range_value.difference, "What is in the first and not in the second.", fails=True),
    ),
)
