from __future__ import annotations

import asyncio

import pytest

from holdfast.adapter.errors import StatementCancelled
from holdfast.adapter.session.interrupt import Interrupt

LATE = StatementCancelled("too late")
WANTED = StatementCancelled("as you wish")


async def test_what_runs_ends_with_the_reason_and_the_task_lives_on() -> None:
    interrupt = Interrupt()
    asyncio.get_running_loop().call_soon(interrupt.interrupt, WANTED)
    with pytest.raises(StatementCancelled, match="as you wish"), interrupt.interruptible(None, LATE):
        await asyncio.Event().wait()
    await asyncio.sleep(0)


async def test_a_deadline_ends_it_too() -> None:
    interrupt = Interrupt()
    soon = asyncio.get_running_loop().time() + 0.01
    with pytest.raises(StatementCancelled, match="too late"), interrupt.interruptible(soon, LATE):
        await asyncio.Event().wait()


async def test_a_request_when_nothing_runs_does_nothing() -> None:
    interrupt = Interrupt()
    interrupt.interrupt(WANTED)
    with interrupt.interruptible(None, LATE):
        await asyncio.sleep(0)


async def test_a_request_between_two_blocks_of_a_statement_ends_the_second() -> None:
    interrupt = Interrupt()
    with interrupt.interruptible(None, LATE):
        await asyncio.sleep(0)
    interrupt.interrupt_next(WANTED)
    with pytest.raises(StatementCancelled, match="as you wish"), interrupt.interruptible(None, LATE):
        raise AssertionError("it began")
    interrupt.interrupt_next(WANTED)
    interrupt.forget()
    with interrupt.interruptible(None, LATE):
        await asyncio.sleep(0)


async def test_what_is_masked_runs_to_its_end() -> None:
    interrupt = Interrupt()
    done = False
    with interrupt.interruptible(None, LATE), interrupt.masked():
        asyncio.get_running_loop().call_soon(interrupt.interrupt, WANTED)
        await asyncio.sleep(0.01)
        done = True
    assert done


async def test_being_cancelled_by_another_is_not_taken_for_a_request() -> None:
    interrupt = Interrupt()
    entered = asyncio.Event()

    async def work() -> None:
        with interrupt.interruptible(None, LATE):
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
