"""Calls of typed literals, written so that PostgreSQL takes them too: `'{"a": 1}'::jsonb -> 'a'::text`.

The answer is the text of the value; of a table function, that of all rows. An error is its message after `ERROR: `.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from holdfast.plan.errors import DataError
from holdfast.plan.functions.function import Any, Family, Function, ResultColumns, TableFunction, Types
from holdfast.plan.text import read_of, write_of
from holdfast.plan.types import (
    BASES,
    BOOL,
    DATERANGE,
    INT2VECTOR,
    INT4RANGE,
    INT8RANGE,
    NUMERIC,
    NUMRANGE,
    TSRANGE,
    TSTZRANGE,
    Array,
    List,
    Map,
    Modified,
    Range,
    Record,
    Type,
    array_of,
    list_of,
    map_of,
    record_of,
)

_ARGUMENT = re.compile(r"(?:'((?:[^']|'')*)'|null)::(map\[text=>[\w ]+\]|\w+(?:\[\]| list)*)")
_CALL = re.compile(r"(\w+)\((.*)\)", re.DOTALL)
_RANGES = {type_.base: type_ for type_ in (INT4RANGE, INT8RANGE, NUMRANGE, DATERANGE, TSRANGE, TSTZRANGE)}
_MODIFIED = ("varchar", "bpchar", "time", "timestamp", "timestamptz", "interval")


def type_of(name: str) -> Type:
    if name.startswith("map["):
        return map_of(type_of(name[len("map[text=>") : -1]))
    if name.endswith("[]"):
        return array_of(type_of(name[:-2]))
    if name.endswith(" list"):
        return list_of(type_of(name[: -len(" list")]))
    if name in _RANGES:
        return _RANGES[name]
    if name == "numeric":
        return NUMERIC
    assert name in BASES, name
    return Modified(name) if name in _MODIFIED else Type(name)


def _matches(pattern: Type | Any, type_: Type) -> bool:
    if isinstance(pattern, Type):
        return pattern.base == type_.base
    match pattern:
        case Any.ARRAY | Any.COMPATIBLE_ARRAY:
            return isinstance(type_, Array) or type_ is INT2VECTOR
        case Any.LIST:
            return isinstance(type_, List)
        case Any.MAP:
            return isinstance(type_, Map)
        case Any.RANGE:
            return isinstance(type_, Range)
        case Any.RECORD:
            return isinstance(type_, Record)
        case Any.COMPATIBLE | Any.LIST_ELEMENT | Any.MAP_VALUE:
            return not isinstance(type_, Array)
    return True


def _chosen(overloads: Sequence[Function] | Sequence[TableFunction], types: Sequence[Type]) -> Function | TableFunction:
    for function in overloads:
        patterns = list(function.arguments)
        if function.variadic:
            patterns += patterns[-1:] * (len(types) - len(patterns))
        if len(patterns) == len(types) and all(map(_matches, patterns, types)):
            return function
    raise AssertionError(f"no overload for {[str(type_) for type_ in types]}")


def result_type(function: Function, types: Sequence[Type]) -> Type:
    if isinstance(function.result, Type):
        return function.result
    assert callable(function.result), "a kind of types, which only the rules of SQL make a type"
    return function.result(types)


def show(value: object, type_: Type) -> str | None:
    if value is None:
        return None
    return str(value).lower() if type_ is BOOL else write_of(type_)(value)


class Calls:
    def __init__(self, *families: Family) -> None:
        self._functions = [function for family in families for function in family.functions]
        self._operators = [function for family in families for function in family.operators]
        self._tables = [function for family in families for function in family.tables]

    def answer(self, sql: str) -> str | None:
        try:
            return self._answer(sql)
        except DataError as error:
            return f"ERROR: {error}"

    def _answer(self, sql: str) -> str | None:
        call = _CALL.fullmatch(sql)
        inside = call.group(2) if call else sql
        types: list[Type] = []
        values: list[object] = []
        for argument in _ARGUMENT.finditer(inside):
            text, type_ = argument.group(1), type_of(argument.group(2))
            types.append(type_)
            values.append(None if text is None else read_of(type_)(text.replace("''", "'")))
        name = call.group(1) if call else _ARGUMENT.sub("", sql).strip()
        tables = [table for table in self._tables if table.name == name]
        if tables:
            return self._rows(tables, types, values)
        overloads = [f for f in (self._functions if call else self._operators) if f.name == name]
        function = _chosen(overloads, types)
        assert isinstance(function, Function)
        assert function.python is not None
        result = result_type(function, types)
        if function.strict and None in values:
            return None
        before = (Types(tuple(types), result),) if function.typed else ()
        found = function.python(*before, *values)
        assert found is not None or function.makes_null, f"{function} made null"
        return show(found, result)

    def _rows(self, tables: Sequence[TableFunction], types: Sequence[Type], values: Sequence[object]) -> str:
        table = _chosen(tables, types)
        assert isinstance(table, TableFunction)
        columns = table.columns(types) if callable(table.columns) else table.columns
        assert isinstance(columns, ResultColumns)
        row = record_of(columns.names, columns.types)
        if table.strict and None in values:
            return ""
        before = (Types(tuple(types), row),) if table.typed else ()
        rows = table.python(*before, *values)
        if len(columns.types) == 1:
            return ";".join(show(value, columns.types[0]) or "NULL" for (value,) in rows)
        return ";".join(write_of(row)(found) for found in rows)
