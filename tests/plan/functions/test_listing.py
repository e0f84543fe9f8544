"""The registry, as users read it."""

from __future__ import annotations

from pathlib import Path

from holdfast.plan.functions.listing import entries, markdown, matching, text
from holdfast.plan.functions.registry import AGGREGATES, FUNCTIONS, OPERATORS, TABLES, WINDOWS

_PAGE = Path(__file__).parent.parent.parent.parent / "docs" / "reference" / "functions.md"


def test_the_page_of_the_reference_is_that_of_the_code() -> None:
    assert _PAGE.read_text() == markdown(matching(None, None)), (
        "holdfast functions --markdown > docs/reference/functions.md"
    )


def test_everything_that_has_a_name_is_listed() -> None:
    listed = {entry.name for entry in entries()}
    for names in (FUNCTIONS, OPERATORS, AGGREGATES, WINDOWS, TABLES):
        assert {name for name in names if name.isidentifier() or not any(c.isalnum() for c in name)} <= listed


def test_functions_are_found_by_a_part_of_their_name_or_family() -> None:
    assert {entry.name for entry in matching("date_trunc", None)} == {"date_trunc"}
    assert {entry.family for entry in matching(None, "uuid")} == {"UUIDs"}
    assert not matching("date_trunc", "uuid")


def test_a_line_has_the_signature_the_result_and_what_it_does() -> None:
    (entry,) = matching("array_reverse", None)
    assert text([entry]).splitlines() == [
        "Arrays",
        "------",
        "array_reverse(anyarray) → anyarray                            The array backwards.",
    ]


def test_other_names_are_listed_too() -> None:
    assert [entry.call for entry in matching("ceiling", None)] == [
        entry.call.replace("ceil(", "ceiling(") for entry in matching("ceil", "rounding") if entry.name == "ceil"
    ]


def test_ordered_set_aggregates_and_window_functions_show_how_they_are_called() -> None:
    calls = {entry.call for entry in entries()}
    assert "percentile_disc(double precision) WITHIN GROUP (ORDER BY anyelement)" in calls
    assert "row_number() OVER (...)" in calls
