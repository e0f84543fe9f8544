"""The parent's end of `tests.persist.child`.

Processes are forked from a server that has everything imported, since importing takes longer than most tests.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import IO, Any

from holdfast.persist import Location
from tests.persist.child import main

Line = dict[str, Any]  # what JSON holds

Program = Callable[[Sequence[str]], None]
"""What a process runs, given a role and its configuration."""

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.persist.child", "tests.adapter.child"])


class Child:
    """A test process: it is read and told line by line."""

    def __init__(self, process: ForkServerProcess, reading: IO[str], writing: IO[str]) -> None:
        self._process, self._reading, self._writing = process, reading, writing

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    async def line(self) -> Line | None:
        """What it says next, None once it has ended."""
        text = await asyncio.to_thread(self._reading.readline)
        return json.loads(text) if text.endswith("\n") else None

    async def says(self) -> Line:
        line = await self.line()
        assert line is not None, f"the child ended with {await self.ended()}"
        return line

    async def rest(self) -> list[Line]:
        """All that it says until it ends."""
        lines = []
        while (line := await self.line()) is not None:
            lines.append(line)
        return lines

    def tell(self, text: str = "go") -> None:
        self._writing.write(f"{text}\n")
        self._writing.flush()

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    async def ended(self) -> int:
        """Its exit status, once it has one."""
        await asyncio.to_thread(self._process.join)
        assert self._process.exitcode is not None
        return self._process.exitcode


@asynccontextmanager
async def child(
    role: str, location: Location, *, failpoint: str | None = None, program: Program = main, **config: object
) -> AsyncIterator[Child]:
    """A process that runs `role` of a program; it is killed at the end of the block if it has not ended."""
    config |= {"metadata": location.metadata, "blob": location.blob.url, "options": dict(location.blob.options)}
    its_input, our_output = _CONTEXT.Pipe(duplex=False)
    our_input, its_output = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(
        target=_run, args=(its_input, its_output, failpoint, program, [role, json.dumps(config)])
    )
    process.start()
    its_input.close()
    its_output.close()
    with os.fdopen(os.dup(our_input.fileno())) as reading, os.fdopen(os.dup(our_output.fileno()), "w") as writing:
        our_input.close()
        our_output.close()
        try:
            yield Child(process, reading, writing)
        finally:
            process.kill()
            await asyncio.to_thread(process.join)
            process.close()


def _run(
    reading: Connection, writing: Connection, failpoint: str | None, program: Program, arguments: list[str]
) -> None:
    """What the forked process does: the same as `python -m` of the program, with our pipes and variable."""
    os.dup2(reading.fileno(), 0)
    os.dup2(writing.fileno(), 1)
    reading.close()
    writing.close()
    if failpoint is not None:
        os.environ["HOLDFAST_FAILPOINT"] = failpoint
    program(arguments)
