"""The page about SQL names every type, with its forms in Arrow and Spark."""

from __future__ import annotations

import re
from pathlib import Path

from holdfast.plan.types import BASES

_PAGE = (Path(__file__).parent.parent.parent / "docs" / "reference" / "sql.md").read_text()
_NOT_COLUMNS = ("unknown", "record", "void")
_STRUCTURED = ("numeric", "interval")
"""Their forms in Arrow have parts, which the page names in words."""


def test_every_type_is_documented_with_its_forms() -> None:
    documented = {row[0]: row[1:] for row in re.findall(r"^\| `(.+?)` \| (.+?) \| `(.+?)` \|", _PAGE, re.MULTILINE)}
    for base, info in BASES.items():
        if base in _NOT_COLUMNS or info.category == "R":
            continue
        arrow, spark = documented[info.display]
        assert base in _STRUCTURED or arrow == str(info.arrow)
        assert spark == (info.spark or "DECIMAL(p, s)")
