from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.persist import compact, encoding
from holdfast.persist import parts as parts_module
from holdfast.persist.batch import Slice
from holdfast.persist.blob.location import BlobLocation
from holdfast.persist.blob.memory import MemoryBlob
from holdfast.persist.cache import PartCache
from holdfast.persist.compact import FAN, MANY, SMALL_FAN, SMALLEST_TIER, MergeTask, choose, merge_in_process
from holdfast.persist.encoding import PartFormat, encode
from holdfast.persist.errors import CorruptPart, MergeMismatch
from holdfast.persist.metrics import PersistMetrics
from holdfast.persist.part import Part, Sums, total
from holdfast.persist.parts import Parts
from holdfast.persist.rest import Rest
from holdfast.persist.shard import ShardState
from holdfast.repr.consolidate import as_of
from holdfast.repr.frontier import EMPTY, MIN_TIME, Frontier, Timestamp
from holdfast.repr.row import DIFF, RowType
from holdfast.repr.update import UpdateBatch
from tests.build import at, batch, multiset
from tests.persist.paper import INTEGERS, Paper, shard


def accepted(result: object) -> ShardState:
    assert isinstance(result, ShardState)
    return result


def most_batches(state: ShardState) -> int:
    """What the tiers allow, for the updates there are."""
    largest = max((batch.rows for batch in state.batches), default=0)
    return SMALL_FAN - 1 + (FAN - 1) * compact._tier(largest)


@dataclass(slots=True)
class Disk:
    """A shard whose parts are files, in memory."""

    state: ShardState = field(default_factory=shard)
    rewritten: int = 0
    parts: Parts = field(init=False)

    def __post_init__(self) -> None:
        metrics = PersistMetrics()
        self.parts = Parts(BlobLocation("memory:"), MemoryBlob(), 1, PartCache(2**24, metrics), metrics)

    def written(self, updates: UpdateBatch) -> list[Part]:
        with self.parts.stage(self.state.id) as stage:
            return [self.parts.put(encoded) for encoded in encode(PartFormat.of(self.state), updates, stage)]

    def append(self, updates: UpdateBatch, upper: int, small_rows: int = encoding.SMALL_ROWS) -> None:
        """Append `updates`, in the order of their hashes unless they are fewer than `small_rows`."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(encoding, "SMALL_ROWS", small_rows)
            written = self.written(updates)
        assert all(part.is_sorted == (updates.rows >= small_rows) for part in written)
        self.state = accepted(self.state.compare_and_append(written, self.state.upper, Frontier(Timestamp(upper))))

    def compact(self) -> int:
        """Merge until nothing is worth it; returns how many merges that took."""
        merges = 0
        while task := choose(self.state):
            check_task(task)
            self.merge(task)
            merges += 1
            assert merges < 100, "compaction does not end"
        return merges

    def merge(self, task: MergeTask) -> None:
        with self.parts.stage(self.state.id) as stage:
            merged = merge_in_process(task, self.parts, stage, Rest())
        self.rewritten += sum(batch.rows for batch in task.inputs)
        self.state = accepted(self.state.apply_merge(merged))

    def at(self, time: int) -> UpdateBatch:
        state = self.state
        tables = [
            t for piece in state.snapshot(Timestamp(time)) for t in self.parts.read(state.id, piece, state.schemas)
        ]
        listed = [UpdateBatch(state.row_type, table) for table in tables]
        return as_of(UpdateBatch.concat(self.state.row_type, listed), Timestamp(time))

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.state.named_parts().values())


def check_task(task: MergeTask) -> None:
    """The inputs are neighbours, and merging them can do some good."""
    batches = task.state.batches
    start = batches.index(task.inputs[0])
    assert batches[start : start + len(task.inputs)] == task.inputs
    assert task.since == task.state.since
    assert len(task.inputs) > 1 or task.inputs[0].since != task.state.since


# Choosing, on paper


def layers(sizes: list[int], since: int = 0) -> ShardState:
    """A shard with batches of so many inserted rows each."""
    paper = Paper()
    state = shard()
    for size in sizes:
        part = replace(paper.part([(1, state.upper.time or 0, 1)]), rows=size)
        part = replace(part, sums=replace(part.sums, diffs=size))
        state = accepted(state.compare_and_append([part], state.upper, at((state.upper.time or 0) + 1)))
    return state.allow_compaction(at(since))


def chosen(state: ShardState) -> list[int]:
    task = choose(state)
    return [] if task is None else [batch.rows for batch in task.inputs]


def test_few_batches_are_left_alone() -> None:
    assert chosen(layers([])) == []
    assert chosen(layers([10] * (SMALL_FAN - 1))) == []


def test_many_of_one_size_are_merged() -> None:
    assert chosen(layers([10] * SMALL_FAN)) == [10] * SMALL_FAN
    assert chosen(layers([5000] * FAN)) == [5000] * FAN


def test_a_large_batch_is_not_rewritten_for_a_few_small_ones_after_it() -> None:
    assert chosen(layers([10**6] + [10] * (SMALL_FAN - 1))) == []
    assert chosen(layers([10**6] + [10] * SMALL_FAN)) == [10] * SMALL_FAN
    assert chosen(layers([10**6, *[5000] * 4, *[10] * 4])) == []


def test_small_batches_before_a_large_one_are_not_left_behind() -> None:
    sizes = [10, 5000] * FAN
    assert chosen(layers(sizes)) == sizes


def test_the_smallest_are_merged_first() -> None:
    assert chosen(layers([5000] * FAN + [10] * SMALL_FAN)) == [10] * SMALL_FAN


def test_a_shard_that_nobody_may_read_is_left_alone() -> None:
    assert choose(layers([10] * 20).allow_compaction(EMPTY)) is None


def test_needless_history_is_merged_away() -> None:
    paper = Paper()
    part = replace(paper.part([(1, 0, 1)]), rows=3000)
    state = accepted(shard().compare_and_append([part], at(0), at(5)))
    assert choose(state) is None
    task = choose(state.allow_compaction(at(4)))
    assert task is not None
    assert task.inputs == state.batches


def test_history_that_must_be_kept_is_not_counted_as_waste() -> None:
    paper = Paper()
    part = replace(paper.part([(1, 0, 1), (1, 3, -1)]), rows=3000)
    state = accepted(shard().compare_and_append([part], at(0), at(5)))
    assert choose(state.allow_compaction(at(3))) is None


def balanced(sizes: list[tuple[int, int]], since: int) -> ShardState:
    """A shard with batches of so many updates whose diffs come to so much."""
    state = layers([rows for rows, _ in sizes])
    batches = [
        replace(each, parts=tuple(replace(part, sums=replace(part.sums, diffs=diffs)) for part in each.parts))
        for each, (_, diffs) in zip(state.batches, sizes, strict=True)
    ]
    return replace(state, batches=tuple(batches)).allow_compaction(at(since))


def test_many_rows_that_came_and_went_are_merged_without_those_before() -> None:
    base, came, went = (10**7, 10**7), (MANY, MANY), (MANY, -MANY)
    assert chosen(balanced([base, came, went], 1)) == []  # the time before they went can be told
    assert chosen(balanced([base, came, went], 2)) == [MANY, MANY]
    assert chosen(balanced([base, came, came, went], 3)) == [MANY] * 3
    assert chosen(balanced([base, came, came, went, went], 4)) == [MANY] * 4
    assert chosen(balanced([base, came, went, came], 3)) == [MANY] * 3
    assert chosen(balanced([base, (MANY, 0)], 1)) == []
    assert chosen(balanced([base, (MANY // 3, MANY // 3), (MANY // 3, -MANY // 3)], 2)) == []


def test_what_was_merged_as_far_as_it_goes_is_not_merged_again() -> None:
    """Rows whose diffs cancel each other in sum, not one by one, cannot be made fewer."""
    disk = Disk()
    disk.append(batch(INTEGERS, [((n,), 0, 1 if n % 2 else -1) for n in range(4000)]), 1)
    disk.append(UpdateBatch.empty(INTEGERS), 2)
    disk.state = disk.state.allow_compaction(at(1))
    assert disk.compact() == 1
    disk.state = disk.state.allow_compaction(at(50))
    assert disk.compact() == 0


@settings(max_examples=150)
@given(st.lists(st.sampled_from([0, 1, 10, 1023, 1024, 9000, 70_000, 10**6]), max_size=60))
def test_choosing_and_merging_ends_with_few_batches(sizes: list[int]) -> None:
    assert_ends_with_few(sizes)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(max_examples=5000)
@given(st.lists(st.integers(0, 21).map(lambda power: 2**power), max_size=200))
def test_choosing_and_merging_ends_with_few_batches_for_long(sizes: list[int]) -> None:
    assert_ends_with_few(sizes)


def assert_ends_with_few(sizes: list[int]) -> None:
    state = layers([max(size, 1) for size in sizes])
    for _ in range(len(sizes) + 1):
        task = choose(state)
        if task is None:
            break
        check_task(task)
        state = joined(state, task)
    assert choose(state) is None
    assert len(state.batches) <= most_batches(state)
    assert sum(batch.rows for batch in state.batches) == sum(max(size, 1) for size in sizes)


def joined(state: ShardState, task: MergeTask) -> ShardState:
    """The state after a merge of rows that are all different."""
    start = state.batches.index(task.inputs[0])
    parts = task.inputs[0].parts
    rows = sum(batch.rows for batch in task.inputs)
    one = replace(task.inputs[0], parts=(replace(parts[0], rows=rows, sums=replace(parts[0].sums, diffs=rows)),))
    batches = (*state.batches[:start], one, *state.batches[start + len(task.inputs) :])
    return replace(state, seqno=state.seqno + 1, batches=batches)


@pytest.mark.parametrize("spread", [1, 7])
def test_each_update_is_rewritten_once_a_tier_or_a_few_times(spread: int) -> None:
    """Batches of one size are rewritten once a tier; of mixed sizes, at most `FAN` times as often."""
    chance = random.Random(1)
    state, rewritten, written = layers([]), 0, 0
    for step in range(2000):
        rows = SMALLEST_TIER * chance.randint(1, spread)
        written += rows
        grown = layers([rows])
        added = replace(grown.batches[0], lower=Timestamp(step))
        state = replace(state, seqno=state.seqno + 1, upper=at(step + 1), batches=(*state.batches, added))
        while task := choose(state):
            rewritten += sum(batch.rows for batch in task.inputs)
            state = joined(state, task)
    tiers = 1 + math.ceil(math.log(written / SMALLEST_TIER, FAN))
    assert rewritten <= written * tiers * (1 if spread == 1 else FAN)
    assert len(state.batches) <= most_batches(state)


def test_small_appends_do_not_rewrite_a_large_collection() -> None:
    state, rewritten = layers([10**7]), 0
    for step in range(1, 1001):
        added = replace(layers([10]).batches[0], lower=Timestamp(step))
        state = replace(state, seqno=state.seqno + 1, upper=at(step + 1), batches=(*state.batches, added))
        while task := choose(state):
            rewritten += sum(batch.rows for batch in task.inputs)
            state = joined(state, task)
    assert rewritten < 10**6
    assert state.batches[0].rows == 10**7


# Merging, with files


updates = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3), st.sampled_from([1, 1, -1, 2])), max_size=30)
Step = tuple[list[tuple[int, int, int]], int, int, int]
steps = st.tuples(updates, st.integers(1, 3), st.integers(0, 6), st.sampled_from([0, encoding.SMALL_ROWS]))
"""Updates, how many times they take, how far behind them the since is, and how few are not sorted."""


def same_contents(steps: list[Step]) -> None:
    disk = Disk()
    upper, accepted_updates = 0, []
    for listed, length, lag, small_rows in steps:
        shifted = [((row,), upper + time % length, diff) for row, time, diff in listed]
        accepted_updates += shifted
        disk.append(batch(INTEGERS, shifted), upper + length, small_rows)
        upper += length
        owner = disk.state.readers[0].since
        disk.state = disk.state.allow_compaction(owner.join(at(max(0, upper - 1 - lag))))
        before = disk.rows
        disk.compact()
        assert disk.rows <= before
        assert len(disk.state.batches) <= most_batches(disk.state)
        for time in range(disk.state.since.time or 0, upper):
            expected = batch(INTEGERS, [update for update in accepted_updates if update[1] <= time])
            assert multiset(disk.at(time)) == multiset(as_of(expected, Timestamp(time)))


@settings(max_examples=25)
@given(st.lists(steps, max_size=20))
def test_compaction_leaves_every_readable_time_as_it_was(listed: list[Step]) -> None:
    same_contents(listed)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(max_examples=500)
@given(st.lists(steps, max_size=60))
def test_compaction_leaves_every_readable_time_as_it_was_for_long(listed: list[Step]) -> None:
    same_contents(listed)


@pytest.mark.parametrize("gathered_rows", [0, 1000])
def test_small_parts_as_they_came_and_sorted_ones_merge_into_sorted_and_summed_ones(
    gathered_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts_module, "GATHERED_ROWS", gathered_rows)
    monkeypatch.setattr(compact, "rows_per_part", lambda _: 100)
    monkeypatch.setattr(encoding, "ROW_GROUP_ROWS", 50)
    chance = random.Random(3)
    disk = Disk()
    everything = []
    for step, rows in enumerate([600, 20, 3, 500, 1, 255]):
        listed = [((chance.randrange(800),), step, chance.choice([1, 1, -1])) for _ in range(rows)]
        everything += listed
        disk.append(batch(INTEGERS, listed), step + 1)
    assert [batch.parts[0].is_sorted for batch in disk.state.batches] == [True, False, False, True, False, False]
    disk.state = disk.state.allow_compaction(at(5))
    disk.merge(MergeTask(disk.state, disk.state.batches, at(5)))
    expected = as_of(batch(INTEGERS, everything), Timestamp(5))
    assert multiset(disk.at(5)) == multiset(expected)
    parts = disk.state.batches[0].parts
    assert sum(part.rows for part in parts) == expected.rows
    assert total(parts) == sums_of(disk.state, expected)
    assert len(parts) > 1
    assert all(first.max_hash < second.min_hash for first, second in pairwise(parts))
    for part in parts:
        tables = disk.parts.read(disk.state.id, Slice(part, MIN_TIME, EMPTY), disk.state.schemas)
        hashes = PartFormat.of(disk.state).key_hashes(pa.concat_tables(tables))
        assert (hashes[1:] >= hashes[:-1]).all()
        assert (part.min_hash, part.max_hash) == (hashes[0], hashes[-1])


def sums_of(state: ShardState, updates: UpdateBatch) -> Sums:
    return encoding.sums(updates.table[DIFF].to_numpy(), PartFormat.of(state).content_hashes(updates.table))


def test_a_merge_of_small_parts_that_lost_or_changed_an_update_is_refused() -> None:
    disk = Disk()
    disk.append(batch(INTEGERS, [((2,), 0, 1), ((1,), 0, 1)]), 1)
    disk.append(batch(INTEGERS, [((3,), 1, 1)]), 2)
    disk.state = disk.state.allow_compaction(at(1))
    with disk.parts.stage(disk.state.id) as stage:
        merge = merge_in_process(MergeTask(disk.state, disk.state.batches, at(1)), disk.parts, stage, Rest())
    (part,) = merge.parts
    lost, changed = (
        sums_of(disk.state, batch(INTEGERS, text)) for text in ("1|1|1 \n 3|1|1", "1|1|1 \n 2|1|1 \n 4|1|1")
    )
    for wrong in (
        replace(merge, read=lost),
        replace(merge, read=changed),
        replace(merge, parts=(replace(part, sums=changed),)),
        replace(merge, parts=(replace(part, sums=lost),), read=lost),
    ):
        with pytest.raises(MergeMismatch, match="would change its contents"):
            disk.state.apply_merge(wrong)
    assert accepted(disk.state.apply_merge(merge)).batches[0].parts == (part,)


def test_a_large_merge_pauses_wherever_it_reads_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class Noted(Rest):
        pauses = 0

        def pause(self) -> None:
            self.pauses += 1

    monkeypatch.setattr(compact, "MANY", 2_000)
    monkeypatch.setattr(encoding, "ROW_GROUP_ROWS", 100)
    monkeypatch.setattr(parts_module, "GATHERED_ROWS", 0)
    disk, rest = Disk(), Noted()
    disk.append(batch(INTEGERS, [((value,), 0, 1) for value in range(1_000)]), 1, small_rows=0)
    disk.append(batch(INTEGERS, [((value,), 1, 1) for value in range(1_000)]), 2, small_rows=0)
    with disk.parts.stage(disk.state.id) as stage:
        merge_in_process(MergeTask(disk.state, disk.state.batches, disk.state.since), disk.parts, stage, rest)
    assert rest.pauses >= 10


def test_a_table_updated_for_ever_takes_room_for_its_rows_only() -> None:
    """A thousand rows, updated a thousand times, some at each step, with a since that keeps up."""
    pairs = RowType.of(("key", pa.int64()), ("value", pa.int64()))
    disk = Disk(ShardState(shard().id, "t", "columns", ("key",), (pairs,)))
    chance = random.Random(5)
    values = dict.fromkeys(range(1000), 0)
    disk.append(batch(pairs, [((key, 0), 0, 1) for key in values]), 1)
    most = 0
    for step in range(1, 1001):
        changes = []
        for key in chance.sample(range(1000), 50):
            changes += [((key, values[key]), step, -1), ((key, step), step, 1)]
            values[key] = step
        disk.append(batch(pairs, changes), step + 1)
        disk.state = disk.state.allow_compaction(at(step))
        disk.compact()
        # The parts that merges replaced go, as garbage collection would have it.
        disk.state = disk.state.forget(frozenset(retired.part.key for retired in disk.state.collectable()))
        most = max(most, disk.rows)
        assert disk.rows <= 2 * 1000 + SMALLEST_TIER
    assert multiset(disk.at(1000)) == Counter({((key, value), 1000): 1 for key, value in values.items()})
    assert most > 1000


def test_a_merge_reads_parts_of_older_schemas_and_writes_the_newest() -> None:
    disk = Disk()
    disk.append(batch(INTEGERS, [((1,), 0, 1), ((2,), 0, 1)]), 1)
    wider = RowType.of(("n", pa.int64()), ("s", pa.string()))
    disk.state = disk.state.evolve(wider)
    disk.append(batch(wider, [((1, None), 1, -1), ((3, "x"), 1, 1)]), 2)
    disk.state = disk.state.allow_compaction(at(1))
    disk.merge(MergeTask(disk.state, disk.state.batches, at(1)))
    assert multiset(disk.at(1)) == {((2, None), 1): 1, ((3, "x"), 1): 1}
    assert [part.schema_id for part in disk.state.batches[0].parts] == [1]


def test_a_merge_of_what_cancels_leaves_a_batch_without_parts() -> None:
    disk = Disk()
    disk.append(batch(INTEGERS, [((1,), 0, 1)]), 1)
    disk.append(batch(INTEGERS, [((1,), 1, -1)]), 2)
    disk.state = disk.state.allow_compaction(at(1))
    disk.merge(MergeTask(disk.state, disk.state.batches, at(1)))
    assert [batch.parts for batch in disk.state.batches] == [()]
    assert disk.at(1).rows == 0


def test_a_merge_reads_of_a_shared_part_only_what_is_its_own() -> None:
    disk = Disk()
    parts = disk.written(batch(INTEGERS, [((1,), 0, 1), ((2,), 5, 1), ((3,), 9, 1)]))
    state = accepted(accepted(accepted(disk.state.write(parts)).seal(at(3))).seal(at(7)))
    disk.state = state.allow_compaction(at(6))
    disk.merge(MergeTask(disk.state, disk.state.batches, at(6)))
    assert multiset(disk.at(6)) == {((1,), 6): 1, ((2,), 6): 1}
    disk.state = accepted(disk.state.seal(at(10)))
    assert multiset(disk.at(9)) == {((1,), 9): 1, ((2,), 9): 1, ((3,), 9): 1}


def test_a_merge_of_a_missing_part_says_which() -> None:
    disk = Disk()
    disk.append(batch(INTEGERS, [((1,), 0, 1)]), 1)
    (part,) = disk.state.batches[0].parts
    disk.parts.blob.delete(part.key)
    with pytest.raises(CorruptPart, match=part.key):
        disk.merge(MergeTask(disk.state, disk.state.batches, at(0)))


def test_merged_parts_are_cut_at_their_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact, "rows_per_part", lambda _: 100)
    monkeypatch.setattr(encoding, "ROW_GROUP_ROWS", 50)
    disk = Disk()
    for step in range(4):
        disk.append(batch(INTEGERS, [((step * 1000 + n,), step, 1) for n in range(500)]), step + 1)
    disk.state = disk.state.allow_compaction(at(3))
    disk.merge(MergeTask(disk.state, disk.state.batches, at(3)))
    parts = disk.state.batches[0].parts
    assert sum(part.rows for part in parts) == 2000
    assert len(parts) >= 7
    assert all(first.max_hash < second.min_hash for first, second in pairwise(parts))
    assert disk.at(3).rows == 2000
