from __future__ import annotations

import json
import math
from decimal import Decimal

from holdfast.plan.types import BOOL, BYTEA, DATE, FLOAT8, INT4, JSONB, TEXT, array_of, map_of, numeric, record_of
from holdfast.result_text import as_csv, as_json, as_table, csv_head


def test_a_table_is_aligned() -> None:
    lines = as_table(("id", "a long name"), (INT4, TEXT), [(1, "x"), (100, None), (None, "two\nlines")])
    assert "\n".join(lines) == (
        " id  | a long name\n-----+-------------\n   1 | x\n 100 |\n     | two        +\n     | lines\n(3 rows)"
    )


def test_wide_characters_take_two_columns() -> None:
    assert list(as_table(("a", "b"), (TEXT, TEXT), [("日本", "x")])) == [
        "  a   | b",
        "------+---",
        " 日本 | x",
        "(1 row)",
    ]


def test_a_table_without_columns_counts_rows() -> None:
    assert list(as_table((), (), [(), ()]))[-1] == "(2 rows)"


def test_csv_tells_nulls_from_empty_texts() -> None:
    assert csv_head(("a", "b,c")) == 'a,"b,c"'
    rows = [("x", None), ("", "a,b"), ('say "x"', "line\nbreak")]
    assert list(as_csv((TEXT, TEXT), rows)) == ["x,", '"","a,b"', '"say ""x""","line\nbreak"']


def test_json_has_its_own_values_where_it_can() -> None:
    types = (INT4, numeric(5, 2), BOOL, FLOAT8, FLOAT8, TEXT, JSONB, DATE, BYTEA)
    row = (1, Decimal("1.50"), True, 0.5, math.nan, 'x"y', '{"k": [1]}', 0, b"\x01")
    (line,) = as_json(tuple("abcdefghi"), types, [row])
    assert json.loads(line) == {
        "a": 1,
        "b": 1.5,
        "c": True,
        "d": 0.5,
        "e": "NaN",
        "f": 'x"y',
        "g": {"k": [1]},
        "h": "1970-01-01",
        "i": "\\x01",
    }


def test_json_nests_arrays_maps_and_records() -> None:
    types = (array_of(array_of(INT4)), map_of(DATE), record_of(("x", "y"), (INT4, TEXT)))
    (line,) = as_json(("a", "b", "c"), types, [(((1, None),), (("k", 0),), (1, None))])
    assert json.loads(line) == {"a": [[1, None]], "b": {"k": "1970-01-01"}, "c": {"x": 1, "y": None}}


def test_names_that_repeat_get_numbers_in_json() -> None:
    assert list(as_json(("a", "a", "a_2"), (INT4,) * 3, [(1, 2, None)])) == ['{"a": 1, "a_2": 2, "a_2_2": null}']
