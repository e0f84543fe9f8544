"""Running a path: from a value to the sequence of items that it selects.

A lax path takes an array for its elements, and an element for an array of itself, wherever the other is asked for; and
what a value does not have is nothing. A strict path takes neither, and what is not there is an error. Errors inside
of a predicate make it unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from typing import Any, TypeAlias

from holdfast.plan.errors import (
    DivisionByZero,
    InvalidJson,
    InvalidJsonSubscript,
    InvalidParameterValue,
    JsonArrayNotFound,
    JsonMemberNotFound,
    JsonNumberNotFound,
    SingletonJsonItemRequired,
    UndefinedJsonVariable,
)
from holdfast.plan.json_value import Json, number, type_name
from holdfast.plan.jsonpath.methods import call
from holdfast.plan.jsonpath.moments import Moment, compared
from holdfast.plan.jsonpath.syntax import (
    Access,
    Accessor,
    AndOr,
    AnyElement,
    AnyKey,
    Binary,
    Compare,
    Comparison,
    Current,
    Descendants,
    Exists,
    Expression,
    Filter,
    IsUnknown,
    Key,
    Last,
    LikeRegex,
    Literally,
    Method,
    Not,
    Path,
    Predicate,
    Root,
    StartsWith,
    Subscripts,
    Unary,
    Variable,
)

Item: TypeAlias = Any  # a JSON value or a Moment

_EXACT = Context(prec=8192)
SUPPRESSED = (InvalidJson, DivisionByZero)
"""Errors that make a predicate unknown, and that `silent` hides."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """`current` is the item that a filter is about, `size` that of the array that a subscript is of.

    `forgiving`: what is not there is nothing, not an error.
    """

    current: Item
    size: int
    forgiving: bool


class Evaluation:
    def __init__(self, path: Path, root: Json, variables: Json) -> None:
        if not isinstance(variables, dict):
            error = InvalidParameterValue('"vars" argument is not an object')
            error.detail = 'Jsonpath parameters should be encoded as key-value pairs of "vars" object.'
            raise error
        self._path, self._root, self._variables = path, root, variables
        self._lax = not path.strict
        self._objects = 0

    def items(self) -> Iterator[Json]:
        scope = _Scope(self._root, 0, self._lax)
        return (_json(item) for item in self._items(self._path.expression, scope))

    def exists(self) -> bool:
        """A lax path is followed only to its first item; of a strict one all must be there."""
        found = self.items()
        return any(True for _ in found) if self._lax else bool(list(found))

    # Sequences

    def _items(self, expression: Expression, scope: _Scope) -> Iterator[Item]:
        match expression:
            case Root():
                yield self._root
            case Current():
                yield scope.current
            case Last():
                yield scope.size - 1
            case Literally():
                yield expression.value
            case Variable():
                if expression.name not in self._variables:
                    raise UndefinedJsonVariable(f'could not find jsonpath variable "{expression.name}"')
                yield self._variables[expression.name]
            case Unary():
                yield from self._signed(expression, scope)
            case Binary():
                yield self._calculated(expression, scope)
            case Access():
                for item in self._items(expression.start, scope):
                    yield from self._follow(item, expression.accessors, scope, self._lax)
            case _:
                yield self._truth(expression, scope)

    def _unwrapped(self, expression: Expression, scope: _Scope) -> Iterator[Item]:
        """The items as operands: of a lax path, the elements of those that are arrays."""
        for item in self._items(expression, scope):
            if self._lax and isinstance(item, list):
                yield from item
            else:
                yield item

    def _signed(self, expression: Unary, scope: _Scope) -> Iterator[Item]:
        for item in self._unwrapped(expression.operand, scope):
            if not _is_number(item):
                raise JsonNumberNotFound(
                    f"operand of unary jsonpath operator {expression.operator} is not a numeric value"
                )
            yield -item if expression.operator == "-" else item

    def _calculated(self, expression: Binary, scope: _Scope) -> Item:
        operands: list[Item] = []
        for side, part in (("left", expression.left), ("right", expression.right)):
            found = list(self._unwrapped(part, scope))
            if len(found) != 1 or not _is_number(found[0]):
                raise SingletonJsonItemRequired(
                    f"{side} operand of jsonpath operator {expression.operator} is not a single numeric value"
                )
            operands.append(Decimal(found[0]))
        return _arithmetic(expression.operator, operands[0], operands[1])

    # Accessors

    def _follow(self, item: Item, accessors: Sequence[Accessor], scope: _Scope, unwrap: bool) -> Iterator[Item]:
        """What accessors find in an item. `unwrap`: if it is an array, in its elements."""
        if not accessors:
            yield item
            return
        first, rest = accessors[0], accessors[1:]
        if unwrap and isinstance(item, list) and _is_of_elements(first):
            for element in item:
                yield from self._follow(element, accessors, scope, False)
            return
        if isinstance(first, Descendants):
            scope = replace(scope, forgiving=True)
        for found in self._found(item, first, scope):
            yield from self._follow(found, rest, scope, self._lax)

    def _found(self, item: Item, accessor: Accessor, scope: _Scope) -> Iterator[Item]:
        match accessor:
            case Key():
                yield from _member(item, accessor.name, scope.forgiving)
            case AnyKey():
                if isinstance(item, dict):
                    yield from item.values()
                elif not scope.forgiving:
                    raise JsonMemberNotFound("jsonpath wildcard member accessor can only be applied to an object")
            case AnyElement():
                if isinstance(item, list):
                    yield from item
                elif self._lax:
                    yield item
                elif not scope.forgiving:
                    raise JsonArrayNotFound("jsonpath wildcard array accessor can only be applied to an array")
            case Subscripts():
                yield from self._elements(item, accessor, scope)
            case Descendants():
                yield from _descendants(item, accessor, 0)
            case Filter():
                if self._truth(accessor.predicate, replace(scope, current=item)) is True:
                    yield item
            case Method() if accessor.name == "keyvalue":
                yield from self._members(item)
            case Method() if accessor.name == "size":
                if isinstance(item, list):
                    yield len(item)
                elif self._lax:
                    yield 1
                elif not scope.forgiving:
                    raise JsonArrayNotFound("jsonpath item method .size() can only be applied to an array")
            case Method():
                yield call(accessor.name, accessor.arguments, item)

    def _elements(self, item: Item, accessor: Subscripts, scope: _Scope) -> Iterator[Item]:
        if not isinstance(item, list):
            if not self._lax:
                if scope.forgiving:
                    return
                raise JsonArrayNotFound("jsonpath array accessor can only be applied to an array")
            item = [item]
        inner = replace(scope, size=len(item))
        for start, end in accessor.ranges:
            first = self._place(start, inner)
            last = first if end is None else self._place(end, inner)
            if not scope.forgiving and not 0 <= first <= last < len(item):
                raise InvalidJsonSubscript("jsonpath array subscript is out of bounds")
            yield from item[max(first, 0) : max(last + 1, 0)]

    def _place(self, expression: Expression, scope: _Scope) -> int:
        found = list(self._items(expression, scope))
        if len(found) != 1 or not _is_number(found[0]):
            raise InvalidJsonSubscript("jsonpath array subscript is not a single numeric value")
        place = int(found[0])
        if not -(2**31) <= place < 2**31:
            raise InvalidJsonSubscript("jsonpath array subscript is out of integer range")
        return place

    def _members(self, item: Item) -> Iterator[Item]:
        """`id` tells the objects of one value apart; what it is has no meaning."""
        if not isinstance(item, dict):
            call("keyvalue", (), item)
        if item is self._root:
            identity = 0
        else:
            self._objects += 1
            identity = self._objects
        for key, value in item.items():
            yield {"id": identity, "key": key, "value": value}

    # Predicates

    def _truth(self, predicate: Predicate, scope: _Scope) -> bool | None:
        """None is unknown."""
        match predicate:
            case AndOr():
                decisive = predicate.operator == "||"
                left = self._truth(predicate.left, scope)
                if left is decisive:
                    return decisive
                right = self._truth(predicate.right, scope)
                if right is decisive:
                    return decisive
                return None if left is None or right is None else not decisive
            case Not():
                inner = self._truth(predicate.predicate, scope)
                return None if inner is None else not inner
            case IsUnknown():
                return self._truth(predicate.predicate, scope) is None
        try:
            return self._asked(predicate, scope)
        except SUPPRESSED:
            return None

    def _asked(self, predicate: Compare | StartsWith | LikeRegex | Exists, scope: _Scope) -> bool | None:
        match predicate:
            case Exists():
                found = self._items(predicate.operand, scope)
                return any(True for _ in found) if self._lax else bool(list(found))
            case Compare():
                left = list(self._unwrapped(predicate.left, scope))
                right = list(self._unwrapped(predicate.right, scope))
                return self._some(_compared(predicate.operator, a, b) for a in left for b in right)
            case StartsWith():
                texts = list(self._unwrapped(predicate.operand, scope))
                prefixes = list(self._items(predicate.prefix, scope))
                return self._some(_starts(text, prefix) for text in texts for prefix in prefixes)
        regex = predicate.regex
        items = list(self._unwrapped(predicate.operand, scope))
        return self._some(regex.exists(item) if isinstance(item, str) else None for item in items)

    def _some(self, answers: Iterator[bool | None]) -> bool | None:
        """Whether one is true. What is unknown decides a strict path at once, and a lax one if nothing else does."""
        found, unknown = False, False
        for answer in answers:
            if answer is None:
                if not self._lax:
                    return None
                unknown = True
            elif answer:
                if self._lax:
                    return True
                found = True
        return True if found else None if unknown else False


def _is_of_elements(accessor: Accessor) -> bool:
    """Whether a lax path asks the elements of an array, and not the array, for this."""
    if isinstance(accessor, Method):
        return accessor.name not in ("type", "size")
    return isinstance(accessor, Key | AnyKey | Filter)


def _json(item: Item) -> Json:
    return str(item) if isinstance(item, Moment) else item


def _is_number(item: Item) -> bool:
    return isinstance(item, int | Decimal) and not isinstance(item, bool)


def _member(item: Item, name: str, forgiving: bool) -> Iterator[Item]:
    if isinstance(item, dict):
        if name in item:
            yield item[name]
        elif not forgiving:
            raise JsonMemberNotFound(f'JSON object does not contain key "{name}"')
    elif not forgiving:
        raise JsonMemberNotFound("jsonpath member accessor can only be applied to an object")


def _descendants(item: Item, levels: Descendants, level: int) -> Iterator[Item]:
    """The items from one level to another below this one, each before those below it."""
    container = isinstance(item, dict | list)
    if levels.first is None:
        wanted = not container and level > 0
    else:
        wanted = level >= levels.first and (levels.last is None or level <= levels.last)
    if wanted:
        yield item
    if container and (levels.last is None or level < levels.last):
        for inner in item.values() if isinstance(item, dict) else item:
            yield from _descendants(inner, levels, level + 1)


def _starts(text: Item, prefix: Item) -> bool | None:
    return text.startswith(prefix) if isinstance(text, str) and isinstance(prefix, str) else None


def _compared(operator: Comparison, left: Item, right: Item) -> bool | None:
    if left is None or right is None:
        order: int | None = 0
        if left is not right:
            return operator == "!="
    elif isinstance(left, Moment) or isinstance(right, Moment):
        both = isinstance(left, Moment) and isinstance(right, Moment)
        order = compared(left, right) if both else None
    elif type_name(left) != type_name(right) or isinstance(left, list | dict):
        order = None
    elif isinstance(left, str):
        # Order is that of UTF-16, as SQL/JSON has it from JavaScript.
        first, second = left.encode("utf-16-be"), right.encode("utf-16-be")
        order = (first > second) - (first < second)
    else:
        order = (left > right) - (left < right)
    if order is None:
        return None
    match operator:
        case "==":
            return order == 0
        case "!=":
            return order != 0
        case "<":
            return order < 0
        case "<=":
            return order <= 0
        case ">":
            return order > 0
    return order >= 0


def _arithmetic(operator: str, left: Decimal, right: Decimal) -> int | Decimal:
    match operator:
        case "+":
            return number(_EXACT.add(left, right))
        case "-":
            return number(_EXACT.subtract(left, right))
        case "*":
            return number(_EXACT.multiply(left, right))
    if right == 0:
        raise DivisionByZero
    if operator == "%":
        return number(_EXACT.remainder(left, right))
    return number(_divided(left, right))


def _divided(left: Decimal, right: Decimal) -> Decimal:
    """To as many digits as PostgreSQL's numeric: at least sixteen that count, by groups of four."""
    if left == 0:
        return left
    weight = _weight(left) - _weight(right)
    if _leading(left) <= _leading(right):
        weight -= 1
    scale = max(16 - weight * 4, *(-int(value.as_tuple().exponent) for value in (left, right)), 0)
    quotient = _EXACT.divide(left, right)
    return quotient.quantize(Decimal(1).scaleb(-min(scale, 1000)), "ROUND_HALF_UP", _EXACT)


def _weight(value: Decimal) -> int:
    return value.adjusted() // 4


def _leading(value: Decimal) -> int:
    """The first group of four digits."""
    return int(abs(value).scaleb(-4 * _weight(value), _EXACT))
