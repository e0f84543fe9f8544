"""Python programs in a process of their own: a process has one Spark, and the suite's is taken."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

# Sooner than the test is given up, so that it is known what the program waits for.
GIVING_UP = """
import faulthandler
faulthandler.dump_traceback_later(200, exit=True)
"""


def run_python(
    program: str, *arguments: str, cwd: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `program` to its end, with warnings as errors. It must succeed; if it hangs, its stacks are what failed."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", GIVING_UP + program, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**(os.environ if environment is None else environment), "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    return done
