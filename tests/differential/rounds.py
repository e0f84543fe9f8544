"""Rounds of random queries: the same tables for some of them, everything from a seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from random import Random

from tests.differential.ask import Tables
from tests.differential.generate import Generator, Query
from tests.differential.schema import Table, tables

TOGETHER = 20
"""How many queries in a row have the same tables."""


@dataclass(frozen=True, slots=True)
class Round:
    tables: tuple[Table, ...]
    catalog: Tables
    seeds: tuple[int, ...]

    def generator(self, seed: int) -> Generator:
        return Generator(Random(seed), self.tables)

    def queries(self) -> Iterator[tuple[int, Query]]:
        for seed in self.seeds:
            yield seed, self.generator(seed).query()

    def report(self, seed: int, query: str, difference: str) -> str:
        """All that is needed to see it again."""
        made = [text for table in self.tables for text in (table.create, table.insert) if text]
        return "\n".join((f"seed {seed}: {difference}", *(f"{text};" for text in made), f"{query};"))


def rounds(seeds: Iterable[int]) -> Iterator[Round]:
    """The tables of a query depend on its seed alone, not on the others."""
    for first, together in groupby(seeds, key=lambda seed: seed - seed % TOGETHER):
        made = tables(Random(first))
        yield Round(made, Tables(made), tuple(together))
