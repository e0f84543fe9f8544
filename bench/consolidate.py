"""How fast updates are consolidated on one core, beside Arrow's own group-by of the same rows.

The bar is the mix marked so: at least 5 M rows/s, and at least 0.7 of the plain group-by's speed.
Run as `python -m bench.consolidate`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TypeVar

import numpy as np
import pyarrow as pa

from holdfast.repr.consolidate import consolidate
from holdfast.repr.row import DIFF, RowType
from holdfast.repr.update import UpdateBatch

T = TypeVar("T")

ROWS = 1_000_000
REPEATS = 7
COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Mix:
    """Updates drawn from so many different rows, with times drawn from so many."""

    name: str
    different: int
    times: int


MIXES = (
    Mix("many duplicates: 1 k rows", 1_000, 1),
    Mix("duplicates: 30 k rows at 4 times", 30_000, 4),
    Mix("bar: 250 k rows at 1 time", 250_000, 1),
    Mix("few duplicates: 1 M rows", 1_000_000, 1),
    Mix("hardly any: 100 M rows at 100 times", 100_000_000, 100),
)


def updates(mix: Mix) -> UpdateBatch:
    random = np.random.default_rng(mix.different)
    chosen = random.integers(0, mix.different, ROWS).astype(np.uint64)
    # An odd factor makes values that fill 64 bits and are different where the chosen are.
    columns = {f"c{index}": (chosen * np.uint64(2**63 - 25 - 2 * index)).view(np.int64) for index in range(COLUMNS)}
    times = 1_700_000_000_000 + random.integers(0, mix.times, ROWS)
    table = pa.table({**columns, "_time": times, "_diff": random.choice([1, -1], ROWS)})
    return UpdateBatch(RowType.of(*((name, pa.int64()) for name in columns)), table)


def plain(table: pa.Table) -> pa.Table:
    return table.group_by(table.column_names[:-1], use_threads=False).aggregate([(DIFF, "sum")])


def seconds(call: Callable[[T], object], argument: T) -> float:
    begin = perf_counter()
    call(argument)
    return perf_counter() - begin


def main() -> None:
    print(f"{ROWS:,} rows of {COLUMNS} int64 columns, _time and _diff; one core; medians of {REPEATS} interleaved runs")
    print(f"{'mix':<38}{'consolidate':>16}{'plain group-by':>16}{'ratio':>8}")
    for mix in MIXES:
        batch = updates(mix)
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(REPEATS):
            ours.append(seconds(consolidate, batch))
            theirs.append(seconds(plain, batch.table))
        rate, other = ROWS / median(ours), ROWS / median(theirs)
        print(f"{mix.name:<38}{rate / 1e6:>9.1f} M r/s{other / 1e6:>9.1f} M r/s{rate / other:>8.2f}")


if __name__ == "__main__":
    main()
