"""The statements of the corpus."""

from __future__ import annotations

from pathlib import Path

STATEMENTS = tuple(
    line
    for path in sorted((Path(__file__).parent.parent / "corpus").glob("*.sql"))
    for line in path.read_text().splitlines()
    if not line.startswith("--")
)
