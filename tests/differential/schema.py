"""The tables that random queries read: every common type, with nulls, duplicates, and extremes."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from holdfast.plan.types import BOOL, DATE, FLOAT8, INT4, INT8, TEXT, TIMESTAMP, Type, numeric

NUMERIC = numeric(10, 2, declared=True)

VALUES: dict[Type, tuple[str, ...]] = {
    INT4: ("0", "1", "-1", "2", "3", "5", "7", "100", "-42", "2147483647", "-2147483648"),
    INT8: ("0", "1", "-1", "2", "3", "10", "9223372036854775807", "-9223372036854775808", "4000000000"),
    NUMERIC: ("0", "1.00", "-1.50", "2.25", "3.10", "99999999.99", "-0.01", "10.00"),
    FLOAT8: ("0", "-0", "1.5", "-2.5", "0.1", "1e10", "NaN", "Infinity", "-Infinity", "3"),
    TEXT: ("", "a", "b", "abc", "Abc", "a%b", "_", "héllo", "😀", "  x ", "zz"),
    BOOL: ("true", "false"),
    DATE: ("1970-01-01", "2000-02-29", "2020-01-31", "2024-12-31", "1999-01-08"),
    TIMESTAMP: ("1970-01-01 00:00:00", "2000-02-29 12:34:56.789", "2024-12-31 23:59:59.999999"),
}
"""Texts of values, by type."""


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[tuple[str, Type], ...]
    rows: tuple[tuple[str | None, ...], ...]

    @property
    def create(self) -> str:
        columns = ", ".join(f"{name} {type_}" for name, type_ in self.columns)
        return f"CREATE TABLE {self.name} ({columns})"

    @property
    def insert(self) -> str | None:
        if not self.rows:
            return None
        types = [type_ for _, type_ in self.columns]
        rows = (", ".join(_literal(v, t) for v, t in zip(row, types, strict=True)) for row in self.rows)
        return f"INSERT INTO {self.name} VALUES {', '.join(f'({row})' for row in rows)}"


def _literal(text: str | None, type_: Type) -> str:
    return "null" if text is None else f"'{text}'::{type_}"


def tables(random: Random) -> tuple[Table, ...]:
    """Three tables that have columns to join by, one of them perhaps empty."""
    shapes = (
        ("t1", (("a", INT4), ("b", INT8), ("c", NUMERIC), ("s", TEXT), ("f", BOOL))),
        ("t2", (("a", INT4), ("d", FLOAT8), ("s", TEXT), ("g", DATE))),
        ("t3", (("k", INT4), ("c", NUMERIC), ("h", TIMESTAMP), ("f", BOOL))),
    )
    return tuple(
        Table(name, columns, tuple(_row(random, columns) for _ in range(random.choice((0, 3, 8, 14)))))
        for name, columns in shapes
    )


def _row(random: Random, columns: tuple[tuple[str, Type], ...]) -> tuple[str | None, ...]:
    return tuple(
        None if random.random() < 0.15 else random.choice(VALUES[type_][: random.choice((3, 5, 11))])
        for _, type_ in columns
    )
