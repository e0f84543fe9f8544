"""Work in a thread that may run what users wrote: when nobody waits for it any more, that is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from holdfast.compute.evaluate.python_processes import stoppable

Arguments = ParamSpec("Arguments")
Made = TypeVar("Made")


async def in_thread(
    function: Callable[Arguments, Made], /, *arguments: Arguments.args, **named: Arguments.kwargs
) -> Made:
    """As `asyncio.to_thread`. Who is cancelled leaves the thread behind, as threads cannot be ended; but the processes
    in which functions of users run for it are, so that it does not wait for them.
    """
    with stoppable():
        return await asyncio.to_thread(function, *arguments, **named)
