from __future__ import annotations

import pytest

from holdfast.adapter.errors import InvalidVariableValue, ReadOnlyVariable, UnknownVariable
from holdfast.adapter.session.variables import Variables, seconds, staleness


def test_values_are_checked_and_kept_in_one_spelling() -> None:
    variables = Variables({})
    variables.set("statement_timeout", ["90000"])
    assert variables["statement_timeout"] == "90 s"
    variables.set("statement_timeout", ["0"])
    assert variables.seconds("statement_timeout") is None
    variables.set("emit_timestamp_notice", ["TRUE"])
    assert variables.flag("emit_timestamp_notice")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1500", 1.5), ("10s", 10), ("2 min", 120), ("1 hour", 3600), ("0.5s", 0.5), ("1 day", 86400)],
)
def test_durations_are_read_with_and_without_units(text: str, expected: float) -> None:
    assert seconds(text) == expected


def test_what_cannot_be_is_refused() -> None:
    variables = Variables({})
    with pytest.raises(UnknownVariable, match='unrecognized configuration parameter "wrong"'):
        variables.set("wrong", ["1"])
    with pytest.raises(InvalidVariableValue):
        variables.set("statement_timeout", ["soon"])
    with pytest.raises(InvalidVariableValue, match="Boolean"):
        variables.set("emit_timestamp_notice", ["maybe"])
    with pytest.raises(InvalidVariableValue):
        variables.set("timezone", ["Europe/Berlin"])
    with pytest.raises(ReadOnlyVariable):
        variables.set("server_version", ["1"])


def test_a_transaction_that_is_rolled_back_has_set_nothing() -> None:
    variables = Variables({})
    variables.begin()
    variables.set("application_name", ["inside"])
    variables.set("search_path", ["x"], local=True)
    assert variables.search_path == ("x",)
    variables.end(committed=False)
    assert variables["application_name"] == ""
    assert variables.search_path == ("public",)


def test_what_is_set_for_a_transaction_ends_with_it() -> None:
    variables = Variables({})
    variables.begin()
    variables.set("application_name", ["kept"])
    variables.set("cluster", ["other"], local=True)
    variables.end(committed=True)
    assert (variables["application_name"], variables["cluster"]) == ("kept", "quickstart")


def test_reset_goes_back_to_what_the_connection_asked_for() -> None:
    variables = Variables({"application_name": "psql"})
    variables.set("application_name", ["other"])
    variables.set("application_name", [])
    assert variables["application_name"] == "psql"


def test_names_in_the_search_path_are_kept_as_they_are() -> None:
    variables = Variables({"search_path": 'a, "B c", D'})
    assert list(variables.search_path) == ["a", "B c", "d"]
    variables.set("search_path", ["x", "Y"])
    assert list(variables.search_path) == ["x", "Y"]


def test_clients_are_told_of_changes_once() -> None:
    variables = Variables({})
    assert ("TimeZone", "UTC") in variables.reported()
    variables.set("application_name", ["a"])
    assert variables.drain_changed() == [("application_name", "a")]
    assert variables.drain_changed() == []


def test_weaker_isolation_than_serializable_is_serializable() -> None:
    variables = Variables({})
    for level in ("READ COMMITTED", "repeatable read", "serializable"):
        variables.set("transaction_isolation", [level])
        assert variables["transaction_isolation"] == "serializable"
    variables.set("transaction_isolation", ["bounded staleness 5s"])
    assert staleness(variables["transaction_isolation"]) == 5
    with pytest.raises(InvalidVariableValue):
        variables.set("transaction_isolation", ["bounded staleness 0s"])
