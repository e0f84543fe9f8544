"""`format_type`, against what PostgreSQL said."""

from __future__ import annotations

import pytest

from holdfast.plan.errors import InvalidParameterValue
from holdfast.plan.functions.type_names import format_type

CASES: list[tuple[int | None, int | None, str | None]] = [
    (None, 1, None),
    (0, None, "-"),
    (99999, None, "???"),
    (23, None, "integer"),
    (16, 5, "boolean"),
    (25, 10, "text(10)"),
    (18, None, '"char"'),
    (22, None, "int2vector"),
    (1700, None, "numeric"),
    (1700, -1, "numeric"),
    (1700, 3, "numeric"),
    (1700, 655366, "numeric(10,2)"),
    (1700, 133121, "numeric(2,-3)"),
    (1043, 14, "character varying(10)"),
    (1043, 4, "character varying"),
    (1042, 14, "character(10)"),
    (1042, -1, "bpchar"),
    (1042, None, "character"),
    (1114, 3, "timestamp(3) without time zone"),
    (1184, 0, "timestamp(0) with time zone"),
    (1083, 3, "time(3) without time zone"),
    (1186, 2147418115, "interval(3)"),
    (1186, 458751, "interval year to month"),
    (1186, 470286339, "interval day to second(3)"),
    (1186, 327679, "interval year"),
    (1007, -1, "integer[]"),
    (1015, 14, "character varying(10)[]"),
    (1115, 2, "timestamp(2) without time zone[]"),
]


@pytest.mark.parametrize(("oid", "modifier", "expected"), CASES)
def test_a_type_has_the_name_that_postgresql_gives_it(
    oid: int | None, modifier: int | None, expected: str | None
) -> None:
    assert format_type(oid, modifier) == expected


def test_an_interval_has_fields() -> None:
    with pytest.raises(InvalidParameterValue, match="invalid INTERVAL typmod: 0x4"):
        format_type(1186, 4)
