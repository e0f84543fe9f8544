"""Expressions about many rows: every aggregate over a few values, and every function that returns rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdfast.plan.functions.function import Aggregate, TableFunction
from tests.recorded.cases import FAMILIES, Signature, instances, quoted, written
from tests.recorded.edges import EDGES

VALUES = 5
"""How many edges of its first argument an aggregate has, besides a null and one of them again."""

CALLS = 8
"""How many calls of a function that returns rows."""


@dataclass(frozen=True, slots=True)
class Group:
    """Expressions of one overload. PostgreSQL has all of them, or none."""

    family: str
    expressions: tuple[str, ...]


def groups() -> Iterator[Group]:
    for family in FAMILIES:
        for aggregate in family.aggregates:
            for bases in instances(aggregate.arguments):
                if all(base in EDGES for base in bases):
                    yield Group(family.title, tuple(_of_aggregate(aggregate, bases)))
        for table in family.tables:
            for bases in instances(table.arguments):
                if all(base in EDGES for base in bases):
                    yield Group(family.title, tuple(_of_table(family.title, table, bases)))


def _of_aggregate(aggregate: Aggregate, bases: Sequence[str]) -> Iterator[str]:
    if aggregate.direct:
        yield from _of_ordered_set(aggregate, bases)
        return
    name, columns = aggregate.name, [f"c{place}" for place in range(len(bases))]
    arguments = ", ".join(columns) or "*"
    every, none = _values(bases), f"{_values(bases)} WHERE false"
    order = f" ORDER BY {columns[0]} DESC NULLS LAST" if columns and bases[0] != "jsonb" else ""
    if not aggregate.ordered:
        yield f"(SELECT {name}({arguments}) FROM {every})"
    yield f"(SELECT {name}({arguments}) FROM {none})"
    yield f"(SELECT {name}({arguments}) FILTER (WHERE n = 1) FROM {every})"
    if order:
        yield f"(SELECT {name}({arguments}{order}) FROM {every})"
    if len(columns) == 1 and order:
        yield f"(SELECT {name}(DISTINCT {arguments}{order}) FROM {every})"


def _of_ordered_set(aggregate: Aggregate, bases: Sequence[str]) -> Iterator[str]:
    ordered = bases[aggregate.direct :]
    columns = ", ".join(f"c{place}" for place in range(len(ordered)))
    for fraction in EDGES[bases[0]][:4] if aggregate.direct == 1 else ():
        direct = f"{quoted(fraction)}::{written(bases[0])}"
        yield f"(SELECT {aggregate.name}({direct}) WITHIN GROUP (ORDER BY {columns}) FROM {_values(ordered)})"


def _values(bases: Sequence[str]) -> str:
    """A table with a number `n`, and columns of the types in which a null is, and one value twice."""
    pools = [(*EDGES[base][:VALUES], None, EDGES[base][0]) for base in bases]
    count = max(map(len, pools), default=3)
    rows = []
    for number in range(count):
        texts = [pool[(number + shift) % len(pool)] for shift, pool in enumerate(pools)]
        shown = [
            f"{'null' if text is None else quoted(text)}::{written(base)}"
            for text, base in zip(texts, bases, strict=True)
        ]
        rows.append(f"({', '.join([str(number), *shown])})")
    names = ", ".join(["n", *(f"c{place}" for place in range(len(bases)))])
    return f"(VALUES {', '.join(rows)}) AS v ({names})"


def _of_table(family: str, function: TableFunction, bases: Sequence[str]) -> Iterator[str]:
    """The rows as an array of texts, in the order in which they come."""
    signature = Signature(family, function.name, tuple(bases), "function")
    rows = signature.rows()
    for row in rows[:: max(len(rows) // CALLS, 1)]:
        call = signature.call(signature.literals(row))
        yield f"(SELECT array_agg(r::text ORDER BY r.ordinality) FROM {call} WITH ORDINALITY AS r)"
