"""Records."""

from __future__ import annotations

from holdfast.plan.functions import records
from holdfast.plan.functions.records import field
from holdfast.plan.types import INT4, TEXT, record_of
from tests.plan.functions.literal_calls import Calls, result_type

CALLS = Calls(records.FAMILY)


def test_a_row_has_fields_by_number() -> None:
    assert CALLS.answer("row('1'::int4, 'a b'::text, null::text)") == '(1,"a b",)'
    assert CALLS.answer("row()") == "()"
    made = records.FAMILY.functions[1]
    assert result_type(made, (INT4, TEXT)) is record_of(("f1", "f2"), (INT4, TEXT))


def test_a_field_is_found_by_its_place() -> None:
    second = field(1)
    assert second is field(1)
    assert second.python is not None
    assert second.python((1, "a")) == "a"
    assert result_type(second, (record_of(("x", "y"), (INT4, TEXT)),)) is TEXT
    assert second.spark == "({0}).f2"
