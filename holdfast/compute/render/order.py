"""ORDER BY for Spark: in PostgreSQL's order of each type, with nulls where they are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.compute.render.calls import Needs
from holdfast.compute.render.scalars import argument_text
from holdfast.plan.functions.spark_order import order_key
from holdfast.plan.relation import Columns, OrderKey
from holdfast.plan.scalar import Column
from holdfast.plan.types import Type


def order_texts(order: Sequence[OrderKey], columns: Sequence[str], needs: Needs) -> list[str]:
    return [
        _directed(sortable(argument_text(key.expression, columns, needs), key.expression.type), key) for key in order
    ]


def tie_breaks(
    order: Sequence[OrderKey], texts: Sequence[str], columns: Columns, alike: Sequence[int] = ()
) -> list[str]:
    """Further keys, so that only rows that are alike in all columns are equal: those columns not in the order yet.

    In the columns `alike` the rows are that already.
    """
    done = {*alike, *(key.expression.index for key in order if isinstance(key.expression, Column))}
    return [
        f"{sortable(text, column.type)} NULLS LAST"
        for index, (text, column) in enumerate(zip(texts, columns, strict=True))
        if index not in done
    ]


def _directed(text: str, key: OrderKey) -> str:
    return f"{text}{' DESC' if key.descending else ''} NULLS {'FIRST' if key.nulls_first else 'LAST'}"


def sortable(text: str, type_: Type) -> str:
    """An expression that Spark sorts as SQL sorts values of the type, or at least always the same way."""
    return order_key(text, type_) or text
