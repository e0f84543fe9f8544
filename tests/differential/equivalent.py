"""Pairs of random queries that have the same rows, whatever the tables hold."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.plan.types import BOOL
from tests.differential.generate import Generator

Pair = tuple[str, str]


@dataclass(slots=True)
class Equivalents:
    generator: Generator

    def partitioned(self) -> Pair:
        """All rows, and those for which a condition is true, false, or null."""
        make = self.generator
        source, scope = make.from_clause((), 1)
        targets = ", ".join(make.expression(type_, scope, 1) for type_ in make.some_types())
        condition = make.expression(BOOL, scope, 2)
        query = f"SELECT {targets} FROM {source}"
        parts = (f"{query} WHERE {test}" for test in (condition, f"NOT ({condition})", f"({condition}) IS NULL"))
        return query, " UNION ALL ".join(parts)

    def counted(self) -> Pair:
        """The rows that a condition lets through, counted as rows and as values."""
        make = self.generator
        source, scope = make.from_clause((), 1)
        condition = make.expression(BOOL, scope, 2)
        return (
            f"SELECT count(*) FROM {source} WHERE {condition}",
            f"SELECT coalesce(sum(CASE WHEN {condition} THEN 1 ELSE 0 END), 0) FROM {source}",
        )

    def in_and_exists(self) -> Pair:
        make = self.generator
        source, scope = make.from_clause((), 1)
        column = make.random.choice(scope)
        inner = make.select(scope, 1, [column.type])[0]
        query = f"SELECT {column.text} FROM {source}"
        return (
            f"{query} WHERE {column.text} IN ({inner})",
            f"{query} WHERE EXISTS (SELECT FROM ({inner}) AS i (x) WHERE i.x = {column.text})",
        )

    def not_exists_and_left_join(self) -> Pair:
        make = self.generator
        left, scope = make.from_item((), 1, lateral=False)
        right, types = make.select((), 1)
        columns, more = make.columns("r", types)
        condition = make.join_condition(scope, more, (), 1, full=False)
        column = make.random.choice(scope).text
        return (
            f"SELECT {column} FROM {left} WHERE NOT EXISTS (SELECT FROM ({right}) AS r ({columns}) WHERE {condition})",
            f"SELECT {column} FROM {left} LEFT JOIN (SELECT *, true FROM ({right}) AS s) AS r ({columns}, mark)"
            f" ON {condition} WHERE r.mark IS NULL",
        )

    def distinct_and_groups(self) -> Pair:
        query, types = self.generator.select((), 2)
        columns, _ = self.generator.columns("r", types)
        source = f"FROM ({query}) AS r ({columns})"
        return f"SELECT DISTINCT * {source}", f"SELECT {columns} {source} GROUP BY {columns}"

    def union_and_distinct(self) -> Pair:
        make = self.generator
        types = make.some_types()
        left, right = make.operand((), 1, types), make.operand((), 1, types)
        return f"{left} UNION {right}", f"SELECT DISTINCT * FROM ({left} UNION ALL {right}) AS r"

    def except_and_anti_join(self) -> Pair:
        make = self.generator
        types = make.some_types()
        left, right = make.operand((), 1, types), make.operand((), 1, types)
        columns, _ = make.columns("l", types)
        same = " AND ".join(f"l.c{i} IS NOT DISTINCT FROM r.c{i}" for i in range(len(types)))
        return (
            f"{left} EXCEPT {right}",
            f"SELECT DISTINCT * FROM ({left}) AS l ({columns})"
            f" WHERE NOT EXISTS (SELECT FROM ({right}) AS r ({columns}) WHERE {same})",
        )

    def correlated_count_and_groups(self) -> Pair:
        make = self.generator
        left, scope = make.from_item((), 1, lateral=False)
        column = make.random.choice(scope)
        inner = make.select((), 1, [column.type])[0]
        return (
            f"SELECT {column.text}, (SELECT count(*) FROM ({inner}) AS i (x) WHERE i.x = {column.text}) FROM {left}",
            f"SELECT {column.text}, coalesce(g.n, 0) FROM {left}"
            f" LEFT JOIN (SELECT x, count(*) FROM ({inner}) AS i (x) GROUP BY x) AS g (x, n) ON g.x = {column.text}",
        )
