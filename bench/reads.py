"""What steps read: the rows that lookups find for a hundred changes, over the rows of the groups that they touch.

A table of a million rows in groups of ten, and one of half as many, in groups of five. Half of the changes take rows
away: the least of their groups.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from bench.measure import bar, report
from holdfast.compute.arrange import Arranged
from holdfast.compute.delta import Program, Step, from_scratch, step
from holdfast.plan.row_types import row_type_of
from holdfast.plan.types import INT4, INT8, TEXT, Type
from holdfast.repr.consolidate import as_of
from holdfast.repr.frontier import Timestamp
from holdfast.repr.update import UpdateBatch
from tests.compute.delta.lives import meaning
from tests.compute.delta.queries import program_of
from tests.differential.ask import Tables
from tests.differential.schema import Table

ROWS = 1_000_000
CHANGED = 100
REPEATS = 10
WARMUPS = 2
MEMBERS = {"t": 10, "u": 5}
"""How many rows a group has."""

SHAPES: Mapping[str, tuple[tuple[str, Type], ...]] = {
    "t": (("id", INT8), ("k", INT4), ("v", INT8), ("s", TEXT)),
    "u": (("id", INT8), ("k", INT4), ("w", INT8)),
}
TEXTS = pa.array(["new", "paid", "sent", "done", "lost"])
QUERIES = {
    "outer join": "SELECT t.id, t.v, u.w FROM t LEFT JOIN u ON t.k = u.k",
    "window": "SELECT id, row_number() OVER (PARTITION BY k ORDER BY v, id), sum(v) OVER (PARTITION BY k) FROM t",
    "top-k": "SELECT k, l.v FROM (SELECT DISTINCT k FROM t) g, "
    "LATERAL (SELECT v FROM t WHERE t.k = g.k ORDER BY v LIMIT 3) l",
    "count distinct": "SELECT k, count(DISTINCT s) FROM t GROUP BY k",
    "EXISTS": "SELECT id FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k AND u.w < t.v)",
    "MIN": "SELECT k, min(v) FROM t GROUP BY k",
}


@dataclass(slots=True)
class Counted:
    """An arrangement that counts the updates found in it."""

    arranged: Arranged
    found: int = 0

    @property
    def rows(self) -> int:
        return self.arranged.rows

    def lookup(
        self, columns: tuple[int, ...], keys: Sequence[pa.Array | pa.ChunkedArray], before: Timestamp
    ) -> UpdateBatch:
        return self._counted(self.arranged.lookup(columns, keys, before))

    def all(self, before: Timestamp) -> UpdateBatch:
        return self._counted(self.arranged.all(before))

    def due(self, column: int, until: int, before: Timestamp) -> UpdateBatch:
        return self._counted(self.arranged.due(column, until, before))

    def earliest(self, column: int, before: Timestamp) -> int | None:
        return self.arranged.earliest(column, before)

    def _counted(self, found: UpdateBatch) -> UpdateBatch:
        self.found += found.rows
        return found


class Filled:
    """A table: the row at place p is in group p % groups, and the first of each group is its least."""

    def __init__(self, name: str, groups: int) -> None:
        self._row_type, self._groups = row_type_of([type_ for _, type_ in SHAPES[name]]), groups
        self._next = groups * MEMBERS[name]
        places = np.arange(self._next)
        self.every = self.updates(places, np.ones_like(places), 0)
        self.counted = Counted(Arranged(self._row_type))
        self.counted.arranged.append(self.every)

    def updates(self, places: npt.NDArray[np.int64], diffs: npt.NDArray[np.int64], at: int) -> UpdateBatch:
        values = 100 * (places // self._groups % 10) + places * 31 % 97
        texts = TEXTS.take(pa.array(places * 7 % len(TEXTS)))
        columns = [places, places % self._groups, values, texts][: len(self._row_type.names)]
        times = np.full(len(places), at)
        schema = self._row_type.updates_schema
        arrays = [pa.array(column, type_) for column, type_ in zip([*columns, times, diffs], schema.types, strict=True)]
        return UpdateBatch(self._row_type, pa.table(arrays, schema=schema))

    def changes(self, groups: npt.NDArray[np.int64], at: int) -> UpdateBatch:
        """Half of the groups lose their first row, the others get one."""
        half = len(groups) // 2
        places = np.concatenate([groups[:half], self._next + groups[half:]])
        self._next += self._groups
        return self.updates(places, np.repeat([-1, 1], [half, len(groups) - half]), at)

    def keep(self, changes: UpdateBatch) -> None:
        self.every = UpdateBatch.concat(self._row_type, [self.every, changes])
        self.counted.arranged.append(changes)

    def rows(self, groups: pa.Array, at: int) -> pa.Table:
        """Those of some groups, found without the arrangement."""
        chosen = self.every.table.filter(pc.is_in(self.every.table["c1"], groups))
        there = as_of(UpdateBatch(self._row_type, chosen), Timestamp(at)).table
        assert pc.all(pc.equal(there["_diff"], 1)).as_py()
        return there.select(self._row_type.names)


def states_of(program: Program, tables: Mapping[str, Filled]) -> dict[str, Counted]:
    """What the view keeps beside the tables, where it does."""
    if not program.states:
        return {}
    rows = {name: table.every.table.select(table.every.row_type.names) for name, table in tables.items()}
    made = from_scratch(program, rows, Timestamp(0)).states
    states = {name: Counted(Arranged(updates.row_type)) for name, updates in made.items()}
    for name, counted in states.items():
        counted.arranged.append(made[name])
    return states


def verify(program: Program, made: Step, before: Mapping[str, pa.Table], after: Mapping[str, pa.Table]) -> None:
    """The updates of a step are the difference of the view from scratch: groups have nothing to do with each other."""
    wanted: Counter[object] = Counter()
    for rows, sign in ((after, 1), (before, -1)):
        for row, count in meaning(from_scratch(program, rows, Timestamp(0)).output, program.columns).items():
            wanted[row] += sign * count
    assert meaning(made.output, program.columns) == {row: count for row, count in wanted.items() if count}
    assert wanted, "nothing has changed"


def measured(query: str, groups: int) -> tuple[list[float], int, int]:
    """The seconds of each step, how many rows all of them found, and how many the groups had that they touched."""
    program = program_of(query, Tables([Table(name, columns, ()) for name, columns in SHAPES.items()]))
    tables = {name: Filled(name, groups) for name in program.inputs}
    states = states_of(program, tables)
    chosen = np.random.default_rng(1).permutation(groups)
    seconds, found, touched = list[float](), 0, 0
    for number in range(WARMUPS + REPEATS):
        at = number + 1
        some = chosen[number * CHANGED : (number + 1) * CHANGED]
        parts = np.split(some, len(tables))
        changes = {name: tables[name].changes(part, at) for name, part in zip(tables, parts, strict=True)}
        keys = pa.array(some, pa.int32())
        before = {name: table.rows(keys, at - 1) for name, table in tables.items()}
        arranged = {name: table.counted for name, table in tables.items()} | states
        for counted in arranged.values():
            counted.found = 0
        begun = time.perf_counter()
        made = step(program, changes, arranged, Timestamp(at), Timestamp(at + 1))
        took = time.perf_counter() - begun
        for name, table in tables.items():
            table.keep(changes[name])
        verify(program, made, before, {name: table.rows(keys, at) for name, table in tables.items()})
        for name, updates in made.states.items():
            states[name].arranged.append(updates)
        if number >= WARMUPS:
            seconds.append(took)
            found += sum(counted.found for counted in arranged.values())
            touched += sum(rows.num_rows for rows in before.values())
    return seconds, found, touched


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    groups = rows // MEMBERS["t"]
    assert groups >= (WARMUPS + REPEATS) * CHANGED, "each group is touched once"
    for name, query in QUERIES.items():
        seconds, found, touched = measured(query, groups)
        report({f"{name}: a step of {CHANGED} changes": seconds}, "ms")
        per_change = found / (REPEATS * CHANGED)
        bar(f"{name}: {per_change:.1f} rows read per change / touched", found / touched, 2, at_least=False)


if __name__ == "__main__":
    main()
