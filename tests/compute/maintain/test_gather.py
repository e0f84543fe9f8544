"""What one step takes, and what it is told as."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapter.tables.commit import commits_of
from holdfast.compute.maintain import gather as module
from holdfast.compute.maintain.gather import gather
from holdfast.plan.row_types import row_type_of
from holdfast.plan.types import INT8
from holdfast.repr.consolidate import consolidate
from holdfast.repr.cut import times_of
from holdfast.repr.row import DIFF
from holdfast.repr.update import UpdateBatch
from tests.adapter.books import book, quiet

ROWS = row_type_of([INT8])

updates = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4), st.integers(-3, 3)), max_size=12)


def batch(some: list[tuple[int, int, int]]) -> UpdateBatch:
    return UpdateBatch.from_rows(ROWS, [(row,) for row, _, _ in some], [t for _, t, _ in some], [d for _, _, d in some])


def summed(found: UpdateBatch) -> dict[tuple[int, int], int]:
    rows = zip(*(column.to_pylist() for column in consolidate(found).table.columns), strict=True)
    return {(row, time): diff for row, time, diff in rows}


@given(updates)
def test_commits_say_what_the_updates_say_one_row_at_a_time(some: list[tuple[int, int, int]]) -> None:
    found = commits_of(batch(some))
    assert [commit.time for commit in found] == times_of([batch(some)])
    for commit in found:
        diffs = commit.updates.table[DIFF].to_pylist()
        assert diffs == [1] * commit.inserts + [-1] * (len(diffs) - commit.inserts)
    assert summed(UpdateBatch.concat(ROWS, [commit.updates for commit in found])) == summed(batch(some))


@pytest.mark.parametrize("recent_bytes", [0, 2**20])
async def test_a_step_takes_all_of_a_time_or_nothing(recent_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STEP_ROWS", 3)
    async with book(settings=quiet(recent_bytes=recent_bytes)) as opened:
        for name in ("t", "u"):
            await opened.run(f"CREATE TABLE {name} (n int8)")
        start = opened.ledger.read_ts
        inputs = {str(opened.id(name)): ROWS for name in ("t", "u")}
        with opened.ledger.tables.hold([opened.id("t"), opened.id("u")], start):
            times = []
            for n in range(4):
                together = opened.change("t", [(n,), (n,)]) | opened.change("u", [(n,)])
                times.append(await opened.ledger.write(together))
            end, tables = opened.ledger.read_ts, opened.ledger.tables
            first = await gather(tables, inputs, start, start, end)
            assert times[0] <= first.end < times[1]
            assert summed(first.changes[str(opened.id("t"))]) == {(0, times[0]): 2}
            more = await gather(tables, inputs, start, times[1], end)
            assert times_of(more.changes.values()) == times[:3]
            last = await gather(tables, inputs, times[2], times[2], end)
            assert (last.end, times_of(last.changes.values())) == (end, times[3:])
