from __future__ import annotations

from holdfast.sql.syntax.statement.create import (
    CreateFunction,
)
from tests.sql.parser.statements.build import parsed


def test_arguments_of_functions_need_no_name() -> None:
    function = parsed("create function f(a int, text) returns int language python immutable as $$return a$$")
    assert isinstance(function, CreateFunction)
    assert [argument.name for argument in function.arguments] == ["a", None]
    assert (function.language, function.body, function.volatility) == ("python", "return a", "IMMUTABLE")
