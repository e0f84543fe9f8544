from __future__ import annotations

from pathlib import Path

import holdfast


def test_only_the_parser_knows_postgast() -> None:
    root = Path(holdfast.__file__).parent
    knowing = {
        path for path in root.rglob("*.py") if '"postgast' in path.read_text() or "import postgast" in path.read_text()
    }
    assert knowing == {root / "sql" / "parser" / "postgres.py"}
