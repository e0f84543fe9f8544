"""Whoever reads while others write, threads put in what was written, and what is gone is left out, reads what was."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from holdfast.adapter.ledger import LedgerSettings
from holdfast.adapter.tables import by_key, contents
from holdfast.adapter.tables import kept as kept_module
from tests.adapter.books import Book, Row, book, quiet

ROUNDS = 40


class Observer:
    """Writes and reads at random, and remembers both."""

    def __init__(self, opened: Book, seed: int) -> None:
        self._opened, self._random = opened, random.Random(seed)
        self.written: list[tuple[int, list[Row], list[Row]]] = []
        self.reads: list[tuple[int, int | None, Counter[Row]]] = []
        self._numbers = iter(range(10**9))

    async def insert(self) -> None:
        for _ in range(ROUNDS):
            rows: list[Row] = [(next(self._numbers) % 40, "new") for _ in range(self._random.randint(1, 6))]
            self.written.append((await self._opened.insert("t", *rows), rows, []))
            if self._random.random() < 0.2:
                await self._opened.let_pass(self._random.randint(1, 3_000))

    async def change(self) -> None:
        for _ in range(ROUNDS):
            async with self._opened.ledger.exclusive() as right:
                there = sorted((await self._opened.rows("t", right.as_of)).elements(), key=str)
                gone = self._random.sample(there, min(len(there), self._random.randint(0, 5)))
                come: list[Row] = [(row[0], "changed") for row in gone if self._random.random() < 0.7]
                if gone:
                    self.written.append((await right.commit(self._opened.change("t", come, gone)), come, gone))

    async def read(self) -> None:
        for _ in range(ROUNDS):
            as_of = self._opened.ledger.read_ts - self._random.choice([0, 0, 1, 2, 1_000])
            as_of = max(as_of, self._opened.ledger.tables.frontiers(self._opened.id("t"))[0].time or 0)
            await asyncio.sleep(0)
            if self._random.random() < 0.5:
                self.reads.append((as_of, None, await self._opened.rows("t", as_of)))
                continue
            number = self._random.randrange(40)
            found = await self._opened.lookup("t", {0: number}, as_of)
            if found is not None:
                self.reads.append((as_of, number, found))

    def expected(self, as_of: int, number: int | None) -> Counter[Row]:
        found: Counter[Row] = Counter()
        for time, added, removed in self.written:
            if time <= as_of:
                found.update(added)
                found.subtract(removed)
        return Counter({row: count for row, count in (+found).items() if number is None or row[0] == number})


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("settings", [quiet(), quiet(retain_ms=5_000), quiet(memory_bytes=30_000, recent_bytes=0)])
async def test_every_read_is_of_what_was_written_by_its_time(
    monkeypatch: pytest.MonkeyPatch, settings: LedgerSettings, seed: int
) -> None:
    for module, limits in {
        kept_module: {"_AT_ONCE": 3, "_FEW_ROWS": 10, "_FEW_TO_INDEX": 10, "_MANY_REMOVED": 4, "_MANY_WAITING": 5},
        by_key: {"_LATE": 8, "_FAN": 3},
        contents: {"SEGMENT_ROWS": 16, "_FAN": 4, "_MANY_GONE": 5, "_MANY_NEW": 4},
    }.items():
        for name, value in limits.items():
            monkeypatch.setattr(module, name, value)
    async with book(settings=settings) as opened:
        await opened.run("CREATE TABLE t (n int8, name text)")
        observer = Observer(opened, seed)
        readers = (observer.read() for _ in range(6))
        await asyncio.gather(observer.insert(), observer.insert(), observer.change(), *readers)
    assert len(observer.reads) > 50
    for as_of, number, found in observer.reads:
        assert found == observer.expected(as_of, number)
