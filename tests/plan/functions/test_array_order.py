"""`array_sort`, against what PostgreSQL said."""

from __future__ import annotations

import pytest

from tests.sql.lower.test_values import rows


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("array_sort(array[3,1,null,2])", "{1,2,3,NULL}"),
        ("array_sort(array[3,1,null,2], true)", "{NULL,3,2,1}"),
        ("array_sort(array[3,1,null,2], true, false)", "{3,2,1,NULL}"),
        ("array_sort(array[3,1,null,2], false, true)", "{NULL,1,2,3}"),
        ("array_sort(array['b','a','B'])", "{B,a,b}"),
        ("array_sort('{}'::int[])", "{}"),
        ("array_sort('{{3,null},{3,1},{1,2}}'::int[])", "{{1,2},{3,1},{3,NULL}}"),
        ("array_sort(array[1.5,'NaN'::float8,-1])", "{-1,1.5,NaN}"),
        ("array_sort(array[2,1], null)", None),
        ("array_sort(null::int[])", None),
    ],
)
def test_elements_are_sorted_with_nulls_greatest_unless_it_is_said(call: str, expected: str | None) -> None:
    assert rows(f"SELECT {call}") == [(expected,)]
