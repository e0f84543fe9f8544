"""Rows in memory are, at every time that is kept, those that were put in and not taken out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.adapter.tables import by_key, contents
from holdfast.adapter.tables.contents import Contents
from holdfast.adapter.tables.index import Part
from holdfast.adapter.tables.segment import Segment
from holdfast.compute.evaluate.keys import equality
from holdfast.compute.evaluate.values import rows_of, table_of
from holdfast.errors import UsageError
from holdfast.plan.functions.registry import FUNCTIONS, OPERATORS
from holdfast.plan.scalar import Call, Column, Constant
from holdfast.plan.types import FLOAT8, INT8, TEXT, Type
from holdfast.repr.frontier import Timestamp
from tests.adapter.books import Row
from tests.adapter.tables.build import NAN, commit, counted, rows, types, value_of

T0 = Timestamp(10)


def empty(row_of: Sequence[Type]) -> Contents:
    return Contents(row_of, T0)


def of(row_of: Sequence[Type], held: Iterable[Row]) -> Contents:
    return Contents.of(row_of, table_of(list(held), row_of, [f"c{i}" for i in range(len(row_of))]), T0)


def at(held: Contents, time: int) -> list[Row]:
    return rows_of(held.view(Timestamp(time)), held.types)


def found(held: Contents, columns: tuple[int, ...], values: Sequence[object], time: int) -> list[Row]:
    if columns not in held.indexes:
        held.add_index(columns)
    rows_found = held.lookup(columns, values, Timestamp(time))
    assert rows_found is not None
    outputs = range(len(held.types))[::-2]
    picked = [tuple(row[output] for output in outputs) for row in rows_found]
    assert repr(held.lookup(columns, values, Timestamp(time), outputs)) == repr(picked)
    return rows_found


@st.composite
def histories(draw: st.DrawFn) -> tuple[tuple[Type, ...], list[tuple[list[Row], list[Row]]]]:
    """Types, and commits: rows that come and rows that go, which are there then or come with them."""
    row_of = draw(types)
    there: list[Row] = []
    commits = []
    for _ in range(draw(st.integers(0, 8))):
        added = draw(rows(row_of))
        if not added and not there:
            continue
        there += added
        some = st.lists(st.sampled_from(range(len(there))), unique=True, min_size=not added, max_size=4)
        removed = draw(some)
        commits.append((added, [there[position] for position in removed]))
        there = [row for position, row in enumerate(there) if position not in removed]
    return row_of, commits


@settings(deadline=None, max_examples=150)
@given(history=histories(), data=st.data())
def test_every_time_is_read_as_it_was(
    history: tuple[tuple[Type, ...], list[tuple[list[Row], list[Row]]]], data: st.DataObject
) -> None:
    row_of, commits = history
    held, expected = empty(row_of), {int(T0): Counter[object]()}
    early = data.draw(st.booleans(), "index before the commits")
    columns = tuple(data.draw(st.permutations(range(len(row_of)))))[: data.draw(st.integers(1, len(row_of)))]
    if early:
        held.add_index(columns)
    times = [int(T0)]
    for added, removed in commits:
        time = times[-1] + data.draw(st.integers(1, 3))
        done = commit(row_of, time, added, removed)
        if not (data.draw(st.booleans(), "together") and held.apply_many(done)):
            held.apply(done)
        gone = counted(row_of, removed)
        expected[time] = expected[times[-1]] + counted(row_of, added)
        expected[time].subtract(gone)
        times.append(time)
    floor = data.draw(st.sampled_from(times), "floor")
    held.settle(Timestamp(floor))
    if data.draw(st.booleans(), "leave out what is gone"):
        held = held.compacted()
    assert held.rows == expected[times[-1]].total()
    for time in range(floor, times[-1] + 3):
        now = +expected[max(known for known in times if known <= time)]
        assert counted(row_of, at(held, time)) == now
        values = [data.draw(value_of(row_of[column])) for column in columns]
        key = equality([row_of[column] for column in columns])
        wanted = Counter[object]()
        if None not in values:
            for row in at(held, time):
                if key(tuple(row[column] for column in columns)) == key(tuple(values)):
                    wanted += counted(row_of, [row])
        assert counted(row_of, found(held, columns, values, time)) == wanted


@given(history=histories())
def test_rows_that_go_together_are_those_that_go_one_by_one(
    history: tuple[tuple[Type, ...], list[tuple[list[Row], list[Row]]]],
) -> None:
    row_of, commits = history
    held, other = empty(row_of), empty(row_of)
    for time, (added, removed) in enumerate(commits, T0 + 1):
        done = commit(row_of, time, added, removed)
        other.apply(done)
        if not held.apply_many(done):
            held.apply(done)
    for time in range(T0, T0 + len(commits) + 1):
        assert counted(row_of, at(held, time)) == counted(row_of, at(other, time))


def test_many_rows_that_go_are_found_together_in_all_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "SEGMENT_ROWS", 64)
    held = of((INT8, TEXT, FLOAT8), ((n % 700, f"t{n % 700}", None) for n in range(1_000)))
    gone: list[Row] = [(n, f"t{n}", None) for n in range(0, 700, 2)]
    assert held.apply_many(commit(held.types, 20, [(5_000, "new", 1.5)], gone))
    assert counted(held.types, at(held, 19)).total() == held.rows + len(gone) - 1 == 1_000
    left = Counter({(n, f"t{n}", None): (n % 2) + (n < 300) for n in range(700)} | {(5_000, "new", 1.5): 1})
    assert counted(held.types, at(held, 20)) == counted(held.types, left.elements())
    again: list[Row] = [(n, f"t{n}", None) for n in range(0, 300, 2)]
    assert not held.apply_many(commit(held.types, 21, [], [*again, (2, "t2", None)])), "one more than there are"
    assert held.apply_many(commit(held.types, 21, [], again))
    assert (298, "t298", None) not in at(held, 21)


def test_rows_without_nulls_are_found_among_others_that_have_some() -> None:
    held = of((INT8, INT8), ((n, None if n % 3 == 0 else n) for n in range(100)))
    assert held.apply_many(commit(held.types, 20, [], [(n, n) for n in range(100) if n % 3]))
    assert Counter(at(held, 20)) == Counter((n, None) for n in range(0, 100, 3))


@pytest.mark.parametrize(
    ("row_of", "there", "goes"),
    [
        ((TEXT,), [("a",), ("b",)], ("b",)),  # no number
        ((INT8, TEXT), [(1, "a"), (1, "b")], (1, "b")),  # the numbers are those of another row
        ((INT8, FLOAT8), [(1, NAN)], (1, NAN)),  # Arrow has no equal to it
        ((INT8,), [(1,)], (2,)),  # not there at all
    ],
)
def test_rows_that_are_not_found_together_are_left_as_they_are(
    row_of: tuple[Type, ...], there: list[Row], goes: Row
) -> None:
    held = of(row_of, there)
    assert not held.apply_many(commit(row_of, 20, [], [goes]))
    assert held.changed_at == T0
    assert counted(row_of, at(held, 20)) == counted(row_of, there)


def test_copies_without_the_dead_count_as_memory() -> None:
    held = of((INT8,), ((n,) for n in range(1_000)))
    before = held.nbytes
    assert held.apply_many(commit(held.types, 20, [], [(n,) for n in range(100)]))
    at(held, 20)
    assert held.nbytes >= before + 900 * 8


def test_a_null_equals_nothing_and_nan_equals_itself() -> None:
    held = of([FLOAT8], [(None,), (NAN,), (0.0,), (-0.0,)])
    assert found(held, (0,), [None], 10) == []
    assert len(found(held, (0,), [NAN], 10)) == 1
    assert len(found(held, (0,), [-0.0], 10)) == len(found(held, (0,), [0.0], 10)) == 2


def test_a_number_that_no_bigint_can_be_is_not_found() -> None:
    held = of([INT8], [(2**63 - 1,)])
    assert found(held, (0,), [2**63], 10) == []
    assert found(held, (0,), [2**63 - 1], 10) == [(2**63 - 1,)]


def test_a_row_that_is_not_there_cannot_go() -> None:
    held = of([INT8, TEXT], [(1, "a")])
    with pytest.raises(UsageError, match="does not have"):
        held.apply(commit([INT8, TEXT], 11, removed=[(1, "b")]))


def test_rows_whose_hashes_are_the_same_are_told_apart() -> None:
    # A null leaves the hash as it was, so these two have one.
    held = of([INT8, INT8], [(None, 1), (1, None)])
    held.apply(commit([INT8, INT8], 11, removed=[(1, None)]))
    assert at(held, 11) == [(None, 1)]
    assert counted([INT8, INT8], at(held, 10)) == counted([INT8, INT8], [(None, 1), (1, None)])


def test_reading_again_what_has_not_changed_does_nothing() -> None:
    held = of([INT8], [(1,), (2,)])
    first = held.view(Timestamp(10))
    assert held.view(Timestamp(99)) is first
    assert held.has_view(Timestamp(99))
    held.apply(commit([INT8], 100, added=[(3,)]))
    assert not held.has_view(Timestamp(100))
    assert held.view(Timestamp(99)) is first
    assert held.view(Timestamp(100)) is held.view(Timestamp(101))


def test_many_small_commits_make_few_segments_and_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_key, "_LATE", 50)
    held = empty([INT8, TEXT])
    held.add_index((0,))
    for number in range(3_000):
        held.apply(commit([INT8, TEXT], 11 + number, added=[(number % 700, str(number))]))
    assert len(held._segments) < 100
    assert held.view(held.changed_at).num_rows == 3_000
    assert held.view(held.changed_at).column(0).num_chunks < 100
    slots = held.indexes[0,].slots
    assert len(slots._runs) == 3_000 // 51
    while runs := slots.crowded():
        slots.replace(runs, by_key.merge_runs(runs))
    assert len(slots._runs) < 5
    assert {row[1] for row in found(held, (0,), [5], held.changed_at)} == {"5", "705", "1405", "2105", "2805"}
    assert {row[1] for row in found(held, (0,), [5], 11 + 1_000)} == {"5", "705"}


def test_commits_of_a_few_thousand_rows_make_few_segments_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "SEGMENT_ROWS", 100)
    held = empty([INT8])
    for number in range(500):
        held.apply(commit([INT8], 11 + number, added=[(number,)] * 7))
    assert len(held._segments) < 3_500 // 100 + 40
    assert max(segment.count for segment in held._segments) <= 100
    assert Counter(at(held, held.changed_at)) == Counter({(number,): 7 for number in range(500)})


def test_one_row_changed_again_and_again_is_found_without_looking_at_what_it_was() -> None:
    held = of([INT8, INT8], [(number, 0) for number in range(10)])
    held.add_index((0,))
    for number in range(500):
        held.apply(commit([INT8, INT8], 11 + number, added=[(3, number + 1)], removed=[(3, number)]))
    index = held.indexes[0,]
    assert len(index.slots.find(3)) <= 2
    assert found(held, (0,), [3], held.changed_at) == [(3, 500)]
    assert found(held, (0,), [3], 11 + 99) == [(3, 100)]
    assert found(held, (0,), [3], 10) == [(3, 0)]


def test_what_can_no_longer_be_read_is_left_out() -> None:
    held = of([INT8], [(0,)])
    held.add_index((0,))
    for number in range(6_000):
        held.apply(commit([INT8], 11 + number, added=[(number + 1,)], removed=[(number,)]))
        held.settle(Timestamp(max(10, number - 1_000)))
    assert held.is_wasteful
    before = held.nbytes
    held = held.compacted()
    assert not held.is_wasteful
    assert held.nbytes < before / 2
    assert at(held, held.changed_at) == [(6_000,)]
    assert at(held, held.floor) == [(held.floor - 10,)]
    assert found(held, (0,), [held.floor - 10], held.floor) == [(held.floor - 10,)]


def test_equal_rows_go_one_at_a_time_without_looking_for_those_that_went() -> None:
    held = of([TEXT], [("same",)] * 3_000)
    looked = 0
    real = Segment.row

    def counting(segment: Segment, position: int) -> Row:
        nonlocal looked
        looked += 1
        return real(segment, position)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Segment, "row", counting)
        for number in range(1_000):
            held.apply(commit([TEXT], 11 + number, removed=[("same",)]))
    assert held.rows == 2_000
    # Each time at the row that goes, and at one that is like it.
    assert looked == 2 * 1_000


def test_a_table_without_columns_has_rows_all_the_same() -> None:
    held = Contents.of([], pa.table({"": pa.nulls(3)}).select([]), T0)
    held.apply(commit([], 11, added=[()], removed=[(), ()]))
    assert held.view(Timestamp(11)).num_rows == 2
    assert held.view(T0).num_rows == 3


def test_rows_of_many_segments_are_found_by_any_of_their_columns() -> None:
    rng = random.Random(5)
    count = 2 * contents.SEGMENT_ROWS + 10
    held = of([INT8, TEXT], [(number, str(number % 1_000)) for number in range(count)])
    held.apply(commit([INT8, TEXT], 11, removed=[(count - 1, str((count - 1) % 1_000))]))
    for number in rng.sample(range(count - 1), 20):
        assert found(held, (0,), [number], 11) == [(number, str(number % 1_000))]
        assert found(held, (1, 0), [str(number % 1_000), number], 11) == [(number, str(number % 1_000))]
    assert found(held, (0,), [count - 1], 11) == []
    assert len(found(held, (0,), [count - 1], 10)) == 1
    assert held.view(Timestamp(11)).num_rows == count - 1


def test_rows_too_many_to_make_each_are_not_looked_up() -> None:
    held = of([INT8], [(1,)] * 3_000)
    held.add_index((0,))
    assert held.lookup((0,), [1], T0) is None


LOWER = Call(FUNCTIONS["lower"][0], (Column(1, TEXT, nullable=True),), TEXT, nullable=True)
(DIVIDE,) = (each for each in OPERATORS["/"] if each.arguments == (INT8, INT8))
PART_OF = Call(DIVIDE, (Constant(6, INT8), Column(0, INT8, nullable=True)), INT8, nullable=True)

few = st.tuples(st.sampled_from([0, 1, 2, 3, None]), st.sampled_from(["a", "A", "b", None]))


@settings(deadline=None)
@given(changes=st.lists(st.tuples(st.lists(few, max_size=3), st.integers(0, 2)), max_size=6), data=st.data())
def test_rows_are_found_by_expressions_unless_these_fail_for_one(
    changes: list[tuple[list[Row], int]], data: st.DataObject
) -> None:
    held, by = empty((INT8, TEXT)), data.draw(st.sampled_from([(LOWER,), (0, LOWER), (PART_OF,), (PART_OF, LOWER)]))
    early = data.draw(st.booleans(), "index before the commits")
    if early:
        held.add_index(by)
    there, expected, failed = list[Row](), {int(T0): list[Row]()}, False
    for time, (added, removed) in enumerate(changes, T0 + 1):
        there = there + added
        failed = failed or (PART_OF in by and any(row[0] == 0 for row in added))
        removed = min(removed, len(there))
        if added or removed:
            held.apply(commit((INT8, TEXT), time, added, there[:removed]))
        there = there[removed:]
        expected[time] = there
    if not early:
        held.add_index(by)
    values = tuple(
        data.draw(st.sampled_from([0, 1, 2] if part == 0 else [2, 3, 6] if part is PART_OF else ["a", "c"]))
        for part in by
    )
    for time, now in expected.items():
        found = held.lookup(by, values, Timestamp(time))
        if failed:
            assert found is None
            continue
        wanted = [row for row in now if _values(row, by) == values]
        assert found is not None
        assert Counter(found) == Counter(wanted)


def _values(row: Row, by: Sequence[Part]) -> tuple[object, ...]:
    number, text = row
    assert isinstance(number, int | None)
    assert isinstance(text, str | None)
    of: dict[Part, Callable[[], object]] = {
        0: lambda: number,
        LOWER: lambda: None if text is None else text.lower(),
        PART_OF: lambda: None if number is None else 6 // number,
    }
    return tuple(of[part]() for part in by)
