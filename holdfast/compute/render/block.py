"""A block: one SELECT in the making.

Operators that follow each other go into one SELECT as long as SQL allows it: Spark analyses flat texts faster, and
people read them better. What a SELECT cannot take any more goes into one around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from textwrap import indent
from typing import Literal, TypeAlias

from holdfast.compute.render.calls import Needs
from holdfast.compute.render.scalars import argument_text, calls_python, is_volatile, scalar_text, size_of
from holdfast.plan.relation import Columns
from holdfast.plan.scalar import Column, Constant, Parameter, Scalar, columns_of, transform

Kind: TypeAlias = Literal["plain", "viewed", "grouped", "sealed"]

_SMALL = 12
"""Nodes of an expression that may be written again where it is used, rather than named in a SELECT of its own."""


@dataclass(frozen=True, slots=True)
class Block:
    """`columns` and `predicates` are expressions over the columns of `source`, whose texts are `names`.

    - "plain": FROM has tables and joins, or nothing if `source` is empty. Predicates go into WHERE.
    - "viewed": as before, but FROM ends with lateral views, and can be joined with nothing.
    - "grouped": `names` are keys and aggregates, `tail` has GROUP BY. Predicates go into HAVING.
    - "sealed": columns can be chosen, nothing else. It may have groups as well.

    `whole` is a query that has exactly the columns of the block, while nothing was added to it.
    """

    source: str
    names: tuple[str, ...]
    columns: tuple[Scalar, ...]
    predicates: tuple[Scalar, ...] = ()
    kind: Kind = "plain"
    where: str = ""
    tail: str = ""
    grouped: bool = False
    whole: str | None = None

    @property
    def is_bare(self) -> bool:
        """Whether the columns are those of the source as they are."""
        return all(isinstance(column, Column) for column in self.columns)


class Writer:
    """Writes blocks as text, and counts the names in it."""

    def __init__(self, needs: Needs) -> None:
        self.needs = needs
        self._numbers = count()

    def alias(self) -> str:
        return f"t{next(self._numbers)}"

    def text(self, block: Block) -> str:
        """The query. Its columns are named c0, c1..."""
        if block.whole is not None:
            return block.whole
        shown = [f"{scalar_text(c, block.names, self.needs)} AS c{i}" for i, c in enumerate(block.columns)]
        # A SELECT has at least one column. Nobody asks for this one.
        lines = [f"SELECT {', '.join(shown) or '0 AS c'}"]
        if block.source:
            lines.append(f"FROM {block.source}")
        predicates = self.conjunction(block.predicates, block.names)
        if block.grouped:
            if not (block.tail or predicates or any(columns_of(column) for column in block.columns)):
                # With no aggregate to be seen it is one nevertheless: one row, whatever there is.
                predicates = "count(*) >= 0"
            lines += [block.where, block.tail, f"HAVING {predicates}" if predicates else ""]
        else:
            lines += [f"WHERE {predicates}" if predicates else block.where, block.tail]
        return "\n".join(line for line in lines if line)

    def conjunction(self, predicates: Sequence[Scalar], names: Sequence[str]) -> str:
        if len(predicates) == 1:
            return scalar_text(predicates[0], names, self.needs)
        return " AND ".join(argument_text(predicate, names, self.needs) for predicate in predicates)

    def named(self, query: str, columns: Columns) -> Block:
        """A query with columns c0, c1... as something to select from."""
        alias = self.alias()
        return replace(over(f"(\n{indent(query, '  ')}\n) AS {alias}", alias, columns), whole=query)

    def wrapped(self, block: Block, columns: Columns) -> Block:
        """The block as something to select from."""
        return replace(self.named(self.text(block), columns), whole=None)


def over(source: str, alias: str, columns: Columns) -> Block:
    """All columns of a source, whose columns are c0, c1..."""
    names = tuple(f"{alias}.c{index}" for index in range(len(columns)))
    return Block(source, names, tuple(Column(i, c.type, c.nullable) for i, c in enumerate(columns)))


def can_inline(scalars: Sequence[Scalar], columns: Sequence[Scalar]) -> bool:
    """Whether the expressions may have the columns they use written into them."""
    used: set[int] = set()
    for scalar in scalars:
        used |= columns_of(scalar)
    return all(_is_cheap(columns[index]) for index in used)


def inlined(scalar: Scalar, columns: Sequence[Scalar]) -> Scalar:
    """The expression over what its columns are made of."""

    def made(part: Scalar) -> Scalar:
        return columns[part.index] if isinstance(part, Column) else part

    return transform(scalar, made)


def shifted(by: int) -> Callable[[Scalar], Scalar]:
    def shift(part: Scalar) -> Scalar:
        return Column(part.index + by, part.type, part.nullable) if isinstance(part, Column) else part

    return lambda scalar: transform(scalar, shift)


def _is_cheap(scalar: Scalar) -> bool:
    if isinstance(scalar, Column | Constant | Parameter):
        return True
    return size_of(scalar) <= _SMALL and not calls_python(scalar) and not is_volatile(scalar)
