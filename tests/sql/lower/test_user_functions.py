"""Calls of functions that users made: which of them is meant, and what is said if none is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from holdfast.plan.functions.function import Function
from holdfast.plan.python_function import PythonFunction, python_function
from holdfast.plan.relation import Map
from holdfast.plan.scalar import Call, Constant
from holdfast.plan.types import INT4, INT8, TEXT, Type
from holdfast.sql import plan_query
from holdfast.sql.catalog import CatalogRelation
from holdfast.sql.errors import AmbiguousFunction, SemanticError, UndefinedFunction, UndefinedSchema, WrongSyntax


def made(parameters: str, *types: Type) -> Function:
    source = PythonFunction("f", tuple(parameters.split()), f"return '{types}'", TEXT)
    return python_function(source, types, strict=False)


OF_INT, OF_TEXT = made("a", INT4), made("a", TEXT)
PAIR, OTHER_PAIR = made("a b", INT4, INT4), made("b c", INT4, TEXT)


class Functions:
    def relation(self, parts: tuple[str, ...]) -> CatalogRelation | None:  # noqa: ARG002 - there are none
        return None

    def type(self, parts: tuple[str, ...]) -> Type | None:  # noqa: ARG002 - there are none
        return None

    def functions(self, parts: tuple[str, ...]) -> Sequence[Function] | None:
        if len(parts) > 1 and parts[-2] != "public":
            return None
        return (OF_INT, OF_TEXT, PAIR, OTHER_PAIR) if parts[-1] == "f" else ()


def call(text: str) -> Call:
    relation = plan_query(f"SELECT {text}", Functions()).plan.relation
    while not isinstance(relation, Map):
        (relation,) = (part for part in (getattr(relation, "input", None),) if part is not None)
    (found,) = relation.scalars
    assert isinstance(found, Call)
    return found


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("f(1)", OF_INT),
        ("f('x')", OF_TEXT),
        ("f(1::smallint)", OF_INT),
        ("public.f(1)", OF_INT),
        ("f(a => 1)", OF_INT),
        ("f(1, 2)", PAIR),
        ("f(1, 'x'::text)", OTHER_PAIR),
        ("f(b => 1, a => 2)", PAIR),
        ("f(c => 'x', b => 2)", OTHER_PAIR),
        ("f(1, b => 2)", PAIR),
    ],
)
def test_a_call_means_the_function_that_fits(text: str, function: Function) -> None:
    assert call(text).function is function


def test_arguments_by_name_come_in_the_order_of_the_function() -> None:
    assert [part.value for part in call("f(b => 1, a => 2)").arguments if isinstance(part, Constant)] == [2, 1]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("f()", UndefinedFunction, "function f() does not exist"),
        ("f(1.5)", UndefinedFunction, "function f(numeric) does not exist"),
        ("f(x => 1)", UndefinedFunction, "function f(x => integer) does not exist"),
        ("g(1)", UndefinedFunction, "function g(integer) does not exist"),
        ("public.g(1)", UndefinedFunction, "function public.g(integer) does not exist"),
        ("elsewhere.f(1)", UndefinedSchema, 'schema "elsewhere" does not exist'),
        ("pg_catalog.f(1)", UndefinedFunction, "function pg_catalog.f(integer) does not exist"),
        ("public.lower('x')", UndefinedFunction, "function public.lower(unknown) does not exist"),
        ("f(a => 1, 2)", WrongSyntax, "positional argument cannot follow named argument"),
    ],
)
def test_what_no_function_is_meant_by_is_an_error(text: str, error: type[SemanticError], message: str) -> None:
    with pytest.raises(error) as raised:
        call(text)
    assert str(raised.value) == message


def test_a_call_that_several_functions_fit_equally_is_ambiguous() -> None:
    class Two(Functions):
        def functions(self, parts: tuple[str, ...]) -> Sequence[Function] | None:  # noqa: ARG002 - all have the name
            return made("a", INT4), made("a", INT8)

    with pytest.raises(AmbiguousFunction, match=r"^function f\(smallint\) is not unique$"):
        plan_query("SELECT f(1::smallint)", Two())
