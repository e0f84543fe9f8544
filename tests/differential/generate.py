"""Random queries that PostgreSQL accepts: typed expressions, joins, groups, subqueries anywhere, windows and sets.

Some fail when they run (a division by zero, an overflow): then the error must be the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from holdfast.plan.types import BOOL, DATE, FLOAT8, INT4, INT8, TEXT, TIMESTAMP, Type
from tests.differential.schema import NUMERIC, VALUES, Table

TYPES: tuple[Type, ...] = (INT4, INT8, NUMERIC, FLOAT8, TEXT, BOOL, DATE, TIMESTAMP)
NUMBERS: tuple[Type, ...] = (INT4, INT8, NUMERIC)
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Visible:
    """A column that an expression may name."""

    text: str
    type: Type


@dataclass(slots=True)
class Generator:
    random: Random
    tables: Sequence[Table]
    count: int = 0
    features: set[str] = field(default_factory=set)

    def alias(self) -> str:
        self.count += 1
        return f"q{self.count}"

    def one_in(self, n: int) -> bool:
        return self.random.randrange(n) == 0

    # Queries

    def query(self) -> str:
        """A whole query, whose order is total if it has a LIMIT."""
        choice = self.random.randrange(10)
        if choice < 6:
            body, types = self.select((), depth=2)
        elif choice < 8:
            body, types = self.set_operation(depth=1)
        else:
            inner, types = self.select((), depth=1)
            name = self.alias()
            columns = ", ".join(f"c{i}" for i in range(len(types)))
            outer = self.random.choice(
                (f"SELECT * FROM {name}", f"SELECT x.c0 FROM {name} x LEFT JOIN {name} y ON x.c0 = y.c0")
            )
            body = f"WITH {name} ({columns}) AS ({inner}) {outer}"
            types = types if "*" in outer else types[:1]
        if self.one_in(2):
            keys = list(range(1, len(types) + 1))
            order = ", ".join(
                f"{key}{self.random.choice(('', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'))}" for key in keys
            )
            body += f" ORDER BY {order}"
            if self.one_in(2):
                body += f" LIMIT {self.random.randrange(4)}"
            if self.one_in(4):
                body += f" OFFSET {self.random.randrange(3)}"
        return body

    def set_operation(self, depth: int) -> tuple[str, list[Type]]:
        types = [self.random.choice(TYPES) for _ in range(self.random.randrange(1, 3))]
        left = self.select((), depth, types)[0]
        right = self.select((), depth, types)[0]
        operation = self.random.choice(("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"))
        return f"({left}) {operation} ({right})", types

    def select(self, outer: tuple[Visible, ...], depth: int, types: list[Type] | None = None) -> tuple[str, list[Type]]:
        from_clause, scope = self.from_clause(outer, depth)
        every = (*scope, *outer)
        wanted = types or [self.random.choice(TYPES) for _ in range(self.random.randrange(1, 4))]
        where = f" WHERE {self.expression(BOOL, every, depth)}" if self.one_in(2) else ""
        kind = self.random.randrange(6)
        if kind == 0:
            return self.grouped(from_clause, where, scope, outer, depth, wanted), wanted
        if kind == 1 and not outer:
            return self.windowed(from_clause, where, scope, depth, wanted), wanted
        distinct = "DISTINCT " if self.one_in(5) else ""
        targets = ", ".join(self.expression(type_, every, depth) for type_ in wanted)
        return f"SELECT {distinct}{targets} FROM {from_clause}{where}", wanted

    def grouped(
        self,
        from_clause: str,
        where: str,
        scope: tuple[Visible, ...],
        outer: tuple[Visible, ...],
        depth: int,
        wanted: list[Type],
    ) -> str:
        keys = self.random.sample(scope, k=min(len(scope), self.random.randrange(3)))
        group = f" GROUP BY {', '.join(key.text for key in keys)}" if keys else ""
        targets = []
        for type_ in wanted:
            fitting = [key.text for key in keys if key.type is type_]
            targets.append(self.random.choice(fitting) if fitting and self.one_in(2) else self.aggregate(type_, scope))
        having = f" HAVING {self.aggregate(BOOL, scope)}" if self.one_in(4) else ""
        del outer, depth
        return f"SELECT {', '.join(targets)} FROM {from_clause}{where}{group}{having}"

    def aggregate(self, type_: Type, scope: tuple[Visible, ...]) -> str:
        counted = f" FILTER (WHERE {self.expression(BOOL, scope, 0)})" if self.one_in(4) else ""
        argument = self.expression(type_, scope, 0)
        if type_ is BOOL:
            return f"{self.random.choice(('bool_and', 'bool_or'))}({argument}){counted}"
        if type_ is INT8:
            distinct = "DISTINCT " if self.one_in(3) else ""
            any_argument = self.expression(self.random.choice(TYPES), scope, 0)
            return self.random.choice((f"count(*){counted}", f"count({distinct}{any_argument}){counted}"))
        if type_ is NUMERIC and self.one_in(2):
            return f"sum({argument}){counted}::numeric(10,2)"
        if type_ is TEXT and self.one_in(3):
            return f"string_agg({argument}, ',' ORDER BY {argument}){counted}"
        return f"{self.random.choice(('min', 'max'))}({argument}){counted}"

    def windowed(self, from_clause: str, where: str, scope: tuple[Visible, ...], depth: int, wanted: list[Type]) -> str:
        order = ", ".join(f"{column.text}{self.random.choice(('', ' DESC'))}" for column in scope)
        partition = f"PARTITION BY {self.random.choice(scope).text} " if self.one_in(2) else ""
        targets = []
        for type_ in wanted:
            argument = self.expression(type_, scope, 0)
            if type_ is INT8:
                call = self.random.choice(("row_number()", "rank()", "dense_rank()", f"count({argument})"))
            elif type_ is BOOL:
                call = f"bool_or({argument})"
            else:
                call = self.random.choice(
                    (f"lag({argument})", f"lead({argument}, 2)", f"first_value({argument})", f"max({argument})")
                )
            targets.append(f"{call} OVER ({partition}ORDER BY {order})")
        del depth
        return f"SELECT {', '.join(targets)} FROM {from_clause}{where}"

    def from_clause(self, outer: tuple[Visible, ...], depth: int) -> tuple[str, tuple[Visible, ...]]:
        text, scope = self.from_item(outer, depth, lateral=False)
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            kind = self.random.choice(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN"))
            lateral = kind in ("JOIN", "LEFT JOIN", "CROSS JOIN")
            right, more = self.from_item((*scope, *outer), depth, lateral=lateral)
            if kind == "CROSS JOIN":
                text = f"{text} CROSS JOIN {right}"
            else:
                text = f"{text} {kind} {right} ON {self.join_condition(scope, more, equality=kind == 'FULL JOIN')}"
            scope = (*scope, *more)
        return text, scope

    def join_condition(self, left: tuple[Visible, ...], right: tuple[Visible, ...], *, equality: bool) -> str:
        pairs = [(a, b) for a in left for b in right if a.type is b.type]
        if not pairs:
            pairs = [(left[0], left[0])] if not equality else []
        if not pairs:
            return "false" if self.one_in(2) else "true"
        a, b = self.random.choice(pairs)
        operator = "=" if equality or not self.one_in(4) else self.random.choice(COMPARISONS)
        more = f" AND {self.expression(BOOL, (*left, *right), 0)}" if not equality and self.one_in(4) else ""
        return f"{a.text} {operator} {b.text}{more}"

    def from_item(self, around: tuple[Visible, ...], depth: int, *, lateral: bool) -> tuple[str, tuple[Visible, ...]]:
        alias = self.alias()
        if depth > 0 and self.one_in(4):
            is_lateral = lateral and self.one_in(2)
            inner, types = self.select(around if is_lateral else (), depth - 1)
            columns = ", ".join(f"c{i}" for i in range(len(types)))
            scope = tuple(Visible(f"{alias}.c{i}", type_) for i, type_ in enumerate(types))
            return f"{'LATERAL ' if is_lateral else ''}({inner}) AS {alias} ({columns})", scope
        table = self.random.choice(self.tables)
        return f"{table.name} AS {alias}", tuple(Visible(f"{alias}.{name}", type_) for name, type_ in table.columns)

    # Expressions

    def expression(self, type_: Type, scope: tuple[Visible, ...], depth: int) -> str:
        fitting = [column.text for column in scope if column.type is type_]
        choice = self.random.randrange(10)
        if fitting and choice < 4:
            return self.random.choice(fitting)
        if choice < 5 or depth < 0:
            return self.random.choice(fitting) if fitting and not self.one_in(4) else self.literal(type_)
        if depth > 0 and choice == 5:
            return self.subquery(type_, scope, depth)
        return self.call(type_, scope, depth - 1)

    def literal(self, type_: Type) -> str:
        if self.one_in(12):
            return f"null::{type_}"
        return f"'{self.random.choice(VALUES[type_])}'::{type_}"

    def subquery(self, type_: Type, scope: tuple[Visible, ...], depth: int) -> str:
        if type_ is not BOOL:
            if self.one_in(2):
                text, inner = self.from_clause(scope, 0)
                where = f" WHERE {self.expression(BOOL, (*inner, *scope), 0)}"
                return f"(SELECT {self.aggregate(type_, inner)} FROM {text}{where})"
            inner_query = self.select(scope, depth - 1, [type_])[0]
            return (
                f"({inner_query} LIMIT 1)"
                if self.one_in(40)
                else f"(SELECT min(z) FROM ({inner_query}) AS m (z))"
                if type_ is not BOOL
                else inner_query
            )
        kind = self.random.randrange(4)
        if kind == 0:
            return f"{self.random.choice(('', 'NOT '))}EXISTS ({self.select(scope, depth - 1)[0]})"
        other = self.random.choice(TYPES)
        left = self.expression(other, scope, 0)
        query = self.select(scope, depth - 1, [other])[0]
        if kind == 1:
            return f"{left} {self.random.choice(('', 'NOT '))}IN ({query})"
        return f"{left} {self.random.choice(COMPARISONS)} {self.random.choice(('ANY', 'ALL'))} ({query})"

    def call(self, type_: Type, scope: tuple[Visible, ...], depth: int) -> str:
        def some(of: Type) -> str:
            return self.expression(of, scope, depth)

        any_type = self.random.choice(TYPES)
        common = [
            f"CASE WHEN {some(BOOL)} THEN {some(type_)} ELSE {some(type_)} END",
            f"coalesce({some(type_)}, {some(type_)})",
            f"nullif({some(type_)}, {some(type_)})",
            f"greatest({some(type_)}, {some(type_)})",
        ]
        if type_ is BOOL:
            left, right = some(any_type), some(any_type)
            return self.random.choice(
                [
                    *common[:1],
                    f"({left} {self.random.choice(COMPARISONS)} {right})",
                    f"({some(BOOL)} AND {some(BOOL)})",
                    f"({some(BOOL)} OR {some(BOOL)})",
                    f"(NOT {some(BOOL)})",
                    f"({left} IS NULL)",
                    f"({left} IS NOT DISTINCT FROM {right})",
                    f"({left} BETWEEN {right} AND {some(any_type)})",
                    f"({left} IN ({right}, {self.literal(any_type)}))",
                    f"({some(TEXT)} LIKE '%b%')",
                    f"({some(BOOL)} IS NOT TRUE)",
                ]
            )
        if type_ in NUMBERS:
            operator = self.random.choice(("+", "-", "*", "/", "%"))
            cast = f"::{type_}" if type_ is NUMERIC else ""
            return self.random.choice(
                [
                    *common,
                    f"({some(type_)} {operator} {some(type_)}){cast}",
                    f"abs({some(type_)}){cast}",
                    f"(- {some(type_)}){cast}",
                ]
            )
        if type_ is FLOAT8:
            return self.random.choice([*common, f"({some(FLOAT8)} + {some(FLOAT8)})", f"({some(INT4)}::float8)"])
        if type_ is TEXT:
            return self.random.choice(
                [
                    *common,
                    f"({some(TEXT)} || {some(TEXT)})",
                    f"upper({some(TEXT)})",
                    f"({some(INT4)}::text)",
                    f"substr({some(TEXT)}, 2)",
                ]
            )
        if type_ is DATE:
            return self.random.choice([*common, f"({some(DATE)} + 7)", f"({some(TIMESTAMP)}::date)"])
        return self.random.choice([*common, f"({some(DATE)}::timestamp)", f"date_trunc('month', {some(TIMESTAMP)})"])
