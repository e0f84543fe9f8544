from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from holdfast.errors import UsageError
from holdfast.persist.batch import Batch
from holdfast.persist.errors import MergeMismatch, SchemaMismatch
from holdfast.persist.part import Sums, total
from holdfast.persist.shard import (
    OWNER,
    Expired,
    Lease,
    Merge,
    Reader,
    ReaderId,
    ShardState,
    SincePassed,
    Superseded,
    UpperMismatch,
)
from holdfast.repr.frontier import EMPTY, MAX_TIME, MINIMUM, Frontier, Timestamp
from holdfast.repr.row import RowType
from tests.build import at
from tests.persist.paper import INTEGERS, Paper, Update, at_time, consolidated, shard, sums

LAST_TIME = 14
"""Times of the machine stay below it, so that all of them can be looked at after each step."""

times = st.integers(0, LAST_TIME)
diffs = st.sampled_from([1, 1, 1, -1, 2, -2])
updates = st.lists(st.tuples(st.integers(0, 4), times, diffs), min_size=1, max_size=6)
frontiers = times.map(at)
reader_ids = st.sampled_from([ReaderId("r1"), ReaderId("r2"), ReaderId("r3")])
fractions = st.floats(0, 1, exclude_max=True)


class ShardMachine(RuleBasedStateMachine):
    """Every command in any order, against a list of the accepted updates."""

    def __init__(self) -> None:
        super().__init__()
        self.paper = Paper()
        self.state = shard()
        self.history = [self.state]
        self.accepted: list[Update] = []
        self.leases: dict[ReaderId, Lease] = {}
        self.holds: dict[ReaderId, Frontier] = {OWNER: MINIMUM}
        self.forgotten: set[str] = set()
        self.late: list[Merge] = []
        self.now = 0
        self.columns = 1

    def run(self, command: Callable[[ShardState], object]) -> object:
        """The result of a command, which is the same when it is run again on the same state."""
        before = self.state
        result = command(before)
        assert command(before) == result
        if isinstance(result, ShardState):
            assert result is before or result.seqno > before.seqno
            self.state = result
            self.history.append(result)
        return result

    def pick(self, fraction: float, count: int) -> int:
        return int(fraction * count)

    # Writing

    @rule(listed=updates, size=st.integers(1, 4), small=st.booleans())
    def write(self, listed: list[Update], size: int, small: bool) -> None:
        parts = [self.paper.small_part(listed)] if small else self.paper.parts(listed, size)
        earliest = Frontier(min(part.min_time for part in parts))
        upper = self.state.upper
        result = self.run(lambda state: state.write(parts))
        if upper <= earliest:
            assert isinstance(result, ShardState)
            self.accepted += listed
        else:
            assert result == UpperMismatch(expected=earliest, current=upper)

    @rule(upper=frontiers)
    def seal(self, upper: Frontier) -> None:
        before = self.state.upper
        result = self.run(lambda state: state.seal(upper))
        assert result == UpperMismatch(upper, before) if upper < before else isinstance(result, ShardState)

    @rule(step=st.integers(1, 4))
    def seal_a_little(self, step: int) -> None:
        if self.state.upper.time is not None and self.state.upper.time + step <= LAST_TIME:
            self.seal(at(self.state.upper.time + step))

    @rule(listed=updates, expected=frontiers, upper=frontiers, right=st.booleans(), small=st.booleans())
    def compare_and_append(
        self, listed: list[Update], expected: Frontier, upper: Frontier, right: bool, small: bool
    ) -> None:
        current = self.state.upper
        expected = current if right else expected
        inside = [u for u in listed if expected.less_equal(Timestamp(u[1])) and not upper.less_equal(Timestamp(u[1]))]
        parts = [self.paper.small_part(inside)] if small and inside else self.paper.parts(inside)
        if not expected <= upper:
            with pytest.raises(UsageError, match="retreat"):
                self.state.compare_and_append(parts, expected, upper)
            return
        result = self.run(lambda state: state.compare_and_append(parts, expected, upper))
        if expected == current:
            assert isinstance(result, ShardState)
            assert result.upper == upper
            self.accepted += inside
        else:
            assert result == UpperMismatch(expected, current)

    @rule(listed=updates, expected=frontiers, upper=frontiers)
    def append_outside_its_bounds(self, listed: list[Update], expected: Frontier, upper: Frontier) -> None:
        if all(expected.less_equal(Timestamp(t)) and not upper.less_equal(Timestamp(t)) for _, t, _ in listed):
            return
        with pytest.raises(UsageError):
            self.state.compare_and_append(self.paper.parts(listed), expected, upper)

    # Holds

    @rule(since=frontiers)
    def allow_compaction(self, since: Frontier) -> None:
        owner = self.holds.get(OWNER)
        if owner is not None and since < owner:
            with pytest.raises(UsageError, match="retreat"):
                self.state.allow_compaction(since)
            return
        self.run(lambda state: state.allow_compaction(since))
        if owner is not None:
            self.holds[OWNER] = since

    @rule(reader=reader_ids, since=st.none() | frontiers, lease_ms=st.none() | st.integers(0, 5))
    def register(self, reader: ReaderId, since: Frontier | None, lease_ms: int | None) -> None:
        lease = None if lease_ms is None else Lease(0, self.now + lease_ms)
        before = self.state
        result = self.run(lambda state: state.register(reader, since, lease, "a label"))
        if reader in self.holds:
            assert result == before
        elif before.finalized or (since is not None and since < before.since):
            assert result == SincePassed(before.since)
        else:
            self.holds[reader] = before.since if since is None else since
            if lease is not None:
                self.leases[reader] = replace(lease, seqno=before.seqno)

    @rule(reader=reader_ids, since=frontiers, renew=st.none() | st.tuples(fractions, st.integers(0, 5)))
    def downgrade(self, reader: ReaderId, since: Frontier, renew: tuple[float, int] | None) -> None:
        lease = None
        if renew is not None:
            lease = Lease(self.pick(renew[0], self.state.seqno + 1), self.now + renew[1])
        if reader not in self.holds:
            assert self.run(lambda state: state.downgrade(reader, since, lease)) == Expired(reader)
        elif since < self.holds[reader]:
            with pytest.raises(UsageError, match="retreat"):
                self.state.downgrade(reader, since, lease)
        else:
            self.run(lambda state: state.downgrade(reader, since, lease))
            self.holds[reader] = since
            held = self.leases.get(reader)
            if lease is not None and held is not None:
                self.leases[reader] = Lease(max(lease.seqno, held.seqno), max(lease.expires_at, held.expires_at))

    @rule(reader=reader_ids)
    def release(self, reader: ReaderId) -> None:
        since = self.state.since
        self.run(lambda state: state.release(reader))
        self.holds.pop(reader, None)
        self.leases.pop(reader, None)
        assert self.state.since == since

    @rule(passed=st.integers(0, 4))
    def expire(self, passed: int) -> None:
        self.now += passed
        since = self.state.since
        self.run(lambda state: state.expire(self.now))
        for reader in [reader for reader, lease in self.leases.items() if lease.expires_at < self.now]:
            del self.holds[reader], self.leases[reader]
        assert self.state.since == since
        assert self.state.expire(self.now) is self.state

    @rule()
    def evolve(self) -> None:
        self.columns += 1
        extra = [(f"extra{number}", pa.string()) for number in range(1, self.columns)]
        self.run(lambda state: state.evolve(RowType.of(("n", pa.int64()), *extra)))

    # Compaction and garbage

    def prepared(self, first: float, last: float, since: float) -> Merge | None:
        state = self.state
        if not state.batches or state.since.time is None:
            return None
        start = self.pick(first, len(state.batches))
        stop = start + 1 + self.pick(last, len(state.batches) - start)
        least = max(batch.since.time or 0 for batch in state.batches[start:stop])
        chosen = least + self.pick(since, state.since.time - least + 1)
        return self.paper.merge(state, start, stop, at(chosen))

    @rule(first=fractions, last=fractions, since=fractions)
    def merge(self, first: float, last: float, since: float) -> None:
        if merge := self.prepared(first, last, since):
            rows = sum(batch.rows for batch in self.state.batches)
            assert isinstance(self.run(lambda state: state.apply_merge(merge)), ShardState)
            assert sum(batch.rows for batch in self.state.batches) <= rows
            assert self.state.apply_merge(merge) == Superseded() or merge.inputs == (
                Batch(merge.inputs[0].lower, merge.since, merge.parts),
            )

    @rule(first=fractions, last=fractions, since=fractions)
    def begin_a_merge(self, first: float, last: float, since: float) -> None:
        if merge := self.prepared(first, last, since):
            self.late.append(merge)

    @precondition(lambda self: self.late)
    @rule(which=fractions)
    def finish_a_merge(self, which: float) -> None:
        merge = self.late.pop(self.pick(which, len(self.late)))
        batches = self.state.batches
        there = any(
            batches[start : start + len(merge.inputs)] == merge.inputs for start in range(len(self.state.batches))
        )
        result = self.run(lambda state: state.apply_merge(merge))
        assert isinstance(result, ShardState) if there else result == Superseded()

    @rule(first=fractions, last=fractions, since=fractions, diffs=st.integers(-1, 1), content=st.integers(0, 2))
    def merge_wrongly(self, first: float, last: float, since: float, diffs: int, content: int) -> None:
        merge = self.prepared(first, last, since)
        if merge and (diffs or content):
            with pytest.raises(MergeMismatch):
                self.state.apply_merge(replace(merge, read=merge.read + Sums(diffs, content)))

    @rule(share=fractions)
    def collect(self, share: float) -> None:
        collectable = [retired.part.key for retired in self.state.collectable()]
        keys = frozenset(collectable[: self.pick(share, len(collectable) + 1)])
        self.run(lambda state: state.forget(keys))
        self.forgotten |= keys
        assert self.state.forget(keys) is self.state

    @precondition(lambda self: len(self.history) > 15)
    @rule()
    def finalize(self) -> None:
        self.run(lambda state: state.seal(EMPTY))
        self.run(lambda state: state.allow_compaction(EMPTY))
        if self.state.since != EMPTY:
            with pytest.raises(UsageError, match="cannot be finalized"):
                self.state.finalize()
            for reader in self.holds.keys() - {OWNER}:
                self.run(lambda state, reader=reader: state.downgrade(reader, EMPTY, None))  # type: ignore[misc]  # a default argument binds the loop variable
                self.holds[reader] = EMPTY
            self.holds[OWNER] = EMPTY
            self.run(lambda state: state.register(ReaderId("r1"), EMPTY, None, ""))
            self.run(lambda state: state.downgrade(ReaderId("r1"), EMPTY, None))
            self.holds[ReaderId("r1")] = EMPTY
            if self.state.since != EMPTY:
                return
        self.run(lambda state: state.finalize())
        self.holds = dict.fromkeys(self.leases, EMPTY)
        assert self.state.finalize() is self.state

    # What is true after every step

    @property
    def readable(self) -> range:
        state = self.state
        if state.since.time is None:
            return range(0)
        return range(state.since.time, LAST_TIME + 3 if state.upper.time is None else state.upper.time)

    @invariant()
    def frontiers_and_seqno_never_retreat(self) -> None:
        if len(self.history) > 1:
            before, after = self.history[-2:]
            assert before.since <= after.since
            assert before.upper <= after.upper
            assert before.seqno <= after.seqno

    @invariant()
    def every_readable_time_shows_what_was_accepted(self) -> None:
        for time in self.readable:
            found = self.paper.read(self.state.snapshot(Timestamp(time)))
            assert at_time(found, time) == at_time(self.accepted, time), time

    @invariant()
    def changes_lead_from_one_snapshot_to_another(self) -> None:
        for time in self.readable:
            for end in {time + 1, self.readable[-1]} & set(self.readable):
                changes = self.state.changes(Timestamp(time + 1), at(end + 1))
                assert isinstance(changes, list)
                expected = [u for u in self.accepted if time < u[1] <= end]
                assert consolidated(self.paper.read(changes)) == consolidated(expected)

    @invariant()
    def times_that_are_not_readable_are_refused(self) -> None:
        beyond = self.state.upper.time
        before = (self.state.since.time or 0) - 1
        for time in [t for t in (before, beyond) if t is not None and t >= 0]:
            with pytest.raises(UsageError, match="not between"):
                self.state.snapshot(Timestamp(time))

    @invariant()
    def changes_are_refused_or_true_at_any_time(self) -> None:
        end = self.readable.stop
        for lower in range(min(end, LAST_TIME)):
            if self.state.upper.less_equal(Timestamp(lower)):
                break
            changes = self.state.changes(Timestamp(lower), self.state.upper)
            if isinstance(changes, SincePassed):
                assert not self.state.since < at(lower)
                continue
            expected = [u for u in self.accepted if lower <= u[1] and not self.state.upper.less_equal(Timestamp(u[1]))]
            assert consolidated(self.paper.read(changes)) == consolidated(expected)

    @invariant()
    def batches_are_contiguous(self) -> None:
        lowers = [batch.lower for batch in self.state.batches]
        assert lowers == sorted(set(lowers))
        assert not lowers or not self.state.upper.less_equal(lowers[-1])

    @invariant()
    def compacted_batches_hold_no_part_of_another(self) -> None:
        named = [part.key for batch in self.state.batches if batch.since != MINIMUM for part in batch.parts]
        elsewhere = [part.key for batch in self.state.batches if batch.since == MINIMUM for part in batch.parts]
        elsewhere += [part.key for part in self.state.unsealed]
        assert len(named) == len(set(named))
        assert not set(named) & set(elsewhere)

    @invariant()
    def unsealed_is_what_has_times_to_come(self) -> None:
        assert all(self.state.upper.less_equal(part.max_time) for part in self.state.unsealed)
        waiting = [
            (row, time, diff)
            for part in self.state.unsealed
            for row, time, diff in self.paper.updates[part.key]
            if self.state.upper.less_equal(Timestamp(time))
        ]
        expected = [u for u in self.accepted if self.state.upper.less_equal(Timestamp(u[1]))]
        assert sorted(waiting) == sorted(expected)

    @invariant()
    def retired_is_what_was_named_and_is_no_more(self) -> None:
        ever = {key for state in self.history for key in state.named_parts()}
        gone = ever - self.state.named_parts().keys() - self.forgotten
        assert sorted(retired.part.key for retired in self.state.retired) == sorted(gone)

    @invariant()
    def no_live_lease_loses_a_part(self) -> None:
        deletable = {retired.part.key for retired in self.state.collectable()} | self.forgotten
        for lease in self.leases.values():
            for state in self.history:
                if state.seqno >= lease.seqno:
                    assert not deletable & state.named_parts().keys()
        if not self.leases:
            assert self.state.collectable() == self.state.retired

    @invariant()
    def since_is_not_beyond_any_hold(self) -> None:
        assert {reader.id: reader.since for reader in self.state.readers} == self.holds
        assert all(self.state.since <= hold for hold in self.holds.values())
        assert {r.id: r.lease for r in self.state.readers if r.lease is not None} == self.leases

    @invariant()
    def a_finalized_shard_refuses_everything(self) -> None:
        if self.state.finalized:
            note("finalized")
            part = self.paper.part([(1, 3, 1)])
            assert self.state.compare_and_append([part], at(3), at(4)) == UpperMismatch(at(3), EMPTY)
            assert self.state.write([part]) == UpperMismatch(at(3), EMPTY)
            assert self.state.seal(at(3)) == UpperMismatch(at(3), EMPTY)
            assert self.state.register(ReaderId("new"), None, Lease(0, 9), "") == SincePassed(EMPTY)
            assert not self.state.named_parts()


def test_a_shard_agrees_with_a_list_of_updates() -> None:
    run_state_machine_as_test(ShardMachine, settings=settings(max_examples=120, stateful_step_count=50))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_shard_agrees_with_a_list_of_updates_for_long() -> None:
    run_state_machine_as_test(ShardMachine, settings=settings(max_examples=2500, stateful_step_count=80))


# Writing


def test_a_losing_writer_learns_the_current_upper_and_changes_nothing() -> None:
    state = accepted(shard().seal(at(5)))
    paper = Paper()
    assert state.compare_and_append(paper.parts([(1, 4, 1)]), at(4), at(9)) == UpperMismatch(at(4), current=at(5))


def test_of_writers_with_the_same_expected_upper_one_wins() -> None:
    paper = Paper()
    state, wins = shard(), 0
    for row in range(8):
        result = state.compare_and_append(paper.parts([(row, 0, 1)]), MINIMUM, at(1))
        if isinstance(result, ShardState):
            state, wins = result, wins + 1
        else:
            assert result == UpperMismatch(MINIMUM, at(1))
    assert wins == 1
    assert at_time(paper.read(state.snapshot(Timestamp(0))), 0) == {0: 1}


def test_an_append_whose_upper_retreats_is_refused() -> None:
    with pytest.raises(UsageError, match=r"upper cannot retreat from \{7\} to \{3\}"):
        shard().compare_and_append([], at(7), at(3))


@pytest.mark.parametrize("time", [2, 6])
def test_an_append_outside_its_bounds_is_refused_with_the_bounds(time: int) -> None:
    with pytest.raises(UsageError, match=rf"times {time} to {time} are outside the append from \{{3\}} to \{{6\}}"):
        shard().compare_and_append(Paper().parts([(1, time, 1)]), at(3), at(6))


def test_an_append_of_nothing_to_the_same_upper_is_no_change() -> None:
    state = shard()
    assert state.compare_and_append([], MINIMUM, MINIMUM) is state


def test_an_append_with_updates_needs_an_upper_beyond_them() -> None:
    with pytest.raises(UsageError, match="outside the append"):
        shard().compare_and_append(Paper().parts([(1, 0, 1)]), MINIMUM, MINIMUM)


def test_an_append_to_the_empty_frontier_closes_the_shard() -> None:
    paper = Paper()
    state = accepted(shard().compare_and_append(paper.parts([(1, 9, 1)]), MINIMUM, EMPTY))
    assert state.upper == EMPTY
    assert state.compare_and_append([], at(9), at(10)) == UpperMismatch(at(9), EMPTY)


def test_the_last_time_of_the_timeline_can_be_written_and_read() -> None:
    paper = Paper()
    state = accepted(shard().write([paper.part([(1, 3, 1), (2, MAX_TIME, 1)])]))
    state = accepted(accepted(state.seal(at(5))).seal(EMPTY))
    assert at_time(paper.read(state.snapshot(MAX_TIME)), MAX_TIME) == {1: 1, 2: 1}
    assert {piece.upper for piece in state.snapshot(MAX_TIME)} == {at(5), EMPTY}


def test_writing_before_upper_is_refused_with_both() -> None:
    state = accepted(shard().seal(at(5)))
    assert state.write(Paper().parts([(1, 9, 1), (1, 4, 1)])) == UpperMismatch(expected=at(4), current=at(5))


def test_writing_nothing_is_no_change() -> None:
    state = shard()
    assert state.write([]) is state


def test_written_updates_show_as_upper_passes_them() -> None:
    paper = Paper()
    state = accepted(shard().write([paper.part([(1, 1, 1), (1, 4, -1), (2, 8, 1)])]))
    shown = []
    for upper in (2, 5, 9):
        state = accepted(state.seal(at(upper)))
        shown.append(dict(at_time(paper.read(state.snapshot(Timestamp(upper - 1))), upper - 1)))
    assert shown == [{1: 1}, {}, {2: 1}]
    assert state.unsealed == ()


def test_an_append_shows_what_was_written_before() -> None:
    paper = Paper()
    state = accepted(shard().write(paper.parts([(1, 1, 1)])))
    state = accepted(state.compare_and_append(paper.parts([(2, 2, 1)]), MINIMUM, at(3)))
    assert at_time(paper.read(state.snapshot(Timestamp(2))), 2) == {1: 1, 2: 1}


def test_sealing_to_the_same_upper_is_no_change() -> None:
    state = accepted(shard().seal(at(5)))
    assert state.seal(at(5)) is state


def test_sealing_before_upper_says_so() -> None:
    assert accepted(shard().seal(at(5))).seal(at(4)) == UpperMismatch(expected=at(4), current=at(5))


# Reading


def test_a_snapshot_outside_since_and_upper_is_refused_with_both() -> None:
    state = accepted(shard().seal(at(9))).allow_compaction(at(4))
    for time in (3, 9):
        with pytest.raises(UsageError, match=rf"time {time} is not between since \{{4\}} and upper \{{9\}}"):
            state.snapshot(Timestamp(time))


def test_changes_beyond_upper_are_refused_with_it() -> None:
    with pytest.raises(UsageError, match=r"up to \{9\} are not complete: the upper is \{0\}"):
        shard().changes(Timestamp(0), at(9))


def test_changes_at_times_merged_away_say_the_since() -> None:
    paper = Paper()
    state = accepted(shard().compare_and_append(paper.parts([(1, 1, 1), (2, 3, 1)]), MINIMUM, at(6)))
    state = state.allow_compaction(at(4))
    state = accepted(state.apply_merge(paper.merge(state, 0, 1, at(4))))
    assert state.changes(Timestamp(4), at(6)) == SincePassed(at(4))
    assert state.changes(Timestamp(5), at(6)) == []


def test_while_since_is_beyond_upper_no_time_is_readable_and_afterwards_all_is_there() -> None:
    paper = Paper()
    state = accepted(shard().compare_and_append(paper.parts([(1, 1, 1)]), MINIMUM, at(2))).allow_compaction(at(7))
    state = accepted(state.apply_merge(paper.merge(state, 0, 1, at(7))))
    with pytest.raises(UsageError, match="not between"):
        state.snapshot(Timestamp(1))
    state = accepted(state.compare_and_append(paper.parts([(2, 3, 1)]), at(2), at(9)))
    assert at_time(paper.read(state.snapshot(Timestamp(7))), 7) == {1: 1, 2: 1}


# Holds


def test_since_cannot_retreat() -> None:
    state = shard().allow_compaction(at(5))
    with pytest.raises(UsageError, match=r"since cannot retreat from \{5\} to \{3\}"):
        state.allow_compaction(at(3))


def test_since_waits_for_the_slowest_hold() -> None:
    state = accepted(shard().register(ReaderId("slow"), at(3), None, ""))
    state = state.allow_compaction(at(9))
    assert state.since == at(3)
    assert accepted(state.downgrade(ReaderId("slow"), at(6), None)).since == at(6)


def test_a_lease_that_expires_takes_no_times_away() -> None:
    state = accepted(shard().register(ReaderId("r"), None, Lease(0, expires_at=10), ""))
    state = state.allow_compaction(at(9))
    assert state.expire(10) is state
    expired = state.expire(11)
    assert expired.reader(ReaderId("r")) is None
    assert expired.since == MINIMUM
    assert expired.expire(11) is expired


def test_a_critical_hold_never_expires() -> None:
    state = accepted(shard().register(ReaderId("r"), None, None, ""))
    assert state.expire(2**62) is state


def test_registering_before_since_says_the_since() -> None:
    assert shard().allow_compaction(at(5)).register(ReaderId("r"), at(4), None, "") == SincePassed(at(5))


def test_registering_again_changes_nothing() -> None:
    state = accepted(shard().register(ReaderId("r"), at(3), Lease(0, 10), "label"))
    assert state.register(ReaderId("r"), at(7), None, "other") is state


def test_registering_protects_the_version_it_saw() -> None:
    state = accepted(accepted(shard().seal(at(1))).seal(at(2)))
    registered = accepted(state.register(ReaderId("r"), None, Lease(0, 10), "")).reader(ReaderId("r"))
    assert registered is not None
    assert registered.lease == Lease(state.seqno, 10)


def test_a_hold_cannot_retreat() -> None:
    state = accepted(shard().register(ReaderId("r"), at(5), None, ""))
    with pytest.raises(UsageError, match=r"hold cannot retreat from \{5\} to \{4\}"):
        state.downgrade(ReaderId("r"), at(4), None)


def test_downgrading_to_the_same_hold_and_lease_changes_nothing() -> None:
    state = accepted(shard().register(ReaderId("r"), at(5), Lease(0, 10), ""))
    assert state.downgrade(ReaderId("r"), at(5), Lease(0, 10)) is state


def test_a_lease_never_moves_back() -> None:
    state = accepted(accepted(shard().seal(at(1))).register(ReaderId("r"), at(5), Lease(0, 10), ""))
    assert state.downgrade(ReaderId("r"), at(5), Lease(0, 4)) is state


def test_a_leased_hold_that_is_moved_without_a_lease_keeps_its_own() -> None:
    state = accepted(shard().register(ReaderId("r"), at(5), Lease(0, 10), ""))
    moved = accepted(state.downgrade(ReaderId("r"), at(6), None)).reader(ReaderId("r"))
    assert moved == Reader(ReaderId("r"), at(6), Lease(0, 10), "")


def test_a_critical_hold_does_not_get_a_lease() -> None:
    state = accepted(shard().register(ReaderId("r"), at(5), None, ""))
    moved = accepted(state.downgrade(ReaderId("r"), at(6), Lease(0, 10))).reader(ReaderId("r"))
    assert moved == Reader(ReaderId("r"), at(6), None, "")


def test_an_unknown_reader_is_expired() -> None:
    assert shard().downgrade(ReaderId("gone"), at(6), Lease(0, 10)) == Expired(ReaderId("gone"))


def test_releasing_twice_changes_nothing_more() -> None:
    state = accepted(shard().register(ReaderId("r"), at(5), None, "")).release(ReaderId("r"))
    assert state.release(ReaderId("r")) is state


def test_the_owners_hold_cannot_be_released() -> None:
    with pytest.raises(UsageError, match="owner's hold"):
        shard().release(OWNER)


# Schemas


def test_nullable_columns_can_be_appended() -> None:
    newer = RowType.of(("n", pa.int64()), ("m", pa.string()))
    state = shard().evolve(newer)
    assert state.schemas == (INTEGERS, newer)
    assert state.evolve(newer) is state


@pytest.mark.parametrize(
    "row_type",
    [
        RowType.of(("m", pa.string()), ("n", pa.int64())),
        RowType.of(("n", pa.int32())),
        RowType.of(),
        RowType(pa.schema([pa.field("n", pa.int64()), pa.field("m", pa.string(), nullable=False)])),
    ],
)
def test_other_changes_of_the_schema_are_refused(row_type: RowType) -> None:
    with pytest.raises(SchemaMismatch, match='collection "orders": only nullable columns can be appended'):
        shard().evolve(row_type)


# Compaction and garbage


def test_a_merge_beyond_since_is_refused_with_both() -> None:
    state, paper = written()
    with pytest.raises(UsageError, match=r"a merge to \{3\} is beyond the since \{2\}"):
        state.apply_merge(paper.merge(state, 0, 1, at(3)))


def test_a_merge_to_before_the_since_of_its_inputs_is_refused() -> None:
    state, paper = written()
    state = accepted(state.apply_merge(paper.merge(state, 0, 2, at(2))))
    with pytest.raises(UsageError, match=r"a merge to \{0\} cannot tell times apart"):
        state.apply_merge(paper.merge(state, 0, 1, MINIMUM))


def test_a_merge_that_loses_an_update_is_refused() -> None:
    state, paper = written()
    merge = paper.merge(state, 0, 2, at(2))
    with pytest.raises(MergeMismatch, match="would change its contents"):
        state.apply_merge(replace(merge, parts=merge.parts[:-1]))


def test_a_merge_that_read_something_else_is_refused() -> None:
    state, paper = written()
    merge = paper.merge(state, 0, 2, at(2))
    other = paper.part([(9, 1, 1)])
    with pytest.raises(MergeMismatch, match="would change its contents"):
        state.apply_merge(replace(merge, parts=(other,), read=other.sums))


def small(updates: list[list[Update]]) -> tuple[ShardState, Paper]:
    """A batch at each time from 0 on, of one part whose contents are unknown; all may be merged."""
    paper, state = Paper(), shard()
    for time, listed in enumerate(updates):
        state = accepted(state.compare_and_append([paper.small_part(listed)], at(time), at(time + 1)))
    return state.allow_compaction(at(len(updates) - 1)), paper


def test_a_merge_of_parts_with_unknown_contents_makes_them_known() -> None:
    state, paper = small([[(2, 0, 1), (1, 0, 1)], [(1, 1, -1), (3, 1, 1)]])
    merged = accepted(state.apply_merge(paper.merge(state, 0, 2, at(1))))
    (batch,) = merged.batches
    assert all(part.is_sorted for part in batch.parts)
    assert total(batch.parts) == sums([(2, 1, 1), (3, 1, 1)])


def test_a_merge_of_unknown_contents_that_read_other_diffs_is_refused() -> None:
    state, paper = small([[(1, 0, 1)], [(2, 1, 1)]])
    merge = paper.merge(state, 0, 2, at(1))
    for updates in ([(1, 1, 1)], [(1, 1, 1), (2, 1, 2)]):
        other = paper.part(updates)
        with pytest.raises(MergeMismatch, match=r"described Sums\(diffs=2, content=None\)"):
            state.apply_merge(replace(merge, parts=(other,), read=other.sums))


def test_a_merge_of_unknown_contents_that_wrote_something_else_than_it_read_is_refused() -> None:
    state, paper = small([[(1, 0, 1)], [(2, 1, 1)]])
    merge = paper.merge(state, 0, 2, at(1))
    other = paper.part([(1, 1, 1), (3, 1, 1)])
    assert other.sums.diffs == merge.read.diffs
    with pytest.raises(MergeMismatch, match="would change its contents"):
        state.apply_merge(replace(merge, parts=(other,)))


def test_a_merge_that_does_not_know_what_it_wrote_is_refused() -> None:
    state, paper = small([[(1, 0, 1)], [(2, 1, 1)]])
    merge = paper.merge(state, 0, 2, at(1))
    with pytest.raises(MergeMismatch, match="would change its contents"):
        state.apply_merge(replace(merge, parts=(paper.small_part([(1, 1, 1), (2, 1, 1)]),)))


def test_a_merge_of_known_and_unknown_contents_is_checked_by_diffs() -> None:
    state, paper = written()
    state = accepted(state.compare_and_append([paper.small_part([(5, 4, 1)])], at(4), at(5))).allow_compaction(at(4))
    merge = paper.merge(state, 0, 3, at(4))
    lost = paper.parts([(2, 4, 1), (3, 4, 1), (4, 4, 1)])
    with pytest.raises(MergeMismatch, match="would change its contents"):
        state.apply_merge(replace(merge, parts=tuple(lost), read=total(lost)))
    merged = accepted(state.apply_merge(merge))
    assert total(merged.batches[0].parts) == sums([(2, 4, 1), (3, 4, 1), (4, 4, 1), (5, 4, 1)])


def test_a_merge_that_adds_updates_is_refused() -> None:
    state, paper = written()
    merge = paper.merge(state, 0, 2, at(2))
    padded = (*merge.parts, paper.part([(9, 2, 1), (9, 2, -1), (9, 2, 1), (9, 2, -1)]))
    with pytest.raises(MergeMismatch, match="would add updates"):
        state.apply_merge(replace(merge, parts=padded))


def test_a_merge_that_another_overtook_is_superseded() -> None:
    state, paper = written()
    slow = paper.merge(state, 0, 2, at(2))
    state = accepted(state.apply_merge(paper.merge(state, 0, 1, at(2))))
    assert state.apply_merge(slow) == Superseded()


def test_a_merge_of_a_finalized_shard_is_superseded() -> None:
    state, paper = written()
    merge = paper.merge(state, 0, 2, at(2))
    assert finalized(state).apply_merge(merge) == Superseded()


def test_a_merge_keeps_a_part_that_another_batch_still_needs() -> None:
    paper = Paper()
    part = paper.part([(1, 0, 1), (2, 4, 1)])
    state = accepted(accepted(accepted(shard().write([part])).seal(at(2))).seal(at(9))).allow_compaction(at(1))
    assert [batch.parts for batch in state.batches] == [(part,), (part,)]
    state = accepted(state.apply_merge(paper.merge(state, 0, 1, at(1))))
    assert state.retired == ()
    state = accepted(state.apply_merge(paper.merge(state, 1, 2, at(1))))
    assert [retired.part for retired in state.retired] == [part]


def test_parts_are_collectable_once_no_lease_protects_them() -> None:
    state, paper = written()
    state = accepted(state.register(ReaderId("r"), None, Lease(0, 10), ""))
    state = accepted(state.apply_merge(paper.merge(state, 0, 2, at(2))))
    assert state.collectable() == ()
    renewed = accepted(state.downgrade(ReaderId("r"), at(2), Lease(state.seqno, 10)))
    assert renewed.collectable() == renewed.retired
    assert state.expire(11).collectable() == state.retired


def test_a_lease_on_the_version_before_a_merge_protects_its_inputs() -> None:
    state, paper = written()
    state = accepted(state.register(ReaderId("r"), None, Lease(0, 10), ""))
    state = accepted(state.downgrade(ReaderId("r"), at(2), Lease(state.seqno + 1, 10)))
    merged = accepted(state.apply_merge(paper.merge(state, 0, 2, at(2))))
    assert merged.retired[0].seqno == state.seqno + 1
    assert merged.collectable() == ()


def test_forgetting_twice_changes_nothing_more() -> None:
    state, paper = written()
    state = accepted(state.apply_merge(paper.merge(state, 0, 2, at(2))))
    keys = frozenset(retired.part.key for retired in state.collectable())
    forgotten = state.forget(keys)
    assert forgotten.retired == ()
    assert forgotten.forget(keys) is forgotten


# The end


def test_a_shard_that_may_still_be_used_cannot_be_finalized() -> None:
    with pytest.raises(UsageError, match=r'"orders" cannot be finalized: since \{2\} and upper \{4\} must be empty'):
        written()[0].finalize()


def test_a_finalized_shard_keeps_its_id_and_gives_up_its_parts() -> None:
    state = finalized(written()[0])
    assert state.finalized
    assert state.finalize() is state
    assert len(state.retired) == 2
    assert state.collectable() == state.retired
    assert state.register(ReaderId("r"), None, None, "") == SincePassed(EMPTY)
    assert state.allow_compaction(at(9)) is state


def test_a_lease_protects_its_parts_even_if_the_shard_is_finalized() -> None:
    state = accepted(written()[0].register(ReaderId("r"), None, Lease(0, 10), ""))
    state = accepted(state.downgrade(ReaderId("r"), EMPTY, None))
    state = finalized(state)
    assert state.collectable() == ()
    assert state.expire(11).collectable() == state.retired


def accepted(result: object) -> ShardState:
    assert isinstance(result, ShardState)
    return result


def written() -> tuple[ShardState, Paper]:
    """Two batches, from 0 to 2 and to 4, that may be merged to 2."""
    paper = Paper()
    state = accepted(shard().compare_and_append(paper.parts([(1, 0, 1), (2, 1, 1)]), MINIMUM, at(2)))
    state = accepted(state.compare_and_append(paper.parts([(1, 2, -1), (3, 2, 1), (4, 3, 1)]), at(2), at(4)))
    return state.allow_compaction(at(2)), paper


def finalized(state: ShardState) -> ShardState:
    return accepted(state.seal(EMPTY)).allow_compaction(EMPTY).finalize()
