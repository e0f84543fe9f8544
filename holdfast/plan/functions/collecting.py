"""Aggregates that collect values: into text, arrays, lists, maps and JSON.

The order of the rows shows in all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any as Value  # as `plan/types.py` lists them
from typing import TypeVar

from holdfast.plan.errors import ArraySubscriptError, InvalidParameterValue, NullValueNotAllowed
from holdfast.plan.functions.aggregates import Rows, has_spark_order
from holdfast.plan.functions.container import dimensions
from holdfast.plan.functions.function import Aggregate, Any, Family, Pattern, Result, SparkText, Types
from holdfast.plan.functions.json_build import json_of, key_of, or_null
from holdfast.plan.json_value import json_object, write
from holdfast.plan.types import BYTEA, JSONB, TEXT, Type, array_of, list_of, map_of, spark_type

Text = TypeVar("Text", str, bytes)


def _joined_text(rows: Rows) -> str | None:
    parts = _delimited(rows, "")
    return "".join(parts) if parts else None


def _joined_bytes(rows: Rows) -> bytes | None:
    parts = _delimited(rows, b"")
    return b"".join(parts) if parts else None


def _delimited(rows: Rows, nothing: Text) -> list[Text]:
    """Each value after its own delimiter, but for the first."""
    parts: list[Text] = []
    for value, delimiter in rows:
        if value is not None:
            parts += [nothing if delimiter is None else delimiter, value]
    return parts[1:]


def _collected(rows: Rows) -> tuple[Value, ...] | None:
    return tuple([value for (value,) in rows]) if rows else None


def _collected_arrays(types: Types, rows: Rows) -> tuple[Value, ...] | None:
    if not rows:
        return None
    arrays = [value for (value,) in rows]
    if any(value is None for value in arrays):
        raise NullValueNotAllowed("cannot accumulate null arrays")
    if () in arrays:
        raise ArraySubscriptError("cannot accumulate empty arrays")
    if len({_shape(value, dimensions(types.arguments[0])) for value in arrays}) > 1:
        raise ArraySubscriptError("cannot accumulate arrays of different dimensionality")
    return tuple(arrays)


def _shape(value: Value, depth: int) -> tuple[int, ...]:
    return (len(value), *_shape(value[0], depth - 1)) if depth > 1 else (len(value),)


def _collected_map(rows: Rows) -> tuple[tuple[str, Value], ...] | None:
    """Of values with one key the last. A null is no key."""
    if not rows:
        return None
    members = {key: value for key, value in rows if key is not None}
    return tuple(sorted(members.items(), key=lambda member: member[0]))


def _json_array(types: Types, rows: Rows) -> str | None:
    convert = or_null(types.arguments[0])
    return write([convert(value) for (value,) in rows]) if rows else None


def _json_object(types: Types, rows: Rows) -> str | None:
    if not rows:
        return None
    of_key, of_value = types.arguments
    as_json, convert = json_of(of_key), or_null(of_value)
    _check_keys(rows)
    return write(json_object((key_of(of_key, as_json(key)), convert(value)) for key, value in rows))


def _check_keys(rows: Rows) -> None:
    if any(key is None for key, _ in rows):
        raise InvalidParameterValue("field name must not be null")


def _json_object_of_values(types: Types, rows: Rows) -> str | None:
    if not rows:
        return None
    _check_keys(rows)
    return _json_object(types, [row for row in rows if row[1] is not None]) or "{}"


def _json_array_of_values(types: Types, rows: Rows) -> str | None:
    return None if not rows else _json_array(types, [row for row in rows if row[0] is not None]) or "[]"


def _collected_text(texts: Sequence[str], types: Sequence[Type], _: Type) -> str | None:
    """Sorted, since no order is asked for, with nulls last. Spark leaves them out of what it collects."""
    (argument,), (type_,) = texts, types
    if not has_spark_order(type_):
        return None
    nulls = f"CAST(count({{distinct}}CASE WHEN {argument} IS NULL THEN 1 END) AS INT)"
    collected = f"array_sort(collect_list({{distinct}}{argument}))"
    return (
        f"CASE WHEN count(1) > 0 THEN concat({collected}, array_repeat(CAST(NULL AS {spark_type(type_)}), {nulls})) END"
    )


def _collecting(
    name: str,
    arguments: tuple[Pattern, ...],
    result: Result,
    python: Callable[..., object],
    doc: str,
    *,
    spark: SparkText | None = None,
    typed: bool = False,
    fails: bool = False,
) -> Aggregate:
    return Aggregate(
        name, arguments, result, python, spark, strict=False, ordered=True, typed=typed, fails=fails, doc=doc
    )


def _array_type(types: Sequence[Type]) -> Type:
    return array_of(types[0])


def _list_type(types: Sequence[Type]) -> Type:
    return list_of(types[0])


def _map_type(types: Sequence[Type]) -> Type:
    return map_of(types[1])


_JOINED_TEXT = (
    "CASE WHEN count({0}) > 0 THEN array_join(transform(array_sort(collect_list({distinct}CASE WHEN {0} IS NOT NULL "
    "THEN named_struct('value', {0}, 'is_null', {1} IS NULL, 'delimiter', {1}) END)), (part, place) -> "
    "CASE WHEN place = 0 OR part.is_null THEN part.value ELSE concat(part.delimiter, part.value) END), '') END"
)
"""Sorted, since no order is asked for: by value, then by delimiter, nulls last."""

_JOINED = "All values that are not null, each but the first after its delimiter."

FAMILY = Family(
    "Aggregates that collect values",
    aggregates=(
        _collecting("string_agg", (TEXT, TEXT), TEXT, _joined_text, _JOINED, spark=_JOINED_TEXT),
        _collecting("string_agg", (BYTEA, BYTEA), BYTEA, _joined_bytes, _JOINED),
        _collecting(
            "array_agg", (Any.NONARRAY,), _array_type, _collected, "All values, nulls too.", spark=_collected_text
        ),
        _collecting(
            "array_agg",
            (Any.ARRAY,),
            _array_type,
            _collected_arrays,
            "All arrays, which have one shape, as an array with one dimension more.",
            typed=True,
            fails=True,
        ),
        _collecting("list_agg", (Any.ANY,), _list_type, _collected, "All values, nulls too.", spark=_collected_text),
        _collecting(
            "map_agg", (TEXT, Any.ANY), _map_type, _collected_map, "Keys with their values, of equal keys the last."
        ),
        _collecting("jsonb_agg", (Any.ANY,), JSONB, _json_array, "All values, nulls too.", typed=True),
        _collecting("jsonb_agg_strict", (Any.ANY,), JSONB, _json_array_of_values, "All values but nulls.", typed=True),
        _collecting(
            "jsonb_object_agg",
            (Any.ANY, Any.ANY),
            JSONB,
            _json_object,
            "Keys with their values, of equal keys the last.",
            typed=True,
            fails=True,
        ),
        _collecting(
            "jsonb_object_agg_strict",
            (Any.ANY, Any.ANY),
            JSONB,
            _json_object_of_values,
            "Keys with their values but nulls, of equal keys the last.",
            typed=True,
            fails=True,
        ),
    ),
    aliases={
        "json_agg": "jsonb_agg",
        "json_agg_strict": "jsonb_agg_strict",
        "json_object_agg": "jsonb_object_agg",
        "json_object_agg_strict": "jsonb_object_agg_strict",
    },
)
