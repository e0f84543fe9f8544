from __future__ import annotations

from pathlib import Path

from holdfast.adapter.catalog.builtin import BUILTINS
from holdfast.adapter.catalog.builtin.listing import markdown

_PAGE = Path(__file__).parents[4] / "docs" / "reference" / "relations.md"


def test_the_page_of_the_reference_is_that_of_the_code() -> None:
    assert _PAGE.read_text() == markdown(), "make reference"


def test_every_relation_is_on_the_page() -> None:
    page = markdown()
    assert all(f"`{relation.name}`" in page for relation in BUILTINS.values())
