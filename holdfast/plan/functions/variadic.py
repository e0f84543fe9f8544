"""Calls with VARIADIC: a function of any number of arguments, called with an array of the last of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from holdfast.plan.functions.container import dimensions, leaves
from holdfast.plan.functions.function import Any, Function, Types
from holdfast.plan.types import Array

_NULL_IS_EMPTY = frozenset(("format",))
"""For these an array that is null is one without elements; for all others the answer is null."""


@lru_cache(maxsize=256)
def over_elements(function: Function) -> Function:
    """`function`, which is variadic, as one that takes its last arguments as the elements of an array."""
    # Spark's workers get what `spread` holds: the few things that it needs, not the function.
    run, typed, strict, null_is_empty = (
        function.python,
        function.typed,
        function.strict,
        function.name in _NULL_IS_EMPTY,
    )
    assert run is not None  # only functions of the session have none, and no arguments

    def spread(types: Types, *values: object) -> object:
        *first, array = values
        if array is None and not null_is_empty:
            return None
        assert isinstance(types.arguments[-1], Array)
        elements = [] if array is None else _elements(array, dimensions(types.arguments[-1]))
        arguments = (*first, *elements)
        if strict and None in arguments:
            return None
        if not typed:
            return run(*arguments)
        of_elements = (types.arguments[-1].element,) * len(elements)
        return run(Types((*types.arguments[:-1], *of_elements), types.result), *arguments)

    return Function(
        function.name,
        (*function.arguments[:-1], Any.ARRAY),
        function.result,
        spread,
        strict=False,
        makes_null=True,
        fails=function.fails,
        typed=True,
    )


def _elements(array: object, depth: int) -> Sequence[object]:
    assert isinstance(array, tuple)
    return list(leaves(array, depth))
