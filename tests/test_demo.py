"""`holdfast demo` shows what it says it shows."""

from __future__ import annotations

import re
import subprocess
import sys

SHOWN = (
    # Views on views, and the subscription to one of them.
    r"Oslo  \| 2735475 \| +135000\n",
    r"the other client is told: at \d+, \+1 x \(Oslo, 2735475\)",
    r"the other client is told: at (\d+), -1 x \(Oslo, 2735475\)\n"
    r" +the other client is told: at \1, \+1 x \(Oslo, 3985475\)",
    # Now, and then.
    r"Oslo \| customer 2 +\| 1\d{6}\n",
    r"AS OF \d+;\n.*\n.*\n +Oslo \| \S+ \S+ +\| 135000\n",
    # A transaction, as a whole.
    r"the other client is told: at \d+, -1 x \(Oslo, 3985475\)\n"
    r" +the other client is told: at \d+, \+1 x \(Oslo, 3985825\)",
    r"from its commit to visible +[\d.]+ ms",
    # The end, and what is there after it.
    r"it ended by signal 9\.",
    r"Oslo  \| 2745250 \| ",
    *(rf"VERIFY MATERIALIZED VIEW {name};\n.*\n.*\n +\(0 rows\)" for name in ("order_totals", "towns", "ranks")),
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
    at = 0
    for pattern in SHOWN:
        found = re.compile(pattern).search(ended.stdout, at)
        assert found is not None, f"there is no {pattern} in\n{ended.stdout[at:]}"
        at = found.start()
