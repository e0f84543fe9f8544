"""Strategies for shards: whatever commands may make of one, step by step."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
from hypothesis import strategies as st

from holdfast.persist.part import Bound, ColumnStats, Part, Sums
from holdfast.persist.shard import Lease, ReaderId, ShardState
from holdfast.repr.frontier import EMPTY, Frontier, Timestamp
from holdfast.repr.ids import ShardId
from holdfast.repr.row import RowType
from tests.build import at, row_types
from tests.persist.paper import Paper

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
"""What both databases take: no lone surrogates, and no NUL, which PostgreSQL refuses in names and labels."""

long_ints = st.integers(-(2**63), 2**63 - 1)
bounds: st.SearchStrategy[Bound] = st.one_of(
    st.booleans(),
    st.integers(-(10**38), 10**38),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    st.binary(max_size=6),
)
stats = st.builds(ColumnStats, st.none() | bounds, st.none() | bounds, st.integers(0, 2**40))

STEPS = ("write", "append", "seal", "allow", "register", "downgrade", "release", "expire", "evolve", "merge", "forget")


@st.composite
def parts(draw: st.DrawFn, paper: Paper, first: int) -> Part:
    """A part with times from `first` on and any statistics."""
    times = st.integers(first, first + 6)
    part = paper.part(draw(st.lists(st.tuples(st.integers(0, 9), times, st.integers(-2, 2)), min_size=1, max_size=4)))
    return replace(
        part,
        key=f"s1/é-{part.key[3:]}" if draw(st.booleans()) else part.key,
        sums=Sums(draw(st.integers(-(2**80), 2**80)), draw(st.none() | st.integers(0, 2**64 - 1))),
        min_hash=draw(long_ints),
        max_hash=draw(long_ints),
        min_diff=draw(long_ints),
        max_diff=draw(long_ints),
        stats=tuple(draw(st.lists(st.tuples(texts, stats), max_size=3))),
        inline=draw(st.none() | st.binary(max_size=40)),
    )


@st.composite
def histories(draw: st.DrawFn, shard: int = 1, name: str | None = None, max_steps: int = 8) -> list[ShardState]:
    """Successive versions of one shard, from its creation on."""
    paper = Paper()
    row_type = draw(row_types(max_columns=3))
    key = tuple(draw(st.permutations(row_type.names)))
    named = draw(texts) if name is None else name
    states = [ShardState(ShardId(shard), named, draw(texts), key, (row_type,))]
    for step in draw(st.lists(st.sampled_from(STEPS), max_size=max_steps)):
        after = draw(_step(states[-1], step, paper))
        if isinstance(after, ShardState) and after is not states[-1]:
            states.append(after)
    if draw(st.integers(0, 5)) == 0:
        closed = states[-1].seal(EMPTY)
        assert isinstance(closed, ShardState)
        for reader in closed.readers:
            moved = closed.downgrade(reader.id, EMPTY, None)
            assert isinstance(moved, ShardState)
            closed = moved
        states += [closed, closed.finalize()]
    return states


@st.composite
def _step(draw: st.DrawFn, state: ShardState, step: str, paper: Paper) -> object:
    upper = state.upper.time
    assert upper is not None
    reader = ReaderId(draw(st.sampled_from(["r1", "ü", "r2"])))
    lease = draw(st.none() | st.builds(Lease, st.integers(0, state.seqno), st.integers(0, 2**62)))
    match step:
        case "write":
            return state.write(draw(st.lists(parts(paper, upper), max_size=3)))
        case "append":
            added = draw(st.lists(parts(paper, upper), max_size=2))
            return state.compare_and_append(added, state.upper, at(upper + 7))
        case "seal":
            return state.seal(at(upper + draw(st.integers(0, 8))))
        case "allow":
            return state.allow_compaction(at((state.readers[0].since.time or 0) + 50))
        case "register":
            return state.register(reader, draw(st.none() | st.just(EMPTY)), lease, draw(texts))
        case "downgrade":
            held = state.reader(reader)
            if held is None or held.since.time is None:
                return state.downgrade(reader, EMPTY, lease)
            return state.downgrade(reader, Frontier(Timestamp(held.since.time + draw(st.integers(0, 9)))), lease)
        case "release":
            return state.release(reader)
        case "expire":
            return state.expire(draw(st.integers(0, 2**62)))
        case "evolve":
            extra = pa.field(f"extra{len(state.schemas)}", draw(st.sampled_from([pa.int64(), pa.list_(pa.string())])))
            return state.evolve(RowType(state.row_type.schema.append(extra)))
        case "merge":
            return _merged(state, draw(st.integers(0, 9)))
        case _:
            return state.forget(frozenset(retired.part.key for retired in state.collectable()))


def _merged(state: ShardState, seed: int) -> ShardState:
    """Some batch put together with the next one, as a merge would leave it, parts and all."""
    if len(state.batches) < 2 or state.since.time is None:
        return state
    start = seed % (len(state.batches) - 1)
    first, second = state.batches[start : start + 2]
    merged = replace(first, since=state.since, parts=first.parts[:1])
    batches = (*state.batches[:start], merged, *state.batches[start + 2 :])
    return state._retiring(batches=batches) if second.parts else state
