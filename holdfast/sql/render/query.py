"""Queries, and the changes of data that are made with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from holdfast.sql.render.expression import ExpressionRenderer
from holdfast.sql.render.option import options
from holdfast.sql.render.quote import dotted, identifier, names
from holdfast.sql.render.types import type_name
from holdfast.sql.syntax.expression import Call, Cast, Column, Expression
from holdfast.sql.syntax.query import (
    Alias,
    AsOf,
    Body,
    ColumnType,
    CommonTable,
    Derived,
    FromItem,
    FunctionRows,
    Functions,
    GroupingSet,
    Join,
    Query,
    Select,
    SetOperation,
    Table,
    Target,
    Values,
    With,
    WithMutuallyRecursive,
)
from holdfast.sql.syntax.statement.dml import Assignment, Delete, Insert, OnConflict, SelectStatement, Update


class QueryRenderer(ExpressionRenderer):
    def query(self, query: Query) -> str:
        parts = [self.common(query.common)] if query.common is not None else []
        parts.append(self.body(query.body))
        if query.order_by:
            parts.append(f"ORDER BY {self.order_by(query.order_by)}")
        limit = query.limit
        if limit is not None and not limit.with_ties:
            parts.append("LIMIT ALL" if limit.count is None else f"LIMIT {self.expression(limit.count)}")
        if query.offset is not None:
            parts.append(f"OFFSET {self.expression(query.offset)}")
        if limit is not None and limit.count is not None and limit.with_ties:
            parts.append(f"FETCH FIRST ({self.expression(limit.count)}) ROWS WITH TIES")
        return " ".join(parts)

    def body(self, body: Body) -> str:
        match body:
            case Select():
                return self.select(body)
            case Values(rows=rows):
                return "VALUES " + ", ".join(f"({self.listed(row)})" for row in rows)
            case SetOperation():
                return self.set_operation(body)
            case Query():
                return f"({self.query(body)})"
            case _:
                assert_never(body)

    def set_operation(self, operation: SetOperation) -> str:
        """A chain to the left is followed by a loop: it may be as long as its text."""
        parts: list[str] = []
        opened = 0
        while True:
            right = self.body(operation.right)
            if isinstance(operation.right, SetOperation) and not _tighter(operation.right, operation):
                right = f"({right})"
            parts.append(f" {operation.kind}{' ALL' if operation.all else ''} {right}")
            left = operation.left
            if not isinstance(left, SetOperation):
                parts.append(self.body(left))
                return "(" * opened + "".join(reversed(parts))
            if _tighter(operation, left):
                parts.append(")")
                opened += 1
            operation = left

    def select(self, select: Select) -> str:
        parts = ["SELECT"]
        if select.distinct is not None:
            on = select.distinct.on
            parts.append(f"DISTINCT ON ({self.listed(on)})" if on else "DISTINCT")
        if select.targets:
            parts.append(self.targets(select.targets))
        if select.from_items:
            parts.append(f"FROM {self.from_items(select.from_items)}")
        if select.where is not None:
            parts.append(f"WHERE {self.expression(select.where)}")
        if select.group_by:
            distinct = "DISTINCT " if select.group_distinct else ""
            parts.append(f"GROUP BY {distinct}{', '.join(map(self.group, select.group_by))}")
        if select.hints:
            parts.append(f"OPTIONS ({options(select.hints, self)})")
        if select.having is not None:
            parts.append(f"HAVING {self.expression(select.having)}")
        if select.windows:
            listed = ", ".join(f"{identifier(item.name)} AS ({self.window(item.window)})" for item in select.windows)
            parts.append(f"WINDOW {listed}")
        return " ".join(parts)

    def targets(self, targets: Iterable[Target]) -> str:
        return ", ".join(
            self.expression(target.expression) + (f" AS {identifier(target.alias)}" if target.alias else "")
            for target in targets
        )

    def group(self, item: Expression | GroupingSet) -> str:
        if not isinstance(item, GroupingSet):
            return self.expression(item)
        inside = f"({', '.join(map(self.group, item.items))})"
        return inside if item.kind == "EMPTY" else f"{item.kind} {inside}"

    def from_items(self, items: Iterable[FromItem]) -> str:
        return ", ".join(map(self.from_item, items))

    def from_item(self, item: FromItem) -> str:
        match item:
            case Table(name=name, alias=alias):
                return dotted(name.parts) + self.alias(alias)
            case Derived(query=query, alias=alias, lateral=lateral):
                return f"{'LATERAL ' if lateral else ''}({self.query(query)}){self.alias(alias)}"
            case Functions():
                return self.functions(item)
            case Join():
                return self.join(item)
            case _:
                assert_never(item)

    def alias(self, alias: Alias | None) -> str:
        if alias is None:
            return ""
        columns = f" ({names(alias.columns)})" if alias.columns else ""
        return f" AS {identifier(alias.name)}{columns}"

    def functions(self, item: Functions) -> str:
        inside = ", ".join(map(self.function_rows, item.functions))
        text = f"ROWS FROM ({inside})" if item.rows_from else inside
        if item.lateral:
            text = f"LATERAL {text}"
        if item.ordinality:
            text += " WITH ORDINALITY"
        if not item.columns:
            return text + self.alias(item.alias)
        name = f" {identifier(item.alias.name)}" if item.alias is not None else ""
        return f"{text} AS{name} ({self.column_types(item.columns)})"

    def function_rows(self, rows: FunctionRows) -> str:
        """In FROM, only what looks like a call is a function."""
        match rows.function:
            case Call() as call:
                text = self.call(call)
            case Cast(operand=operand, type=target):
                text = f"CAST({self.expression(operand)} AS {type_name(target)})"
            case other:
                text = self.expression(other)
        return f"{text} AS ({self.column_types(rows.columns)})" if rows.columns else text

    def column_types(self, columns: Iterable[ColumnType]) -> str:
        return ", ".join(f"{identifier(column.name)} {type_name(column.type)}" for column in columns)

    def join(self, join: Join) -> str:
        """A chain to the left is followed by a loop: it may be as long as its text."""
        parts: list[str] = []
        opened = 0
        while True:
            right = self.from_item(join.right)
            if isinstance(join.right, Join) and join.right.alias is None:
                right = f"({right})"
            words = f"NATURAL {join.kind}" if join.natural else join.kind
            condition = ""
            if join.on is not None:
                condition = f" ON {self.expression(join.on)}"
            elif join.using:
                condition = f" USING ({names(join.using)})"
                condition += f" AS {identifier(join.using_alias)}" if join.using_alias else ""
            if join.alias is not None:
                parts.append(f"){self.alias(join.alias)}")
                opened += 1
            parts.append(f" {words} JOIN {right}{condition}")
            if not isinstance(join.left, Join):
                parts.append(self.from_item(join.left))
                return "(" * opened + "".join(reversed(parts))
            join = join.left

    def common(self, common: With | WithMutuallyRecursive) -> str:
        match common:
            case With(tables=tables, recursive=recurs):
                return ("WITH RECURSIVE " if recurs else "WITH ") + ", ".join(map(self.common_table, tables))
            case WithMutuallyRecursive(tables=recursive, options=given):
                limits = f" ({options(given, self)})" if given else ""
                listed = ", ".join(
                    f"{identifier(table.name)} ({self.column_types(table.columns)}) AS ({self.query(table.query)})"
                    for table in recursive
                )
                return f"WITH MUTUALLY RECURSIVE{limits} {listed}"
            case _:
                assert_never(common)

    def common_table(self, table: CommonTable) -> str:
        columns = f" ({names(table.columns)})" if table.columns else ""
        materialized = {None: "", True: "MATERIALIZED ", False: "NOT MATERIALIZED "}[table.materialized]
        return f"{identifier(table.name)}{columns} AS {materialized}({self.query(table.query)})"

    def as_of(self, as_of: AsOf | None) -> str:
        if as_of is None:
            return ""
        return f" AS OF {'AT LEAST ' if as_of.at_least else ''}{self.expression(as_of.time)}"

    def select_statement(self, statement: SelectStatement) -> str:
        return self.query(statement.query) + self.as_of(statement.as_of)

    def change(self, statement: Insert | Update | Delete) -> str:
        match statement:
            case Insert():
                text = self.insert(statement)
            case Update():
                text = self.update(statement)
            case Delete():
                text = self.delete(statement)
            case _:
                assert_never(statement)
        if statement.common is not None:
            text = f"{self.common(statement.common)} {text}"
        return f"{text} RETURNING {self.targets(statement.returning)}" if statement.returning else text

    def insert(self, statement: Insert) -> str:
        parts = [f"INSERT INTO {dotted(statement.table.parts)}{_as(statement.alias)}"]
        if statement.columns:
            parts.append(f"({names(statement.columns)})")
        parts.append("DEFAULT VALUES" if statement.source is None else self.query(statement.source))
        if statement.on_conflict is not None:
            parts.append(self.on_conflict(statement.on_conflict))
        return " ".join(parts)

    def on_conflict(self, conflict: OnConflict) -> str:
        parts = ["ON CONFLICT"]
        if conflict.constraint is not None:
            parts.append(f"ON CONSTRAINT {identifier(conflict.constraint)}")
        elif conflict.target:
            targets = (
                identifier(target.parts[0]) if isinstance(target, Column) else f"({self.expression(target)})"
                for target in conflict.target
            )
            parts.append(f"({', '.join(targets)})")
        if conflict.target_where is not None:
            parts.append(f"WHERE {self.expression(conflict.target_where)}")
        if not conflict.assignments:
            return " ".join([*parts, "DO NOTHING"])
        parts.append(f"DO UPDATE SET {self.assignments(conflict.assignments)}")
        if conflict.where is not None:
            parts.append(f"WHERE {self.expression(conflict.where)}")
        return " ".join(parts)

    def update(self, statement: Update) -> str:
        parts = [f"UPDATE {dotted(statement.table.parts)}{_as(statement.alias)}"]
        parts.append(f"SET {self.assignments(statement.assignments)}")
        if statement.from_items:
            parts.append(f"FROM {self.from_items(statement.from_items)}")
        if statement.where is not None:
            parts.append(f"WHERE {self.expression(statement.where)}")
        return " ".join(parts)

    def assignments(self, assignments: Iterable[Assignment]) -> str:
        return ", ".join(
            f"({names(item.columns)}) = {self.expression(item.value)}"
            if item.row
            else f"{identifier(item.columns[0])} = {self.expression(item.value)}"
            for item in assignments
        )

    def delete(self, statement: Delete) -> str:
        parts = [f"DELETE FROM {dotted(statement.table.parts)}{_as(statement.alias)}"]
        if statement.using:
            parts.append(f"USING {self.from_items(statement.using)}")
        if statement.where is not None:
            parts.append(f"WHERE {self.expression(statement.where)}")
        return " ".join(parts)


SQL = QueryRenderer()


def _as(alias: str | None) -> str:
    return f" AS {identifier(alias)}" if alias is not None else ""


def _tighter(inner: SetOperation, outer: SetOperation) -> bool:
    """Whether `inner` needs no parentheses as the right branch of `outer`: INTERSECT binds tighter than the others."""
    return inner.kind == "INTERSECT" and outer.kind != "INTERSECT"
