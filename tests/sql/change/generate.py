"""Random statements that change rows. Some mean nothing, or fail when they run: then the error must be the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from holdfast.plan.types import BOOL, DATE, INT4, INT8, TEXT, Modified, Type, numeric
from tests.differential.generate import TYPES, Generator, Scope, Visible
from tests.differential.schema import NUMERIC, Table, tables

VARCHAR3, CHAR4, NARROW = Modified("varchar", 3), Modified("bpchar", 4), numeric(4, 1, declared=True)

DEFAULTS = {
    ("t1", "a"): "7",
    ("t1", "s"): "'none'",
    ("t2", "g"): "'2020-02-02'",
    ("t2", "d"): "1 + 1",
    ("w", "v"): "42",
}
"""Texts of the defaults that columns have."""


@dataclass(frozen=True, slots=True)
class Change:
    table: str
    text: str


def changed_tables(random: Random) -> tuple[Table, ...]:
    """Tables to change, of which `w` has columns that not every value fits, and rows that are equal."""
    narrow = (("v", VARCHAR3), ("c", CHAR4), ("n", NARROW), ("k", INT4))
    rows = (("abc", "ab", "1.5", "1"), ("abc", "ab", "1.5", "1"), (None, "", "-99.9", "2"), ("x", None, None, None))
    return (*tables(random), Table("w", narrow, rows[: random.randrange(5)]))


class Changes(Generator):
    def change(self) -> Change:
        table = self.random.choice(self.tables)
        with_clause = self.with_clause() if self.one_in(6) else ""
        kind = self.random.randrange(10)
        if kind < 4:
            text = self.insert(table)
        elif kind < 8:
            text = self.update(table)
        else:
            text = self.delete(table)
        return Change(table.name, with_clause + text)

    # INSERT

    def insert(self, table: Table) -> str:
        if self.one_in(20):
            return f"INSERT INTO {table.name} DEFAULT VALUES{self.returning(scope_of(table))}"
        columns = list(table.columns)
        listed = self.one_in(2)
        if listed:
            columns = self.random.sample(columns, self.random.randrange(1, len(columns) + 1))
        given = columns if listed else columns[: self.random.randrange(1, len(columns) + 1)]
        if self.one_in(30):
            given = [*given, columns[0]]
        types = [self.assigned(type_) for _, type_ in given]
        source = self.values_to_insert(types) if self.one_in(2) else self.rows_to_insert(types)
        names = f" ({', '.join(name for name, _ in columns)})" if listed else ""
        return f"INSERT INTO {table.name}{names} {source}{self.returning(scope_of(table))}"

    def assigned(self, type_: Type) -> Type:
        """The type of an expression for a column: often one that must be cast, sometimes one that cannot be."""
        if self.one_in(40):
            # Whose text is PostgreSQL's: a numeric does not keep the zeros at its end.
            return self.random.choice([other for other in TYPES if other is not NUMERIC])
        if type_ in (VARCHAR3, CHAR4):
            return self.random.choice((TEXT, TEXT, TEXT, INT4, DATE, BOOL))
        if type_ is NARROW or (type_ in (INT4, NUMERIC) and self.one_in(3)):
            return self.random.choice((INT4, INT8, NUMERIC))
        return type_

    def values_to_insert(self, types: Sequence[Type]) -> str:
        count = self.random.choice((1, 1, 2, 3))
        rows = [f"({', '.join(self.value(type_) for type_ in types)})" for _ in range(count)]
        order = " LIMIT 5" if self.one_in(15) and "DEFAULT" not in "".join(rows) else ""
        return f"VALUES {', '.join(rows)}{order}"

    def value(self, type_: Type) -> str:
        choice = self.random.randrange(12)
        if choice == 0:
            return "DEFAULT"
        if choice == 1:
            return "null"
        if choice == 2:
            return self.random.choice(("'1'", "'abc'", "'abcdef'", "'12.34'", "'2020-01-01'", "'true'", "'abc  '"))
        if choice == 3:
            return self.subquery(type_, (), 1)
        return self.expression(type_, (), 1)

    def rows_to_insert(self, types: list[Type]) -> str:
        body, _ = self.select((), 1, types) if not self.one_in(4) else self.set_operation((), 0, types)
        return body + (self.order_and_limit(len(types), (), 0) if self.one_in(3) else "")

    # UPDATE and DELETE

    def update(self, table: Table) -> str:
        after, name = self.target(table)
        others, condition, sight = self.others("FROM", table, name)
        columns = self.random.sample(table.columns, self.random.randrange(1, min(4, len(table.columns) + 1)))
        assignments = ", ".join(self.assignment(name, type_, sight) for name, type_ in columns)
        if len(columns) > 1 and self.one_in(4):
            assignments = self.row_assignment(columns, sight)
        return f"UPDATE {table.name}{after} SET {assignments}{others}{condition}{self.returning(sight)}"

    def assignment(self, name: str, type_: Type, scope: Scope) -> str:
        if self.one_in(8):
            return f"{name} = DEFAULT"
        if self.one_in(10):
            literal = self.random.choice(("null", "'1'", "'abcdef'", "'2020-01-01'"))
            return f"{name} = {literal}"
        return f"{name} = {self.expression(self.assigned(type_), scope, 1)}"

    def row_assignment(self, columns: Sequence[tuple[str, Type]], scope: Scope) -> str:
        names = ", ".join(name for name, _ in columns)
        types = [self.assigned(type_) for _, type_ in columns]
        if self.one_in(2):
            values = ("DEFAULT" if self.one_in(6) else self.expression(type_, scope, 1) for type_ in types)
            return f"({names}) = {self.random.choice(('', 'ROW'))}({', '.join(values)})"
        alias = self.alias()
        body, _ = self.select(scope, 0, types)
        inner, _ = self.columns(alias, types)
        order = ", ".join(str(number) for number, _ in enumerate(types, start=1))
        limit = "" if self.one_in(10) else " LIMIT 1"
        return f"({names}) = (SELECT * FROM ({body}) AS {alias} ({inner}) ORDER BY {order}{limit})"

    def delete(self, table: Table) -> str:
        after, name = self.target(table)
        others, condition, sight = self.others("USING", table, name)
        return f"DELETE FROM {table.name}{after}{others}{condition}{self.returning(sight)}"

    def target(self, table: Table) -> tuple[str, str]:
        """What the statement has after the name of the table, and what it calls it then."""
        if self.one_in(3):
            alias = self.alias()
            return f" AS {alias}", alias
        return "", table.name

    def others(self, word: str, table: Table, name: str) -> tuple[str, str, Scope]:
        """FROM or USING, WHERE, and what new values may name without chance: only what is one row for each target."""
        scope = scope_of(table, name)
        if self.one_in(2):
            where = f" WHERE {self.expression(BOOL, scope, 1)}" if not self.one_in(5) else ""
            return "", where, scope
        if self.one_in(2):
            text, more = self.from_clause((), 1)
            return f" {word} {text}", f" WHERE {self.expression(BOOL, (*scope, *more), 1)}", scope
        key, own = table.columns[0]
        alias, wanted, inner = self.alias(), self.some_types(), self.alias()
        columns, more = self.columns(alias, [own, *wanted])
        source, by = self.random.choice(
            [(other, column) for other in self.tables for column, type_ in other.columns if type_ is own]
        )
        every = ", ".join(self.aggregate(type_, scope_of(source, inner)) for type_ in wanted)
        grouped = f"SELECT {inner}.{by}, {every} FROM {source.name} AS {inner} GROUP BY {inner}.{by}"
        condition = f" WHERE {name}.{key} = {alias}.c0"
        if self.one_in(3):
            condition += f" AND {self.expression(BOOL, (*scope, *more[1:]), 1)}"
        return f" {word} ({grouped}) AS {alias} ({columns})", condition, (*scope, *more[1:])

    def returning(self, scope: Scope) -> str:
        if not self.one_in(3):
            return ""
        targets = [self.named(self.expression(type_, scope, 1)) for type_ in self.some_types()]
        if self.one_in(3):
            targets = [column.text for column in self.random.sample(scope, min(3, len(scope)))]
        return f" RETURNING {', '.join(targets)}"


def scope_of(table: Table, name: str | None = None) -> Scope:
    """The columns of a table, those whose types the generator does not have as ones that it has."""
    return tuple(_visible(f"{name or table.name}.{column}", type_) for column, type_ in table.columns)


def _visible(column: str, type_: Type) -> Visible:
    if type_ in (VARCHAR3, CHAR4):
        return Visible(f"{column}::text", TEXT)
    return Visible(column, NUMERIC if type_ is NARROW else type_)
