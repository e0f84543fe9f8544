"""Processors that do not fall asleep while something is measured.

A processor of a virtual machine that has nothing to do is given to others, and comes back when the host has time for
it: on a busy host, milliseconds later. A client and a server of one process each, who wait for each other thousands of
times a second, then measure the host. So each processor has something to do that gives way to anything else.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_BUSY = """
import os
os.sched_setaffinity(0, {{{processor}}})
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
while os.getppid() == {parent}:
    for _ in range(100_000):
        pass
"""
"""It ends with who began it, however that ends."""


@contextmanager
def awake() -> Iterator[None]:
    """Keep all processors awake in the block."""
    busy = [
        subprocess.Popen([sys.executable, "-c", _BUSY.format(processor=processor, parent=os.getpid())])
        for processor in os.sched_getaffinity(0)
    ]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
