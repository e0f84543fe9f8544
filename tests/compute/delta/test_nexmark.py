"""Nexmark's queries as views, while people, auctions and bids come; some are changed or taken back."""

from __future__ import annotations

from random import Random

import pytest

from tests.compute.delta.lives import Life
from tests.compute.delta.nexmark import QUERIES, TABLES, nexmark_row
from tests.compute.delta.queries import program_of
from tests.compute.delta.shapes import catalog
from tests.compute.delta.streams import Stream

KINDS = ("bid", "bid", "bid", "auction", "person")


def events(seed: int, times: int) -> Stream:
    random = Random(seed)
    stream = Stream(random, TABLES, nexmark_row)
    for time in range(1, 10 + times):
        for _ in range(random.choice((1, 3, 6))):
            stream.insert(random.choice(KINDS), time)
        if time % 3 == 0:
            stream.happen(time, 2)
    return stream


def lived(number: int, seed: int, times: int) -> Life:
    histories = events(seed, times).histories()
    life = Life(program_of(QUERIES[number], catalog(TABLES)), histories, f"q{number}")
    assert life.hydrate(9)
    upper, random = 10, Random(seed)
    while upper < 10 + times:
        upper = min(10 + times, upper + random.randrange(1, 4))
        life.live(upper)
        if random.randrange(3) == 0:
            life.restart()
    return life


@pytest.mark.parametrize("number", QUERIES)
def test_a_view_of_nexmark_is_what_its_query_is_from_scratch(number: int) -> None:
    """With the first events of which it makes rows that change."""
    lives = (lived(number, seed, 8) for seed in range(number, number + 20))
    assert any(life.steps[0].output.rows and any(made.output.rows for made in life.steps[1:]) for life in lives)


@pytest.mark.slow
@pytest.mark.parametrize("number", QUERIES)
def test_a_view_of_nexmark_is_right_for_long(number: int) -> None:
    for seed in range(1000, 1020):
        lived(number, seed, 40)
