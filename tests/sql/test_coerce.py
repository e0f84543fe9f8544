"""Casts by context, literals, and the types that alternatives have in common."""

from __future__ import annotations

from decimal import Decimal

import pytest

from holdfast.plan.errors import InvalidTextRepresentation
from holdfast.plan.functions.function import CastContext
from holdfast.plan.printer import scalar
from holdfast.plan.scalar import Column, Constant, Parameter
from holdfast.plan.types import (
    BOOL,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    JSONB,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    UNKNOWN,
    VARCHAR,
    Modified,
    Type,
    array_of,
    numeric,
    record_of,
)
from holdfast.sql.coerce import Coercion, can_coerce, common_type
from holdfast.sql.errors import AmbiguousParameter, CannotCoerce, DatatypeMismatch
from holdfast.sql.parameters import Parameters
from holdfast.sql.term import Term


def column(type_: Type) -> Term:
    return Term(Column(0, type_, True), 7)


def literal(text: str | None) -> Term:
    return Term(Constant(text, UNKNOWN), 7)


@pytest.fixture
def coercion() -> Coercion:
    return Coercion(Parameters(()))


@pytest.mark.parametrize(
    ("source", "target", "context"),
    [
        (INT4, INT8, "implicit"),
        (INT4, NUMERIC, "implicit"),
        (DATE, TIMESTAMP, "implicit"),
        (VARCHAR, TEXT, "implicit"),
        (INT8, INT4, "assignment"),
        (FLOAT8, INT4, "assignment"),
        (INT4, TEXT, "assignment"),
        (JSONB, TEXT, "assignment"),
        (INT4, BOOL, "explicit"),
        (TEXT, DATE, "explicit"),
        (array_of(INT4), array_of(INT8), "implicit"),
        (array_of(INT4), array_of(TEXT), "assignment"),
        (array_of(TEXT), array_of(DATE), "explicit"),
    ],
)
def test_a_cast_is_there_from_its_context_on(source: Type, target: Type, context: CastContext) -> None:
    contexts: list[CastContext] = ["implicit", "assignment", "explicit"]
    allowed = [can_coerce(source, target, other) for other in contexts]
    assert allowed == [contexts.index(other) >= contexts.index(context) for other in contexts]


def test_types_without_a_cast_cannot_be_cast(coercion: Coercion) -> None:
    with pytest.raises(CannotCoerce, match="cannot cast type integer to date") as raised:
        coercion.cast(column(INT4), DATE, 3)
    assert raised.value.position == 3


def test_a_literal_is_read_where_it_stands(coercion: Coercion) -> None:
    assert coercion.known(literal("12"), INT4).scalar is Constant(12, INT4)
    assert coercion.known(literal(None), INT4).scalar is Constant(None, INT4)
    with pytest.raises(InvalidTextRepresentation, match='invalid input syntax for type integer: "x"') as raised:
        coercion.known(literal("x"), INT4)
    assert vars(raised.value)["position"] == 7


def test_a_numeric_literal_has_no_more_digits_than_it_is_written_with(coercion: Coercion) -> None:
    assert coercion.known(literal("1.50"), NUMERIC).scalar is Constant(Decimal("1.50"), numeric(3, 2))


def test_an_array_literal_has_the_dimensions_it_is_written_with(coercion: Coercion) -> None:
    found = coercion.cast(literal(" { {1,2}, {3,4} }"), array_of(INT4), 0)
    assert found.scalar is Constant(((1, 2), (3, 4)), array_of(array_of(INT4)))


def test_a_cast_to_a_length_is_a_step_of_its_own(coercion: Coercion) -> None:
    assert scalar(coercion.cast(column(TEXT), Modified("varchar", 3), 0).scalar) == "varchar(#0)"
    assert coercion.cast(literal("abcd"), Modified("varchar", 3), 0).scalar is Constant("abc", Modified("varchar", 3))


def test_a_constant_is_cast_now_unless_that_is_an_error(coercion: Coercion) -> None:
    one, many = Term(Constant(1, INT8), 0), Term(Constant(2**40, INT8), 0)
    assert coercion.cast(one, INT4, 0).scalar is Constant(1, INT4)
    assert scalar(coercion.cast(many, INT4, 0).scalar) == "int4(1099511627776)"


def test_records_are_cast_field_by_field(coercion: Coercion) -> None:
    pair = record_of(("x", "y"), (INT8, TEXT), "pair")
    given = Constant((1, "a"), record_of(("f1", "f2"), (INT4, TEXT)))
    assert coercion.cast(Term(given, 0), pair, 0).scalar is Constant((1, "a"), pair)
    with pytest.raises(CannotCoerce) as raised:
        coercion.cast(column(record_of(("f1",), (INT4,))), pair, 0)
    assert raised.value.detail == "Input has too few columns."


@pytest.mark.parametrize(
    ("types", "common"),
    [
        ([INT4, INT8], INT8),
        ([INT2, FLOAT4, NUMERIC], FLOAT4),
        ([NUMERIC, FLOAT8, INT4], FLOAT8),
        ([UNKNOWN, DATE], DATE),
        ([UNKNOWN, UNKNOWN], TEXT),
        ([VARCHAR, TEXT], VARCHAR),
        ([DATE, TIMESTAMP], TIMESTAMP),
    ],
)
def test_alternatives_have_a_common_type(types: list[Type], common: Type) -> None:
    assert common_type([(type_, 0) for type_ in types], "CASE") is common


def test_types_of_two_categories_have_nothing_in_common() -> None:
    with pytest.raises(DatatypeMismatch, match="UNION types integer and text cannot be matched") as raised:
        common_type([(INT4, 1), (TEXT, 9)], "UNION")
    assert raised.value.position == 9


def test_alternatives_become_exactly_one_type(coercion: Coercion) -> None:
    terms = [column(numeric(5, 2, declared=True)), column(INT4), literal("1.234")]
    assert {term.type for term in coercion.to_common(terms, "CASE")} == {numeric(13, 3)}
    same = [column(Modified("varchar", 3)), column(Modified("varchar", 3))]
    assert {term.type for term in coercion.to_common(same, "CASE")} == {Modified("varchar", 3)}


def test_a_parameter_gets_the_first_type_that_is_wanted_of_it() -> None:
    parameters = Parameters(())
    coercion = Coercion(parameters)
    unknown = Term(parameters.at(1, 5), 5)
    assert coercion.to_base(unknown, numeric(5, 2, declared=True)) == Term(Parameter(1, NUMERIC), 5)
    assert parameters.at(1, 9).type is NUMERIC
    with pytest.raises(AmbiguousParameter, match=r"inconsistent types deduced for parameter \$1") as raised:
        coercion.to_base(unknown, TEXT)
    assert raised.value.detail == "numeric versus text"
