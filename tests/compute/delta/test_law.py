"""The law: at every time a maintained view is what its query is from scratch, and so are its states.

However updates come in steps, whatever was compacted or read again between them; also for a query that fails at some
times, which then the view does at the same.
"""

from __future__ import annotations

import logging
import os
import time
from contextlib import suppress
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.compute.evaluate.budget import TooManyRows
from tests.compute.delta.queries import case_of, lived

log = logging.getLogger(__name__)

TIMES = 10
QUERIES, PART = 160, 40
SOAKED = 500
"""How many random queries a test asks, and how many a round of the soak."""

FAILING = 0.3
"""The part of steps that may fail by their data."""


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(query=st.integers(0, 2**32), updates=st.randoms(use_true_random=False))
def test_a_maintained_view_is_what_its_query_is_from_scratch(query: int, updates: Random) -> None:
    """The updates of a failure are as few as hypothesis can find."""
    with suppress(TooManyRows):
        lived(updates, case_of(Random(query)), TIMES)


def lives(first: int, count: int) -> list[str]:
    """What is wrong with the lives of some seeds, each of which says all that is needed to see it again."""
    made, failed, wrong = 0, 0, []
    for seed in range(first, first + count):
        random = Random(seed)
        case = case_of(random)
        try:
            steps, errors = lived(random, case, TIMES)
        except TooManyRows:
            continue
        except AssertionError as failure:
            wrong.append(f"seed {seed}: {failure}")
            log.error(wrong[-1])
            continue
        made, failed = made + steps, failed + errors
    assert made > count, "nothing was maintained"
    assert failed <= FAILING * made, f"{failed} steps failed, {made} did not"
    return wrong


@pytest.mark.parametrize("first", range(0, QUERIES, PART))
def test_views_of_random_queries_are_what_they_are_from_scratch(first: int) -> None:
    assert lives(first, PART) == []


@pytest.mark.slow
@pytest.mark.timeout(0)
def test_views_of_new_random_queries_are_what_they_are_from_scratch() -> None:
    """For as many minutes as HOLDFAST_SOAK_MINUTES says."""
    end, first, wrong = _end(), time.time_ns() // SOAKED * SOAKED, list[str]()
    while time.monotonic() < end:
        wrong += lives(first, SOAKED)
        first += SOAKED
    assert wrong == []


def _end() -> float:
    return time.monotonic() + 60 * float(os.environ.get("HOLDFAST_SOAK_MINUTES", "10"))
