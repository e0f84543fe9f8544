"""Names of types."""

from __future__ import annotations

import pytest

from holdfast.plan.types import Array
from holdfast.sql.errors import InvalidTypeModifier, NotSupported, UndefinedObject, WrongSyntax
from holdfast.sql.parser import parse_type_name
from holdfast.sql.typenames import type_of
from tests.sql.catalog import TestCatalog


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("int", "integer"),
        ("bigint", "bigint"),
        ("uint4", "uint4"),
        ("decimal", "numeric"),
        ("numeric(5)", "numeric(5,0)"),
        ("numeric(5, 2)", "numeric(5,2)"),
        ("varchar", "character varying"),
        ("varchar(3)", "character varying(3)"),
        ("char", "character(1)"),
        ('"char"', '"char"'),
        ("float(24)", "real"),
        ("double precision", "double precision"),
        ("timestamp(3)", "timestamp(3) without time zone"),
        ("timestamp(9) with time zone", "timestamp(6) with time zone"),
        ("interval day", "interval day"),
        ("interval(2)", "interval(2)"),
        ("json", "jsonb"),
        ("text[]", "text[]"),
        ("_int4", "integer[]"),
        ("int list", "integer list"),
        ("map[text => int list]", "map[text=>integer list]"),
        ("int4range", "int4range"),
        ("pair", "pair"),
        ("pg_catalog.int8", "bigint"),
    ],
)
def test_a_name_means_a_type(name: str, shown: str) -> None:
    assert str(type_of(parse_type_name(name), TestCatalog())) == shown


def test_an_array_has_as_many_dimensions_as_brackets() -> None:
    found = type_of(parse_type_name("int[][]"), TestCatalog())
    assert isinstance(found, Array)
    assert found.dimensions == 2


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("nosuch", UndefinedObject, 'type "nosuch" does not exist'),
        ("public.nosuch", UndefinedObject, 'type "public.nosuch" does not exist'),
        ("numeric(39)", InvalidTypeModifier, "NUMERIC precision 39 must be between 1 and 38"),
        ("numeric(5, 6)", InvalidTypeModifier, "NUMERIC scale 6 must be between 0 and precision 5"),
        ("numeric(1, 2, 3)", InvalidTypeModifier, "invalid NUMERIC type modifier"),
        ("varchar(0)", InvalidTypeModifier, "length for type varchar must be at least 1"),
        ("char(10485761)", InvalidTypeModifier, "length for type char cannot exceed 10485760"),
        ("date(3)", WrongSyntax, 'type modifier is not allowed for type "date"'),
        ("map[int => int]", NotSupported, "the keys of a map must be text"),
    ],
)
def test_a_wrong_name_is_an_error(name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        type_of(parse_type_name(name), TestCatalog())
    assert str(raised.value) == message
