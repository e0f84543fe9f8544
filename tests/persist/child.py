"""What test processes run: `python -m tests.persist.child ROLE CONFIG`, where CONFIG is JSON.

This is the test build: HOLDFAST_FAILPOINT names a place (`name`, or `name:n` for the n-th time it is reached) and
HOLDFAST_FAILPOINT_ACTION says what happens there: `kill` (the default), `pause` or `raise`. A process says what it
has done in lines of JSON, and waits for lines where it is told to.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import resource
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import psycopg

from holdfast import failpoint
from holdfast.errors import HoldfastError
from holdfast.persist import Location, Persist, PersistSettings, compact
from holdfast.persist.metadata import sqlite
from holdfast.persist.metrics import RETRIES
from holdfast.repr.frontier import Timestamp, at
from tests.persist.numbers import NUMBERS, OTHERS, append, batch_at, counted, create

Config = Mapping[str, Any]  # what JSON holds

REENTRANCE = "test"

STDIN = open(0, closefd=False)  # noqa: SIM115  # not sys.stdin, which a process that is forked for a test has not


def say(**what: object) -> None:
    os.write(1, f"{json.dumps(what)}\n".encode())


async def told() -> str:
    """The next line from the parent."""
    return str(await asyncio.to_thread(STDIN.readline)).strip()


def failpoint_hook(place: str, action: str) -> Callable[[str], None]:
    name, _, nth = place.partition(":")
    left = int(nth or 1)

    def hook(reached: str) -> None:
        nonlocal left
        if reached != name:
            return
        left -= 1
        if left:
            return
        if action == "raise":
            raise OSError(f"failpoint {name}")
        os.kill(os.getpid(), signal.SIGSTOP if action == "pause" else signal.SIGKILL)

    return hook


def location_of(config: Config) -> Location:
    return Location.of(config["metadata"], config["blob"], config.get("options"))


def settings_of(config: Config) -> PersistSettings:
    return PersistSettings(**{"compact": False, **config.get("settings", {})})


async def open_writer(config: Config) -> Persist:
    return await Persist.open_writer(location_of(config), reentrance_id=REENTRANCE, settings=settings_of(config))


async def writer(config: Config) -> None:
    """Append at time after time, merge and collect in between; say what is acknowledged."""
    persist = await open_writer(config)
    numbers, others = await create(persist)
    say(upper=numbers.upper.time)
    for _ in range(config["appends"]):
        time = numbers.upper.time
        assert time is not None
        assert await append(persist, numbers, others, time) is None
        say(acked=time)
        if time % 4 == 0 and time > 10:
            await asyncio.gather(*(handle.allow_compaction(at(time - 5)) for handle in (numbers, others)))
            await persist.compact(NUMBERS)
            await persist.compact(OTHERS)
            await persist.collect_garbage()
    await persist.stop()


async def step(config: Config) -> None:
    """One operation, during which the failpoint is on."""
    persist = await open_writer(config)
    numbers, others = await create(persist)
    time = numbers.upper.time
    assert time is not None
    failpoint.install(failpoint_hook(os.environ["HOLDFAST_FAILPOINT"], "kill"))
    match config["operation"]:
        case "append":
            await numbers.compare_and_append(batch_at(time), at(time), at(time + 1))
        case "write":
            await numbers.write(batch_at(time))
        case "seal":
            await persist.multi([numbers, others]).seal({numbers.shard: at(time + 1), others.shard: at(time + 1)})
        case "merge":
            await persist.compact(NUMBERS)
        case "gc":
            await persist.collect_garbage()
    say(done=True)


async def lasting_append(config: Config) -> None:
    """One append that takes as long as the store makes it wait; the parent may limit the sizes of our files."""
    sqlite._BUSY_SECONDS = config.get("busy_seconds", sqlite._BUSY_SECONDS)
    persist = await open_writer(config)
    numbers, _ = await create(persist)
    time = numbers.upper.time
    assert time is not None
    if limit := config.get("file_size"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    say(ready=True)
    if config.get("waits"):
        await told()
    retried = asyncio.Event()
    logging.getLogger("holdfast.persist.retry").addHandler(_WhenWarned(asyncio.get_running_loop(), retried))
    call = asyncio.create_task(numbers.compare_and_append(batch_at(time), at(time), at(time + 1)))
    waiting = asyncio.create_task(retried.wait())
    await asyncio.wait([call, waiting], return_when=asyncio.FIRST_COMPLETED)
    say(acked=call.done(), retries=persist.metrics.counts[RETRIES])
    await told()
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert await call is None
    waiting.cancel()
    say(acked=True, upper=numbers.upper.time)
    await persist.stop()


class _WhenWarned(logging.Handler):
    """Sets an event when something is logged as a warning."""

    def __init__(self, loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
        super().__init__(logging.WARNING)
        self._loop, self._event = loop, event

    def emit(self, record: logging.LogRecord) -> None:
        self._loop.call_soon_threadsafe(self._event.set)
        say(logged=record.getMessage(), reason=getattr(record, "reason", ""))


async def open_reader(config: Config) -> Persist:
    return await Persist.open_reader(
        location_of(config), independent=config.get("independent", False), settings=settings_of(config)
    )


async def follow(config: Config) -> None:
    """Say the contents of "numbers" each time its upper advances."""
    persist = await open_reader(config)
    reader = await persist.reader(NUMBERS)
    contents: Counter[tuple[int, int]] = Counter()
    start = reader.since.time
    assert start is not None
    async for changes in reader.subscribe(Timestamp(start)):
        contents.update(counted(changes.updates))
        if not changes.updates.rows:
            say(upper=changes.upper.time, rows=sorted(contents.elements()))


async def read(config: Config) -> None:
    """Read "numbers" as often as told, at the time told, and say what came."""
    persist = await open_reader(config)
    reader = await persist.reader(NUMBERS)
    say(ready=True, since=reader.since.time, upper=reader.upper.time)
    while line := await told():
        time = Timestamp(int(line))
        try:
            found = counted(await reader.rows(time, timeout=config.get("timeout")))
        except HoldfastError as error:
            say(error=type(error).__name__, message=str(error))
        else:
            say(rows=sorted(found.elements()))
    await persist.stop()


async def half_read(config: Config) -> None:
    """Begin a snapshot, wait in the middle of it, go on."""
    persist = await open_reader(config)
    reader = await persist.reader(NUMBERS)
    time = Timestamp(config["time"])
    with await reader.pin_snapshot(time) as pinned:
        first = next(iter(reader.parts.read(pinned.state.id, pinned.slices[0], pinned.state.schemas)))
        say(begun=first.num_rows)
        await told()
        try:
            found = counted(await reader.rows(time))
        except HoldfastError as error:
            say(error=type(error).__name__, message=str(error))
        else:
            say(rows=sorted(found.elements()))
    await persist.stop()


async def lock_metadata(config: Config) -> None:
    """Keep the metadata store from committing until told."""
    url: str = config["metadata"]
    if url.startswith("sqlite://"):
        connection = sqlite3.connect(url.removeprefix("sqlite://"), isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        say(locked=True)
        await told()
        connection.execute("ROLLBACK")
        connection.close()
    else:
        with psycopg.connect(url) as other:
            other.execute("LOCK TABLE holdfast.store IN ACCESS EXCLUSIVE MODE")
            say(locked=True)
            await told()
    say(released=True)


ROLES = {role.__name__: role for role in (writer, step, lasting_append, follow, read, half_read, lock_metadata)}


def main(arguments: Sequence[str]) -> None:
    compact.SMALL_FAN = 8  # so that a few appends are worth a merge
    role, config = ROLES[arguments[0]], json.loads(arguments[1])
    place = os.environ.get("HOLDFAST_FAILPOINT")
    if place and role is not step:
        failpoint.install(failpoint_hook(place, os.environ.get("HOLDFAST_FAILPOINT_ACTION", "kill")))
    try:
        asyncio.run(role(config))
    except HoldfastError as error:
        say(error=type(error).__name__, message=str(error))
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
