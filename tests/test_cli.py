"""The command line, as people run it: on real stores, in processes of its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.persist.errors import Fenced
from tests.build import at
from tests.persist.numbers import append, create
from tests.persist.places import Place, in_folder


def holdfast(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = "from holdfast.cli import main; main()"
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
async def store(tmp_path: Path) -> Place:
    place = in_folder(tmp_path / "data").of_blobs()
    async with place.writer() as persist:
        numbers, others = await create(persist)
        for time in (1, 2):
            await append(persist, numbers, others, time)
    return place


async def test_inspect_shows_the_store_and_one_collection(store: Place, tmp_path: Path) -> None:
    shown = holdfast("inspect", "--data-dir", str(tmp_path / "data"))
    assert (shown.returncode, shown.stderr) == (0, "")
    for text in ("encoding version  2", "locked by         nobody", "numbers", "others", "{3}"):
        assert text in shown.stdout
    metadata, blob = store.location.metadata, store.location.blob.url
    shown = holdfast("inspect", "--metadata", metadata, "--blob", blob, "numbers")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert 'collection "numbers" (shard 1, version ' in shown.stdout
    assert "s1/e1-" in shown.stdout


async def test_scrub_says_whether_all_is_sound(store: Place, tmp_path: Path) -> None:
    folder = str(tmp_path / "data")
    sound = holdfast("scrub", "--data-dir", folder)
    assert (sound.returncode, sound.stderr) == (0, "")
    assert sound.stdout.startswith("2 collections, 4 parts, ")
    assert sound.stdout.endswith("bytes verified: all sound\n")
    metadata = store.location.open_metadata(read_only=True)
    key = next(iter(metadata.load([metadata.find(["others"])["others"]]).values())).batches[0].parts[0].key
    metadata.close()
    path = store.location.blob.open().local_path(key)
    assert path is not None
    path.unlink()
    damaged = holdfast("scrub", "--data-dir", folder)
    assert (damaged.returncode, damaged.stderr) == (1, "")
    assert f'DAMAGED  part {key} of collection "others": ' in damaged.stdout
    assert damaged.stdout.endswith("bytes verified: 1 damaged\n")


async def test_unlock_frees_the_store_and_fences_whoever_held_it(store: Place, tmp_path: Path) -> None:
    folder = str(tmp_path / "data")
    held = await store.open_writer()
    numbers, _ = await create(held)
    shown = await asyncio.to_thread(holdfast, "unlock", "--data-dir", folder)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.startswith("released the lock of process ")
    async with await store.open_writer() as persist:
        with pytest.raises(Fenced):
            await numbers.seal(at(9))
        assert (await persist.writer("numbers")).upper == at(3)
    await held.stop()
    shown = await asyncio.to_thread(holdfast, "unlock", "--data-dir", folder)
    assert (shown.returncode, shown.stdout) == (0, "the store is not locked\n")


@pytest.mark.parametrize("command", ["inspect", "scrub", "unlock"])
def test_a_store_that_does_not_exist_is_an_error_and_is_not_made(tmp_path: Path, command: str) -> None:
    missing = tmp_path / "nothing"
    ended = holdfast(command, "--data-dir", str(missing))
    check_complaint(ended, str(missing))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("store")
async def test_errors_are_one_line_and_no_traceback(tmp_path: Path) -> None:
    check_complaint(holdfast("inspect", "--data-dir", str(tmp_path / "data"), "nothing"), '"nothing" does not exist')
    check_complaint(holdfast("inspect", "--metadata", "mysql://somewhere"), "metadata url is not")
    (tmp_path / "data" / "metadata.db").write_bytes(b"not a database" * 100)
    check_complaint(holdfast("scrub", "--data-dir", str(tmp_path / "data")), "metadata.db is damaged")


def check_complaint(ended: subprocess.CompletedProcess[str], text: str) -> None:
    assert (ended.returncode, ended.stdout) == (1, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith("error: ")
    assert text in line


def test_help_lists_the_commands() -> None:
    shown = holdfast("--help")
    assert shown.returncode == 0
    for command in ("serve", "sql", "demo", "query", "functions", "inspect", "scrub", "unlock"):
        assert command in shown.stdout
    assert holdfast("dance").returncode == 2


def test_functions_lists_what_sql_has() -> None:
    listed = holdfast("functions", "array_reverse")
    assert listed.returncode == 0
    assert "array_reverse(anyarray) → anyarray" in listed.stdout
    assert holdfast("functions", "no_such_function").returncode == 1
