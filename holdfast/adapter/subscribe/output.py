"""How changes are told: as they are, by key, or in an order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, TypeAlias

from holdfast.adapter.subscribe.changes import Batch, Row
from holdfast.compute.evaluate.keys import Key, Sorter, equality, ordering
from holdfast.plan.relation import OrderKey
from holdfast.plan.scalar import Column as ColumnOf
from holdfast.plan.types import BOOL, INT8, TEXT, Type, numeric
from holdfast.repr.frontier import Timestamp
from holdfast.sql import OutputColumn
from holdfast.sql.errors import UndefinedColumn
from holdfast.sql.syntax.expression import Column, Order
from holdfast.sql.syntax.statement.subscribe import DebeziumOutput, OrderedOutput, UpsertOutput

_TIME = numeric(38, 0)
_FEW = 2_000
"""Rows that are sorted without a thread."""

Shape: TypeAlias = UpsertOutput | DebeziumOutput | OrderedOutput | None


class Told(Protocol):
    """`columns` are those after the time and the mark of progress; `rows` says what a batch is told as."""

    @property
    def columns(self) -> tuple[OutputColumn, ...]: ...

    def rows(self, batch: Batch) -> list[Row]: ...


@dataclass(frozen=True, slots=True)
class Plain:
    """Each row with its diff."""

    of: tuple[OutputColumn, ...]
    order: tuple[OrderKey, ...] = ()

    @property
    def columns(self) -> tuple[OutputColumn, ...]:
        return (OutputColumn("mz_diff", INT8), *self.of)

    def rows(self, batch: Batch) -> list[Row]:
        types = [column.type for column in self.columns]
        return Sorter(self.order, ordering(types), ()).sort([(diff, *row) for row, diff in batch])


@dataclass(frozen=True, slots=True)
class ByKey:
    """What became of each key: its old and new values, in the columns that the envelope has for them."""

    of: tuple[OutputColumn, ...]
    key: tuple[int, ...]
    before: bool

    @property
    def _values(self) -> list[int]:
        return [index for index in range(len(self.of)) if index not in self.key]

    @property
    def columns(self) -> tuple[OutputColumn, ...]:
        keys = tuple(self.of[index] for index in self.key)
        values = [self.of[index] for index in self._values]
        sides = ("before_", "after_") if self.before else ("",)
        told = tuple(OutputColumn(f"{side}{each.name}", each.type) for side in sides for each in values)
        return (OutputColumn("mz_state", TEXT), *keys, *told)

    def rows(self, batch: Batch) -> list[Row]:
        types = [self.of[index].type for index in self.key]
        same, found = equality(types), dict[Key, list[tuple[Row, int]]]()
        for row, diff in batch:
            found.setdefault(same(tuple(row[index] for index in self.key)), []).append((row, diff))
        rows = [self._told(updates) for updates in found.values()]
        by_key = ordering(types)
        return sorted(rows, key=lambda row: by_key(row[1 : 1 + len(types)]))

    def _told(self, updates: Sequence[tuple[Row, int]]) -> Row:
        gone = [row for row, diff in updates if diff < 0 for _ in range(-diff)]
        come = [row for row, diff in updates if diff > 0 for _ in range(diff)]
        key = tuple(updates[0][0][index] for index in self.key)
        nothing = (None,) * len(self._values)
        if len(gone) > 1 or len(come) > 1:
            return ("key_violation", *key, *(nothing * (2 if self.before else 1)))
        old = tuple(gone[0][index] for index in self._values) if gone else nothing
        new = tuple(come[0][index] for index in self._values) if come else nothing
        state = "delete" if not come else "insert" if self.before and not gone else "upsert"
        return (state, *key, *old, *new) if self.before else (state, *key, *new)


def told(shape: Shape, columns: tuple[OutputColumn, ...]) -> Told:
    match shape:
        case None:
            return Plain(columns)
        case UpsertOutput():
            return ByKey(columns, _positions(shape.key, columns), before=False)
        case DebeziumOutput():
            return ByKey(columns, _positions(shape.key, columns), before=True)
        case OrderedOutput():
            plain = Plain(columns)
            return Plain(columns, tuple(_order(each, plain.columns) for each in shape.order_by))


def _positions(names: Sequence[str], columns: Sequence[OutputColumn]) -> tuple[int, ...]:
    return tuple(_position(name, columns, 0) for name in names)


def _position(name: str, columns: Sequence[OutputColumn], location: int) -> int:
    found = [index for index, column in enumerate(columns) if column.name == name]
    if len(found) != 1:
        what = f'column reference "{name}" is ambiguous' if found else f'column "{name}" does not exist'
        raise UndefinedColumn(what, location)
    return found[0]


def _order(order: Order, columns: Sequence[OutputColumn]) -> OrderKey:
    expression = order.expression
    if not isinstance(expression, Column):
        raise UndefinedColumn("WITHIN TIMESTAMP ORDER BY takes only names of columns", order.location)
    index = _position(expression.parts[-1], columns, expression.location)
    descending = order.direction == "DESC"
    nulls_first = descending if order.nulls is None else order.nulls == "FIRST"
    return OrderKey(ColumnOf(index, columns[index].type, True), descending, nulls_first)


@dataclass(frozen=True, slots=True)
class Lines:
    """The rows that a client gets."""

    told: Told
    progress: bool

    @property
    def columns(self) -> tuple[OutputColumn, ...]:
        mark = (OutputColumn("mz_progressed", BOOL),) if self.progress else ()
        return (OutputColumn("mz_timestamp", _TIME), *mark, *self.told.columns)

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(column.type for column in self.columns)

    async def changed(self, time: Timestamp, batch: Batch) -> list[Row]:
        head: tuple[Any, ...] = (Decimal(time), False) if self.progress else (Decimal(time),)

        def made() -> list[Row]:
            return [(*head, *row) for row in self.told.rows(batch)]

        return made() if len(batch) <= _FEW else await asyncio.to_thread(made)

    def progressed(self, time: Timestamp) -> Row:
        """Nothing more comes at times before `time`."""
        return (Decimal(time), True, *((None,) * len(self.told.columns)))
