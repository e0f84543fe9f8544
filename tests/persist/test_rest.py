"""Large merges wait while someone asks for rest, and small ones do not."""

from __future__ import annotations

import asyncio

import pyarrow as pa
import pytest

from holdfast.persist import Persist, PersistSettings, compact, instance
from holdfast.persist.rest import Rest
from holdfast.repr.row import RowType
from tests.build import at, batch
from tests.persist.places import in_memory

INTS = RowType.of(("a", pa.int64()))
MERGING = PersistSettings(compact=True, notify=False)


async def test_rest_is_over_when_the_last_has_had_it() -> None:
    rest = Rest()
    await rest.over()
    with rest.asked():
        with rest.asked():
            pass
        waiting = asyncio.create_task(rest.over())
        await asyncio.sleep(0)
        assert not waiting.done()
    await waiting


async def test_rest_does_not_last_for_ever() -> None:
    rest = Rest(patience=0.01)
    with rest.asked():
        await rest.over()
        with rest.asked():
            await rest.over()


async def test_who_is_cancelled_just_when_rest_is_over_does_not_go_on() -> None:
    rest = Rest()
    with rest.asked():
        waiting = asyncio.create_task(rest.over())
        await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_work_in_a_thread_stops_until_rest_is_over() -> None:
    rest = Rest()
    rest.pause()
    with rest.asked():
        pausing = asyncio.create_task(asyncio.to_thread(rest.pause))
        done, _ = await asyncio.wait([pausing], timeout=0.05)
        assert not done
    await pausing
    impatient = Rest(patience=0.01)
    with impatient.asked():
        await asyncio.to_thread(impatient.pause)
        assert not impatient.is_asked


async def appended(persist: Persist) -> None:
    handle = await persist.create_or_load("c", INTS)
    for time in range(4):
        await handle.compare_and_append(batch(INTS, [((time,), time, 1)]), at(time), at(time + 1))


@pytest.mark.parametrize("many", [1, 100_000])
async def test_a_large_merge_waits_and_a_small_one_does_not(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact, "SMALL_FAN", 2)
    monkeypatch.setattr(compact, "MANY", many)
    over, merged, pauses = asyncio.Event(), asyncio.Event(), 0
    monkeypatch.setattr(instance, "reach", lambda point: merged.set() if point == "merge_applied" else None)

    class Noted(Rest):
        async def over(self) -> None:
            over.set()
            await super().over()

        def pause(self) -> None:
            nonlocal pauses
            pauses += 1

    async with in_memory().writer(MERGING) as persist:
        persist.rest = Noted()
        with persist.rest.asked():
            await appended(persist)
            if many == 1:
                await over.wait()
                assert not merged.is_set()
            else:
                await merged.wait()
        await merged.wait()
    assert over.is_set() == bool(pauses) == (many == 1)
