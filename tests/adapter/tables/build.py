"""Rows of SQL types, and the commits of them, for tests of tables in memory."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal

from hypothesis import strategies as st

from holdfast.adapter.tables.commit import TableCommit, commit_of
from holdfast.compute.evaluate.keys import equality
from holdfast.plan.row_types import row_type_of
from holdfast.plan.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT4RANGE,
    INT8,
    INTERVAL,
    JSONB,
    NUMERIC,
    TEXT,
    TIME,
    TIMESTAMPTZ,
    UINT8,
    UUID,
    Interval,
    RangeValue,
    Type,
    array_of,
    map_of,
    record_of,
)
from holdfast.repr.frontier import Timestamp
from tests.adapter.books import Row, change_of

NAN = math.nan

VALUES: dict[Type, Sequence[object]] = {
    BOOL: (True, False),
    INT2: (0, -(2**15), 2**15 - 1),
    INT4: (0, 1, -(2**31), 2**31 - 1),
    INT8: (0, 1, -(2**63), 2**63 - 1),
    UINT8: (0, 2**64 - 1),
    FLOAT4: (0.0, -0.0, NAN, math.inf, 1.5),
    FLOAT8: (0.0, -0.0, NAN, -math.inf, 0.1),
    NUMERIC: (Decimal("0"), Decimal("1.5"), Decimal("-99999999999999999999")),
    TEXT: ("", "a", "b", "é"),
    BYTEA: (b"", b"\x00", b"a"),
    JSONB: ("1", "[1]", '{"a": null}'),
    UUID: ("00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    DATE: (0, -(2**31), 2**31 - 1),
    TIME: (0, 86_399_999_999),
    TIMESTAMPTZ: (0, -(2**63), 2**63 - 1),
    INTERVAL: (Interval(1, 0, 0), Interval(0, 30, 0)),
    array_of(FLOAT8): ((), (NAN,), (0.0, None)),
    map_of(INT4): ((), (("a", 1), ("b", None))),
    record_of(("x", "y"), (INT4, TEXT)): ((1, "a"), (None, "a"), (1, None)),
    INT4RANGE: (RangeValue(1, 3, True, False), RangeValue(None, None, False, False, empty=True)),
}
"""Few values of each type, those among them that are hard to tell apart."""


def value_of(type_: Type) -> st.SearchStrategy[object]:
    return st.sampled_from((None, *VALUES[type_]))


types = st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=3).map(tuple)


def rows(row_of: Sequence[Type]) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.tuples(*map(value_of, row_of)), max_size=6)


def commit(row_of: Sequence[Type], time: int, added: Iterable[Row] = (), removed: Iterable[Row] = ()) -> TableCommit:
    return commit_of(row_type_of(row_of), [change_of(row_of, added, removed)], Timestamp(time))


def counted(row_of: Sequence[Type], found: Iterable[Row]) -> Counter[object]:
    """Rows as often as they are there, with equal ones told by one key."""
    key = equality(row_of)
    return Counter(key(row) for row in found)
