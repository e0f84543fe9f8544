from __future__ import annotations

import pytest

from holdfast.sql.parser import parse_type_name
from holdfast.sql.syntax.types import ArrayType, IntervalType, ListType, MapType, NamedType, TypeName

INT, TEXT = NamedType(("pg_catalog", "int4")), NamedType(("text",))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("int", INT),
        ("Integer", INT),
        ("double precision", NamedType(("pg_catalog", "float8"))),
        ("character varying(5)", NamedType(("pg_catalog", "varchar"), (5,))),
        ("national character varying(5)", NamedType(("pg_catalog", "varchar"), (5,))),
        ("char", NamedType(("pg_catalog", "bpchar"), (1,))),
        ('"char"', NamedType(("char",))),
        ("bit varying(3)", NamedType(("pg_catalog", "varbit"), (3,))),
        ("timestamp(3) with time zone", NamedType(("pg_catalog", "timestamptz"), (3,))),
        ("time without time zone", NamedType(("pg_catalog", "time"))),
        ("interval", IntervalType()),
        ("interval day to second(2)", IntervalType("DAY TO SECOND", 2)),
        ("interval(4)", IntervalType(None, 4)),
        ("s.t(a, 'b', 3)", NamedType(("s", "t"), ("a", "b", 3))),
        ("int[][3]", ArrayType(INT, (None, 3))),
        ("int array[2]", ArrayType(INT, (2,))),
        ("int list list", ListType(ListType(INT))),
        ("int[] list", ListType(ArrayType(INT))),
        ("map[text=>map[text => int]]", MapType(TEXT, MapType(TEXT, INT))),
        (r'U&"\0061bc"', NamedType(("abc",))),
    ],
)
def test_type_names_are_what_postgresql_makes_of_them(text: str, meant: TypeName) -> None:
    assert parse_type_name(text) == meant
