"""Persist without asyncio: the same promises, in blocking calls."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.persist import Append, Location, UpperMismatch
from holdfast.persist.errors import LockHeld, ReadTimeout, Stopped, UnknownCollection
from holdfast.persist.sync import SyncPersist, SyncReader
from holdfast.repr.frontier import EMPTY, Timestamp
from holdfast.repr.row import RowType
from tests.build import at
from tests.persist.numbers import NUMBERS, ROW_TYPE, batch_at, contents_at, counted
from tests.persist.places import QUIET

pytestmark = pytest.mark.usefixtures("eager_merges")


@pytest.fixture
def location(tmp_path: Path) -> Location:
    return Location.in_folder(tmp_path)


def rows_at(reader: SyncReader, time: int) -> object:
    return counted(reader.rows(Timestamp(time), timeout=30))


def test_what_is_written_is_read(location: Location) -> None:
    # Every append is a file, so there are some to collect.
    with SyncPersist.open_writer(location, settings=replace(QUIET, inline_bytes=0)) as persist:
        numbers = persist.create_or_load(NUMBERS, ROW_TYPE, key=["n"])
        assert numbers.seal(at(1)) is None
        assert numbers.write(batch_at(2)) is None
        assert numbers.compare_and_append(batch_at(1), at(1), at(2)) is None
        assert numbers.compare_and_append(batch_at(1), at(1), at(2)) == UpperMismatch(at(1), at(2))
        assert numbers.seal(at(3)) is None
        for time in range(3, 13):
            assert numbers.compare_and_append(batch_at(time), at(time), at(time + 1)) is None
        reader = persist.reader(NUMBERS)
        assert (reader.since, reader.upper) == (at(0), at(13))
        assert rows_at(reader, 2) == contents_at(2)
        assert sum((counted(batch) for batch in reader.snapshot(Timestamp(12))), Counter()) == contents_at(12)
        reader.downgrade(at(12))
        numbers.allow_compaction(at(12))
        assert persist.compact(NUMBERS)
        assert persist.collect_garbage()
        assert numbers.since == at(12)
        assert rows_at(reader, 12) == contents_at(12)
        reader.close()
        numbers.evolve(RowType(ROW_TYPE.schema.append(ROW_TYPE.schema.field("i").with_name("j"))))
        numbers.seal(EMPTY)
        numbers.allow_compaction(EMPTY)
        numbers.finalize()
        with pytest.raises(UnknownCollection):
            persist.writer(NUMBERS)


def test_changes_come_as_they_happen(location: Location) -> None:
    with SyncPersist.open_writer(location, settings=QUIET) as persist:
        numbers = persist.create_or_load(NUMBERS, ROW_TYPE)
        numbers.seal(at(1))
        reader = persist.reader(NUMBERS)
        changes = reader.subscribe(Timestamp(0))
        assert next(changes).upper == at(1)
        appending = threading.Thread(target=numbers.compare_and_append, args=(batch_at(1), at(1), at(2)))
        appending.start()
        seen: Counter[tuple[int, int]] = Counter()
        while (told := next(changes)).upper != at(2):
            seen.update(counted(told.updates))
        assert seen == contents_at(1)
        appending.join()
        changes.close()  # type: ignore[attr-defined]  # it is a generator
        numbers.seal(EMPTY)
        assert [told.upper for told in reader.listen(Timestamp(2))] == [EMPTY]


def test_several_collections_are_appended_to_at_once(location: Location) -> None:
    with SyncPersist.open_writer(location, settings=QUIET) as persist:
        one, two = persist.create_or_load("one", ROW_TYPE), persist.create_or_load("two", ROW_TYPE)
        two.seal(at(5))
        appends = [Append(writer.handle, batch_at(1), at(0), at(2)) for writer in (one, two)]
        assert persist.compare_and_append_all(appends) == UpperMismatch(at(0), at(5))
        assert one.upper == at(0)


def test_errors_are_those_of_the_calls(location: Location) -> None:
    with SyncPersist.open_writer(location, settings=QUIET) as persist:
        with pytest.raises(LockHeld):
            SyncPersist.open_writer(location, settings=QUIET)
        numbers = persist.create_or_load(NUMBERS, ROW_TYPE)
        with pytest.raises(ReadTimeout):
            persist.reader(NUMBERS).rows(Timestamp(5), timeout=0.01)
        with SyncPersist.open_reader(location, independent=True, settings=QUIET) as alone:
            assert alone.reader(NUMBERS).upper == at(0)
        persist.stop()
        for call in (lambda: numbers.seal(at(3)), lambda: persist.reader(NUMBERS), persist.collect_garbage):
            with pytest.raises(Stopped):
                call()
        persist.stop()
