"""Comparisons of filters, as SQL has them."""

from __future__ import annotations

import math
from operator import eq, ge, gt, le, lt

import pyarrow as pa
import pytest

from holdfast.persist.prune import Comparison, Operator


@pytest.mark.parametrize("operator", ["=", "<", "<=", ">", ">="])
def test_nan_is_equal_to_itself_and_greater_than_all_other_numbers(operator: Operator) -> None:
    numbers = [-1.5, math.inf, math.nan]
    column = pa.chunked_array([[*numbers, None]], pa.float64())
    compare = {"=": eq, "<": lt, "<=": le, ">": gt, ">=": ge}[operator]
    for place, value in enumerate(numbers):
        kept = Comparison("x", operator, value).keep(column).to_pylist()
        assert kept == [*(compare(other, place) for other in range(len(numbers))), False]
