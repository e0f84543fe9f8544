"""Scalar expressions as Spark SQL.

Spark runs And and Or from left to right and Case and Coalesce only as far as needed, as we do. The exception are
arguments of Python functions, which it computes for all rows beforehand: inside of a Case, those that may fail are
guarded by the condition under which they are asked for (`guarded`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from holdfast.compute.evaluate.batch import ScalarBatch
from holdfast.compute.evaluate.scalars import can_fail
from holdfast.compute.render.calls import Needs, PythonCall, function_name, scalar_call, unwrapped
from holdfast.compute.render.literals import literal
from holdfast.errors import UsageError
from holdfast.plan.functions.function import Any, Function, SparkText, Types
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
    Parameter,
    Scalar,
    Subquery,
    children,
    null,
    with_children,
)
from holdfast.plan.text.codec import read_of
from holdfast.plan.types import BOOL, TEXT, VECTORS, Numeric, Type, spark_type

_LONG = 2_000
"""Characters of a call up to which it is written as its function says."""

IS_NULL = Function("is null", (Any.ANY,), BOOL, lambda value: value is None, "{0} IS NULL", strict=False)

_PARAMETERS: Mapping[str, str] = {
    "date": "date_from_unix_date(CAST({} AS INT))",
    "time": "time_from_micros(CAST({} AS BIGINT))",
    "timestamp": "CAST(timestamp_micros(CAST({} AS BIGINT)) AS TIMESTAMP_NTZ)",
    "timestamptz": "timestamp_micros(CAST({} AS BIGINT))",
}
"""How the counts that stand for values become them."""


def is_written(type_: Type) -> bool:
    """Whether a parameter of the type goes to Spark as its text, for the reader of texts."""
    return type_.base not in _PARAMETERS and (
        type_.base in ("interval", "record", "list", "map")
        or type_ in VECTORS
        or type_.base.startswith("_")
        or type_.category == "R"
    )


def calls_python(scalar: Scalar) -> bool:
    """Whether Spark needs Python for it."""
    if isinstance(scalar, Call) and _is_python(scalar):
        return True
    if isinstance(scalar, Parameter):
        return is_written(scalar.type)
    return any(calls_python(part) for part in children(scalar))


def is_volatile(scalar: Scalar) -> bool:
    if isinstance(scalar, Call) and scalar.function.stability == "volatile":
        return True
    return any(is_volatile(part) for part in children(scalar))


def size_of(scalar: Scalar) -> int:
    """How many nodes the expression has."""
    return 1 + sum(size_of(part) for part in children(scalar))


def scalar_text(scalar: Scalar, columns: Sequence[str], needs: Needs) -> str:
    """The text of an expression over a row whose columns have these texts."""
    return _text(guarded(scalar) if calls_python(scalar) else scalar, columns, needs)


def argument_text(scalar: Scalar, columns: Sequence[str], needs: Needs) -> str:
    """The same, fit to stand anywhere in another expression."""
    return atom(scalar_text(scalar, columns, needs))


def guarded(scalar: Scalar, guard: Scalar | None = None) -> Scalar:
    """The expression with arguments of Python functions that may fail made null where `guard` is not true."""
    match scalar:
        case Call():
            parts = tuple(guarded(part, guard) for part in scalar.arguments)
            if guard is not None and _is_python(scalar):
                parts = tuple(Case(((guard, p),), null(p.type)) if can_fail(p) else p for p in parts)
            return with_children(scalar, parts)
        case Case():
            return _guarded_case(scalar, guard)
        case Coalesce():
            terms = [guarded(scalar.terms[0], guard)]
            for index, term in enumerate(scalar.terms[1:], start=1):
                nulls = tuple(Call(IS_NULL, (before,), BOOL, False) for before in scalar.terms[:index])
                terms.append(guarded(term, _both(guard, *nulls)))
            return Coalesce(tuple(terms))
        case And() | Or():
            return with_children(scalar, tuple(guarded(term, guard) for term in scalar.terms))
    return scalar


def _guarded_case(scalar: Case, guard: Scalar | None) -> Case:
    before: tuple[tuple[Scalar, Scalar], ...] = ()
    branches = []
    for when, then in scalar.branches:
        reached = _both(guard, Case(before, TRUE)) if before else guard
        chosen = _both(guard, Case((*before, (when, TRUE)), FALSE))
        branches.append((guarded(when, reached), guarded(then, chosen)))
        before = (*before, (when, FALSE))
    return Case(tuple(branches), guarded(scalar.otherwise, _both(guard, Case(before, TRUE))))


def _both(guard: Scalar | None, *conditions: Scalar) -> Scalar:
    terms = conditions if guard is None else (guard, *conditions)
    return And(terms) if len(terms) > 1 else terms[0]


def _text(scalar: Scalar, columns: Sequence[str], needs: Needs) -> str:
    match scalar:
        case Column():
            return columns[scalar.index]
        case Constant():
            return literal(scalar.value, scalar.type)
        case Parameter():
            return _parameter(scalar, needs)
        case Call():
            return _call(scalar, [atom(_text(part, columns, needs)) for part in scalar.arguments], needs)
        case And():
            return " AND ".join(atom(_text(term, columns, needs)) for term in scalar.terms)
        case Or():
            return " OR ".join(_alternatives(scalar.terms, columns, needs))
        case Coalesce():
            return f"coalesce({', '.join(_text(term, columns, needs) for term in scalar.terms)})"
        case Case():
            branches = (
                f"WHEN {_text(when, columns, needs)} THEN {_text(then, columns, needs)}"
                for when, then in scalar.branches
            )
            return f"CASE {' '.join(branches)} ELSE {_text(scalar.otherwise, columns, needs)} END"
        case Outer() | Subquery():
            raise UsageError("the plan is not decorrelated")


_EQUALS = "({0} = {1})"


def _alternatives(terms: Sequence[Scalar], columns: Sequence[str], needs: Needs) -> Iterator[str]:
    """The terms of OR. Comparisons of one expression with several constants are one with a list of them."""
    lists: dict[Scalar, list[Scalar]] = {}
    for term in terms:
        if (compared := _equals_constant(term)) is not None:
            lists.setdefault(compared[0], []).append(compared[1])
    for term in terms:
        compared = _equals_constant(term)
        if compared is None or len(lists[compared[0]]) == 1:
            yield atom(_text(term, columns, needs))
        elif compared[1] is lists[compared[0]][0]:
            constants = ", ".join(_text(constant, columns, needs) for constant in lists[compared[0]])
            yield f"({atom(_text(compared[0], columns, needs))} IN ({constants}))"


def _equals_constant(scalar: Scalar) -> tuple[Scalar, Scalar] | None:
    """An expression and the constant that it is compared with, where Spark compares them as they are."""
    if not isinstance(scalar, Call) or scalar.function.spark != _EQUALS:
        return None
    left, right = scalar.arguments
    same_type = spark_type(left.type) == spark_type(right.type)
    return (left, right) if isinstance(right, Constant) and right.value is not None and same_type else None


def _call(call: Call, arguments: Sequence[str], needs: Needs) -> str:
    function = call.function
    types = tuple(argument.type for argument in call.arguments)
    text = filled(function.spark, arguments, types, call.type)
    if text is not None and len(text) > max(_LONG, 2 * sum(map(len, arguments))):
        return _bound(call, arguments, types)
    if text is not None:
        return text
    if function.python is None:
        raise UsageError(f"only a session knows the value of {function}")
    text = needs.call(scalar_call(function, Types(types, call.type), needs.code_limit), arguments)
    return unwrapped(text) if function.fails else text


def _bound(call: Call, arguments: Sequence[str], types: Sequence[Type]) -> str:
    """The text of a call that says its arguments again and again, where it is long: it computes them once, and says
    their names. Of calls within calls the text would double with each, and Spark takes half a minute to read it.
    """
    named = {
        place: f"'a{place}', {text}"
        for place, (text, part) in enumerate(zip(arguments, call.arguments, strict=True))
        if not isinstance(part, Column | Constant)
    }
    names = [f"b.a{place}" if place in named else text for place, text in enumerate(arguments)]
    body = filled(call.function.spark, names, types, call.type)
    return f"element_at(transform(array(named_struct({', '.join(named.values())})), b -> {body}), 1)"


def _is_python(call: Call) -> bool:
    if call.function.spark is None or isinstance(call.function.spark, str):
        return call.function.spark is None
    names = [f"a{index}" for index in range(len(call.arguments))]
    return call.function.spark(names, [argument.type for argument in call.arguments], call.type) is None


def filled(spark: SparkText | None, arguments: Sequence[str], types: Sequence[Type], result: Type) -> str | None:
    """The text of a function of the registry, with its arguments in it; None if Spark has none."""
    return spark.format(*arguments) if isinstance(spark, str) else spark and spark(arguments, types, result)


def _parameter(parameter: Parameter, needs: Needs) -> str:
    type_ = parameter.type
    needs.parameters.setdefault(parameter.number, type_)
    marker = f":p{parameter.number}"
    if type_.base in _PARAMETERS:
        return _PARAMETERS[type_.base].format(marker)
    if is_written(type_):
        batch = ScalarBatch(read_of(type_), Types((TEXT,), type_), strict=True, fails=False)
        return needs.call(PythonCall(function_name("read", "read", type_), spark_type(type_), batch), [marker])
    return f"CAST({marker} AS {spark_type(type_)})"


def parameter_argument(value: object, type_: Type, write: Callable[[object], str]) -> object:
    """What Spark is given for a parameter; `write` makes the text of a value."""
    if value is None or isinstance(value, bool | str | bytes):
        return value
    if is_written(type_):
        return write(value)
    if isinstance(type_, Numeric):
        return f"{value:f}"
    return value if isinstance(value, int) and -(2**63) <= value < 2**63 else str(value)


@lru_cache(maxsize=65536)
def atom(text: str) -> str:
    """The text in parentheses, unless it binds like a name already."""
    return text if _is_atom(text) else f"({text})"


def _is_atom(text: str) -> bool:
    """A name or number; a literal; or a call, or something in parentheses, up to the very end."""
    head = 0
    while head < len(text) and (text[head].isalnum() or text[head] in "_.`:"):
        head += 1
    if head == len(text):
        return head > 0
    if text[head] == "'":
        return _after_string(text, head) == len(text)
    if text[head] != "(" or text[:head] in ("IN", "NOT", "EXISTS"):
        return False
    depth, place = 0, head
    while place < len(text):
        if text[place] == "'":
            place = _after_string(text, place)
            continue
        depth += (text[place] == "(") - (text[place] == ")")
        place += 1
        if depth == 0:
            return place == len(text)
    return False


def _after_string(text: str, start: int) -> int:
    place = start + 1
    while place < len(text) and text[place] != "'":
        place += 2 if text[place] == "\\" else 1
    return place + 1
