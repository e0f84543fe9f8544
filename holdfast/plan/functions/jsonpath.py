"""Queries of JSON by path. The path is text; one that a query holds as a constant is parsed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from holdfast.plan.errors import SingletonJsonItemRequired
from holdfast.plan.functions.function import Family, Function, ResultColumns, TableFunction
from holdfast.plan.json_value import Json, parse, write
from holdfast.plan.jsonpath.evaluate import SUPPRESSED, Evaluation
from holdfast.plan.jsonpath.parse import parse_path
from holdfast.plan.types import BOOL, JSONB, TEXT, Type

Query: TypeAlias = Callable[..., object]


def _evaluation(value: str, path: str, variables: str) -> Evaluation:
    return Evaluation(parse_path(path), parse(value), parse(variables))


def _items(value: str, path: str, variables: str, silent: bool) -> list[Json]:
    """All items; where errors are silenced, those before the first."""
    found: list[Json] = []
    try:
        for item in _evaluation(value, path, variables).items():
            found.append(item)  # noqa: PERF402  # what was found before an error counts
    except SUPPRESSED:
        if not silent:
            raise
    return found


def _query(value: str, path: str, variables: str = "{}", silent: bool = False) -> Iterator[tuple[str]]:
    return ((write(item),) for item in _items(value, path, variables, silent))


def _query_array(value: str, path: str, variables: str = "{}", silent: bool = False) -> str:
    return write(_items(value, path, variables, silent))


def _query_first(value: str, path: str, variables: str = "{}", silent: bool = False) -> str | None:
    found = _items(value, path, variables, silent)
    return write(found[0]) if found else None


def _exists(value: str, path: str, variables: str = "{}", silent: bool = False) -> bool | None:
    try:
        return _evaluation(value, path, variables).exists()
    except SUPPRESSED:
        if not silent:
            raise
        return None


def _match(value: str, path: str, variables: str = "{}", silent: bool = False) -> bool | None:
    found = _items(value, path, variables, silent)
    if len(found) == 1 and (found[0] is None or isinstance(found[0], bool)):
        answer: bool | None = found[0]
        return answer
    if not silent:
        raise SingletonJsonItemRequired("single boolean result is expected")
    return None


def _exists_silently(value: str, path: str) -> bool | None:
    return _exists(value, path, silent=True)


def _match_silently(value: str, path: str) -> bool | None:
    return _match(value, path, silent=True)


_ARGUMENTS: tuple[Type, ...] = (JSONB, TEXT, JSONB, BOOL)
"""The value, the path, its variables, and whether errors are silenced."""


def _overloads(name: str, result: Type, python: Query, doc: str, *, makes_null: bool = True) -> tuple[Function, ...]:
    return tuple(
        Function(name, _ARGUMENTS[:count], result, python, makes_null=makes_null, fails=True, doc=doc)
        for count in (2, 3, 4)
    )


FAMILY = Family(
    "JSON by path",
    functions=(
        *_overloads("jsonb_path_exists", BOOL, _exists, "Whether a path finds anything."),
        *_overloads("jsonb_path_match", BOOL, _match, "What the predicate that a path is says."),
        *_overloads("jsonb_path_query_array", JSONB, _query_array, "All that a path finds.", makes_null=False),
        *_overloads("jsonb_path_query_first", JSONB, _query_first, "The first that a path finds."),
    ),
    operators=(
        Function(
            "@?",
            (JSONB, TEXT),
            BOOL,
            _exists_silently,
            makes_null=True,
            fails=True,
            infix=True,
            doc="Whether a path finds anything; null for an error.",
        ),
        Function(
            "@@",
            (JSONB, TEXT),
            BOOL,
            _match_silently,
            makes_null=True,
            fails=True,
            infix=True,
            doc="What the predicate that a path is says; null for an error.",
        ),
    ),
    tables=tuple(
        TableFunction(
            "jsonb_path_query",
            _ARGUMENTS[:count],
            ResultColumns(("jsonb_path_query",), (JSONB,), (False,)),
            _query,
            fails=True,
            doc="All that a path finds.",
        )
        for count in (2, 3, 4)
    ),
)
