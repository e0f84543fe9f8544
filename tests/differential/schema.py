"""The tables that random queries read: every common type, with nulls, duplicates, and extremes."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from holdfast.plan.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT4RANGE,
    INT8,
    INTERVAL,
    JSONB,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    Type,
    array_of,
    numeric,
)

NUMERIC = numeric(10, 2, declared=True)
INTS, TEXTS = array_of(INT4), array_of(TEXT)

VALUES: dict[Type, tuple[str, ...]] = {
    INT2: ("0", "1", "-1", "7", "100", "32767", "-32768"),
    INT4: ("0", "1", "-1", "2", "3", "5", "7", "100", "-42", "2147483647", "-2147483648"),
    INT8: ("0", "1", "-1", "2", "3", "10", "9223372036854775807", "-9223372036854775808", "4000000000"),
    NUMERIC: ("0", "1.00", "-1.50", "2.25", "3.10", "99999999.99", "-0.01", "10.00"),
    FLOAT4: ("0", "1.5", "-2.5", "0.25", "NaN", "Infinity", "-Infinity"),
    FLOAT8: ("0", "-0", "1.5", "-2.5", "0.1", "1e10", "NaN", "Infinity", "-Infinity", "3"),
    TEXT: ("", "a", "b", "abc", "Abc", "a%b", "_", "héllo", "😀", "  x ", "zz"),
    BOOL: ("true", "false"),
    DATE: ("1970-01-01", "2000-02-29", "2020-01-31", "2024-12-31", "1999-01-08", "infinity", "-infinity", "0044-03-15"),
    TIME: ("00:00:00", "12:34:56.789", "23:59:59.999999"),
    TIMESTAMP: (
        "1970-01-01 00:00:00",
        "2000-02-29 12:34:56.789",
        "2024-12-31 23:59:59.999999",
        "infinity",
        "1900-01-01 00:00:00",
    ),
    TIMESTAMPTZ: (
        "1970-01-01 00:00:00+00",
        "2024-03-10 07:30:00+00",
        "2024-10-27 00:30:00.5+00",
        "-infinity",
        "1883-11-18 12:00:00+00",
    ),
    # Whose order field by field is that of PostgreSQL, which takes a month for 30 days and a day for 24 hours.
    INTERVAL: ("0", "1 day", "01:00:00", "2 days 00:30:00", "-1 day", "00:00:00.5"),
    UUID: (
        "00000000-0000-0000-0000-000000000000",
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ),
    BYTEA: ("\\x", "\\x61", "\\x00ff", "\\xdeadbeef"),
    JSONB: (
        "null",
        "1",
        '{"a": 1}',
        "[1, 2, null]",
        '"a"',
        "[]",
        "{}",
        '{"a": {"b": [true, "x"]}, "s": "é"}',
        "-0.5",
        "false",
    ),
    INTS: ("{}", "{1,2,3}", "{NULL,1}", "{3}", "{7,7}"),
    TEXTS: ("{}", "{a,b}", "{NULL}", '{"",a%b}', "{zz}"),
    INT4RANGE: ("empty", "[1,5)", "[2,)", "(,3)", "[5,6)"),
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
    """Tables that have columns to join by; some are perhaps empty."""
    shapes: tuple[tuple[str, tuple[tuple[str, Type], ...]], ...] = (
        ("t1", (("a", INT4), ("b", INT8), ("c", NUMERIC), ("s", TEXT), ("f", BOOL))),
        ("t2", (("a", INT4), ("d", FLOAT8), ("s", TEXT), ("g", DATE))),
        ("t3", (("k", INT4), ("c", NUMERIC), ("h", TIMESTAMP), ("f", BOOL), ("r", FLOAT4))),
        ("t4", (("k", INT4), ("j", JSONB), ("z", TIMESTAMPTZ), ("v", INTERVAL), ("u", UUID))),
        ("t5", (("a", INT8), ("y", BYTEA), ("e", INTS), ("w", TEXTS), ("i", INT2), ("m", TIME), ("p", INT4RANGE))),
    )
    return tuple(
        Table(name, columns, tuple(_row(random, columns) for _ in range(random.choice((0, 3, 6, 9)))))
        for name, columns in shapes
    )


def _row(random: Random, columns: tuple[tuple[str, Type], ...]) -> tuple[str | None, ...]:
    return tuple(
        None if random.random() < 0.15 else random.choice(VALUES[type_][: random.choice((3, 5, 11))])
        for _, type_ in columns
    )
