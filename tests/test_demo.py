"""`holdfast demo` shows what it says it shows."""

from __future__ import annotations

import re
import subprocess
import sys

SHOWN = (
    # The subscription.
    r"the other client is told: at \d+, \+1 x \(ada, 50000\)",
    r"the other client is told: at \d+, \+1 x \(eve, 90000\)",
    r"the other client is told: at \d+, -1 x \(ada, 50000\)\n +the other client is told: at \d+, \+1 x \(ada, 49999\)",
    # Now, and then.
    r"ORDER BY id;\n.*\n.*\n +1 \| ada +\| 49999\n +2 \| bob +\| 30000\n +3 \| eve +\| 90000\n",
    r"AS OF \d+;\n.*\n.*\n +1 \| ada +\| 50000\n +2 \| bob +\| 30000\n +\(2 rows\)",
    # Spark.
    r"kind 0 \| 66666 \| 3300033\n",
    # The end, and what is there after it.
    r"it ended by signal 9\.",
    r"4 \| joe +\| +700\n +\(4 rows\)",
    r"200000 \| kind 2\n",
    r"error: data folder .* is in use by process \d+ on ",
    r"it ended with status 0\.",
)


def test_the_demo_ends_well_and_shows_the_promises_kept() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "from holdfast.cli import main; main(['demo'])"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "ERROR" not in ended.stdout
    assert "mallory', 1000000" in ended.stdout
    at = 0
    for pattern in SHOWN:
        found = re.compile(pattern).search(ended.stdout, at)
        assert found is not None, f"there is no {pattern} in\n{ended.stdout[at:]}"
        at = found.start()
