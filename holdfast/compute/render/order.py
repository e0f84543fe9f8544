"""ORDER BY for Spark: in PostgreSQL's order of each type, with nulls where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.compute.render.calls import Needs
from holdfast.compute.render.scalars import argument_text, atom
from holdfast.plan.relation import Columns, OrderKey
from holdfast.plan.scalar import Column
from holdfast.plan.types import Array, List, Map, Range, Record, Type


def order_texts(order: Sequence[OrderKey], columns: Sequence[str], needs: Needs) -> list[str]:
    return [
        _directed(sortable(argument_text(key.expression, columns, needs), key.expression.type), key) for key in order
    ]


def tie_breaks(order: Sequence[OrderKey], texts: Sequence[str], columns: Columns) -> list[str]:
    """Further keys, so that only rows that are alike in all columns are equal: those columns not in the order yet."""
    done = {key.expression.index for key in order if isinstance(key.expression, Column)}
    return [
        f"{sortable(text, column.type)} NULLS LAST"
        for index, (text, column) in enumerate(zip(texts, columns, strict=True))
        if index not in done
    ]


def _directed(text: str, key: OrderKey) -> str:
    return f"{text}{' DESC' if key.descending else ''} NULLS {'FIRST' if key.nulls_first else 'LAST'}"


def sortable(text: str, type_: Type, depth: int = 0) -> str:
    """An expression that Spark sorts as PostgreSQL sorts values of the type.

    In PostgreSQL a null inside of a value comes after all else, in Spark before; and Spark does not sort maps.
    """
    match type_:
        case Array() if type_.dimensions > 1:
            return _elements(text, Array(type_.base, type_.element, type_.dimensions - 1), depth)
        case Array() | List():
            return _elements(text, type_.element, depth)
        case Map():
            entry = f"e{depth}"
            value = _nulls_last(f"{entry}.value", type_.value, depth + 1)
            return f"transform(array_sort(map_entries({text})), {entry} -> struct({entry}.key, {value}))"
        case Record() if type_.types:
            fields = (_nulls_last(f"{text}.f{i}", field, depth) for i, field in enumerate(type_.types, start=1))
            return f"CASE WHEN {text} IS NOT NULL THEN struct({', '.join(fields)}) END"
        case Range():
            parts = (
                f"NOT {text}.empty",
                f"{text}.lower IS NOT NULL",
                sortable(f"{text}.lower", type_.subtype, depth),
                f"NOT {text}.lower_inclusive",
                f"{text}.upper IS NULL",
                sortable(f"{text}.upper", type_.subtype, depth),
                f"{text}.upper_inclusive",
            )
            return f"CASE WHEN {text} IS NOT NULL THEN struct({', '.join(parts)}) END"
    return text


def _elements(text: str, element: Type, depth: int) -> str:
    if not isinstance(element, Array | List | Map | Record | Range):
        return f"transform({text}, e{depth} -> struct(e{depth} IS NULL, e{depth}))"
    return f"transform({text}, e{depth} -> struct({_nulls_last(f'e{depth}', element, depth + 1)}))"


def _nulls_last(text: str, type_: Type, depth: int) -> str:
    return f"{text} IS NULL, {atom(sortable(text, type_, depth))}"
