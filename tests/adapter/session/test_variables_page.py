"""The page of variables says what the code does."""

from __future__ import annotations

from pathlib import Path

from holdfast.adapter.session.variables import VARIABLES

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "sessions.md"


def test_every_variable_is_on_the_page() -> None:
    lines = PAGE.read_text().partition("## Variables")[2].splitlines()
    documented = {line for line in lines if line.startswith("| `")}
    assert documented == {
        f"| `{each.name}` | {f'`{each.default}`' if each.default else ''} | {each.description} |"
        for each in VARIABLES.values()
    }
