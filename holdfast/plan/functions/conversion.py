"""Casts that are made for the two types they are between, since there is one for every pair.

Those of two base types stand in the families; here are the rest: by the text of a value, part by part of a container,
and those that only give a value another type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any as Anything

from holdfast.plan.functions.function import Function, SparkText, Types
from holdfast.plan.text import read_of, write_of
from holdfast.plan.types import Type

NAME = "cast"


@lru_cache(maxsize=4096)
def relabel(source: Type, target: Type) -> Function:
    """The same value as one of another type that holds its values alike."""
    return Function(NAME, (source,), target, _same, "{0}")


def is_relabel(function: Function) -> bool:
    return function.python is _same


def _same(value: object) -> object:
    return value


@lru_cache(maxsize=4096)
def from_text(source: Type, target: Type) -> Function:
    """Reads the text as a value of `target`, as a literal is read."""
    return Function(NAME, (source,), target, read_of(target), fails=True)


@lru_cache(maxsize=4096)
def to_text(source: Type, target: Type) -> Function:
    """Writes a value as a client would see it."""
    return Function(NAME, (source,), target, write_of(source))


@lru_cache(maxsize=4096)
def of_items(source: Type, target: Type, item: Function, types: Types, depth: int) -> Function:
    """An array, `depth` deep, or a list with another cast applied to each of its items; nulls stay."""
    convert = python_of(item, types)

    def run(value: Sequence[Anything], level: int = depth) -> tuple[object, ...]:
        if level > 1:
            return tuple(run(part, level - 1) for part in value)
        return tuple(None if part is None else convert(part) for part in value)

    return Function(NAME, (source,), target, run, _of_items_in_spark(item, types, depth), fails=item.fails)


def _of_items_in_spark(item: Function, types: Types, depth: int) -> SparkText | None:
    inner = item.spark
    if inner is None:
        return None

    def text(arguments: Sequence[str], _: Sequence[Type], __: Type) -> str | None:
        found = spark_of(inner, [f"item_{depth}"], types)
        if found is None:
            return None
        for level in range(depth, 0, -1):
            around = f"item_{level - 1}" if level > 1 else arguments[0]
            found = f"transform({around}, item_{level} -> {found})"
        return found

    return text


@lru_cache(maxsize=4096)
def of_fields(source: Type, target: Type, fields: tuple[tuple[Function | None, Types], ...]) -> Function:
    """A record with another cast applied to each of its fields; None leaves a field as it is."""
    converts = tuple(None if field is None else python_of(field, types) for field, types in fields)

    def run(value: Sequence[Anything]) -> tuple[object, ...]:
        return tuple(
            part if part is None or convert is None else convert(part)
            for part, convert in zip(value, converts, strict=True)
        )

    spark: SparkText | None = None
    if all(field is None or field.spark is not None for field, _ in fields):

        def text(arguments: Sequence[str], _: Sequence[Type], __: Type) -> str | None:
            parts = []
            for number, (field, types) in enumerate(fields, start=1):
                part: str | None = f"{arguments[0]}.f{number}"
                if field is not None and field.spark is not None and part is not None:
                    part = spark_of(field.spark, [part], types)
                if part is None:
                    return None
                parts.append(f"'f{number}', {part}")
            made = f"named_struct({', '.join(parts)})"
            return f"CASE WHEN {arguments[0]} IS NOT NULL THEN {made} END"

        spark = text
    return Function(NAME, (source,), target, run, spark, fails=any(field and field.fails for field, _ in fields))


def python_of(function: Function, types: Types) -> Callable[[Anything], object]:
    """The Python of a cast, of the value alone."""
    run = function.python
    assert run is not None  # a cast is a function of its argument alone
    if not function.typed:
        return run
    return lambda value: run(types, value)


def spark_of(text: SparkText, arguments: Sequence[str], types: Types) -> str | None:
    if callable(text):
        return text(arguments, types.arguments, types.result)
    return text.format(*arguments)
