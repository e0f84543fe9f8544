"""Threads that run what users wrote end when nobody waits for them."""

from __future__ import annotations

import asyncio
from threading import Event

import pytest

from holdfast.compute.evaluate import rows
from holdfast.compute.in_thread import in_thread
from holdfast.plan.errors import ExternalRoutineError
from holdfast.plan.python_function import PythonFunction, python_function
from holdfast.plan.relation import UNIT, Map
from holdfast.plan.scalar import Call
from holdfast.plan.types import INT4


def test_a_cancelled_waiter_ends_a_function_that_never_returns() -> None:
    function = python_function(PythonFunction("f", (), "while True: pass", INT4), (), strict=False)
    relation = Map(UNIT, (Call(function, (), INT4, True),))
    begun, ended = Event(), Event()

    def run() -> None:
        begun.set()
        with pytest.raises(ExternalRoutineError):
            rows(relation, {})
        ended.set()

    async def cancelled() -> None:
        task = asyncio.create_task(in_thread(run))
        assert await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(ended.wait, 60)

    asyncio.run(cancelled())


def test_what_a_function_returns_and_raises_is_passed_on() -> None:
    assert asyncio.run(in_thread(int, "11", base=2)) == 3
    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(in_thread(int, "x"))
