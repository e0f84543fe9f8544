"""The session and the system."""

from __future__ import annotations

import pytest

from holdfast.plan.functions import system, text_casts
from holdfast.plan.functions.function import Types
from holdfast.plan.types import INT4, NUMERIC, TEXT, VARCHAR, Modified, Type, array_of, list_of, map_of, numeric
from tests.plan.functions.expressions import Expressions

EXPRESSIONS = Expressions(system.FAMILY, text_casts.FAMILY)


@pytest.mark.parametrize(
    ("type_", "name"),
    [
        (INT4, "integer"),
        (VARCHAR, "character varying"),
        (Modified("varchar", 3), "character varying"),
        (numeric(10, 2, declared=True), "numeric"),
        (Modified("timestamptz", 3), "timestamp with time zone"),
        (array_of(Modified("bpchar", 3)), "character[]"),
        (list_of(INT4), "integer list"),
        (map_of(NUMERIC), "map[text=>numeric]"),
    ],
)
def test_a_type_is_named_without_modifiers(type_: Type, name: str) -> None:
    function = next(function for function in system.FAMILY.functions if function.name == "pg_typeof")
    assert function.python is not None
    assert function.python(Types((type_,), TEXT), None) == name


def test_a_null_has_a_type_too() -> None:
    assert EXPRESSIONS.value("pg_typeof(null::int8)") == "bigint"


def test_what_only_the_session_knows_has_no_value_here() -> None:
    stable = [function for function in system.FAMILY.functions if function.stability == "stable"]
    assert {"now", "mz_now", "current_user", "current_database", "version"} <= {function.name for function in stable}
    assert all(function.python is None and function.spark is None for function in stable)
