"""The documents say what the code does."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from bench.__main__ import BENCHES
from holdfast.persist import PersistSettings, metrics
from holdfast.persist.metadata.tables import CHILDREN, SHARD, STORE

ROOT = Path(__file__).parent.parent
REFERENCE = (ROOT / "docs" / "reference" / "persist.md").read_text()


def table_under(heading: str) -> dict[str, str]:
    """The first two columns of the table under a heading."""
    section = REFERENCE.partition(f"## {heading}")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", section, re.MULTILINE))


def test_the_settings_are_those_of_the_code() -> None:
    documented = table_under("Settings")
    settings = PersistSettings()
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        assert documented.pop(field.name) == ("the wall clock" if callable(value) else str(value))
    assert not documented


def test_the_metrics_are_those_of_the_code() -> None:
    names = {value for name, value in vars(metrics).items() if name.isupper()}
    assert set(table_under("Metrics")) == names


def test_the_metadata_tables_are_named() -> None:
    for table in (STORE, SHARD, *CHILDREN):
        assert f"`{table.name}`" in REFERENCE


def test_links_lead_somewhere() -> None:
    for document in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\((?!http)([^)#]+)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_make_targets_in_the_readme_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"make (\w+)", (ROOT / "README.md").read_text())) <= targets


def test_the_benchmarks_are_listed() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "benchmarks.md").read_text(), re.MULTILINE)
    assert listed == list(BENCHES)
