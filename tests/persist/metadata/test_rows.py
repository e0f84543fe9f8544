"""Damage to the rows of a store, done with SQL behind its back."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from holdfast.persist import Location, Persist
from holdfast.persist.errors import CorruptMetadata
from holdfast.persist.metadata import Change, Commit, Committed
from holdfast.persist.metadata.rows import checksum
from holdfast.persist.metadata.sqlite import SqliteMetadata
from holdfast.persist.metadata.tables import CHILDREN, PART, SHARD, STORE, Table
from holdfast.persist.part import ColumnStats
from holdfast.persist.shard import Lease, ReaderId, ShardState
from holdfast.persist.store import Lock
from holdfast.repr.frontier import MINIMUM
from holdfast.repr.ids import ShardId
from holdfast.repr.row import RowType
from tests.build import at
from tests.persist.paper import Paper, shard

TABLES = (STORE, SHARD, *CHILDREN)


def accepted(result: object) -> ShardState:
    assert isinstance(result, ShardState)
    return result


def rich(name: str, shard_id: int) -> ShardState:
    """A shard with rows in every table; parts that are named, unsealed, retired, of unknown contents, and inline."""
    paper = Paper()
    first = [
        replace(part, stats=(("n", ColumnStats(1, 2, 0)),)) for part in paper.parts([(1, 0, 1), (2, 1, 1), (3, 1, 2)])
    ]
    state = accepted(shard(name, shard_id).compare_and_append(first, MINIMUM, at(2)))
    state = accepted(state.compare_and_append(paper.parts([(1, 2, -1)]), at(2), at(4))).allow_compaction(at(3))
    state = accepted(state.apply_merge(paper.merge(state, 0, 1, at(3))))
    inline = replace(paper.small_part([(9, 9, 1)]), inline=b"\0bytes\xff")
    state = accepted(state.write([paper.part([(7, 9, 1)]), paper.small_part([(8, 9, 1)]), inline]))
    return accepted(state.register(ReaderId("r"), None, Lease(0, 99), "label"))


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two shards, closed."""
    path = tmp_path_factory.mktemp("rows") / "store.db"
    with closing(SqliteMetadata(path)) as metadata:
        states = [rich("a", 1), rich("b", 2)]
        store = replace(metadata.store(), lock=Lock("me", "again"), next_shard=ShardId(3), token="t", address="h:1")
        assert isinstance(metadata.commit(Commit(0, store, tuple(Change(None, state) for state in states))), Committed)
        assert metadata.load([ShardId(1), ShardId(2)]) == {state.id: state for state in states}
    return path


@pytest.fixture
def path(pristine: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(pristine, tmp_path / "store.db"))


def read_all(path: Path) -> None:
    with closing(SqliteMetadata(path)) as metadata:
        metadata.store()
        metadata.load([ShardId(1), ShardId(2)])


def damage(path: Path, sql: str, *parameters: object) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(sql, parameters).rowcount == 1


def key_of(table: Table, row: tuple[object, ...]) -> str:
    return ", ".join(f"{name} {value}" for name, value in zip(table.names[: table.key], row, strict=False))


def cells() -> Iterator[tuple[Table, str]]:
    """All but the bytes of parts, which whoever reads them verifies."""
    return ((table, name) for table in TABLES for name in table.names if name != table.data)


def other_values(value: object) -> list[object]:
    """What a column might hold instead: a near value, a far one, none, and one of another type."""
    if isinstance(value, int):
        others = (value + 1, value - 1, value ^ (1 << 40))
        return [*(other for other in others if -(2**63) <= other < 2**63), None, "x"]
    if isinstance(value, str):
        return [value + " ", value[:-1], value.swapcase(), None, 7, b"\xff\x00", 0.5]
    return [0, "x"]


def rows_of(path: Path, table: Table) -> list[tuple[int, tuple[object, ...]]]:
    names = ", ".join(f'"{name}"' for name in table.names)
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(f"SELECT rowid, {names} FROM {table.name}").fetchall()
    return [(row[0], tuple(row[1:])) for row in rows]


@pytest.mark.parametrize(("table", "column"), [pytest.param(t, c, id=f"{t.name}-{c}") for t, c in cells()])
def test_a_changed_cell_is_noticed(pristine: Path, tmp_path: Path, table: Table, column: str) -> None:
    tried = 0
    for rowid, row in rows_of(pristine, table):
        before = row[table.names.index(column)]
        for value in other_values(before):
            path = Path(shutil.copy(pristine, tmp_path / "store.db"))
            try:
                damage(path, f'UPDATE {table.name} SET "{column}" = ? WHERE rowid = ?', value, rowid)
            except sqlite3.IntegrityError:
                continue  # a null that may not be, or a key that is taken
            stored = dict(rows_of(path, table))[rowid][table.names.index(column)]
            if stored == before or (table, column) == (STORE, "encoding_version"):
                continue
            with pytest.raises(CorruptMetadata) as noticed:
                read_all(path)
            if column not in table.names[: table.key]:
                assert f"metadata row {table.name} ({key_of(table, row)})" in str(noticed.value)
            tried += 1
    assert tried or column == "encoding_version"


@pytest.mark.parametrize("value", ["text", 7, 0.5])
def test_what_is_not_bytes_where_the_bytes_of_a_part_belong_is_noticed(path: Path, value: object) -> None:
    (row, *_) = [row for _, row in rows_of(path, PART) if row[PART.names.index("inline")] is not None]
    damage(path, "UPDATE part SET inline = ? WHERE shard = ? AND part = ?", value, *row[:2])
    with pytest.raises(CorruptMetadata, match=re.escape(f"metadata row part ({key_of(PART, row)}) fails")):
        read_all(path)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_missing_row_is_noticed(pristine: Path, tmp_path: Path, table: Table) -> None:
    for rowid, row in rows_of(pristine, table):
        path = Path(shutil.copy(pristine, tmp_path / "store.db"))
        damage(path, f"DELETE FROM {table.name} WHERE rowid = ?", rowid)
        place = f"metadata row {table.name} ({key_of(table, row)}) is missing"
        if table in CHILDREN:
            place = f"metadata rows of shard {row[0]} "
        with pytest.raises(CorruptMetadata, match=re.escape(place)):
            read_all(path)


@pytest.mark.parametrize("table", CHILDREN, ids=lambda table: table.name)
def test_an_added_row_is_noticed_even_with_a_right_checksum(path: Path, table: Table) -> None:
    _, row = rows_of(path, table)[0]
    added = [row[0], 77 if isinstance(row[1], int) else "zz", *row[2:-1]]
    marks = ", ".join("?" * len(row))
    damage(path, f"INSERT INTO {table.name} VALUES ({marks})", *added, checksum(table, added))  # type: ignore[arg-type]  # cells as SQLite gave them
    with pytest.raises(CorruptMetadata, match='shard 1 \\("a"\\) are missing or added'):
        read_all(path)


@pytest.mark.parametrize("table", CHILDREN, ids=lambda table: table.name)
def test_rows_that_changed_places_are_noticed(path: Path, table: Table) -> None:
    """Each of the two has a checksum that belongs to a row of the same shard."""
    (one, first), (two, second) = [
        pair for pair in rows_of(path, table) if table.name != "schema" or pair[1][0] in (1, 2)
    ][:2]
    damage(path, f"UPDATE {table.name} SET checksum = ? WHERE rowid = ?", second[-1], one)
    damage(path, f"UPDATE {table.name} SET checksum = ? WHERE rowid = ?", first[-1], two)
    with pytest.raises(CorruptMetadata, match=f"metadata row {table.name}"):
        read_all(path)


def test_text_that_is_not_unicode_is_noticed(path: Path) -> None:
    damage(path, "UPDATE shard SET name = CAST(x'ff41' AS TEXT) WHERE shard = 1")
    with pytest.raises(CorruptMetadata, match="Could not decode"):
        read_all(path)


def test_damage_to_one_shard_leaves_others_readable(path: Path) -> None:
    damage(path, "UPDATE shard SET since = 1 WHERE shard = 1")
    with closing(SqliteMetadata(path)) as metadata:
        assert metadata.load([ShardId(2)]) == {ShardId(2): rich("b", 2)}
        with pytest.raises(CorruptMetadata, match=r"metadata row shard \(shard 1\) fails its checksum"):
            metadata.load([ShardId(1), ShardId(2)])


def test_a_commit_to_a_store_whose_row_is_gone_is_refused(path: Path) -> None:
    with closing(SqliteMetadata(path)) as metadata:
        store = metadata.store()
        damage(path, "DELETE FROM store")
        for commit in (Commit(None, None, ()), Commit(0, store, ())):
            with pytest.raises(CorruptMetadata, match=r"metadata row store \(id 1\) is missing"):
                metadata.commit(commit)


def test_an_id_that_was_never_allotted_is_no_damage(path: Path) -> None:
    with closing(SqliteMetadata(path)) as metadata:
        assert metadata.load([ShardId(0), ShardId(3), ShardId(99)]) == {}


@pytest.mark.parametrize(
    "sql", ["UPDATE shard SET name = 'another' WHERE shard = 1", "DELETE FROM shard WHERE shard = 1"]
)
async def test_no_collection_is_made_beside_one_that_damage_hides(path: Path, sql: str) -> None:
    with closing(SqliteMetadata(path)) as metadata:
        name = metadata.load([ShardId(1)])[ShardId(1)].name
    damage(path, sql)
    location = Location.of(f"sqlite://{path}", str(path.parent / "parts"))
    async with await Persist.open_writer(location, reentrance_id="again") as persist:
        with pytest.raises(CorruptMetadata):
            await persist.create_or_load(name, RowType.of())
