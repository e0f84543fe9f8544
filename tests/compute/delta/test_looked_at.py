"""Which columns programs look at. That all others may as well be null is tested with the law: lives keep no others."""

from __future__ import annotations

import pytest

from holdfast.compute.delta import looked_at
from holdfast.plan.types import INT4, INT8
from tests.compute.delta.queries import program_of
from tests.compute.delta.shapes import Columns, catalog

TABLES: dict[str, Columns] = {
    "t": (("k", INT4), ("a", INT4), ("b", INT8), ("c", INT8)),
    "u": (("k", INT4), ("d", INT8), ("e", INT8)),
}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT t.a, u.d FROM t JOIN u USING (k)", {"t": {0, 1}, "u": {0, 1}}),
        ("SELECT t.a, sum(u.d) FROM t JOIN u USING (k) WHERE t.c > 2 GROUP BY t.a", {"t": {0, 1, 3}, "u": {0, 1}}),
        ("SELECT k FROM t WHERE EXISTS (SELECT FROM u WHERE u.k = t.k AND u.e > 1)", {"t": {0}, "u": {0, 2}}),
        ("SELECT * FROM t JOIN u USING (k)", {"t": {0, 1, 2, 3}, "u": {0, 1, 2}}),
        ("SELECT a, sum(b) FROM t GROUP BY a", {}),
    ],
)
def test_what_is_looked_at(query: str, expected: dict[str, set[int]]) -> None:
    assert {name: set(columns) for name, columns in looked_at(program_of(query, catalog(TABLES))).items()} == expected
