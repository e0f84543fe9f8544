from __future__ import annotations

import pytest

from holdfast.sql.parser import parse_one
from holdfast.sql.render import render
from holdfast.sql.syntax.expression import StringLiteral
from holdfast.sql.syntax.name import ObjectName
from holdfast.sql.syntax.option import Option, OptionGroup, OptionValue, SecretReference, ValueList
from holdfast.sql.syntax.statement.create import CreateClusterReplica
from tests.sql.parser.statements.build import name, parsed


def size(value: str) -> OptionValue | None:
    """What an option of this value is parsed to, and again after it is rendered."""
    statement = parsed(f"CREATE CLUSTER REPLICA a.a (SIZE = {value})")
    assert isinstance(statement, CreateClusterReplica)
    assert parse_one(render(statement)).statement == statement
    (option,) = statement.options
    return option.value


@pytest.mark.parametrize("secret", [("a",), ("a", "a"), ("d", "s", "a")], ids=".".join)
def test_a_secret_in_parentheses_is_a_list_of_values_however_it_is_qualified(secret: tuple[str, ...]) -> None:
    reference = SecretReference(ObjectName(secret))
    assert size(f"(SECRET {'.'.join(secret)})") == ValueList((reference,))
    assert size(f"(SECRET {'.'.join(secret)}, SECRET b)") == ValueList((reference, SecretReference(name("b"))))


@pytest.mark.parametrize("option", ["SECRET", "SECRET ACCESS", "SECRET ACCESS KEY", "SECRET SECRET"])
def test_an_option_whose_name_begins_with_secret_is_one(option: str) -> None:
    assert size(f"({option} = 'v')") == OptionGroup((Option(option, StringLiteral("v")),))
    assert size(f"({option} = a.a)") == OptionGroup((Option(option, name("a", "a")),))


def test_an_option_named_secret_access_key_needs_no_equals_sign() -> None:
    expected = OptionGroup((Option("SECRET ACCESS KEY", SecretReference(name("a", "a"))),))
    assert size("(SECRET ACCESS KEY SECRET a.a)") == expected
