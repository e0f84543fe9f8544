"""What PostgreSQL says of queries over the catalog of `tests/sql/catalog.py`: columns, types, errors and their places.

The queries are in the `.sql` files, one a line; what PostgreSQL 18 said of each is in `recorded.json`, written by
`python -m tests.sql.answers.record`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Recorded:
    """Columns and their types; or an error, where there is a message."""

    names: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    message: str | None = None
    position: int = 0
    hint: str | None = None
    detail: str | None = None
    sqlstate: str | None = None


def queries() -> list[str]:
    """All queries, in order, without repetition."""
    lines = (line.strip() for path in sorted(FOLDER.glob("*.sql")) for line in path.read_text().splitlines())
    return list(dict.fromkeys(line for line in lines if line and not line.startswith("--")))


def recorded() -> dict[str, Recorded]:
    found = json.loads((FOLDER / "recorded.json").read_text())
    return {query: _recorded(said) for query, said in found.items()}


def _recorded(said: dict[str, Any]) -> Recorded:  # the fields of `Recorded`, as JSON has them
    names, types = tuple(said.pop("names", ())), tuple(said.pop("types", ()))
    return Recorded(names, types, **said)
