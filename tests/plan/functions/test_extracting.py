"""Table functions whose columns a constant decides, in queries."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import InvalidParameterValue
from tests.sql.lower.test_values import answer


def test_regexp_extract_has_a_column_for_each_group_of_the_first_match() -> None:
    found = answer(r"SELECT * FROM regexp_extract('(\w+)-(\d+)?', 'ab- cd-5')")
    assert found.names == ("column1", "column2")
    assert found.rows == (("ab", None),)


def test_regexp_extract_has_no_row_where_nothing_matches() -> None:
    found = answer(r"SELECT x, r.* FROM (VALUES ('a=1'), ('b'), (null)) t(x), regexp_extract('(\w)=(\d)', x) r")
    assert found.rows == (("a=1", "a", "1"),)


def test_csv_extract_passes_over_lines_with_another_number_of_fields() -> None:
    found = answer("""SELECT * FROM csv_extract(2, E'a,b\\n"c ""x"",\\n",d\\ne\\n\\nf,') AS c(p, q)""")
    assert found.names == ("p", "q")
    assert found.rows == (("a", "b"), ('c "x",\n', "d"), ("f", ""))


def test_a_field_of_csv_may_be_long() -> None:
    assert answer("SELECT length(column1) FROM csv_extract(1, repeat('x', 200000))").rows == (("200000",),)


@pytest.mark.parametrize(
    "function",
    [
        "csv_extract(0, 'a')",
        "csv_extract(1665, 'a')",
        "csv_extract(null, 'a')",
        "regexp_extract('a', 'a')",
        "(VALUES ('a')) t(x), regexp_extract(x, 'a')",
    ],
)
def test_the_number_of_columns_must_be_known_and_one_that_a_row_can_have(function: str) -> None:
    with pytest.raises(InvalidParameterValue):
        answer(f"SELECT * FROM {function}")
