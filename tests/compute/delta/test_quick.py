"""Quick ways come to what the relations of their stages say: without any of them, a view is the same."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from holdfast.compute.delta import Program
from holdfast.compute.delta.program import Bind
from holdfast.plan.types import FLOAT8, INT4
from tests.compute.delta.lives import Change, History, Life
from tests.compute.delta.queries import case_of, life_of, live, program_of
from tests.compute.delta.shapes import Columns, catalog

TIMES = 10
SEEDS, PART = range(5_000, 5_060), 30


def by_relations(program: Program) -> Program:
    return replace(
        program, stages=tuple(replace(each, quick=None) if isinstance(each, Bind) else each for each in program.stages)
    )


@pytest.mark.parametrize("first", SEEDS[::PART])
def test_the_relations_of_stages_say_what_a_view_is(first: int) -> None:
    for seed in range(first, first + PART):
        random = Random(seed)
        life = life_of(random, case_of(random), TIMES)
        life.program = by_relations(life.program)
        live(random, life, TIMES)


@pytest.mark.parametrize("quick", [True, False])
def test_floats_that_are_equal_are_one_key_and_one_value(quick: bool) -> None:
    shapes: dict[str, Columns] = {"t": (("x", FLOAT8), ("n", INT4))}
    rows = [(0.0, 1), (-0.0, 2), (float("nan"), 3), (float("nan"), 4), (1.5, None)]
    query = "SELECT x, sum(n), min(n), max(x * -0.0), sum(x) FROM t GROUP BY x"
    changes = [Change(10 + place, place, 1) for place in range(5)] + [
        Change(20 + place, place, -1) for place in range(5)
    ]
    made = program_of(query, catalog(shapes))
    history = History([type_ for _, type_ in shapes["t"]], rows, changes)
    life = Life(made if quick else by_relations(made), {"t": history}, query)
    assert life.hydrate(9)
    for upper in (12, 13, 19, 22, 26):
        life.live(upper)
