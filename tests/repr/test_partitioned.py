from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import UsageError
from holdfast.repr.antichain import Antichain
from holdfast.repr.partitioned import (
    Offset,
    Partition,
    PartitionedOffset,
    PartitionRange,
    message_time,
    offset_of,
    topic_frontier,
)

ENDS = [None, -1, 0, 1, 2, 3]
RANGES = [PartitionRange(a, b) for a, b in product(ENDS, ENDS) if a is None or b is None or b - a >= 2]
ranges = st.sampled_from(RANGES)
partitions = st.integers(0, 4).map(Partition)
offsets = st.integers(0, 3).map(Offset)
topics = st.dictionaries(partitions, offsets)
times = st.builds(PartitionedOffset, ranges, offsets)
antichains = st.lists(times, max_size=4).map(Antichain.of)
EVERY_TIME = [PartitionedOffset(r, Offset(o)) for r in RANGES for o in range(4)]


def members(partitions: PartitionRange) -> set[int]:
    """The members near the ends, which tell the ranges above apart."""
    return {p for p in range(-3, 6) if partitions.contains(PartitionRange.single(Partition(p)))}


def test_a_topic_has_the_frontier_of_its_partitions_and_of_those_to_come() -> None:
    assert str(topic_frontier({Partition(0): Offset(3), Partition(1): Offset(1)})) == "{(0, 3), (1, 1), ((1, +inf), 0)}"


def test_partitions_not_seen_are_covered_wherever_they_are() -> None:
    assert str(topic_frontier({Partition(2): Offset(5)})) == "{((-1, 2), 0), (2, 5), ((2, +inf), 0)}"
    assert str(topic_frontier({})) == "{((-1, +inf), 0)}"
    assert str(PartitionRange(None, None)) == "(-inf, +inf)"


@pytest.mark.parametrize(("after", "before"), [(0, 0), (0, 1), (3, 1)])
def test_an_empty_range_is_refused(after: int, before: int) -> None:
    with pytest.raises(UsageError, match="is empty"):
        PartitionRange(after, before)


@pytest.mark.parametrize(("partition", "offset"), [(-1, 0), (0, -1)])
def test_a_negative_partition_or_offset_is_refused(partition: int, offset: int) -> None:
    with pytest.raises(UsageError, match="negative"):
        topic_frontier({Partition(partition): Offset(offset)})


def test_a_frontier_that_is_not_a_topics_has_no_offset() -> None:
    with pytest.raises(UsageError, match="covers partition 0 0 times"):
        offset_of(Antichain.of(()), Partition(0))


@given(ranges, ranges)
def test_ranges_are_sets(a: PartitionRange, b: PartitionRange) -> None:
    assert a.contains(b) == (members(a) >= members(b))
    shared = a.intersection(b)
    assert (members(shared) if shared else set()) == members(a) & members(b)


@given(times, times, times)
def test_times_are_partially_ordered(a: PartitionedOffset, b: PartitionedOffset, c: PartitionedOffset) -> None:
    assert a.less_equal(a)
    assert (a.less_equal(b) and b.less_equal(a)) == (a == b) == (a.sort_key() == b.sort_key())
    assert (a.less_equal(b) and b.less_equal(c)) <= a.less_equal(c)


@given(antichains, antichains)
def test_join_is_both_and_meet_is_either(a: Antichain[PartitionedOffset], b: Antichain[PartitionedOffset]) -> None:
    join, meet = a.join(b), a.meet(b)
    for time in EVERY_TIME:
        assert join.less_equal(time) == (a.less_equal(time) and b.less_equal(time))
        assert meet.less_equal(time) == (a.less_equal(time) or b.less_equal(time))


@given(topics, partitions)
def test_a_topics_frontier_covers_every_partition_once(topic: dict[Partition, Offset], partition: Partition) -> None:
    assert offset_of(topic_frontier(topic), partition) == topic.get(partition, 0)


@given(topics, partitions, offsets)
def test_the_messages_below_the_offsets_are_those_not_in_advance(
    topic: dict[Partition, Offset], partition: Partition, offset: Offset
) -> None:
    assert topic_frontier(topic).less_equal(message_time(partition, offset)) == (offset >= topic.get(partition, 0))


@given(topics, topics)
def test_reading_on_or_adding_a_partition_advances_the_frontier(
    topic: dict[Partition, Offset], more: dict[Partition, Offset]
) -> None:
    later = {p: Offset(topic.get(p, 0) + more.get(p, 0)) for p in topic.keys() | more.keys()}
    old, new = topic_frontier(topic), topic_frontier(later)
    assert old <= new
    assert not [t for t in EVERY_TIME if new.less_equal(t) and not old.less_equal(t)]
