"""`holdfast demo --persist` shows what it says it shows."""

from __future__ import annotations

import subprocess
import sys


def test_the_tour_ends_well_and_shows_the_promises_kept() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "from holdfast.cli import main; main(['demo', '--persist'])"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    shown = [line.strip() for line in ended.stdout.splitlines()]
    for line in (
        "as of 10: (1, ada, 500)",
        "as of 30: (1, ada, 650), (2, bob, 300)",
        "the writer process ended by signal 9.",
        "reopened: upper is {40}, nothing half-written is visible.",
        "garbage collection removed 1 blob that nobody names.",
        "as of 539: (1, ada, 650), (2, bob, 302)",
        'as of 10: collection "orders" cannot be read as of 10: its since is {539}',
    ):
        assert line in shown
    assert any(line.startswith("customer 2: ") for line in shown)
    assert any(line.startswith("refused: part s1/") and line.endswith("its checksum is wrong") for line in shown)
    assert any(line.startswith("holdfast scrub says: part s1/") for line in shown)
