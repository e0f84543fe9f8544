"""`x op ANY (array)` and `x op ALL (array)`: an operator asked of every element."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from holdfast.plan.functions.container import ELEMENT, dimensions, element_of, leaves
from holdfast.plan.functions.function import Any, Function, SparkText, Types
from holdfast.plan.types import BOOL, Type

Quantifier = Literal["any", "all"]


@lru_cache(maxsize=4096)
def quantified(operator: Function, quantifier: Quantifier) -> Function:
    """Of a value and an array or list, whose element type is that of the operator's second argument.

    True if the operator is true of some element (`any`) or false of none (`all`), null if a null leaves that open.
    Of no elements `any` is false and `all` is true, even where the value is null.
    """
    decisive = quantifier == "any"
    run = operator.python
    assert run is not None  # an operator is a function of its arguments alone

    def python(types: Types, value: object, array: Sequence[object] | None) -> bool | None:
        if array is None:
            return None
        left, right = types.arguments
        inner = (Types((left, element_of(right)), BOOL),) if operator.typed else ()
        answer: bool | None = not decisive
        for element in leaves(array, dimensions(right)):
            if operator.strict and (value is None or element is None):
                answer = None
                continue
            found = run(*inner, value, element)
            if found is decisive:
                return decisive
            if found is None:
                answer = None
        return answer

    return Function(
        f"{operator.name} {quantifier.upper()}",
        (operator.arguments[0], Any.ARRAY),
        BOOL,
        python,
        _spark(operator.spark, decisive) if operator.spark is not None else None,
        strict=False,
        makes_null=True,
        fails=operator.fails,
        typed=True,
        infix=True,
        doc=f"Whether the operator is true of {quantifier} elements.",
    )


def _spark(operator: SparkText, decisive: bool) -> SparkText:
    def text(texts: Sequence[str], types: Sequence[Type], result: Type) -> str | None:
        value, array = texts
        deep = dimensions(types[1]) - 1
        array = "flatten(" * deep + array + ")" * deep
        if callable(operator):
            inner = operator((value, ELEMENT), (types[0], element_of(types[1])), result)
        else:
            inner = operator.format(value, ELEMENT)
        if inner is None:
            return None
        return f"{'exists' if decisive else 'forall'}({array}, {ELEMENT} -> {inner})"

    return text
