"""What every metadata store does, in memory, in a file and in a server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.persist.metadata import Change, Commit, Committed, Conflict, EpochMismatch, Metadata, ShardSummary
from holdfast.persist.part import Sums
from holdfast.persist.shard import Lease, ReaderId, ShardState
from holdfast.persist.store import Lock, StoreState
from holdfast.repr.frontier import EMPTY, MINIMUM
from holdfast.repr.ids import ShardId
from tests.build import at
from tests.persist.histories import histories
from tests.persist.metadata.conftest import Place, Places
from tests.persist.paper import Paper, shard


def examples(count: int) -> settings:
    """So many examples, for each of which the test makes a fresh place by the one fixture."""
    slow = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=count, suppress_health_check=slow)


def commit(metadata: Metadata, *changes: Change, **store: object) -> Committed | Conflict | EpochMismatch:
    """A writer's commit, with the store's next id after all shards that are new."""
    before = metadata.store()
    new = [int(change.new.id) + 1 for change in changes if change.old is None]
    changed = replace(before, next_shard=ShardId(max([*new, before.next_shard])), **store)  # type: ignore[arg-type]  # the names are StoreState's own
    return metadata.commit(Commit(before.epoch, changed, changes))


def create(metadata: Metadata, *states: ShardState) -> None:
    assert isinstance(commit(metadata, *(Change(None, state) for state in states)), Committed)


def sealed(state: ShardState, upper: int) -> ShardState:
    after = state.seal(at(upper))
    assert isinstance(after, ShardState)
    return after


def ended(state: ShardState) -> ShardState:
    closed = state.seal(EMPTY)
    assert isinstance(closed, ShardState)
    return closed.allow_compaction(EMPTY).finalize()


def test_a_new_store_is_empty(metadata: Metadata) -> None:
    assert metadata.store() == StoreState()
    assert metadata.load([ShardId(1)]) == {}
    assert metadata.load([]) == {}
    assert metadata.find(["orders"]) == {}
    assert metadata.summaries() == []


def round_trips(place: Place, states: Sequence[ShardState]) -> None:
    with closing(place.fresh()) as steps, closing(place.fresh()) as jump:
        writer, reader = steps.open(), steps.open()
        create(writer, states[0])
        for old, new in zip([None, *states], states, strict=False):
            if old is not None:
                assert isinstance(commit(writer, Change(old, new)), Committed)
            assert reader.load([new.id]) == {new.id: new}
        jumped = jump.open()
        create(jumped, states[0])
        if len(states) > 1:
            assert isinstance(commit(jumped, Change(states[0], states[-1])), Committed)
        assert jumped.load([states[0].id]) == {states[-1].id: states[-1]}


@examples(25)
@given(states=histories())
def test_every_version_is_read_as_it_was_committed(place: Place, states: list[ShardState]) -> None:
    round_trips(place, states)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@examples(1000)
@given(states=histories(max_steps=30))
def test_every_version_is_read_as_it_was_committed_for_long(place: Place, states: list[ShardState]) -> None:
    round_trips(place, states)


@pytest.mark.parametrize("content", [None, 0, 1, 2**64 - 1])
def test_a_part_is_read_with_its_sums_whether_its_contents_are_known_or_not(place: Place, content: int | None) -> None:
    part = replace(Paper().part([(1, 0, 1)]), sums=Sums(1, content))
    state = shard().compare_and_append([part], MINIMUM, at(1))
    assert isinstance(state, ShardState)
    writer, reader = place.open(), place.open()
    create(writer, shard())
    assert isinstance(commit(writer, Change(shard(), state)), Committed)
    assert reader.load([state.id])[state.id].batches[0].parts == (part,)


def test_the_store_is_read_as_it_was_committed(place: Place) -> None:
    writer, reader = place.open(), place.open()
    for lock in (Lock("é 1", None), Lock("2", "again"), None):
        before = writer.store()
        after = replace(before, epoch=before.epoch + 3, lock=lock, next_shard=ShardId(7), token="t", address="a:1")
        committed = writer.commit(Commit(before.epoch, after, ()))
        assert committed == Committed(before.version + 1)
        assert reader.store() == replace(after, version=before.version + 1)


def test_a_commit_to_a_changed_shard_changes_nothing_and_names_it(place: Place) -> None:
    ours, theirs = place.open(), place.open()
    create(ours, shard())
    assert isinstance(commit(theirs, Change(shard(), sealed(shard(), 3))), Committed)
    before = ours.store()
    assert commit(ours, Change(shard(), sealed(shard(), 9))) == Conflict(ShardId(1))
    assert ours.load([ShardId(1)]) == {ShardId(1): sealed(shard(), 3)}
    assert ours.store() == before


def test_the_stale_shard_of_several_is_named_even_if_it_has_the_seqno_we_wanted(place: Place) -> None:
    """A conflict that names a shard that is not stale would be retried for ever."""
    ours, theirs = place.open(), place.open()
    states = [shard(f"c{number}", number) for number in (1, 2, 3)]
    create(ours, *states)
    assert isinstance(commit(theirs, Change(states[1], sealed(states[1], 3))), Committed)
    changes = [Change(state, sealed(state, 9)) for state in states]
    assert commit(ours, *changes) == Conflict(ShardId(2))


def test_a_commit_with_one_stale_shard_changes_none(place: Place) -> None:
    ours, theirs = place.open(), place.open()
    first, second = shard("a", 1), shard("b", 2)
    create(ours, first, second)
    assert isinstance(commit(theirs, Change(second, sealed(second, 3))), Committed)
    new = Change(None, shard("c", 3))
    result = commit(ours, new, Change(first, sealed(first, 9)), Change(second, sealed(second, 9)), token="lost")
    assert result == Conflict(ShardId(2))
    assert ours.load([ShardId(n) for n in (1, 2, 3)]) == {first.id: first, second.id: sealed(second, 3)}
    assert ours.find(["c"]) == {}
    assert ours.store().token == ""


def test_a_shard_that_is_not_there_is_a_conflict(metadata: Metadata) -> None:
    before = metadata.store()
    assert metadata.commit(Commit(before.epoch, before, (Change(shard(), sealed(shard(), 3)),))) == Conflict(ShardId(1))
    assert metadata.store() == before


def test_a_commit_of_an_older_epoch_is_refused_with_the_store(place: Place) -> None:
    older, newer = place.open(), place.open()
    create(older, shard())
    stale = older.store()
    taken = replace(newer.store(), epoch=stale.epoch + 1, lock=Lock("new", None), token="n")
    assert isinstance(newer.commit(Commit(stale.epoch, taken, ())), Committed)
    refused = older.commit(Commit(stale.epoch, replace(stale, token="o"), (Change(shard(), sealed(shard(), 3)),)))
    assert refused == EpochMismatch(newer.store())
    assert newer.store() == replace(taken, version=stale.version + 1)
    assert older.load([ShardId(1)]) == {ShardId(1): shard()}


def test_of_live_shards_only_one_has_a_name(metadata: Metadata) -> None:
    create(metadata, shard("a", 1))
    assert commit(metadata, Change(None, shard("a", 2))) == Conflict(ShardId(2))
    assert commit(metadata, Change(None, shard("b", 1))) == Conflict(ShardId(1))
    assert commit(metadata, Change(None, shard("c", 2)), Change(None, shard("c", 3))) == Conflict(ShardId(3))
    assert metadata.find(["a", "b", "c"]) == {"a": 1}


def test_the_name_of_a_finalized_shard_can_be_used_by_another(metadata: Metadata) -> None:
    first = shard("a", 1)
    create(metadata, first)
    assert isinstance(commit(metadata, Change(first, ended(first))), Committed)
    assert metadata.find(["a"]) == {}
    create(metadata, shard("a", 2))
    assert metadata.find(["a", "b"]) == {"a": 2}
    assert metadata.load([ShardId(1), ShardId(2)]) == {1: ended(first), 2: shard("a", 2)}


def test_a_name_can_change_hands_in_one_commit(metadata: Metadata) -> None:
    first = shard("a", 1)
    create(metadata, first)
    changes = (Change(None, shard("a", 2)), Change(first, ended(first)))
    assert isinstance(commit(metadata, *changes), Committed)
    assert metadata.find(["a"]) == {"a": 2}


def test_summaries_tell_what_changed_after_a_version(metadata: Metadata) -> None:
    first, second = shard("a", 1), shard("b", 2)
    create(metadata, first, second)
    seen = metadata.store().version
    assert [summary.id for summary in metadata.summaries()] == [1, 2]
    assert metadata.summaries(seen) == []
    moved = sealed(second, 4)
    commit(metadata, Change(second, moved))
    assert metadata.summaries(seen) == [ShardSummary(ShardId(2), "b", moved.seqno, MINIMUM, at(4), False)]
    commit(metadata, Change(first, ended(first)))
    assert metadata.summaries(seen)[0] == ShardSummary(ShardId(1), "a", ended(first).seqno, EMPTY, EMPTY, True)


def test_versions_strictly_increase_over_all_kinds_of_commits(metadata: Metadata) -> None:
    create(metadata, shard())
    registered = shard().register(ReaderId("r"), None, Lease(0, 9), "")
    assert isinstance(registered, ShardState)
    commits = [
        Commit(0, metadata.store(), ()),
        Commit(None, None, (Change(shard(), registered),)),
        Commit(0, metadata.store(), (Change(registered, sealed(registered, 3)),)),
    ]
    assert [metadata.commit(each) for each in commits] == [Committed(2), Committed(3), Committed(4)]


def test_a_readers_commit_leaves_lock_epoch_and_token_alone(place: Place) -> None:
    writer, reader = place.open(), place.open()
    create(writer, shard())
    commit(writer, epoch=4, lock=Lock("writer", "again"), token="mine", address="here:1")
    before = writer.store()
    registered = shard().register(ReaderId("r"), None, Lease(0, 9), "")
    assert isinstance(registered, ShardState)
    assert reader.commit(Commit(None, None, (Change(shard(), registered),))) == Committed(before.version + 1)
    assert writer.store() == replace(before, version=before.version + 1)
    assert commit(writer, Change(shard(), sealed(shard(), 3))) == Conflict(ShardId(1))
    assert isinstance(commit(writer, Change(registered, sealed(registered, 3))), Committed)


def test_a_thousand_shards_go_into_one_commit(metadata: Metadata) -> None:
    states = [shard(f"c{number}", number) for number in range(1, 1001)]
    create(metadata, *states)
    moved = [sealed(state, 5) for state in states]
    assert isinstance(commit(metadata, *map(Change, states, moved)), Committed)
    assert metadata.load([state.id for state in states]) == {state.id: state for state in moved}
    assert len(metadata.find([state.name for state in states])) == 1000


def test_of_threads_that_expect_the_same_version_one_wins(place: Place) -> None:
    clients = [place.open() for _ in range(4)]
    create(clients[0], shard())
    state = shard()
    for _ in range(5):
        offers = [sealed(state, (state.upper.time or 0) + 1 + number) for number in range(8)]

        def race(number: int, state: ShardState = state, offers: list[ShardState] = offers) -> object:
            client = clients[number % len(clients)]
            return client.commit(
                Commit(0, replace(client.store(), token=str(number)), (Change(state, offers[number]),))
            )

        with ThreadPoolExecutor(8) as threads:
            results = list(threads.map(race, range(8)))
        (winner,) = [number for number, result in enumerate(results) if isinstance(result, Committed)]
        assert [result for number, result in enumerate(results) if number != winner] == [Conflict(ShardId(1))] * 7
        state = offers[winner]
        assert clients[0].load([ShardId(1)]) == {ShardId(1): state}
        assert clients[0].store().token == str(winner)


RACER = """
import sys
from pathlib import Path
from holdfast.persist.metadata import Change, Commit, Committed
from holdfast.persist.metadata.postgres import PostgresMetadata
from holdfast.persist.metadata.sqlite import SqliteMetadata
from holdfast.persist.shard import ShardState
from holdfast.repr.frontier import at
from tests.persist.paper import shard

url, schema, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
metadata = PostgresMetadata(url, schema=schema) if schema else SqliteMetadata(Path(url))
print("ready", flush=True)
sys.stdin.readline()
new = shard().seal(at(number))
assert isinstance(new, ShardState)
won = isinstance(metadata.commit(Commit(0, metadata.store(), (Change(shard(), new),))), Committed)
print("won" if won else "lost", flush=True)
metadata.close()
"""


def test_of_processes_that_expect_the_same_version_one_wins(shared_place: Place) -> None:
    """They also open it, and so make its tables, at once."""
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, *shared_place.address, str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in (1, 2, 3, 4)
    ]
    lines = []
    for racer in racers:
        assert racer.stdout is not None
        lines.append(racer.stdout.readline())
    assert lines == ["ready\n"] * 4
    metadata = shared_place.open()
    create(metadata, shard())
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    said = [racer.communicate(timeout=60)[0] for racer in racers]
    assert sorted(said) == ["lost\n"] * 3 + ["won\n"]
    assert metadata.load([ShardId(1)])[ShardId(1)].upper == at(1 + said.index("won\n"))


@st.composite
def commits(draw: st.DrawFn) -> list[tuple[int | None, list[Change]]]:
    """Commits to a few shards, in an order that makes many of them stale."""
    made = [draw(histories(shard=number, name=f"c{number % 2}", max_steps=5)) for number in (1, 2, 3)]
    every = [Change(old, new) for states in made for old, new in zip([None, *states], states, strict=False)]
    every.sort(key=lambda change: change.new.seqno)
    chosen = st.lists(st.sampled_from(every), max_size=3, unique_by=lambda change: change.new.id)
    steps = st.tuples(st.sampled_from([0, 0, 0, 0, 1, None]), chosen)
    listed = draw(st.lists(steps, max_size=8))
    return [(0, [change]) for change in every[:4]] + listed + [(0, [change]) for change in every]


def same_everywhere(places: Places, listed: list[tuple[int | None, list[Change]]]) -> None:
    clients = [places.make(kind).open() for kind in ("memory", "sqlite", "postgres")]
    for number, (epoch, changes) in enumerate(listed):
        store = None if epoch is None else replace(clients[0].store(), token=str(number), next_shard=ShardId(4))
        outcomes = [client.commit(Commit(epoch, store, tuple(changes))) for client in clients]
        # Of several stale shards any may be named.
        assert len({outcome if not isinstance(outcome, Conflict) else Conflict for outcome in outcomes}) == 1
        observed = [
            (
                client.store(),
                client.load([s.id for s in client.summaries()]),
                client.find(["c0", "c1"]),
                client.summaries(client.store().version - 2),
            )
            for client in clients
        ]
        assert observed[0] == observed[1] == observed[2]
    for client in clients:
        client.close()


@examples(25)
@given(listed=commits())
def test_all_stores_agree(places: Places, listed: list[tuple[int | None, list[Change]]]) -> None:
    same_everywhere(places, listed)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@examples(1000)
@given(listed=commits())
def test_all_stores_agree_for_long(places: Places, listed: list[tuple[int | None, list[Change]]]) -> None:
    same_everywhere(places, listed)


def test_clients_are_closed_twice_without_harm(place: Place) -> None:
    metadata = place.open()
    metadata.close()
    metadata.close()
