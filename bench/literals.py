"""INSERTs of literals, with the same statements by way of the grammar and a plan: what they take of the processor.

In a transaction that is rolled back, so that it is the statements alone; each has a text that nobody has seen before.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time

from bench.measure import bar
from holdfast.adapter.session.session import Session
from tests.adapter.asking import ask, database, rows

ROUNDS = 7
STATEMENTS = {1: 100, 100: 10, 1000: 2}
"""How many of each number of rows make a round."""
PLANNED = " --"
"""A comment, which only the grammar reads."""
TABLES = {"ints": "a int, b int, c int", "mixed": "a bigint NOT NULL, b varchar(40), c numeric(12, 2)"}


def text(table: str, count: int, chance: random.Random) -> str:
    def row() -> str:
        if table == "ints":
            return f"({chance.randrange(10**6)}, {chance.randrange(10**6)}, {-chance.randrange(10**6)})"
        return f"({chance.randrange(10**6)}, 'name {chance.randrange(10**6)}', {chance.randrange(10**8) / 100})"

    return f"INSERT INTO {table} VALUES {', '.join(row() for _ in range(count))}"


async def cpu_us(session: Session, texts: list[str]) -> float:
    """Microseconds of all threads for one of the statements."""
    await ask(session, "BEGIN")
    before = time.process_time()
    for each in texts:
        await ask(session, each)
    spent = time.process_time() - before
    await ask(session, "ROLLBACK")
    return spent / len(texts) * 1e6


async def same(session: Session, table: str, chance: random.Random) -> None:
    """Both ways insert the same rows."""
    one = text(table, 50, chance)
    for each in (one, one + PLANNED):
        await ask(session, each)
    copies = await rows(session, f"SELECT count(*) FROM {table} GROUP BY a, b, c")
    assert len(copies) == 50
    assert set(copies) == {("2",)}


async def main() -> None:
    chance = random.Random(1)
    async with database() as opened:
        session = await opened.connect("materialize", "materialize")
        for table, columns in TABLES.items():
            await ask(session, f"CREATE TABLE {table} ({columns})")
            await same(session, table, chance)
            for count, statements in STATEMENTS.items():
                quick: list[float] = []
                planned: list[float] = []
                for _ in range(ROUNDS):
                    quick.append(await cpu_us(session, [text(table, count, chance) for _ in range(statements)]))
                    others = [text(table, count, chance) + PLANNED for _ in range(statements)]
                    planned.append(await cpu_us(session, others))
                ours, theirs = statistics.median(quick), statistics.median(planned)
                print(f"{table}, {count} rows: {ours:.0f} us, planned {theirs:.0f} us")
                bar(f"{table}, {count} rows: literals / planned", ours / theirs, 0.25, at_least=False)


if __name__ == "__main__":
    asyncio.run(main())
