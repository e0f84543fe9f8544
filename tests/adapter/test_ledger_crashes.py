"""A database killed with -9, wherever it is: all that was acknowledged is there, and nothing is there by half."""

from __future__ import annotations

import random
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast.adapter.ledger import Ledger
from holdfast.persist import Location, Persist
from holdfast.persist.gc import known_keys
from holdfast.persist.scrub import scrub
from tests.adapter.books import Book, HandClock, quiet
from tests.adapter.child import REENTRANCE, main
from tests.persist.places import QUIET, fresh_database
from tests.persist.processes import Line, child
from tests.persist.test_crashes import COMMIT, DELETE, PUT

PLACES = [*PUT, *COMMIT, *DELETE, "append_staged", "merge_written", "merge_applied"]


class Witness:
    """What was acknowledged, over all lives of the database."""

    def __init__(self) -> None:
        self.inserted: set[int] = set()
        self.made: set[int] = set()
        self.dropped: set[int] = set()
        self.counter = 0
        self.time = 0

    def hear(self, lines: Sequence[Line]) -> None:
        for line in lines:
            self.time = max(self.time, line.get("at", 0), line.get("read_ts", 0))
            self.inserted |= {line["inserted"]} if "inserted" in line else set()
            self.made |= {line["made"]} if "made" in line else set()
            self.dropped |= {line["dropped"]} if "dropped" in line else set()
            if "counter" in line:
                assert line["counter"] == self.counter + 1
                self.counter = line["counter"]

    async def check(self, location: Location) -> None:
        """Open the database: it is as it was said to be, and at most what nobody heard of is there besides."""
        async with await Persist.open_writer(location, reentrance_id=REENTRANCE, settings=QUIET) as persist:
            ledger = await Ledger.open(persist, clock=HandClock(0), settings=quiet())
            opened = Book(ledger, persist, HandClock(0))
            assert ledger.read_ts >= self.time
            names = {item.name for item in ledger.catalog.items.values()}
            if "counter" in names:
                await self._check_rows(opened)
            # Of those that are to go nobody may have heard that they went.
            assert {f"made{n}" for n in self.made if n % 2 == 0} <= names
            assert not {f"made{n}" for n in self.dropped} & names
            stored = set(await persist.names())
            assert stored == {"catalog", *(f"table {item.id}" for item in ledger.catalog.items.values())}
            await ledger.stop()
            await persist.collect_garbage()
            report = scrub(persist.metadata, persist.parts.blob)
            assert not report.damages
            assert {meta.key for meta in persist.parts.blob.list("")} == known_keys(persist.metadata)

    async def _check_rows(self, opened: Book) -> None:
        ones, twins = await opened.rows("ones"), await opened.rows("twins")
        assert ones == twins
        assert set(ones.values()) <= {1}
        assert {(n,) for n in self.inserted} <= ones.keys()
        counters = await opened.rows("counter")
        if self.counter:
            ((counter,),) = counters.elements()
            assert counter in (self.counter, self.counter + 1)
            assert isinstance(counter, int)
            self.counter = counter


async def lives(location: Location, rounds: int, seed: int, places: Sequence[str]) -> None:
    """Kill at places that it reaches, or at any moment."""
    rng, witness, killed = random.Random(seed), Witness(), 0
    for number in range(rounds):
        place = f"{rng.choice(places)}:{rng.randint(1, 40)}" if number % 3 else None
        async with child("write", location, failpoint=place, program=main, first=number * 100_000) as process:
            lines = []
            for _ in range(rng.randint(1, 150)):
                line = await process.line()
                if line is None:
                    killed += place is not None
                    break
                lines.append(line)
            else:
                process.signal(signal.SIGKILL)
            lines += await process.rest()
            assert await process.ended() == -signal.SIGKILL
        witness.hear(lines)
        await witness.check(location)
    assert killed
    assert witness.inserted
    assert witness.counter


async def test_what_was_acknowledged_survives_kills(tmp_path: Path) -> None:
    await lives(Location.in_folder(tmp_path), rounds=9, seed=1, places=PLACES)


async def test_what_was_acknowledged_survives_kills_with_metadata_in_postgres(postgres: str, tmp_path: Path) -> None:
    location = Location(fresh_database(postgres), Location.in_folder(tmp_path).blob)
    await lives(location, rounds=6, seed=3, places=["append_staged", *COMMIT])


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", [11, 12])
async def test_what_was_acknowledged_survives_many_kills(tmp_path: Path, seed: int) -> None:
    await lives(Location.in_folder(tmp_path), rounds=100, seed=seed, places=PLACES)
