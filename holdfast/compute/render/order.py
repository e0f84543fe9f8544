"""ORDER BY for Spark: in PostgreSQL's order of each type, with nulls where they are asked for.

For values of most types Spark has an expression that it sorts as we sort them. Others, which are jsonb and what holds
it, are sorted by bytes that Python makes of them: `keyed` adds columns of these to a relation, to stand in for them. It
does so too with what Python computes: Spark sorts by no Python function.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from holdfast.compute.render.calls import Needs
from holdfast.compute.render.internal import ORDER_BYTES, call
from holdfast.compute.render.scalars import argument_text, calls_python, is_volatile
from holdfast.plan.functions.spark_order import order_key
from holdfast.plan.relation import Columns, Map, OrderKey, Relation, column
from holdfast.plan.scalar import Call, Column, Scalar
from holdfast.plan.types import BYTEA, Type


def order_texts(order: Sequence[OrderKey], columns: Sequence[str], needs: Needs) -> list[str]:
    return [
        _directed(_sortable(argument_text(key.expression, columns, needs), key.expression.type), key) for key in order
    ]


def tie_breaks(
    order: Sequence[OrderKey],
    texts: Sequence[str],
    columns: Columns,
    stand_ins: Mapping[int, int],
    alike: Collection[int] = (),
) -> list[str]:
    """Further keys, so that only rows that are alike in all columns are equal: those columns not in the order yet.

    `texts` are those of the columns, and of columns that stand in for them. In `alike` the rows are equal already.
    """
    ordered = {key.expression.index for key in order if isinstance(key.expression, Column)}
    done = {*alike, *ordered, *stand_ins.values(), *(index for index, place in stand_ins.items() if place in ordered)}
    return [
        f"{texts[stand_ins[index]] if index in stand_ins else _sortable(texts[index], shown.type)} NULLS LAST"
        for index, shown in enumerate(columns)
        if index not in done
    ]


def _directed(text: str, key: OrderKey) -> str:
    return f"{text}{' DESC' if key.descending else ''} NULLS {'FIRST' if key.nulls_first else 'LAST'}"


def _sortable(text: str, type_: Type) -> str:
    """An expression that Spark sorts as SQL sorts values of the type, or at least always the same way."""
    return order_key(text, type_) or text


def keyed(
    relation: Relation, order: Sequence[OrderKey], ties: Collection[int]
) -> tuple[Relation, tuple[OrderKey, ...]]:
    """The relation with columns to sort by where Spark needs them, and the order by these.

    `ties` are the columns that may have to tell rows apart which the order leaves equal.
    """
    if any(calls_python(key.expression) or is_volatile(key.expression) for key in order):
        relation, order = _computed_below(relation, order)
    there = stand_ins(relation)
    candidates = (
        *(key.expression for key in order),
        *(column(relation, index) for index in ties if index not in there),
    )
    wanted = tuple(dict.fromkeys(scalar for scalar in candidates if order_key("", scalar.type) is None))
    if not wanted:
        return relation, tuple(order)
    width = len(relation.columns)
    places: dict[Scalar, Scalar] = {
        scalar: Column(width + index, BYTEA, scalar.nullable) for index, scalar in enumerate(wanted)
    }
    by_bytes = tuple(
        OrderKey(places.get(key.expression, key.expression), key.descending, key.nulls_first) for key in order
    )
    return Map(relation, tuple(call(ORDER_BYTES, scalar) for scalar in wanted)), by_bytes


def _computed_below(relation: Relation, order: Sequence[OrderKey]) -> tuple[Relation, tuple[OrderKey, ...]]:
    """The relation with more columns, which are what it is ordered by, and the order by them."""
    width = len(relation.columns)
    columns = tuple(
        OrderKey(Column(width + i, key.expression.type, key.expression.nullable), key.descending, key.nulls_first)
        for i, key in enumerate(order)
    )
    return Map(relation, tuple(key.expression for key in order)), columns


def stand_ins(relation: Relation) -> dict[int, int]:
    """Which columns of what `keyed` made stand in for which others."""
    if not isinstance(relation, Map):
        return {}
    width = len(relation.input.columns)
    return {
        argument.index: width + place
        for place, made in enumerate(relation.scalars)
        if isinstance(made, Call) and made.function is ORDER_BYTES
        for argument in made.arguments
        if isinstance(argument, Column)
    }
