import threading
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.compute.arrange import Arranged, arranged, index, run
from holdfast.compute.arrange.same import representatives
from holdfast.errors import UsageError
from holdfast.repr.consolidate import DiffOverflowError, advance_by, as_of
from holdfast.repr.frontier import MAX_TIME, Timestamp
from holdfast.repr.row import RowType
from holdfast.repr.update import UpdateBatch
from tests.build import at, batch, batches, meaning, multiset, row_types

AB = RowType.of(("a", pa.int64()), ("b", pa.string()))
PAIRS = RowType.of(("a", pa.int64()), ("b", pa.int64()))
END = Timestamp(MAX_TIME)

Meaning = Counter[tuple[Hashable, int]]


@pytest.fixture(params=["as it is", "tiny"])
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes as they are, or so small that a few updates do all that millions would."""
    if request.param == "tiny":
        shrink(monkeypatch)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    shrink(monkeypatch)


def shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arranged, "TAIL", 2)
    monkeypatch.setattr(arranged, "FAN", 2)
    monkeypatch.setattr(arranged, "FIRST", 1)
    monkeypatch.setattr(arranged, "COMBINED", 3)
    monkeypatch.setattr(index, "_DIRECTORY_FROM", 2)
    monkeypatch.setattr(index, "_BUCKET_ROWS", 1)
    monkeypatch.setattr(index, "_MOST_GATHERED", 2)


def of(row_type: RowType, *parts: str) -> Arranged:
    found = Arranged(row_type)
    for part in parts:
        found.append(batch(row_type, part))
    return found


def ints(*values: int | None) -> pa.Array:
    return pa.array(values, pa.int64())


@dataclass
class Model:
    """What an arrangement should say, by looking at every update."""

    row_type: RowType
    updates: list[UpdateBatch] = field(default_factory=list)
    since: int = 0

    def found(self, columns: Sequence[int], keys: set[tuple[Hashable, ...]], before: int) -> Meaning:
        """The updates with these keys, those before `since` as if they were then."""
        totals: Meaning = Counter()
        for row, time, diff in (update for some in self.updates for update in listed(some)):
            if max(time, self.since) < before and tuple(row[column] for column in columns) in keys:
                totals[row, max(time, self.since)] += diff
        return Counter({update: diff for update, diff in totals.items() if diff})


def listed(some: UpdateBatch) -> Iterator[tuple[tuple[Hashable, ...], int, int]]:
    """Each update of `some`, with values that are hashable and a NaN that equals itself."""
    *cells, times, diffs = (column.to_pylist() for column in some.table.columns)
    rows: Iterable[tuple[object, ...]] = zip(*cells, strict=True) if cells else ((),) * some.rows
    for row, time, diff in zip(rows, times, diffs, strict=True):
        ((frozen, _),) = meaning(some.row_type, [(row, time, 1)])
        assert isinstance(frozen, tuple)
        yield frozen, time, diff


def seen(some: UpdateBatch, since: int) -> Meaning:
    """What `some` means at times in advance of `since`."""
    return multiset(advance_by(some, at(since)))


def test_updates_are_found_by_the_values_of_any_columns() -> None:
    some = of(AB, "1, 'x' | 3 | +1 \n 2, 'x' | 4 | +1", "1, 'y' | 5 | +1 \n 1, 'x' | 5 | -1")
    assert multiset(some.lookup((0,), [ints(1)], END)) == multiset(
        batch(AB, "1, 'x' | 3 | +1 \n 1, 'y' | 5 | +1 \n 1, 'x' | 5 | -1")
    )
    assert multiset(some.lookup((1, 0), [pa.array(["x"]), ints(2)], END)) == multiset(batch(AB, "2, 'x' | 4 | +1"))
    assert multiset(some.lookup((1,), [pa.array(["y", "z"])], END)) == multiset(batch(AB, "1, 'y' | 5 | +1"))


def test_only_earlier_times_are_found() -> None:
    some = of(AB, "1, 'x' | 3 | +1 \n 1, 'x' | 5 | -1")
    assert some.lookup((0,), [ints(1)], Timestamp(3)).rows == 0
    assert some.lookup((0,), [ints(1)], Timestamp(5)).rows == 1
    assert some.lookup((0,), [ints(1)], Timestamp(6)).rows == 2


def test_an_update_comes_once_however_often_its_key_is_asked_for() -> None:
    some = of(AB, "1, 'x' | 3 | +1 \n 1, 'x' | 3 | +1")
    assert some.lookup((0,), [pa.chunked_array([ints(1, 1), ints(1)])], END).rows == 2


def test_without_columns_all_updates_are_found() -> None:
    some = of(AB, "1, 'x' | 3 | +1", "2, 'y' | 4 | +1")
    assert some.lookup((), [], END).rows == some.all(END).rows == 2
    assert some.lookup((), [], Timestamp(4)).rows == 1


def test_an_empty_arrangement_has_nothing() -> None:
    none = Arranged(PAIRS)
    none.append(UpdateBatch.empty(PAIRS))
    none.compact(Timestamp(0))
    assert none.rows == none.nbytes == none.all(END).rows == 0
    assert none.lookup((0,), [ints(1)], END).rows == none.due(0, 5, END).rows == 0
    assert none.earliest(0, END) is None


def test_no_keys_find_nothing() -> None:
    assert of(AB, "1, 'x' | 3 | +1").lookup((0, 1), [ints(), pa.array([], pa.string())], END).rows == 0


def test_keys_that_hash_alike_are_told_apart() -> None:
    """A null leaves the hash as it was."""
    some = of(PAIRS, "1, None | 1 | +1 \n None, 1 | 1 | +1 \n 1, 1 | 1 | +1 \n None, None | 1 | +1")
    assert multiset(some.lookup((0, 1), [ints(1), ints(None)], END)) == multiset(batch(PAIRS, "1, None | 1 | +1"))
    both = some.lookup((0, 1), [ints(1, None, 1), ints(None, 1, None)], END)
    assert multiset(both) == multiset(batch(PAIRS, "1, None | 1 | +1 \n None, 1 | 1 | +1"))


def test_rows_that_hash_alike_are_told_apart_whatever_the_hash() -> None:
    values = pa.array([3, 1, 3, None, 1, 2, None])
    assert representatives([values], np.zeros(7, np.uint32)).tolist() == [0, 1, 0, 3, 1, 5, 3]


@pytest.mark.parametrize("width", [pa.int8(), pa.int16(), pa.int64(), pa.uint8(), pa.uint32(), pa.uint64()])
def test_integers_of_another_width_are_found(width: pa.DataType) -> None:
    narrow = RowType.of(("a", pa.int16()))
    some = of(narrow, "5 | 1 | +1 \n None | 1 | +1")
    assert some.lookup((0,), [pa.array([5, 6], width)], END).rows == 1
    assert some.lookup((0,), [pa.array([None], width)], END).rows == 1


@pytest.mark.parametrize(
    "key",
    [pa.array([2**16 + 5]), pa.array([5 - 2**16]), pa.array([2**64 - 1], pa.uint64()), pa.array([2**15], pa.uint16())],
    ids=str,
)
def test_an_integer_that_the_column_cannot_have_finds_nothing(key: pa.Array) -> None:
    some = of(RowType.of(("a", pa.int16())), "5 | 1 | +1 \n -1 | 1 | +1 \n -32768 | 1 | +1 \n None | 1 | +1")
    assert some.lookup((0,), [key], END).rows == 0


def test_keys_of_null_find_nulls() -> None:
    some = of(AB, "1, None | 1 | +1 \n 1, 'x' | 1 | +1")
    assert multiset(some.lookup((1,), [pa.nulls(2)], END)) == multiset(batch(AB, "1, None | 1 | +1"))


def test_keys_of_another_type_are_refused() -> None:
    with pytest.raises(UsageError, match="key of type string is looked for in a column of type int64"):
        of(AB, "1, 'x' | 1 | +1").lookup((0,), [pa.array(["1"])], END)


def test_keys_that_are_not_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="keys of 1 columns are looked for in 2"):
        Arranged(AB).lookup((1, 1), [pa.array(["x"])], END)
    with pytest.raises(UsageError, match=r"columns of keys have \[2, 1\] values"):
        Arranged(AB).lookup((0, 1), [ints(1, 2), pa.array(["x"])], END)


def test_updates_of_another_row_type_are_refused() -> None:
    with pytest.raises(UsageError, match="appended to an arrangement of"):
        Arranged(AB).append(batch(PAIRS, "1, 1 | 1 | +1"))


def test_a_time_that_was_given_up_is_refused() -> None:
    some = of(AB, "1, 'x' | 3 | +1")
    some.compact(Timestamp(5))
    assert some.all(Timestamp(6)).rows == 1
    with pytest.raises(UsageError, match="before 5 are asked for, but were compacted up to 5"):
        some.all(Timestamp(5))


@pytest.mark.usefixtures("sizes")
def test_the_earliest_is_the_least_of_the_rows_that_are_there() -> None:
    some = of(PAIRS, *(f"{value}, 0 | 1 | +1" for value in range(10)), "None, 0 | 1 | +1")
    some.append(batch(PAIRS, "0, 0 | 2 | -1 \n 1, 0 | 2 | -1 \n 2, 0 | 2 | -1 \n 1, 1 | 3 | +1"))
    assert some.earliest(0, Timestamp(1)) is None
    assert some.earliest(0, Timestamp(2)) == 0
    assert some.earliest(0, Timestamp(3)) == 3
    assert some.earliest(0, Timestamp(4)) == 1
    some.append(batch(PAIRS, [((value, 0), 5, -1) for value in range(3, 10)]))
    some.append(batch(PAIRS, "1, 1 | 5 | -1"))
    assert some.earliest(0, Timestamp(6)) is None


@pytest.mark.usefixtures("sizes")
def test_what_is_due_is_less_than_the_bound() -> None:
    some = of(PAIRS, f"{2**63 - 1}, 0 | 1 | +1", "5, 1 | 1 | +1 \n None, 0 | 1 | +1", f"{-(2**63)}, 0 | 2 | +1")
    assert multiset(some.due(0, 6, END)) == multiset(batch(PAIRS, f"5, 1 | 1 | +1 \n {-(2**63)}, 0 | 2 | +1"))
    assert multiset(some.due(0, 6, Timestamp(2))) == multiset(batch(PAIRS, "5, 1 | 1 | +1"))
    assert some.due(0, 5, Timestamp(2)).rows == some.due(0, -(2**70), END).rows == 0
    assert some.due(0, 2**63 - 1, END).rows == 2
    assert some.due(0, 2**63, END).rows == some.due(0, 2**70, END).rows == 3


def test_only_columns_of_int64_have_an_order() -> None:
    with pytest.raises(UsageError, match=r"column 1 of .* is not of type int64"):
        Arranged(AB).due(1, 5, END)


def test_many_small_appends_become_few_runs_with_their_indexes() -> None:
    some = Arranged(PAIRS)
    for number in range(5000):
        some.append(batch(PAIRS, [((number % 97, number), number, 1)]))
        if number == 10:
            some.lookup((0,), [ints(1)], END)
    assert some.rows == 5000
    assert len(some._runs) <= arranged.FAN
    assert all(one.hash_indexes.keys() == {(0,)} for one in some._runs if one.rows >= arranged.TAIL)
    assert some.lookup((0,), [ints(5)], END).rows == len(range(5, 5000, 97))


def test_a_key_that_most_rows_have_is_found_and_so_are_those_beside_it() -> None:
    count = 20_000
    columns = [
        np.where(np.arange(count) % 100, 7, np.arange(count)),
        np.arange(count),
        np.ones(count, int),
        np.ones(count, int),
    ]
    some = Arranged(PAIRS)
    some.append(UpdateBatch(PAIRS, pa.table(columns, names=PAIRS.updates_schema.names)))
    assert some.lookup((0,), [ints(7)], END).rows == count - count // 100
    assert some.lookup((0,), [ints(*range(0, count, 100))], END).rows == count // 100


def test_compaction_leaves_what_is_there_and_its_indexes() -> None:
    some = Arranged(PAIRS)
    some.lookup((0,), [ints(1)], END)
    for time in range(1, 101):
        some.append(batch(PAIRS, [((key, time), time, 1) for key in range(100)]))
        some.append(batch(PAIRS, [((key, time - 1), time, -1) for key in range(100) if time > 1]))
        some.due(1, 0, END)
        some.lookup((0,), [ints(1)], END)
        some.compact(Timestamp(time))
        assert some.rows <= 3 * arranged.TAIL
    assert seen(some.all(END), 100).keys() == {((key, 100), 100) for key in range(100)}
    assert some.earliest(1, END) == 100
    assert all(one.hash_indexes.keys() == {(0,)} and one.value_indexes.keys() == {1} for one in some._runs)


@pytest.mark.usefixtures("tiny")
def test_all_that_cancels_goes() -> None:
    some = of(AB, "1, 'x' | 1 | +1 \n 2, 'y' | 2 | +1", "1, 'x' | 3 | -1 \n 2, 'y' | 3 | -1")
    some.compact(Timestamp(3))
    assert some.rows == some.nbytes == 0


def test_what_came_and_went_again_is_gone_without_looking_at_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, looked = run.compacted, list[int]()

    def noted(runs: Sequence[run.Run], since: Timestamp) -> list[run.Run]:
        looked.append(sum(each.rows for each in runs))
        return whole(runs, since)

    for module in (arranged, run):
        monkeypatch.setattr(module, "compacted", noted)
    some = Arranged(PAIRS)
    some.load([batch(PAIRS, [((key, key), 1, 1) for key in range(50_000)])])
    for turn in range(3):
        time = 10 + 10 * turn
        coming = [((key, -1), time, 1) for key in range(3_000)]
        some.append(batch(PAIRS, coming))
        some.compact(Timestamp(time))
        some.append(batch(PAIRS, [(row, time + 5, -1) for row, _, _ in coming]))
        some.compact(Timestamp(time + 5))
        assert some.rows == 50_000
    assert looked == [6_000] * 3
    # What goes of all others stays until it is worth it to look at these.
    some.append(batch(PAIRS, [((key, key), 100, -1) for key in range(2_000)]))
    some.compact(Timestamp(100))
    some.compact(Timestamp(101))
    assert (some.rows, looked[3:]) == (52_000, [2_000])
    assert as_of(some.all(END), Timestamp(101)).rows == 48_000
    some.append(batch(PAIRS, [((key, key), 102, -1) for key in range(2_000, 50_000)]))
    some.compact(Timestamp(102))
    assert some.rows == 0


def test_history_is_compacted_once_it_may_be_even_if_nothing_is_appended() -> None:
    some = Arranged(PAIRS)
    for time in range(2000):
        some.append(batch(PAIRS, [((1, 1), time, 1 if time % 2 == 0 else -1), ((2, 2), time, 1)]))
    some.compact(Timestamp(10))
    assert some.rows > 2000
    some.compact(Timestamp(1999))
    assert multiset(some.all(END)) == Counter({((2, 2), 1999): 2000})
    assert some.rows == 1


@pytest.mark.usefixtures("tiny")
def test_a_sum_beyond_64_bits_is_an_error_and_loses_nothing() -> None:
    some = of(PAIRS, f"1, 1 | 1 | {2**63 - 1} \n 1, 1 | 2 | 1")
    with pytest.raises(DiffOverflowError):
        some.compact(Timestamp(2))
    assert some.rows == 2
    some.append(batch(PAIRS, "2, 2 | 3 | +1"))
    assert some.lookup((0,), [ints(1)], END).rows == 2


@pytest.mark.usefixtures("tiny")
def test_runs_stay_as_small_as_their_columns_must_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MAX_STRING_BYTES", 200)
    some = Arranged(AB)
    for number in range(40):
        some.append(batch(AB, [((number, "x" * 20), number, 1)]))
    some.append(UpdateBatch.concat(AB, [batch(AB, [((number, "y" * 50), 50, 1)]) for number in range(10)]))
    assert all(one.batch.column(1).nbytes <= 200 for one in some._runs)
    assert len(some._runs) < 30
    some.compact(Timestamp(60))
    assert all(one.batch.column(1).nbytes <= 200 for one in some._runs)
    assert some.lookup((0,), [ints(3, 30)], END).rows == 3


@pytest.mark.usefixtures("tiny")
def test_what_cancels_meets_though_it_does_not_fit_into_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MAX_STRING_BYTES", 400)
    some = Arranged(AB)
    for number in range(100):
        some.append(batch(AB, [((number, "x" * 20), 1, 1)]))
        some.lookup((0,), [ints(1)], END)
    for number in range(99, 1, -1):
        some.append(batch(AB, [((number, "x" * 20), 2, -1)]))
    assert some.rows == 198
    some.compact(Timestamp(2))
    assert seen(some.all(END), 2).keys() == {((0, "x" * 20), 2), ((1, "x" * 20), 2)}
    assert some.rows == 2
    assert some.lookup((0,), [ints(1, 2)], END).rows == 1


@given(data=st.data(), row_type=row_types())
@settings(deadline=None)
def test_an_arrangement_agrees_with_a_list_of_updates(data: st.DataObject, row_type: RowType) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        if data.draw(st.booleans(), "tiny"):
            shrink(monkeypatch)
        check_against_model(data, row_type)


def check_against_model(data: st.DataObject, row_type: RowType) -> None:
    some, model = Arranged(row_type), Model(row_type)
    width = len(row_type.names)
    for _ in range(data.draw(st.integers(1, 6), "steps")):
        action = data.draw(st.sampled_from(["append", "append", "lookup", "compact"]), "action")
        if action == "append":
            model.updates.append(data.draw(batches(row_type)))
            some.append(model.updates[-1])
        elif action == "compact":
            model.since = max(model.since, data.draw(st.integers(0, 4), "since"))
            some.compact(Timestamp(model.since))
        before = Timestamp(data.draw(st.integers(model.since + 1, 6), "before"))
        assert seen(some.all(before), model.since) == model.found((), {()}, before)
        columns = tuple(data.draw(st.lists(st.integers(0, width - 1), max_size=3), "columns")) if width else ()
        asked = data.draw(batches(row_type, max_updates=4), "keys")
        mine = data.draw(st.sampled_from([asked, *model.updates]), "whose keys")
        keys = {tuple(row[column] for column in columns) for row, _, _ in listed(mine)}
        found = some.lookup(columns, [mine.table.column(column) for column in columns], before)
        assert seen(found, model.since) == model.found(columns, keys if columns else {()}, before)


small = st.none() | st.integers(-2, 4)


@given(
    steps=st.lists(
        st.lists(st.tuples(st.tuples(small, small), st.integers(0, 4), st.integers(-1, 1)), max_size=6), max_size=6
    ),
    since=st.integers(0, 4),
    until=st.integers(-3, 6),
    before=st.integers(0, 6),
)
@settings(deadline=None)
def test_what_is_due_and_the_earliest_agree_with_a_list(
    steps: list[list[tuple[tuple[int | None, int | None], int, int]]], since: int, until: int, before: int
) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        shrink(monkeypatch)
        some, listed = Arranged(PAIRS), []
        before = max(before, since + 1)
        for step in steps:
            some.append(batch(PAIRS, step))
            some.due(0, until, Timestamp(before))
            some.compact(Timestamp(since))
            listed += [(row, max(time, since), diff) for row, time, diff in step if max(time, since) < before]
        due = [update for update in listed if update[0][0] is not None and update[0][0] < until]
        assert seen(some.due(0, until, Timestamp(before)), since) == multiset(batch(PAIRS, due))
        counts: Counter[tuple[int | None, int | None]] = Counter()
        for row, _, diff in listed:
            counts[row] += diff
        there = [row[0] for row, count in counts.items() if count and row[0] is not None]
        assert some.earliest(0, Timestamp(before)) == min(there, default=None)


def test_what_is_loaded_is_as_if_it_were_appended_and_is_taken_from_who_had_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = [batch(AB, f"{place}, '{place}' | 5 | +1\n7, 'x' | 5 | +1") for place in range(6)]
    monkeypatch.setattr(run, "MAX_ROWS", 8)
    found = Arranged(AB)
    found.load(pieces)
    assert not pieces
    found.append(batch(AB, "1, '1' | 6 | -1"))
    assert multiset(found.lookup((0,), [ints(1)], END)) == {((1, "1"), 5): 1, ((1, "1"), 6): -1}
    assert multiset(found.lookup((1,), [pa.array(["x"])], END)) == {((7, "x"), 5): 6}
    assert found.rows == 13


@pytest.mark.usefixtures("tiny")
def test_what_is_loaded_is_compacted_only_if_much_of_it_went() -> None:
    kept, gone = Arranged(AB), Arranged(AB)
    rows = [((place, "x"), 5, 1) for place in range(10)]
    kept.load([batch(AB, rows), batch(AB, [((0, "x"), 5, -1)])])
    gone.load([batch(AB, rows), batch(AB, [(row, time, -diff) for row, time, diff in rows[2:]])])
    assert not kept.advance(Timestamp(5))
    gone.compact(Timestamp(5))
    assert (kept.rows, gone.rows) == (11, 2)
    assert multiset(kept.all(END)) == Counter({(row, 5): 1 for row, _, _ in rows[1:]})
    assert multiset(gone.all(END)) == {((0, "x"), 5): 1, ((1, "x"), 5): 1}


@pytest.mark.usefixtures("tiny")
def test_what_is_appended_during_a_compaction_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    some = of(PAIRS, "1, 1 | 1 | +1 \n 2, 2 | 1 | +1 \n 1, 1 | 2 | -1")
    real = run.compacted

    def meanwhile(runs: Sequence[run.Run], since: Timestamp) -> list[run.Run]:
        replaced = real(runs, since)
        for key in range(3, 7):
            some.append(batch(PAIRS, [((key, key), 2, 1)]))
        some.compact(since)
        assert some.lookup((0,), [ints(1, 2, 3, 4)], END).rows == 5
        return replaced

    monkeypatch.setattr(arranged, "compacted", meanwhile)
    some.compact(Timestamp(2))
    assert some.rows == 5
    assert seen(some.all(END), 2).keys() == {((key, key), 2) for key in range(2, 7)}


@pytest.mark.usefixtures("sizes")
def test_readers_see_all_or_nothing_of_an_append_while_runs_are_replaced() -> None:
    """Each append replaces the row of each key: whatever is read, every key has one row."""
    keys, rounds = 10, 300
    some = Arranged(PAIRS)
    some.append(batch(PAIRS, [((key, 0), 1, 1) for key in range(keys)]))
    written, failures = threading.Event(), []

    def read() -> None:
        try:
            while not written.is_set():
                for found in (some.lookup((0,), [ints(*range(keys))], END), some.all(END), some.due(1, rounds, END)):
                    assert found.diff_sum == keys
                assert some.earliest(1, END) is not None
        except BaseException as error:
            failures.append(error)

    def compact() -> None:
        try:
            while not written.is_set():
                some.compact(Timestamp(rounds))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for work in (read, read, compact)]
    for thread in threads:
        thread.start()
    for number in range(1, rounds):
        changes = [((key, number - 1), number, -1) for key in range(keys)] + [
            ((key, number), number, 1) for key in range(keys)
        ]
        some.append(batch(PAIRS, changes))
    written.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert seen(some.all(END), rounds).keys() == {((key, rounds - 1), rounds) for key in range(keys)}
